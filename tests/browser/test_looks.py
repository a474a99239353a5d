"""Each page and state at four widths, light and dark: pictures to look at, and what a machine can see in them.

The pictures go to the folder that RCS_SCREENSHOTS names, else to the test's own.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from tests import properties
from tests.browser import axe
from tests.browser.everything import fill
from tests.browser.scene import page_of
from tests.browser.states import Stage, states
from tests.real_clients.install import Unavailable

if TYPE_CHECKING:
    from tests.browser.conftest import Open
    from tests.browser.live import Dashboard
    from tests.browser.scene import Scene
    from tests.browser.watched import Window

EMPTY = {
    "overview": "/",
    "all": "/all",
    "needs": "/attention",
    "runs": "/runs",
    "sessions": "/sessions",
    "tasks": "/tasks",
}
TYPED = {"overview": "$forge", "all": "$forge", "sessions": "$blueprint"}
IN_EACH_RUN = ((400, "dark"), (1280, "light"))
"""What `.ci/run` looks at; the other sizes are left to `.ci/run full`."""
SIZES = [
    pytest.param(width, scheme, marks=() if (width, scheme) in IN_EACH_RUN else pytest.mark.full)
    for width in (400, 800, 1280, 1920)
    for scheme in ("light", "dark")
]


@pytest.fixture(scope="session")
def pictures(tmp_path_factory: pytest.TempPathFactory) -> Path:
    named = os.environ.get("RCS_SCREENSHOTS")
    folder = Path(named) if named else tmp_path_factory.mktemp("pictures")
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def assert_fits(window: Window) -> None:
    wide = window.page.evaluate("[document.documentElement.scrollWidth, document.documentElement.clientWidth]")
    assert wide[0] <= wide[1]


def taken(window: Window, path: Path) -> None:
    in_dialog = window.page.locator("dialog[open]").count() > 0
    window.page.screenshot(path=path, full_page=not in_dialog)


@pytest.mark.parametrize(("width", "scheme"), SIZES)
def test_each_state_fits_has_a_picture_and_axe_finds_nothing(
    look: Open, scene: Scene, dashboard: Dashboard, pictures: Path, width: int, scheme: str
) -> None:
    window = look("/attention", width=width, scheme=scheme, permissions=["notifications"])
    stage = Stage(window, scene, dashboard)
    fill(window, scene)
    found = Findings()
    for number, (name, reach) in enumerate(states().items()):
        reach(stage)
        expect(window.page.locator("#needs")).to_be_visible()
        assert_fits(window)
        taken(window, pictures / f"{name}-{width}-{scheme}.png")
        if not properties.is_sample or number % 2 == (scheme == "light"):  # the two sizes of a sample share the states
            found.look(window, name)
    found.assert_none()


class Findings:
    """What axe finds on one page after another; without axe, all else is still tested before the test is skipped."""

    def __init__(self) -> None:
        self.found: list[str] = []
        self.missing = ""
        try:
            axe.source()
        except Unavailable as why:
            self.missing = str(why)

    def look(self, window: Window, name: str) -> None:
        if not self.missing:
            self.found += [f"{name}: {each}" for each in axe.findings(window.page)]

    def assert_none(self) -> None:
        assert self.found == []
        if self.missing:
            pytest.skip(self.missing)


LONG = "ein" + "sehr" * 74 + "!"
SPACED = "a long name " * 25


@pytest.mark.parametrize(("width", "scheme"), SIZES)
def test_no_page_is_wider_than_its_window_with_names_of_300_letters(
    look: Open, scene: Scene, pictures: Path, width: int, scheme: str
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
    window = look("/", width=width, scheme=scheme)
    found = Findings()
    for name, address in {
        "overview": "/", "needs": "/attention", "runs": "/runs", "run": "/runs/r0?step=requirements",
        "failed": "/runs/r1", "sessions": "/sessions", "all": "/all", "markdown": f"/runs/r0?artifact={path}",
        "nowhere": f"/{LONG}", "mode": page_of(scene, "s0-" + "x" * 60, "forge"),
    }.items():  # fmt: skip
        window.allowed += ("404 (Not Found)",)
        window.go(address)
        expect(window.page.locator("#needs")).to_be_visible()
        expect(window.page.get_by_text("Reading…")).to_have_count(0)
        assert_fits(window)
        taken(window, pictures / f"long-{name}-{width}-{scheme}.png")
        found.look(window, name)
    found.assert_none()


@pytest.mark.parametrize(("width", "scheme"), SIZES)
def test_an_empty_page_says_what_to_type(look: Open, pictures: Path, width: int, scheme: str) -> None:
    found = Findings()
    window = look(width=width, scheme=scheme)
    for name, address in EMPTY.items():
        window.go(address)
        expect(window.page.locator(".empty .command")).to_contain_text(TYPED.get(name, "rcs "))
        if name == "all":
            expect(window.page.locator(".empty")).to_contain_text("each run of a mode, each run that an agent reports")
        assert_fits(window)
        taken(window, pictures / f"empty-{name}-{width}-{scheme}.png")
        found.look(window, name)
    found.assert_none()
