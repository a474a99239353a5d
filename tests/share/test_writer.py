"""What is written into the shared database: every record once, in order, whatever happens to the local stores."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest

from rcs_hooks.errors import Refused
from rcs_hooks.files.clock import iso
from rcs_hooks.share import loop
from tests.share.support import Home, shared_events, table
from tests.support import NOW, Workspace, run_rcs

if TYPE_CHECKING:
    from pathlib import Path

    from tests.share.conftest import Database


def test_everything_of_a_project_is_there_once(database: Database, tmp_path: Path) -> None:
    home = Home(tmp_path, database.url())
    home.emit(2_500, runs=3)
    home.log("s-1", *[{}] * 40)
    home.task("pay", 5)
    before = home.local_bytes()
    assert home.share() == 2_545
    assert shared_events(database) == home.event_ids() == list(range(1, 2_501))
    assert table(database, "SELECT position FROM rcs.mode_events ORDER BY 1") == [(n,) for n in range(1, 41)]
    assert table(database, "SELECT position FROM rcs.task_moves ORDER BY 1") == [(n,) for n in range(1, 6)]
    assert table(database, "SELECT kind, position FROM rcs.sources ORDER BY 1") == [
        ("history", 40), ("runs", 2_500), ("task", 5),
    ]  # fmt: skip
    assert home.local_bytes() == before
    assert home.share() == 0
    assert "PLANTED" not in repr([table(database, f"SELECT * FROM rcs.{name}") for name in TABLES])


TABLES = ("machines", "projects", "sources", "runs", "run_events", "run_steps", "run_artifacts", "mode_events",
          "task_moves", "present")  # fmt: skip


def seen(database: Database) -> list[int]:
    """The positions of what readers see, in order."""
    return [
        position
        for (position,) in table(
            database,
            "SELECT e.position FROM rcs.run_events e JOIN rcs.sources s ON s.id = e.source WHERE NOT s.is_replaced"
            " ORDER BY 1",
        )
    ]


def modes_seen(database: Database) -> list[tuple[str, int]]:
    """The session and number of each event of a history that readers see, in order."""
    query = (
        "SELECT s.name, e.position FROM rcs.mode_events e JOIN rcs.sources s ON s.id = e.source"
        " WHERE NOT s.is_replaced ORDER BY 1, 2"
    )
    return [(str(name), int(position)) for name, position in table(database, query)]


def test_what_is_added_later_is_sent_behind_what_is_there(database: Database, tmp_path: Path) -> None:
    home = Home(tmp_path, database.url())
    for count in (1, 999, 1_000, 1_001):
        home.emit(count)
        home.log("s-1", {})
        assert home.share() == count + 1
    assert shared_events(database) == list(range(1, 3_002))
    assert modes_seen(database) == [("s-1", 1), ("s-1", 2), ("s-1", 3), ("s-1", 4)]


def test_a_restored_history_is_a_source_of_its_own(database: Database, tmp_path: Path) -> None:
    home = Home(tmp_path, database.url())
    path = home.log("s-1", *[{}] * 4)
    backup = path.read_bytes()
    home.log("s-1", *[{}] * 4)
    home.share()
    path.write_bytes(backup)
    assert home.share() == 4
    assert modes_seen(database) == [("s-1", number) for number in range(1, 5)]


def test_the_same_records_sent_twice_are_there_once(database: Database, tmp_path: Path) -> None:
    """Even where nothing here is left of what was sent."""
    home = Home(tmp_path, database.url())
    home.emit(3)
    home.log("s-1", {})
    home.share()
    for path in (home.path / ".rcs" / "share").glob("s*.json"):
        path.unlink()
    assert home.share() == 0
    assert seen(database) == [1, 2, 3]


def test_what_was_pruned_there_does_not_come_back(database: Database, tmp_path: Path) -> None:
    home = Home(tmp_path, database.url())
    home.emit(3)
    home.emit(2)
    home.log("s-1", *[{}] * 5)
    home.share()
    with database.connect() as sql:
        sql.execute("UPDATE rcs.schema SET pruned_before = %s", (iso(NOW + 3),))
        for rows in ("runs", "run_events"):
            sql.execute(f"DELETE FROM rcs.{rows}")
        sql.execute("UPDATE rcs.sources SET is_replaced = true")  # as of stores that were restored, and are read again
    home.share()
    assert seen(database) == [4, 5]
    assert modes_seen(database) == [("s-1", 3), ("s-1", 4), ("s-1", 5)]
    assert table(database, "SELECT id FROM rcs.runs") == [(2,)]
    assert home.share() == 0


def test_the_documents_follow_what_the_dashboard_here_would_show(database: Database, tmp_path: Path) -> None:
    home = Home(tmp_path, database.url())
    workspace = Workspace(home.project, now=time.time()).in_git()
    workspace.prompt("$forge Pay by PLANTED card")
    home.share()
    documents = "SELECT kind, key, record->>'status', record->>'group' FROM rcs.present ORDER BY 1, 2"
    assert table(database, documents) == [
        ("entry", "mode:s1:forge:", None, "running"),
        ("passage", "s1:forge:1", None, None),
        ("session", "s1", "running", None),
    ]
    run_rcs("state", "clear", "--mode", "forge", "--session", "s1", cwd=home.project, env=home.env)
    home.share()
    assert [row[0] for row in table(database, documents)] == ["passage"]
    assert "PLANTED" not in repr(table(database, "SELECT * FROM rcs.present"))
    ((changed, clock),) = table(database, "SELECT changed, (SELECT batch FROM rcs.clock) FROM rcs.projects")
    assert changed == clock


def test_a_second_one_for_the_same_home_says_so_and_ends(database: Database, tmp_path: Path) -> None:
    home = Home(tmp_path, database.url())
    with loop.only_one(str(home.path)), pytest.raises(Refused, match="at work for this home already"):
        home.share()
    assert home.share() == 0


def test_a_damaged_database_is_said_and_keeps_nothing_else_from_being_sent(database: Database, tmp_path: Path) -> None:
    home = Home(tmp_path, database.url())
    home.emit(3)
    good = home.database.read_bytes()
    home.database.write_bytes(b"no database" * 1_000)
    home.log("s-1", {})
    assert home.share() == 1
    assert "is damaged" in home.status()["local_error"]
    home.database.write_bytes(good)
    assert home.share() == 3
    assert home.status()["local_error"] is None
    assert seen(database) == [1, 2, 3]
