"""What is written into the shared database: every record once, in order, whatever happens to the local stores."""

from __future__ import annotations

import random
import time
from typing import TYPE_CHECKING

import pytest

from rcs_hooks.errors import Refused
from rcs_hooks.files.clock import iso
from rcs_hooks.share import file_sources, loop
from rcs_hooks.state import history
from tests.share.support import Home, kill, shared_events, table, wait_for
from tests.support import NOW, Workspace, run_rcs

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from rcs_hooks.share.outbox import Batch
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
    query = (
        "SELECT e.position FROM rcs.run_events e JOIN rcs.sources s ON s.id = e.source WHERE NOT s.is_replaced"
        " ORDER BY 1"
    )
    return [int(position) for (position,) in table(database, query)]


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


def test_the_row_of_a_run_is_as_the_database_here_has_it_and_numbered_over_all_machines(
    database: Database, tmp_path: Path
) -> None:
    home = Home(tmp_path, database.url(), texts=True)
    home.emit(4, runs=2)
    home.share()
    query = "SELECT run_id, workflow, status, current, events, local_last_event, last_event FROM rcs.runs ORDER BY id"
    runs = table(database, query)
    ((batch,),) = table(database, "SELECT id FROM rcs.batches WHERE source > 0")
    assert runs == [
        ("run-1", "forge", "running", "build", 2, 4, batch * 10_000 + 4),
        ("run-2", "forge", "running", "build", 2, 3, batch * 10_000 + 3),
    ]
    assert table(database, "SELECT run, step, status FROM rcs.run_steps ORDER BY 1") == [
        (1, "build", "running"), (2, "build", "running"),
    ]  # fmt: skip


def test_nothing_of_another_project_leaves(database: Database, tmp_path: Path) -> None:
    home = Home(tmp_path, database.url())
    other = tmp_path / "secret"
    other.mkdir()
    home.emit(30_000, project=other)
    home.emit(3)
    home.log("s-2", {}, project=other)
    assert home.share() == 3
    assert shared_events(database) == [30_001, 30_002, 30_003]
    assert modes_seen(database) == []


def test_a_restored_database_that_has_grown_beyond_the_position_is_noticed(database: Database, tmp_path: Path) -> None:
    home = Home(tmp_path, database.url())
    home.emit(10)
    backup = home.database.read_bytes()
    home.emit(10)
    home.share()
    home.database.write_bytes(backup)
    home.emit(1)  # so that what follows has other moments
    home.emit(30)
    assert home.share() == 41
    assert seen(database) == home.event_ids()


def test_a_database_that_was_deleted_leaves_what_it_had(database: Database, tmp_path: Path) -> None:
    home = Home(tmp_path, database.url())
    home.emit(5)
    home.share()
    home.database.unlink()
    home.emit(7)
    assert home.share() == 7
    assert seen(database) == sorted([*range(1, 6), *range(1, 8)])


def test_a_history_with_more_than_is_read_from_its_end_is_sent_from_its_beginning(
    database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = Home(tmp_path, database.url())
    monkeypatch.setattr(file_sources, "MOST_LINES", 50)
    home.log("s-1", *[{}] * 2_500)
    home.log("s-2", *[{}] * 40)
    monkeypatch.setattr(history, "MOST_READ", 2_000)  # bytes: fewer than what waits in s-2
    assert home.share() == 2_540
    home.log("s-1", {"n": 2_501})
    assert home.share() == 1
    wanted = [("s-1", number) for number in range(1, 2_502)] + [("s-2", number) for number in range(1, 41)]
    assert modes_seen(database) == wanted


def test_a_transcript_that_is_gone_before_all_of_it_was_sent_ends_nothing(
    database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = Home(tmp_path, database.url())
    path = home.task("build", 3)
    read = file_sources.TaskSource.batches

    def batches(source: file_sources.TaskSource, after: int) -> Iterator[Batch]:
        for batch in read(source, after):
            path.unlink()
            yield batch

    monkeypatch.setattr(file_sources.TaskSource, "batches", batches)
    assert home.share() == 3


def test_what_a_clock_that_is_behind_has_stamped_is_sent_though_such_was_pruned(
    database: Database, tmp_path: Path
) -> None:
    home = Home(tmp_path, database.url())
    home.log("s-1", {}, {})
    with database.connect() as owner:
        owner.execute("UPDATE rcs.schema SET pruned_before = '2999-01-01T00:00:00.000Z'")
    assert home.share() == 2
    assert modes_seen(database) == [("s-1", 1), ("s-1", 2)]


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


# --- killed


def are_sent(database: Database, homes: list[Home]) -> bool:
    """Tell whether the position of each machine's runs is that of its last event."""
    query = "SELECT m.name, s.position FROM rcs.sources s JOIN rcs.machines m ON m.id = s.machine WHERE s.kind = 'runs'"
    positions = dict(table(database, query))
    return all(positions.get(home.name, 0) == home.event_ids()[-1] for home in homes)


def check_all_is_there_once(database: Database, homes: list[Home]) -> None:
    for home in homes:
        assert shared_events(database, home.name) == home.event_ids()
    assert table(database, "SELECT count(*) FROM rcs.sources WHERE is_replaced") == [(0,)]
    for kind, rows in (("history", "mode_events"), ("task", "task_moves")):
        query = (
            f"SELECT s.position, count(*), min(e.position), max(e.position) FROM rcs.sources s"
            f" JOIN rcs.{rows} e ON e.source = s.id WHERE s.kind = '{kind}' GROUP BY s.id"
        )
        found = table(database, query)
        assert len(found) == len(homes)
        assert all((count, first, last) == (position, 1, position) for position, count, first, last in found)


@pytest.mark.slow
def test_a_writer_that_is_killed_at_any_moment_sends_everything_once(database: Database, tmp_path: Path) -> None:
    chance = random.Random(7)
    homes = [Home(tmp_path / str(number), database.url(), f"m-{number}") for number in range(3)]
    for home in homes:
        home.emit(4_000)
        home.log("s-1", *[{}] * 30)
        home.task("pay", 3)
    before = [home.local_bytes() for home in homes]
    programs = [home.program() for home in homes]
    for number in (0, 1, 2) * 3:
        time.sleep(chance.uniform(0.0, 1.0))  # not to wait for anything, but to kill at another moment each time
        kill(programs[number])
        programs[number] = homes[number].program()
    wait_for(lambda: are_sent(database, homes))
    wait_for(lambda: table(database, "SELECT sum(position) FROM rcs.sources WHERE kind <> 'runs'") == [(99,)])
    for program in programs:
        kill(program)
    check_all_is_there_once(database, homes)
    assert [home.local_bytes() for home in homes] == before
