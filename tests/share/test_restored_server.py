"""The shared database is another one than before while `rcs share run` goes on: an older state of it, or a new one."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from rcs_hooks.share import schema
from rcs_hooks.share.errors import ShareError
from rcs_hooks.share.sharer import Sharer
from tests.share.support import Home, end_connections, shared_events, table

if TYPE_CHECKING:
    from tests.share.conftest import Database

TO_POSITION_5 = """
    DELETE FROM rcs.run_events WHERE position > 5; DELETE FROM rcs.mode_events WHERE position > 5;
    DELETE FROM rcs.task_moves WHERE position > 5; DELETE FROM rcs.runs; DELETE FROM rcs.run_steps;
    DELETE FROM rcs.batches WHERE upto > 5; UPDATE rcs.sources SET position = 5;
    UPDATE rcs.batches SET upto = 5 WHERE after < 5 AND upto > 5
"""


@contextmanager
def sharing(home: Home) -> Iterator[Sharer]:
    """What shares from a home as long as the block lasts."""
    found = Sharer(home.env, str(home.project))
    try:
        yield found
        found.note(now=True)
    finally:
        found.close()


def send(sharer: Sharer) -> None:
    """Send all that is new; after the connection was lost, over a new one."""
    try:
        sharer.send_news(threading.Event())
    except ShareError:
        sharer.send_news(threading.Event())


def more(home: Home, count: int) -> None:
    home.emit(count)
    home.log("s-1", *[{}] * count)
    home.task("build", count)


def counts(database: Database) -> list[list[int]]:
    """The positions of all records, of each kind in their order."""
    queries = [f"SELECT position FROM rcs.{name} ORDER BY 1" for name in ("run_events", "mode_events", "task_moves")]
    return [[int(position) for (position,) in table(database, query)] for query in queries]


def test_a_server_that_was_restored_from_a_backup_gets_again_what_it_has_lost(
    database: Database, tmp_path: Path
) -> None:
    home = Home(tmp_path, database.url())
    more(home, 5)
    with sharing(home) as sharer:
        send(sharer)
        more(home, 5)
        send(sharer)
        with database.connect() as sql:
            sql.execute(TO_POSITION_5.encode())
        end_connections(database)
        more(home, 5)
        send(sharer)
    assert counts(database) == [list(range(1, 16))] * 3
    assert shared_events(database) == home.event_ids()


def test_a_database_that_was_dropped_and_made_anew_gets_everything(database: Database, tmp_path: Path) -> None:
    home = Home(tmp_path, database.url())
    more(home, 5)
    with sharing(home) as sharer:
        send(sharer)
        with database.connect() as sql:
            sql.execute("DROP SCHEMA rcs CASCADE")
        end_connections(database)
        more(home, 1)
        with pytest.raises(ShareError, match="has no schema"):
            send(sharer)
        schema.init(database.address)
        send(sharer)
        more(home, 5)
        send(sharer)
    assert counts(database) == [list(range(1, 12))] * 3


def test_local_runs_that_were_restored_while_they_are_shared_are_sent_as_they_are_now(
    database: Database, tmp_path: Path
) -> None:
    home = Home(tmp_path, database.url())
    home.emit(5)
    backup = home.database.read_bytes()
    home.emit(20)
    with sharing(home) as sharer:
        send(sharer)
        home.database.unlink()
        for name in ("rcs.db-wal", "rcs.db-shm"):
            home.database.with_name(name).unlink(missing_ok=True)
        home.database.write_bytes(backup)
        send(sharer)
        home.emit(3)
        send(sharer)
    assert shared_events(database) == home.event_ids()
