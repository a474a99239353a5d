"""The one list, and the page of a mode's run: what happens appears and moves there, and no page is loaded again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from playwright.sync_api import expect

from tests.browser.scene import FORGE, SCRIPT, page_of

if TYPE_CHECKING:
    from playwright.sync_api import Locator

    from tests.browser.conftest import Open
    from tests.browser.scene import Scene
    from tests.browser.watched import Window


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
