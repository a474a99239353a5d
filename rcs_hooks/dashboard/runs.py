"""Runs as the dashboard shows them: those whose workflow has a state machine. Asked in the reader's thread."""

from __future__ import annotations

import os
from collections import deque
from typing import TYPE_CHECKING, Any

from rcs_hooks.dashboard import picture
from rcs_hooks.errors import Refused
from rcs_hooks.runs import reading
from rcs_hooks.runs.ledger import end as end_run
from rcs_hooks.state.clock import seconds

if TYPE_CHECKING:
    from rcs_hooks.dashboard.reader import Kept
    from rcs_hooks.dashboard.ways import Ways

Record = dict[str, Any]

PAGE = 200
TAIL = 200
"""Of the events of a run, where none are asked for."""
LARGEST = 4 * 1024 * 1024
"""Characters of the data of events in one answer; of a single event it is as much as was taken."""
GOES_ON = ("running", "waiting")


class Missing(Refused):
    """Raised when what was asked for is not there."""


def head(kept: Kept) -> int:
    """The id of the newest event; 0 where there is none."""
    newest = kept.runs(0, limit=1) if kept else []
    return int(newest[0]["last_event"]) if newest else 0


def listed(kept: Kept, now_ms: int, *, limit: int, before: int | None = None, **asked: Any) -> Record:
    """A page of those that have a machine."""
    found: list[Record] = []
    while len(found) <= limit:
        page = reading.listed(kept, now_ms, limit=max(PAGE, limit), before=before, **asked)
        found += [run for run in page["runs"] if run["machine"]]
        before = page["next"]
        if before is None:
            break
    following = found[limit - 1]["last_event"] if len(found) > limit else None
    return {"runs": found[:limit], "next": following}


def one(kept: Kept, run_id: str) -> Record:
    """Its own row. Raises Missing."""
    run = kept.run(run_id) if kept else None
    if run is None:
        raise Missing(f"there is no run {run_id[:128]!r}; it may have been pruned")
    if not run["file"]:
        raise Missing(f"run {run_id!r} has no state machine, so it is not shown here; `rcs runs show {run_id}` does")
    return run


def whole(
    kept: Kept,
    run_id: str,
    now_ms: int,
    machines: picture.Machines,
    ways: Ways,
    *,
    after: int | None = None,
    limit: int = 500,
) -> Record:
    """Raises Missing."""
    run = one(kept, run_id)
    machine, problem = machines.of(run)
    found = reading.whole(kept, run_id, now_ms, limit=0, machine=machine)
    del found["steps"]
    found["timeline"] = [{"agent": None, "parent": None} | step for step in found["timeline"]]
    until = now_ms / 1000 if found["status"] in GOES_ON else _moment(found["last_at"])
    graph: Record = {"svg": None, "problem": problem}
    way = ways.of(run, machine, lambda seen: kept.events(run["id"], after=seen) if kept else ())
    if machine:
        graph = picture.drawn(machine, way.pairs(is_over=run["status"] == "completed"), run["current"])
    return (
        found
        | _page(kept, run, after, limit)
        | {"seconds": round(max(0.0, until - _moment(found["started_at"])), 3)}
        | {"visits": [dict(stay) for stay in way.stays], "graph": graph}
    )


def events(kept: Kept, run_id: str, *, after: int | None = None, limit: int = 500) -> Record:
    """Raises Missing."""
    return {"run_id": run_id} | _page(kept, one(kept, run_id), after, limit)


def _page(kept: Kept, run: Record, after: int | None, limit: int) -> Record:
    """The next ones behind a sequence, or the last ones where none is named; never more than an answer should hold."""
    start, size = (max(0, run["events"] - TAIL), TAIL) if after is None else (after, limit)
    found: deque[Record] = deque()
    room = LARGEST
    for event in kept.events(run["id"], after=start, limit=size) if kept else ():
        room -= len(event["data"])
        if room < 0 and found and after is not None:
            break
        found.append(event)
        while room < 0 and len(found) > 1:
            room += len(found.popleft()["data"])
    start = found[0]["seq"] - 1 if found and after is None else start
    more = bool(found) and found[-1]["seq"] < run["events"]
    return {"events": [reading.event_of(event) for event in found], "after": start, "more": more}


def artifact(kept: Kept, run_id: str, path: str) -> tuple[str, Record]:
    """The folder of the project, and what was registered. Raises Missing."""
    run = one(kept, run_id)
    known = kept.artifacts(run["id"]) if kept else []
    found = next((each for each in known if each["path"] == path), None)
    if found is None:
        raise Missing(f"run {run_id!r} has registered no artifact {path[:200]!r}")
    return run["project"], found


def _moment(text: str) -> float:
    return seconds(text) or 0.0


def end(kept: Kept, run_id: str, status: str, now: float) -> Record:
    """As `rcs runs end` does. Raises Missing."""
    one(kept, run_id)
    if kept is None:
        return {}
    with kept:
        run = one(kept, run_id)
        steps = end_run(kept, run, status, now)
    return {"ended": True, "run_id": run_id, "status": status, "seq": run["events"], "steps": steps}


class Known:
    """What the runs can be filtered by, and the projects that they are of; kept, and brought up by what is new."""

    def __init__(self) -> None:
        self._seen = 0
        self.projects: set[str] = set()
        """Of all runs."""
        self._shown_projects: set[str] = set()
        self._workflows: set[str] = set()

    def forget(self) -> None:
        """To be read anew: runs were deleted, or the store is another one."""
        self._seen = 0
        for each in (self.projects, self._shown_projects, self._workflows):
            each.clear()

    def bring_up(self, kept: Kept) -> None:
        newest, before = self._seen, None
        while kept is not None:
            page = kept.runs(0, before=before, limit=PAGE)
            for run in page:
                if run["last_event"] <= self._seen:
                    break
                self._take(run)
                newest = max(newest, run["last_event"])
            else:
                if len(page) == PAGE:
                    before = page[-1]["last_event"]
                    continue
            break
        self._seen = newest

    def _take(self, run: Record) -> None:
        self.projects.add(run["project"])
        if run["file"]:
            self._shown_projects.add(run["project"])
            self._workflows.add(run["workflow"])

    def filters(self) -> Record:
        return {"projects": sorted(self._shown_projects), "workflows": sorted(self._workflows)}

    def workspaces(self, start: str) -> list[str]:
        """The one that the server was started in, and those of runs that are still there and keep something."""
        there = [root for root in self.projects if root != start and os.path.isdir(os.path.join(root, ".rcs"))]
        return [start, *sorted(there)]
