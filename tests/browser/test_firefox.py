"""The same pages in Firefox: they fit, follow what happens, and act."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest

from tests.browser.bidi import Firefox, Unavailable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.browser.live import Dashboard
    from tests.browser.scene import Scene

pytestmark = pytest.mark.full

WIDE = "[document.documentElement.scrollWidth, document.documentElement.clientWidth]"


@pytest.fixture(scope="session")
def one_firefox(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Firefox]:
    try:
        made = Firefox(tmp_path_factory.mktemp("firefox"))
    except Unavailable as why:
        pytest.skip(str(why))
    yield made
    made.close()


@pytest.fixture
def firefox(one_firefox: Firefox, dashboard: Dashboard) -> Iterator[Firefox]:
    """A page of its own, which is closed before the dashboard ends."""
    one_firefox.problems.clear()
    one_firefox.open()
    yield one_firefox
    one_firefox.leave()
    assert one_firefox.problems == []


def is_(wanted: object) -> Callable[[object], bool]:
    return lambda found: found == wanted


def test_a_run_appears_and_moves_without_a_reload(firefox: Firefox, scene: Scene, dashboard: Dashboard) -> None:
    firefox.go(f"{dashboard.url}/runs")
    firefox.evaluate("window.stillTheSame = true")
    assert "rcs emit --workflow" in firefox.text(".empty")
    project = scene.project
    project.emit("requirements")
    assert "requirements" in firefox.text("[data-run=r1]")
    project.emit("design")
    firefox.until("document.querySelector('[data-run=r1] .step').textContent", is_("design"))
    firefox.click("[data-run=r1]")
    firefox.until("document.querySelector('.state.current')?.dataset.state", is_("design"))
    project.emit("tasks")
    firefox.until("document.querySelector('.state.current')?.dataset.state", is_("tasks"))
    assert firefox.evaluate("document.querySelectorAll('.drawing .state.is-completed').length") == 2
    assert firefox.evaluate("window.stillTheSame") is True


def test_an_answer_reaches_the_next_prompt(firefox: Firefox, scene: Scene, dashboard: Dashboard) -> None:
    scene.workspace.now = time.time()
    scene.workspace.prompt("$forge ship this fix", "s1")
    scene.ask("s1", "forge", "Which database shall it be?", "Postgres", "SQLite")
    firefox.go(f"{dashboard.url}/attention")
    assert firefox.text("#needs") == "1"
    firefox.click("[data-words=SQLite]")
    assert "SQLite" in firefox.text("dialog .facts")
    firefox.click("dialog button[type=submit]")
    assert firefox.text("dialog.said-so h2") == "Answered"
    assert "codex resume s1" in firefox.text("dialog .resume")
    firefox.until("document.querySelectorAll('.asked').length", is_(0))
    assert "SQLite" in scene.workspace.prompt("how is it going?").context
