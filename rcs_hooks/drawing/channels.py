"""The lanes between two rows of a picture made of characters: where each edge runs sideways.

Rules of this file:
- An edge goes down from a column of the upper row, sideways in one lane, and down to a column of the lower row.
- Two edges never share a part of a line, so that a cross is two edges that cross, and nothing else. Edges of one dot
  do: they are one net.
- Among the orders that allow that, one with few crosses is taken.
"""

from __future__ import annotations

from typing import NamedTuple


class Net(NamedTuple):
    """Edges that run sideways in one lane: the columns where they come from above, and where they go on below."""

    tops: frozenset[int]
    bottoms: frozenset[int]

    def columns(self) -> frozenset[int]:
        return self.tops | self.bottoms

    def is_upright(self) -> bool:
        """Tell whether the net needs no lane."""
        return len(self.columns()) == 1

    def meets(self, other: Net) -> bool:
        """Tell whether two nets would touch if they were in one lane."""
        mine, theirs = self.columns(), other.columns()
        return min(mine) <= max(theirs) + 1 and min(theirs) <= max(mine) + 1


def lanes_of(nets: list[Net]) -> list[int] | None:
    """Return the lane of each net, counted from the upper row; None if no order keeps the nets apart."""
    lanes = dict.fromkeys(range(len(nets)), 0)
    left = [number for number, net in enumerate(nets) if not net.is_upright()]
    before = {one: {other for other in left if other != one and nets[other].tops & nets[one].bottoms} for one in left}
    done: list[int] = []
    while left:
        free = [one for one in left if before[one] <= set(done)]
        if not free:
            return None
        chosen = min(free, key=lambda one: (_cost(nets, one, left), one))
        above = [lanes[other] for other in done if nets[chosen].meets(nets[other])]
        lanes[chosen] = max(above, default=-1) + 1
        left.remove(chosen)
        done.append(chosen)
    return [lanes[number] for number in range(len(nets))]


def crosses(nets: list[Net], lanes: list[int]) -> int:
    """Count where edges cross between two rows."""
    count = 0
    for number, net in enumerate(nets):
        if net.is_upright():
            continue
        for other, against in enumerate(nets):
            if other != number:
                is_above = against.is_upright() or lanes[number] < lanes[other]
                is_below = against.is_upright() or lanes[number] > lanes[other]
                columns = (against.tops if is_above else frozenset()) | (against.bottoms if is_below else frozenset())
                count += _within(net, columns)
    return count


def _cost(nets: list[Net], chosen: int, left: list[int]) -> int:
    """Return how many more crosses there are with a net above the others that are left than below them."""
    net = nets[chosen]
    return sum(_over(net, nets[other]) - _over(nets[other], net) for other in left if other != chosen)


def _over(upper: Net, lower: Net) -> int:
    """Count the crosses of two nets if one has the lane above the other's."""
    return _within(upper, lower.tops) + _within(lower, upper.bottoms)


def _within(net: Net, columns: frozenset[int]) -> int:
    least, most = min(net.columns()), max(net.columns())
    return sum(least < column < most for column in columns)
