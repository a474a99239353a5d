"""Every edge of the diagram has a guard, and every guard has an edge."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from rcs_hooks.machine import markdown, mermaid
from rcs_hooks.machine.source import Source
from rcs_hooks.machine.statement import EDGE
from rcs_hooks.tasks import diagram
from rcs_hooks.tasks.edges import EDGES, as_tried, forward, main_path
from rcs_hooks.tasks.guards.edge import always_open
from rcs_hooks.tasks.phases import COMMANDS, DONE, OUTPUTS, PHASES, START

ROOM = Path(diagram.LIFECYCLE).parent
TRIED = {
    "planning": ["plan_review"],
    "plan_review": ["planning", "planning", "codegen"],
    "codegen": ["planning", "plan_review", "review"],
    "review": ["planning", "codegen", "test"],
    "test": ["codegen", "accept"],
    "accept": ["revert", "planning", "review", "codegen", "done"],
    "revert": ["done"],
    "done": [],
}
"""Problem edges come before the way forward, so that contradictory artifacts send a task back."""
LOOPS = {("planning", "planning", "re-plan (redo)"), ("codegen", "codegen", "re-run codegen")}


def drawn() -> list[tuple[str, str, str | None]]:
    """Every edge of the diagram as drawn, including both of a pair that is drawn twice."""
    found = markdown.section(Path(diagram.LIFECYCLE).read_text(), diagram.LIFECYCLE)
    assert found
    said = [statement for _, statement in mermaid.statements(Source(found[0].split("\n"), diagram.LIFECYCLE))]
    return [(one, other, label) for kind, one, other, label in said if kind == EDGE]


def test_each_edge_has_its_guard_and_each_guard_its_edge() -> None:
    edges = [edge for edge in drawn() if edge[0] != START]
    assert len(edges) == 20
    guarded = [edge[:3] for edge in EDGES]
    assert Counter(edges) == Counter(guarded)
    assert edges == guarded, "in the order drawn, in which they are shown"
    assert {edge[:3] for edge in EDGES if edge.guard is always_open} == LOOPS


def test_the_machine_that_the_runs_are_told_of_has_the_same_pairs() -> None:
    machine = diagram.machine()
    assert machine
    assert {(one, other) for one, other, _ in machine.transitions} == {edge[:2] for edge in EDGES}
    assert len(machine.transitions) == 19
    assert (machine.initial, set(machine.states)) == (("planning",), set(PHASES))
    assert [state for state in machine.states if not machine.successors(state)] == [DONE]


def test_next_asks_every_edge_but_the_loops_once() -> None:
    tried = {phase: as_tried(phase) for phase in PHASES}
    assert Counter(edge[:3] for order in tried.values() for edge in order) == Counter(
        {edge[:3] for edge in EDGES} - LOOPS
    )
    assert all([edge.tried for edge in order] == [*range(1, len(order) + 1)] for order in tried.values())
    assert {phase: [edge.target for edge in order] for phase, order in tried.items()} == TRIED


def test_the_way_forward_is_tried_last() -> None:
    assert {phase: forward(phase) for phase in PHASES if phase != DONE} == {
        phase: targets[-1] for phase, targets in TRIED.items() if targets
    }
    assert main_path() == ["planning", "plan_review", "codegen", "review", "test", "accept", "done"]


def test_each_phase_but_the_last_has_a_command_and_outputs() -> None:
    assert set(COMMANDS) == set(OUTPUTS) == set(PHASES) - {DONE}


@pytest.mark.parametrize("command", [["list"], ["--help"], ["status", "--help"]], ids=" ".join)
def test_what_reads_no_artifact_does_not_load_their_forms(tmp_path: Path, command: list[str]) -> None:
    import subprocess
    import sys

    from tests.support import clean_env

    code = f"import sys; from rcs_hooks.cli.main import main; main(['task', *{command!r}]); print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path, env=clean_env(), check=True
    )
    assert "pydantic" not in done.stdout.splitlines()[-1].split()
