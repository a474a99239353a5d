"""The folder of one session is moved from one shared project to another while both are shared."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import TYPE_CHECKING

from rcs_hooks.share.sharer import Sharer
from tests.share.support import Home, table

if TYPE_CHECKING:
    from tests.share.conftest import Database

SHOWN = (
    "SELECT DISTINCT p.name, d.record->>'session' FROM rcs.present d JOIN rcs.projects p ON p.id = d.project ORDER BY 1"
)


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
