"""The lanes between two rows: no two wires share a part of a line, and few cross."""

from __future__ import annotations

from itertools import combinations, pairwise

from hypothesis import given
from hypothesis import strategies as st

from rcs_hooks.drawing.canvas import JOINTS
from rcs_hooks.drawing.channels import Lanes, Wire
from tests.drawing.following import DOWN, LEFT, RIGHT, UP, arms
from tests.properties import examples
from tests.table import each_row

Step = tuple[tuple[int, int], tuple[int, int]]


def steps(lanes: Lanes, wire: Wire) -> set[Step]:
    """Every step from one cell to the next one that a wire takes."""
    at, line = wire.top, -1
    corners = [(line, at)]
    for lane, to in lanes.bends(wire):
        corners += [(lane, at), (lane, to)]
        at = to
    corners.append((lanes.count, at))
    found: set[Step] = set()
    for (top, left), (bottom, right) in pairwise(corners):
        if top == bottom:
            found |= {((top, column), (top, column + 1)) for column in range(min(left, right), max(left, right))}
        else:
            assert left == right
            found |= {((below, left), (below + 1, left)) for below in range(top, bottom)}
    return found


@st.composite
def wires(draw: st.DrawFn) -> list[Wire]:
    count = draw(st.integers(1, 8))
    columns = st.lists(st.integers(0, 14), min_size=count, max_size=count, unique=True)
    return [Wire(2 * top, 2 * bottom) for top, bottom in zip(draw(columns), draw(columns), strict=True)]


@given(wires())
@examples(500)
def test_no_two_wires_share_a_part_of_a_line(given_: list[Wire]) -> None:
    lanes = Lanes(given_)
    if lanes.is_possible:
        for one, other in combinations(given_, 2):
            assert not steps(lanes, one) & steps(lanes, other)


@each_row(
    "given_, bends, crosses",
    [
        ([(3, 3)], [[]], 0),
        ([(2, 6)], [[(0, 6)]], 0),
        ([(2, 6), (10, 14)], [[(0, 6)], [(0, 14)]], 0),
        ([(2, 10), (6, 14)], [[(1, 10)], [(0, 14)]], 0),
        ([(10, 2), (14, 6)], [[(0, 2)], [(1, 6)]], 0),
        ([(2, 6), (6, 10)], [[(1, 6)], [(0, 10)]], 0),
        ([(2, 6), (4, 4)], [[(0, 6)], []], 1),
        ([(2, 8), (8, 2)], [[(0, 5), (2, 8)], [(1, 2)]], 1),
    ],
    ids=["upright", "one", "apart", "to the right", "to the left", "below each other", "across", "in turn"],
)
def test_each_wire_has_its_lane(
    given_: list[tuple[int, int]], bends: list[list[tuple[int, int]]], crosses: int
) -> None:
    known = [Wire(*pair) for pair in given_]
    lanes = Lanes(known)
    assert lanes.is_possible
    assert [lanes.bends(wire) for wire in known] == bends
    assert lanes.crosses() == crosses


def test_two_that_wait_for_each_other_without_a_free_column_have_no_lanes() -> None:
    assert not Lanes([Wire(2, 3), Wire(3, 2)]).is_possible


def test_a_joint_has_the_directions_that_its_place_says() -> None:
    for number, char in enumerate(JOINTS):
        weights = (number // 27, number // 9 % 3, number // 3 % 3, number % 3)
        assert arms(char) == {way for way, weight in zip((UP, DOWN, LEFT, RIGHT), weights, strict=True) if weight}
