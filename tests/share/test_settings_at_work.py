"""The person's own file, or the schema, changes or breaks while `rcs share run` is at work."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from rcs_hooks.share import loop, progress, sharer
from rcs_hooks.share.errors import NEWER
from tests.share.support import Home, Sharing, shared_events, table, wait_for

if TYPE_CHECKING:
    from tests.share.conftest import Database

NO_TOML = "[share\n"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (NO_TOML, "config.toml:1: it is not TOML"),
        ("[share]\n", "no shared database is named"),
        ('[share]\nurl = "postgresql://ada:secret@127.0.0.1/team"\n', "a password does not belong in the address"),
    ],
)
def test_while_no_database_is_named_it_is_said_and_nothing_seems_to_be_sent(
    text: str, why: str, database: Database, tmp_path: Path
) -> None:
    home = Home(tmp_path, database.url())
    home.emit(2)
    with Sharing(home):
        wait_for(lambda: home.status().get("state") == progress.CURRENT)
        (home.path / ".rcs/config.toml").write_text(text)
        wait_for(lambda: home.status().get("state") == progress.WAITING)
        home.emit(3)
        wait_for(lambda: (home.status()["error"] or {}).get("tries", 0) >= 3)
        assert why in home.status()["error"]["message"]
        assert home.status()["state"] == progress.WAITING
        assert shared_events(database) == [1, 2]
        home.configure([(home.project, "pay", False)])
        wait_for(lambda: shared_events(database) == home.event_ids())
        wait_for(lambda: home.status()["error"] is None)


def test_a_program_at_work_ends_writing_soon_after_the_schema_wants_a_newer_one(
    database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sharer, "SEEN_EVERY", 0.2)
    home = Home(tmp_path, database.url())
    home.emit(2)
    with Sharing(home):
        wait_for(lambda: home.status().get("state") == progress.CURRENT)
        with database.connect() as sql:
            sql.execute("UPDATE rcs.schema SET version = 99, min_writer = 99")
        wait_for(lambda: home.status()["error"])
        assert home.status()["error"]["kind"] == NEWER
        home.emit(3)
        wait_for(lambda: home.status()["error"]["tries"] >= 3)
    assert shared_events(database) == [1, 2]


def test_a_folder_that_is_removed_while_much_of_it_is_sent_is_sent_no_further(
    database: Database, tmp_path: Path
) -> None:
    home = Home(tmp_path, database.url())
    home.emit(50_000)
    home.log("s-1", {})
    with Sharing(home):
        wait_for(lambda: shared_events(database))
        home.configure([])
        wait_for(lambda: home.status().get("state") == progress.CURRENT)
        assert len(shared_events(database)) < 25_000
        assert table(database, "SELECT count(*) FROM rcs.mode_events") == [(0,)]
        assert table(database, "SELECT count(*) FROM rcs.present") == [(0,)]


def test_texts_that_are_called_back_while_they_are_sent_leave_no_further(database: Database, tmp_path: Path) -> None:
    home = Home(tmp_path, database.url(), texts=True)
    home.emit(50_000, data='{"message": "PLANTED"}')
    with Sharing(home):
        wait_for(lambda: shared_events(database))
        home.configure([(home.project, "pay", False)])
        wait_for(lambda: home.status().get("state") == progress.CURRENT)
    ((planted, count),) = table(
        database, "SELECT count(*) FILTER (WHERE data LIKE '%PLANTED%'), count(*) FROM rcs.run_events"
    )
    assert (0 < planted < 25_000, count) == (True, 50_000)


class Asked(threading.Event):
    """What never ends a program, and calls a function once when it was asked some times whether it does."""

    def __init__(self, times: int, then: Callable[[], None]) -> None:
        super().__init__()
        self._times = times
        self._then = then

    def is_set(self) -> bool:
        self._times -= 1
        if self._times == 0:
            self._then()
        return super().is_set()


def test_settings_that_change_while_sessions_are_sent_leave_none_of_them_out(
    database: Database, tmp_path: Path
) -> None:
    home = Home(tmp_path, database.url())
    other = tmp_path / "other"
    other.mkdir()
    for number in range(40):
        home.log(f"s-{number}", {})
    stop = Asked(5, lambda: home.configure([(home.project, "pay", False), (other, "other", False)]))
    assert loop.run(home.env, str(home.project), once=True, stop=stop) == 40
    assert table(database, "SELECT count(*) FROM rcs.mode_events") == [(40,)]
    assert table(database, "SELECT count(*) FROM rcs.projects") == [(2,)]
