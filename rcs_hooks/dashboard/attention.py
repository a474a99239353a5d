"""The needs of a person, found in the runs, sessions and tasks. Pure.

Rules of this file:
- Waiting: a run that says so, a question without an answer, a mode that waits for the next prompt.
- Failed: a run or a mode that failed, or is blocked, in the last seven days.
- Stalled: a run whose status is running, or a mode that is active, without an event for an hour; or a mode whose Stop
  is no longer blocked, because nothing changed. A session that its client has closed is not stalled.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rcs_hooks.files.clock import seconds
from rcs_hooks.terminal.ids import LONG_ID, short, telling_length
from rcs_hooks.workflow.lifecycle import FAILURES

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

Record = dict[str, Any]

QUIET_AFTER = 3600.0
HISTORY_AFTER = 7 * 86_400.0
KINDS = ("waiting", "failed", "stalled")


def needs_of(
    runs: Iterable[Record], sessions: Iterable[Record], tasks: Iterable[Record], now: float
) -> dict[str, list[Record]]:
    """Return the needs of each kind, the newest first. `runs` have their stored status, even after a day of silence."""
    needs = [
        need
        for found in (
            *(_of_run(run, now) for run in runs),
            *(_of_session(session, now) for session in sessions),
            *(_of_task(task) for task in tasks),
        )
        for need in found
    ]
    needs.sort(key=lambda need: need["since"] or "", reverse=True)
    length = telling_length(need["id"] for need in needs if len(need["id"]) >= LONG_ID)
    for need in needs:
        need["short"] = short(need["id"], length)
    return {kind: [need for need in needs if need["kind"] == kind] for kind in KINDS}


def working(
    runs: Iterable[Record], sessions: Iterable[Record], tasks: Iterable[Record], needs: dict[str, list[Record]]
) -> dict[str, int]:
    """Count the runs, sessions and tasks that go on and are not among `needs`."""
    needy = {(need["what"], need["project"], need["id"]) for kind in KINDS for need in needs[kind]}

    def count(what: str, found: Iterable[tuple[str, str]]) -> int:
        return len({(what, *each) for each in found} - needy)

    return {
        "runs": count("run", ((run["project"], run["run_id"]) for run in runs if run["status"] == "running")),
        "sessions": count(
            "session", ((each["root"], each["session"] or "") for each in sessions if each["status"] == "active")
        ),
        "tasks": count("task", ((task["root"], task["task_id"]) for task in tasks if not task["done"])),
    }


def _of_run(run: Record, now: float) -> Iterator[Record]:
    age = now - (seconds(run["last_at"]) or now)
    at = f" at {run['current']}" if run["current"] else ""
    need = {
        "what": "run", "id": run["run_id"], "project": run["project"], "title": run["workflow"],
        "about": run["feature"], "since": run["last_at"], "question": None,
    }  # fmt: skip
    if age >= HISTORY_AFTER:
        return
    if run["status"] == "waiting":
        yield need | {"kind": "waiting", "detail": f"it waits{at}"}
    elif run["status"] == "failed":
        yield need | {"kind": "failed", "detail": f"it failed{at}"}
    elif run["status"] == "running" and age >= QUIET_AFTER:
        yield need | {"kind": "stalled", "detail": f"it is running{at}, but has been silent for {_long(age)}"}


def _of_session(session: Record, now: float) -> Iterator[Record]:
    own = [mode for mode in session["modes"] if mode["session"] == session["session"]]
    for question in session["questions"]:
        mode = question["mode"] or "a mode"
        yield _need(session, "waiting", mode, f"{mode} asks a question", question["created_at"], question)
    asking = {question["mode"] for question in session["questions"]}
    for mode in own:
        since = mode["updated_at"] or session["updated_at"]
        age = now - (seconds(since) or now)
        name, phase = mode["mode"], mode["phase"] or "unknown"
        if mode["waiting"]:
            if name not in asking:
                yield _need(session, "waiting", name, f"{name} waits for the next prompt", since)
        elif mode["active"] and session["status"] != "closed":
            if session["blocks"]["in_a_row"] >= session["blocks"]["limit"]:
                words = f"{name} changed nothing in {session['blocks']['in_a_row']} turns at {phase}, so it may stop"
                yield _need(session, "stalled", name, words, since)
            elif QUIET_AFTER <= age < HISTORY_AFTER:
                yield _need(
                    session, "stalled", name, f"{name} is active at {phase}, and silent for {_long(age)}", since
                )
        elif mode["outcome"] in FAILURES and age < HISTORY_AFTER:
            why = f": {mode['error']}" if mode["error"] else ""
            yield _need(session, "failed", name, f"{name} is {mode['outcome']}{why}", mode["completed_at"] or since)
    for broken in session["unreadable"]:
        words = f"{broken['path']} cannot be read ({broken['why']})"
        yield _need(session, "failed", broken["clear_as"], words, session["updated_at"])


def _need(
    session: Record, kind: str, title: str, detail: str, since: str | None, question: Record | None = None
) -> Record:
    """Return what a session needs, as JSON. `kind`: waiting, failed or stalled; `since`: when that began."""
    return {
        "kind": kind, "what": "session", "id": session["session"] or "", "project": session["root"], "title": title,
        "about": next((mode["title"] for mode in session["modes"] if mode["mode"] == title), None),
        "detail": detail, "since": since, "question": question,
    }  # fmt: skip


def _of_task(task: Record) -> Iterator[Record]:
    if task["problem"]:
        yield {
            "kind": "failed", "what": "task", "id": task["task_id"], "project": task["root"], "title": task["task_id"],
            "about": None, "detail": task["problem"], "since": task["updated_at"], "question": None,
        }  # fmt: skip


def _long(age: float) -> str:
    for unit, length in (("d", 86_400), ("h", 3_600), ("min", 60)):
        if age >= length:
            return f"{int(age // length)} {unit}"
    return f"{int(age)} s"
