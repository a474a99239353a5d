"""Where everything in a picture stands: amid what it hangs on, not too close, with edges upright where they can be."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from rcs_hooks.machine.layers import BOX, END, PIECE, START

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rcs_hooks.machine.layers import Node, Picture, Touch, Way

GAP, NARROW_GAP = 26.0, 14.0
"""Between neighbours in a row, and between two edges."""
PORT = 20.0
"""Between two edges that touch the same side of a box."""
NARROWEST_PORT = 13.0
CORNER = 14.0
"""Of a box, where nothing touches it."""
ROUNDS, LEAST_ROUNDS, TOUCHES = 40, 6, 4
WORK = 300_000
"""Nodes to be placed: a picture that nobody can take in any more is to cost seconds at most."""
FIXED = 1000.0
"""The weight of what is to stay where it is."""


def put_in_place(picture: Picture) -> None:
    """Sets every `x`, and where the edges touch the boxes. The rows are in order already."""
    sides = _sides(picture.ways)
    for node, touching in sides:
        for number, touch in enumerate(touching):
            touch.port = _port(node, number, len(touching))
    for row in picture.rows:
        for place, node in enumerate(row[1:]):
            node.x = row[place].x + _apart(row[place], node)
    links = _links(picture.ways)
    count = sum(map(len, picture.rows)) or 1
    for turn in range(max(LEAST_ROUNDS, min(ROUNDS, WORK // count))):
        for row in picture.rows if turn % 2 == 0 else reversed(picture.rows):
            _settle(row, links)
    _make_upright(picture, sides)
    for row in picture.rows:
        for node in row:
            _hang(node, row)
    least = min((node.x - node.left for row in picture.rows for node in row), default=0.0)
    for node in (node for row in picture.rows for node in row):
        node.x -= least


def _make_upright(picture: Picture, sides: list[tuple[Node, list[Touch]]]) -> None:
    """Edges first, the longest of them before the others; then boxes and ports give way to them."""
    longest_first = sorted(picture.ways, key=lambda way: -len(way.nodes))
    for _ in range(TOUCHES):
        for way in longest_first:
            _straighten(way, picture.rows)
        links = _links(picture.ways)
        for row in picture.rows:
            _settle(row, links, only_boxes=True)
        for node, touching in sides:
            _touch(node, touching)


Link = tuple["Node", float, float]
"""Another node, where `x` of this one would have to be from its `x`, and how much that counts."""


def _links(ways: Iterable[Way]) -> dict[Node, list[Link]]:
    links: dict[Node, list[Link]] = {}
    for way in ways:
        for upper, lower in pairwise(way.nodes):
            shift = way.shift(upper) - way.shift(lower)
            counts = 8.0 if upper.kind == lower.kind == PIECE else 2.0
            if len(way.nodes) == 3 and not way.is_upward:
                counts = 6.0  # the main way down is to be straight
            links.setdefault(lower, []).append((upper, shift, counts))
            links.setdefault(upper, []).append((lower, -shift, counts))
    return links


def _sides(ways: Iterable[Way]) -> list[tuple[Node, list[Touch]]]:
    """Every side of a node that edges touch, and they from left to right."""
    upper: dict[Node, list[Touch]] = {}
    lower: dict[Node, list[Touch]] = {}
    for way in ways:
        upper.setdefault(way.nodes[0], []).append(way.upper)
        lower.setdefault(way.nodes[-1], []).append(way.lower)
    sides = [*upper.items(), *lower.items()]
    for _, touching in sides:
        touching.sort(key=lambda touch: touch.neighbour.place)
    return sides


def _port(node: Node, number: int, count: int) -> float:
    """Evenly about the middle."""
    if node.kind != BOX or count == 1:
        return 0.0
    return min(PORT, (2 * node.left - 20) / (count - 1)) * (number - (count - 1) / 2)


def _touch(node: Node, touching: list[Touch]) -> None:
    """The edges touch a box right above or below their next piece, where it is wide enough for that."""
    if node.kind != BOX:
        return
    reach = node.left - CORNER
    gap = min(NARROWEST_PORT, 2 * reach / max(1, len(touching) - 1))
    wanted = [min(max(touch.neighbour.x - node.x, -reach), reach) for touch in touching]
    shifts = [gap * number for number in range(len(touching))]
    for number, (touch, port) in enumerate(zip(touching, spread(wanted, shifts, [1.0] * len(wanted)), strict=True)):
        least, most = -reach + shifts[number], reach - gap * (len(touching) - 1 - number)
        touch.port = min(max(port, least), most)


def _hang(node: Node, row: list[Node]) -> None:
    """A dot with one edge stands right above or below it."""
    hung = [*node.above, *node.below]
    if node.kind not in (START, END) or len(hung) != 1:
        return
    low, high = _room(node, row)
    if low <= hung[0].x <= high:
        node.x = hung[0].x


def _apart(one: Node, other: Node) -> float:
    gap = NARROW_GAP if one.kind == other.kind == PIECE else GAP
    return one.right + gap + other.left


def _settle(row: list[Node], links: dict[Node, list[Link]], *, only_boxes: bool = False) -> None:
    """As near to where each would be as the row allows."""
    wanted, weights, shifts = list[float](), list[float](), list[float]()
    for place, node in enumerate(row):
        shifts.append(shifts[-1] + _apart(row[place - 1], node) if place else 0.0)
        x, weight = (node.x, FIXED) if only_boxes and node.kind == PIECE else _wanted(node, links.get(node, []))
        wanted.append(x)
        weights.append(weight)
    for node, x in zip(row, spread(wanted, shifts, weights), strict=True):
        node.x = x


def spread(wanted: list[float], shifts: list[float], weights: list[float]) -> list[float]:
    """Each as near to where it would be as it can when it keeps its distance; `shifts`: how far each is at least from
    the first. Neighbours that push each other move as one block; least squares, in linear time."""
    blocks: list[tuple[float, float, int]] = []  # middle, weight, size
    for x, shift, weight in zip(wanted, shifts, weights, strict=True):
        blocks.append((x - shift, weight, 1))
        while len(blocks) > 1 and blocks[-2][0] >= blocks[-1][0]:
            (one, light, few), (other, heavy, many) = blocks[-2:]
            blocks[-2:] = [((one * light + other * heavy) / (light + heavy), light + heavy, few + many)]
    middles = (middle for middle, _, size in blocks for _ in range(size))
    return [middle + shift for middle, shift in zip(middles, shifts, strict=True)]


def _wanted(node: Node, links: list[Link]) -> tuple[float, float]:
    weight = sum(counts for _, _, counts in links)
    if not weight:
        return node.x, 0.01
    return sum((other.x + shift) * counts for other, shift, counts in links) / weight, weight


def _straighten(way: Way, rows: list[list[Node]]) -> None:
    """Its pieces stand upright as far down as their neighbours allow, then once more from there."""
    pieces = way.nodes[1:-1]
    wanted = way.nodes[0].x + way.upper.port
    begun = 0
    low, high = float("-inf"), float("inf")
    for number, piece in enumerate(pieces):
        below, above = _room(piece, rows[piece.row])
        if max(low, below) > min(high, above):
            wanted = _stand(pieces[begun:number], wanted, low, high)
            begun, low, high = number, below, above
        low, high = max(low, below), min(high, above)
    last = way.nodes[-1].x + way.lower.port
    first = wanted if begun or low <= wanted <= high else last
    _stand(pieces[begun:], last if begun else first, low, high)


def _stand(pieces: list[Node], wanted: float, low: float, high: float) -> float:
    x = min(max(wanted, low), high)
    for piece in pieces:
        piece.x = x
    return x


def _room(node: Node, row: list[Node]) -> tuple[float, float]:
    before = row[node.place - 1] if node.place else None
    after = row[node.place + 1] if node.place + 1 < len(row) else None
    low = before.x + _apart(before, node) if before else float("-inf")
    high = after.x - _apart(node, after) if after else float("inf")
    return low, high
