"""What is pruned or folded here before it was shared: it is shared first, or stays and is said."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from rcs_hooks.files import sent
from rcs_hooks.share import schema
from rcs_hooks.state import history_folding
from tests.share.support import Home, Sharing, shared_events, table, wait_for
from tests.support import run_rcs

if TYPE_CHECKING:
    from tests.share.conftest import Database

PRUNE = ("runs", "prune", "--older-than", "1d")
NOWHERE = "postgresql://nobody@127.0.0.1:1/nothing"


def test_runs_are_shared_before_they_are_pruned(database: Database, tmp_path: Path) -> None:
    home = Home(tmp_path, database.url())
    home.share()
    home.emit(5, runs=2)
    said = run_rcs(*PRUNE, cwd=home.project, env=home.env)
    assert (said.returncode, said.stdout, said.stderr) == (0, "2 deleted\n", "")
    assert shared_events(database) == [1, 2, 3, 4, 5]
    assert home.event_ids() == []


def test_runs_that_cannot_be_shared_now_stay_and_it_is_said(tmp_path: Path) -> None:
    home = Home(tmp_path, NOWHERE)
    other = tmp_path / "other"
    other.mkdir()
    home.emit(5, runs=2)
    home.emit(5, runs=3, project=other)
    sent.note_projects(str(home.path), [str(home.project)])
    said = run_rcs(*PRUNE, cwd=home.project, env=home.env)
    assert (said.returncode, said.stdout) == (0, "3 deleted\n")
    assert said.stderr.startswith(
        "rcs: 2 runs stay, for they are not known to be shared: no connection to nothing on 127.0.0.1:1"
    )
    assert home.event_ids() == [1, 2, 3, 4, 5]
    said = run_rcs(*PRUNE, "--json", cwd=home.project, env=home.env)
    assert json.loads(said.stdout)["unsent"]["runs"] == ["run-2", "run-1"]


def test_what_a_note_claims_of_a_restored_database_is_not_believed(database: Database, tmp_path: Path) -> None:
    home = Home(tmp_path, database.url())
    home.emit(5, runs=2)
    backup = tmp_path / "backup.db"
    shutil.copy(home.database, backup)
    home.emit(50)
    home.share()
    shutil.copy(backup, home.database)
    home.emit(7)
    kept = home.event_ids()
    home.url = NOWHERE
    home.configure([(home.project, "pay", False)])
    said = run_rcs(*PRUNE, cwd=home.project, env=home.env)
    assert "3 runs stay, for they are not known to be shared: no connection to" in said.stderr
    assert home.event_ids() == kept
    home.url = database.url()
    home.configure([(home.project, "pay", False)])
    said = run_rcs(*PRUNE, cwd=home.project, env=home.env)
    assert (said.returncode, said.stdout, said.stderr) == (0, "3 deleted\n", "")
    assert shared_events(database) == kept


def test_runs_go_to_the_database_that_is_named_now_before_they_are_pruned(
    database: Database, empty_database: Database, tmp_path: Path
) -> None:
    home = Home(tmp_path, database.url())
    home.emit(5)
    home.share()
    schema.init(empty_database.address)
    home.url = empty_database.url()
    home.configure([(home.project, "pay", False)])
    assert run_rcs(*PRUNE, cwd=home.project, env=home.env).stdout == "1 deleted\n"
    assert shared_events(empty_database) == [1, 2, 3, 4, 5]


def test_a_project_that_is_named_stays_though_no_note_of_it_is_left(tmp_path: Path) -> None:
    home = Home(tmp_path, NOWHERE)
    home.emit(5)
    said = run_rcs(*PRUNE, cwd=home.project, env=home.env)
    assert "1 run stays, for it is not known to be shared: no connection to" in said.stderr
    assert home.event_ids() == [1, 2, 3, 4, 5]


@pytest.mark.slow
def test_while_the_program_is_at_work_pruning_waits_for_it(database: Database, tmp_path: Path) -> None:
    home = Home(tmp_path, database.url())
    with Sharing(home):
        wait_for(lambda: home.status().get("state") == "current")
        home.emit(5, runs=2)
        said = run_rcs(*PRUNE, cwd=home.project, env=home.env)
    assert (said.returncode, said.stdout, said.stderr) == (0, "2 deleted\n", "")
    assert shared_events(database) == [1, 2, 3, 4, 5]


def test_nothing_waits_where_nothing_is_shared(tmp_path: Path) -> None:
    home = Home(tmp_path, NOWHERE)
    home.emit(5, runs=2)
    home.configure([])
    said = run_rcs(*PRUNE, cwd=home.project, env=home.env)
    assert (said.returncode, said.stdout, said.stderr) == (0, "2 deleted\n", "")


def test_a_history_is_folded_only_once_it_was_shared(database: Database, tmp_path: Path) -> None:
    home = Home(tmp_path, database.url())
    path = home.log("s-1", *[{}] * 6_000)
    folder, person = str(home.project / ".rcs" / "state"), str(home.path)
    sent.note_projects(person, [str(home.project)])
    before = path.read_bytes()
    assert not history_folding.fold(folder, "s-1", home=person)
    assert path.read_bytes() == before
    home.share()
    assert history_folding.fold(folder, "s-1", home=person)
    assert table(database, "SELECT count(*), max(position) FROM rcs.mode_events") == [(6_000, 6_000)]


def test_pruning_the_state_shares_first_and_then_folds(database: Database, tmp_path: Path) -> None:
    home = Home(tmp_path, database.url())
    path = home.log("s-1", *[{}] * 6_000)
    home.share()
    home.log("s-1", *[{}] * 6_000)
    said = run_rcs("state", "prune", cwd=home.project, env=home.env)
    assert (said.returncode, said.stderr) == (0, "")
    assert path.read_bytes().count(b"\n") < 12_000
    assert table(database, "SELECT count(*) FROM rcs.mode_events") == [(12_000,)]


def test_a_history_that_cannot_be_shared_now_stays_as_it_is(tmp_path: Path) -> None:
    home = Home(tmp_path, NOWHERE)
    path = home.log("s-1", *[{}] * 6_000)
    before = path.read_bytes()
    sent.note_projects(str(home.path), [str(home.project)])
    said = run_rcs("state", "prune", cwd=home.project, env=home.env)
    assert said.returncode == 0
    assert "long histories that are not shared yet are not folded: no connection to" in said.stderr
    assert path.read_bytes() == before


def test_a_purge_shares_first_or_removes_nothing(database: Database, tmp_path: Path) -> None:
    home = Home(tmp_path, NOWHERE)
    home.emit(5)
    sent.note_projects(str(home.path), [str(home.project)])
    said = run_rcs("uninstall", "--purge", "--yes", cwd=home.project, env=home.env)
    assert said.returncode == 1
    assert "what is not shared yet would be lost, so nothing was removed: no connection to" in said.stderr
    assert home.event_ids() == [1, 2, 3, 4, 5]
    home.url = database.url()
    home.configure([(home.project, "pay", False)])
    said = run_rcs("uninstall", "--purge", "--yes", cwd=home.project, env=home.env)
    assert said.returncode == 0, said.stderr
    assert shared_events(database) == [1, 2, 3, 4, 5]
    assert not home.database.exists()


def test_a_damaged_note_counts_as_nothing_sent(tmp_path: Path) -> None:
    home = Home(tmp_path, NOWHERE)
    path = home.path / ".rcs" / "share" / "sent.json"
    path.parent.mkdir()
    path.write_text("{")
    known = sent.load(str(home.path))
    assert known.is_shared(str(home.project))
    assert known.upto(str(home.project), sent.HISTORIES, "s-1") == 0


def test_the_note_forgets_a_project_that_is_no_longer_shared(tmp_path: Path) -> None:
    home, one, two = str(tmp_path), str(tmp_path / "one"), str(tmp_path / "two")
    sent.note_projects(home, [one, two])
    sent.note_sent(home, {one: {"histories": {"s-1": 3}}, two: {"runs": {"db": 4}}})
    sent.note_sent(home, {one: {"histories": {"s-2": 5}}})
    known = sent.load(home)
    assert [known.upto(one, "histories", name) for name in ("s-1", "s-2", "s-3")] == [3, 5, 0]
    sent.note_projects(home, [two])
    sent.note_sent(home, {one: {"histories": {"s-1": 9}}})
    known = sent.load(home)
    assert (known.is_shared(one), known.is_shared(two), known.upto(two, "runs", "db")) == (False, True, 4)


def test_the_note_forgets_what_was_sent_to_another_database(tmp_path: Path) -> None:
    home, one = str(tmp_path), str(tmp_path / "one")
    sent.note_projects(home, [one], "team on db")
    sent.note_sent(home, {one: {"histories": {"s-1": 3}}})
    sent.note_projects(home, [one])
    sent.note_projects(home, [one], "team on db")
    assert sent.load(home).upto(one, "histories", "s-1") == 3
    sent.note_projects(home, [one], "team on other")
    assert sent.load(home).is_shared(one)
    assert sent.load(home).upto(one, "histories", "s-1") == 0
    sent.note_sent(home, {one: {"histories": {"s-1": 3}}}, "team on db")  # by who has not seen yet that it is another
    assert sent.load(home).upto(one, "histories", "s-1") == 0
    sent.note_sent(home, {one: {"histories": {"s-1": 2}}}, "team on other")
    assert sent.load(home).upto(one, "histories", "s-1") == 2


@pytest.mark.parametrize("by_hand", [False, True], ids=["by init", "by hand"])
def test_a_history_is_folded_only_once_the_database_has_it_that_init_has_named(
    database: Database, empty_database: Database, tmp_path: Path, *, by_hand: bool
) -> None:
    home = Home(tmp_path, database.url())
    path = home.log("s-1", *[{}] * 6_000)
    folder, person = str(path.parents[2]), str(home.path)
    home.share()

    def init(named: Database) -> int:
        said = run_rcs("share", "init", named.url(), cwd=home.project, env=home.env)
        assert (said.returncode, said.stderr) == (0, "")
        return sent.load(person).upto(str(home.project), sent.HISTORIES, "s-1")

    assert init(database) == 6_000
    if by_hand:  # as after an init that was ended between its two files
        home.url = empty_database.url()
        home.configure([(home.project, "pay", False)])
    assert init(empty_database) == 0
    assert not history_folding.fold(folder, "s-1", home=person)
    home.share()
    assert history_folding.fold(folder, "s-1", home=person)
    assert table(empty_database, "SELECT count(*), min(position) FROM rcs.mode_events") == [(6_000, 1)]


@pytest.mark.parametrize("changes", [False, True], ids=["the url that was there", "another url"])
def test_init_takes_nothing_from_a_program_that_shares_with_the_database_of_rcs_share(
    database: Database, empty_database: Database, tmp_path: Path, *, changes: bool
) -> None:
    schema.init(empty_database.address)
    home = Home(tmp_path, (empty_database if changes else database).url())
    home.log("s-1", {}, {})

    def upto() -> int:
        return sent.load(str(home.path)).upto(str(home.project), sent.HISTORIES, "s-1")

    without = dict(home.env)
    home.env["RCS_SHARE"] = empty_database.url()
    with Sharing(home):
        wait_for(lambda: upto() == 2)
        said = run_rcs("share", "init", database.url(), cwd=home.project, env=without)
        assert (said.returncode, said.stderr) == (0, "")
        wait_for(lambda: upto() == 2)
        home.log("s-1", {})
        wait_for(lambda: upto() == 3)
    assert table(empty_database, "SELECT count(*) FROM rcs.mode_events") == [(3,)]


def test_what_was_sent_to_one_database_is_sent_to_the_next_one_too(
    database: Database, empty_database: Database, tmp_path: Path
) -> None:
    home = Home(tmp_path, database.url())
    home.emit(5)
    home.log("s-1", *[{}] * 5)
    schema.init(empty_database.address)
    with Sharing(home):
        wait_for(lambda: shared_events(database) == home.event_ids())
        wait_for(lambda: table(database, "SELECT count(*) FROM rcs.mode_events") == [(5,)])
        home.url = empty_database.url()
        home.configure([(home.project, "pay", False)])
        wait_for(lambda: shared_events(empty_database) == home.event_ids())
        wait_for(lambda: table(empty_database, "SELECT count(*) FROM rcs.mode_events") == [(5,)])


def test_a_purge_removes_nothing_while_a_shared_folder_cannot_be_read(database: Database, tmp_path: Path) -> None:
    home = Home(tmp_path, database.url())
    home.emit(5)
    gone = tmp_path / "gone"
    home.configure([(home.project, "pay", False), (gone, "gone", False)])
    sent.note_projects(str(home.path), [str(home.project), str(gone)])
    said = run_rcs("uninstall", "--purge", "--yes", cwd=home.project, env=home.env)
    assert said.returncode == 1
    assert f"nothing was removed: {gone}" in said.stderr
    assert home.event_ids() == [1, 2, 3, 4, 5]
