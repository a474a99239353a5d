"""The `x` of every node: amid its neighbours, not too close to others, and with upright edges where possible."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from rcs_hooks.drawing.layout import BOX, END, PIECE, START

if TYPE_CHECKING:
    from rcs_hooks.drawing.layout import Anchor, GraphNode, Layout, Route

GAP, NARROW_GAP = 26.0, 14.0
"""The gap between neighbours in a row, and between two edges."""
PORT = 20.0
"""The distance between two edges that meet the same side of a box."""
NARROWEST_PORT = 13.0
CORNER = 14.0
"""The part of a side, next to its corners, where no edge meets a box."""
ROUNDS, LEAST_ROUNDS, TOUCHES = 40, 6, 4
WORK = 300_000
"""How many nodes all rounds together may place, so that even a huge picture takes only seconds."""
FIXED = 1000.0
"""The weight of a node that should stay where it is."""


def put_in_place(layout: Layout) -> None:
    """Set the `x` of every node, and where edges meet boxes. The rows must be in order, and the nodes have sizes."""
    sides = _sides_of(layout.routes)
    for node, anchors in sides:
        for number, anchor in enumerate(anchors):
            anchor.port = _port(node, number, len(anchors))
    for row in layout.rows:
        for place, node in enumerate(row[1:]):
            node.x = row[place].x + _apart(row[place], node)
    links = _links_of(layout.routes)
    count = sum(map(len, layout.rows)) or 1
    for turn in range(max(LEAST_ROUNDS, min(ROUNDS, WORK // count))):
        for row in layout.rows if turn % 2 == 0 else reversed(layout.rows):
            _settle(row, links)
    _make_upright(layout, sides)
    for row in layout.rows:
        for node in row:
            _hang(node, row)
    least = min((node.x - node.left for row in layout.rows for node in row), default=0.0)
    for node in (node for row in layout.rows for node in row):
        node.x -= least


def _make_upright(layout: Layout, sides: list[tuple[GraphNode, list[Anchor]]]) -> None:
    """Straighten the edges, the longest first, and move the boxes and anchors accordingly."""
    longest_first = sorted(layout.routes, key=lambda route: -len(route.nodes))
    for _ in range(TOUCHES):
        for route in longest_first:
            _straighten(route, layout.rows)
        links = _links_of(layout.routes)
        for row in layout.rows:
            _settle(row, links, only_boxes=True)
        for node, anchors in sides:
            _move_anchors(node, anchors)


Link = tuple["GraphNode", float, float]
"""A connected node, the wanted distance from its `x`, and the weight of that wish."""


def _links_of(routes: list[Route]) -> dict[GraphNode, list[Link]]:
    links: dict[GraphNode, list[Link]] = {}
    for route in routes:
        for upper, lower in pairwise(route.nodes):
            shift = route.shift(upper) - route.shift(lower)
            counts = 8.0 if upper.kind == lower.kind == PIECE else 2.0
            if len(route.nodes) == 3 and not route.is_upward:
                counts = 6.0  # the main route down is to be straight
            links.setdefault(lower, []).append((upper, shift, counts))
            links.setdefault(upper, []).append((lower, -shift, counts))
    return links


def _sides_of(routes: list[Route]) -> list[tuple[GraphNode, list[Anchor]]]:
    """Return each node with the anchors on its lower or upper side, from left to right."""
    upper: dict[GraphNode, list[Anchor]] = {}
    lower: dict[GraphNode, list[Anchor]] = {}
    for route in routes:
        upper.setdefault(route.nodes[0], []).append(route.upper)
        lower.setdefault(route.nodes[-1], []).append(route.lower)
    sides = [*upper.items(), *lower.items()]
    for _, anchors in sides:
        anchors.sort(key=lambda anchor: anchor.neighbour.place)
    return sides


def _port(node: GraphNode, number: int, count: int) -> float:
    """Return the port of anchor `number` of `count`: the anchors of a side are _spread evenly about its middle."""
    if node.kind != BOX or count == 1:
        return 0.0
    return min(PORT, (2 * (node.left - CORNER) + 8) / (count - 1)) * (number - (count - 1) / 2)


def _move_anchors(node: GraphNode, anchors: list[Anchor]) -> None:
    """Move the anchors of a box straight above or below the next node of their edges, as far as the box is wide."""
    if node.kind != BOX:
        return
    reach = max(0.0, node.left - CORNER)
    gap = min(NARROWEST_PORT, 2 * reach / max(1, len(anchors) - 1))
    wanted = [min(max(anchor.neighbour.x - node.x, -reach), reach) for anchor in anchors]
    shifts = [gap * number for number in range(len(anchors))]
    for number, (anchor, port) in enumerate(zip(anchors, _spread(wanted, shifts, [1.0] * len(wanted)), strict=True)):
        least, most = -reach + shifts[number], reach - gap * (len(anchors) - 1 - number)
        anchor.port = min(max(port, least), most)


def _hang(node: GraphNode, row: list[GraphNode]) -> None:
    """Put a dot that has one edge straight above or below the other end of this edge, if there is room."""
    hung = [*node.above, *node.below]
    if node.kind not in (START, END) or len(hung) != 1:
        return
    low, high = _room(node, row)
    if low <= hung[0].x <= high:
        node.x = hung[0].x


def _apart(one: GraphNode, other: GraphNode) -> float:
    gap = NARROW_GAP if one.kind == other.kind == PIECE else GAP
    return one.right + gap + other.left


def _settle(row: list[GraphNode], links: dict[GraphNode, list[Link]], *, only_boxes: bool = False) -> None:
    """Move the nodes of a row as near to their wanted places as the others allow; `only_boxes` keeps edges."""
    wanted, weights, shifts = list[float](), list[float](), list[float]()
    for place, node in enumerate(row):
        shifts.append(shifts[-1] + _apart(row[place - 1], node) if place else 0.0)
        x, weight = (node.x, FIXED) if only_boxes and node.kind == PIECE else _wanted_place(node, links.get(node, []))
        wanted.append(x)
        weights.append(weight)
    for node, x in zip(row, _spread(wanted, shifts, weights), strict=True):
        node.x = x


def _spread(wanted: list[float], shifts: list[float], weights: list[float]) -> list[float]:
    """Return places as near to `wanted` as the least distances allow; `shifts` are these, from the first place on.

    Neighbours that push each other move as one block: least squares, in linear time.
    """
    blocks: list[tuple[float, float, int]] = []  # middle, weight, size
    for x, shift, weight in zip(wanted, shifts, weights, strict=True):
        blocks.append((x - shift, weight, 1))
        while len(blocks) > 1 and blocks[-2][0] >= blocks[-1][0]:
            (one, light, few), (other, heavy, many) = blocks[-2:]
            blocks[-2:] = [((one * light + other * heavy) / (light + heavy), light + heavy, few + many)]
    middles = (middle for middle, _, size in blocks for _ in range(size))
    return [middle + shift for middle, shift in zip(middles, shifts, strict=True)]


def _wanted_place(node: GraphNode, links: list[Link]) -> tuple[float, float]:
    weight = sum(counts for _, _, counts in links)
    if not weight:
        return node.x, 0.01
    return sum((other.x + shift) * counts for other, shift, counts in links) / weight, weight


def _straighten(route: Route, rows: list[list[GraphNode]]) -> None:
    """Align the pieces of an edge vertically as far down as their neighbours allow; continue likewise from there."""
    pieces = route.nodes[1:-1]
    wanted = route.nodes[0].x + route.upper.port
    begun = 0
    low, high = float("-inf"), float("inf")
    for number, piece in enumerate(pieces):
        below, above = _room(piece, rows[piece.row])
        if max(low, below) > min(high, above):
            wanted = _stand(pieces[begun:number], wanted, low, high)
            begun, low, high = number, below, above
        low, high = max(low, below), min(high, above)
    last = route.nodes[-1].x + route.lower.port
    first = wanted if begun or low <= wanted <= high else last
    _stand(pieces[begun:], last if begun else first, low, high)


def _stand(pieces: list[GraphNode], wanted: float, low: float, high: float) -> float:
    x = min(max(wanted, low), high)
    for piece in pieces:
        piece.x = x
    return x


def _room(node: GraphNode, row: list[GraphNode]) -> tuple[float, float]:
    before = row[node.place - 1] if node.place else None
    after = row[node.place + 1] if node.place + 1 < len(row) else None
    low = before.x + _apart(before, node) if before else float("-inf")
    high = after.x - _apart(node, after) if after else float("inf")
    return low, high
