"""The diagram that ships is the one of the contract, and the program knows exactly its edges."""

from __future__ import annotations

import re
from pathlib import Path

import rcs_hooks
from tests.table import each_row
from tests.tasks.support import DRAWN, PHASES, Task

LIFECYCLE = Path(rcs_hooks.__file__).parent / "tasks" / "lifecycle.md"
EDGE = re.compile(r"^ *(\S+) --> (\w+)(?:: (.+))?$", re.MULTILINE)

CONTRACT = [
    ("[*]", "planning", ""),
    ("planning", "plan_review", "planning succeeded"),
    ("planning", "planning", "re-plan (redo)"),
    ("plan_review", "codegen", "review ok"),
    ("plan_review", "planning", "review needs changes"),
    ("plan_review", "planning", "review blocked"),
    ("codegen", "review", "codegen completed"),
    ("codegen", "planning", "scope mismatch"),
    ("codegen", "plan_review", "plan unclear"),
    ("codegen", "codegen", "re-run codegen"),
    ("review", "test", "review passes"),
    ("review", "codegen", "needs code changes"),
    ("review", "planning", "plan flawed"),
    ("test", "accept", "tests complete"),
    ("test", "codegen", "test failures"),
    ("accept", "done", "accepted"),
    ("accept", "codegen", "requires further changes"),
    ("accept", "review", "unclear / needs review"),
    ("accept", "planning", "upstream problem"),
    ("accept", "revert", "revert requested"),
    ("revert", "done", ""),
]


def test_the_diagram_is_the_contract_s() -> None:
    assert EDGE.findall(LIFECYCLE.read_text()) == CONTRACT


def test_its_fence_is_closed() -> None:
    lines = LIFECYCLE.read_text().splitlines()
    assert [line for line in lines if line.startswith("```")] == ["```mermaid", "```"]


@each_row("phase", PHASES)
def test_the_ways_out_of_a_phase_are_those_that_are_drawn(task: Task, phase: str) -> None:
    task.at(phase)
    ways = [edge["to"] for edge in task("status", "--json").json["edges"]]
    assert ways == list(DRAWN[phase])
    drawn = [target for source, target, _ in CONTRACT if source == phase]
    assert list(dict.fromkeys(drawn)) == ways
