"""The store as people and programs ask it: lists of runs, one run whole, what may be pruned, all events."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from rcs_hooks import jsontext
from rcs_hooks.errors import Refused
from rcs_hooks.runs import timeline
from rcs_hooks.runs.progress import RUN_STATUSES, shown_status

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rcs_hooks.machine.graph import Machine
    from rcs_hooks.runs.store import Store

Record = dict[str, Any]

UNITS = {"m": 60_000, "h": 3_600_000, "d": 86_400_000, "w": 7 * 86_400_000}
PAGE = 100
"""Events that are read at once; one can be as large as an emit may bring."""
DELETED_AT_ONCE = 50
"""So that nobody who emits meanwhile waits for long."""


HIDDEN = ("id", "last_ms", "ended")
OTHER_NAMES = {"file": "machine", "events": "event_count", "artifacts": "artifact_count"}


def milliseconds(text: str) -> int:
    """Of `30d`, `12h`, `45m`, `2w`. Raises Refused."""
    number, unit = text[:-1], text[-1:]
    if not (number.isascii() and number.isdigit() and unit in UNITS and len(number) <= 6):
        raise Refused(f"{text!r} is no length of time; write 45m, 12h, 30d or 2w")
    return int(number) * UNITS[unit]


def checked_status(status: str | None) -> str | None:
    if status is not None and status not in RUN_STATUSES:
        raise Refused(f"status {status!r} is not known; it is one of {', '.join(RUN_STATUSES)}")
    return status


def listed(store: Store | None, now_ms: int, *, limit: int = 50, **asked: Any) -> Record:
    """`next`: give it as `before` to have the page behind this one."""
    checked_status(asked.get("status"))
    found = store.runs(now_ms, limit=limit + 1, **asked) if store else []
    page = found[:limit]
    following = page[-1]["last_event"] if len(found) > limit and page else None
    return {"runs": [run_of(run, now_ms) for run in page], "next": following}


def run_of(run: Record, now_ms: int) -> Record:
    """As it is shown; its database number and its clock are nobody's business."""
    shown = {OTHER_NAMES.get(name, name): value for name, value in run.items() if name not in HIDDEN}
    return shown | {"status": shown_status(run["status"], run["last_ms"], now_ms)}


def event_of(event: Record) -> Record:
    """One whose data was spoilt by another hand is shown as that, and hides no other."""
    try:
        data = jsontext.loads(event["data"])
    except (ValueError, TypeError):
        data = {"unreadable": str(event["data"])[:200]}
    return event | {"data": data}


def one(store: Store | None, run_id: str) -> Record:
    """Raises Refused."""
    run = store.run(run_id) if store else None
    if run is None:
        raise Refused(f"there is no run {run_id!r}; `rcs runs list` shows those that are")
    return run


def of_project(store: Store | None, name: str, project: str, now_ms: int) -> Record | None:
    """Find the run that a name means in a project; the last one of a task that another project has too.

    None where it means a run of another project. Raises Refused where there is none at all.
    """
    run = store.run(name) if store else None
    if store and (run is None or run["project"] != project):
        mine = (
            each for each in store.runs(now_ms, project=project, feature=name) if _is_numbered(each["run_id"], name)
        )
        return next(mine, None) or (None if run else one(store, name))
    return run or one(store, name)


def _is_numbered(run_id: str, name: str) -> bool:
    """Tell whether it is `NAME#2` or the like."""
    first, _, number = run_id.partition("#")
    return first == name and number.isdecimal()


def whole(
    store: Store | None,
    run_id: str,
    now_ms: int,
    *,
    after: int = 0,
    last: int | None = None,
    limit: int = -1,
    machine: Machine | None = None,
) -> Record:
    """A run with its steps (as they were heard of, and nested in the order of the machine), its artifacts, and its
    events behind a sequence, or the last of them. Raises Refused."""
    one(store, run_id)
    if store is None:
        return {}
    with store.at_one_moment():
        run = one(store, run_id)
        artifacts = store.artifacts(run["id"])
        rows = store.steps(run["id"])
        if last is not None:
            after = max(after, run["events"] - last)
        events = list(store.events(run["id"], after=after, limit=limit))
    return run_of(run, now_ms) | {
        "steps": timeline.flat(rows, now_ms),
        "timeline": timeline.nested(rows, now_ms, machine),
        "artifacts": [each | {"missing": _is_missing(run["project"], each["path"])} for each in artifacts],
        "events": list(map(event_of, events)),
    }


def _is_missing(project: str, path: str) -> bool:
    return not os.path.exists(os.path.join(project, path))


def exported(store: Store | None, *, run_id: str | None = None, after: int = 0, **asked: Any) -> Iterator[Record]:
    """Every event behind an id, page by page: it takes no room, and holds up nobody. Raises Refused."""
    if run_id is not None:
        run = one(store, run_id)
        if all(run[name] == value for name, value in asked.items()):
            yield from (event for event in _of_run(store, run) if event["id"] > after)
        return
    while store is not None and (page := store.events_after(after, limit=PAGE, **asked)):
        yield from map(event_of, page)
        after = page[-1]["id"]


def _of_run(store: Store | None, run: Record) -> Iterator[Record]:
    after = 0
    while store is not None and (page := list(store.events(run["id"], after=after, limit=PAGE))):
        yield from map(event_of, page)
        after = page[-1]["seq"]


def prunable(store: Store | None, now_ms: int, older_than: str, **asked: Any) -> list[Record]:
    """The runs of which nothing has been heard for so long."""
    checked_status(asked.get("status"))
    until = now_ms - milliseconds(older_than)
    return store.runs(now_ms, until_ms=until, limit=-1, **asked) if store else []


def prune(store: Store | None, runs: list[Record]) -> int:
    """Deletes those that have not moved since they were looked at; how many."""
    deleted = 0
    for start in range(0, len(runs), DELETED_AT_ONCE):
        if store is None:
            break
        with store:
            part = runs[start : start + DELETED_AT_ONCE]
            same = [run["id"] for run in part if store.run(run["run_id"]) == run]
            store.delete(same)
            deleted += len(same)
    return deleted
