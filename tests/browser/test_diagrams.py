"""The state diagrams in an artifact, drawn: they fit, open large, and look well in light and dark."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from tests.browser import axe
from tests.browser.test_looks import SIZES, assert_fits, pictures, taken
from tests.real_clients.install import Unavailable

if TYPE_CHECKING:
    from pathlib import Path

    from tests.browser.conftest import Open
    from tests.browser.scene import Scene
    from tests.browser.watched import Window

__all__ = ["pictures"]

SOURCES = {
    "state": "stateDiagram-v2\n[*] --> a\na --> b : go\nb --> [*]\n",
    "class": "classDiagram\nA <|-- B\n",
    "wrong": "stateDiagram-v2\n[*] --> a\na -> b\n",
}
WIDER = """(elements) => elements.filter((each) => each.getBoundingClientRect().right > innerWidth).length"""


def opened(look: Open, scene: Scene, names: tuple[str, ...], width: int, scheme: str = "light") -> Window:
    fences = "".join(f"## {name}\n\n```mermaid\n{SOURCES[name]}```\n\n" for name in names)
    (scene.project.root / "a.md").write_text(f"# Diagrams\n\n{fences}")
    scene.at(60).artifact("a.md", step="requirements")
    window = look("/runs/r1?artifact=a.md", width=width, scheme=scheme)
    expect(window.page.locator(".markdown h4")).to_have_count(len(names))
    return window


@pytest.mark.parametrize(("width", "scheme"), SIZES)
def test_a_state_diagram_is_drawn_and_fits(look: Open, scene: Scene, pictures: Path, width: int, scheme: str) -> None:
    window = opened(look, scene, tuple(SOURCES), width, scheme)
    page = window.page
    expect(page.locator(".mermaid .graph svg")).to_have_count(1)
    expect(page.locator(".mermaid .note")).to_contain_text(["Line 3 of the diagram: "])
    assert_fits(window)
    assert page.locator(".markdown > *, .mermaid > *, .mermaid .graph").evaluate_all(WIDER) == 0
    page.locator(".mermaid .graph").scroll_into_view_if_needed()
    taken(window, pictures / f"diagram-{width}-{scheme}.png")
    try:
        assert axe.findings(page) == []
    except Unavailable as why:
        pytest.skip(str(why))
