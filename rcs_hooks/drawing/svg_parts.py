"""The parts of an SVG picture: the tops of rows, the curves and heads of edges, numbers and escaped text."""

from __future__ import annotations

import html
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rcs_hooks.drawing.layout import Layout

ARROW = 8.0
ROW_GAP, WIDEST_GAP = 20.0, 60.0
Point = tuple[float, float]


def rows_of(layout: Layout) -> tuple[list[float], list[float], float]:
    """Return the top and the height of each row, and the bottom of the last. Edges that go far sideways widen a gap."""
    heights = [max((node.height for node in row), default=0.0) for row in layout.rows]
    aside = [0.0] * len(heights)
    for route in layout.routes:
        for upper, lower in pairwise(route.nodes):
            one, other = upper.x + route.shift(upper), lower.x + route.shift(lower)
            aside[lower.row] = max(aside[lower.row], abs(one - other))
    tops, y = [], 0.0
    for row, height in enumerate(heights):
        if y and layout.rows[row]:
            y += ROW_GAP + min(WIDEST_GAP - ROW_GAP, aside[row] * 0.14)
        tops.append(y)
        y += height
    return tops, heights, y


def curve_of(points: list[Point], *, upper: float, lower: float) -> str:
    """Return the SVG path data of an edge through points, upright at each.

    `upper`, `lower`: how much shorter it is at its ends, where the heads are.
    """
    points = list(points)
    points[0] = (points[0][0], points[0][1] + upper)
    points[1] = (points[1][0], max(points[0][1], points[1][1]))
    points[-1] = (points[-1][0], points[-1][1] - lower)
    points[-2] = (points[-2][0], min(points[-1][1], points[-2][1]))
    drawn = [f"M{n(points[0][0])} {n(points[0][1])}"]
    for (x, y), (to_x, to_y) in pairwise(points):
        if abs(x - to_x) >= 0.05:
            half = (y + to_y) / 2
            drawn.append(f"C{n(x)} {n(half)} {n(to_x)} {n(half)} {n(to_x)} {n(to_y)}")
        elif abs(y - to_y) >= 0.05:
            drawn.append(f"V{n(to_y)}")
    return "".join(drawn)


def head_of(point: Point, is_upward: bool) -> str:
    """Return the SVG path data of an arrow head whose tip is at a point."""
    x, y = point
    back = ARROW if is_upward else -ARROW
    return f"M{n(x)} {n(y)}l-4 {n(back)}h8z"


def escape(text: str) -> str:
    """Escape a text for XML content and attributes; a character that XML cannot hold is replaced."""
    return html.escape("".join(char if char.isprintable() else " " if char.isspace() else "\ufffd" for char in text))


def n(value: float) -> str:
    """Format a coordinate with at most one decimal."""
    return f"{value:.1f}".removesuffix(".0")
