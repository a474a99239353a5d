"""Each page at both sizes, light and dark: pictures for whoever wants to look, and what a machine can see in them.

The pictures go to the folder that RCS_SCREENSHOTS names, else to the test's own.
"""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from tests.browser import axe, samples
from tests.browser.scene import LONG_RUN, page_of
from tests.browser.test_frame import hold
from tests.browser.watched import AWAY
from tests.real_clients.install import Unavailable

if TYPE_CHECKING:
    from playwright.sync_api import Route

    from tests.browser.conftest import Open
    from tests.browser.live import Dashboard
    from tests.browser.scene import Scene
    from tests.browser.watched import Window

PAGES = {
    "overview": ("/", ".entry"),
    "needs": ("/attention", ".need"),
    "runs": ("/runs", "[data-run]"),
    "run": (f"/runs/{LONG_RUN}?step=build", ".graph svg"),
    "sessions": ("/sessions", ".session"),
    "tasks": ("/tasks", ".task"),
    "all": ("/all", ".entry-row"),
    "failed": ("/runs/fork-3", ".banner.is-failed"),
    "waits": ("/runs/blueprint-7", ".banner.is-waiting"),
    "stalled": ("/runs/quiet-1", ".banner.is-stalled"),
    "days": ("/runs/archived-1", ".with-day"),
    "nowhere": ("/nowhere", ".empty"),
    "markdown": (f"/runs/{LONG_RUN}?artifact=docs/design.md", ".markdown table"),
    "diff": (f"/runs/{LONG_RUN}?artifact=docs/change.diff", ".diff tr.added"),
    "unknown": ("/runs/there-is-none", ".empty"),
}
EMPTY = {
    "overview": "/",
    "all": "/all",
    "needs": "/attention",
    "runs": "/runs",
    "sessions": "/sessions",
    "tasks": "/tasks",
}
TYPED = {"overview": "$forge", "all": "$forge", "sessions": "$blueprint"}
SIZES = [(width, scheme) for width in (400, 800, 1280, 1920) for scheme in ("light", "dark")]
FEW = [(width, scheme) for width, scheme in SIZES if width in (400, 1280)]


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
    window = look("/attention", width=width, scheme=scheme)
    window.allowed += ("404 (Not Found)",)
    with_tasks(window, scene)
    for name, (address, selector) in PAGES.items():
        window.go(address)
        expect(window.page.locator(selector).first).to_be_visible()
        assert_fits(window)
        taken(window, pictures / f"{name}-{width}-{scheme}.png")


LONG = "ein" + "sehr" * 74 + "!"
SPACED = "a long name " * 25


@pytest.mark.parametrize("width", [400, 800, 1280, 1920])
def test_no_page_is_wider_than_its_window_with_names_of_300_letters(
    look: Open, scene: Scene, pictures: Path, width: int
) -> None:
    project = scene.project
    for number, name in enumerate((LONG, SPACED)):
        data = {"status": "running", "feature": name[:128].strip()}
        scene.at(600).emit("requirements", run=f"r{number}", data=data)
        scene.at(500).emit(f"agent:{name[:60]}", run=f"r{number}", unit=name[:120])
        data = {"status": "failed" if number else "waiting", "message": name}
        scene.at(400).emit("requirements", data["status"], run=f"r{number}", data=data)
        session = f"s{number}-" + "x" * 60
        scene.prompt(f"$forge {name}", session, 300)
        scene.ask(session, "forge", name, name[:190], "no")
    (project.root / ("d" * 100)).mkdir()
    path = "/".join(("d" * 100, "e" * 150 + ".md"))
    (project.root / path).write_text(f"# {LONG}\n\n`{LONG}` {LONG}\n\n|a|\n|-|\n|{LONG}|\n")
    scene.at(100).artifact(path, step="requirements", run="r0")
    window = look("/", width=width)
    for name, address in {
        "overview": "/", "needs": "/attention", "runs": "/runs", "run": "/runs/r0?step=requirements",
        "failed": "/runs/r1", "sessions": "/sessions", "all": "/all", "markdown": f"/runs/r0?artifact={path}",
        "nowhere": f"/{LONG}", "mode": page_of(scene, "s0-" + "x" * 60, "forge"),
    }.items():  # fmt: skip
        window.allowed += ("404 (Not Found)",)
        window.go(address)
        assert_fits(window)
        taken(window, pictures / f"long-{name}-{width}.png")


@pytest.mark.parametrize(("width", "scheme"), FEW)
def test_an_empty_page_says_what_to_type(look: Open, pictures: Path, width: int, scheme: str) -> None:
    for name, address in EMPTY.items():
        window = look(address, width=width, scheme=scheme)
        expect(window.page.locator(".empty .command")).to_contain_text(TYPED.get(name, "rcs "))
        assert_fits(window)
        taken(window, pictures / f"empty-{name}-{width}-{scheme}.png")


@pytest.mark.parametrize(("width", "scheme"), SIZES)
def test_axe_finds_nothing(look: Open, scene: Scene, width: int, scheme: str) -> None:
    try:
        axe.source()
    except Unavailable as why:
        pytest.skip(str(why))
    scene.fill()
    found = []
    window = look("/attention", width=width, scheme=scheme)
    window.allowed += ("404 (Not Found)",)
    with_tasks(window, scene)
    for name, (address, selector) in PAGES.items():
        window.go(address)
        expect(window.page.locator(selector).first).to_be_visible()
        found += [f"{name}: {each}" for each in axe.findings(window.page)]
    window.go("/attention")
    window.page.get_by_role("button", name="SQLite").click()
    found += [f"dialog: {each}" for each in axe.findings(window.page)]
    window.page.get_by_role("button", name="Send the answer").click()
    expect(window.page.get_by_role("heading", name="Answered")).to_be_visible()
    found += [f"answered: {each}" for each in axe.findings(window.page)]
    window.go(f"/runs/{LONG_RUN}")
    window.page.get_by_role("button", name="Large").click()
    found += [f"graph: {each}" for each in axe.findings(window.page)]
    window.page.keyboard.press("Escape")
    window.page.keyboard.press("?")
    expect(window.page.get_by_role("heading", name="Keys")).to_be_visible()
    found += [f"keys: {each}" for each in axe.findings(window.page)]
    assert found == []


@pytest.mark.parametrize(("width", "scheme"), SIZES)
def test_axe_finds_nothing_while_a_page_comes_and_while_the_server_is_away(
    look: Open, scene: Scene, dashboard: Dashboard, width: int, scheme: str
) -> None:
    try:
        axe.source()
    except Unavailable as why:
        pytest.skip(str(why))
    scene.fill()
    window = look("/runs", width=width, scheme=scheme)
    page = window.page
    window.allowed += AWAY
    held: list[Route] = []
    page.route("**/api/sessions*", partial(hold, held))
    page.get_by_role("link", name="Sessions", exact=True).click()
    expect(page.locator(".skeleton .bone")).to_have_count(4)
    found = [f"outline: {each}" for each in axe.findings(page)]
    for route in held:
        route.continue_()
    page.unroute("**/api/sessions*")
    expect(page.locator(".session").first).to_be_visible()
    dashboard.stop()
    expect(page.locator("#away")).to_be_visible()
    found += [f"away: {each}" for each in axe.findings(page)]
    assert found == []
