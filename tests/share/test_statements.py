"""Statements: what goes wrong with one is one sentence that repeats no value, and a silent server is left."""

from __future__ import annotations

import time

import psycopg
import pytest

from rcs_hooks.config.database_url import parse
from rcs_hooks.errors import StoreError
from rcs_hooks.share import connecting, driver_errors
from rcs_hooks.share.errors import (
    BUSY,
    DATA,
    DENIED,
    FULL,
    LOST,
    MISSING,
    OTHER,
    READ_ONLY,
    SILENT,
    ShareError,
)
from rcs_hooks.share.reader import PostgresStore
from tests.share.conftest import Database
from tests.share.support import end_connections, nothing_left_behind
from tests.table import each_row

SECRET = "hunter2"


@each_row(("state", "kind"), [
    ("28P01", DENIED), ("3D000", MISSING), ("42P01", MISSING), ("3F000", MISSING), ("42501", DENIED),
    ("25006", READ_ONLY), ("53300", BUSY), ("53100", FULL), ("53200", FULL), ("57P03", BUSY), ("57P01", LOST),
    ("57P02", LOST), ("57014", SILENT), ("55P03", BUSY), ("40001", BUSY), ("40P01", BUSY), ("08006", LOST),
    ("22021", DATA), ("23505", DATA), ("42703", OTHER), ("23503", OTHER),
    ("54000", DATA), ("21000", DATA), ("RC001", DENIED), ("XX001", OTHER), ("0A000", OTHER),
])  # fmt: skip
def test_every_state_of_a_statement_has_its_kind_and_one_sentence(state: str, kind: str) -> None:
    name = psycopg.errors._sqlcodes.get(state, psycopg.errors.DatabaseError)

    class Failed(name):  # type: ignore[misc, valid-type]  # a class that is known by its state alone
        sqlstate = state

    found = driver_errors.worded(Failed(f"what was sent: {SECRET}"), parse("postgresql://db/team"))
    assert found.kind == kind
    assert str(found).startswith("team on db ")
    assert SECRET not in str(found)


def test_the_values_of_a_statement_that_fails_are_in_no_sentence(database: Database) -> None:
    with connecting.connection(database.address) as link, pytest.raises(ShareError) as raised:
        link.rows("SELECT %s::text::int", (SECRET,))
    assert SECRET not in str(raised.value)
    assert raised.value.kind == DATA
    assert raised.value.__cause__ is None
    assert raised.value.__suppress_context__


def test_a_server_that_becomes_read_only(database: Database) -> None:
    with connecting.connection(database.address) as link:
        link.connection.execute("SET default_transaction_read_only = on")
        with pytest.raises(ShareError) as raised, link.transaction() as connection:
            connection.execute("UPDATE rcs.clock SET batch = batch")
    assert raised.value.kind == READ_ONLY


def test_a_connection_that_the_server_ends(database: Database) -> None:
    with connecting.connection(database.address) as link:
        with database.connect() as admin:
            admin.execute("SELECT pg_terminate_backend(%s)", (link.connection.info.backend_pid,))
        with pytest.raises(ShareError) as raised:
            link.rows("SELECT 1")
        assert raised.value.kind == LOST
        with pytest.raises(ShareError):
            link.rows("SELECT 1")


def test_a_silent_server_is_left_and_said_so(database: Database) -> None:
    with connecting.connection(database.address, seconds=1) as link, pytest.raises(ShareError) as raised:
        link.rows("SELECT pg_sleep(600)")
    assert raised.value.kind == SILENT
    assert str(raised.value) == f"{database.address.shown} has not answered for 1 s"


def test_an_error_of_ours_within_a_transaction_rolls_it_back_and_comes_out_as_it_is(database: Database) -> None:
    with connecting.connection(database.address) as link:
        with pytest.raises(ShareError, match="mine"), link.transaction() as connection:
            connection.execute("UPDATE rcs.clock SET batch = 7")
            raise ShareError("mine")
        assert link.rows("SELECT batch FROM rcs.clock") == [(0,)]


def test_a_watchdog_that_was_not_needed_leaves_nothing_behind(database: Database) -> None:
    with nothing_left_behind():
        for _ in range(10):
            with connecting.connection(database.address) as link:
                link.rows("SELECT 1")


def test_a_reader_that_is_refused_leaves_nothing_behind(empty_database: Database) -> None:
    with nothing_left_behind():
        for _ in range(3):
            store = PostgresStore(lambda: connecting.open_link(empty_database.address))
            with pytest.raises(StoreError, match="no schema"):
                store.change_token()
            store.close()


def test_a_reader_whose_connection_is_lost_leaves_nothing_of_it_behind(database: Database) -> None:
    store = PostgresStore(lambda: connecting.open_link(database.address))
    assert store.change_token() == 0
    with nothing_left_behind():
        for _ in range(3):
            end_connections(database)
            assert store.change_token() == 0
    store.close()


def test_a_block_within_another_does_not_get_more_time_than_it(database: Database) -> None:
    with connecting.connection(database.address) as link, pytest.raises(ShareError) as raised, link.speaking(1):
        link.rows("SELECT pg_sleep(600)")
    assert raised.value.kind == SILENT


def test_time_that_nobody_waits_for_the_server_does_not_count(database: Database) -> None:
    with connecting.connection(database.address, seconds=0.1) as link:
        link.rows("SELECT 1")
        time.sleep(2 * connecting.WATCH_PAUSE)
        link.rows("SELECT 1")
