"""The order within each row of a picture: few crossings, by going up and down the rows and keeping the best seen."""

from __future__ import annotations

from bisect import bisect_right, insort
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rcs_hooks.machine.layers import Node, Picture

SWEEPS, LEAST_SWEEPS = 24, 3
WORK = 150_000
"""Nodes to be looked at: a picture that nobody can take in any more is to cost seconds at most."""
PATIENCE = 6
"""Sweeps without a better order after which it is left at that."""


def put_in_order(picture: Picture) -> None:
    rows = picture.rows
    for row in rows:
        _number(row)
    best, fewest, idle = [list(row) for row in rows], crossings(rows), 0
    count = sum(map(len, rows)) or 1
    for sweep in range(max(LEAST_SWEEPS, min(SWEEPS, WORK // count))):
        if not fewest or idle == PATIENCE:
            break
        _sweep(rows, downwards=sweep % 2 == 0)
        _exchange(rows)
        found = crossings(rows)
        idle += 1
        if found < fewest:
            best, fewest, idle = [list(row) for row in rows], found, 0
    for number, row in enumerate(best):
        rows[number] = row
        _number(row)
    for node in (node for row in rows for node in row):
        node.above.sort(key=_place)
        node.below.sort(key=_place)


def crossings(rows: list[list[Node]]) -> int:
    return sum(_between(row) for row in rows)


def _between(row: list[Node]) -> int:
    """Of the edges from this row to the next."""
    count, seen = 0, list[int]()
    for node in row:
        below = sorted(map(_place, node.below))
        count += sum(len(seen) - bisect_right(seen, place) for place in below)
        for place in below:
            insort(seen, place)
    return count


def _place(node: Node) -> int:
    return node.place


def _number(row: list[Node]) -> None:
    for place, node in enumerate(row):
        node.place = place


def _sweep(rows: list[list[Node]], *, downwards: bool) -> None:
    """Each row by the middle of what its nodes hang on."""
    for row in rows if downwards else reversed(rows):
        middles = {}
        for node in row:
            fixed = node.above if downwards else node.below
            middles[node] = sum(map(_place, fixed)) / len(fixed) if fixed else node.place
        row.sort(key=lambda node: middles[node])
        _number(row)


def _exchange(rows: list[list[Node]]) -> None:
    """Neighbours change places where that saves crossings."""
    for row in rows:
        for place in range(len(row) - 1):
            one, other = row[place], row[place + 1]
            if _crossed(other, one) < _crossed(one, other):
                row[place], row[place + 1] = other, one
                other.place, one.place = place, place + 1


def _crossed(left: Node, right: Node) -> int:
    return _inversions(left.above, right.above) + _inversions(left.below, right.below)


def _inversions(left: list[Node], right: list[Node]) -> int:
    places = sorted(map(_place, right))
    return sum(bisect_right(places, node.place - 1) for node in left)
