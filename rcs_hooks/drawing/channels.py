"""The lanes between two rows of a picture made of characters: where each edge runs sideways.

Rules of this file:
- A wire is the part of an edge between two rows: it goes down from a column of the upper row, sideways in one lane, and
  down to a column of the lower row.
- Where two wires wait for each other, one of them runs in two lanes.
- No two wires share a part of a line, so that a cross is two edges that cross, and nothing else.
- Among the orders that allow that, one with few crosses is taken.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence


class Wire(NamedTuple):
    """A part of an edge: the column where it comes from above, and the one where it goes on below."""

    top: int
    bottom: int

    def is_upright(self) -> bool:
        """Tell whether it needs no lane."""
        return self.top == self.bottom

    def passes(self, column: int) -> bool:
        """Tell whether it runs sideways over a column."""
        return min(self) < column < max(self)

    def meets(self, other: Wire) -> bool:
        """Tell whether two wires would touch if they were in one lane."""
        return min(self) <= max(other) + 1 and min(other) <= max(self) + 1


class Lanes:
    """The lanes of the wires between two rows, counted from the upper row, for those that are not upright."""

    def __init__(self, wires: Sequence[Wire]) -> None:
        self.wires = list(wires)
        self.lane: dict[Wire, int] = {}
        self.parts: dict[Wire, Wire] = {}
        """The lower part of each wire that runs in two lanes, by its upper part."""
        self.split: dict[Wire, Wire] = {}
        """The upper part of each wire that runs in two lanes."""
        self.is_possible = self._find()

    @property
    def count(self) -> int:
        """The number of lanes."""
        return max(self.lane.values(), default=-1) + 1

    def bends(self, wire: Wire) -> list[tuple[int, int]]:
        """Return each lane that a wire runs in, from the top on, with the column that it runs to."""
        upper = self.split.get(wire)
        if upper is None:
            return [] if wire.is_upright() else [(self.lane[wire], wire.bottom)]
        return [(self.lane[upper], upper.bottom), (self.lane[self.parts[upper]], wire.bottom)]

    def _find(self) -> bool:
        left = [wire for wire in self.wires if not wire.is_upright()]
        # A wire that goes on below in the column where another one comes down has to run below that one.
        before = {wire: {other for other in left if other.top == wire.bottom} for wire in left}
        while left:
            free = [wire for wire in left if before[wire] <= self.lane.keys()]
            if not free:
                if not self._divide(left, before):
                    return False
                continue
            chosen = min(free, key=lambda wire: _cost(wire, left))
            above = [lane for other, lane in self.lane.items() if chosen.meets(other)]
            self.lane[chosen] = max(above, default=-1) + 1
            left.remove(chosen)
        return True

    def _divide(self, left: list[Wire], before: dict[Wire, set[Wire]]) -> bool:
        """Let one of the wires that wait for each other run in two lanes, where a column between is free."""
        columns = {column for wire in [*self.wires, *self.parts] for column in wire}
        for wire in left:
            middle = (wire.top + wire.bottom) // 2
            free = [column for column in range(min(wire) + 1, max(wire)) if column not in columns]
            if free and wire in self.wires:
                column = min(free, key=lambda column: abs(column - middle))
                upper, lower = Wire(wire.top, column), Wire(column, wire.bottom)
                self.split[wire], self.parts[upper] = upper, lower
                for others in before.values():
                    if wire in others:
                        others.add(upper)
                        others.remove(wire)
                before[upper], before[lower] = set(), {*before.pop(wire), upper}
                left.remove(wire)
                left += [upper, lower]
                return True
        return False

    def crosses(self) -> int:
        """Count where wires cross."""
        falls = [fall for wire in self.wires for fall in self._falls(wire)]
        return sum(
            wire.passes(column) and above < lane < below
            for wire, lane in self.lane.items()
            for column, above, below in falls
        )

    def _falls(self, wire: Wire) -> list[tuple[int, int, int]]:
        """Return where a wire goes down: each column, with the lanes where it comes from and where it turns."""
        falls, column, above = [], wire.top, -1
        for lane, to in self.bends(wire):
            falls.append((column, above, lane))
            column, above = to, lane
        return [*falls, (column, above, self.count)]


def _cost(wire: Wire, left: Sequence[Wire]) -> int:
    """Return how many more crosses there are with a wire above the others that are left than below them."""
    return sum(_if_above(wire, other) - _if_above(other, wire) for other in left if other != wire)


def _if_above(upper: Wire, lower: Wire) -> int:
    """Count the crosses of two wires if one has the lane above the other's."""
    return upper.passes(lower.top) + lower.passes(upper.bottom)
