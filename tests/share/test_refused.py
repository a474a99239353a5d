"""What the shared database refuses for its data is left out by itself: the rest goes on, each record once."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from rcs_hooks.share.errors import ShareError
from tests.share.support import Home, Sharing, shared_events, table, wait_for

if TYPE_CHECKING:
    from tests.share.conftest import Database


def refuse(database: Database, where: str, check: str) -> None:
    """Make the database refuse rows, as it would a value that no column holds."""
    with database.connect() as sql:
        sql.execute(f"ALTER TABLE rcs.{where} ADD CONSTRAINT refused CHECK ({check})".encode())


def test_a_refused_event_is_left_out_and_the_rest_is_there_once(database: Database, tmp_path: Path) -> None:
    home = Home(tmp_path, database.url())
    home.emit(2_500, runs=3)
    home.log("s-1", *[{}] * 40)
    refuse(database, "run_events", "position <> 700 AND position <> 701 AND position <> 2500")
    assert home.share() == 2_500 - 3 + 40
    assert shared_events(database) == [n for n in range(1, 2_501) if n not in (700, 701, 2_500)]
    assert table(database, "SELECT position FROM rcs.sources ORDER BY id") == [(2_500,), (40,)]
    assert home.status()["refused"].startswith("3 events cannot be shared; the last one is of run forge-")
    home.emit(10)
    assert home.share() == 10
    assert len(shared_events(database)) == 2_507
    assert home.status()["refused"].startswith("3 events")


def test_the_run_of_a_refused_event_is_named(database: Database, tmp_path: Path) -> None:
    home = Home(tmp_path, database.url(), texts=True)
    home.emit(1)
    refuse(database, "run_events", "position <> 1")
    assert home.share() == 0
    said = home.status()["refused"]
    assert said.startswith("1 event of run run-1 cannot be shared: ")
    assert "SQLSTATE 23514" in said


def test_each_run_is_as_the_last_event_that_was_sent_with_it(database: Database, tmp_path: Path) -> None:
    home = Home(tmp_path, database.url())
    home.emit(900, runs=2)
    refuse(database, "run_events", "position <> 450")
    home.share()
    rows = table(
        database,
        "SELECT r.local_last_event, r.last_event, 10000 * b.id + e.place FROM rcs.runs r JOIN rcs.batches b"
        " ON b.source = r.source AND r.local_last_event > b.after AND r.local_last_event <= b.upto"
        " JOIN LATERAL (SELECT position, row_number() OVER (ORDER BY position) AS place FROM rcs.run_events"
        " WHERE source = b.source AND position > b.after AND position <= b.upto) e ON e.position = r.local_last_event",
    )
    assert sorted(local for local, _, _ in rows) == [899, 900]
    assert all(last == number for _, last, number in rows)


def test_a_refused_event_of_a_history_and_a_refused_move_are_left_out(database: Database, tmp_path: Path) -> None:
    home = Home(tmp_path, database.url())
    home.log("s-1", *[{}] * 5)
    home.task("pay", 4)
    refuse(database, "mode_events", "position <> 2")
    refuse(database, "task_moves", "position <> 3")
    home.share()
    assert table(database, "SELECT position FROM rcs.mode_events ORDER BY 1") == [(1,), (3,), (4,), (5,)]
    assert table(database, "SELECT position FROM rcs.task_moves ORDER BY 1") == [(1,), (2,), (4,)]
    assert home.status()["refused"].startswith("2 events cannot be shared; the last one is of task task-")


def test_a_refused_document_is_left_out(database: Database, tmp_path: Path) -> None:
    home = Home(tmp_path, database.url())
    home.log("s-1", *[{}] * 5)
    home.log("s-2", *[{}] * 5)
    home.task("pay", 4)
    refuse(database, "present", "kind <> 'passage' OR key NOT LIKE 's-1:%'")
    home.share()
    found = {(kind, key.partition(":")[0]) for kind, key in table(database, "SELECT kind, key FROM rcs.present")}
    assert ("passage", "s-2") in found
    assert ("passage", "s-1") not in found
    assert home.status()["refused"].startswith("1 document of kind passage cannot be shared: ")


def test_a_schema_that_is_broken_makes_nothing_be_left_out(database: Database, tmp_path: Path) -> None:
    home = Home(tmp_path, database.url())
    home.emit(10)
    with database.connect() as sql:
        sql.execute("ALTER TABLE rcs.run_events RENAME COLUMN unit TO part")
    with pytest.raises(ShareError):
        home.share()
    assert table(database, "SELECT position FROM rcs.sources") == [(0,)]
    with database.connect() as sql:
        sql.execute("ALTER TABLE rcs.run_events RENAME COLUMN part TO unit")
    assert home.share() == 10


@pytest.mark.parametrize("number", [2**31, 2**53, 10**14])
def test_a_number_of_a_repository_that_no_column_holds_keeps_nothing_from_leaving(
    number: int, database: Database, tmp_path: Path
) -> None:
    home = Home(tmp_path, database.url())
    home.emit(3)
    home.log("s-1", {"iteration": number}, {}, {"data": {"exit": number, "seconds": 1e308}})
    home.share()
    assert table(database, "SELECT iteration FROM rcs.mode_events ORDER BY position") == [(None,), (1,), (1,)]
    assert len(shared_events(database)) == 3
    assert home.status()["refused"] is None


def test_while_it_runs_others_are_sent_past_what_is_refused(database: Database, tmp_path: Path) -> None:
    home = Home(tmp_path, database.url())
    refuse(database, "run_events", "position % 7 <> 0")
    with Sharing(home):
        for _ in range(5):
            home.emit(20)
        wait_for(lambda: len(shared_events(database)) == 100 - 14)
        wait_for(lambda: (home.status().get("refused") or "").startswith("14 events"))
        assert home.status()["error"] is None
    assert json.loads((home.path / ".rcs/share/status.json").read_text())["state"] == "stopped"
