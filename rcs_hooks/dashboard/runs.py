"""Runs as the dashboard shows them, only those with a state machine. Called in the thread of the store."""

from __future__ import annotations

import os
from collections import Counter, deque
from typing import TYPE_CHECKING, Any

from rcs_hooks.dashboard import graphs, workers
from rcs_hooks.dashboard.attention import HISTORY_AFTER
from rcs_hooks.errors import Refused
from rcs_hooks.files.clock import seconds
from rcs_hooks.overview.reasons import reason_of
from rcs_hooks.runs import queries
from rcs_hooks.runs.queries import RUN_STATUSES
from rcs_hooks.runs.records import ALL_RUNS, COMPLETED, OPEN, RunFilter
from rcs_hooks.runs.update import end_run
from rcs_hooks.workflow.silence import STALLED, shown_status

if TYPE_CHECKING:
    from collections.abc import Callable

    from rcs_hooks.runs.records import ArtifactRecord, EventRecord, RunRecord
    from rcs_hooks.runs.sqlite_store import SqliteStore
    from rcs_hooks.runs.store import RunStore

Record = dict[str, Any]

PAGE = 200
TAIL = 200
"""How many of the last events of a run are shown, where nobody asks for others."""
GOES_ON = (*OPEN, STALLED)
"""The statuses of a run whose time counts on."""
NEEDS, MOST_WORKING = 100, 1000
LOOKED_AT = (
    ("waiting", NEEDS), ("failed", NEEDS), ("stalled", NEEDS), ("inactive", NEEDS), ("running", MOST_WORKING),
)  # fmt: skip
"""The statuses of runs that may need a person or work, and how many of each are looked at."""
LARGEST = 4 * 1024 * 1024
"""How many characters the data of the events in one answer may have; a single event may have more."""


class NotFound(Refused):
    """Raised when there is no such run or artifact."""

    code = "not_found"


def newest_event(store: RunStore | None) -> int:
    """Return the id of the newest event; 0 where there is none."""
    newest = store.runs(0, limit=1) if store else []
    return newest[0].last_event if newest else 0


def list_runs(
    store: RunStore | None, now_ms: int, filters: RunFilter = ALL_RUNS, *, limit: int, before: int | None = None
) -> Record:
    """Return a page of the runs that have a machine, as JSON; `next` is the `before` of the next page, or None."""
    found: list[Record] = []
    while len(found) <= limit:
        page: Record = queries.list_runs(store, now_ms, filters, limit=max(PAGE, limit), before=before)
        found += [run for run in page["runs"] if run["machine"]]
        before = page["next"]
        if before is None:
            break
    following = found[limit - 1]["last_event"] if len(found) > limit else None
    return {"runs": found[:limit], "next": following}


SORTS = ("last", "started", "lasted", "events", "name", "status")
MOST_SORTED = 5_000
"""How many runs are counted and sorted, those with the newest events."""


def totals(store: RunStore | None, now_ms: int, filters: RunFilter) -> Record:
    """Return how many runs with a machine there are of each status, whatever the status in the filters, as JSON.

    `last_runs` is how many were counted, where there may be more; otherwise None.
    """
    counts = store.counts(now_ms, filters._replace(status=None), most=MOST_SORTED) if store else {}
    totals = {status: counts[status] for status in RUN_STATUSES if status in counts}
    return {
        "total": totals.get(filters.status, 0) if filters.status else sum(totals.values()),
        "totals": totals,
        "last_runs": MOST_SORTED if sum(counts.values()) >= MOST_SORTED else None,
    }


def sorted_runs(store: RunStore | None, now_ms: int, filters: RunFilter, *, sort: str, limit: int) -> Record:
    """Return the first runs of a list in another order than that of `list_runs`; it has one page."""
    found = [run for run in (store.runs(now_ms, filters, limit=MOST_SORTED) if store else []) if run.file]
    orders: Record = {
        "last": lambda run: -run.last_event,
        "started": lambda run: (run.started_at, run.last_event),
        "lasted": lambda run: _time(run.started_at) - _time(run.last_at),
        "events": lambda run: -run.events,
        "name": lambda run: ((run.feature or run.workflow).casefold(), -run.last_event),
        "status": lambda run: RUN_STATUSES.index(shown_status(run.status, run.last_ms, now_ms)),
    }
    found.sort(key=orders[sort], reverse=sort == "started")
    return {"runs": [queries.run_as_json(run, now_ms) for run in found[:limit]], "next": None}


def needy(
    store: RunStore | None, now_ms: int, reason: Callable[[RunStore, RunRecord], str] = reason_of
) -> tuple[int, list[Record]]:
    """Return the id of the newest event, and the runs that may need a person, as JSON.

    Each has the status that it reported too, as `reported`: a run that waits may be inactive.
    """
    if store is None:
        return 0, []
    seq = newest_event(store)
    since = now_ms - round(HISTORY_AFTER * 1000)
    found = [
        run
        for status, limit in LOOKED_AT
        for run in store.runs(now_ms, RunFilter(status=status, since_ms=since), limit=limit)
        if run.file
    ]
    return seq, [
        queries.run_as_json(run, now_ms) | {"reported": run.status, "reason": reason(store, run)} for run in found
    ]


def find_run(store: RunStore | None, run_id: str) -> RunRecord:
    """Return a run that has a machine. Raises NotFound."""
    run = store.run(run_id) if store else None
    if run is None:
        raise NotFound(f"there is no run {run_id[:128]!r}; it may have been pruned")
    if not run.file:
        raise NotFound(f"run {run_id!r} has no state machine, so it is not shown here; `rcs runs show {run_id}` does")
    return run


def show_run(
    store: RunStore | None,
    run_id: str,
    now_ms: int,
    machines: graphs.Machines,
    paths: graphs.RunPathCache,
    *,
    after: int | None = None,
    limit: int = 500,
) -> Record:
    """Return a run as JSON, with its timeline, its graph and a page of its events. Raises NotFound.

    `after` and `limit` select the events; the last TAIL ones if `after` is None.
    """
    run = find_run(store, run_id)
    machine, problem = machines.of(run)
    status = shown_status(run.status, run.last_ms, now_ms)
    until_ms = now_ms if status in GOES_ON else run.last_ms
    shown: Record = queries.show_run(store, run_id, until_ms, limit=0, machine=machine)
    shown["status"] = shown_status(run.status, run.last_ms, now_ms)
    del shown["steps"]
    over_at = None if status in GOES_ON else shown["last_at"]
    graph: Record = {"svg": None, "problem": problem}
    path = paths.of(run, machine, lambda seen: store.events(run.id, after=seen) if store else ())
    if machine:
        graph = graphs.draw(machine, path.edges(is_completed=run.status == COMPLETED), run.current)
    steps = [{"agent": None, "parent": None, "stays": []} | step for step in shown["timeline"]]
    shown["timeline"] = by_first_entry(workers.with_stays(steps, path, until_ms / 1000, over_at))
    return (
        shown
        | _event_page(store, run, after, limit)
        | {"seconds": round(max(0.0, until_ms / 1000 - _time(shown["started_at"])), 3)}
        | {"visits": [_until(visit.as_json(), over_at) for visit in path.visits], "graph": graph}
        | {"reason": (reason_of(store, run) if store else "") or None}
    )


def by_first_entry(steps: list[Record]) -> list[Record]:
    """Return the steps in the order in which they were entered first; those that are still to come come last."""
    return sorted(steps, key=lambda step: (step["step"] != "", step["started_at"] is None, step["started_at"] or ""))


def _until(visit: Record, over_at: str | None) -> Record:
    """Return a visit that ended with its run at the latest. `over_at`: when the run ended, if it has."""
    return visit if visit["ended_at"] or not over_at else visit | {"ended_at": over_at}


def list_events(store: RunStore | None, run_id: str, *, after: int | None = None, limit: int = 500) -> Record:
    """Return a page of the events of a run as JSON; the last TAIL ones if `after` is None. Raises NotFound."""
    return {"run_id": run_id} | _event_page(store, find_run(store, run_id), after, limit)


def _event_page(store: RunStore | None, run: RunRecord, after: int | None, limit: int) -> Record:
    """Return the first events above a sequence, or the last ones if it is None, at most as many as fit an answer."""
    start, size = (max(0, run.events - TAIL), TAIL) if after is None else (after, limit)
    found: deque[EventRecord] = deque()
    room = LARGEST
    for event in store.events(run.id, after=start, limit=size) if store else ():
        room -= len(event.data)
        if room < 0 and found and after is not None:
            break
        found.append(event)
        while room < 0 and len(found) > 1:
            room += len(found.popleft().data)
    start = found[0].seq - 1 if found and after is None else start
    more = bool(found) and found[-1].seq < run.events
    return {"events": [queries.event_as_json(event) for event in found], "after": start, "more": more}


def find_artifact(store: RunStore | None, run_id: str, path: str) -> tuple[str, ArtifactRecord]:
    """Return the project folder of a run, and the artifact registered under a path. Raises NotFound."""
    run = find_run(store, run_id)
    artifacts = store.artifacts(run.id) if store else []
    artifact = next((each for each in artifacts if each.path == path), None)
    if artifact is None:
        raise NotFound(f"run {run_id!r} has registered no artifact {path[:200]!r}")
    return run.project, artifact


def _time(text: str) -> float:
    return seconds(text) or 0.0


def end(store: SqliteStore, run_id: str, status: str, now: float) -> Record:
    """End a run as `rcs runs end` does. Raises NotFound and Refused."""
    with store.write_transaction():
        return end_run(store, find_run(store, run_id), status, now).as_json()


class RunIndex:
    """The projects and workflows of all runs, kept up to date by reading only runs that have changed."""

    def __init__(self) -> None:
        self._seen = 0
        self.projects: set[str] = set()
        """The projects of all runs, those without a machine too, and the workspaces of their sessions."""
        self._shown_projects: set[str] = set()
        self._workflows: set[str] = set()
        self._session_of: dict[str, tuple[str, str]] = {}
        self.of_sessions: Counter[tuple[str, str]] = Counter()
        """How many runs with a machine each session has reported last, by its workspace and its id."""

    def forget(self) -> None:
        """Drop everything known, because runs were deleted or the store is another one."""
        self._seen = 0
        for each in (self.projects, self._shown_projects, self._workflows, self._session_of, self.of_sessions):
            each.clear()

    def bring_up(self, store: RunStore | None) -> None:
        """Add the runs that have changed since the last call."""
        newest, before = self._seen, None
        while store is not None:
            page = store.runs(0, before=before, limit=PAGE)
            for run in page:
                if run.last_event <= self._seen:
                    break
                self._take(run)
                newest = max(newest, run.last_event)
            else:
                if len(page) == PAGE:
                    before = page[-1].last_event
                    continue
            break
        self._seen = newest

    def _take(self, run: RunRecord) -> None:
        self.projects.update(folder for folder in (run.project, run.workspace) if folder)
        if run.file:
            self._count_for_session(run)
            self._shown_projects.add(run.project)
            self._workflows.add(run.workflow)

    def _count_for_session(self, run: RunRecord) -> None:
        if not (run.session and run.workspace):
            return
        now, before = (run.workspace, run.session), self._session_of.get(run.run_id)
        if now != before:
            self._session_of[run.run_id] = now
            self.of_sessions[now] += 1
            if before:
                self.of_sessions[before] -= 1

    def filters(self) -> Record:
        """Return the projects and workflows that a list of runs can be filtered by, as JSON."""
        return {"projects": sorted(self._shown_projects), "workflows": sorted(self._workflows)}

    def workspaces(self, start: str) -> list[str]:
        """Return the folder `start`, and the projects of runs that still exist and hold a `.rcs` folder."""
        there = [root for root in self.projects if root != start and os.path.isdir(os.path.join(root, ".rcs"))]
        return [start, *sorted(there)]
