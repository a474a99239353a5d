"""The overview that is followed: it is read again where something was written, and only there."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from rcs_hooks.overview import collect
from rcs_hooks.overview.entries import Overview
from rcs_hooks.overview.live import ANYWAY, LiveOverview
from tests.runs.support import Project
from tests.support import Workspace
from tests.table import each_row


class Followed:
    """A workspace with runs, and its overview, which is followed."""

    def __init__(self, folder: Path) -> None:
        self.project = Project(folder)
        self.workspace = Workspace(self.project.root, env={"HOME": str(self.project.home)})
        self.live = LiveOverview(self.project.env(), str(self.project.root))

    def news(self) -> Overview | None:
        return self.live.news(self.workspace.now)


def start(followed: Followed) -> None:
    followed.workspace.prompt("$team fix it", session="s2")


def emit(followed: Followed) -> None:
    followed.project.emit("design", run="r1")


def switch_off(followed: Followed) -> None:
    (followed.project.root / ".rcs" / "off").write_text("")


@each_row("change", [start, emit, switch_off])
def test_each_change_is_news_once_and_the_same_as_a_new_reading(
    change: Callable[[Followed], None], tmp_path: Path
) -> None:
    followed = Followed(tmp_path)
    followed.workspace.prompt("$forge fix the ledger")
    followed.project.emit("requirements", run="r1")
    before = followed.news()
    change(followed)
    after = followed.news()
    assert after is not None
    assert after != before
    root, now = str(followed.project.root), followed.workspace.now
    assert after == collect.overview(followed.project.env(), root, now)
    assert followed.news() is None
    followed.live.close()


def test_it_is_read_again_after_a_while_as_what_has_ended_grows_old(tmp_path: Path) -> None:
    followed = Followed(tmp_path)
    assert (followed.news(), followed.news()) == (Overview(), None)
    assert not (followed.project.root / ".rcs").exists()
    at, now = "2023-11-14T22:13:20.000Z", followed.workspace.now
    followed.workspace.write("forge", active=False, lifecycle_outcome="failed", completed_at=at)
    first = followed.live.news(now)
    assert first is not None
    assert len(first.ended) == 1
    assert followed.live.news(now + ANYWAY - 1) is None
    assert followed.live.news(now + 90_000) == Overview()
    followed.live.close()
