"""A writer or reader that holds what others wait for: how long, and who may."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psycopg
import pytest
from psycopg.errors import InsufficientPrivilege

from tests.share.support import Home, shared_events

if TYPE_CHECKING:
    from tests.share.conftest import Database

REGISTERING = 8242262385963820402
"""The key of an advisory lock that anybody may take who may connect."""


@pytest.mark.parametrize("group", ["rcs_reader", "rcs_writer", None])
def test_no_lock_that_anybody_may_take_keeps_a_machine_from_registering(
    group: str | None, database: Database, tmp_path: Path
) -> None:
    eve = database.role("eve", *([group] if group else []))
    home = Home(tmp_path, database.url(database.role("ada", "rcs_writer")))
    home.emit(2)
    with psycopg.connect(database.url(eve)) as held:
        held.execute("SELECT pg_advisory_lock(%s)", (REGISTERING,))
        home.share()
    assert shared_events(database) == [1, 2]


EXCLUSIVE = [
    f"LOCK TABLE rcs.{name} IN SHARE MODE"
    for name in ("machines", "schema", "clock", "batches", "run_events", "sources", "projects", "runs")
]


@pytest.mark.parametrize("group", ["rcs_reader", "rcs_writer"])
@pytest.mark.parametrize("statement", EXCLUSIVE)
def test_nobody_but_the_owner_locks_a_table(group: str, statement: str, database: Database) -> None:
    eve = database.role("eve", group)
    with psycopg.connect(database.url(eve)) as sql, pytest.raises(InsufficientPrivilege):
        sql.execute(statement.encode())


def test_a_program_that_is_stopped_at_any_moment_keeps_no_other_machine_from_sending(
    database: Database, tmp_path: Path
) -> None:
    home = Home(tmp_path, database.url())
    home.emit(20_000, runs=1_000)
    program = home.program("--once")
    stops = 0
    with database.connect() as other:
        other.execute("SET lock_timeout = '1s'")
        while program.poll() is None:
            time.sleep(0.03)
            os.kill(program.pid, signal.SIGSTOP)
            try:
                with other.transaction():
                    other.execute("SELECT rcs.next_batch()")
            finally:
                os.kill(program.pid, signal.SIGCONT)
            stops += 1
    assert (program.wait(60), program.communicate()[1]) == (0, b"")
    assert stops > 5
    assert shared_events(database) == home.event_ids()


def test_between_two_statements_nothing_is_held_for_which_others_wait(
    database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = Home(tmp_path, database.url())
    home.emit(5)
    home.log("s-1", {})
    looks = 0
    with database.connect() as other:
        other.execute("SET lock_timeout = '1s'")

        def looked(name: str) -> Callable[..., Any]:
            real = getattr(psycopg.Cursor, name)

            def then(cursor: psycopg.Cursor, *values: Any, **named: Any) -> Any:
                nonlocal looks
                found = real(cursor, *values, **named)
                if cursor.connection is not other:
                    looks += 1
                    with other.transaction():
                        other.execute("LOCK TABLE rcs.schema IN SHARE ROW EXCLUSIVE MODE")
                        other.execute("SELECT rcs.next_batch()")
                return found

            return then

        with monkeypatch.context() as patched:
            for name in ("execute", "fetchone", "fetchall"):
                patched.setattr(psycopg.Cursor, name, looked(name))
            home.share()
    assert looks > 20
    assert shared_events(database) == home.event_ids()
