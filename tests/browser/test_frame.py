"""What is around the pages: search, theme, what is said while the server is away, and what a finger touches."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from playwright.sync_api import expect

from tests.browser.scene import LONG_RUN
from tests.browser.watched import AWAY

if TYPE_CHECKING:
    from tests.browser.conftest import Open
    from tests.browser.live import Dashboard
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


def test_who_leaves_while_typing_a_search_is_not_brought_back(look: Open) -> None:
    window = look("/all")
    page = window.page
    page.clock.install()
    page.reload()
    window.live()
    page.evaluate("""() => {
        const field = document.getElementById("search");
        field.value = "report";
        field.dispatchEvent(new Event("input", { bubbles: true }));
        document.querySelector("#nav a[href='/runs']").click();
    }""")
    page.clock.run_for(1000)
    expect(page.locator("h1")).to_have_text("Runs")
    expect(page).to_have_url(re.compile(r"/runs$"))


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


UNDRAWN = """() => [...document.querySelectorAll("use")]
    .filter((each) => each.getBoundingClientRect().width === 0 && each.closest("svg").getBoundingClientRect().width > 0)
    .map((each) => each.getAttribute("href"))"""
TWICE = """() => [...document.querySelectorAll("[id]")].map((each) => each.id)
    .filter((id, at, all) => all.indexOf(id) !== at)"""


def test_icons_are_drawn_anew_while_the_server_is_away(look: Open, scene: Scene, dashboard: Dashboard) -> None:
    scene.fill()
    scene.prompt("$forge fix the login", "s1", 60)
    window = look("/attention")
    page = window.page
    expect(page.locator(".need").first).to_be_visible()
    assert page.evaluate(UNDRAWN) == page.evaluate(TWICE) == []
    window.allowed += AWAY
    dashboard.stop()
    expect(page.locator("#away")).to_be_visible()
    page.get_by_role("button", name="Theme").click()
    assert page.locator("main use").count() > 10
    page.wait_for_function(f"() => ({UNDRAWN})().length === 0", timeout=5000)
    assert page.evaluate(TWICE) == []


def test_what_is_touched_is_as_large_as_a_finger(look: Open, scene: Scene) -> None:
    scene.fill()
    for address in ("/", "/attention", "/runs", f"/runs/{LONG_RUN}", "/sessions", "/all"):
        window = look(address, width=400, has_touch=True, is_mobile=True)
        assert window.page.evaluate("matchMedia('(pointer: coarse)').matches")
        assert window.page.evaluate(SMALL) == [], address
