"""What proves a run, on the page of the run, in the one list and among the sessions: words, output, looks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from playwright.sync_api import expect

from tests.browser.scene import SCRIPT, page_of
from tests.browser.test_harmless import assert_harmless
from tests.browser.test_looks import SIZES, Findings, assert_fits, pictures, taken

if TYPE_CHECKING:
    from pathlib import Path

    from tests.browser.conftest import Open
    from tests.browser.scene import Scene

__all__ = ["pictures"]

PYTEST = (
    b"\x1b[1m===== test session starts =====\x1b[0m\ncollected 1204 items\n\n"
    + b"".join(b"tests/test_%02d.py \x1b[32m%s\x1b[0m [%3d%%]\n" % (each, b"." * 60, each * 4) for each in range(1, 26))
    + b"\n\x1b[32m===== \x1b[1m1204 passed\x1b[0m\x1b[32m in 12.31s =====\x1b[0m\n"
)
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


def fill(scene: Scene) -> None:
    """One run of each verdict, and one that goes on with a proof."""
    scene.fill()
    verifying(scene, "proven-1", "$forge Log in with a second factor")
    scene.prove("proven-1", "forge", 400, output=FAILED, exit=1)
    scene.prove("proven-1", "forge", 310, output=PYTEST, finish=True)
    verifying(scene, "stale-1", "$forge Repair the export of reports", 900)
    scene.prove(
        "stale-1", "forge", 960, output=b"ok\n", finish=True, command="make check TESTS=reports && git diff --stat"
    )
    scene.make_stale("stale-1", "forge")
    verifying(scene, "failed-1", "$forge Round amounts half to even", 2400)
    scene.prove("failed-1", "forge", 2460, output=FAILED, exit=1, command="pytest -q tests/test_login.py")
    finish(scene, "failed-1", 2400)
    verifying(scene, "none-1", "$forge Update the greeting", 3000)
    finish(scene, "none-1", 3000)
    verifying(scene, "changed-1", "$forge Rename the tables", 4000)
    changed = ("src/tables.py", "a folder with blanks/and quotes'.py")
    scene.prove("changed-1", "forge", 4060, command="make format check", changed=changed)
    finish(scene, "changed-1", 4000)
    verifying(scene, "running-1", "$forge Speed up the search", 900)
    scene.prove("running-1", "forge", 90, output=PYTEST * 2)


def finish(scene: Scene, session: str, ago: float = 300) -> None:
    scene.write(session, "forge", ago, active=False, lifecycle_outcome="finished")


def test_the_page_of_a_run_says_what_proves_it(look: Open, scene: Scene) -> None:
    verifying(scene, "s1", "$forge fix the login")
    scene.prove("s1", "forge", 310, output=PYTEST, finish=True)
    page = look(page_of(scene, "s1", "forge")).page
    expect(page.locator(".mode-head .verdict")).to_have_text("proven")
    panel = page.locator(".panel.proof")
    expect(panel.locator(".says")).to_have_text("Proven by pytest -q.")
    expect(panel.locator(".command")).to_have_text("pytest -q")
    expect(panel.locator(".facts")).to_contain_text("passed")
    expect(panel.locator(".facts")).to_contain_text("12 s")
    expect(panel.locator(".output")).to_contain_text("===== 1204 passed in 12.31s =====")


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


def test_a_run_without_a_proof_says_what_to_type_and_a_plan_says_nothing(look: Open, scene: Scene) -> None:
    verifying(scene, "s1", "$forge fix the login")
    finish(scene, "s1")
    page = look(page_of(scene, "s1", "forge")).page
    expect(page.locator(".mode-head .verdict")).to_have_text("unproven")
    expect(page.locator(".panel.proof .command")).to_have_text("rcs prove --mode forge --session s1 -- COMMAND")
    scene.workspace.edit("forge", "s1", proof_named=True)
    expect(page.locator(".panel.proof .command")).to_have_text("rcs prove --mode forge --session s1")
    scene.prompt("$blueprint plan the billing", "s2", 60)
    scene.write("s2", "blueprint", 30, active=False, lifecycle_outcome="finished")
    page = look(page_of(scene, "s2", "blueprint")).page
    expect(page.locator(".mode-head .status")).to_contain_text(["finished"])
    expect(page.locator(".verdict, .panel.proof")).to_have_count(0)


def test_the_sessions_have_the_verdicts(look: Open, scene: Scene) -> None:
    verifying(scene, "s1", "$forge fix the login")
    scene.prove("s1", "forge", 310, finish=True)
    scene.make_stale("s1", "forge")
    page = look("/sessions").page
    expect(page.locator(".mode .verdict")).to_have_text("stale")


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


PLACES = {
    "proven": ("proven-1", ".output"),
    "stale": ("stale-1", ".output"),
    "failed": ("failed-1", ".output"),
    "none": ("none-1", ".panel.proof"),
    "changed": ("changed-1", ".changed"),
    "running": ("running-1", ".output"),
}


@pytest.mark.parametrize(("width", "scheme"), SIZES)
def test_each_verdict_fits_and_has_a_picture(look: Open, scene: Scene, pictures: Path, width: int, scheme: str) -> None:
    fill(scene)
    pages = {name: (page_of(scene, session, "forge"), wanted) for name, (session, wanted) in PLACES.items()}
    window, found = look(width=width, scheme=scheme), Findings()
    for name, (address, selector) in {
        **pages,
        "list": ("/", ".verdict"),
        "sessions": ("/sessions", ".verdict"),
    }.items():
        window.go(address)
        expect(window.page.locator(selector).first).to_be_visible()
        assert_fits(window)
        taken(window, pictures / f"proof-{name}-{width}-{scheme}.png")
        found.look(window, name)
    found.assert_none()
