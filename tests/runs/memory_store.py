"""A store of runs in the memory of this process, for `memory://NAME`: a second kind of store, for the contract tests.

It is what a new store has to be: one module with the functions of `Backend`, and a class with the methods of
`RunStore`. The rest of the package does not know of it.
"""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from rcs_hooks.runs.records import (
    ALL_RUNS,
    ArtifactRecord,
    EventRecord,
    NewEvent,
    RunFilter,
    RunRecord,
    StepRecord,
)
from rcs_hooks.workflow.silence import shown_status


class Tables:
    """All that one database holds."""

    def __init__(self) -> None:
        self.runs: dict[int, RunRecord] = {}
        self.steps: dict[tuple[int, str, str], StepRecord] = {}
        self.events: dict[int, tuple[int, NewEvent]] = {}
        self.artifacts: dict[tuple[int, str], ArtifactRecord] = {}
        self.last_run = 0
        self.last_event = 0


class Database:
    """A place for tables, which a write replaces as a whole."""

    def __init__(self) -> None:
        self.tables = Tables()
        self.writes = 0


DATABASES: dict[str, Database] = {}


class MemoryStore:
    """One connection to a database in memory."""

    def __init__(self, location: str) -> None:
        self._location = location
        self._database = DATABASES[location]
        self._own_writes = 0
        self._snapshot: Tables | None = None

    def close(self) -> None:
        self._snapshot = None

    @property
    def _tables(self) -> Tables:
        return self._snapshot or self._database.tables

    @contextmanager
    def read_transaction(self) -> Iterator[None]:
        self._snapshot = copy.deepcopy(self._database.tables)
        try:
            yield
        finally:
            self._snapshot = None

    @contextmanager
    def write_transaction(self) -> Iterator[None]:
        self._snapshot = copy.deepcopy(self._database.tables)
        try:
            yield
            self._database.tables = self._snapshot
            self._database.writes += 1
            self._own_writes += 1
        finally:
            self._snapshot = None

    def change_token(self) -> int:
        return self._database.writes - self._own_writes

    def is_replaced(self) -> bool:
        return DATABASES.get(self._location) is not self._database

    # --- reading

    def run(self, run_id: str) -> RunRecord | None:
        return next((run for run in self._tables.runs.values() if run.run_id == run_id), None)

    def runs(
        self, now_ms: int, filters: RunFilter = ALL_RUNS, *, before: int | None = None, limit: int | None = None
    ) -> list[RunRecord]:
        wanted = (filters.project, filters.workflow, filters.feature, filters.session)

        def matches(run: RunRecord) -> bool:
            has = (run.project, run.workflow, run.feature, run.session)
            return (
                all(value in (None, own) for value, own in zip(wanted, has, strict=True))
                and filters.status in (None, shown_status(run.status, run.last_ms, now_ms))
                and (filters.since_ms is None or run.last_ms >= filters.since_ms)
                and (filters.until_ms is None or run.last_ms < filters.until_ms)
                and (before is None or run.last_event < before)
            )

        found = sorted(filter(matches, self._tables.runs.values()), key=lambda run: -run.last_event)
        return found[:limit]

    def counts(self, now_ms: int, filters: RunFilter = ALL_RUNS, *, most: int) -> dict[str, int]:
        found = [run for run in self.runs(now_ms, filters) if run.file][:most]
        return dict(Counter(shown_status(run.status, run.last_ms, now_ms) for run in found))

    def steps(self, run: int) -> list[StepRecord]:
        return [step for (owner, *_), step in self._tables.steps.items() if owner == run]

    def events(self, run: int, *, after: int = 0, limit: int | None = None) -> Iterator[EventRecord]:
        found = [event for event in self._events() if self._tables.events[event.id][0] == run and event.seq > after]
        return iter(found[:limit])

    def events_after(
        self, event: int, *, workflow: str | None = None, project: str | None = None, limit: int = 1000
    ) -> list[EventRecord]:
        return [
            each
            for each in self._events()
            if each.id > event and workflow in (None, each.workflow) and project in (None, each.project)
        ][:limit]

    def _events(self) -> Iterator[EventRecord]:
        for number, (owner, event) in self._tables.events.items():
            run = self._tables.runs[owner]
            yield EventRecord(number, *event, run.run_id, run.workflow, run.project)

    def artifacts(self, run: int) -> list[ArtifactRecord]:
        found = [artifact for (owner, _), artifact in self._tables.artifacts.items() if owner == run]
        return sorted(found, key=lambda artifact: artifact.seq)

    # --- writing

    def add_run(self, run: RunRecord) -> int:
        self._tables.last_run += 1
        self._tables.runs[self._tables.last_run] = run._replace(id=self._tables.last_run)
        return self._tables.last_run

    def update_run(self, run: RunRecord) -> None:
        self._tables.runs[run.id] = run

    def add_event(self, run: int, event: NewEvent) -> int:
        self._tables.last_event += 1
        self._tables.events[self._tables.last_event] = (run, event)
        return self._tables.last_event

    def put_step(self, run: int, step: StepRecord) -> None:
        self._tables.steps[run, step.step, step.unit] = step

    def put_artifact(self, run: int, artifact: ArtifactRecord) -> int:
        self._tables.artifacts[run, artifact.path] = artifact
        return len(self.artifacts(run))

    def delete(self, runs: list[int]) -> None:
        tables = self._tables
        tables.runs = {number: run for number, run in tables.runs.items() if number not in runs}
        tables.steps = {key: step for key, step in tables.steps.items() if key[0] not in runs}
        tables.events = {number: event for number, event in tables.events.items() if event[0] not in runs}
        tables.artifacts = {key: artifact for key, artifact in tables.artifacts.items() if key[0] not in runs}


def exists(location: str) -> bool:
    return location in DATABASES


def open_readonly(location: str) -> MemoryStore | None:
    return MemoryStore(location) if exists(location) else None


def open_readwrite(location: str) -> MemoryStore:
    DATABASES.setdefault(location, Database())
    return MemoryStore(location)
