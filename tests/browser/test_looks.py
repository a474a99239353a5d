"""Each page at both sizes, light and dark: pictures for whoever wants to look, and what a machine can see in them.

The pictures go to the folder that RCS_SCREENSHOTS names, else to the test's own.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from tests.browser import axe, samples
from tests.browser.scene import LONG_RUN
from tests.real_clients.install import Unavailable

if TYPE_CHECKING:
    from tests.browser.conftest import Open
    from tests.browser.scene import Scene
    from tests.browser.watched import Window

PAGES = {
    "overview": ("/", ".entry"),
    "needs": ("/attention", ".need"),
    "runs": ("/runs", "[data-run]"),
    "run": (f"/runs/{LONG_RUN}?step=build", ".graph svg"),
    "sessions": ("/sessions", ".session"),
    "tasks": ("/tasks", ".task"),
    "markdown": (f"/runs/{LONG_RUN}?artifact=docs/design.md", ".markdown table"),
    "diff": (f"/runs/{LONG_RUN}?artifact=docs/change.diff", ".diff tr.added"),
    "unknown": ("/runs/there-is-none", ".empty"),
}
EMPTY = {"overview": "/", "needs": "/attention", "runs": "/runs", "sessions": "/sessions", "tasks": "/tasks"}
TYPED = {"overview": "$forge", "sessions": "$blueprint"}
SIZES = [(width, scheme) for width in (400, 1600) for scheme in ("light", "dark")]


@pytest.fixture(scope="session")
def pictures(tmp_path_factory: pytest.TempPathFactory) -> Path:
    named = os.environ.get("RCS_SCREENSHOTS")
    folder = Path(named) if named else tmp_path_factory.mktemp("pictures")
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def with_tasks(window: Window, scene: Scene) -> None:
    body = samples.tasks(str(scene.project.root))
    window.page.route("**/api/tasks*", lambda route: route.fulfill(body=body, content_type="application/json"))


def assert_fits(window: Window) -> None:
    wide = window.page.evaluate("[document.documentElement.scrollWidth, document.documentElement.clientWidth]")
    assert wide[0] <= wide[1]


def taken(window: Window, path: Path) -> None:
    in_dialog = window.page.locator("dialog[open]").count() > 0
    window.page.screenshot(path=path, full_page=not in_dialog)


@pytest.mark.parametrize(("width", "scheme"), SIZES)
def test_each_page_fits_and_has_a_picture(look: Open, scene: Scene, pictures: Path, width: int, scheme: str) -> None:
    scene.fill()
    for name, (address, selector) in PAGES.items():
        window = look("/tasks", width=width, scheme=scheme)
        window.allowed += ("404 (Not Found)",)
        with_tasks(window, scene)
        window.go(address)
        expect(window.page.locator(selector).first).to_be_visible()
        assert_fits(window)
        taken(window, pictures / f"{name}-{width}-{scheme}.png")
        window.page.context.close()


@pytest.mark.parametrize(("width", "scheme"), SIZES)
def test_an_empty_page_says_what_to_type(look: Open, pictures: Path, width: int, scheme: str) -> None:
    for name, address in EMPTY.items():
        window = look(address, width=width, scheme=scheme)
        expect(window.page.locator(".empty .command")).to_contain_text(TYPED.get(name, "rcs "))
        assert_fits(window)
        taken(window, pictures / f"empty-{name}-{width}-{scheme}.png")


@pytest.mark.parametrize(("width", "scheme"), SIZES)
def test_axe_finds_nothing_serious(look: Open, scene: Scene, width: int, scheme: str) -> None:
    try:
        axe.source()
    except Unavailable as why:
        pytest.skip(str(why))
    scene.fill()
    found = []
    for name, (address, selector) in PAGES.items():
        window = look("/tasks", width=width, scheme=scheme)
        window.allowed += ("404 (Not Found)",)
        with_tasks(window, scene)
        window.go(address)
        expect(window.page.locator(selector).first).to_be_visible()
        found += [f"{name}: {each}" for each in axe.findings(window.page)]
        window.page.context.close()
    window = look("/attention", width=width, scheme=scheme)
    window.page.locator("textarea").fill("an answer")
    window.page.get_by_role("button", name="Answer…").click()
    found += [f"dialog: {each}" for each in axe.findings(window.page)]
    assert found == []
