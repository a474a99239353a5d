"""The parts of an SVG picture: the tops of rows, the curves and heads of edges, numbers and escaped text."""

from __future__ import annotations

import html
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from rcs_hooks.drawing.layout import Layout

ARROW = 8.0
ROW_GAP, WIDEST_GAP = 20.0, 60.0


Point = tuple[float, float]


class RowRoom(NamedTuple):
    """The room that rows need besides what their nodes take, by the number of the row."""

    above: Mapping[int, float] = {}
    below: Mapping[int, float] = {}
    height: Mapping[int, float] = {}
    """The least height of a row."""


NO_ROOM = RowRoom()


def rows_of(layout: Layout, room: RowRoom = NO_ROOM) -> tuple[list[float], list[float], float]:
    """Return the top and the height of each row, and the bottom of the last. Edges that go far sideways widen a gap."""
    heights = [max((node.height for node in row), default=0.0) for row in layout.rows]
    for number, least in room.height.items():
        heights[number] = max(heights[number], least)
    aside = [0.0] * len(heights)
    for route in layout.routes:
        for upper, lower in pairwise(route.nodes):
            one, other = upper.x + route.shift(upper), lower.x + route.shift(lower)
            aside[lower.row] = max(aside[lower.row], abs(one - other))
    tops, y = [], 0.0
    for row, height in enumerate(heights):
        if y and layout.rows[row]:
            y += ROW_GAP + min(WIDEST_GAP - ROW_GAP, aside[row] * 0.14)
        y += room.above.get(row, 0.0)
        tops.append(y)
        y += height + room.below.get(row, 0.0)
    return tops, heights, y


def as_it_is(point: Point) -> Point:
    """Return a point where the layout has it: rows run from the top to the bottom."""
    return point


def curve_of(
    points: list[Point], *, upper: float = 0.0, lower: float = 0.0, place: Callable[[Point], Point] = as_it_is
) -> str:
    """Return the SVG path data of an edge through points, along the rows' direction at each.

    `upper`, `lower`: how much shorter it is at its ends, where the heads are; `place`: where the picture has a point.
    """
    points = list(points)
    points[0] = (points[0][0], points[0][1] + upper)
    points[1] = (points[1][0], max(points[0][1], points[1][1]))
    points[-1] = (points[-1][0], points[-1][1] - lower)
    points[-2] = (points[-2][0], min(points[-1][1], points[-2][1]))
    drawn = [f"M{at(place(points[0]))}"]
    for (x, y), (to_x, to_y) in pairwise(points):
        end = place((to_x, to_y))
        if abs(x - to_x) >= 0.05:
            half = (y + to_y) / 2
            drawn.append(f"C{at(place((x, half)))} {at(place((to_x, half)))} {at(end)}")
        elif abs(y - to_y) >= 0.05:
            drawn.append(f"V{n(end[1])}" if abs(place((x, y))[0] - end[0]) < 0.05 else f"H{n(end[0])}")
    return "".join(drawn)


def head_of(point: Point, is_upward: bool) -> str:
    """Return the SVG path data of an arrow head whose tip is at a point."""
    x, y = point
    back = ARROW if is_upward else -ARROW
    return f"M{n(x)} {n(y)}l-4 {n(back)}h8z"


def at(point: Point) -> str:
    """Format a point."""
    return f"{n(point[0])} {n(point[1])}"


def escape(text: str) -> str:
    """Escape a text for XML content and attributes; a character that XML cannot hold is replaced."""
    return html.escape("".join(char if char.isprintable() else " " if char.isspace() else "\ufffd" for char in text))


def n(value: float) -> str:
    """Format a coordinate with at most one decimal."""
    return f"{value:.1f}".removesuffix(".0")
