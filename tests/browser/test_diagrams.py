"""The diagrams in an artifact, drawn: they fit, open large, and look well in light and dark."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from tests.browser import axe
from tests.browser.test_looks import SIZES, assert_fits, pictures, taken
from tests.diagrams.samples import FRAMES, SEQUENCE, SHAPES
from tests.real_clients.install import Unavailable

if TYPE_CHECKING:
    from pathlib import Path

    from tests.browser.conftest import Open
    from tests.browser.scene import Scene
    from tests.browser.watched import Window

__all__ = ["pictures"]

SOURCES = {
    "shapes": SHAPES,
    "frames": FRAMES,
    "sideways": FRAMES.replace("flowchart TD", "graph LR"),
    "sequence": SEQUENCE,
    "state": "stateDiagram-v2\n[*] --> a\na --> b : go\nb --> [*]\n",
    "class": "classDiagram\nA <|-- B\n",
    "wrong": "flowchart TD\na --> b\nb -> c\n",
}
DRAWN = ("shapes", "frames", "sideways", "sequence", "state")
WIDER = """(elements) => elements.filter((each) => each.getBoundingClientRect().right > innerWidth).length"""


def opened(look: Open, scene: Scene, names: tuple[str, ...], width: int, scheme: str = "light") -> Window:
    fences = "".join(f"## {name}\n\n```mermaid\n{SOURCES[name]}```\n\n" for name in names)
    (scene.project.root / "a.md").write_text(f"# Diagrams\n\n{fences}")
    scene.at(60).artifact("a.md", step="requirements")
    window = look("/runs/r1?artifact=a.md", width=width, scheme=scheme)
    expect(window.page.locator(".markdown h4")).to_have_count(len(names))
    return window


@pytest.mark.parametrize(("width", "scheme"), SIZES)
def test_each_kind_is_drawn_and_fits(look: Open, scene: Scene, pictures: Path, width: int, scheme: str) -> None:
    window = opened(look, scene, tuple(SOURCES), width, scheme)
    page = window.page
    expect(page.locator(".mermaid .graph svg")).to_have_count(len(DRAWN))
    expect(page.locator(".mermaid .note")).to_have_text(
        [
            "Class diagrams are not drawn here.",
            "Line 3 of the diagram: here should be an edge such as -->, or the end of the line.",
        ]
    )
    assert_fits(window)
    assert page.locator(".markdown > *, .mermaid > *, .mermaid .graph").evaluate_all(WIDER) == 0
    for number, name in enumerate(DRAWN):
        place = page.locator(".mermaid .graph").nth(number)
        place.scroll_into_view_if_needed()
        taken(window, pictures / f"diagram-{name}-{width}-{scheme}.png")
    try:
        assert axe.findings(page) == []
    except Unavailable as why:
        pytest.skip(str(why))


def test_a_diagram_opens_large_by_a_click_and_by_its_button(look: Open, scene: Scene) -> None:
    page = opened(look, scene, ("frames", "sequence"), 1280).page
    page.locator(".mermaid .graph").first.click()
    large = page.locator("dialog.large-graph")
    expect(large.locator("g.node")).to_have_count(10)
    page.keyboard.press("Escape")
    expect(large).to_have_count(0)
    page.locator(".mermaid").get_by_role("button", name="Large").nth(1).click()
    expect(large.locator("g.participant")).to_have_count(6)
    try:
        assert axe.findings(page) == []
    except Unavailable as why:
        pytest.skip(str(why))


def test_the_words_of_a_picture_are_in_the_ink_of_the_page(look: Open, scene: Scene) -> None:
    page = opened(look, scene, ("sequence",), 1280, "dark").page
    fills = page.locator(".mermaid text").evaluate_all(
        "(all) => [...new Set(all.map((t) => getComputedStyle(t).fill))]"
    )
    assert fills == ["rgb(231, 232, 234)"]
