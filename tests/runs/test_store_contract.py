"""What the store of runs does."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from rcs_hooks.errors import Refused
from rcs_hooks.runs.records import ArtifactRecord, NewEvent, RunFilter, RunRecord, StepRecord
from rcs_hooks.runs.sqlite_store import SqliteStore, open_readonly, open_readwrite
from tests.table import each_row

RUN = RunRecord(
    id=0, run_id="r1", workflow="build", project="/p", feature=None, file=None, status="running", current=None,
    events=0, artifacts=0, started_at="2026-01-01T00:00:00.000Z", last_at="2026-01-01T00:00:00.000Z", last_ms=1_000,
    last_event=0, ended=None,
)  # fmt: skip
EVENT = NewEvent(1, "2026-01-01T00:00:00.000Z", "status_change", "design", None, "running", "{}", automatic=False)
HOUR_MS = 60 * 60 * 1000
DAY_MS = 24 * HOUR_MS


@pytest.fixture
def location(tmp_path: Path) -> str:
    """A place where nothing was stored yet."""
    return str(tmp_path / "runs.db")


@pytest.fixture
def store(location: str) -> Iterator[SqliteStore]:
    opened = open_readwrite(location)
    yield opened
    opened.close()


def added(store: SqliteStore, run_id: str, **fields: object) -> RunRecord:
    """Store a run with one event, and return it as it was stored."""
    run = RUN._replace(run_id=run_id, **fields)  # type: ignore[arg-type]  # fields of a run
    with store.write_transaction():
        run = run._replace(id=store.add_run(run))
        run = run._replace(events=1, last_event=store.add_event(run.id, EVENT))
        store.update_run(run)
    return run


# --- opening


def test_a_reader_makes_nothing(location: str) -> None:
    assert open_readonly(location) is None
    assert not os.path.exists(location)


# --- transactions


def test_a_write_that_fails_stores_nothing(store: SqliteStore) -> None:
    added(store, "r1")
    with pytest.raises(Refused), store.write_transaction():
        number = store.add_run(RUN._replace(run_id="r2"))
        store.add_event(number, EVENT)
        raise Refused("no")
    assert store.run("r2") is None
    assert len(store.events_after(0)) == 1


def test_a_read_transaction_shows_one_moment(location: str, store: SqliteStore) -> None:
    first = added(store, "r1")
    reader = open_readonly(location)
    assert reader is not None
    with reader.read_transaction():
        assert (reader.run("r1"), len(reader.runs(0))) == (first, 1)
        added(store, "r2")
        assert len(reader.runs(0)) == 1
    assert len(reader.runs(0)) == 2
    reader.close()


def test_the_change_token_tells_of_the_writes_of_others_and_of_nothing_else(location: str, store: SqliteStore) -> None:
    added(store, "r1")
    reader = open_readonly(location)
    assert reader is not None
    token = reader.change_token()
    assert reader.change_token() == token
    reader.runs(0)
    assert reader.change_token() == token
    added(store, "r2")
    assert reader.change_token() != token
    reader.close()


def test_a_store_notices_that_its_database_was_removed_or_replaced(location: str, store: SqliteStore) -> None:
    added(store, "r1")
    reader = open_readonly(location)
    assert reader is not None
    assert not reader.is_replaced()
    for suffix in ("", "-wal", "-shm"):
        Path(location + suffix).unlink(missing_ok=True)
    assert reader.is_replaced()
    open_readwrite(location).close()
    assert reader.is_replaced()
    reader.close()


# --- runs


def test_runs_come_with_the_newest_event_first_and_page_by_page(store: SqliteStore) -> None:
    runs = [added(store, f"r{number}") for number in range(5)]
    assert store.runs(0) == runs[::-1]
    assert store.runs(0, limit=2) == [runs[4], runs[3]]
    assert store.runs(0, before=runs[3].last_event, limit=2) == [runs[2], runs[1]]


def test_every_filter_leaves_out_what_it_names(store: SqliteStore) -> None:
    first = added(store, "r1", project="/a", feature="login", last_ms=1_000)
    second = added(store, "r2", workflow="fork", status="failed", last_ms=2_000, session="c1")
    wanted = {
        RunFilter(project="/a"): [first],
        RunFilter(workflow="fork"): [second],
        RunFilter(status="failed"): [second],
        RunFilter(status="running"): [first],
        RunFilter(feature="login"): [first],
        RunFilter(session="c1"): [second],
        RunFilter(since_ms=2_000): [second],
        RunFilter(until_ms=2_000): [first],
        RunFilter(project="/a", status="failed"): [],
    }
    assert {filters: store.runs(3_000, filters) for filters in wanted} == wanted


@each_row(("status", "silent_ms", "shown"), [
    ("running", HOUR_MS - 1, "running"), ("running", HOUR_MS, "stalled"), ("running", DAY_MS - 1, "stalled"),
    ("running", DAY_MS, "inactive"), ("waiting", HOUR_MS, "waiting"), ("completed", DAY_MS, "completed"),
])  # fmt: skip
def test_a_run_is_found_by_the_status_that_its_silence_makes(
    tmp_path: Path, status: str, silent_ms: int, shown: str
) -> None:
    store = open_readwrite(str(tmp_path / "runs.db"))
    run = added(store, "r1", status=status)
    words = ("running", "stalled", "inactive", "waiting", "completed")
    found = {word: store.runs(1_000 + silent_ms, RunFilter(status=word)) for word in words}
    assert found == {word: [run] if word == shown else [] for word in words}
    store.close()


def test_a_deleted_run_is_gone_with_its_events_and_its_ids_are_not_used_again(store: SqliteStore) -> None:
    first, second = added(store, "r1"), added(store, "r2")
    with store.write_transaction():
        store.put_step(second.id, StepRecord("design"))
        store.delete([second.id])
    assert store.runs(0) == [first]
    assert [event.run_id for event in store.events_after(0)] == ["r1"]
    assert added(store, "r3").last_event > second.last_event


# --- steps, events and artifacts


def test_a_step_replaces_the_one_of_the_same_unit(store: SqliteStore) -> None:
    run = added(store, "r1")
    whole = StepRecord("design", "T1", "builder", "build", "completed", 1, 2, 3, "a", "b", None, 40)
    with store.write_transaction():
        store.put_step(run.id, StepRecord("design", "T1"))
        store.put_step(run.id, StepRecord("design", "T2", open_ms=5))
        store.put_step(run.id, whole)
    assert sorted(store.steps(run.id)) == [whole, StepRecord("design", "T2", open_ms=5)]
    assert store.steps(run.id + 1) == []


def test_events_are_read_of_one_run_or_of_all_and_from_anywhere_on(store: SqliteStore) -> None:
    first, second = added(store, "r1"), added(store, "r2", workflow="fork", project="/a")
    with store.write_transaction():
        last = store.add_event(first.id, EVENT._replace(seq=2, unit="T1", automatic=True))
    assert [(event.id, event.seq) for event in store.events(first.id)] == [(first.last_event, 1), (last, 2)]
    assert [event.seq for event in store.events(first.id, after=1)] == [2]
    assert [event.seq for event in store.events(first.id, limit=1)] == [1]
    assert [event.run_id for event in store.events_after(0)] == ["r1", "r2", "r1"]
    assert [event.run_id for event in store.events_after(first.last_event, limit=1)] == ["r2"]
    assert [event.run_id for event in store.events_after(0, workflow="fork")] == ["r2"]
    assert [event.run_id for event in store.events_after(0, project="/a")] == ["r2"]
    event = store.events_after(second.last_event)[0]
    assert event[1:] == (*EVENT._replace(seq=2, unit="T1", automatic=True), "r1", "build", "/p")
    assert event.automatic is True


def test_an_artifact_is_stored_once_for_its_path(store: SqliteStore) -> None:
    run = added(store, "r1")
    artifact = ArtifactRecord("a.md", None, None, "design", False, "x", 1)
    with store.write_transaction():
        counts = [
            store.put_artifact(run.id, artifact),
            store.put_artifact(run.id, artifact._replace(path="b.md", seq=2)),
            store.put_artifact(run.id, artifact._replace(subflow=True, seq=3)),
        ]
    assert counts == [1, 2, 2]
    assert store.artifacts(run.id) == [artifact._replace(path="b.md", seq=2), artifact._replace(subflow=True, seq=3)]
