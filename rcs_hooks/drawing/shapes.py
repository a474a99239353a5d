"""The shapes of a flowchart's nodes: how large each is around its text, its outline, and where an edge meets it."""

from __future__ import annotations

from math import sqrt
from typing import NamedTuple

from rcs_hooks.diagrams import flowchart as flow
from rcs_hooks.drawing.layout import CORNER
from rcs_hooks.drawing.svg_parts import n

TOP, BOTTOM, LEFT, RIGHT = "top", "bottom", "left", "right"
PADDING, HEIGHT_PADDING = 14.0, 10.0
SLANT, TIP, ARC, INNER = 16.0, 14.0, 6.0, 6.0
LEAST_WIDTH, LEAST_HEIGHT = 44.0, 36.0
ROUNDED = {flow.BOX: 4.0, flow.SUBROUTINE: 2.0, flow.ROUND: 12.0}
SLANTED = (flow.LEAN_RIGHT, flow.LEAN_LEFT, flow.TRAPEZOID, flow.INVERTED)


class Area(NamedTuple):
    """The rectangle around a shape."""

    x: float
    y: float
    width: float
    height: float


def size_of(shape: str, width: float, height: float) -> tuple[float, float]:
    """Return width and height of a shape around a text of a size."""
    wide, high = max(width + 2 * PADDING, LEAST_WIDTH), max(height + 2 * HEIGHT_PADDING, LEAST_HEIGHT)
    if shape == flow.DIAMOND:
        half = width / 2 + 10
        across = max(half * 1.55, 34.0)
        return 2 * across, max(2 * (height / 2 + 3) * across / (across - half), 52.0)
    if shape in (flow.CIRCLE, flow.DOUBLE_CIRCLE):
        side = sqrt(width * width + height * height) + (22 if shape == flow.DOUBLE_CIRCLE else 14)
        return max(side, LEAST_WIDTH), max(side, LEAST_WIDTH)
    more = {flow.HEXAGON: 2 * TIP - 8, flow.STADIUM: 8.0, flow.SUBROUTINE: 2 * INNER, flow.FLAG: TIP}
    if shape in SLANTED:
        return wide + 2 * SLANT - 8, high
    return wide + more.get(shape, 0.0), high + (2 * ARC if shape == flow.CYLINDER else 0.0)


def corner_of(shape: str, width: float, height: float, *, is_sideways: bool) -> float:
    """Return how far from the ends of a side no edge meets a shape; `is_sideways`: edges come from left and right."""
    side = height if is_sideways else width
    if shape == flow.DIAMOND:
        return side * 0.34
    if shape in (flow.CIRCLE, flow.DOUBLE_CIRCLE):
        return side * 0.25
    if is_sideways:
        return min(CORNER, side * 0.3)
    return {flow.HEXAGON: TIP + 4, flow.STADIUM: height / 2}.get(shape, SLANT + 6 if shape in SLANTED else CORNER)


def inset_of(shape: str, side: str, width: float, height: float, offset: float) -> float:
    """Return how far inside a side of its rectangle the outline of a shape is.

    `offset`: how far from the middle of the side, to the right or downwards.
    """
    along, deep = (width, height) if side in (TOP, BOTTOM) else (height, width)
    half = along / 2
    part = min(1.0, abs(offset) / half)
    if shape == flow.DIAMOND:
        return deep / 2 * part
    if shape in (flow.CIRCLE, flow.DOUBLE_CIRCLE):
        return deep / 2 * (1 - sqrt(1 - part * part))
    if shape == flow.CYLINDER:
        return ARC * (1 - sqrt(1 - part * part)) if side in (TOP, BOTTOM) else 0.0
    if side in (TOP, BOTTOM):
        return 0.0  # no edge meets them where they are not straight
    down = (offset + half) / along
    if shape == flow.HEXAGON:
        return TIP * part
    if shape == flow.STADIUM:
        return half * (1 - sqrt(1 - part * part))
    if shape == flow.FLAG:
        return TIP * (1 - part) if side == LEFT else 0.0
    if shape in SLANTED:
        is_in_at_top = shape in (flow.TRAPEZOID, flow.LEAN_RIGHT if side == LEFT else flow.LEAN_LEFT)
        return SLANT * (1 - down if is_in_at_top else down)
    return 0.0


def outline(shape: str, area: Area, ink: str) -> str:
    """Return the SVG elements of a shape in its rectangle; `ink` are the attributes for fill and stroke."""
    x, y, width, height = area
    if shape in (flow.CIRCLE, flow.DOUBLE_CIRCLE):
        middle = f'cx="{n(x + width / 2)}" cy="{n(y + height / 2)}"'
        inner = f'<circle {middle} r="{n(width / 2 - 4)}" stroke-width="1"/>' if shape == flow.DOUBLE_CIRCLE else ""
        return f'<circle {middle} r="{n(width / 2)}" {ink}/>{inner}'
    if shape == flow.CYLINDER:
        return _cylinder(area, ink)
    corners = _corners(shape, area)
    if corners:
        path = "L".join(f"{n(one)} {n(other)}" for one, other in corners)
        return f'<path d="M{path}z" {ink}/>'
    radius = height / 2 if shape == flow.STADIUM else ROUNDED[shape]
    drawn = f'<rect x="{n(x)}" y="{n(y)}" width="{n(width)}" height="{n(height)}" rx="{n(radius)}" {ink}/>'
    if shape != flow.SUBROUTINE:
        return drawn
    sides = f"M{n(x + INNER)} {n(y)}V{n(y + height)}M{n(x + width - INNER)} {n(y)}V{n(y + height)}"
    return f'{drawn}<path d="{sides}" stroke-width="1.25"/>'


def _cylinder(area: Area, ink: str) -> str:
    x, y, width, height = area
    right, top, bottom = x + width, y + ARC, y + height - ARC
    arc = f"A{n(width / 2)} {n(ARC)} 0 0"
    body = f"M{n(x)} {n(top)}{arc} 1 {n(right)} {n(top)}V{n(bottom)}{arc} 1 {n(x)} {n(bottom)}z"
    return f'<path d="{body}" {ink}/><path d="M{n(x)} {n(top)}{arc} 0 {n(right)} {n(top)}" stroke-width="1.25"/>'


def _corners(shape: str, area: Area) -> list[tuple[float, float]]:
    x, y, width, height = area
    right, bottom, middle = x + width, y + height, y + height / 2
    if shape == flow.DIAMOND:
        return [(x + width / 2, y), (right, middle), (x + width / 2, bottom), (x, middle)]
    if shape == flow.HEXAGON:
        inner = [(x + TIP, y), (right - TIP, y), (right, middle), (right - TIP, bottom), (x + TIP, bottom)]
        return [*inner, (x, middle)]
    if shape == flow.FLAG:
        return [(x, y), (right, y), (right, bottom), (x, bottom), (x + TIP, middle)]
    if shape not in SLANTED:
        return []
    top_left, top_right = shape in (flow.LEAN_RIGHT, flow.TRAPEZOID), shape in (flow.LEAN_LEFT, flow.TRAPEZOID)
    return [
        (x + SLANT * top_left, y),
        (right - SLANT * top_right, y),
        (right - SLANT * (not top_right), bottom),
        (x + SLANT * (not top_left), bottom),
    ]
