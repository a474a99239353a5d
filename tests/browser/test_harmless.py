"""What a project, an agent or a cloned repository wrote is shown as text, and does nothing."""

from __future__ import annotations

import re
import time
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from tests.browser.scene import LONG_RUN, SCRIPT

if TYPE_CHECKING:
    from tests.browser.conftest import Open
    from tests.browser.scene import Scene
    from tests.browser.watched import Window

IMAGE = "<img src=x onerror=alert(1)>"


def assert_harmless(window: Window) -> None:
    assert "broken" not in window.page.title()
    assert (
        window.page.evaluate("document.querySelectorAll('main script, main img, main iframe, main object').length") == 0
    )
    assert window.page.evaluate("document.querySelectorAll('dialog script, dialog img, dialog iframe').length") == 0
    assert (
        window.page.evaluate("[...document.querySelectorAll('a')].filter((a) => a.protocol === 'javascript:').length")
        == 0
    )
    named = "[...document.querySelectorAll('*')].flatMap((each) => each.getAttributeNames())"
    assert window.page.evaluate(f"{named}.filter((name) => name.startsWith('on')).length") == 0


@pytest.fixture
def bad(scene: Scene) -> Scene:
    scene.fill()
    project = scene.project
    project.now = time.time()
    data = {"status": "running", "message": SCRIPT, IMAGE: [IMAGE]}
    project.emit(f"agent:{SCRIPT}", run="fresh-1", data=data)
    project.emit("requirements", run="fresh-1", unit=IMAGE, data=data | {"feature": IMAGE})
    scene.workspace.now = time.time()
    scene.workspace.prompt("$forge go", "bad")
    scene.ask("bad", "forge", SCRIPT, IMAGE)
    return scene


def test_a_script_in_a_step_a_unit_an_event_or_a_question_is_text(look: Open, bad: Scene) -> None:
    for address, selector, words in (
        ("/", ".entry .words >> text=script", SCRIPT),
        ("/attention", ".asked .words >> text=script", SCRIPT),
        ("/runs", "[data-run=blueprint-7] .feature", SCRIPT),
        ("/runs/fresh-1", ".agent-at", SCRIPT),
        ("/runs/fresh-1", ".nested .label >> text=img", IMAGE),
        ("/runs/fresh-1", "[data-seq='2'] .note", SCRIPT),
        ("/runs/fresh-1?step=requirements", "#detail", IMAGE),
        ("/sessions", ".chip >> text=img", IMAGE),
    ):
        window = look(address)
        expect(window.page.locator(selector).first).to_contain_text(words)
        assert_harmless(window)


def test_a_script_in_markdown_is_text(look: Open, bad: Scene) -> None:
    window = look(f"/runs/{LONG_RUN}?artifact=docs/design.md")
    shown = window.page.locator(".markdown")
    expect(shown.locator("h3")).to_have_text("Login with a second factor")
    expect(shown.locator("ol > li")).to_have_count(2)
    expect(shown.locator("li.task")).to_have_count(2)
    expect(shown.locator("tbody tr")).to_have_count(2)
    expect(shown).to_contain_text('<script>document.title = "broken"</script>')
    expect(shown).to_contain_text("[run me](javascript:")
    assert shown.locator("a").evaluate_all("all => all.map((a) => a.href)") == ["https://example.org/rfc?x=1"]
    assert_harmless(window)


def test_a_script_in_a_diff_is_text(look: Open, bad: Scene) -> None:
    window = look(f"/runs/{LONG_RUN}")
    window.page.get_by_role("link", name="change.diff").first.click()
    shown = window.page.locator(".diff")
    expect(shown.locator("summary")).to_have_count(2)
    expect(shown.locator("tr.added")).to_have_count(7)
    expect(shown.locator("tr.removed")).to_have_count(2)
    expect(shown).to_contain_text("<script>document.title = 'broken'</script>")
    numbers = shown.locator("tr.added .number:nth-child(2)").evaluate_all("all => all.map((td) => td.dataset.line)")
    assert numbers == ["3", "4", "5", "6", "1", "2", "3"]
    assert_harmless(window)
    window.page.keyboard.press("Escape")
    expect(window.page.get_by_role("dialog")).to_have_count(0)
    expect(window.page).not_to_have_url(re.compile("artifact"))


def test_hostile_markdown_takes_no_time(look: Open) -> None:
    """The quickest of three times: a busy machine makes one of them long."""
    page = look("/attention").page
    for text in (
        "*" * 15_000, "`" * 15_000, "[" * 15_000, "![](" * 5_000, "_a " * 6_000, "**a " * 5_000, "> " * 8_000,
        "- " * 8_000, "\n".join(" " * number + "- a" for number in range(2_000)), "|a" * 9_000 + "\n" + "|-" * 9_000,
        "`a" * 9_000, "<http://" * 3_000, "~~a" * 6_000, ("(" * 20 + "[a](b") * 700,
    ):  # fmt: skip
        took = page.evaluate(
            """async (text) => {
                const { markdown } = await import("/static/js/markdown.js");
                const took = () => {
                    const begun = performance.now();
                    markdown(text);
                    return performance.now() - begun;
                };
                return Math.min(took(), took(), took());
            }""",
            text,
        )
        assert took < 2_000, (text[:20], took)
