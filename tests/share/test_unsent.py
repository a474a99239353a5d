"""What is pruned or folded here before it was shared: it is shared first, or stays and is said."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from rcs_hooks.files import sent
from tests.share.support import Home, shared_events
from tests.support import run_rcs

if TYPE_CHECKING:
    from pathlib import Path

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


def test_nothing_waits_where_nothing_is_shared(tmp_path: Path) -> None:
    home = Home(tmp_path, NOWHERE)
    home.emit(5, runs=2)
    home.configure([])
    said = run_rcs(*PRUNE, cwd=home.project, env=home.env)
    assert (said.returncode, said.stdout, said.stderr) == (0, "2 deleted\n", "")


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
