"""Deleting what is old from the shared database: what goes, what stays, who may, and that it does not come again."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from psycopg.sql import SQL, Identifier
from psycopg.types.json import Jsonb

from rcs_hooks.files.clock import iso, seconds
from rcs_hooks.share import connecting, pruning, sql
from rcs_hooks.share.errors import DENIED, ShareError
from rcs_hooks.share.pruning import Pruned
from tests.share.conftest import Database
from tests.share.rows import Owned, add_batch, insert, owned

OLD, NEW = "2023-01-01T00:00:00.000Z", "2023-06-01T00:00:00.000Z"
BETWEEN = seconds("2023-03-01T00:00:00Z") or 0.0


class Machine:
    """A writer's machine, and what it sends."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self.connection = database.connect(database.role("ada", sql.WRITER))
        self.of: Owned = owned(self.connection, "laptop")
        self.owner = database.connect()

    def close(self) -> None:
        self.connection.close()
        self.owner.close()

    def add(self, table: str, **values: Any) -> None:
        insert(self.connection, table, self.of.values(table) | values)

    def run(self, number: int, at: str, *, events: int = 1, batch: bool = True) -> None:
        """One run with its steps and artifacts, whose events were sent as one batch."""
        first = self.count("run_events") + 1
        self.add("runs", id=number, run_id=f"build-{number}", last_at=at)
        for each in range(events):
            self.add("run_events", run=number, position=first + each, seq=each + 1, at=OLD)
        self.add("run_steps", run=number)
        self.add("run_artifacts", run=number)
        if batch:
            self.batch(first - 1, first - 1 + events)

    def batch(self, after: int, upto: int, **values: Any) -> None:
        with self.connection.transaction():
            add_batch(self.connection, self.of, after=after, upto=upto, **{"at": OLD} | values)

    def count(self, table: str) -> int:
        ((found,),) = self.owner.execute(SQL("SELECT count(*) FROM {}").format(Identifier("rcs", table))).fetchall()
        return int(found)

    def counts(self, *tables: str) -> list[int]:
        return [self.count(each) for each in tables]

    def prune(self, *, dry_run: bool = False) -> Pruned:
        with connecting.connection(self.database.address) as link:
            return pruning.prune(link, BETWEEN, dry_run=dry_run)


@pytest.fixture
def machine(database: Database) -> Iterator[Machine]:
    found = Machine(database)
    yield found
    found.close()


RUN_TABLES = ("runs", "run_events", "run_steps", "run_artifacts")


def test_old_runs_go_with_all_that_belongs_to_them(machine: Machine) -> None:
    machine.run(1, OLD, events=3)
    machine.run(2, NEW, events=2)
    assert machine.prune(dry_run=True) == Pruned(runs=1, events=3)
    assert machine.counts(*RUN_TABLES) == [2, 5, 2, 2]
    assert machine.prune() == Pruned(runs=1, events=3)
    assert machine.counts(*RUN_TABLES) == [1, 2, 1, 1]
    assert machine.owner.execute("SELECT DISTINCT run FROM rcs.run_events").fetchall() == [(2,)]
    assert machine.prune() == Pruned()


def test_what_happened_to_modes_and_tasks_and_documents_goes_by_its_time(machine: Machine) -> None:
    for position, at in ((1, OLD), (2, NEW), (3, None)):
        machine.add("mode_events", position=position, at=at)
        machine.add("task_moves", position=position, at=at)
        for kind in ("passage", "session"):
            machine.add("present", kind=kind, key=str(position), at=at)
    assert machine.prune(dry_run=True) == Pruned(events=1, moves=1, documents=1)
    assert machine.prune() == Pruned(events=1, moves=1, documents=1)
    assert machine.counts("mode_events", "task_moves", "present") == [2, 2, 5]


def test_what_waits_stays_until_its_machine_has_been_gone_for_so_long(machine: Machine) -> None:
    machine.add("present", kind="session", key="asks", at=OLD)
    assert machine.prune() == Pruned()
    machine.owner.execute("UPDATE rcs.machines SET seen_at = %s::timestamptz", (OLD,))
    assert machine.prune() == Pruned(documents=1)


def test_how_old_a_thing_is_goes_by_the_servers_clock(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("time.time", lambda: 0.0)
    with connecting.connection(machine.database.address) as link:
        assert pruning.now(link) > 1_700_000_000


def test_a_batch_stays_while_an_event_of_it_does_and_so_does_the_last_one(machine: Machine) -> None:
    machine.run(1, OLD, events=2)
    machine.run(2, NEW, events=2)
    machine.run(3, OLD, events=2)
    machine.batch(0, 0, source=0)
    machine.batch(6, 6)
    machine.batch(6, 7, at=NEW)
    machine.batch(7, 7)
    machine.prune()
    assert [row for (row,) in machine.owner.execute("SELECT id FROM rcs.batches ORDER BY id").fetchall()] == [2, 6, 7]


def test_it_goes_in_steps(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("RUNS_AT_ONCE", "ROWS_AT_ONCE", "SOURCES_AT_ONCE", "BATCHES_AT_ONCE"):
        monkeypatch.setattr(pruning, name, 2)
    for number in range(1, 8):
        machine.run(number, OLD)
        machine.add("present", kind="passage", key=str(number), at=OLD)
        source = insert(machine.connection, "sources", machine.of.values("sources"))
        machine.add("mode_events", source=source, at=OLD)
        machine.add("task_moves", source=source, at=OLD)
    assert machine.prune() == Pruned(runs=7, events=14, moves=7, documents=7)
    assert machine.counts(*RUN_TABLES, "mode_events", "task_moves", "present", "batches") == [0] * 7 + [1]


def test_the_writer_whose_rows_go_may_write_meanwhile(machine: Machine) -> None:
    machine.run(1, OLD)
    with machine.connection.transaction():
        machine.connection.execute("SELECT position FROM rcs.sources WHERE id = %s FOR UPDATE", (machine.of.source,))
        machine.add("run_events", run=1, position=100, seq=100, at=NEW)
        machine.prune()
    assert machine.count("run_events") == 1


def test_only_the_owner_prunes(machine: Machine) -> None:
    machine.run(1, OLD)
    for group in (sql.WRITER, sql.READER):
        role = machine.database.role(f"someone_{group}", group)
        with connecting.connection(machine.database.address_of(role)) as link, pytest.raises(ShareError) as raised:
            pruning.prune(link, BETWEEN)
        assert raised.value.kind == DENIED
        assert str(raised.value) == (
            "only the owner of the shared schema may prune it, which is the database's user postgres; a person who may "
            "connect as that user types it"
        )
    assert machine.count("runs") == 1


def test_a_member_of_the_owners_role_prunes_too(empty_database: Database) -> None:
    owner = empty_database.role("owner")
    member = empty_database.role("member", owner)
    with empty_database.connect() as admin:
        statement = SQL("GRANT CREATE ON DATABASE {} TO {}")
        admin.execute(statement.format(Identifier(empty_database.name), Identifier(owner)))
    from rcs_hooks.share import schema

    schema.init(empty_database.address_of(owner))
    with empty_database.connect(owner) as connection:
        of = owned(connection, "laptop")
        insert(connection, "mode_events", of.values("mode_events") | {"at": OLD})
    with connecting.connection(empty_database.address_of(member)) as link:
        assert pruning.prune(link, BETWEEN) == Pruned(events=1)


# --- what was pruned stays away


def test_the_position_of_a_source_stays(machine: Machine) -> None:
    machine.connection.execute("UPDATE rcs.sources SET position = 3")
    machine.run(1, OLD, events=3)
    machine.prune()
    assert machine.connection.execute("SELECT position FROM rcs.sources").fetchall() == [(3,)]


def test_a_passage_that_was_pruned_does_not_come_again(machine: Machine) -> None:
    machine.prune()
    for key, at in (("old", OLD), ("new", NEW), ("unknown", None), ("limit", iso(BETWEEN))):
        machine.add("present", kind="passage", key=key, at=at)
    machine.add("present", kind="session", key="old", at=OLD)
    found = machine.owner.execute("SELECT kind, key FROM rcs.present ORDER BY kind, key").fetchall()
    assert found == [("passage", "limit"), ("passage", "new"), ("passage", "unknown"), ("session", "old")]


def test_an_upsert_of_a_pruned_passage_writes_nothing_either(machine: Machine) -> None:
    machine.prune()
    values = machine.of.values("present") | {"kind": "passage", "at": OLD}
    machine.connection.execute(
        """INSERT INTO rcs.present (machine, project, kind, key, at, record)
           VALUES (%(machine)s, %(project)s, %(kind)s, %(key)s, %(at)s, %(record)s)
           ON CONFLICT (project, kind, key) DO UPDATE SET at = excluded.at, record = excluded.record""",
        values | {"record": Jsonb({})},
    )
    assert machine.count("present") == 0


def test_how_far_was_pruned_is_known_and_never_goes_back(machine: Machine) -> None:
    def known() -> Any:
        return machine.connection.execute("SELECT pruned_before FROM rcs.schema").fetchall()

    assert known() == [(None,)]
    machine.prune(dry_run=True)
    assert known() == [(None,)]
    machine.prune()
    assert known() == [(iso(BETWEEN),)]
    with connecting.connection(machine.database.address) as link:
        pruning.prune(link, BETWEEN - 1000)
    assert known() == [(iso(BETWEEN),)]


def test_readers_are_told_that_something_is_gone(machine: Machine) -> None:
    with machine.database.connect() as reader:
        reader.execute("LISTEN rcs")
        machine.prune()
        (notice,) = reader.notifies(timeout=60, stop_after=1)
    assert (notice.channel, notice.payload) == ("rcs", "pruned")


def test_a_hostile_moment_is_only_a_text(machine: Machine) -> None:
    for position, at in enumerate(("'; DROP TABLE rcs.runs; --", "~", ""), 1):
        machine.add("mode_events", position=position, at=at)
    machine.prune()
    assert [at for (at,) in machine.owner.execute("SELECT at FROM rcs.mode_events").fetchall()] == ["~"]
