"""What is pruned here before it was shared stays, unless `--force` says otherwise."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from rcs_hooks.share import schema
from tests.share.support import Home, Sharing, shared_events, table, wait_for
from tests.support import run_rcs

if TYPE_CHECKING:
    from pathlib import Path

    from tests.share.conftest import Database

PRUNE = ("runs", "prune", "--older-than", "1d")
NOWHERE = "postgresql://nobody@127.0.0.1:1/nothing"


def test_runs_that_were_not_shared_stay_unless_forced(database: Database, tmp_path: Path) -> None:
    home = Home(tmp_path, database.url())
    home.emit(5, runs=2)
    said = run_rcs(*PRUNE, cwd=home.project, env=home.env)
    assert (said.returncode, said.stdout) == (0, "0 deleted\n")
    assert said.stderr.startswith("rcs: 2 runs stay, for they are not known to be shared yet; to share: rcs share run")
    home.share()
    home.emit(5, runs=3)
    said = run_rcs(*PRUNE, "--json", cwd=home.project, env=home.env)
    assert sorted(json.loads(said.stdout)["unsent"]) == ["run-3", "run-4", "run-5"]
    assert run_rcs(*PRUNE, "--force", cwd=home.project, env=home.env).stdout == "3 deleted\n"


def test_a_purge_says_how_much_was_not_shared(tmp_path: Path) -> None:
    home = Home(tmp_path, NOWHERE)
    home.emit(5)
    said = run_rcs("uninstall", "--purge", "--yes", cwd=home.project, env=home.env)
    assert (said.returncode, home.database.exists()) == (0, False)
    assert said.stderr.startswith("rcs: 5 records of shared folders are not shared yet; to share: rcs share run --once")


def test_nothing_waits_where_nothing_is_shared(tmp_path: Path) -> None:
    home = Home(tmp_path, NOWHERE)
    home.emit(5, runs=2)
    home.configure([])
    said = run_rcs(*PRUNE, cwd=home.project, env=home.env)
    assert (said.returncode, said.stdout, said.stderr) == (0, "2 deleted\n", "")


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
