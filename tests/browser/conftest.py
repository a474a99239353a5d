from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

pytest.importorskip("playwright", reason="Playwright is not installed: pip install playwright")
pytest.importorskip("starlette", reason="the extra `server` is not installed")

from playwright.sync_api import expect, sync_playwright

from tests.browser.live import Dashboard, Unavailable, chromium
from tests.browser.scene import Scene
from tests.browser.watched import PATIENCE, Window

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from playwright.sync_api import Browser

    Open = Callable[..., Window]


expect.set_options(timeout=PATIENCE)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if "tests/browser" in str(item.path):
            item.add_marker(pytest.mark.slow)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        try:
            found = chromium(playwright)
        except Unavailable as why:
            pytest.skip(str(why))
        yield found
        found.close()


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    return Scene(tmp_path / "scene")


@pytest.fixture
def dashboard(scene: Scene) -> Iterator[Dashboard]:
    made = Dashboard(scene.project.root, scene.project.home)
    made.start()
    yield made
    made.stop()


@pytest.fixture
def look(browser: Browser, dashboard: Dashboard) -> Iterator[Open]:
    """Opens a page; at the end none of them has complained or asked anybody else for anything."""
    windows: list[Window] = []

    def opened(address: str = "/", **options: Any) -> Window:
        windows.append(Window(browser, dashboard.url, **options))
        windows[-1].go(address)
        return windows[-1]

    yield opened
    for window in windows:
        window.page.context.close()
    assert [problem for window in windows for problem in window.problems] == []
