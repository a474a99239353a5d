"""What a page may do: it asks first, and then the same happens as from the command line."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from playwright.sync_api import expect

if TYPE_CHECKING:
    from tests.browser.conftest import Open
    from tests.browser.scene import Scene


def waiting(scene: Scene, session: str = "s1") -> str:
    scene.workspace.now = time.time() - 10  # each call is a second later: none may be after what the page does
    scene.workspace.prompt("$forge ship this fix", session)
    return scene.ask(session, "forge", "Which database shall it be?", "Postgres", "SQLite")


def test_an_answer_lets_the_run_go_on_and_reaches_the_next_prompt(look: Open, scene: Scene) -> None:
    waiting(scene)
    workspace = scene.workspace
    window = look("/attention")
    page = window.page
    expect(page.locator(".asked")).to_contain_text("Which database shall it be?")
    assert not workspace.stop().blocks
    page.get_by_role("button", name="SQLite").click()  # one click for the option, and one that confirms it
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("SQLite")
    expect(dialog).to_contain_text("Nothing continues on its own")
    dialog.get_by_role("button", name="Send the answer").click()
    expect(dialog.get_by_role("heading")).to_have_text("Answered")
    expect(dialog).to_contain_text("type any prompt in that session")
    expect(dialog.locator(".resume code")).to_have_text(f"cd {scene.project.root} && codex resume s1")
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    expect(page.locator(".asked")).to_have_count(0)
    expect(page.locator("#main")).to_contain_text("Forge waits for your next prompt")
    workspace.now = time.time()
    assert workspace.stop().blocks
    expect(page).to_have_title("Needs me · rcs")
    context = workspace.prompt("how is it going?").context
    assert "Which database shall it be?" in context
    assert "SQLite" in context
    assert "SQLite" not in workspace.prompt("and now?").context


def test_an_answer_that_was_not_confirmed_is_none(look: Open, scene: Scene) -> None:
    waiting(scene)
    page = look("/sessions").page
    before = scene.workspace.snapshot()
    page.get_by_label("Answer to: Which database").fill("neither")
    page.keyboard.press("Control+Enter")
    expect(page.get_by_role("dialog")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    expect(page.get_by_label("Answer to: Which database")).to_have_value("neither")
    assert scene.workspace.snapshot() == before


def test_what_is_being_typed_stays_while_other_things_happen(look: Open, scene: Scene) -> None:
    question = waiting(scene)
    page = look("/sessions").page
    field = page.locator(f"#answer-{question}")
    field.press_sequentially("half an ans")
    waiting(scene, "s2")
    expect(page.locator(".session")).to_have_count(2)
    page.keyboard.type("wer")
    expect(field).to_have_value("half an answer")
    expect(field).to_be_focused()


def test_a_question_that_somebody_else_answered_is_said_to_be(look: Open, scene: Scene) -> None:
    question = waiting(scene)
    window = look("/attention")
    window.allowed += ("409 (Conflict)",)
    page = window.page
    page.get_by_label("Answer to: Which database").fill("SQLite")
    page.get_by_role("button", name="Answer…").click()
    assert scene.project.rcs("question", "answer", question, "Postgres").returncode == 0
    page.get_by_role("button", name="Send the answer").click()
    expect(page.locator("dialog .problem")).to_contain_text("already answered")
    page.get_by_role("button", name="Leave as it is").click()
    expect(page.locator(".asked")).to_have_count(0)


def test_a_run_is_ended_once_it_is_confirmed(look: Open, scene: Scene) -> None:
    scene.project.walk("requirements", "design")
    page = look("/runs/r1").page
    page.get_by_role("button", name="End run…").click()
    expect(page.get_by_role("button", name="Leave as it is")).to_be_focused()
    page.keyboard.press("Enter")
    assert scene.project.status() == "running"
    page.get_by_role("button", name="End run…").click()
    page.get_by_label("failed").check()
    page.get_by_role("button", name="End the run").click()
    expect(page.locator(".run-head .status")).to_have_text("failed")
    assert scene.project.status() == "failed"
    expect(page.get_by_role("button", name="End run…")).to_have_count(0)
