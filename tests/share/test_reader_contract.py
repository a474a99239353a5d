"""What every store of runs does when it is read: the same claims held by SQLite and by the shared database.

The claims are those of tests/runs/test_store_contract.py; here the rows are written from outside, as a machine does.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from rcs_hooks.runs.records import ArtifactRecord, NewEvent, RunFilter, RunRecord, StepRecord
from rcs_hooks.runs.sqlite_store import open_readonly, open_readwrite
from rcs_hooks.runs.store import RunStore
from rcs_hooks.share import connecting
from rcs_hooks.share.reader import PostgresStore
from tests.share.conftest import Database
from tests.share.machine_rows import Rows

MOMENT = "2026-01-01T00:00:00.000Z"
RUN = RunRecord(
    id=0, run_id="r1", workflow="build", project="/p", feature=None, file=None, status="running", current=None,
    events=0, artifacts=0, started_at=MOMENT, last_at=MOMENT, last_ms=1_000, last_event=0, ended=None,
)  # fmt: skip
EVENT = NewEvent(1, MOMENT, "status_change", "design", None, "running", "{}", automatic=False)
HOUR_MS = 60 * 60 * 1000
DAY_MS = 24 * HOUR_MS


class SqliteWorld:
    """A file, written through one connection and read through another."""

    def __init__(self, tmp_path: Path) -> None:
        self.path = str(tmp_path / "runs.db")
        self._writer = open_readwrite(self.path)
        found = open_readonly(self.path)
        assert found
        self.store: RunStore = found

    def added(self, run_id: str, *events: NewEvent, project: str = "/p", **fields: Any) -> RunRecord:
        run = RUN._replace(run_id=run_id, project=project, **fields)
        with self._writer.write_transaction():
            run = run._replace(id=self._writer.add_run(run))
            for event in events or (EVENT,):
                run = run._replace(events=event.seq, last_event=self._writer.add_event(run.id, event))
            self._writer.update_run(run)
        return run

    def more(self, run: RunRecord, event: NewEvent) -> RunRecord:
        with self._writer.write_transaction():
            run = run._replace(events=event.seq, last_event=self._writer.add_event(run.id, event))
            self._writer.update_run(run)
        return run

    def step(self, run: RunRecord, step: StepRecord) -> None:
        with self._writer.write_transaction():
            self._writer.put_step(run.id, step)

    def artifact(self, run: RunRecord, artifact: ArtifactRecord) -> None:
        with self._writer.write_transaction():
            self._writer.put_artifact(run.id, artifact)

    def close(self) -> None:
        self.store.close()
        self._writer.close()


class SharedWorld:
    """The shared database: one machine for each project, written as their writers do, and read as `rcs_reader`."""

    def __init__(self, database: Database) -> None:
        self._sql = database.connect()
        self._machines: dict[str, Rows] = {}
        reader = database.role("looks", "rcs_reader")
        self.store: RunStore = PostgresStore(lambda: connecting.open_link(database.address_of(reader)))

    def _rows(self, project: str) -> Rows:
        name = project.strip("/")
        if name not in self._machines:
            self._machines[name] = Rows(self._sql, f"m{name}", "ann", name)
        return self._machines[name]

    def added(self, run_id: str, *events: NewEvent, project: str = "/p", **fields: Any) -> RunRecord:
        return self._rows(project).run(RUN._replace(run_id=run_id, **fields), *(events or (EVENT,)))

    def more(self, run: RunRecord, event: NewEvent) -> RunRecord:
        rows = self._rows(run.project.rpartition("/")[2])
        return rows.run(run._replace(id=run.id % 2**48, run_id=run.run_id.partition("@")[0]), event)

    def step(self, run: RunRecord, step: StepRecord) -> None:
        self._rows(run.project.rpartition("/")[2]).step(run, step)

    def artifact(self, run: RunRecord, artifact: ArtifactRecord) -> None:
        self._rows(run.project.rpartition("/")[2]).artifact(run, artifact)

    def close(self) -> None:
        self.store.close()
        self._sql.close()


World = SqliteWorld | SharedWorld


@pytest.fixture(params=["sqlite", "postgresql"])
def world(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[World]:
    is_file = request.param == "sqlite"
    made: World = SqliteWorld(tmp_path) if is_file else SharedWorld(request.getfixturevalue("database"))
    yield made
    made.close()


def test_a_run_is_read_by_its_id(world: World) -> None:
    run = world.added("r1")
    assert world.store.run(run.run_id) == run
    assert world.store.run("r2") is None
    assert world.store.run("") is None


def test_a_read_transaction_shows_one_moment(world: World) -> None:
    world.added("r1")
    with world.store.read_transaction():
        assert len(world.store.runs(0)) == 1
        world.added("r2")
        assert len(world.store.runs(0)) == 1
    assert len(world.store.runs(0)) == 2


def test_the_change_token_tells_of_the_writes_of_others_and_of_nothing_else(world: World) -> None:
    world.added("r1")
    token = world.store.change_token()
    assert world.store.change_token() == token
    world.store.runs(0)
    assert world.store.change_token() == token
    world.added("r2")
    assert world.store.change_token() != token
    assert not world.store.is_replaced()


def test_runs_come_with_the_newest_event_first_and_page_by_page(world: World) -> None:
    runs = [world.added(f"r{number}") for number in range(5)]
    assert world.store.runs(0) == runs[::-1]
    assert world.store.runs(0, limit=2) == [runs[4], runs[3]]
    assert world.store.runs(0, before=runs[3].last_event, limit=2) == [runs[2], runs[1]]


def test_every_filter_leaves_out_what_it_names(world: World) -> None:
    first = world.added("r1", project="/a", feature="login", last_ms=1_000)
    second = world.added("r2", workflow="fork", status="failed", last_ms=2_000)
    wanted = {
        RunFilter(project=first.project): [first],
        RunFilter(workflow="fork"): [second],
        RunFilter(status="failed"): [second],
        RunFilter(status="running"): [first],
        RunFilter(feature="login"): [first],
        RunFilter(since_ms=2_000): [second],
        RunFilter(until_ms=2_000): [first],
        RunFilter(project=first.project, status="failed"): [],
        RunFilter(project="/nowhere"): [],
    }
    assert {filters: world.store.runs(3_000, filters) for filters in wanted} == wanted


def test_a_run_that_was_silent_for_an_hour_is_stalled_and_nothing_else(world: World) -> None:
    silent, waits = world.added("r1"), world.added("r2", status="waiting")
    now = 1_000 + HOUR_MS
    assert world.store.runs(now, RunFilter(status="stalled")) == [silent]
    assert world.store.runs(now, RunFilter(status="running")) == []
    assert world.store.runs(now, RunFilter(status="waiting")) == [waits]
    assert world.store.runs(now - 1, RunFilter(status="stalled")) == []
    assert world.store.runs(now - 1, RunFilter(status="running")) == [silent]
    assert world.store.runs(1_000 + DAY_MS, RunFilter(status="stalled")) == []


def test_a_run_that_was_silent_for_a_day_is_inactive_and_nothing_else(world: World) -> None:
    silent, over = world.added("r1"), world.added("r2", status="completed")
    now = 1_000 + DAY_MS
    assert world.store.runs(now, RunFilter(status="inactive")) == [silent]
    assert world.store.runs(now, RunFilter(status="running")) == []
    assert world.store.runs(now, RunFilter(status="completed")) == [over]
    assert world.store.runs(now - 1, RunFilter(status="stalled")) == [silent]


COUNTED = [
    (1_000, RunFilter(), 9, {"running": 2, "failed": 1}),
    (1_000 + HOUR_MS, RunFilter(), 9, {"stalled": 1, "running": 1, "failed": 1}),
    (1_000 + DAY_MS, RunFilter(), 9, {"inactive": 1, "stalled": 1, "failed": 1}),
    (1_000, RunFilter(workflow="fork"), 9, {"failed": 1}),
    (1_000, RunFilter(since_ms=2_000), 9, {"running": 1}),
    (1_000, RunFilter(), 2, {"running": 1, "failed": 1}),
    (1_000, RunFilter(workflow="none"), 9, {}),
]


def test_runs_with_a_machine_are_counted_by_the_status_that_people_see(world: World) -> None:
    world.added("r1", file="rcs:build")
    world.added("r2", file="rcs:build", status="failed", workflow="fork")
    world.added("r3", file="rcs:build", last_ms=1_000 + HOUR_MS)
    world.added("r4")
    for now, filters, most, counts in COUNTED:
        assert world.store.counts(now, filters, most=most) == counts


def test_steps_are_those_of_a_run(world: World) -> None:
    run = world.added("r1")
    whole = StepRecord("design", "T1", "builder", "build", "completed", 1, 2, 3, "a", "b", None, 40)
    world.step(run, StepRecord("design", "T2", open_ms=5))
    world.step(run, whole)
    assert sorted(world.store.steps(run.id)) == [whole, StepRecord("design", "T2", open_ms=5)]
    assert world.store.steps(run.id + 1) == []


def test_events_are_read_of_one_run_or_of_all_and_from_anywhere_on(world: World) -> None:
    first, second = world.added("r1"), world.added("r2", workflow="fork", project="/a")
    before = first.last_event
    first = world.more(first, EVENT._replace(seq=2, unit="T1", automatic=True))
    assert [(event.id, event.seq) for event in world.store.events(first.id)] == [(before, 1), (first.last_event, 2)]
    assert [event.seq for event in world.store.events(first.id, after=1)] == [2]
    assert [event.seq for event in world.store.events(first.id, limit=1)] == [1]
    every = [first.run_id, second.run_id, first.run_id]
    assert [event.run_id for event in world.store.events_after(0)] == every
    assert [event.run_id for event in world.store.events_after(before, limit=1)] == [second.run_id]
    assert [event.run_id for event in world.store.events_after(0, workflow="fork")] == [second.run_id]
    assert [event.run_id for event in world.store.events_after(0, project=second.project)] == [second.run_id]
    event = world.store.events_after(second.last_event)[0]
    told = (*EVENT._replace(seq=2, unit="T1", automatic=True), first.run_id, "build", first.project)
    assert event[1:] == told
    assert event.automatic is True


def test_events_of_one_batch_have_ids_in_their_order_and_pages_miss_none(world: World) -> None:
    events = [EVENT._replace(seq=number) for number in range(1, 41)]
    run = world.added("r1", *events)
    others = [world.added(f"r{number}", project="/a") for number in range(2, 40)]
    ids = [event.id for event in world.store.events(run.id)]
    assert ids == sorted(set(ids))
    assert ids[-1] == run.last_event
    seen: list[tuple[str, int]] = []
    at = 0
    while page := world.store.events_after(at, limit=7):
        seen += [(event.run_id, event.seq) for event in page]
        at = page[-1].id
    assert seen == [(run.run_id, seq) for seq in range(1, 41)] + [(each.run_id, 1) for each in others]
    assert at == others[-1].last_event


def test_artifacts_are_those_of_a_run_the_last_at_the_end(world: World) -> None:
    run = world.added("r1")
    artifact = ArtifactRecord("a.md", None, None, "design", True, MOMENT, 3)
    world.artifact(run, artifact)
    world.artifact(run, artifact._replace(path="b.md", subflow=False, seq=2))
    assert world.store.artifacts(run.id) == [artifact._replace(path="b.md", subflow=False, seq=2), artifact]
