"""The needs of a person, found in the runs, sessions and tasks. Pure.

Rules of this file:
- Waiting: a run that says so, a question without an answer, a mode that waits for the next prompt, skills that were
  deferred until planning ends once it has ended, and a task that waits for a decision.
- Failed: a run or a mode that failed, or is blocked, in the last seven days.
- Stalled and inactive: a run, or a mode that is active, of which `workflow.silence` says so, in the last seven days. A
  session that its client has closed is neither.
- A run that waits is a need of that kind also where it has become inactive.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlencode

from rcs_hooks.dashboard.tasks import waits
from rcs_hooks.files.clock import seconds
from rcs_hooks.runs.queries import place_words
from rcs_hooks.state.silence import length
from rcs_hooks.terminal.ids import LONG_ID, short, telling_length
from rcs_hooks.text import quoted as shell_quoted
from rcs_hooks.workflow.lifecycle import FAILURES, in_words
from rcs_hooks.workflow.messages.shared import dollars
from rcs_hooks.workflow.silence import QUIET

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

Record = dict[str, Any]

HISTORY_AFTER = 7 * 86_400.0
KINDS = ("waiting", "failed", *QUIET)
NOTHING: Record = {"reason": None, "command": None, "client": None, "resume": [], "question": None}
"""What most needs do not have."""


def needs_of(
    runs: Iterable[Record], sessions: Iterable[Record], tasks: Iterable[Record], now: float
) -> dict[str, list[Record]]:
    """Return the needs of each kind, the newest first. `runs` also have the status that they reported, `reported`."""
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
            "session", ((each["root"], each["session"] or "") for each in sessions if each["status"] == "running")
        ),
        "tasks": count("task", ((task["root"], task["task_id"]) for task in tasks if not task["done"])),
    }


def _of_run(run: Record, now: float) -> Iterator[Record]:
    age = now - (seconds(run["last_at"]) or now)
    place = place_words(run["current_steps"])
    at = f" at {place}" if place else ""
    need = NOTHING | {
        "what": "run", "id": run["run_id"], "project": run["project"], "title": run["workflow"],
        "about": run["feature"], "since": run["last_at"], "reason": run["reason"] or None,
        "client": run["client"], "page": f"/runs/{quote(run['run_id'], safe='')}",
    }  # fmt: skip
    if age >= HISTORY_AFTER:
        return
    if run["reported"] == "waiting":
        yield need | {"kind": "waiting", "state": run["status"], "detail": f"it waits{at}"}
    elif run["status"] == "failed":
        yield need | {"kind": "failed", "state": "failed", "detail": f"it failed{at}"}
    elif run["reported"] == "running" and run["status"] in QUIET:
        words = f"no activity{at} for {length(age)}"
        yield need | {"kind": run["status"], "state": run["status"], "detail": words}


def _of_session(session: Record, now: float) -> Iterator[Record]:
    own = [mode for mode in session["modes"] if mode["session"] == session["session"]]
    for question in session["questions"]:
        mode = question["mode"] or "a mode"
        yield _need(session, "waiting", mode, f"{mode} asks a question", question["created_at"]) | {
            "question": question
        }
    asking = {question["mode"] for question in session["questions"]}
    for mode in own:
        since = mode["updated_at"] or session["updated_at"]
        age = now - (seconds(since) or now)
        name, phase = mode["mode"], mode["phase"] or "unknown"
        if mode["waiting"]:
            if name not in asking:
                yield _need(session, "waiting", name, f"{name} waits for your next prompt", since, mode)
        elif mode["active"] and session["status"] in QUIET:
            if now - (seconds(session["quiet_since"]) or now) < HISTORY_AFTER:
                words = f"{name} is {session['status']} at {phase}: {session['quiet_because']}"
                yield _need(session, session["status"], name, words, session["quiet_since"])
        elif mode["outcome"] in FAILURES and age < HISTORY_AFTER:
            at = f" at {mode['phase']}" if mode["phase"] and mode["phase"] != mode["outcome"] else ""
            yield _need(
                session, "failed", name, f"{name} {in_words(mode['outcome'])}{at}", mode["completed_at"] or since, mode
            )
    if session["deferred"]:
        yield from _of_deferred(session, now)
    for broken in session["unreadable"]:
        words = f"{broken['path']} cannot be read ({broken['why']})"
        yield _need(session, "failed", broken["clear_as"], words, session["updated_at"])


def _of_deferred(session: Record, now: float) -> Iterator[Record]:
    """Yield that planning has ended, and that what was named with it waits for the person."""
    source = next((mode for mode in session["modes"] if mode["mode"] == session["deferred_source"]), None)
    since = (source and (source["completed_at"] or source["updated_at"])) or session["updated_at"]
    if now - (seconds(since) or now) < HISTORY_AFTER:
        skills, by = dollars(session["deferred"]), session["deferred_source"] or "planning"
        words = f"{by} has ended; type {skills} to go on, or any prompt to be asked"
        yield _need(session, "waiting", session["deferred"][0], words, since) | {
            "about": source and source["title"],
            "page": page_of_session(session) if source is None else mode_page(session, source["mode"]),
        }


def _need(session: Record, kind: str, title: str, detail: str, since: str | None, mode: Record | None = None) -> Record:
    """Return what a session needs, as JSON. `kind`: one of KINDS; `since`: when that began.

    `mode`: the mode whose reason is given.
    """
    known = next((each for each in session["modes"] if each["mode"] == title), None)
    return NOTHING | {
        "kind": kind, "state": kind, "what": "session", "id": session["session"] or "", "project": session["root"],
        "title": title,
        "about": known and known["title"], "detail": detail, "since": since, "reason": mode and mode["reason"],
        "client": session["client"], "resume": session["resume"],
        "page": mode_page(session, title) if known else page_of_session(session),
    }  # fmt: skip


def mode_page(session: Record, mode: str) -> str:
    """Return the address of the page of a mode's last run in a session."""
    where = urlencode({"project": session["root"], "session": session["session"] or ""})
    return f"/modes/{quote(mode, safe='')}?{where}"


def page_of_session(session: Record) -> str:
    """Return the address of the list of sessions with this one alone."""
    return f"/sessions?{urlencode({'project': session['root'], 'session': session['session'] or ''})}"


def _of_task(task: Record) -> Iterator[Record]:
    need = NOTHING | {
        "what": "task", "id": task["task_id"], "project": task["root"], "title": task["task_id"], "about": None,
        "since": task["updated_at"],
        "page": f"/tasks?{urlencode({'project': task['root']})}#{quote(task['task_id'], safe='')}",
    }  # fmt: skip
    if task["problem"]:
        yield need | {"kind": "failed", "state": "failed", "detail": task["problem"]}
    elif waits(task):
        decide = f'rcs task accept {shell_quoted(task["task_id"])} --decision WORD --reason "WHY"'
        verdict = f", {task['proof']['verdict']}" if task["proof"] else ""
        yield need | {
            "kind": "waiting",
            "state": "waiting",
            "detail": f"it waits for your decision{verdict}",
            "command": decide,
        }
