"""The page of a run: why it stands where it stands, all that is current, and the graph, small and large."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from playwright.sync_api import expect

from tests.browser.scene import LONG_RUN, page_of

if TYPE_CHECKING:
    from tests.browser.conftest import Open
    from tests.browser.scene import Scene

STATES = "() => [...document.querySelectorAll('.drawing g.state.current')].map((each) => each.dataset.state).sort()"
PNG = bytes.fromhex(
    "89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c4890000000d49444154789c6360606060000000050001a5f645"
    "400000000049454e44ae426082"
)


def test_branches_that_run_side_by_side_are_all_current_and_a_join_marks_each_edge(look: Open, scene: Scene) -> None:
    project = scene.at(60)
    project.walk("a", "b", "c", workflow="fork")
    window = look("/runs/r1")
    page = window.page
    expect(page.locator(".drawing .state.is-running")).to_have_count(2)
    assert page.evaluate(STATES) == ["b", "c"]
    expect(page.locator(".timeline .step .label")).to_have_text(["a", "b", "c", "d"])
    project.now = time.time()
    project.emit("d", workflow="fork")
    expect(page.locator(".drawing .edge.taken")).to_have_count(5)
    assert page.evaluate(STATES) == ["d"]
    expect(page.locator(".drawing .state.is-completed")).to_have_count(3)
    project.emit("d", "failed", workflow="fork", data={"status": "failed", "message": "the disk is full"})
    expect(page.locator(".banner.is-failed")).to_have_text("the disk is full")
    expect(page.locator(".drawing .state.is-failed")).to_have_attribute("data-state", "d")


def test_the_graph_opens_large_and_fits_its_place(look: Open, scene: Scene) -> None:
    scene.fill()
    for width in (400, 1280):
        page = look(f"/runs/{LONG_RUN}", width=width).page
        place = page.locator(".drawing .graph")
        box, drawn = place.bounding_box(), place.locator("svg").bounding_box()
        assert box
        assert drawn
        assert drawn["width"] <= box["width"]
        place.click(position={"x": 5, "y": 5})
        dialog = page.get_by_role("dialog")
        expect(dialog.locator("svg g.state")).to_have_count(6)
        page.keyboard.press("Escape")
        expect(dialog).to_have_count(0)
        page.get_by_role("button", name="Large").click()
        expect(dialog).to_be_visible()


def test_nothing_counts_on_after_the_end_and_days_are_told(look: Open, scene: Scene) -> None:
    scene.fill()
    page = look("/runs/archived-1").page
    expect(page.locator(".axis .tick").first).to_be_attached()
    expect(page.locator(".with-day time").first).to_contain_text(":")
    assert page.locator("main [data-since]").count() == 0


def test_a_picture_is_shown_and_stored_and_files_stand_beside_their_step(look: Open, scene: Scene) -> None:
    (scene.project.root / "shot.png").write_bytes(PNG)
    (scene.project.root / "plan.md").write_text(
        "# Plan\n\n```mermaid\nstateDiagram-v2\n[*] --> a\na --> b : go\n```\n\n"
        "| a | b |\n|:-:|--:|\n| 1 | 2 |\n\n- [x] done\n"
    )
    scene.at(60).walk("requirements", "design")
    for name in ("shot.png", "plan.md"):
        scene.project.artifact(name, step="design")
    page = look("/runs/r1").page
    files = page.locator("[data-key='step design'] .step-files a")
    expect(files).to_have_text(["shot.png", "plan.md"])
    files.first.click()
    shown = page.get_by_role("dialog").locator("img")
    expect(shown).to_be_visible()
    assert shown.evaluate("image => image.decode().then(() => image.naturalWidth)") == 1
    with page.expect_download() as download:
        page.get_by_role("link", name="Download").click()
    assert download.value.suggested_filename == "shot.png"
    assert download.value.path().read_bytes() == PNG
    expect(page.get_by_role("dialog").get_by_role("button", name="Copy the path")).to_be_visible()
    page.keyboard.press("Escape")
    files.nth(1).click()
    dialog = page.get_by_role("dialog")
    expect(dialog.locator(".mermaid svg g.state")).to_have_count(2)
    expect(dialog.locator("td.to-middle")).to_have_text("1")
    expect(dialog.locator("td.to-right")).to_have_text("2")
    expect(dialog.locator("li.task [aria-label=done]")).to_be_visible()


def test_a_run_and_the_session_that_reported_it_lead_to_each_other(look: Open, scene: Scene) -> None:
    session = "0199aaaa-1111-4222-8333-444455556666"
    scene.prompt("$forge ship the fix", session, 60)
    project = scene.at(60)
    for step in ("a", "b", "c"):
        project.emit(step, workflow="fork", env={"CODEX_SESSION_ID": session})
    page = look("/runs/r1").page
    fact = page.locator(".facts .fact", has_text="Session")
    expect(fact).to_contain_text("Codex 0199aaaa")
    page.locator(".facts .fact", has_text="Mode").get_by_role("link", name="forge").click()
    expect(page.locator("h1")).to_have_text("ship the fix")
    page.go_back()
    fact.get_by_role("link").click()
    expect(page.locator(".session")).to_have_count(1)
    page.get_by_role("link", name="1 reported").click()
    expect(page.locator("[data-run=r1] .step")).to_have_text("b, c")
    expect(page.locator(".filters .chip")).to_have_text("session: 0199aaaa ×")


def test_an_unanswered_question_is_once_on_the_page_of_its_mode(look: Open, scene: Scene) -> None:
    scene.prompt("$forge ship the fix", "s1", 60)
    scene.ask("s1", "forge", "Which database?")
    page = look(page_of(scene, "s1", "forge")).page
    expect(page.locator(".asking")).to_contain_text("Which database?")
    expect(page.locator(".words, dt", has_text="Which database?")).to_have_count(1)
