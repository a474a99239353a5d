"""The folder of one session is moved from one shared project to another while both are shared."""

from __future__ import annotations

import os
import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import UUID

import pytest

from rcs_hooks.config.share_table import SharedProject
from rcs_hooks.share.local_project import LocalProject
from rcs_hooks.share.sharer import Sharer
from tests.share.support import Home, table

if TYPE_CHECKING:
    from tests.share.conftest import Database

SHOWN = (
    "SELECT DISTINCT p.name, d.record->>'session' FROM rcs.present d JOIN rcs.projects p ON p.id = d.project ORDER BY 1"
)
WHERE = (
    "SELECT p.name, s.name, count(*) FROM rcs.mode_events e JOIN rcs.sources s ON s.id = e.source AND NOT s.is_replaced"
    " JOIN rcs.projects p ON p.id = s.project GROUP BY 1, 2 ORDER BY 1, 2"
)
SOMEBODY = 65534
"""A user for whom the modes of files count."""


@contextmanager
def closed(folder: Path) -> Iterator[None]:
    """A folder into which nobody may look."""
    before, user = folder.stat().st_mode, os.geteuid()
    folder.chmod(0)
    if user == 0:
        for above in folder.parents:
            if above.stat().st_uid == 0 and not above.stat().st_mode & 1:
                above.chmod(above.stat().st_mode | 0o11)
        os.seteuid(SOMEBODY)
    try:
        yield
    finally:
        os.seteuid(user)
        folder.chmod(before)


def test_the_other_sessions_of_a_project_stay_shown_when_one_is_moved_away(database: Database, tmp_path: Path) -> None:
    home = Home(tmp_path, database.url())
    other = tmp_path / "other"
    home.log("s-1", {})
    home.log("s-2", {})
    home.log("s-3", {}, project=other)
    home.configure([(home.project, "pay", False), (other, "shop", False)])
    sharer = Sharer(home.env, str(home.project))
    sharer.send_news(threading.Event())
    assert table(database, SHOWN) == [("pay", "s-1"), ("pay", "s-2"), ("shop", "s-3")]
    sessions = ".rcs/state/sessions"
    (home.project / sessions / "s-1").rename(other / sessions / "s-1")
    for each in sharer.projects:
        each._look_at = each._read_documents_at = 0.0
    sharer.send_news(threading.Event())
    sharer.close()
    assert table(database, SHOWN) == [("pay", "s-2"), ("shop", "s-1"), ("shop", "s-3")]
    assert table(database, "SELECT count(*) FROM rcs.mode_events") == [(3,)]


def test_a_session_is_there_once_though_the_project_to_which_it_was_moved_is_sent_first(
    database: Database, tmp_path: Path
) -> None:
    home = Home(tmp_path, database.url())
    other = tmp_path / "other"
    home.log("s-1", {})
    home.log("s-2", {}, project=other)
    home.configure([(other, "shop", False), (home.project, "pay", False)])
    sharer = Sharer(home.env, str(home.project))
    sharer.send_news(threading.Event())
    sessions = ".rcs/state/sessions"
    (home.project / sessions / "s-1").rename(other / sessions / "s-1")
    sharer.projects[0]._look_at = 0.0
    sharer.send_news(threading.Event())
    sharer.close()
    assert table(database, WHERE) == [("shop", "s-1", 1), ("shop", "s-2", 1)]


@pytest.mark.parametrize("left", ["nothing", "a link"])
def test_a_project_that_is_renamed_while_it_is_shared_is_there_once(
    left: str, database: Database, tmp_path: Path
) -> None:
    home = Home(tmp_path, database.url())
    home.log("s-1", {}, {})
    home.task("build", 1)
    sharer = Sharer(home.env, str(home.project))
    sharer.send_news(threading.Event())
    renamed = tmp_path / "renamed"
    home.project.rename(renamed)
    if left == "a link":
        home.project.symlink_to(renamed)
    home.configure([(home.project, "pay", False), (renamed, "renamed", False)])
    home.log("s-1", {}, project=renamed)
    sharer.send_news(threading.Event())
    sharer.close()
    assert table(database, WHERE) == [("renamed", "s-1", 3)]
    assert table(database, "SELECT count(*) FROM rcs.task_moves") == [(1,)]


def test_of_a_copy_that_is_sent_while_the_original_is_away_each_is_there_whole(
    database: Database, tmp_path: Path
) -> None:
    home = Home(tmp_path, database.url())
    home.log("s-1", {}, {})
    sharer = Sharer(home.env, str(home.project))
    sharer.send_news(threading.Event())
    copy, away = tmp_path / "copy", tmp_path / "away"
    shutil.copytree(home.project, copy)
    home.project.rename(away)
    home.configure([(home.project, "pay", False), (copy, "copy", False)])
    sharer.send_news(threading.Event())
    away.rename(home.project)
    home.log("s-1", {})
    sharer.projects[0]._look_at = 0.0
    sharer.send_news(threading.Event())
    sharer.close()
    assert table(database, WHERE) == [("copy", "s-1", 2), ("pay", "s-1", 3)]


@pytest.mark.parametrize("place", ["", ".rcs", ".rcs/state/sessions"])
def test_a_session_counts_as_there_while_its_folder_cannot_be_looked_at(place: str, tmp_path: Path) -> None:
    home = Home(tmp_path, "postgresql://nobody@127.0.0.1:1/nothing")
    home.log("s-1", {})
    copy = tmp_path / "copy"
    shutil.copytree(home.project, copy)
    first, second = (LocalProject(SharedProject(str(each), ""), home.env, UUID(int=1)) for each in (home.project, copy))
    ((source, _),) = second.changed(1.0, 1)
    assert first.may_have(source)
    with closed(home.project / place):
        assert first.may_have(source)
    shutil.rmtree(home.project / place)
    assert not first.may_have(source)
