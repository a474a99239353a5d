"""What is around the pages: search, theme, what is said while the server is away, and what a finger touches."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from playwright.sync_api import expect

from tests.browser.scene import LONG_RUN

if TYPE_CHECKING:
    from tests.browser.conftest import Open
    from tests.browser.scene import Scene

SMALL = """() => [...document.querySelectorAll(
        "button, main .filters a, select, input, textarea, summary, nav a, a.brand, a.row")]
    .filter((each) => each.offsetParent && !each.matches(".skip"))
    .map((each) => [each.outerHTML.slice(0, 120), each.getBoundingClientRect().height])
    .filter(([, height]) => height > 0 && height < 43.5)"""


def test_a_slash_searches_everything_and_the_words_are_the_address(look: Open, scene: Scene) -> None:
    scene.fill()
    page = look("/runs").page
    page.keyboard.press("/")
    expect(page.locator("#search")).to_be_focused()
    page.keyboard.type("report split")
    expect(page.locator(".entry-row")).to_have_count(1)
    expect(page.locator(".entry-row")).to_contain_text("split the report")
    expect(page).to_have_url(re.compile(r"/all\?q=report\+split$"))
    page.reload()
    expect(page.locator("#search")).to_have_value("report split")
    expect(page.locator(".entry-row")).to_have_count(1)
    page.locator(".entry-row a").first.click()
    expect(page.locator("h1")).to_have_text("split the report")


def test_a_long_list_goes_on_as_it_is_read_and_is_sorted(look: Open, scene: Scene) -> None:
    scene.at(600)
    for number in range(120):
        scene.project.emit("requirements", run=f"r{number:03}")
    page = look("/runs").page
    expect(page.locator("[data-run]")).to_have_count(50)
    expect(page.locator(".figures")).to_contain_text("120 runs")
    for count in (100, 120):
        page.locator("[data-run]").last.scroll_into_view_if_needed()
        expect(page.locator("[data-run]")).to_have_count(count)
    expect(page.locator(".list-end")).to_have_count(0)
    page.select_option("[data-filter=sort]", "started")
    expect(page.locator("[data-run]").first).to_have_attribute("data-run", "r119")
    expect(page).to_have_url(re.compile(r"sort=started"))


def test_the_theme_is_switched_and_stays(look: Open) -> None:
    page = look("/", scheme="dark").page
    ground = "getComputedStyle(document.body).backgroundColor"
    dark = page.evaluate(ground)
    button = page.get_by_role("button", name="Theme")
    expect(button).to_have_attribute("title", "Theme: as the system")
    button.click()
    expect(button).to_have_attribute("title", "Theme: light")
    light = page.evaluate(ground)
    assert light != dark
    page.reload()
    expect(button).to_have_attribute("title", "Theme: light")
    assert page.evaluate(ground) == light
    button.click()
    assert page.evaluate(ground) == dark
    button.click()
    expect(button).to_have_attribute("title", "Theme: as the system")


def test_what_is_touched_is_as_large_as_a_finger(look: Open, scene: Scene) -> None:
    scene.fill()
    for address in ("/", "/attention", "/runs", f"/runs/{LONG_RUN}", "/sessions", "/all"):
        window = look(address, width=400, has_touch=True, is_mobile=True)
        assert window.page.evaluate("matchMedia('(pointer: coarse)').matches")
        assert window.page.evaluate(SMALL) == [], address
