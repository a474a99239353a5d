"""The one list, and the page of a mode's run: what happens appears and moves there, and no page is loaded again."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import urlencode

import pytest
from playwright.sync_api import expect

from tests.browser.scene import FORGE, SCRIPT, page_of
from tests.browser.test_looks import SIZES, Findings, assert_fits, pictures, taken

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Locator

    from tests.browser.conftest import Open
    from tests.browser.scene import Scene
    from tests.browser.watched import Window

__all__ = ["pictures"]


def group(window: Window, name: str) -> Locator:
    return window.page.locator(f"[data-group={name}]")


def test_each_thing_appears_and_moves_in_the_list_without_a_reload(look: Open, scene: Scene) -> None:
    window = look("/")
    page = window.page
    expect(page.locator(".empty .command")).to_contain_text("$forge")
    window.mark()
    scene.prompt("$forge fix the login", "s1")
    entry = page.locator("[data-entry='mode forge']")
    expect(group(window, "running").locator("[data-entry='mode forge']")).to_contain_text("fix the login")
    scene.write("s1", "forge", current_phase="executing")
    expect(entry).to_contain_text("Phase executing, round 1")
    question = scene.ask("s1", "forge", "Which database?", "Postgres", "SQLite")
    expect(group(window, "waiting").locator(".asked")).to_contain_text("Which database?")
    expect(entry).to_have_count(1)
    scene.project.emit("requirements", run="r1")
    expect(page.locator("[data-entry='run build']")).to_contain_text("at requirements")
    scene.project.emit("design", run="r1")
    expect(page.locator("[data-entry='run build']")).to_contain_text("at design")
    assert scene.project.rcs("task", "new", "login").returncode == 0
    expect(group(window, "tasks").locator("[data-entry='task login']")).to_be_visible()
    scene.answer("s1", question, "SQLite")
    expect(group(window, "waiting").locator("[data-entry='mode forge']")).to_contain_text("type any prompt")
    scene.prompt("go on", "s1")
    expect(group(window, "running").locator("[data-entry='mode forge']")).to_be_visible()
    scene.write("s1", "forge", active=False, lifecycle_outcome="failed", reason="no database here")
    expect(group(window, "ended").locator("[data-entry='mode forge']")).to_contain_text("no database here")
    expect(entry).to_have_count(1)
    scene.prompt("$team split it", "s2")
    scene.workspace.call("SessionEnd", session="s2", reason="other")
    expect(group(window, "closed").locator("[data-entry='mode team']")).to_be_visible()
    window.assert_not_reloaded()


@pytest.mark.parametrize("width", [400, 1600])
def test_filters_of_the_list_survive_a_reload_and_the_way_back(look: Open, scene: Scene, width: int) -> None:
    scene.fill()
    scene.run_of_forge()
    window = look("/", width=width)
    page = window.page
    page.select_option("[data-filter=kind]", "mode")
    expect(page.locator("[data-entry^=run]")).to_have_count(0)
    page.select_option("[data-filter=show]", "running")
    expect(page.locator("[data-group]")).to_have_count(1)
    shown = page.locator("[data-entry]").count()
    expect(page).to_have_url(re.compile(r"/\?kind=mode&show=running$"))
    page.reload()
    expect(page.locator("[data-entry]")).to_have_count(shown)
    expect(page.locator("[data-filter=kind]")).to_have_value("mode")
    page.locator("[data-entry='mode forge'] a", has_text="second factor").click()
    expect(page.locator("h1")).to_contain_text("Log in with a second factor")
    page.go_back()
    expect(page.locator("[data-entry]")).to_have_count(shown)
    expect(page.locator("[data-filter=show]")).to_have_value("running")
    page.go_back()
    expect(page.locator("[data-filter=show]")).to_have_value("")
    expect(page.locator("[data-filter=kind]")).to_have_value("mode")


def test_the_page_of_a_mode_follows_its_run(look: Open, scene: Scene) -> None:
    scene.prompt("$forge fix the login", "s1", 60)
    window = look(page_of(scene, "s1", "forge"))
    page = window.page
    window.mark()
    expect(page.locator("h1")).to_have_text("fix the login")
    expect(page.locator(".state.current")).to_have_attribute("data-state", "starting")
    for phase in ("executing", "verifying", "fixing"):
        scene.write("s1", "forge", current_phase=phase)
        expect(page.locator(".state.current")).to_have_attribute("data-state", phase)
    expect(page.locator("[data-step=executing] [aria-label=completed]")).to_be_visible()
    expect(page.locator("[data-step=fixing] [aria-label=running]")).to_be_visible()
    scene.write("s1", "forge", current_phase="verifying")
    expect(page.locator(".round")).to_contain_text("2 of")
    expect(page.locator("[data-step=verifying] .visits")).to_have_text("× 2")
    expect(page.locator(".rounds tbody tr")).to_have_count(2)
    expect(page.locator(".rounds")).to_contain_text("executing → verifying → fixing")
    expect(page.locator("[data-n]").first).to_contain_text("fixing → verifying")
    page.locator("[data-step=fixing]").click()
    expect(page.locator("#detail .asks")).to_contain_text("Name the cause")
    page.keyboard.press("Escape")
    expect(page.locator("#detail")).to_have_count(0)
    window.assert_not_reloaded()


def test_a_question_is_answered_on_the_page_of_its_run(look: Open, scene: Scene) -> None:
    scene.prompt("$forge fix the login", "s1")
    scene.ask("s1", "forge", "Which database?", "Postgres", "SQLite")
    window = look(page_of(scene, "s1", "forge"))
    page = window.page
    window.mark()
    page.get_by_role("button", name="SQLite").click()
    page.get_by_role("dialog").get_by_role("button", name="Send the answer").click()
    expect(page.get_by_role("dialog")).to_contain_text("forge continues")
    page.get_by_role("button", name="Done").click()
    expect(page.locator(".asking")).to_have_count(0)
    expect(page.locator(".asked-before")).to_contain_text("SQLite")
    window.assert_not_reloaded()


def test_how_a_run_ended_and_whose_mode_it_is(look: Open, scene: Scene) -> None:
    scene.own_mode()
    scene.prompt("$release ship it", "s1", 60)
    scene.write("s1", "release", 30, active=False, lifecycle_outcome="finished", evidence="all 41 tests pass")
    page = look("/").page
    page.locator("[data-entry='mode release'] a").click()
    expect(page.locator(".tag.own")).to_have_text("the project's own mode")
    expect(page.locator(".mode-head .status").first).to_have_text("finished early")
    expect(page.locator(".mode-head")).to_contain_text("which is not a final phase")
    expect(page.locator(".mode-head")).to_contain_text("all 41 tests pass")
    expect(page.locator(".mode-head")).to_contain_text("SKILL.md")
    expect(page.locator(".graph [data-state=verifying]")).to_be_visible()


def test_an_earlier_run_of_the_mode_keeps_its_page(look: Open, scene: Scene) -> None:
    scene.prompt("$forge fix the login", "s1", 500)
    scene.write("s1", "forge", 400, active=False, lifecycle_outcome="finished")
    scene.prompt("$forge fix the logout", "s1", 300)
    window = look(page_of(scene, "s1", "forge"))
    page = window.page
    expect(page.locator("h1")).to_have_text("fix the logout")
    page.locator(".run-lines a", has_text="fix the login").click()
    expect(page.locator("h1")).to_have_text("fix the login")
    expect(page.locator(".tag")).to_have_text("an earlier run")
    page.go_back()
    expect(page.locator("h1")).to_have_text("fix the logout")


def test_old_addresses_lead_to_their_pages(look: Open, scene: Scene) -> None:
    scene.prompt("$forge fix the login", "s1")
    for address, heading in (
        ("/attention", "Needs me"), ("/runs", "Runs"), ("/sessions", "Sessions"), ("/tasks", "Tasks"),
    ):  # fmt: skip
        expect(look(address).page.locator("main h1")).to_have_text(heading)
    page = look(f"/sessions?{urlencode({'project': str(scene.project.root), 'session': 's1'})}").page
    expect(page.locator(".session h2")).to_have_text("fix the login")
    page.locator(".mode a", has_text="forge").click()
    expect(page.locator("h1")).to_have_text("fix the login")


def test_what_a_hostile_history_says_does_nothing(look: Open, scene: Scene) -> None:
    scene.run_of_forge()
    file = scene.workspace.folder(FORGE) / "history.jsonl"
    lines = file.read_text().splitlines()
    hostile = (
        lines[1].replace("starting", SCRIPT).replace('"n":2', '"n":90').replace("executing", "\\u001b[31mred\\u202e")
    )
    file.write_text("\n".join([*lines, hostile, "{", '{"n": 1e999}', ""]))
    window = look(page_of(scene, FORGE, "forge"))
    expect(window.page.locator("[data-n='90']")).to_contain_text("<script>")
    expect(window.page.locator("h1")).to_contain_text("<script>")
    assert "\x1b" not in window.page.content()
    assert window.page.title() != "broken"


PLACES = {
    "overview": ("/", "[data-group=waiting]"),
    "mode": (FORGE, ".graph svg"),
    "own": ("release-1", ".graph svg"),
    "asking": ("01998f31-crew", ".asking"),
}


def filled(scene: Scene) -> dict[str, tuple[str, str]]:
    scene.fill()
    scene.run_of_forge()
    scene.own_mode()
    scene.prompt("$release ship version 2", "release-1", 700)
    scene.write("release-1", "release", 90, active=False, lifecycle_outcome="finished")
    assert scene.project.rcs("task", "new", "login").returncode == 0
    scene.prompt("$ultraqa try to break the report", "01998f3b-closed", 5000)
    scene.workspace.call("SessionEnd", session="01998f3b-closed", reason="other")
    modes = {"mode": "forge", "own": "release", "asking": "team"}
    return {
        name: (page_of(scene, place, modes[name]) if name in modes else place, selector)
        for name, (place, selector) in PLACES.items()
    }


@pytest.mark.parametrize(("width", "scheme"), SIZES)
def test_the_list_and_a_run_fit_and_have_a_picture(
    look: Open, scene: Scene, pictures: Path, width: int, scheme: str
) -> None:
    window, found = look(width=width, scheme=scheme), Findings()
    for name, (address, selector) in filled(scene).items():
        window.go(address)
        expect(window.page.locator(selector).first).to_be_visible()
        assert_fits(window)
        taken(window, pictures / f"modes-{name}-{width}-{scheme}.png")
        found.look(window, name)
    found.assert_none()
