"""The order of the nodes in each row: few crossings, by sweeping over the rows and remembering the best order."""

from __future__ import annotations

from bisect import bisect_right, insort
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rcs_hooks.drawing.layout import GraphNode, Layout

SWEEPS, LEAST_SWEEPS = 24, 3
WORK = 150_000
"""How many nodes all sweeps together may visit, so that even a huge picture takes only seconds."""
MOST_IDLE = 6
"""How many sweeps without a better order end the search."""


def put_in_order(layout: Layout) -> None:
    """Order the nodes within each row of a layout so that few edges cross."""
    rows = layout.rows
    for row in rows:
        _number(row)
    best, fewest, idle = [list(row) for row in rows], crossings(rows), 0
    count = sum(map(len, rows)) or 1
    for sweep in range(max(LEAST_SWEEPS, min(SWEEPS, WORK // count))):
        if not fewest or idle == MOST_IDLE:
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


def crossings(rows: list[list[GraphNode]]) -> int:
    """Count the crossings of edges between neighbouring rows."""
    return sum(_between(row) for row in rows)


def _between(row: list[GraphNode]) -> int:
    """Count the crossings of the edges from a row to the next one."""
    count, seen = 0, list[int]()
    for node in row:
        below = sorted(map(_place, node.below))
        count += sum(len(seen) - bisect_right(seen, place) for place in below)
        for place in below:
            insort(seen, place)
    return count


def _place(node: GraphNode) -> int:
    return node.place


def _number(row: list[GraphNode]) -> None:
    for place, node in enumerate(row):
        node.place = place


def _sweep(rows: list[list[GraphNode]], *, downwards: bool) -> None:
    """Sort each row by the mean place of the nodes that each node is connected to in the row before."""
    for row in rows if downwards else reversed(rows):
        middles = {}
        for node in row:
            fixed = node.above if downwards else node.below
            middles[node] = sum(map(_place, fixed)) / len(fixed) if fixed else node.place
        row.sort(key=lambda node: middles[node])
        _number(row)


def _exchange(rows: list[list[GraphNode]]) -> None:
    """Exchange neighbours in a row where that saves crossings."""
    for row in rows:
        for place in range(len(row) - 1):
            one, other = row[place], row[place + 1]
            if _crossed(other, one) < _crossed(one, other):
                row[place], row[place + 1] = other, one
                other.place, one.place = place, place + 1


def _crossed(left: GraphNode, right: GraphNode) -> int:
    return _inversions(left.above, right.above) + _inversions(left.below, right.below)


def _inversions(left: list[GraphNode], right: list[GraphNode]) -> int:
    places = sorted(map(_place, right))
    return sum(bisect_right(places, node.place - 1) for node in left)
