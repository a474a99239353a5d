"""Lay a machine out in the cells of a terminal: the place of each box, label and line. Draws nothing.

Rules of this file:
- Rows, their order and their columns are those of every picture (`layout`, `ordering`, `placement`); only sizes are in
  cells, and edges run sideways in lanes between the rows.
- A label stands in the row next to the state that its edge leaves.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from rcs_hooks.drawing import channels
from rcs_hooks.drawing.labels import is_in_box, label_of, shown
from rcs_hooks.drawing.layout import BOX, END, PIECE, START, GraphNode, lay_out
from rcs_hooks.drawing.ordering import put_in_order
from rcs_hooks.drawing.placement import put_in_place
from rcs_hooks.terminal.width import cells, wrapped

if TYPE_CHECKING:
    from rcs_hooks.drawing.layout import Route
    from rcs_hooks.drawing.marks import Marks
    from rcs_hooks.machine.graph import Machine

CELL = 6.5
"""The width of a cell in the units of `placement`: its least gaps are whole cells then."""
CORNER = 3
"""How many cells next to the corners of a box no edge meets, both ends together."""
MOST_CROSSES = 24
"""More crosses than anybody could follow."""
NUMBER = "00"
"""Room for a number, which is not known before its place is."""
MOST_LINES, WIDEST_LABEL = 3, 28
DOTS = {START: "● start", END: "◉ end"}


class CellLayout:
    """The boxes, labels and lines of a machine in cells, with each edge's label or with a number in its place."""

    def __init__(self, machine: Machine, marks: Marks, *, is_numbered: bool) -> None:
        self.machine = machine
        self.marks = marks
        self.is_numbered = is_numbered
        self.keyed: dict[GraphNode, str] = {}
        """The label of each edge that gets a number, by the piece or the box beside which the number stands."""
        self.numbers: dict[GraphNode, str] = {}
        layout = lay_out(machine, has_shared_dots=False)
        self.rows, self.routes, self.loops, self.boxes = layout.rows, layout.routes, layout.loops, layout.boxes
        self.unreachable = frozenset(machine.unreachable())
        for route in self.routes:
            self._put_label(route)
        if is_numbered:
            self.keyed |= {self.boxes[state]: label for state in self.loops if (label := shown(self.loops[state]))}
        for node in self.nodes():
            self._measure(node)
        put_in_order(layout)
        put_in_place(layout)
        self.lanes = [channels.Lanes(wires) for wires in self._find_wires()]
        self.tops, self.heights = self._stack()

    def nodes(self) -> list[GraphNode]:
        """Return the nodes of all rows."""
        return [node for row in self.rows for node in row]

    def numbered(self) -> list[str]:
        """Number the labels that are too wide, from the top on and from left to right, and return them."""
        keyed = sorted(self.keyed, key=lambda node: (node.row, node.x))
        self.numbers = {node: str(number) for number, node in enumerate(keyed, 1)}
        for node in keyed:
            if node.kind == PIECE:
                node.label = (self.numbers[node], *node.label[1:])
        return [self.keyed[node] for node in keyed]

    def problem(self, width: int | None) -> str:
        """Return why this try is no good; empty if it is."""
        if not all(lanes.is_possible for lanes in self.lanes):
            return "its lines could not be kept apart in a picture"
        crosses = sum(lanes.crosses() for lanes in self.lanes)
        if crosses > MOST_CROSSES:
            return f"its lines would cross {crosses} times in a picture"
        wide = max((column(node.x) + round(node.right / CELL) + 1 for node in self.nodes()), default=0)
        return f"a picture of it is {wide} columns wide" if width is not None and wide > width else ""

    # --- sizes

    def _put_label(self, route: Route) -> None:
        """Give an edge what is written beside it: its label, or room for a number; and how often a run took it."""
        label, piece = shown(route.label), first_piece(route)
        lines = wrapped(label, WIDEST_LABEL)
        if label and (self.is_numbered or len(lines) > MOST_LINES):
            self.keyed[piece] = label
            lines = [NUMBER]
        count = self.marks.taken.get((route.source, route.target), 0)
        often = [f"×{count}"] if count > 1 else []
        piece.label = (*lines, *often)

    def loop(self, state: str) -> str:
        """Return what stands beside the box of a state with an edge to itself; a run that took it is always counted."""
        node, count = self.boxes[state], self.marks.taken.get((state, state), 0)
        label = self.numbers.get(node, NUMBER) if node in self.keyed else shown(self.loops[state])
        return " ".join(["↺", *([label] if label else []), *([f"×{count}"] if count else [])])

    def text(self, state: str) -> list[str]:
        """Return the lines in the box of a state: its id, and its label where that is short."""
        return [state, *([label_of(self.machine, state)] if is_in_box(self.machine, state) else [])]

    def _measure(self, node: GraphNode) -> None:
        left = right = 0
        if node.kind == BOX:
            text = self.text(node.state)
            anchors = max(len(node.above), len(node.below))
            left = right = max((max(map(cells, text)) + 4) // 2, anchors + CORNER)
            right += 1 + cells(self.loop(node.state)) if node.state in self.loops else 0
            node.height = len(text) + 2
        elif node.kind == PIECE:
            right = 1 + max(map(cells, node.label)) if node.label else 0
            node.height = max(1, len(node.label)) if node.row % 2 else 0
        else:
            right, node.height = cells(DOTS[node.kind]) - 1, 1
        node.left, node.right = left * CELL, right * CELL

    # --- places

    def _find_wires(self) -> list[list[channels.Wire]]:
        """Return what goes down from each row to the next one."""
        wires: list[list[channels.Wire]] = [[] for _ in self.rows]
        for route in self.routes:
            for upper, lower in pairwise(route.nodes):
                ends = column(upper.x + route.shift(upper)), column(lower.x + route.shift(lower))
                wires[upper.row].append(channels.Wire(*ends))
        return wires

    def _stack(self) -> tuple[list[int], list[int]]:
        """Return the first line of each row, and its height in lines."""
        tops, heights, line = list[int](), list[int](), 0
        for row, nodes in enumerate(self.rows):
            tops.append(line)
            heights.append(int(max((node.height for node in nodes), default=0)))
            line += heights[row] + self.lanes[row].count
        return tops, heights

    def points(self, route: Route) -> list[tuple[int, int]]:
        """Return the corners of an edge, from its upper end to its lower one."""
        points = [(self.bottom(route.nodes[0]), column(route.nodes[0].x + route.upper.port))]
        for upper, lower in pairwise(route.nodes):
            one, other = column(upper.x + route.shift(upper)), column(lower.x + route.shift(lower))
            first, at = self.tops[upper.row] + self.heights[upper.row], one
            for lane, to in self.lanes[upper.row].bends(channels.Wire(one, other)):
                points += [(first + lane, at), (first + lane, to)]
                at = to
            points.append((self.tops[lower.row], other))
        return points

    def bottom(self, node: GraphNode) -> int:
        """Return the last line of a node."""
        return self.tops[node.row] + max(1, int(node.height)) - 1


def first_piece(route: Route) -> GraphNode:
    """Return the piece of an edge that is next to the state that it leaves, where its label stands."""
    return route.nodes[-2] if route.is_upward else route.nodes[1]


def column(x: float) -> int:
    """Return the column of an `x`. Distances of whole cells stay what they are."""
    return int(x / CELL + 0.5 + 1e-6)
