"""A home that was copied together with what tells its machine from others: two machines send as one."""

from __future__ import annotations

import shutil
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from rcs_hooks.share import schema
from rcs_hooks.share.errors import DENIED, ShareError
from rcs_hooks.share.sharer import Sharer
from tests.share.support import Home, shared_events, table

if TYPE_CHECKING:
    from tests.share.conftest import Database

NEVER = threading.Event()


def copied(home: Home, to: Path) -> Home:
    """Another home with the same files and the same project."""
    found = Home(to, home.url)
    shutil.copytree(home.path, found.path, dirs_exist_ok=True)
    found.project = home.project
    return found


def at_another_time(home: Home) -> None:
    """What happens on one of two machines happens at another moment than on the other one."""
    with sqlite3.connect(home.database) as sql:
        sql.execute("UPDATE events SET at = replace(at, '.000Z', '.001Z') WHERE id > 10")
    sql.close()


@contextmanager
def sharing(home: Home) -> Iterator[Sharer]:
    found = Sharer(home.env, str(home.project))
    try:
        yield found
    finally:
        found.close()


def says_so(sharer: Sharer) -> None:
    for _ in range(3):
        with pytest.raises(ShareError, match=r"another machine sends as this one.*machine\.json") as raised:
            sharer.send_news(NEVER)
        assert raised.value.kind == DENIED


def is_outdone(sharer: Sharer, home: Home, copy: Path) -> None:
    """A copy of the home sends as the same machine, with which that of the home stops."""
    sharer.send_news(NEVER)
    second = copied(home, copy)
    second.emit(7)
    at_another_time(second)
    second.share()
    home.emit(3)
    says_so(sharer)


def test_of_two_machines_with_one_id_one_goes_on_and_the_other_says_what_to_do(
    database: Database, tmp_path: Path
) -> None:
    first = Home(tmp_path / "first", database.url())
    first.emit(10)
    first.share()
    second = copied(first, tmp_path / "second")
    with sharing(first) as one, sharing(second) as two:
        first.emit(5)
        one.send_news(NEVER)
        second.emit(7)
        at_another_time(second)
        two.send_news(NEVER)  # as after its home was restored from a backup
        first.emit(1)
        says_so(one)
        second.emit(1)
        two.send_news(NEVER)
    assert table(database, "SELECT count(*) FROM rcs.sources") == [(2,)]
    assert table(database, "SELECT count(*) FROM rcs.run_events") == [(15 + 18,)]
    (first.path / ".rcs/share/machine.json").unlink()
    first.share()
    assert table(database, "SELECT count(*) FROM rcs.run_events") == [(15 + 18 + 16,)]


def test_what_another_machine_has_sent_as_this_one_is_not_taken_for_what_is_here(
    database: Database, tmp_path: Path
) -> None:
    first = Home(tmp_path / "first", database.url())
    first.emit(10)
    with sharing(first) as one:
        is_outdone(one, first, tmp_path / "second")
    assert table(database, "SELECT max(position) FROM rcs.run_events") == [(17,)]


def test_the_one_that_stopped_goes_on_with_another_database(
    database: Database, empty_database: Database, tmp_path: Path
) -> None:
    first = Home(tmp_path / "first", database.url())
    first.emit(10)
    with sharing(first) as one:
        is_outdone(one, first, tmp_path / "second")
        schema.init(empty_database.address)
        first.url = empty_database.url()
        first.configure([(first.project, "pay", False)])
        one.send_news(NEVER)
    assert shared_events(empty_database) == first.event_ids()
