"""Making the schema, and bringing it up to a new version while others are older or newer."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest

from rcs_hooks.share import connecting, schema, sql
from rcs_hooks.share.errors import NEWER, ShareError
from rcs_hooks.share.sql import Migration
from tests.share.conftest import ADMIN, Database

if TYPE_CHECKING:
    from collections.abc import Sequence

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
    with ThreadPoolExecutor(6) as pool:
        made = [pool.submit(init, empty_database, roles=True) for _ in range(6)]
    assert sorted(each.result() for each in made) == [(0, 1, True)] + [(1, 1, True)] * 5


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


# --- other versions


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
            assert str(raised.value).endswith("and this one knows 1; update rcs-hooks here")
