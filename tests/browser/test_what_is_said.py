"""What the pages say agrees with what is: one word for one thing, no state that nothing is in, nothing cut off."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from tests.browser.scene import HOUR, LONG_RUN, page_of
from tests.dashboard.support import filled
from tests.tasks.support import Task

if TYPE_CHECKING:
    from tests.browser.conftest import Open
    from tests.browser.scene import Scene

CUT = "(each) => each.scrollWidth > each.clientWidth"
RUNS = ".timeline .is-running, .drawing .is-running"
DAYS = 5 * 24 * HOUR


def test_where_a_run_is_now_is_each_step_that_runs(look: Open, scene: Scene) -> None:
    project = scene.at(60)
    project.walk("a", "b", "c", workflow="fork")
    page = look("/runs/r1").page
    expect(page.locator(".facts .step")).to_have_text("b, c")
    project.emit("b", "completed", workflow="fork")
    expect(page.locator(".facts .step")).to_have_text("c")


def test_no_step_of_a_silent_run_looks_as_if_it_ran(look: Open, scene: Scene) -> None:
    scene.at(2 * HOUR).emit("requirements", run="stalled")
    scene.at(DAYS).emit("requirements", run="inactive")
    for run in ("stalled", "inactive"):
        page = look(f"/runs/{run}").page
        expect(page.locator(f"[data-step=requirements] [aria-label={run}]")).to_be_visible()
        expect(page.locator(f".drawing .state.current.is-{run}")).to_have_attribute("data-state", "requirements")
        expect(page.locator(RUNS)).to_have_count(0)


def test_no_unit_or_agent_of_a_silent_run_looks_as_if_it_ran(look: Open, scene: Scene) -> None:
    project = scene.at(2 * HOUR)
    project.walk("requirements", "design", "tasks", "build")
    project.emit("building", unit="T1")
    project.emit("task-reviewer:reviewing")
    page = look("/runs/r1?step=build").page
    expect(page.locator("#detail .workers [aria-label=stalled]")).to_have_count(2)
    expect(page.locator(".nested [aria-label=stalled]")).to_have_count(2)
    expect(page.locator(f"#detail .is-running, {RUNS}")).to_have_count(0)
    project.emit("build", "completed")
    project.emit("verify")
    for place in (
        "#detail .workers [aria-label=left]", ".nested [aria-label=left]", ".nested .agent-at[title$=': left']",
        ".nested .bar[title$=', left']",
    ):  # fmt: skip
        expect(page.locator(place)).to_have_count(2)
    expect(page.locator("[data-step=verify] .bar[title$=', stalled']")).to_have_count(1)


def test_the_phase_of_a_closed_session_does_not_run(look: Open, scene: Scene) -> None:
    scene.prompt("$forge fix the login", "s1", 60)
    scene.workspace.call("SessionEnd", session="s1", reason="other")
    page = look(page_of(scene, "s1", "forge")).page
    expect(page.locator(".drawing .state.current.is-inactive")).to_have_attribute("data-state", "starting")
    expect(page.locator(RUNS)).to_have_count(0)


@pytest.mark.parametrize("status", ["stalled", "inactive", "closed"])
def test_nothing_on_the_page_of_a_silent_or_closed_run_says_that_it_runs(look: Open, scene: Scene, status: str) -> None:
    ago = 2 * HOUR if status == "stalled" else DAYS
    scene.at(ago).emit("requirements", run="r1")
    scene.prompt("$forge fix the login", "s1", ago + 300)
    scene.write("s1", "forge", ago + 240, active=False, lifecycle_outcome="finished")
    scene.prompt("$forge fix the logout", "s1", ago + 180)
    scene.write("s1", "forge", ago + 120, current_phase="executing", iteration=1)
    scene.write("s1", "forge", ago, current_phase="verifying", iteration=2)
    if status == "closed":
        scene.workspace.call("SessionEnd", session="s1", reason="other")
    window = look(page_of(scene, "s1", "forge", step="verifying"))
    page = window.page
    expect(page.locator(".mode-head .status").first).to_have_text(status)
    expect(page.locator("#detail header .status")).to_have_text(status)
    expect(page.locator("#detail tbody .status")).to_have_text(status)
    expect(page.locator(".run-lines .status").first).to_have_text(status)
    expect(page.locator("[data-step=verifying] .bar")).to_have_attribute("title", re.compile(f", {status}$"))
    expect(page.locator("[data-since]")).to_have_count(4 if status == "stalled" else 0)
    if status != "closed":
        window.go("/runs/r1?step=requirements")
        expect(page.locator("#detail header .status")).to_have_text(status)
        expect(page.locator("#detail tbody .status")).to_have_text(status)


def test_a_phase_of_which_nobody_knows_the_end_does_not_run(look: Open, scene: Scene) -> None:
    scene.prompt("$forge fix the login", "s1", 60)
    scene.workspace.mode_path("forge", "s1").unlink()
    page = look(page_of(scene, "s1", "forge", step="starting")).page
    expect(page.locator(".mode-head .status").first).to_have_text("unknown")
    for place in ("header", "tbody"):
        expect(page.locator(f"#detail {place} .status")).to_have_text("left")
    expect(page.locator("[data-step=starting] .mark")).to_have_attribute("title", "left")
    expect(page.locator("[data-step=starting] .bar")).to_have_attribute("title", re.compile(", left$"))
    expect(page.locator("[data-since]")).to_have_count(0)


def test_a_branch_that_was_left_by_a_failed_run_does_not_run(look: Open, scene: Scene) -> None:
    project = scene.at(60)
    project.walk("a", "b", "c", workflow="fork")
    project.emit("c", "failed", workflow="fork")
    project.rcs("runs", "end", "r1", "--status", "failed")
    page = look("/runs/r1").page
    expect(page.locator(".banner.is-failed")).to_be_visible()
    expect(page.locator(RUNS)).to_have_count(0)


def test_the_events_of_another_day_have_their_day(look: Open, scene: Scene) -> None:
    scene.at(DAYS).emit("requirements", run="r1")
    page = look("/runs/r1").page
    expect(page.get_by_role("button", name="Older")).to_have_count(0)
    expect(page.locator(".event time")).to_have_text(re.compile(r"^\d+ \w+, \d\d:\d\d:\d\d$"))


def test_the_words_of_an_end_are_those_of_its_status(look: Open, scene: Scene) -> None:
    scene.prompt("$forge fix the login", "s1", 60)
    scene.write("s1", "forge", 30, active=False, lifecycle_outcome="cancelled")
    for width in (400, 1280):
        page = look(page_of(scene, "s1", "forge"), width=width).page
        expect(page.locator(".events .place").first).to_have_text("starting → stopped by the user")
    page = look("/sessions").page
    expect(page.locator(".mode .status")).to_have_text("stopped by the user")
    assert not page.locator(".mode .status").evaluate(CUT)
    page = look("/all").page
    assert not page.locator(".entry-row .status").evaluate(CUT)


def test_no_event_is_cut_off_on_a_small_page(look: Open, scene: Scene) -> None:
    scene.fill()
    page = look("/runs/archived-1", width=400).page
    expect(page.locator(".event .place").first).to_be_visible()
    assert page.locator(".event .place").evaluate_all(f"(found) => found.filter({CUT}).length") == 0


@pytest.mark.parametrize("width", [400, 800, 1280, 1920])
def test_the_list_is_aligned_whatever_the_length_of_its_titles(look: Open, scene: Scene, width: int) -> None:
    scene.fill()
    scene.prompt("$forge fix the login", "s1", 60)
    scene.write("s1", "forge", 30, active=False, lifecycle_outcome="cancelled")
    page = look("/", width=width).page
    expect(page.locator(".entry").first).to_be_visible()
    lefts = "(found) => [...new Set(found.map((each) => Math.round(each.getBoundingClientRect().x)))].length"
    for selector in (".status:not(.verdict)", ".need-title"):
        assert page.locator(f".entry .need-head > {selector}").evaluate_all(lefts) == 1, selector
    under = """(heads) => heads.filter((head) => {
        const title = head.querySelector(".need-title").getBoundingClientRect();
        return [...head.querySelectorAll(".of, .project, .client, .id-copy, .when")]
            .some((each) => each.getBoundingClientRect().x < title.x);
    }).length"""
    assert page.locator(".entry .need-head").evaluate_all(under) == 0


def test_the_title_of_a_run_has_the_room_that_there_is(look: Open, scene: Scene) -> None:
    scene.at(60).emit("requirements", run="r1", data={"status": "running", "feature": "two branches side by side"})
    page = look("/runs", width=800).page
    assert not page.locator(".row strong").evaluate(CUT)


def test_a_list_with_a_state_says_how_many_of_how_many(look: Open, scene: Scene) -> None:
    for run, status in (("r1", "waiting"), ("r2", "running"), ("r3", "running")):
        scene.at(60).emit("requirements", status, run=run)
    page = look("/all").page
    expect(page.locator(".figures")).to_have_text("3 in all: 1 waiting, 2 running")
    page.select_option("[data-filter=state]", "waiting")
    expect(page.locator(".figures")).to_have_text("1 of 3: 1 waiting, 2 running")


def test_of_more_runs_than_are_counted_the_pages_say_that_they_are_the_last(look: Open, scene: Scene) -> None:
    filled(scene.project, runs=5200, events=1)
    window = look("/runs")
    page = window.page
    expect(page.locator(".figures")).to_have_text(re.compile("^The last 5,000 runs: "))
    expect(page.locator(".list-end")).to_have_text("50 and more")
    page.select_option("[data-filter=status]", "failed")
    expect(page.locator(".figures")).to_have_text(re.compile("^1,250 of the last 5,000 runs: "))
    window.go("/all")
    expect(page.locator(".figures")).to_have_text(re.compile("^5,000 among modes, tasks and the last 5,000 runs: "))
    page.select_option("[data-filter=kind]", "run")
    expect(page.locator(".figures")).to_have_text(re.compile("^5,000 among the last 5,000 runs: "))
    page.select_option("[data-filter=kind]", "mode")
    expect(page.locator(".figures")).to_have_text("")


def test_what_has_come_to_its_end_has_the_word_of_the_other_lists_and_is_found_by_it(look: Open, scene: Scene) -> None:
    scene.at(60).walk("requirements", "design", "tasks", "build", "verify", "archive")
    scene.project.emit("archive", "completed")
    scene.prompt("$blueprint plan it", "s1", 60)
    scene.write("s1", "blueprint", 40, current_phase="reviewing")
    scene.write("s1", "blueprint", 30, active=False, lifecycle_outcome="finished", plan="plan.md")
    Task(scene.project.root, "login").at("done")
    words = {"mode": "finished", "run": "completed", "task": "done"}
    window = look("/runs")
    page = window.page
    expect(page.locator("[data-run] .status")).to_have_text(words["run"])
    window.go("/tasks")
    expect(page.locator(".task .card-head .status").first).to_have_text(words["task"])
    window.go("/all")
    expect(page.locator(".figures")).to_have_text("3 in all: 3 completed")
    page.select_option("[data-filter=state]", label="completed")
    expect(page.locator(".entry-row")).to_have_count(3)
    for kind, word in words.items():
        entry = page.locator(f".entry-row[data-kind={kind}]")
        expect(entry.locator("> .status")).to_have_text(word)
        page.locator("#search").fill(word)
        expect(page.locator(".entry-row")).to_have_count(1 if word != "completed" else 3)
        expect(entry).to_have_count(1)
        page.locator("#search").fill("")
        expect(page.locator(".entry-row")).to_have_count(3)


def test_what_goes_on_says_for_how_long_and_what_is_closed_how_long_it_was(look: Open, scene: Scene) -> None:
    scene.at(9 * HOUR).emit("requirements", run="r1", data={"status": "running"})
    scene.prompt("$forge fix the logout", "s2", 3 * HOUR)
    scene.write("s2", "forge", 1.9 * HOUR, current_phase="executing")
    scene.workspace.call("SessionEnd", session="s2", reason="other")
    scene.prompt("$forge fix the login", "s1", 125)
    page = look("/all").page
    lengths = [re.compile(r"^[2-9] m \d\d s$"), re.compile(r"^1 h 0\d m$"), re.compile(r"^9 h 0\d m$")]
    expect(page.locator(".entry-row > .duration")).to_have_text(lengths)
    expect(page.locator(".entry-row [data-since]")).to_have_count(2)


def test_the_verdict_is_beside_the_title(look: Open, scene: Scene) -> None:
    scene.prompt("$forge fix the login", "s1", 60)
    scene.write("s1", "forge", 30, active=False, lifecycle_outcome="finished")
    page = look("/all").page
    expect(page.locator(".entry-row .title .verdict")).to_have_text("unproven")


def test_a_task_that_nobody_works_on_is_no_running_one(look: Open, scene: Scene) -> None:
    for name, phase in (("login", "planning"), ("mail", "accept")):
        Task(scene.project.root, name).at(phase)
    page = look("/attention").page
    expect(page.locator(".numbers")).to_contain_text("0 running")
    page = look("/tasks?phase=accept").page
    expect(page.locator(".task .to-copy")).to_have_text('rcs task accept mail --decision WORD --reason "WHY"')


def test_the_overview_says_how_many_of_what_runs_are_stalled(look: Open, scene: Scene) -> None:
    scene.at(60).emit("requirements", run="r1")
    page = look("/").page
    running = page.locator(".numbers .is-running")
    expect(running).to_have_text("1 running")
    scene.at(2 * HOUR).emit("requirements", run="r2")
    expect(running).to_have_text("2 running, 1 of them stalled")


def test_a_session_says_its_round_and_blocked_stops_once_there_are_some(look: Open, scene: Scene) -> None:
    scene.prompt("$forge fix the login", "s1", 60)
    page = look("/sessions").page
    expect(page.locator(".mode .round")).to_have_text("")
    expect(page.locator(".blocks")).to_have_count(0)
    scene.write("s1", "forge", current_phase="executing")
    scene.write("s1", "forge", current_phase="verifying", iteration=2, max_iterations=9)
    expect(page.locator(".mode .round")).to_have_text("round 2 of 9")
    scene.workspace.stop("s1")
    expect(page.locator(".blocks")).to_contain_text("1 Stop blocked")


def test_what_is_not_there_says_so_and_leads_elsewhere(look: Open, scene: Scene) -> None:
    scene.project.emit("scan", workflow="plain", run="r1")
    window = look("/")
    window.allowed += ("404 (Not Found)",)
    window.go("/runs/r1")
    expect(window.page.locator(".empty code")).to_have_text("rcs runs show r1")
    window.page.get_by_role("link", name="Search everything").last.click()
    expect(window.page.locator("h1")).to_have_text("Everything")


def test_an_artifact_that_is_gone_is_not_offered(look: Open, scene: Scene) -> None:
    scene.fill()
    window = look("/runs")
    window.allowed += ("409 (Conflict)",)
    window.go(f"/runs/{LONG_RUN}?artifact=docs/gone.md")
    expect(window.page.locator("dialog .problem")).to_have_text("'docs/gone.md' is gone.")
    expect(window.page.get_by_role("link", name="Download")).to_be_hidden()


def test_no_word_of_a_table_is_broken(look: Open, scene: Scene) -> None:
    (scene.project.root / "a.md").write_text(
        "| Wait | how long | a remark that is much longer than the others |\n|-|-|-|\n| code | minutes | TTL |\n\n"
        "```mermaid\nclassDiagram\n  a --> b\n```\n"
    )
    scene.at(60).artifact("a.md", step="requirements")
    page = look("/runs/r1?artifact=a.md", width=400).page
    expect(page.locator(".mermaid .note")).to_have_text("Class diagrams are not drawn here.")
    lines = "(cell) => cell.getBoundingClientRect().height / parseFloat(getComputedStyle(cell).lineHeight)"
    assert page.locator("tbody td").first.evaluate(lines) < 2


@pytest.mark.parametrize("width", [400, 1280])
def test_the_box_of_a_task_in_a_text_is_beside_its_words(look: Open, scene: Scene, width: int) -> None:
    scene.fill()
    page = look(f"/runs/{LONG_RUN}?artifact=docs/design.md", width=width).page
    expect(page.locator(".markdown .task").first).to_have_text("☑ plan")
    gap = """(item) => {
        const words = document.createRange();
        words.selectNode(item.lastChild);
        return words.getBoundingClientRect().x - item.querySelector(".box").getBoundingClientRect().right;
    }"""
    assert 0 <= page.locator(".markdown .task").first.evaluate(gap) < 20


@pytest.mark.parametrize("width", [400, 1280])
def test_the_keys_take_no_more_room_than_they_need(look: Open, width: int) -> None:
    page = look("/", width=width).page
    page.keyboard.press("?")
    box = page.get_by_role("dialog").bounding_box()
    assert box
    assert box["height"] < 500


def test_the_large_graph_is_larger(look: Open, scene: Scene) -> None:
    scene.fill()
    page = look("/runs/fork-3").page
    small = page.locator(".drawing .graph svg").bounding_box()
    page.get_by_role("button", name="Large").click()
    large = page.locator("dialog .graph svg").bounding_box()
    assert small
    assert large
    assert large["height"] > 1.3 * small["height"]


def test_a_silent_run_says_since_when_and_its_last_activity(look: Open, scene: Scene) -> None:
    ago = 2 * HOUR + 60
    scene.at(ago).emit("requirements", run="r1")
    scene.prompt("$forge fix the login", "s1", ago)
    window = look("/runs/r1")
    page = window.page
    expect(page.locator(".banner")).to_contain_text(re.compile(r"^No activity since \d+ \w+ \d+, \d\d:\d\d:\d\d\."))
    expect(page.locator(".facts")).to_contain_text("Last activity2 h ago")
    window.go(page_of(scene, "s1", "forge"))
    expect(page.locator(".banner")).to_contain_text("No activity for 2 h.")
    expect(page.locator(".facts")).to_contain_text("Last activity2 h ago")
    window.go("/runs")
    expect(page.locator(".row.names")).to_contain_text("Last activity")
    expect(page.get_by_label("Sort").locator("option:checked")).to_have_text("last activity")


def test_the_sessions_are_counted_without_what_there_is_none_of(look: Open, scene: Scene) -> None:
    scene.prompt("$forge fix the login", "s1", 60)
    page = look("/sessions").page
    expect(page.locator(".figures")).to_have_text("1 session: 1 running")
    scene.write("s1", "forge", 30, active=False, lifecycle_outcome="finished")
    expect(page.locator(".figures")).to_have_text("1 session: 1 finished")
    scene.prompt("$forge fix the logout", "s2", 60)
    scene.ask("s2", "forge", "Which one?")
    scene.prompt("$forge ship it", "s3", 60)
    scene.write("s3", "forge", 30, active=False, lifecycle_outcome="cancelled")
    expect(page.locator(".figures")).to_have_text("3 sessions: 1 waiting, 1 finished, 1 stopped by the user")
    expect(page.locator(".session").first).to_contain_text("Which one?")
