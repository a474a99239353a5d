"""What is pruned here before it was shared stays, and is said; `--force` gives it up."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from tests.share.support import Home
from tests.support import run_rcs

if TYPE_CHECKING:
    from pathlib import Path

    from tests.share.conftest import Database

PRUNE = ("runs", "prune", "--older-than", "1d")
NOWHERE = "postgresql://nobody@127.0.0.1:1/nothing"


def test_runs_that_are_not_shared_stay_unless_they_are_given_up(database: Database, tmp_path: Path) -> None:
    home = Home(tmp_path, database.url())
    other = tmp_path / "other"
    other.mkdir()
    home.emit(5, runs=2)
    home.share()
    home.emit(5, runs=2)
    home.emit(5, runs=3, project=other)
    said = run_rcs(*PRUNE, cwd=home.project, env=home.env)
    assert (said.returncode, said.stdout) == (0, "5 deleted\n")
    assert said.stderr == (
        "rcs: 2 runs stay, for they are not known to be shared; "
        "to send first: rcs share run --once; to give it up: --force\n"
    )
    said = run_rcs(*PRUNE, "--json", cwd=home.project, env=home.env)
    assert json.loads(said.stdout)["unsent"] == ["run-3", "run-4"]
    assert run_rcs(*PRUNE, "--force", cwd=home.project, env=home.env).stdout == "2 deleted\n"
    assert home.event_ids() == []


def test_nothing_stays_where_nothing_is_shared(tmp_path: Path) -> None:
    home = Home(tmp_path, NOWHERE)
    home.emit(5, runs=2)
    home.configure([])
    said = run_rcs(*PRUNE, cwd=home.project, env=home.env)
    assert (said.returncode, said.stdout, said.stderr) == (0, "2 deleted\n", "")


def test_a_purge_of_what_is_not_shared_removes_nothing_unless_it_is_given_up(tmp_path: Path) -> None:
    home = Home(tmp_path, NOWHERE)
    home.emit(5)
    purge = ("uninstall", "--purge", "--yes")
    said = run_rcs(*purge, cwd=home.project, env=home.env)
    assert said.returncode == 1
    assert "5 events are not shared yet and would be lost, so nothing was removed" in said.stderr
    assert home.event_ids() == [1, 2, 3, 4, 5]
    said = run_rcs(*purge, "--force", cwd=home.project, env=home.env)
    assert said.returncode == 0, said.stderr
    assert not home.database.exists()
