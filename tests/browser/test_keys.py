"""All of it can be done without a mouse."""

from __future__ import annotations

from typing import TYPE_CHECKING

from playwright.sync_api import expect

from tests.browser.scene import LONG_RUN

if TYPE_CHECKING:
    from tests.browser.conftest import Open
    from tests.browser.scene import Scene


def test_a_list_is_walked_and_an_entry_opened(look: Open, scene: Scene) -> None:
    for run in ("one", "two", "three"):
        scene.project.emit("requirements", run=run)
    page = look("/runs").page
    for key, run in (
        ("j", "three"),
        ("j", "two"),
        ("ArrowDown", "one"),
        ("j", "one"),
        ("k", "two"),
        ("ArrowUp", "three"),
    ):
        page.keyboard.press(key)
        expect(page.locator(f"[data-run={run}]")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("h1")).to_have_text("build")
    expect(page.locator("h1")).to_be_focused()


def test_no_dialog_outlives_its_page(look: Open, scene: Scene) -> None:
    scene.fill()
    window = look("/runs")
    for name in ("Large", "End run…"):
        window.go("/runs")
        page = window.page
        page.locator(f"[data-run='{LONG_RUN}']").click()
        page.get_by_role("button", name=name).click()
        expect(page.get_by_role("dialog")).to_be_visible()
        page.go_back()
        expect(page.locator("h1")).to_have_text("Runs")
        expect(page.get_by_role("dialog")).to_have_count(0)
        expect(page.locator("h1")).to_be_focused()


def test_digits_lead_to_the_pages_and_a_question_mark_says_so(look: Open, scene: Scene) -> None:
    scene.fill()
    page = look("/").page
    for digit, name in (("2", "Needs me"), ("3", "Runs"), ("4", "Sessions"), ("5", "Tasks"), ("1", "Overview")):
        page.keyboard.press(digit)
        expect(page.locator("h1")).to_have_text(name)
        expect(page.locator("nav [aria-current=page]")).to_contain_text(name)
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_contain_text("next entry of the list")
    page.keyboard.press("2")
    expect(page.get_by_role("dialog")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    page.keyboard.press("4")
    expect(page.locator("h1")).to_have_text("Sessions")
    page.locator("textarea").first.focus()
    page.keyboard.type("12j?")
    expect(page.locator("textarea").first).to_have_value("12j?")
