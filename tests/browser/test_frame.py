"""What is around the pages: search, theme, what is said while the server is away, and what a finger touches."""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from tests.browser.scene import LONG_RUN
from tests.browser.watched import AWAY

if TYPE_CHECKING:
    from playwright.sync_api import Route

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


def test_the_field_of_the_search_has_the_words_that_are_searched(look: Open, scene: Scene) -> None:
    scene.fill()
    page = look("/all").page
    every = page.locator(".entry-row").count()
    for link in ("Show all", "Search everything"):
        page.locator("#search").fill("report split")
        expect(page.locator(".entry-row")).to_have_count(1)
        page.get_by_role("link", name=link).click()
        expect(page.locator(".entry-row")).to_have_count(every)
        expect(page.locator("#search")).to_have_value("")
    page.locator("#search").fill("split ")
    expect(page).to_have_url(re.compile(r"/all\?q=split$"))
    page.locator("#search").press_sequentially("report")
    expect(page).to_have_url(re.compile(r"/all\?q=split\+report$"))


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


def test_a_link_to_an_old_session_leads_to_it(look: Open, scene: Scene) -> None:
    scene.prompt("$forge fix the login", "old", 7200)
    for number in range(60):
        scene.prompt(f"$forge fix the part {number}", f"s{number}", 3600 - number)
    page = look("/sessions?session=old").page
    expect(page.locator(".session h2")).to_have_text(["fix the login"])
    expect(page.locator(".list-end")).to_have_count(0)
    expect(page.locator(".figures")).to_have_text("1 session: 1 stalled")
    page.get_by_role("link", name="session old ×").click()
    expect(page.locator(".session")).to_have_count(50)


def test_the_runs_of_a_session_stay_those_of_the_session_whatever_other_filter_is_chosen(
    look: Open, scene: Scene
) -> None:
    project = scene.at(60)
    for run, session, status in (("r1", "s1", "running"), ("r2", "s1", "failed"), ("r3", "s2", "running")):
        project.emit("requirements", status, run=run, env={"CODEX_SESSION_ID": session})
    page = look("/runs?session=s1").page
    page.select_option("[data-filter=status]", "running")
    expect(page).to_have_url(re.compile(r"/runs\?session=s1&status=running$"))
    expect(page.locator("[data-run]")).to_have_count(1)
    page.get_by_role("link", name="session: s1 ×").click()
    expect(page).to_have_url(re.compile(r"/runs\?status=running$"))
    expect(page.locator("[data-run]")).to_have_count(2)


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


LENGTHS = """() => [...document.querySelectorAll("[data-since]")].map((each) => each.textContent).join()"""
"""The lengths of time that a page shows and counts on."""


def hold(held: list[Route], route: Route) -> None:
    held.append(route)


def test_what_is_old_says_as_of_when_and_a_page_that_takes_long_is_outlined(
    look: Open, scene: Scene, dashboard: Dashboard
) -> None:
    scene.fill()
    window = look("/runs")
    page = window.page
    window.allowed += AWAY
    page.clock.install()
    page.reload()
    window.live()
    before = page.evaluate(LENGTHS)
    page.clock.run_for(10_000)
    assert page.evaluate(LENGTHS) != before
    dashboard.stop()
    expect(page.locator("#away")).to_have_text(
        re.compile(r"Not connected. What is shown is as of \d+ \w+ \d{4}, [\d:]{8}")
    )
    expect(page.locator("body")).to_have_class(re.compile("is-away"))
    before = page.evaluate(LENGTHS)
    page.clock.run_for(10_000)
    assert page.evaluate(LENGTHS) == before
    dashboard.start()
    expect(page.locator("#away")).to_be_hidden()
    held: list[Route] = []
    page.route("**/api/sessions*", partial(hold, held))
    page.get_by_role("link", name="Sessions", exact=True).click()
    expect(page.locator(".skeleton .bone")).to_have_count(4)
    expect(page.locator("[data-run]")).to_have_count(0)
    for route in held:
        route.continue_()
    page.unroute("**/api/sessions*")
    expect(page.locator("h1")).to_have_text("Sessions")


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


def test_a_title_does_not_change_the_name_of_a_file(look: Open) -> None:
    page = look("/attention").page
    said = """async (words) => (await import("/static/js/pieces.js")).sentence(words)"""
    for words, wanted in {
        "it failed": "It failed.", "forge asks, and waits": "Forge asks, and waits.",
        "README.md is gone": "README.md is gone.",
        "docs/a.md cannot be read": "docs/a.md cannot be read.", "state.json: not JSON": "state.json: not JSON.",
        "a_b is unknown": "a_b is unknown.", "why?": "Why?",
    }.items():  # fmt: skip
        assert page.evaluate(said, words) == wanted


def test_a_session_that_failed_is_no_success(look: Open, scene: Scene) -> None:
    scene.prompt("$forge ship it", "s1", 60)
    scene.write("s1", "forge", 30, active=False, lifecycle_outcome="failed", reason="no key")
    page = look("/sessions").page
    expect(page.locator(".session .card-head .status")).to_have_text("failed")
    expect(page.locator(".session")).to_have_class(re.compile("is-failed"))
    expect(page.locator(".mode .remark")).to_have_text("no key")
    scene.prompt("$forge ship the other", "s2", 3700)
    expect(page.locator(".session .card-head .status", has_text="stalled")).to_have_count(1)
    for address in ("/", "/all"):
        page = look(address).page
        expect(page.locator(".status", has_text="stalled").first).to_be_visible()


LIGHTNESS = """() => [".run-head h1", ".run-head dt", ".panel h2", ".banner strong"].flatMap((name) => {
    const each = document.querySelector(name);
    if (!each) return [];
    const surface = each.closest(".panel, .banner, body");
    return [[getComputedStyle(each).color, getComputedStyle(surface).backgroundColor]];
})"""


def contrast(pair: tuple[str, str]) -> float:
    """The contrast of two colours, as WCAG counts it."""

    def luminance(colour: str) -> float:
        parts = [int(part) / 255 for part in re.findall(r"\d+", colour)[:3]]
        red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue

    light, dark = sorted(map(luminance, pair), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_what_is_old_is_dim_and_can_be_read(look: Open, scene: Scene, dashboard: Dashboard, scheme: str) -> None:
    scene.fill()
    window = look("/runs/blueprint-7", scheme=scheme)
    page = window.page
    fresh = [contrast(pair) for pair in page.evaluate(LIGHTNESS)]
    window.allowed += AWAY
    dashboard.stop()
    expect(page.locator("#away")).to_contain_text("What is shown is as of")
    old = [contrast(pair) for pair in page.evaluate(LIGHTNESS)]
    assert min(old) >= 4.5
    assert max(old) < 0.6 * max(fresh)
    dashboard.start()
    window.live()
    assert [contrast(pair) for pair in page.evaluate(LIGHTNESS)] == fresh
