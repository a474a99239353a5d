"""A picture that would hold up everybody is not drawn, and says why."""

from __future__ import annotations

import pytest

from rcs_hooks.dashboard.graphs import diagram_in
from rcs_hooks.drawing.svg import MOST_STATES, MOST_TRANSITIONS


@pytest.mark.slow
@pytest.mark.parametrize(
    ("ways", "states", "problem"),
    [
        (300, 40, None),
        (MOST_TRANSITIONS - 1, 40, "the transitions pass too many other states to be drawn"),
        (MOST_TRANSITIONS + 100, 40, "900 transitions are too many to be drawn"),
        (MOST_STATES + 100, MOST_STATES + 100, "500 states are too many to be drawn"),
    ],
)
def test_a_picture_has_bounds(ways: int, states: int, problem: str | None) -> None:
    pairs = [(a, (a + step) % states) for step in range(1, states) for a in range(states)][:ways]
    lines = "\n".join(f"    s{a} --> s{b}" for a, b in pairs)
    drawn = diagram_in(f"stateDiagram-v2\n    [*] --> s0\n{lines}\n", "dense")
    assert drawn["problem"] == problem
    assert (drawn["svg"] is None) is (problem is not None)
