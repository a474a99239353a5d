"""Everything that there is, in one list that is searched and sorted: runs, the runs of all modes, and tasks.

Rules of this file:
- Each passage of a mode is an entry, as the histories of the sessions tell them; what is active is as the overview has
  it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import quote, urlencode

from rcs_hooks.client_names import TITLES
from rcs_hooks.dashboard.passages import of_root
from rcs_hooks.dashboard.tasks import waits
from rcs_hooks.files.clock import seconds
from rcs_hooks.overview.records import title_of
from rcs_hooks.runs.queries import place_words
from rcs_hooks.runs.records import COMPLETED, FAILED, SKIPPED
from rcs_hooks.terminal.ids import LONG_ID, short, telling_length
from rcs_hooks.text import clean
from rcs_hooks.workflow.mode_record import TITLE_LENGTH
from rcs_hooks.workflow.silence import shown_status

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from rcs_hooks.dashboard.passages import Histories
    from rcs_hooks.runs.records import RunRecord
    from rcs_hooks.runs.store import RunStore

Record = dict[str, Any]

MODE, RUN, TASK = "mode", "run", "task"
MOST_RUNS = 5_000
OPEN, CLOSED, UNKNOWN = "open", "closed", "unknown"
ACTIVE = ("waiting", "running", CLOSED)
"""The groups of the overview with what goes on or waits."""
STATES = ("waiting", "running", "stalled", "failed", COMPLETED, SKIPPED, "idle", "inactive", CLOSED, OPEN, UNKNOWN)
"""The words for a state, in the order in which they concern the person."""
OF_OUTCOME = {"finished": COMPLETED, "failed": FAILED, "blocked": FAILED}
SORTS = ("last", "started", "lasted", "title", "state")


class EntryQuery(NamedTuple):
    """What a list of everything is asked for."""

    words: str = ""
    """The words that all have to be in an entry, whatever their case."""
    kind: str | None = None
    project: str | None = None
    state: str | None = None
    sort: str = "last"


def list_all(
    store: RunStore | None,
    roots: Iterable[str],
    present: Mapping[str, list[Record]],
    tasks: Iterable[Record],
    histories: Histories,
    now: float,
) -> tuple[list[Record], int | None]:
    """Return everything as JSON, in any order, and what `last_of` says of the runs.

    `present`: the overview of these workspaces; `tasks`: all of them.
    """
    going = going_on(present)
    ended = [entry for root in roots for entry in _of_sessions(root, histories, going)]
    runs = store.runs(round(now * 1000), limit=MOST_RUNS) if store else []
    return combined(present, ended, runs, tasks, now), last_of(runs)


def last_of(runs: list[RunRecord]) -> int | None:
    """Return how many runs were read where there may be more of them; None if these are all."""
    return MOST_RUNS if len(runs) >= MOST_RUNS else None


def combined(
    present: Mapping[str, list[Record]],
    passages: Iterable[Record],
    runs: Iterable[RunRecord],
    tasks: Iterable[Record],
    now: float,
) -> list[Record]:
    """Return everything as JSON, in any order. `passages`: those of modes that do not go on."""
    active = [(entry, group) for group in ACTIVE for entry in present[group] if entry["kind"] == MODE]
    found = [_of_active(entry, group) for entry, group in active]
    found += passages
    found += [_of_run(run, now) for run in runs]
    found += [_of_task(task) for task in tasks]
    return found


Going = set[tuple[str, str | None, str]]


def going_on(present: Mapping[str, list[Record]]) -> Going:
    """Return what identifies the modes that go on or wait, by project, session and name."""
    active = (entry for group in ACTIVE for entry in present[group] if entry["kind"] == MODE)
    return {(entry["project"], entry["session"], entry["name"]) for entry in active}


def _of_sessions(root: str, histories: Histories, going: Going) -> Iterable[Record]:
    for session, told, client, is_last in of_root(root, histories):
        if is_last and told["outcome"] is None and (root, session, told["mode"]) in going:
            continue
        yield of_passage(root, session, told, client, is_last=is_last)


def _entry(kind: str, name: str, title: str, project: str, state: str, **fields: object) -> Record:
    base: Record = {
        "kind": kind, "name": name, "title": title, "has_title": True, "project": project, "state": state,
        "outcome": None, "early": False, "phase": None, "session": None, "id": None, "client": None, "started_at": None,
        "last_at": None, "seconds": None, "says": None, "verdict": None, "page": None,
    }  # fmt: skip
    entry = base | fields
    begun, ended = seconds(entry["started_at"] or ""), seconds(entry["last_at"] or "")
    if entry["seconds"] is None and begun is not None and ended is not None:
        entry["seconds"] = round(max(0.0, ended - begun), 3)
    return entry


def _of_active(entry: Record, group: str) -> Record:
    state = entry["quiet"] or group
    return _entry(
        MODE, entry["name"], entry["title"], entry["project"], state, has_title=entry["has_title"],
        phase=entry["phase"], session=entry["session"], client=entry["client"],
        started_at=entry["started_at"] or entry["since"], last_at=entry["last_at"] or entry["since"],
        says=_beyond_phase(entry), page=entry["page"],
    )  # fmt: skip


def _beyond_phase(entry: Record) -> str | None:
    """Return what is said of an active mode beyond its phase, which each entry has anyway; None if that is all."""
    return entry["detail"].removeprefix(f"phase {entry['phase']}").lstrip(",; ") or None


def of_passage(root: str, session: str, run: Record, client: str | None, *, is_last: bool) -> Record:
    """Return a passage of a mode as an entry. `is_last`: whether no other run of the mode has followed it."""
    title, has_title = title_of(run["mode"], session, run["title"])
    state = OF_OUTCOME.get(run["outcome"], SKIPPED) if run["outcome"] else UNKNOWN
    where: Record = {"project": root, "session": session} | ({} if is_last else {"run": run["n"]})
    return _entry(
        MODE, clean(run["mode"]), title, root, state, has_title=has_title, outcome=run["outcome"], early=run["early"],
        phase=run["phase"], session=session, client=client, started_at=run["started_at"], last_at=run["last_at"],
        says=run["reason"] or None, verdict=run["verdict"],
        page=f"/modes/{quote(run['mode'], safe='')}?{urlencode(where)}",
    )  # fmt: skip


def _of_run(run: RunRecord, now: float) -> Record:
    title = clean(run.feature, TITLE_LENGTH)
    return _entry(
        RUN, clean(run.workflow) or "run", title or clean(run.workflow), run.project,
        shown_status(run.status, run.last_ms, round(now * 1000)), has_title=bool(title),
        phase=place_words(run.current_steps) or None,
        id=run.run_id, session=run.session, client=TITLES.get(run.client or ""), started_at=run.started_at,
        last_at=run.last_at,
        page=f"/runs/{quote(run.run_id, safe='')}" if run.file else None,
    )  # fmt: skip


def _of_task(task: Record) -> Record:
    state = COMPLETED if task["done"] else FAILED if task["problem"] else "waiting" if waits(task) else OPEN
    return _entry(
        TASK, task["task_id"], task["task_id"], task["root"], state, phase=task["phase"], id=task["task_id"],
        started_at=task["created_at"], last_at=task["updated_at"], says=task["problem"],
        verdict=task["proof"]["verdict"] if task["proof"] else None,
        page=f"/tasks?{urlencode({'project': task['root']})}#{quote(task['task_id'], safe='')}",
    )  # fmt: skip


def page_of(found: list[Record], wanted: EntryQuery, limit: int) -> Record:
    """Return the first entries that are wanted as JSON, with how many there are of each state and in all."""
    words = wanted.words.casefold().split()
    fitting = [
        entry
        for entry in found
        if wanted.kind in (None, entry["kind"])
        and wanted.project in (None, entry["project"])
        and (not words or _has(entry, words))
    ]
    totals = {state: count for state in STATES if (count := sum(entry["state"] == state for entry in fitting))}
    fitting = [entry for entry in fitting if wanted.state in (None, entry["state"])]
    fitting.sort(key=_order(wanted.sort), reverse=wanted.sort in ("last", "started", "lasted"))
    shown = fitting[:limit]
    ids = [str(entry["id"] or entry["session"] or "") for entry in shown if entry["kind"] != TASK]
    length = telling_length(each for each in ids if len(each) >= LONG_ID)
    return {
        "entries": [
            entry | {"short": short(str(entry["id"] or entry["session"] or ""), length), "key": key_of(entry)}
            for entry in shown
        ],
        "total": len(fitting),
        "totals": totals,
    }


def key_of(entry: Record) -> str:
    """Return what identifies an entry among all others."""
    return ":".join(str(entry[name] or "") for name in ("kind", "project", "session", "id", "name", "started_at"))


SEARCHED = ("title", "name", "id", "session", "project", "state", "outcome", "phase", "client", "says", "verdict")


def _has(entry: Record, words: list[str]) -> bool:
    text = "\n".join([*(str(entry[name]) for name in SEARCHED if entry[name]), *(["early"] if entry["early"] else [])])
    text = text.casefold()
    return all(word in text for word in words)


def _order(sort: str) -> Any:
    orders: dict[str, Any] = {
        "last": lambda entry: entry["last_at"] or "",
        "started": lambda entry: entry["started_at"] or "",
        "lasted": lambda entry: entry["seconds"] or 0.0,
        "title": lambda entry: (entry["title"].casefold(), entry["last_at"] or ""),
        "state": lambda entry: (STATES.index(entry["state"]) if entry["state"] in STATES else len(STATES),
                                entry["title"].casefold()),
    }  # fmt: skip
    return orders[sort]
