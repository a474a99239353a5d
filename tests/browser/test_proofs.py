"""What proves a run, on the page of the run, in the one list and among the sessions: words, output, looks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from playwright.sync_api import expect

from tests.browser.scene import SCRIPT, page_of
from tests.browser.test_harmless import assert_harmless

if TYPE_CHECKING:
    from tests.browser.conftest import Open
    from tests.browser.scene import Scene


FAILED = (
    b"tests/test_login.py \x1b[31mF\x1b[0m\n\n    def test_login():\n>\t\tassert code == sent\n"
    b"\x1b[31mE\x1b[0m       AssertionError: assert '123456' == None\n\n"
    b"\x1b[31mFAILED\x1b[0m tests/test_login.py::test_login - AssertionError: a line that goes on and on, further than "
    b"any page is wide, because nobody ever breaks the lines that a program prints\n"
)


def verifying(scene: Scene, session: str, prompt: str, ago: float = 300) -> None:
    """Play a run of forge up to the phase in which it may end."""
    scene.prompt(prompt, session, ago + 900)
    for before, phase in ((800, "executing"), (500, "verifying")):
        scene.write(session, "forge", ago + before, current_phase=phase)


def finish(scene: Scene, session: str, ago: float = 300) -> None:
    scene.write(session, "forge", ago, active=False, lifecycle_outcome="finished")


def test_the_proof_of_a_run_appears_and_moves_without_a_reload(look: Open, scene: Scene) -> None:
    verifying(scene, "s1", "$forge fix the login")
    window, one_list = look(page_of(scene, "s1", "forge")), look("/")
    page, entry = window.page, one_list.page.locator("[data-entry='mode forge']")
    for each in (window, one_list):
        each.mark()
    expect(page.locator(".panel.proof")).to_have_count(0)
    scene.prove("s1", "forge", exit=1, output=FAILED)
    expect(page.locator(".panel.proof .facts")).to_contain_text("failed (exit 1)")
    expect(page.locator(".panel.proof .output")).to_contain_text("assert code == sent")
    expect(page.locator(".verdict")).to_have_count(0)
    expect(entry).to_contain_text("pytest -q failed (exit 1)")
    scene.prove("s1", "forge", output=b"41 passed")
    expect(page.locator(".panel.proof .output")).to_have_text("41 passed")
    expect(entry).to_contain_text("pytest -q passed")
    expect(page.locator(".events")).to_contain_text("pytest -q passed")
    scene.prove("s1", "forge", output=b"42 passed", finish=True)
    expect(page.locator(".mode-head .verdict")).to_have_text("proven")
    expect(entry.locator(".verdict")).to_have_text("proven")
    expect(entry).to_contain_text("Finished, proven by pytest -q.")
    scene.make_stale("s1", "forge")
    expect(page.locator(".mode-head .verdict")).to_have_text("stale")
    expect(page.locator(".proof .says")).to_contain_text("files have changed since")
    for each in (window, one_list):
        each.assert_not_reloaded()


def test_what_a_hostile_proof_says_does_nothing(look: Open, scene: Scene) -> None:
    verifying(scene, "s1", "$forge fix the login")
    bad = f"{SCRIPT}\x1b]0;broken\x07\u202e<img src=x onerror=alert(1)>"
    scene.prove("s1", "forge", 310, output=bad.encode() * 100, finish=True)
    record: Any = scene.workspace.read("forge", "s1")["proof"]
    for fields in ({"exit": 1}, {"changed": [bad] * 50}, {"state": bad, "why": bad}):
        scene.workspace.edit("forge", "s1", proof=record | {"command": bad, "at": bad} | fields)
        for address in (page_of(scene, "s1", "forge"), "/", "/sessions"):
            window = look(address)
            expect(window.page.locator(".verdict").first).to_be_visible()
            assert_harmless(window)
            assert not {"\x1b", "\x07", "\u202e"} & set(window.page.content())
    window = look(page_of(scene, "s1", "forge"))
    expect(window.page.locator(".panel.proof .command")).to_contain_text("<script>")
    expect(window.page.locator(".panel.proof .output")).to_contain_text("<script>")
