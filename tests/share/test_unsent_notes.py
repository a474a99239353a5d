"""What is removed or folded here though the note of what was sent is missing, or says less or more than is so."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from rcs_hooks.files import sent
from rcs_hooks.share import progress
from rcs_hooks.state import history_folding
from tests.share.proxy import PASSES, SWALLOWS, Proxy
from tests.share.support import Home, Sharing, shared_events, table, wait_for
from tests.support import run_rcs

if TYPE_CHECKING:
    from tests.share.conftest import Database

NOWHERE = "postgresql://nobody@127.0.0.1:1/nothing"
PURGE = ("uninstall", "--purge", "--yes")


def note(home: Home) -> Path:
    return home.path / ".rcs" / "share" / "sent.json"


def test_a_purge_removes_nothing_of_a_project_that_only_the_settings_name(database: Database, tmp_path: Path) -> None:
    home = Home(tmp_path, NOWHERE)
    home.emit(5)
    said = run_rcs(*PURGE, cwd=home.project, env=home.env)
    assert said.returncode == 1
    assert "what is not shared yet would be lost, so nothing was removed: no connection to" in said.stderr
    assert home.event_ids() == [1, 2, 3, 4, 5]
    note(home).unlink()
    home.url = database.url()
    home.configure([(home.project, "pay", False)])
    said = run_rcs(*PURGE, cwd=home.project, env=home.env)
    assert said.returncode == 0, said.stderr
    assert shared_events(database) == [1, 2, 3, 4, 5]


def test_a_purge_sends_the_runs_that_it_removes_wherever_others_are_kept(database: Database, tmp_path: Path) -> None:
    home = Home(tmp_path, database.url())
    home.emit(5)
    said = run_rcs(*PURGE, cwd=home.project, env=home.env | {"RCS_DB": str(tmp_path / "elsewhere.db")})
    assert said.returncode == 0, said.stderr
    assert not home.database.exists()
    assert shared_events(database) == [1, 2, 3, 4, 5]


@pytest.mark.parametrize(("named", "where"), [(".rcs/own.db", "project/.rcs"), ("{home}/.rcs/own.db", "home/.rcs")])
def test_a_purge_sends_the_runs_of_rcs_db_where_it_removes_them(
    named: str, where: str, database: Database, tmp_path: Path
) -> None:
    home = Home(tmp_path, NOWHERE)
    home.emit(2)
    home.database = tmp_path / where / "own.db"
    home.database.parent.mkdir(exist_ok=True)
    home.emit(5)
    home.env["RCS_DB"] = named.format(home=home.path)
    said = run_rcs(*PURGE, cwd=home.project, env=home.env)
    assert "nothing was removed: no connection to" in said.stderr
    assert home.event_ids() == [1, 2, 3, 4, 5]
    home.url = database.url()
    home.configure([(home.project, "pay", False)])
    said = run_rcs(*PURGE, cwd=home.project, env=home.env)
    assert said.returncode == 0, said.stderr
    assert not home.database.exists()
    assert shared_events(database) == [1, 2, 1, 2, 3, 4, 5]


def test_pruning_the_state_keeps_a_history_that_only_the_settings_name(database: Database, tmp_path: Path) -> None:
    home = Home(tmp_path, NOWHERE)
    path = home.log("s-1", *[{}] * 6_000)
    before = path.read_bytes()
    said = run_rcs("state", "prune", cwd=home.project, env=home.env)
    assert said.returncode == 0
    assert "long histories that are not shared yet are not folded: no connection to" in said.stderr
    assert path.read_bytes() == before
    note(home).unlink()
    home.url = database.url()
    home.configure([(home.project, "pay", False)])
    said = run_rcs("state", "prune", cwd=home.project, env=home.env)
    assert (said.returncode, said.stderr) == (0, "")
    assert path.read_bytes().count(b"\n") < 6_000
    assert table(database, "SELECT count(*) FROM rcs.mode_events") == [(6_000,)]


def test_a_hook_and_the_log_leave_a_history_to_others_that_only_the_settings_may_name(tmp_path: Path) -> None:
    home = Home(tmp_path, NOWHERE)
    other = tmp_path / "other"
    paths = [home.log("s-1", *[{}] * 6_000), home.log("s-1", *[{}] * 6_000, project=other)]
    before = [path.read_bytes() for path in paths]
    folders, person = [str(path.parents[2]) for path in paths], str(home.path)
    assert [history_folding.fold(folder, "s-1", home=person) for folder in folders] == [False, False]
    assert run_rcs("log", cwd=home.project, env=home.env).returncode == 0
    assert [path.read_bytes() for path in paths] == before
    said = run_rcs("state", "prune", cwd=other, env=home.env)  # which reads the settings, and so finds it is not shared
    assert (said.returncode, said.stderr) == (0, "")
    assert paths[1].read_bytes() != before[1]
    assert not history_folding.fold(folders[0], "s-1", home=person)
    assert sent.load(person).is_shared(str(home.project))


def test_a_history_is_folded_at_once_where_the_settings_name_no_project(tmp_path: Path) -> None:
    home = Home(tmp_path, NOWHERE)
    path = home.log("s-1", *[{}] * 6_000)
    home.configure([])
    assert history_folding.fold(str(path.parents[2]), "s-1", home=str(home.path))


def test_a_history_is_folded_at_once_where_the_settings_say_nothing_of_sharing(tmp_path: Path) -> None:
    home = Home(tmp_path, NOWHERE)
    path = home.log("s-1", *[{}] * 6_000)
    (home.path / ".rcs/config.toml").write_text('[proof]\ncommand = "make -C ~/projects/pay test"\n')
    assert history_folding.fold(str(path.parents[2]), "s-1", home=str(home.path))


def test_a_note_of_older_settings_names_too_little(tmp_path: Path) -> None:
    home = Home(tmp_path, NOWHERE)
    other = tmp_path / "other"
    other.mkdir()
    folder = str(home.log("s-1", *[{}] * 6_000, project=other).parents[2])
    assert run_rcs("share", "remove", str(tmp_path / "none"), cwd=home.project, env=home.env).returncode == 0
    home.configure([(home.project, "pay", False), (other, "other", False)])
    assert not sent.load(str(home.path)).is_shared(str(other))
    assert not history_folding.fold(folder, "s-1", home=str(home.path))
    home.configure([(home.project, "pay", False)])
    assert run_rcs("share", "remove", str(other), cwd=home.project, env=home.env).returncode == 0
    assert history_folding.fold(folder, "s-1", home=str(home.path))


@pytest.fixture
def proxy(database: Database) -> Iterator[Proxy]:
    found = Proxy(database.server.port)
    yield found
    found.close()


@pytest.mark.slow
def test_while_the_server_is_silent_nothing_is_removed_though_all_seems_to_be_sent(
    database: Database, proxy: Proxy, tmp_path: Path
) -> None:
    home = Home(tmp_path, f"postgresql://postgres@127.0.0.1:{proxy.port}/{database.name}")
    with Sharing(home):
        wait_for(lambda: home.status().get("state") == progress.CURRENT)
        proxy.mode = SWALLOWS
        home.emit(5)
        said = run_rcs(*PURGE, cwd=home.project, env=home.env)
        proxy.mode = PASSES
        proxy.cut()
    assert said.returncode == 1
    assert "nothing was removed: `rcs share run` is at work for this home already" in said.stderr
    assert home.event_ids() == [1, 2, 3, 4, 5]


@pytest.mark.slow
def test_a_purge_waits_for_the_program_that_is_at_work(database: Database, tmp_path: Path) -> None:
    home = Home(tmp_path, database.url())
    home.log("s-1", *[{}] * 5)
    with Sharing(home):
        wait_for(lambda: home.status().get("state") == progress.CURRENT)
        home.emit(5)
        home.log("s-1", *[{}] * 5)
        said = run_rcs(*PURGE, cwd=home.project, env=home.env)
    assert (said.returncode, said.stderr) == (0, "")
    assert shared_events(database) == [1, 2, 3, 4, 5]
    assert table(database, "SELECT count(*) FROM rcs.mode_events") == [(10,)]


def noted(home: Home) -> sent.Sent:
    """What is noted once somebody has noted what the settings name."""
    assert run_rcs("share", "remove", str(home.path / "none"), cwd=home.project, env=home.env).returncode == 0
    return sent.load(str(home.path))


def test_settings_that_cannot_be_read_now_take_no_project_from_what_was_noted(tmp_path: Path) -> None:
    home = Home(tmp_path, NOWHERE)
    home.emit(5)
    other = home.log("s-1", {}, project=tmp_path / "other").parents[4]
    assert noted(home).is_shared(str(home.project))
    (home.path / ".rcs/config.toml").write_text("[[share.projects\n")
    assert run_rcs("state", "prune", cwd=other, env=home.env).returncode == 0
    assert sent.load(str(home.path)).is_shared(str(home.project))
    said = run_rcs("runs", "prune", "--older-than", "1d", cwd=home.project, env=home.env)
    assert "not known to be shared" in said.stderr
    assert home.event_ids() == [1, 2, 3, 4, 5]


def test_a_project_that_is_removed_is_not_noted_whatever_else_of_the_settings_is_wrong(tmp_path: Path) -> None:
    home = Home(tmp_path, NOWHERE)
    other = tmp_path / "other"
    home.configure([(home.project, "pay", False), (other, "other", False)])
    assert noted(home).roots == [str(other), str(home.project)]
    home.configure([(home.project, "pay", False), (other, "a/b", False)])
    assert noted(home).roots == [str(other), str(home.project)]
    assert run_rcs("share", "remove", str(home.project), cwd=home.project, env=home.env).returncode == 0
    assert sent.load(str(home.path)).roots == [str(other)]


def test_a_variable_that_counts_for_nothing_keeps_no_history_from_being_folded(tmp_path: Path) -> None:
    home = Home(tmp_path, NOWHERE)
    home.env["RCS_SHARE"] = "postgresql://elsewhere/nothing"
    folder = str(home.log("s-1", *[{}] * 6_000, project=tmp_path / "other").parents[2])
    assert noted(home).is_shared(str(home.project))
    assert history_folding.fold(folder, "s-1", home=str(home.path))
