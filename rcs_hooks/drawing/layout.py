"""The layout of a picture: the row of each state, and the route of each edge through the rows between.

Rules of this file:
- An edge that closes a cycle runs upwards; all others run downwards. Which ones do is decided from the initial
  states on, in the order of the diagram, so that the same diagram always gives the same picture.
- States stand in even rows; labels of edges in odd ones, where no box is.
- An edge has a piece of its own in every row that it passes, so that it never runs through a box.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rcs_hooks.machine.graph import Machine

BOX, START, END, PIECE = "state", "start", "end", "piece"


@dataclass(eq=False)
class GraphNode:
    """A node of the picture with a place in a row: a state, the dot of a start or an end, or a piece of an edge."""

    kind: str
    row: int
    state: str = ""
    left: float = 0.0
    """How far the node reaches to the left of `x`."""
    right: float = 0.0
    height: float = 0.0
    x: float = 0.0
    place: int = 0
    """The number of the node in its row."""
    label: tuple[str, ...] = ()
    above: list[GraphNode] = field(default_factory=list)
    below: list[GraphNode] = field(default_factory=list)


@dataclass(eq=False)
class Anchor:
    """The point where an edge meets a node."""

    neighbour: GraphNode
    """The next node of the edge."""
    port: float = 0.0
    """How far to the right of the middle of the node the edge meets it."""


class Route:
    """The nodes that one edge passes, from its upper end to its lower one."""

    def __init__(
        self, source: str, target: str, nodes: list[GraphNode], label: str | None = None, *, upward: bool = False
    ) -> None:
        self.source = source
        self.target = target
        self.nodes = nodes
        self.label = label
        self.is_upward = upward
        self.upper = Anchor(nodes[1])
        self.lower = Anchor(nodes[-2])

    def shift(self, node: GraphNode) -> float:
        """Return how far to the right of the middle of `node` the edge passes."""
        if node is self.nodes[0]:
            return self.upper.port
        return self.lower.port if node is self.nodes[-1] else 0.0


@dataclass
class Layout:
    """Everything that a picture shows, arranged in rows."""

    rows: list[list[GraphNode]]
    routes: list[Route]
    loops: dict[str, str | None]
    """The label of the edge to itself, for each state that has one."""
    boxes: dict[str, GraphNode]


def pieces(machine: Machine) -> int:
    """Count the pieces of all edges, one for each row that an edge passes: the cost of a picture depends on them."""
    upward = _closing(machine)
    downward = [
        (other, one) if (one, other) in upward else (one, other)
        for one, other, _ in machine.transitions
        if one != other
    ]
    ranks = _ranks(machine, downward)
    return sum(2 * (ranks[lower] - ranks[upper]) - 1 for upper, lower in downward)


def lay_out(machine: Machine) -> Layout:
    """Arrange the states and edges of a machine in rows; no node has an `x` or a size yet."""
    loops = {one: label for one, other, label in machine.transitions if one == other}
    edges = [edge for edge in machine.transitions if edge[0] != edge[1]]
    upward = _closing(machine)
    downward = [(other, one) if (one, other) in upward else (one, other) for one, other, _ in edges]
    ranks = _ranks(machine, downward)
    boxes = {state: GraphNode(BOX, 2 * ranks[state], state) for state in machine.steps()}
    rows: list[list[GraphNode]] = [[] for _ in range(2 * max(ranks.values(), default=0) + 3)]
    for node in boxes.values():
        rows[node.row].append(node)
    routes = [
        Route(one, other, _joined(rows, boxes[upper], boxes[lower]), label, upward=(one, other) in upward)
        for (upper, lower), (one, other, label) in zip(downward, edges, strict=True)
    ]
    return Layout(rows, [*_starts(machine, rows, boxes), *routes, *_ends(machine, rows, boxes)], loops, boxes)


def _closing(machine: Machine) -> set[tuple[str, str]]:
    """Return the edges that close a cycle, found by walking depth first from the initial states."""
    closing: set[tuple[str, str]] = set()
    on_path: set[str] = set()
    seen: set[str] = set()
    for root in machine.steps():
        if root in seen:
            continue
        stack = [(root, iter(machine.successors(root)))]
        seen.add(root)
        on_path.add(root)
        while stack:
            state, following = stack[-1]
            after = next(following, None)
            if after is None:
                stack.pop()
                on_path.discard(state)
            elif after in on_path:
                closing.add((state, after))
            elif after not in seen:
                seen.add(after)
                on_path.add(after)
                stack.append((after, iter(machine.successors(after))))
    return closing


def _ranks(machine: Machine, downward: Iterable[tuple[str, str]]) -> dict[str, int]:
    """Return the rank of each state, below the ranks of all states that lead down to it.

    A state that is not initial and that nothing leads to goes just above its successors.
    """
    after: dict[str, list[str]] = {state: [] for state in machine.states}
    waits = dict.fromkeys(machine.states, 0)
    for upper, lower in downward:
        after[upper].append(lower)
        waits[lower] += 1
    roots = [state for state, count in waits.items() if not count]
    ranks = dict.fromkeys(machine.states, 1)
    queue = list(roots)
    for state in queue:  # the queue grows while it is walked
        for lower in after[state]:
            ranks[lower] = max(ranks[lower], ranks[state] + 1)
            waits[lower] -= 1
            if not waits[lower]:
                queue.append(lower)
    deepest = max(ranks.values(), default=0)
    for state in roots:
        if state not in machine.initial:
            ranks[state] = min((ranks[lower] - 1 for lower in after[state]), default=deepest)
    return ranks


def _joined(rows: list[list[GraphNode]], upper: GraphNode, lower: GraphNode) -> list[GraphNode]:
    nodes = [upper, *(GraphNode(PIECE, row) for row in range(upper.row + 1, lower.row)), lower]
    for node in nodes[1:-1]:
        rows[node.row].append(node)
    for one, other in pairwise(nodes):
        one.below.append(other)
        other.above.append(one)
    return nodes


def _starts(machine: Machine, rows: list[list[GraphNode]], boxes: dict[str, GraphNode]) -> list[Route]:
    """Add the dot of the start to the first row, and return the routes from it."""
    if not machine.initial:
        return []
    dot = GraphNode(START, 0)
    rows[0].append(dot)
    return [Route("[*]", state, _joined(rows, dot, boxes[state])) for state in machine.initial]


def _ends(machine: Machine, rows: list[list[GraphNode]], boxes: dict[str, GraphNode]) -> list[Route]:
    """Add dots for the ends to the rows that need one, and return the routes to these dots."""
    dots: dict[int, GraphNode] = {}
    routes = []
    for state in machine.terminal:
        row = boxes[state].row + 2
        if row not in dots:
            dots[row] = GraphNode(END, row)
            rows[row].append(dots[row])
        routes.append(Route(state, "[*]", _joined(rows, boxes[state], dots[row]), machine.endings.get(state)))
    return routes
