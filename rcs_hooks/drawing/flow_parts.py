"""The parts of a flowchart's picture: how it is turned, its edges and their heads, its labels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rcs_hooks.diagrams import flowchart as flow
from rcs_hooks.drawing import text_metrics
from rcs_hooks.drawing.svg import LABEL_LINE, LABEL_SIZE
from rcs_hooks.drawing.svg_parts import ARROW, at, escape, n

if TYPE_CHECKING:
    from rcs_hooks.drawing.svg_parts import Point

STROKES = {
    flow.SOLID: 'stroke-width="1.25" stroke-opacity="0.7"',
    flow.DOTTED: 'stroke-width="1.5" stroke-opacity="0.7" stroke-dasharray="3 4"',
    flow.THICK: 'stroke-width="3" stroke-opacity="0.75"',
}
TRIM = {flow.ARROW: ARROW - 1, flow.CROSS: 6.0, flow.DOT: 8.0, flow.NONE: 0.0}


@dataclass(frozen=True)
class Turn:
    """How the picture turns what is laid out from the top to the bottom."""

    direction: str
    length: float = 0.0

    @property
    def is_sideways(self) -> bool:
        return self.direction in (flow.RIGHT, flow.LEFT)

    def place(self, point: Point) -> Point:
        across, along = point
        along = self.length - along if self.direction in (flow.UP, flow.LEFT) else along
        return (along, across) if self.is_sideways else (across, along)


def head(turn: Turn, tip: Point, kind: str, back: float) -> str:
    """Return what is at an end of an edge; `back`: 1 or -1, the direction along which the edge comes."""
    across, along = tip
    corner = turn.place
    if kind == flow.ARROW:
        sides = (corner((across + aside, along + back * ARROW)) for aside in (-4.0, 4.0))
        path = "L".join(map(at, (corner(tip), *sides)))
        return f'<path d="M{path}z" fill="currentColor" fill-opacity="0.8" stroke="none"/>'
    if kind == flow.DOT:
        x, y = corner((across, along + back * 4))
        return f'<circle cx="{n(x)}" cy="{n(y)}" r="4" fill="currentColor" stroke="none"/>'
    if kind == flow.CROSS:
        lines = ((-4.0, 2.0, 4.0, 10.0), (4.0, 2.0, -4.0, 10.0))
        path = "".join(
            f"M{at(corner((across + a, along + back * b)))}L{at(corner((across + c, along + back * d)))}"
            for a, b, c, d in lines
        )
        return f'<path d="{path}" stroke-width="1.75"/>'
    return ""


def widest(lines: tuple[str, ...]) -> float:
    """Return the width of the lines of a label."""
    return max((text_metrics.width(line, LABEL_SIZE) for line in lines), default=0.0)


def edge_of(edge: flow.FlowEdge, curve: str, heads: str) -> str:
    """Return the SVG elements of an edge, from its curve and its heads."""
    said = f"{edge.source} → {edge.target}" + (f": {edge.label}" if edge.label else "")
    return (
        f'<g class="edge" data-from="{escape(edge.source)}" data-to="{escape(edge.target)}">'
        f'<title>{escape(said)}</title><path d="{curve}" {STROKES[edge.line]}/>{heads}</g>'
    )


def letters(lines: tuple[str, ...], x: float, top: float, more: str = "") -> str:
    """Return the SVG elements of the lines of a label."""
    return "".join(
        f'<text x="{n(x)}" y="{n(top + number * LABEL_LINE + LABEL_SIZE * 0.95)}" font-size="{n(LABEL_SIZE)}" '
        f'class="words" fill="currentColor" stroke="none" {more}>{escape(line)}</text>'
        for number, line in enumerate(lines)
    )
