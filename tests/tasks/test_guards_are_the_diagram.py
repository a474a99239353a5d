"""The guards stand at the edges of the diagram: neither has one that the other lacks. And the rules are pure."""

from __future__ import annotations

import ast
from collections import Counter
from pathlib import Path

import pytest

from rcs_hooks.machine import markdown, mermaid
from rcs_hooks.machine.faults import Source
from rcs_hooks.machine.statement import EDGE
from rcs_hooks.tasks import flow, run
from rcs_hooks.tasks.guards import GUARDS
from rcs_hooks.tasks.phases import COMMANDS, DONE, OUTPUTS, PHASES, START
from tests.test_layers import IMPURE, imports_of

ROOM = Path(run.LIFECYCLE).parent
LOOPS = {("planning", "planning", "re-plan (redo)"), ("codegen", "codegen", "re-run codegen")}


def drawn() -> list[tuple[str, str, str | None]]:
    """Every edge of the diagram as the reader finds it, double pairs too."""
    found = markdown.section(Path(run.LIFECYCLE).read_text(), run.LIFECYCLE)
    assert found
    said = [statement for _, statement in mermaid.statements(Source(found[0].split("\n"), run.LIFECYCLE))]
    return [(one, other, label) for kind, one, other, label in said if kind == EDGE]


def test_each_edge_has_its_guard_and_each_guard_its_edge() -> None:
    edges = [edge for edge in drawn() if edge[0] != START]
    assert len(edges) == 20
    assert Counter(edges) == Counter(list(GUARDS))
    assert edges == list(GUARDS), "in the order drawn, in which they are shown"


def test_the_machine_that_the_runs_are_told_of_has_the_same_pairs() -> None:
    machine = run.machine()
    assert {(one, other) for one, other, _ in machine.transitions} == {edge[:2] for edge in GUARDS}
    assert len(machine.transitions) == 19
    assert (machine.initial, set(machine.states)) == (("planning",), set(PHASES))
    assert [state for state in machine.states if not machine.successors(state)] == [DONE]


def test_next_asks_every_edge_but_the_loops_once() -> None:
    asked = [edge for order in flow.NEXT_ORDER.values() for edge in order]
    assert Counter(asked) == Counter(set(GUARDS) - LOOPS)
    assert all(order[-1][1] == flow.FORWARD[phase] for phase, order in flow.NEXT_ORDER.items()), "the happy one last"


def test_each_phase_but_the_last_has_a_command_and_outputs() -> None:
    assert set(COMMANDS) == set(OUTPUTS) == set(PHASES) - {DONE}


PURE = ["failure", "fixes", "flow", "guards", "messages", "phases", "plan", "scope", "state", "verdict"]


@pytest.mark.parametrize("name", PURE)
def test_a_file_of_rules_is_pure(name: str) -> None:
    path = ROOM / f"{name}.py"
    assert not {found.split(".")[0] for found in imports_of(path)} & IMPURE
    calls = {node.id for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Name)}
    assert not calls & {"open", "print", "input"}


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
