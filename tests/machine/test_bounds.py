"""A machine that is huge, or was made to be, costs bounded time: a sentence instead of a picture."""

from __future__ import annotations

from pathlib import Path

import pytest

from rcs_hooks.drawing.listing import MOST_STEPS, as_text
from rcs_hooks.drawing.svg import svg, too_large
from rcs_hooks.machine.mermaid import read
from tests.runs.support import Project, with_section
from tests.support import least, processor
from tests.table import each_row

LONG = "the transitions pass too many other states to be drawn"


def diagram(*pairs: tuple[int, int]) -> str:
    return "stateDiagram-v2\n    [*] --> s0\n" + "".join(f"    s{one} --> s{other}\n" for one, other in pairs)


def chain(states: int) -> list[tuple[int, int]]:
    return [(number, number + 1) for number in range(states - 1)]


def skips(states: int) -> list[tuple[int, int]]:
    """A chain, and from its start to each state."""
    return [*chain(states), *((0, number) for number in range(2, states))]


@pytest.mark.slow
@each_row(
    ("pairs", "problem"),
    [
        (chain(400), None),
        (skips(80), None),
        (chain(401), "401 states are too many to be drawn"),
        (skips(400), LONG),
        ([(other, one) for one, other in skips(400)] + [(0, 399)], LONG),
    ],
)
def test_what_is_drawn_is_bounded(pairs: list[tuple[int, int]], problem: str | None) -> None:
    machine = read(diagram(*pairs), name="huge", file="")
    assert too_large(machine) == problem
    if problem is None:
        assert svg(machine).startswith("<svg")


@pytest.mark.slow
@pytest.mark.alone
def test_a_listing_is_bounded_and_takes_linear_time() -> None:
    machine = read(diagram(*chain(20_000)), name="huge", file="")
    lines = as_text(machine).splitlines()
    assert least(lambda: processor(lambda: as_text(machine)), 2) <= 2  # with a walk for each state it took minutes
    assert len(lines) == 1 + 2 * MOST_STEPS + 1
    assert lines[-1] == "and 19000 more steps; --json has all of them"


def test_the_command_says_why_there_is_no_picture(tmp_path: Path) -> None:
    project = Project(tmp_path)
    project.skill("huge", with_section(diagram(*chain(1_001)).partition("\n")[2]))
    done = project.rcs("machine", "show", "huge", "--svg")
    said = "rcs: huge: 1001 states are too many to be drawn; `rcs machine show huge` lists its steps\n"
    assert (done.returncode, done.stdout, done.stderr) == (1, "", said)
    assert project.rcs("machine", "show", "huge").stdout.endswith("and 1 more steps; --json has all of them\n")
