"""The pages of all machines: two machines' rows, the switch, what is said instead of acting, live, and how it looks."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import pytest
from playwright.sync_api import expect

from rcs_hooks.runs.records import NewEvent, RunRecord, StepRecord
from tests.browser.live import Dashboard
from tests.browser.test_looks import SIZES, Findings, assert_fits, pictures, taken
from tests.browser.watched import AWAY, Window
from tests.share.conftest import _no_settings_of_libpq, database, server
from tests.share.machine_rows import RUN, Rows, now

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from playwright.sync_api import Browser

    from tests.share.conftest import Database

__all__ = ["_no_settings_of_libpq", "database", "pictures", "server"]

PAGES = {
    "overview": ("/shared/", ".entry"),
    "needs": ("/shared/attention", ".need"),
    "runs": ("/shared/runs", "[data-run]"),
    "run": ("/shared/runs/r1@laptop", ".graph svg"),
    "mode": ("/shared/modes/forge?project=%2F%2Flaptop%2Fapp&session=s1", ".graph svg"),
    "own": ("/shared/modes/own-mode?project=%2F%2Flaptop%2Fapp&session=s1", ".run"),
    "sessions": ("/shared/sessions", ".session"),
    "tasks": ("/shared/tasks", ".task"),
    "all": ("/shared/all", ".entry-row"),
    "machines": ("/shared/machines", ".machine-card"),
    "local": ("/", ".empty"),
}


class Team:
    """Two machines' rows, and a dashboard on a third home that looks as `rcs_reader`."""

    def __init__(self, database: Database, folder: Path) -> None:
        home, root = folder / "home", folder / "work"
        root.mkdir(parents=True)
        (home / ".rcs").mkdir(parents=True)
        reader = database.role("looks", "rcs_reader")
        (home / ".rcs" / "config.toml").write_text(f'[share]\nurl = "{database.url(reader)}"\n')
        self.database = database
        self.sql = database.connect()
        self.laptop = Rows(self.sql, "laptop", "ann", "app")
        self.cloud = Rows(self.sql, "cloud-7", "bob", "site", texts=False)
        self.dashboard = Dashboard(root, home)

    def fill(self) -> None:
        self.laptop.fill()
        self.cloud.fill()
        # One machine was not heard of for long.
        self.sql.execute(
            "UPDATE rcs.machines SET seen_at = now() - interval '5 hours' WHERE id = %s",
            (self.cloud.machine,),
        )

    def close(self) -> None:
        self.dashboard.stop()
        self.sql.close()


@pytest.fixture
def team(database: Database, tmp_path: Path) -> Iterator[Team]:
    made = Team(database, tmp_path / "team")
    made.fill()
    made.dashboard.start()
    yield made
    made.close()


@pytest.fixture
def look(browser: Browser, team: Team) -> Iterator[Any]:
    windows: list[Window] = []

    def opened(address: str, **options: Any) -> Window:
        windows.append(Window(browser, team.dashboard.url, **options))
        windows[-1].go(address)
        return windows[-1]

    yield opened
    for window in windows:
        window.page.context.close()
    assert [problem for window in windows for problem in window.problems] == []


@pytest.mark.parametrize(("width", "scheme"), SIZES)
def test_each_page_fits_and_has_no_violation(look: Any, pictures: Path, width: int, scheme: str) -> None:
    found = Findings()
    window = look("/", width=width, scheme=scheme, bypass_csp=True, reduced_motion="reduce")
    for name, (address, shown) in PAGES.items():
        window.go(address)
        window.page.wait_for_selector(shown)
        if name != "local":
            window.page.wait_for_selector(".place .person, .machine-card", state="attached")
        assert_fits(window)
        taken(window, pictures / f"shared-{name}-{width}-{scheme}.png")
        found.look(window, name)
    found.assert_none()


def enter(rows: Rows, run: RunRecord, before: str, after: str) -> None:
    """Store that a run has gone from one step to another."""
    rows.step(run, StepRecord(before, status="completed", entered=1, last=1, visits=1, started_at=now(90)))
    rows.step(run, StepRecord(after, status="running", entered=2, last=2, visits=1, started_at=now()))


def test_a_run_page_is_live_and_says_when_the_database_is_away(look: Any, team: Team) -> None:
    window = look("/shared/runs/r1@laptop")
    window.mark()
    step = NewEvent(3, now(), "status_change", "build", None, "running", "{}", automatic=False)
    run = RUN._replace(id=1, status="running", current="build", last_ms=round(time.time() * 1000))
    enter(team.laptop, run, "plan", "build")
    team.laptop.run(run, step)
    expect(window.page.locator(".facts .step").first).to_have_text("build")
    window.assert_not_reloaded()
    window.allowed = (*AWAY, "503")
    name = team.database.name
    with team.database.server.connect() as admin:
        admin.execute(f"ALTER DATABASE {name} ALLOW_CONNECTIONS false".encode())
        admin.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s", (name,))
        window.page.wait_for_selector("#away:not([hidden])")
        admin.execute(f"ALTER DATABASE {name} ALLOW_CONNECTIONS true".encode())
    window.page.wait_for_selector("#away", state="hidden")
    window.live()
    with team.database.connect() as again:
        team.laptop.sql = again
        enter(team.laptop, run, "build", "verify")
        team.laptop.run(
            run._replace(current="verify"),
            NewEvent(4, now(), "status_change", "verify", None, "running", "{}", automatic=False),
        )
    expect(window.page.locator(".facts .step").first).to_have_text("verify")
