"""Frames around nodes of a picture: the order of rows and the places of nodes so that a frame holds only what is its.

Rules of this file:
- What is in a frame is beside each other in every row, and what is not in it is on the same side of it as a whole.
  So a piece of an edge is in a frame only if both ends of the edge are.
- All that must be apart is one list of least distances. It never has a cycle, because in each row nodes and frames
  follow each other by one order, that of the places which they have in a picture without frames.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from rcs_hooks.drawing.layout import BOX
from rcs_hooks.drawing.placement import GAP, align_chains, apart, links_of, move_anchors, sides_of, wanted_place

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from rcs_hooks.drawing.layout import GraphNode, Layout
    from rcs_hooks.drawing.placement import Link

TRIES = 3
"""How often everything is put in order, each time by the places that came of the time before."""
ANYWHERE = (float("-inf"), float("inf"))
ROUNDS, WORK = 16, 100_000
SIDE = 0.01
"""How far beside the middle of a frame something counts as to its left or right."""


@dataclass(eq=False)
class Frame:
    """A frame: what is in it, the rows that it passes, and how far it reaches."""

    ident: str
    parent: Frame | None
    before: float
    """The room between its left side and what is in it."""
    after: float
    least: float
    """How wide it is at least."""
    nodes: list[GraphNode] = field(default_factory=list)
    children: list[Frame] = field(default_factory=list)
    first: int = 0
    last: int = 0
    key: float = 0.0
    left: float = 0.0
    right: float = 0.0

    def boxes(self) -> Iterator[GraphNode]:
        """Yield the boxes in the frame and in the frames in it."""
        yield from (node for node in self.nodes if node.kind == BOX)
        for child in self.children:
            yield from child.boxes()


Distances = list[list[tuple[int, float]]]
"""For each variable others, and how far from them it is at least."""
Bound = tuple[int, int, float]
"""Two variables, and how much larger the second is at least."""


def put_into_frames(layout: Layout, frames: list[Frame], owner: Mapping[str, Frame]) -> None:
    """Order the rows and move the nodes of a layout, which has places already, so that each frame has its own room.

    `frames`: outer ones before inner ones; `owner`: the frame of each state that is in one.
    """
    of = _owners(layout, owner)
    for node, frame in of.items():
        frame.nodes.append(node)
    for turn in range(TRIES):
        _measure(frames)
        _lead_around(layout, of)
        _Places(layout, frames, of).solve(is_last=turn == TRIES - 1)


def _measure(frames: list[Frame]) -> None:
    """Set the rows of each frame, and where it is as a whole."""
    for frame in reversed(frames):
        rows = [node.row for node in frame.nodes] + [row for each in frame.children for row in (each.first, each.last)]
        frame.first, frame.last = min(rows), max(rows)
        inner = list(frame.boxes())
        frame.key = sum(node.x for node in inner) / len(inner)


def _lead_around(layout: Layout, of: Mapping[GraphNode, Frame]) -> None:
    """Move the pieces of each edge that leaves a frame to the side of the frame where the other end is."""
    for route in layout.routes:
        inner = of.get(route.nodes[1])
        one, other = (_unit(node, of.get(node), inner) for node in (route.nodes[0], route.nodes[-1]))
        for frame, far in ((one, other), (other, one)):
            if isinstance(frame, Frame):
                for piece in route.nodes[1:-1]:
                    if frame.first <= piece.row <= frame.last and inner is not frame:
                        beside = frame.key + (SIDE if _key(far) > frame.key else -SIDE)
                        piece.x = max(piece.x, beside) if beside > frame.key else min(piece.x, beside)


def _unit(node: GraphNode, frame: Frame | None, around: Frame | None) -> GraphNode | Frame:
    """Return what a node is for whoever looks into the frame `around`: itself, or a frame in that one."""
    unit: GraphNode | Frame = node
    while frame is not around and frame is not None:
        unit, frame = frame, frame.parent
    return unit


def _key(unit: GraphNode | Frame) -> float:
    return unit.key if isinstance(unit, Frame) else unit.x


def _owners(layout: Layout, owner: Mapping[str, Frame]) -> dict[GraphNode, Frame]:
    of = {node: owner[state] for state, node in layout.boxes.items() if state in owner}
    for route in layout.routes:
        one, other = of.get(route.nodes[0]), of.get(route.nodes[-1])
        around = set[Frame]()
        while one:
            around.add(one)
            one = one.parent
        while other and other not in around:
            other = other.parent
        if other:
            of.update(dict.fromkeys(route.nodes[1:-1], other))
    return of


class _Places:
    """The places of all nodes and of the two sides of each frame, as numbered variables."""

    def __init__(self, layout: Layout, frames: list[Frame], of: dict[GraphNode, Frame]) -> None:
        self.layout = layout
        self.frames = frames
        self.of = of
        self.nodes = [node for row in layout.rows for node in row]
        self.number = {node: number for number, node in enumerate(self.nodes)}
        self.sides = {frame: len(self.nodes) + 2 * number for number, frame in enumerate(frames)}
        self.bounds: list[Bound] = [(side, side + 1, frame.least) for frame, side in self.sides.items()]
        for row in range(len(layout.rows)):
            self._arrange(row)

    def _arrange(self, row: int) -> None:
        """Order a row, and note what must be apart in it."""
        inside: dict[Frame | None, list[tuple[float, int, GraphNode | Frame]]] = {}
        for node in self.layout.rows[row]:
            inside.setdefault(self.of.get(node), []).append((node.x, self.number[node], node))
        for frame in self.frames:
            if frame.first <= row <= frame.last:
                inside.setdefault(frame.parent, []).append((frame.key, self.sides[frame], frame))
        ordered: list[GraphNode] = []
        self._walk(None, inside, ordered)
        self.layout.rows[row] = ordered
        for place, node in enumerate(ordered):
            node.place = place

    def _walk(
        self,
        around: Frame | None,
        inside: dict[Frame | None, list[tuple[float, int, GraphNode | Frame]]],
        ordered: list[GraphNode],
    ) -> None:
        """Add what is in a frame to a row, from left to right, and bound each by what is to the left of it."""
        before: GraphNode | Frame | None = None
        for _, _, item in sorted(inside.get(around, []), key=lambda each: each[:2]):
            if isinstance(item, Frame):
                self._walk(item, inside, ordered)
            else:
                ordered.append(item)
            if before is None:
                if around:
                    self.bounds.append((self.sides[around], self._left(item), around.before + self._reach(item)[0]))
            else:
                self.bounds.append((self._right(before), self._left(item), self._gap(before, item)))
            before = item
        if before is not None and around:
            self.bounds.append((self._right(before), self.sides[around] + 1, self._reach(before)[1] + around.after))

    def _left(self, item: GraphNode | Frame) -> int:
        return self.sides[item] if isinstance(item, Frame) else self.number[item]

    def _right(self, item: GraphNode | Frame) -> int:
        return self.sides[item] + 1 if isinstance(item, Frame) else self.number[item]

    @staticmethod
    def _reach(item: GraphNode | Frame) -> tuple[float, float]:
        return (0.0, 0.0) if isinstance(item, Frame) else (item.left, item.right)

    def _gap(self, one: GraphNode | Frame, other: GraphNode | Frame) -> float:
        if isinstance(one, Frame) or isinstance(other, Frame):
            return self._reach(one)[1] + GAP * 0.75 + self._reach(other)[0]
        return apart(one, other)

    def solve(self, *, is_last: bool) -> None:
        """Move all nodes near to where their neighbours want them, again and again, with everything apart."""
        lower, upper = self._both_ways()
        order = _in_order(lower, upper)
        sides = sides_of(self.layout.routes)
        links = links_of(self.layout.routes)
        self._project(order, lower, upper)
        for turn in range(max(4, min(ROUNDS, WORK // (len(order) + len(self.bounds))))):
            self._pull(links, downwards=turn % 2 == 0)
            self._project(order, lower, upper)
            if turn % 4 == 3:
                for node, anchors in sides:
                    move_anchors(node, anchors)
                links = links_of(self.layout.routes)
        if not is_last:
            self._pull(
                links, downwards=True
            )  # the next order is that in which nodes want to be, not the one they are in
            return
        align_chains(self.layout.rows, lambda node: self._room(self.number[node], lower, upper))
        for node, anchors in sides:
            move_anchors(node, anchors)
        for frame in reversed(self.frames):
            self._tighten(frame)
        least = min([node.x - node.left for node in self.nodes] + [frame.left for frame in self.frames])
        for node in self.nodes:
            node.x -= least
        for frame in self.frames:
            frame.left -= least
            frame.right -= least

    def _room(self, number: int, lower: Distances, upper: Distances) -> tuple[float, float]:
        """Return between which places a node is apart from everything else."""
        low = max((self._place(other) + distance for other, distance in lower[number]), default=ANYWHERE[0])
        return low, min((self._place(other) - distance for other, distance in upper[number]), default=ANYWHERE[1])

    def _place(self, number: int) -> float:
        if number < len(self.nodes):
            return self.nodes[number].x
        which, is_right = divmod(number - len(self.nodes), 2)
        return self.frames[which].right if is_right else self.frames[which].left

    def _both_ways(self) -> tuple[Distances, Distances]:
        """Return for each variable those that are less than it, and those that are more, each with the distance."""
        count = len(self.nodes) + 2 * len(self.frames)
        lower: Distances = [[] for _ in range(count)]
        upper: Distances = [[] for _ in range(count)]
        for one, other, distance in self.bounds:
            lower[other].append((one, distance))
            upper[one].append((other, distance))
        return lower, upper

    def _pull(self, links: dict[GraphNode, list[Link]], *, downwards: bool) -> None:
        """Move every node to where its neighbours want it, and the pieces of an edge nearer to a straight line."""
        for row in self.layout.rows if downwards else reversed(self.layout.rows):
            for node in row:
                node.x = wanted_place(node, links.get(node, []))[0]
        for route in self.layout.routes:
            inner = route.nodes[1:-1]
            middle = sum(node.x for node in inner) / len(inner)
            for node in inner:
                node.x = (node.x + middle) / 2
        align_chains(self.layout.rows, lambda _: ANYWHERE)

    def _project(self, order: list[int], lower: Distances, upper: Distances) -> None:
        """Move everything apart: halfway between the least move to the right and the least to the left."""
        for frame in reversed(self.frames):
            self._fit(frame)
        wanted = [node.x for node in self.nodes] + [x for frame in self.frames for x in (frame.left, frame.right)]
        low, high = list(wanted), list(wanted)
        for number in order:
            for other, distance in lower[number]:
                low[number] = max(low[number], low[other] + distance)
        for number in reversed(order):
            for other, distance in upper[number]:
                high[number] = min(high[number], high[other] - distance)
        for number, node in enumerate(self.nodes):
            node.x = (low[number] + high[number]) / 2
        for frame, side in self.sides.items():
            frame.left, frame.right = ((low[each] + high[each]) / 2 for each in (side, side + 1))

    def _tighten(self, frame: Frame) -> None:
        """Move the sides of a frame towards what is in it; beyond where they are may be something else."""
        left, right = frame.left, frame.right
        self._fit(frame)
        frame.left = max(left, min(frame.left, right - frame.least))
        frame.right = min(right, max(frame.right, frame.left + frame.least))

    @staticmethod
    def _fit(frame: Frame) -> None:
        """Set how far a frame reaches, from what is in it."""
        lefts = [node.x - node.left for node in frame.nodes] + [child.left for child in frame.children]
        rights = [node.x + node.right for node in frame.nodes] + [child.right for child in frame.children]
        frame.left, frame.right = min(lefts) - frame.before, max(rights) + frame.after
        short = max(0.0, frame.least - (frame.right - frame.left))
        frame.left, frame.right = frame.left - short / 2, frame.right + short / 2


def _in_order(lower: Distances, upper: Distances) -> list[int]:
    """Return all variables, each behind those that are less than it."""
    waits = [len(each) for each in lower]
    order = [number for number, count in enumerate(waits) if not count]
    for number in order:  # the order grows while it is walked
        for other, _ in upper[number]:
            waits[other] -= 1
            if not waits[other]:
                order.append(other)
    return order
