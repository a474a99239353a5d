"""No machine of a team waits for another one without end, and none piles up connections in the database."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from psycopg.pq import TransactionStatus

from rcs_hooks.share import connecting
from rcs_hooks.share.errors import BUSY, DATA, ShareError
from rcs_hooks.share.identity import machine_id
from rcs_hooks.share.loop import run
from rcs_hooks.share.writer import Writer
from tests.share.support import Home, Sharing, shared_events, table, wait_for

if TYPE_CHECKING:
    from tests.share.conftest import Database

OURS = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'rcs share' AND datname = current_database()"


@pytest.mark.slow
def test_who_cannot_have_the_clock_leaves_and_tries_again(database: Database, tmp_path: Path) -> None:
    home = Home(tmp_path, database.url())
    home.emit(5)
    with Sharing(home, seconds=2.0), database.connect() as other:
        wait_for(lambda: shared_events(database) == home.event_ids())
        other.autocommit = False
        other.execute("SELECT rcs.next_batch()")
        home.emit(5)
        wait_for(lambda: (home.status()["error"] or {}).get("tries", 0) >= 3)
        assert home.status()["error"]["kind"] == BUSY
        wait_for(lambda: table(database, OURS)[0][0] <= 1)
        other.rollback()
        wait_for(lambda: shared_events(database) == home.event_ids())


def test_documents_wait_for_nobody_without_end_either(database: Database, tmp_path: Path) -> None:
    home = Home(tmp_path, database.url())
    home.log("s-1", {})
    home.share()
    home.log("s-2", {})
    with database.connect() as other:
        other.autocommit = False
        other.execute("SELECT 1 FROM rcs.present FOR UPDATE")
        with pytest.raises(ShareError) as raised:
            run(home.env, str(home.project), once=True, seconds=2.0)
    assert raised.value.kind == BUSY
    home.share()
    assert table(database, "SELECT count(*) FROM rcs.mode_events") == [(2,)]


@pytest.mark.slow
def test_a_machine_that_cannot_register_leaves_and_tries_again(database: Database, tmp_path: Path) -> None:
    home = Home(tmp_path, database.url())
    home.emit(5)
    with database.connect() as other:
        other.autocommit = False
        other.execute("LOCK TABLE rcs.schema IN SHARE ROW EXCLUSIVE MODE")
        with Sharing(home, seconds=2.0):
            wait_for(lambda: (home.status().get("error") or {}).get("tries", 0) >= 2)
            assert home.status()["error"]["kind"] == BUSY
            wait_for(lambda: table(database, OURS)[0][0] <= 1)
            other.rollback()
            wait_for(lambda: shared_events(database) == home.event_ids())


def test_the_server_leaves_a_machine_that_has_gone(database: Database, tmp_path: Path) -> None:
    with connecting.connection(database.address) as link:
        Writer(link, machine_id(str(tmp_path))).begin("laptop", "mia")
        for name in ("tcp_keepalives_idle", "tcp_keepalives_interval", "tcp_keepalives_count"):
            ((value,),) = link.rows("SELECT setting::int FROM pg_settings WHERE name = %s", (name,))
            assert 0 < value <= 20


def test_another_isolation_level_of_the_database_changes_nothing(database: Database) -> None:
    with database.connect() as sql:
        sql.execute(f"ALTER DATABASE {database.name} SET default_transaction_isolation = 'serializable'".encode())
    with connecting.connection(database.address) as link:
        for transaction in (link.quick(), link.ended_at_once([("SELECT %s", ("50 % of 'it\\'",))])):
            with transaction as connection:
                assert connection.execute("SHOW transaction_isolation").fetchall() == [("read committed",)]
                assert connection.execute("SHOW lock_timeout").fetchall() == [("30s",)]
            assert connection.info.transaction_status == TransactionStatus.IDLE


TEXTS = [
    "'", "''", "\\", "\\'; DROP SCHEMA rcs CASCADE; --", "$$ $1 :x %s %% %(x)s {}", "; COMMIT", "é\u2028\U0001f600",
    "\\" * 3_000_000,
]  # fmt: skip


@pytest.mark.parametrize("conforming", ["on", "off"])
def test_the_last_statements_of_a_transaction_hold_any_text_as_it_is(conforming: str, database: Database) -> None:
    with connecting.connection(database.address) as link:
        link.connection.execute(f"SET standard_conforming_strings = {conforming}".encode())
        link.connection.execute("CREATE TEMPORARY TABLE said (text text)")
        add = "INSERT INTO said VALUES (%s)"
        with link.ended_at_once([(add, (text,)) for text in TEXTS]):
            pass
        for text in ("a\0b", "\ud800"):
            with pytest.raises(ShareError) as raised, link.ended_at_once([(add, ("lost",)), (add, (text,))]):
                pass
            assert raised.value.kind == DATA
            assert link.connection.info.transaction_status == TransactionStatus.IDLE
        assert [text for (text,) in link.rows("SELECT text FROM said")] == TEXTS


def test_an_error_in_a_transaction_leaves_the_connection_as_it_was(database: Database) -> None:
    with connecting.connection(database.address) as link:
        for statement, last in (("SELECT 1/0", "SELECT 1"), ("SELECT 1", "SELECT 1/0")):
            with pytest.raises(ShareError), link.ended_at_once([(last, ())]) as connection:
                connection.execute(statement.encode())
            assert connection.info.transaction_status == TransactionStatus.IDLE
        with pytest.raises(KeyError), link.ended_at_once([("SELECT 1", ())]) as connection:
            raise KeyError
        assert link.rows("SELECT 1") == [(1,)]
