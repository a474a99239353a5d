"""Where things are: what belongs together is together, nothing is cut off, and nothing is larger than what is in it."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from tests.browser.scene import DAY, FORGE, LONG_RUN, page_of

if TYPE_CHECKING:
    from tests.browser.conftest import Open
    from tests.browser.scene import Scene

CUT = "(found) => found.filter((each) => each.scrollWidth > each.clientWidth).length"
BESIDE = """(ticks) => ticks.filter((tick) => !tick.matches(".at-start, .at-end")).map((tick) => {
    const words = tick.firstChild.getBoundingClientRect();
    return Math.abs(words.x + words.width / 2 - tick.getBoundingClientRect().x);
})"""
"""How far the middle of the words of each tick is from it, except at the ends of the axis."""
MIDDLES = """(heads) => heads.map((head) => {
    const middle = (box) => box.y + box.height / 2;
    const [status, title] = [".status", ".need-title"].map((name) => head.querySelector(name).getBoundingClientRect());
    return Math.abs(middle(status) - middle(title));
})"""
ROWS = """(found) => found.map((each) => new Set(
    [...each.children].map((child) => child.getBoundingClientRect()).map((box) => Math.round((box.y + box.bottom) / 4))
).size)"""


@pytest.mark.parametrize("width", [400, 800, 1280, 1920])
def test_the_frame_and_the_page_have_the_same_edges(look: Open, width: int) -> None:
    page = look("/runs", width=width).page
    brand, heading = page.locator(".brand").bounding_box(), page.locator("h1").bounding_box()
    assert brand
    assert heading
    assert abs(brand["x"] - heading["x"]) < 1


@pytest.mark.parametrize("width", [400, 1280])
def test_the_words_of_a_tick_are_under_it(look: Open, scene: Scene, width: int) -> None:
    scene.fill()
    window = look("/runs/archived-1", width=width)
    for address in ("/runs/archived-1", "/runs/blueprint-7", f"/runs/{LONG_RUN}"):
        window.go(address)
        expect(window.page.locator(".tick").first).to_be_attached()
        assert max(window.page.locator(".tick").evaluate_all(BESIDE), default=0) <= 1, address


def test_the_large_graph_is_seen_whole_on_a_small_screen(look: Open, scene: Scene) -> None:
    scene.run_of_forge()
    page = look(page_of(scene, FORGE, "forge"), width=400).page
    page.get_by_role("button", name="Large").click()
    expect(page.locator("dialog svg g.state").first).to_be_visible()
    assert page.locator("dialog .reader-body").evaluate_all(CUT) == 0


def test_the_reader_is_no_longer_than_what_is_read(look: Open, scene: Scene) -> None:
    scene.fill()
    window = look("/")
    (scene.project.root / "docs" / "report.json").write_text("[" + "1,\n" * 500 + "1]")
    for file, shown, least, most in (("change.diff", ".diff", 300, 700), ("report.json", "pre.text", 800, 900)):
        window.go(f"/runs/{LONG_RUN}?artifact=docs/{file}")
        expect(window.page.locator(f"dialog {shown}")).to_be_visible()
        box = window.page.locator("dialog").bounding_box()
        assert box
        assert least < box["height"] < most


def test_the_command_to_copy_is_seen_whole(look: Open, scene: Scene) -> None:
    scene.prompt("$blueprint $forge split the export", "s1", 60)
    scene.write("s1", "blueprint", 30, active=False, lifecycle_outcome="finished", plan="plan.md")
    page = look("/attention", width=400).page
    expect(page.locator(".resume code").first).to_contain_text("codex resume s1")
    assert page.locator(".to-copy code").evaluate_all(CUT) == 0


def test_a_row_of_everything_takes_two_lines_on_a_screen_of_middle_width(look: Open, scene: Scene) -> None:
    scene.fill()
    page = look("/all", width=800).page
    row = page.locator(".entry-row", has_text="billing")
    expect(row.first).to_be_visible()
    box = row.first.bounding_box()
    assert box
    assert box["height"] < 75


def test_what_is_said_of_an_entry_is_in_one_line_beside_its_status(look: Open, scene: Scene) -> None:
    scene.fill()
    for width in (800, 1280):
        page = look("/", width=width).page
        expect(page.locator(".entry").first).to_be_visible()
        assert max(page.locator(".entry .meta").evaluate_all(ROWS)) == 1
    assert max(page.locator(".entry .need-head").evaluate_all(MIDDLES)) <= 1.5


def test_a_file_that_is_missing_is_struck_out_wherever_it_is_named(look: Open, scene: Scene) -> None:
    scene.fill()
    page = look(f"/runs/{LONG_RUN}?step=build").page
    for place in (".step-files", ".made", ".files"):
        missing = page.locator(f"{place} .missing", has_text="gone.md").first
        expect(missing).to_be_visible()
        line = missing.evaluate("each => getComputedStyle(each.querySelector('.path') ?? each).textDecorationLine")
        assert line == "line-through", place


def test_the_mark_of_what_needs_me_is_beside_its_title_where_it_is_touched(look: Open, scene: Scene) -> None:
    scene.fill()
    page = look("/attention", width=800, has_touch=True, is_mobile=True).page
    expect(page.locator(".need").first).to_be_visible()
    assert max(page.locator(".need .need-head").evaluate_all(MIDDLES)) <= 4


def test_no_fact_is_alone_on_the_last_line(look: Open, scene: Scene) -> None:
    scene.fill()
    scene.run_of_forge()
    lines = """(facts) => {
        const lines = Map.groupBy(facts, (fact) => Math.round(fact.getBoundingClientRect().y));
        return [...lines.values()].map((line) => line.length);
    }"""
    for width in (800, 1000, 1280, 1400):
        window = look("/", width=width)
        for address in (page_of(scene, FORGE, "forge"), f"/runs/{LONG_RUN}"):
            window.go(address)
            found = window.page.locator(".run-head .fact").evaluate_all(lines)
            assert len(found) == 1 or found[-1] > 1, (width, address, found)


@pytest.mark.parametrize("width", [400, 800, 1280])
def test_a_long_title_gives_way_to_its_button(look: Open, scene: Scene, width: int) -> None:
    title = "a title that goes on and on " * 4
    scene.at(60).emit("requirements", run="r1", data={"status": "running", "feature": title.strip()})
    scene.prompt(f"$forge {title}", "s1", 60)
    window = look("/runs/r1", width=width)
    for address, name in (("/runs/r1", "End run…"), (page_of(scene, "s1", "forge"), "Clear…")):
        window.go(address)
        button = window.page.get_by_role("button", name=name).bounding_box()
        heading = window.page.locator("h1").bounding_box()
        assert button
        assert heading
        assert abs(button["y"] - heading["y"]) < 10
        assert button["x"] > heading["x"] + heading["width"]


@pytest.mark.parametrize("width", [400, 800, 1000])
def test_the_time_of_a_session_is_at_the_right_of_its_first_line(look: Open, scene: Scene, width: int) -> None:
    scene.fill()
    page = look("/sessions", width=width).page
    expect(page.locator(".session .blocks").first).to_be_visible()
    below = """(heads) => heads.map((head) => {
        const [status, when] = [".status", ".when"].map((name) => head.querySelector(name).getBoundingClientRect());
        return Math.abs(when.y + when.height / 2 - status.y - status.height / 2);
    })"""
    assert max(page.locator(".session .card-head").evaluate_all(below)) < 3


@pytest.mark.parametrize("address", ["/runs", "/all"])
def test_each_column_is_under_its_name(look: Open, scene: Scene, address: str) -> None:
    scene.fill()
    page = look(address).page
    expect(page.locator(".names")).to_contain_text("StatusRun" if address == "/runs" else "StatusTitle")
    lefts = "(row) => [...row.children].map((each) => Math.round(each.getBoundingClientRect().x))"
    row = "a.row" if address == "/runs" else "li.entry-row"
    names, cells = (page.locator(each).first.evaluate(lefts) for each in (".names", row))
    assert names == cells
    assert page.locator(".names span").evaluate_all(CUT) == 0


def test_the_filters_of_everything_are_in_one_line_under_the_search(look: Open, scene: Scene) -> None:
    scene.fill()
    page = look("/all", width=800).page
    expect(page.locator(".entry-row").first).to_be_visible()
    lines = "(found) => found.map((each) => Math.round(each.getBoundingClientRect().y))"
    search, *others = page.locator(".filter").evaluate_all(lines)
    assert len(set(others)) == 1
    assert search < others[0]


def test_the_steps_of_events_of_several_days_are_seen_whole(look: Open, scene: Scene) -> None:
    project = scene.at(5 * DAY)
    project.emit("agent:reviewing-the-code", run="r1")
    scene.at(60).emit("requirements", run="r1")
    page = look("/runs/r1").page
    expect(page.locator(".with-day .event .place").first).to_be_visible()
    assert page.locator(".event .place").evaluate_all(CUT) == 0


def test_an_event_of_another_day_takes_two_lines_on_a_small_screen(look: Open, scene: Scene) -> None:
    scene.at(5 * DAY).emit("agent:reviewing-the-code", run="r1")
    page = look("/runs/r1", width=400).page
    event = page.locator(".with-day .event").first
    expect(event).to_be_visible()
    box = event.bounding_box()
    assert box
    assert box["height"] < 60
    for part in ("place", "what"):
        assert page.locator(f".event .{part}").evaluate_all(CUT) == 0


def test_the_words_of_the_last_tick_are_inside_the_panel(look: Open, scene: Scene) -> None:
    since_a_midnight = DAY + time.time() % DAY
    for step in ("requirements", "design", "tasks", "build", "verify", "archive"):
        scene.at(since_a_midnight + DAY).emit(step, run="r1")
    scene.at(since_a_midnight - 60).emit("archive", "completed", run="r1")  # the last tick is a minute before
    page = look("/runs/r1", width=400, timezone_id="UTC").page
    expect(page.locator(".tick.at-end")).to_be_attached()
    outside = """(ticks) => ticks.map((tick) => {
        const panel = tick.closest(".panel").getBoundingClientRect();
        return tick.firstChild.getBoundingClientRect().right - panel.right;
    })"""
    assert max(page.locator(".tick").evaluate_all(outside)) < -2


def test_a_filter_that_would_be_alone_takes_its_line_on_a_small_screen(look: Open, scene: Scene) -> None:
    scene.fill()
    window = look("/runs", width=400)
    for address in ("/", "/runs", "/all", "/sessions"):
        window.go(address)
        rights = "(found) => found.map((each) => Math.round(each.getBoundingClientRect().right))"
        found = window.page.locator(".filter").evaluate_all(rights)
        assert found[-1] == max(found), address


def test_each_group_of_what_needs_me_is_beside_what_waits(look: Open, scene: Scene) -> None:
    scene.fill()
    for width, columns in ((800, 1), (1280, 2)):
        page = look("/attention", width=width).page
        expect(page.locator("#inactive")).to_be_visible()
        lefts = "(found) => found.map((each) => Math.round(each.getBoundingClientRect().x))"
        found = page.locator(".board > .needs").evaluate_all(lefts)
        assert len(found) == 4
        assert len(set(found)) == columns
        assert len(set(found[1:])) == 1


def test_a_wide_diagram_has_the_room_of_the_reader(look: Open, scene: Scene) -> None:
    steps = "\n".join(f"  [*] --> step{number}" for number in range(7))
    (scene.project.root / "a.md").write_text(f"# Plan\n\n```mermaid\nstateDiagram-v2\n{steps}\n```\n")
    scene.at(60).artifact("a.md", step="requirements")
    page = look("/runs/r1?artifact=a.md").page
    graph = page.locator(".mermaid .graph")
    expect(graph.locator("svg")).to_be_visible()
    box, text = graph.bounding_box(), page.locator(".markdown h3").bounding_box()
    assert box
    assert text
    assert box["width"] > 1.3 * text["width"]
    assert page.locator(".mermaid .graph").evaluate_all(CUT) == 0


@pytest.mark.parametrize("address", ["/sessions", "/"])
def test_times_are_beside_their_status_where_it_is_touched(look: Open, scene: Scene, address: str) -> None:
    scene.fill()
    page = look(address, width=800, has_touch=True, is_mobile=True).page
    heads = page.locator(".card-head, .entry .need-head")
    expect(heads.first).to_be_visible()
    apart = """(heads) => heads.map((head) => {
        const middle = (box) => box.y + box.height / 2;
        const [status, when] = [".status", ".when"].map((name) => head.querySelector(name).getBoundingClientRect());
        return Math.abs(middle(status) - middle(when));
    })"""
    assert max(heads.evaluate_all(apart)) < 4


def test_a_fact_with_a_button_is_in_line_with_the_others(look: Open, scene: Scene) -> None:
    scene.fill()
    for options in ({}, {"has_touch": True, "is_mobile": True}):
        page = look(f"/runs/{LONG_RUN}", width=800, **options).page
        expect(page.locator(".run-head .fact").first).to_be_visible()
        middles = """(names) => names.map((name) => {
            const box = name.getBoundingClientRect();
            return box.y + box.height / 2;
        })"""
        project, run = page.locator(".run-head .fact dt").evaluate_all(middles)[-2:]
        assert abs(project - run) < 2


@pytest.mark.parametrize("options", [{}, {"has_touch": True, "is_mobile": True}])
def test_the_status_of_a_row_of_everything_is_beside_its_title(
    look: Open, scene: Scene, options: dict[str, bool]
) -> None:
    scene.fill()
    page = look("/all", width=800, **options).page
    expect(page.locator(".entry-row .says").first).to_be_visible()
    apart = """(rows) => rows.map((row) => {
        const middle = (each) => each.getBoundingClientRect().y + each.getBoundingClientRect().height / 2;
        return Math.abs(middle(row.querySelector(".status")) - middle(row.querySelector(".title a")));
    })"""
    assert max(page.locator(".entry-row").evaluate_all(apart)) < 3
