"""Which row of a picture each state stands in, and the way of each edge through the rows between.

Rules of this file:
- An edge that closes a cycle runs upwards; all others run downwards. Which ones do is settled from the starts, in the
  order of the diagram, so that the same diagram always gives the same picture.
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
class Node:
    """What takes room in a row: a state, the dot of a start or an end, or a piece of an edge, labelled or not."""

    kind: str
    row: int
    state: str = ""
    left: float = 0.0
    """How far it reaches to the left of `x`."""
    right: float = 0.0
    height: float = 0.0
    x: float = 0.0
    place: int = 0
    """Its number in its row."""
    label: tuple[str, ...] = ()
    above: list[Node] = field(default_factory=list)
    below: list[Node] = field(default_factory=list)


@dataclass(eq=False)
class Touch:
    """Where an edge touches a node."""

    neighbour: Node
    """Where the edge goes on."""
    port: float = 0.0
    """From the middle of the node."""


class Way:
    """One edge, from its upper end to its lower one."""

    def __init__(
        self, source: str, target: str, nodes: list[Node], label: str | None = None, *, upward: bool = False
    ) -> None:
        self.source = source
        self.target = target
        self.nodes = nodes
        self.label = label
        self.is_upward = upward
        self.upper = Touch(nodes[1])
        self.lower = Touch(nodes[-2])

    def shift(self, node: Node) -> float:
        """How far from the middle of a node the edge passes."""
        if node is self.nodes[0]:
            return self.upper.port
        return self.lower.port if node is self.nodes[-1] else 0.0


@dataclass
class Picture:
    rows: list[list[Node]]
    ways: list[Way]
    loops: dict[str, str | None]
    """States with an edge to themselves, and its label."""
    boxes: dict[str, Node]


def pieces(machine: Machine) -> int:
    """Count the pieces of all edges: a picture costs by them, and a long edge has one in every row."""
    upward = _closing(machine)
    downward = [
        (other, one) if (one, other) in upward else (one, other)
        for one, other, _ in machine.transitions
        if one != other
    ]
    ranks = _ranks(machine, downward)
    return sum(2 * (ranks[lower] - ranks[upper]) - 1 for upper, lower in downward)


def layered(machine: Machine) -> Picture:
    loops = {one: label for one, other, label in machine.transitions if one == other}
    edges = [edge for edge in machine.transitions if edge[0] != edge[1]]
    upward = _closing(machine)
    downward = [(other, one) if (one, other) in upward else (one, other) for one, other, _ in edges]
    ranks = _ranks(machine, downward)
    boxes = {state: Node(BOX, 2 * ranks[state], state) for state in machine.steps()}
    rows: list[list[Node]] = [[] for _ in range(2 * max(ranks.values(), default=0) + 3)]
    for node in boxes.values():
        rows[node.row].append(node)
    ways = [
        Way(one, other, _joined(rows, boxes[upper], boxes[lower]), label, upward=(one, other) in upward)
        for (upper, lower), (one, other, label) in zip(downward, edges, strict=True)
    ]
    return Picture(rows, [*_starts(machine, rows, boxes), *ways, *_ends(machine, rows, boxes)], loops, boxes)


def _closing(machine: Machine) -> set[tuple[str, str]]:
    """The edges that lead back to a state on the way to them, walking depth first from the starts."""
    closing: set[tuple[str, str]] = set()
    on_the_way: set[str] = set()
    seen: set[str] = set()
    for root in machine.steps():
        if root in seen:
            continue
        stack = [(root, iter(machine.successors(root)))]
        seen.add(root)
        on_the_way.add(root)
        while stack:
            state, following = stack[-1]
            after = next(following, None)
            if after is None:
                stack.pop()
                on_the_way.discard(state)
            elif after in on_the_way:
                closing.add((state, after))
            elif after not in seen:
                seen.add(after)
                on_the_way.add(after)
                stack.append((after, iter(machine.successors(after))))
    return closing


def _ranks(machine: Machine, downward: Iterable[tuple[str, str]]) -> dict[str, int]:
    """Each state below all that lead down to it; one that nothing leads to, close to what it leads to."""
    after: dict[str, list[str]] = {state: [] for state in machine.states}
    waits = dict.fromkeys(machine.states, 0)
    for upper, lower in downward:
        after[upper].append(lower)
        waits[lower] += 1
    roots = [state for state, count in waits.items() if not count]
    ranks = dict.fromkeys(machine.states, 1)
    queue = list(roots)
    for state in queue:  # it grows meanwhile
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


def _joined(rows: list[list[Node]], upper: Node, lower: Node) -> list[Node]:
    nodes = [upper, *(Node(PIECE, row) for row in range(upper.row + 1, lower.row)), lower]
    for node in nodes[1:-1]:
        rows[node.row].append(node)
    for one, other in pairwise(nodes):
        one.below.append(other)
        other.above.append(one)
    return nodes


def _starts(machine: Machine, rows: list[list[Node]], boxes: dict[str, Node]) -> list[Way]:
    if not machine.initial:
        return []
    dot = Node(START, 0)
    rows[0].append(dot)
    return [Way("[*]", state, _joined(rows, dot, boxes[state])) for state in machine.initial]


def _ends(machine: Machine, rows: list[list[Node]], boxes: dict[str, Node]) -> list[Way]:
    """One dot for all that end in the same row."""
    dots: dict[int, Node] = {}
    ways = []
    for state in machine.terminal:
        row = boxes[state].row + 2
        if row not in dots:
            dots[row] = Node(END, row)
            rows[row].append(dots[row])
        ways.append(Way(state, "[*]", _joined(rows, boxes[state], dots[row])))
    return ways
