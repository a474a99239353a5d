"""Draw a machine with boxes and arrows made of characters, for a terminal; or say why it had better be a list.

Rules of this file:
- A step's id is never cut, and no word is broken. What an edge is called is written beside its line; where that is too
  wide, the line has a number and the picture a key.
- The path of a run is drawn with heavy lines, and where it is now in double ones: colours only repeat that.
- A picture that is wider than the terminal, or that nobody could follow, is not drawn.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from rcs_hooks.drawing.canvas import HEAVY, LIGHT, Canvas
from rcs_hooks.drawing.cell_layout import CELL, DOTS, CellLayout, column, first_piece
from rcs_hooks.drawing.layout import BOX, pieces
from rcs_hooks.terminal.style import GOES_ON, STRONG
from rcs_hooks.terminal.width import cells

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rcs_hooks.drawing.layout import GraphNode, Route
    from rcs_hooks.drawing.marks import Marks
    from rcs_hooks.machine.graph import Machine

MOST_STATES, MOST_PIECES = 60, 400
"""The largest machine that anybody could follow in a terminal."""


class Border(NamedTuple):
    """What the border of a box is made of; an exit is where an edge leaves, a light one or a heavy one."""

    top: str
    side: str
    bottom: str
    exits_below: str
    exits_above: str


LIGHT_BOX, DASHED_BOX = Border("┌─┐", "│", "└─┘", "┬┰", "┴┸"), Border("┌╌┐", "╎", "└╌┘", "┬┰", "┴┸")
HEAVY_BOX, DOUBLE_BOX = Border("┏━┓", "┃", "┗━┛", "┯┳", "┷┻"), Border("╔═╗", "║", "╚═╝", "╤╤", "╧╧")


class Picture(NamedTuple):
    """A picture that fits, and what its numbers stand for: the label of an edge each, from 1 on."""

    canvas: Canvas
    key: Sequence[str]


def draw(machine: Machine, marks: Marks, width: int | None) -> Picture | str:
    """Return the picture of a machine for a terminal of so many columns (None: any), or why it cannot be drawn."""
    if len(machine.states) > MOST_STATES:
        return f"{len(machine.states)} steps are too many for a picture"
    if pieces(machine) > MOST_PIECES:
        return "too many lines would run side by side in a picture"
    why = ""
    for is_numbered in (False, True):
        layout = CellLayout(machine, marks, is_numbered=is_numbered)
        why = layout.problem(width)
        if not why:
            key = layout.numbered()
            return Picture(_canvas_of(layout, marks), key)
    return why


def _canvas_of(layout: CellLayout, marks: Marks) -> Canvas:
    """Draw a layout: lines, then boxes over them, then what stands in their borders and beside the lines."""
    canvas = Canvas()
    taken = {route: (route.source, route.target) in marks.taken for route in layout.routes}
    for route in sorted(layout.routes, key=lambda route: taken[route]):
        canvas.route(layout.points(route), *((HEAVY, GOES_ON) if taken[route] else (LIGHT, "")))
    borders = {state: _border(layout, marks, state) for state in layout.boxes}
    for node in layout.nodes():
        if node.kind == BOX:
            _put_box(canvas, layout, node, borders[node.state])
        elif node.kind in DOTS:
            canvas.put(layout.tops[node.row], column(node.x), DOTS[node.kind])
    for state in layout.loops:
        node, kind = layout.boxes[state], GOES_ON if (state, state) in marks.taken else ""
        canvas.put(layout.tops[node.row] + 1, column(node.x) + round(node.left / CELL) + 2, layout.loop(state), kind)
    for route in layout.routes:
        kind, piece = GOES_ON if taken[route] else "", first_piece(route)
        _put_ends(canvas, layout, route, borders, is_taken=taken[route])
        for number, line in enumerate(piece.label):
            canvas.put(layout.tops[piece.row] + number, column(piece.x) + 2, line, kind)
    return canvas


def _border(layout: CellLayout, marks: Marks, state: str) -> Border:
    if state == marks.current:
        return DOUBLE_BOX
    if state in marks.visited:
        return HEAVY_BOX
    return DASHED_BOX if state in layout.unreachable else LIGHT_BOX


def _put_box(canvas: Canvas, layout: CellLayout, node: GraphNode, border: Border) -> None:
    kind = GOES_ON if border in (HEAVY_BOX, DOUBLE_BOX) else ""
    half, top = round(node.left / CELL), layout.tops[node.row]
    left, inner = column(node.x) - half, 2 * half - 1
    for line, edge in ((top, border.top), (layout.bottom(node), border.bottom)):
        canvas.put(line, left, edge[0] + edge[1] * inner + edge[2], kind)
    for number, text in enumerate(layout.text(node.state), 1):
        canvas.put(top + number, left, border.side + " " * inner + border.side, kind)
        canvas.put(top + number, left + 1 + (inner - cells(text)) // 2, text, STRONG if number == 1 else "")


def _put_ends(canvas: Canvas, layout: CellLayout, route: Route, borders: dict[str, Border], *, is_taken: bool) -> None:
    """Put the arrow head of an edge into the border that it comes to, and its exit into the one that it leaves."""
    upper, lower = route.nodes[0], route.nodes[-1]
    for node, port, is_below in ((upper, route.upper.port, True), (lower, route.lower.port, False)):
        if node.kind != BOX:
            continue
        border = borders[node.state]
        if route.is_upward == is_below:
            char = "▲" if is_below else "▼"
        else:
            char = (border.exits_below if is_below else border.exits_above)[is_taken]
        line = layout.bottom(node) if is_below else layout.tops[node.row]
        canvas.put(line, column(node.x + port), char, GOES_ON if is_taken else "")
