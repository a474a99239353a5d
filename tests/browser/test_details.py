"""Details: icons that are told apart, what is beside what, one wording in all lists, nothing said twice or cut off."""

from __future__ import annotations

from typing import TYPE_CHECKING

from playwright.sync_api import expect

from tests.browser.scene import DAY, FORGE, LONG_RUN, page_of
from tests.tasks.support import Task

if TYPE_CHECKING:
    from tests.browser.conftest import Open
    from tests.browser.scene import Scene

CUT = "(found) => found.filter((each) => each.scrollWidth > each.clientWidth).length"


def test_the_large_graph_is_larger_on_a_small_screen_too(look: Open, scene: Scene) -> None:
    scene.run_of_forge()
    page = look(page_of(scene, FORGE, "forge"), width=400).page
    small = page.locator(".drawing .graph svg").bounding_box()
    page.get_by_role("button", name="Large").click()
    large = page.locator("dialog .graph svg").bounding_box()
    assert small
    assert large
    assert large["width"] > 1.05 * small["width"]


def test_the_button_that_copies_a_path_is_beside_it(look: Open, scene: Scene) -> None:
    scene.fill()
    for touched in ({}, {"has_touch": True, "is_mobile": True}):
        page = look(f"/runs/{LONG_RUN}", width=400, **touched).page
        expect(page.locator(".files .copy").first).to_be_visible()
        apart = """(rows) => rows.map((row) => {
            const middle = (name) => {
                const box = row.querySelector(name).getBoundingClientRect();
                return box.y + box.height / 2;
            };
            return Math.abs(middle(".path") - middle(".copy"));
        })"""
        assert max(page.locator(".files li").evaluate_all(apart)) <= 2


def test_the_events_of_a_small_page_are_part_of_it_and_no_place_is_cut_off_anywhere(look: Open, scene: Scene) -> None:
    scene.fill()
    for width in (400, 1280):
        page = look(f"/runs/{LONG_RUN}", width=width).page
        expect(page.locator(".event .place").first).to_be_visible()
        assert page.locator(".event .place").evaluate_all(CUT) == 0
        hidden = page.locator(".events .scroll").evaluate("(each) => each.scrollHeight - each.clientHeight")
        assert (hidden > 0) == (width == 1280)


def test_each_number_of_the_overview_has_an_icon_of_its_own(look: Open, scene: Scene) -> None:
    Task(scene.project.root, "login").at("planning")
    scene.prompt("$forge fix the login", "s1", 60)
    scene.workspace.call("SessionEnd", session="s1", reason="other")
    scene.prompt("$forge fix the logout", "s2", 60)
    scene.write("s2", "forge", 30, active=False, lifecycle_outcome="failed")
    icons = "(found) => found.map((each) => each.getAttribute('href'))"
    window = look("/")
    found = window.page.locator(".numbers use").evaluate_all(icons)
    assert len(set(found)) == len(found) == 5
    for group in ("tasks", "closed"):
        shown = window.page.locator(f"[data-group={group}] .status use").evaluate_all(icons)
        assert shown == found[{"tasks": 3, "closed": 4}[group] :][:1]
    window.go("/tasks")
    expect(window.page.locator(".task")).to_be_visible()
    head = window.page.locator(".task .card-head .status use").evaluate_all(icons)
    assert head in (["#icon:open"], ["#icon:closed"])


def test_nothing_is_crooked_or_empty_above_a_list(look: Open, scene: Scene) -> None:
    scene.prompt("$forge fix the login", "s1", 60)
    page = look("/sessions").page
    middle = "(each) => each.getBoundingClientRect().y + each.getBoundingClientRect().height / 2"
    heights = [
        page.locator(f".session {each}").evaluate(middle) for each in (".card-head > .status", ".mode > .status")
    ]
    assert abs(heights[0] - heights[1]) <= 1
    scene.at(60).emit("requirements", run="r1")
    page = look("/runs", width=800).page
    expect(page.locator("[data-run]")).to_be_visible()
    assert page.locator(".filters").evaluate("(each) => each.getBoundingClientRect().height") < 60


def test_what_an_event_is_stands_there_whole(look: Open, scene: Scene) -> None:
    scene.at(2 * DAY).walk("requirements", "design")
    scene.at(DAY).emit("tasks", run="r1")
    for width in (800, 1280, 1920):
        page = look("/runs/r1", width=width).page
        expect(page.locator(".with-day .auto").first).to_be_visible()
        assert page.locator(".event .what").evaluate_all(CUT) == 0


def test_an_end_that_the_status_tells_is_not_said_again(look: Open, scene: Scene) -> None:
    scene.prompt("$blueprint plan it", "s1", 60)
    scene.write("s1", "blueprint", 30, active=False, lifecycle_outcome="finished", current_phase="done")
    page = look("/").page
    expect(page.locator(".entry .status")).to_have_text("finished early")
    expect(page.locator(".entry .detail")).to_have_count(0)


def test_what_is_inactive_has_lasted_as_long_in_every_list(look: Open, scene: Scene) -> None:
    scene.at(5 * DAY).emit("requirements", run="r1")
    scene.at(4 * DAY).emit("design", run="r1")
    for address, place in {
        "/runs": ".row .duration",
        "/all": ".entry-row > .duration",
        "/runs/r1": ".facts .duration",
    }.items():
        expect(look(address).page.locator(place)).to_have_text("1 d 00 h")


def test_what_is_inactive_says_for_how_long_it_was_silent_and_not_when_it_began(look: Open, scene: Scene) -> None:
    scene.at(5 * DAY).emit("requirements", run="r1")
    scene.at(1.5 * DAY).emit("design", run="r1")
    scene.prompt("$forge fix the login", "s1", 5 * DAY)
    scene.write("s1", "forge", 1.5 * DAY, current_phase="executing")
    for address, number in {"/": 1, "/attention": 2}.items():
        expect(look(address).page.locator(".need .when")).to_have_text(["for 1 d"] * number)


def test_what_stands_in_a_column_is_not_said_again(look: Open, scene: Scene) -> None:
    scene.prompt("$forge fix the login", "s1", 60)
    page = look("/all").page
    expect(page.locator(".entry-row .of")).to_have_text("forge starting")
    expect(page.locator(".entry-row .says")).to_have_count(0)
    scene.write("s1", "forge", current_phase="executing")
    scene.write("s1", "forge", current_phase="verifying", iteration=2, max_iterations=9)
    expect(page.locator(".entry-row .of")).to_have_text("forge verifying")
    expect(page.locator(".entry-row .says")).to_have_text("round 2 of 9")


def test_an_early_end_has_the_same_words_in_every_list(look: Open, scene: Scene) -> None:
    for ago in (120, 60):
        scene.prompt("$forge fix the login", "s1", ago)
        scene.write("s1", "forge", ago - 30, active=False, lifecycle_outcome="finished")
    lists = {
        "/": ".entry .status", "/all": ".entry-row > .status", "/sessions": ".session .status",
        page_of(scene, "s1", "forge"): ".run-lines .status",
    }  # fmt: skip
    for width in (400, 1280):
        window = look("/", width=width)
        for address, place in lists.items():
            window.go(address)
            found = window.page.locator(f"{place}:not(.verdict)")
            expect(found).to_have_text(["finished early", "finished early"])
            assert found.evaluate_all(CUT) == 0
