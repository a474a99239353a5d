"""Making the schema, and bringing it up to a new version while others are older or newer."""

from __future__ import annotations

import threading
from collections.abc import Sequence

import psycopg
import pytest
from psycopg.sql import SQL, Identifier

from rcs_hooks.share import connecting, schema, sql
from rcs_hooks.share.errors import DENIED, MISSING, NEWER, OLDER, OTHER, ShareError
from rcs_hooks.share.sql import Migration
from tests.share.conftest import ADMIN, Database
from tests.share.rows import TABLES, fill, insert, owned

SECOND = (
    "ALTER TABLE rcs.runs ADD COLUMN mood text NOT NULL DEFAULT 'calm'",
    "CREATE TABLE rcs.notes (machine int NOT NULL REFERENCES rcs.machines, number int NOT NULL, note text NOT NULL)",
)


def second(min_writer: int = 1, min_reader: int = 1) -> tuple[Migration, ...]:
    """The migrations of a program that is newer than ours."""
    return (*sql.MIGRATIONS, Migration(SECOND, min_writer, min_reader))


def init(
    database: Database, role: str = ADMIN, *, roles: bool = False, of: Sequence[Migration] = sql.MIGRATIONS
) -> schema.Made:
    return schema.init(database.address_of(role), roles=roles, migrations=of)


def refusal(database: Database, role: str = ADMIN, of: Sequence[Migration] = sql.MIGRATIONS) -> ShareError:
    with pytest.raises(ShareError) as raised:
        init(database, role, of=of)
    return raised.value


def test_init_makes_the_schema_once(empty_database: Database) -> None:
    assert init(empty_database) == (0, 1, False)
    assert init(empty_database) == (1, 1, False)
    assert init(empty_database, roles=True) == (1, 1, True)
    assert init(empty_database, roles=True) == (1, 1, True)
    assert init(empty_database) == (1, 1, True)
    with connecting.connection(empty_database.address) as link:
        assert connecting.check_writer(link) == connecting.check_reader(link) == (1, 1, 1)


def test_many_at_once_make_one_schema(empty_database: Database) -> None:
    found: list[schema.Made] = []
    threads = [
        threading.Thread(target=lambda: found.append(init(empty_database, roles=True)), daemon=True) for _ in range(6)
    ]
    for each in threads:
        each.start()
    for each in threads:
        each.join(60)
    assert sorted(found) == [(0, 1, True)] + [(1, 1, True)] * 5


def test_without_a_schema_there_is_one_sentence(empty_database: Database) -> None:
    with connecting.connection(empty_database.address) as link, pytest.raises(ShareError) as raised:
        connecting.check_writer(link)
    assert str(raised.value).endswith(" has no schema of rcs-hooks yet; to make it: rcs share init")
    assert raised.value.kind == MISSING


def test_a_schema_of_that_name_that_is_somebody_elses_is_left_alone(empty_database: Database) -> None:
    with empty_database.connect() as owner:
        owner.execute("CREATE SCHEMA rcs")
        owner.execute("CREATE TABLE rcs.schema (version int)")
        error = refusal(empty_database)
        assert str(error) == (
            "the database has a schema `rcs` that is not of rcs-hooks, so it was left unchanged; name another database"
        )
        tables = owner.execute("SELECT count(*) FROM pg_tables WHERE schemaname = 'rcs'").fetchall()
        assert tables == [(1,)]


def test_a_user_who_may_not_make_it_is_told_so(empty_database: Database) -> None:
    error = refusal(empty_database, empty_database.role("guest"))
    assert str(error) == (
        f"this user may not make the schema in {empty_database.address.shown}; somebody who may types: rcs share init"
    )
    assert error.kind == DENIED
    with empty_database.connect() as owner:
        assert owner.execute(sql.STATE_OF_SCHEMA.encode()).fetchall() == []


def test_a_user_who_may_make_schemas_but_no_roles_is_told_so(empty_database: Database) -> None:
    role = empty_database.role("owner")
    with empty_database.connect() as admin:
        statement = SQL("GRANT CREATE ON DATABASE {} TO {}")
        admin.execute(statement.format(Identifier(empty_database.name), Identifier(role)))
    assert init(empty_database, role) == (0, 1, False)
    assert init(empty_database, role, roles=True) == (1, 1, True), "both roles are there already"
    with empty_database.connect(role) as owner:
        fill(owner, owned(owner, "laptop"))


def test_a_writer_on_a_second_machine_finds_the_schema(database: Database) -> None:
    role = database.role("ada", sql.WRITER)
    assert init(database, role) == (1, 1, True)
    assert refusal(database, role, second()).kind == DENIED
    assert str(refusal(database, role, second())) == (
        f"this user may not change the schema in {database.address.shown}; its owner types: rcs share init"
    )


def test_a_user_without_a_role_is_told_that_there_is_nothing_for_them(database: Database) -> None:
    error = refusal(database, database.role("guest"))
    assert error.kind == DENIED
    assert "GRANT rcs_writer" in str(error)


def test_a_database_in_another_encoding_is_refused(empty_database: Database) -> None:
    with empty_database.server.connect() as admin:
        statement = SQL("CREATE DATABASE {} ENCODING 'LATIN1' TEMPLATE template0")
        admin.execute(statement.format(Identifier(f"{empty_database.name}_latin")))
        try:
            with pytest.raises(ShareError) as raised:
                schema.init(empty_database.address._replace(database=f"{empty_database.name}_latin"))
        finally:
            admin.execute(SQL("DROP DATABASE {}").format(Identifier(f"{empty_database.name}_latin")))
    assert (raised.value.kind, str(raised.value)) == (
        OTHER, "the database has the encoding LATIN1, and UTF8 is needed; make another one"
    )  # fmt: skip


# --- other versions


def test_a_newer_schema_is_left_alone(database: Database) -> None:
    init(database, of=second())
    error = refusal(database)
    assert error.kind == NEWER
    assert str(error) == (
        "the shared database has version 2 of the schema, and this program knows 1; update rcs-hooks here"
    )


def test_a_migration_that_fails_leaves_nothing(database: Database) -> None:
    broken = (*second(), Migration(("ALTER TABLE rcs.runs ADD COLUMN more int", "SELECT 1 / 0"), 1, 1))
    with pytest.raises(ShareError):
        init(database, of=broken)
    with connecting.connection(database.address) as link:
        assert connecting.versions(link).version == 1
        assert link.rows("SELECT count(*) FROM pg_attribute WHERE attname IN ('mood', 'more')") == [(0,)]


@pytest.mark.parametrize(
    ("min_writer", "min_reader", "writes", "reads"), [(1, 1, True, True), (2, 1, False, True), (1, 2, True, False)]
)
def test_an_older_program_uses_a_newer_schema_as_far_as_it_may(
    min_writer: int, min_reader: int, writes: bool, reads: bool, database: Database
) -> None:
    init(database, of=second(min_writer, min_reader))
    with connecting.connection(database.address) as link:
        for check, may in ((connecting.check_writer, writes), (connecting.check_reader, reads)):
            if may:
                assert check(link) == (2, min_writer, min_reader)
                continue
            with pytest.raises(ShareError) as raised:
                check(link)
            assert raised.value.kind == NEWER
            assert not raised.value.is_passing
            assert str(raised.value).endswith("and this one knows 1; update rcs-hooks here")


def test_an_older_writer_goes_on_while_the_schema_is_newer(database: Database) -> None:
    role = database.role("ada", sql.WRITER)
    with database.connect(role) as ada:
        of_ada = owned(ada, "laptop")
        init(database, of=second())
        fill(ada, of_ada)
        assert ada.execute("SELECT mood FROM rcs.runs").fetchall() == [("calm",)]


def test_a_newer_program_waits_for_the_schema_and_says_who_makes_it(database: Database) -> None:
    with connecting.connection(database.address) as link:
        with pytest.raises(ShareError) as raised:
            connecting.check_writer(link, 2)
        assert raised.value.kind == OLDER
        assert str(raised.value) == (
            "the shared database has version 1 of the schema, and this program needs 2; its owner types: rcs share init"
        )
        init(database, of=second())
        assert connecting.check_writer(link, 2) == (2, 1, 1)


def test_what_a_migration_adds_has_the_same_rights_as_the_rest(database: Database) -> None:
    ada, eve = (database.role(each, sql.WRITER) for each in ("ada", "eve"))
    init(database, of=second())
    with database.connect(ada) as writer, database.connect(eve) as other:
        mine = owned(writer, "laptop")
        fill(writer, mine)
        writer.execute("UPDATE rcs.runs SET mood = 'busy'")
        insert(writer, "notes", {"machine": mine.machine, "number": 1, "note": "x"})
        assert other.execute("SELECT * FROM rcs.notes").fetchall() == []
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            insert(other, "notes", {"machine": mine.machine, "number": 1, "note": "x"})


def test_nobody_is_given_rights_where_there_are_no_roles(empty_database: Database) -> None:
    init(empty_database)
    init(empty_database, of=second())
    role = empty_database.role("ada", sql.WRITER)
    with empty_database.connect(role) as ada, pytest.raises(psycopg.errors.InsufficientPrivilege):
        ada.execute("SELECT * FROM rcs.runs")
    with empty_database.connect() as owner:
        assert owner.execute(sql.TABLES.encode()).fetchall() == [(each, True) for each in sorted((*TABLES, "notes"))]
