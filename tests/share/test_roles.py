"""Who may do what: a writer with its own machine's rows, a reader with none, and nobody else at all."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from uuid import uuid4

import psycopg
import pytest
from psycopg.errors import InsufficientPrivilege
from psycopg.sql import SQL, Identifier

from rcs_hooks.share import sql
from tests.share.rows import TABLES, fill, insert, owned, register

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.share.conftest import Database

ALL = ("machines", *TABLES)


class Team:
    """Two writers with a machine each, a reader, and somebody without any role; each with a connection."""

    def __init__(self, database: Database) -> None:
        self.database = database
        names = {each: database.role(each, sql.WRITER) for each in ("ada", "eve")}
        names |= {"reader": database.role("reader", sql.READER), "nobody": database.role("nobody")}
        self.names = names
        self.connections = {each: database.connect(name) for each, name in names.items()}
        self.owner = database.connect()
        self.ada, self.eve = self.connections["ada"], self.connections["eve"]
        self.of_ada, self.of_eve = owned(self.ada, "laptop"), owned(self.eve, "desk")
        fill(self.ada, self.of_ada)
        fill(self.eve, self.of_eve)

    def close(self) -> None:
        for each in (*self.connections.values(), self.owner):
            each.close()

    def rows(self, table: str, machine: int) -> list[Any]:
        """The rows of a machine, as the owner sees them."""
        key = "id" if table == "machines" else "machine"
        statement = SQL("SELECT * FROM {} t WHERE {} = %s ORDER BY t::text")
        return self.owner.execute(statement.format(Identifier("rcs", table), Identifier(key)), (machine,)).fetchall()


@pytest.fixture
def team(database: Database) -> Iterator[Team]:
    found = Team(database)
    yield found
    found.close()


def affected(connection: psycopg.Connection, statement: str, table: str, *values: Any) -> int | str:
    """How many rows a statement changes or returns; or the name of the error."""
    try:
        cursor = connection.execute(SQL(statement).format(table=Identifier("rcs", table)), values)
    except psycopg.Error as error:
        return type(error).__name__
    return cursor.rowcount


UPDATE = "UPDATE {table} SET machine = machine WHERE machine = %s"
FORBIDDEN, NONE, ONE = "InsufficientPrivilege", 0, 1
MAY_UPDATE = [table for table in TABLES if table not in sql.ONLY_ADDED]


def test_a_writer_sees_its_own_rows_and_no_others(team: Team) -> None:
    for table in TABLES:
        found = team.ada.execute(SQL("SELECT DISTINCT machine FROM {}").format(Identifier("rcs", table))).fetchall()
        assert found == [(team.of_ada.machine,)], table
    assert team.ada.execute("SELECT id FROM rcs.machines").fetchall() == [(team.of_ada.machine,)]


def test_a_writer_changes_and_deletes_its_own_rows_where_it_may_and_nobody_elses_anywhere(team: Team) -> None:
    mine, other = team.of_ada.machine, team.of_eve.machine
    before = {table: team.rows(table, other) for table in ALL}
    delete = "DELETE FROM {table} WHERE machine = %s"
    for table in TABLES:
        wanted = ONE if table in MAY_UPDATE else FORBIDDEN
        assert affected(team.ada, UPDATE, table, mine) == wanted, table
        assert affected(team.ada, UPDATE, table, other) == (NONE if table in MAY_UPDATE else FORBIDDEN), table
        assert affected(team.ada, delete, table, other) == (NONE if table in sql.DELETED_FROM else FORBIDDEN), table
    assert before == {table: team.rows(table, other) for table in ALL}
    for table in TABLES:
        assert affected(team.ada, delete, table, mine) == (ONE if table in sql.DELETED_FROM else FORBIDDEN), table


def forged(team: Team, table: str, **other: Any) -> str:
    """The error of a row that the first writer inserts, with columns of somebody else's."""
    values = team.of_ada.values(table) | {"position": 9, "key": uuid4(), "run": 9, "unit": "x", "path": "x"} | other
    values = {name: value for name, value in values.items() if name in team.of_ada.values(table)}
    if "id" in values and "id" not in other:
        values["id"] = 9
    with pytest.raises(psycopg.Error) as raised:
        insert(team.ada, table, values)
    return type(raised.value).__name__


def test_a_writer_forges_no_row_of_another_machine(team: Team) -> None:
    for table in TABLES:
        assert forged(team, table, machine=team.of_eve.machine) == FORBIDDEN, table


def test_a_writer_registers_no_machine_of_another_role_and_makes_none_by_hand(team: Team) -> None:
    uuid = uuid4()
    machine = register(team.eve, "phone", uuid)
    with pytest.raises(psycopg.Error) as raised:
        register(team.ada, "phone", uuid)
    assert raised.value.sqlstate == "RC001"
    assert register(team.eve, "phone", uuid) == machine
    for statement, values in (
        ("INSERT INTO {table} (uuid, name, person, program) VALUES (%s, 'x', 'x', 'x')", [uuid4()]),
        ("UPDATE {table} SET role = 'x'", []),
        ("UPDATE {table} SET name = 'x'", []),
        ("UPDATE {table} SET uuid = %s", [uuid4()]),
        ("DELETE FROM {table}", []),
    ):
        assert affected(team.ada, statement, "machines", *values) == FORBIDDEN, statement
    assert affected(team.ada, "UPDATE {table} SET seen_at = now(), clock_ms = 1", "machines") == ONE


# --- readers and others


def test_a_reader_sees_all_rows_and_changes_none(team: Team) -> None:
    reader = team.connections["reader"]
    for table in ALL:
        assert affected(reader, "SELECT * FROM {table}", table) == 2, table
        assert affected(reader, "DELETE FROM {table}", table) == FORBIDDEN, table
    for table in TABLES:
        assert affected(reader, UPDATE, table, team.of_ada.machine) == FORBIDDEN, table
        with pytest.raises(InsufficientPrivilege):
            insert(reader, table, team.of_ada.values(table))
    assert affected(reader, "SELECT version FROM {table}", "schema") == ONE
    assert affected(reader, "SELECT batch FROM {table}", "clock") == ONE


def test_somebody_without_a_role_sees_nothing_at_all(team: Team) -> None:
    for table in ("schema", "clock", *ALL):
        for statement in ("SELECT * FROM {table}", "DELETE FROM {table}"):
            assert affected(team.connections["nobody"], statement, table) == FORBIDDEN, table


def test_every_table_of_the_schema_is_protected_and_in_this_page(team: Team) -> None:
    found: dict[str, bool] = dict(team.owner.execute(sql.TABLES.encode()).fetchall())
    assert found == dict.fromkeys(TABLES, True)
    ((protected,),) = team.owner.execute(
        "SELECT relrowsecurity FROM pg_class WHERE oid = 'rcs.machines'::regclass"
    ).fetchall()
    assert protected
