"""How the files of a shared project are looked at: seldom where that is dear, at once where something happens."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import uuid4

import pytest

from rcs_hooks.config.share_table import SharedProject
from rcs_hooks.share.local_project import ANYWAY, LONGEST_PAUSE, RECENT, LocalProject
from tests.share.support import Home, Sharing, table, wait_for

if TYPE_CHECKING:
    from tests.share.conftest import Database

DEAR = 10**9
"""So many projects share the time for looking that one look takes the longest pause."""
NOWHERE = "postgresql://nobody@127.0.0.1:1/nothing"


def changed(project: LocalProject, clock: float) -> list[str]:
    """The sources that have changed; they count as sent."""
    names = []
    for source, stamp in project.changed(clock, DEAR):
        names.append(source.name)
        project.was_sent(source, stamp, 1)
    return names


def test_what_was_written_a_moment_ago_is_looked_at_every_time(tmp_path: Path) -> None:
    home = Home(tmp_path, NOWHERE)
    project = LocalProject(SharedProject(str(home.project), "pay"), home.env, uuid4())
    home.log("s-1", {})
    home.log("s-2", {})
    assert sorted(changed(project, 1.0)) == ["s-1", "s-2"]
    assert changed(project, 1.1) == []
    home.log("s-1", {})
    home.log("s-3", {})
    assert changed(project, 1.2) == ["s-1"]
    assert changed(project, 1.2 + LONGEST_PAUSE) == ["s-3"]
    home.log("s-2", {})
    assert changed(project, 1.3 + LONGEST_PAUSE) == ["s-2"]
    home.log("s-1", {})
    assert changed(project, 1.1 + 2 * LONGEST_PAUSE) == ["s-1"]


def test_what_was_written_long_ago_waits_for_the_next_look(tmp_path: Path) -> None:
    home = Home(tmp_path, NOWHERE)
    project = LocalProject(SharedProject(str(home.project), "pay"), home.env, uuid4())
    home.log("s-1", {})
    assert changed(project, 1.0) == ["s-1"]
    assert changed(project, RECENT + 1.0) == []
    home.log("s-1", {})
    assert changed(project, RECENT + 1.1) == []
    assert changed(project, RECENT + LONGEST_PAUSE + 1.1) == ["s-1"]


def test_nothing_is_hidden_for_good_by_very_many_entries(tmp_path: Path) -> None:
    home = Home(tmp_path, NOWHERE)
    project = LocalProject(SharedProject(str(home.project), "pay"), home.env, uuid4())
    home.log("z-last", {})
    many = home.project / ".rcs/state/sessions/a-many"
    many.mkdir()
    for number in range(20_001):
        os.close(os.open(many / str(number), os.O_CREAT | os.O_WRONLY))
    assert changed(project, 1.0) == ["z-last"]
    home.log("z-last", {})
    assert changed(project, RECENT + ANYWAY + 1.1) == ["z-last"]


@pytest.mark.slow
def test_a_folder_that_became_a_link_is_not_read(database: Database, tmp_path: Path) -> None:
    home = Home(tmp_path, database.url())
    secret = tmp_path / "secret"
    secret.mkdir()
    home.log("s-secret", {}, project=secret)
    home.log("s-1", {})
    with Sharing(home):
        wait_for(lambda: table(database, "SELECT count(*) FROM rcs.mode_events") == [(1,)])
        os.rename(home.project, tmp_path / "moved")
        wait_for(lambda: "is not there" in (home.status().get("local_error") or ""))
        home.project.symlink_to(secret)
        wait_for(lambda: "lies in a link now" in (home.status()["local_error"] or ""))
        home.project.unlink()
        os.rename(tmp_path / "moved", home.project)
        home.log("s-1", {})
        wait_for(lambda: table(database, "SELECT count(*) FROM rcs.mode_events") == [(2,)])
        wait_for(lambda: home.status()["local_error"] is None)
    assert table(database, "SELECT name FROM rcs.sources WHERE kind = 'history'") == [("s-1",)]
    assert "s-secret" not in json.dumps(table(database, "SELECT record::text FROM rcs.present"))
