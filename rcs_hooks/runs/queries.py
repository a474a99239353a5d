"""The questions that people and programs ask the store: lists of runs, one run as a whole, all events, old runs."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from rcs_hooks import jsontext
from rcs_hooks.client_names import TITLES
from rcs_hooks.errors import Refused
from rcs_hooks.runs import timeline
from rcs_hooks.runs.progress import IDLE
from rcs_hooks.runs.records import ALL_RUNS, COMPLETED, FAILED, RUNNING, SKIPPED, WAITING, RunFilter
from rcs_hooks.workflow.silence import INACTIVE, STALLED, shown_status

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rcs_hooks.jsontext import JsonObject
    from rcs_hooks.machine.graph import Machine
    from rcs_hooks.runs.records import ArtifactRecord, EventRecord, RunRecord
    from rcs_hooks.runs.sqlite_store import SqliteStore
    from rcs_hooks.runs.store import RunStore

RUN_STATUSES = (RUNNING, WAITING, STALLED, FAILED, COMPLETED, SKIPPED, IDLE, INACTIVE)
"""The statuses that people see, and that a list can be asked for."""
UNITS = {"m": 60_000, "h": 3_600_000, "d": 86_400_000, "w": 7 * 86_400_000}
PAGE = 100
"""How many events are read at once; each can be as large as an emit may bring."""
MOST_STEPS = 2
"""How many of the steps where a run is are named in a list."""
DELETED_AT_ONCE = 50
"""How many runs are deleted in one transaction, so that nobody who emits meanwhile waits for long."""
HIDDEN = ("id", "last_ms", "ended", "open_steps")
OTHER_NAMES = {"file": "machine", "events": "event_count", "artifacts": "artifact_count"}


def milliseconds(text: str) -> int:
    """Convert a length of time such as `45m`, `12h`, `30d` or `2w`. Raises Refused for other text."""
    number, unit = text[:-1], text[-1:]
    if not (number.isascii() and number.isdigit() and unit in UNITS and len(number) <= 6):
        raise Refused(f"{text!r} is not a length of time; write 45m, 12h, 30d or 2w")
    return int(number) * UNITS[unit]


def check_status(status: str | None) -> None:
    """Raise Refused for a status that no run can have; None passes."""
    if status is not None and status not in RUN_STATUSES:
        raise Refused(f"status {status!r} is not known; it is one of {', '.join(RUN_STATUSES)}")


def list_runs(
    store: RunStore | None,
    now_ms: int,
    filters: RunFilter = ALL_RUNS,
    *,
    before: int | None = None,
    limit: int = 50,
) -> JsonObject:
    """Return a page of runs as JSON. Its `next` is the `before` of the next page; None on the last page."""
    check_status(filters.status)
    found = store.runs(now_ms, filters, before=before, limit=limit + 1) if store else []
    page = found[:limit]
    following = page[-1].last_event if len(found) > limit and page else None
    return {"runs": [run_as_json(run, now_ms) for run in page], "next": following}


def run_as_json(run: RunRecord, now_ms: int) -> JsonObject:
    """Return a run as JSON, without the fields that only the store needs."""
    shown = {OTHER_NAMES.get(name, name): value for name, value in run._asdict().items() if name not in HIDDEN}
    status = shown_status(run.status, run.last_ms, now_ms)
    return shown | {"status": status, "current_steps": run.current_steps, "client": TITLES.get(run.client or "")}


def place_words(steps: Sequence[str]) -> str:
    """Return where a run is, in words: `a`, or `a, b and 2 more`; empty if it is nowhere."""
    more = len(steps) - MOST_STEPS
    return ", ".join(steps[:MOST_STEPS]) + (f" and {more} more" if more > 0 else "")


def event_as_json(event: EventRecord) -> JsonObject:
    """Return an event as JSON. Data that is not JSON is returned under the key `unreadable`."""
    try:
        data = jsontext.loads(event.data)
    except (ValueError, TypeError):
        data = {"unreadable": str(event.data)[:200]}
    return event._asdict() | {"data": data}


def find_run(store: RunStore | None, run_id: str) -> RunRecord:
    """Return the run with an id. Raises Refused if there is none."""
    run = store.run(run_id) if store else None
    if run is None:
        raise Refused(f"there is no run {run_id!r}; `rcs runs list` shows those that are")
    return run


def show_run(
    store: RunStore | None,
    run_id: str,
    now_ms: int,
    *,
    after: int = 0,
    last: int | None = None,
    limit: int | None = None,
    machine: Machine | None = None,
) -> JsonObject:
    """Return a run as JSON, all read at one moment: its steps, its timeline, its artifacts and its events.

    `timeline` has the order of the machine. The events are those above the sequence `after`: only the `last` ones of
    these, or the first `limit`. Raises Refused if there is no such run.
    """
    find_run(store, run_id)
    if store is None:
        return {}
    with store.read_transaction():
        run = find_run(store, run_id)
        artifacts = store.artifacts(run.id)
        steps = store.steps(run.id)
        if last is not None:
            after = max(after, run.events - last)
        events = list(store.events(run.id, after=after, limit=limit))
        return run_as_json(run, now_ms) | {
            "steps": timeline.flat(steps, now_ms),
            "timeline": timeline.nested(steps, now_ms, machine),
            "artifacts": [_artifact_as_json(artifact, run.project) for artifact in artifacts],
            "events": list(map(event_as_json, events)),
        }


def _artifact_as_json(artifact: ArtifactRecord, project: str) -> JsonObject:
    return artifact._asdict() | {"missing": not os.path.exists(os.path.join(project, artifact.path))}


def export(
    store: RunStore | None,
    *,
    run_id: str | None = None,
    after: int = 0,
    workflow: str | None = None,
    project: str | None = None,
) -> Iterator[JsonObject]:
    """Yield every event with an id above `after` as JSON, read in pages to save memory and to keep no writer waiting.

    `run_id`, `workflow` and `project` select events. Raises Refused if there is no run `run_id`.
    """
    if run_id is not None:
        run = find_run(store, run_id)
        if workflow in (None, run.workflow) and project in (None, run.project):
            yield from (event_as_json(event) for event in _events_of_run(store, run) if event.id > after)
        return
    while store is not None and (page := store.events_after(after, workflow=workflow, project=project, limit=PAGE)):
        yield from map(event_as_json, page)
        after = page[-1].id


def _events_of_run(store: RunStore | None, run: RunRecord) -> Iterator[EventRecord]:
    after = 0
    while store is not None and (page := list(store.events(run.id, after=after, limit=PAGE))):
        yield from page
        after = page[-1].seq


def prunable_runs(
    store: RunStore | None, now_ms: int, older_than: str, filters: RunFilter = ALL_RUNS
) -> list[RunRecord]:
    """Return the runs without an event for the time `older_than`, such as `30d`.

    Raises Refused if that is no length of time, or the status in `filters` is not known.
    """
    check_status(filters.status)
    until = now_ms - milliseconds(older_than)
    return store.runs(now_ms, filters._replace(until_ms=until)) if store else []


def prune(store: SqliteStore | None, runs: list[RunRecord]) -> int:
    """Delete those of the given runs that have not changed since they were read, and return how many these are."""
    deleted = 0
    for start in range(0, len(runs), DELETED_AT_ONCE):
        if store is None:
            break
        with store.write_transaction():
            part = runs[start : start + DELETED_AT_ONCE]
            unchanged = [run.id for run in part if store.run(run.run_id) == run]
            store.delete(unchanged)
            deleted += len(unchanged)
    return deleted
