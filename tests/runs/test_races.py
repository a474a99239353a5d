"""Many emits at once, and emits that are killed: nothing is lost, nothing is half."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from rcs_hooks.runs.sqlite_store import open_readwrite
from tests.runs.support import RCS, Project, with_section

PROCESSES, EACH = 24, 100

CALLS = """
import json, os, sys, time
from rcs_hooks.environment import Environment
from rcs_hooks.runs.emit import emit
number, each = int(sys.argv[1]), int(sys.argv[2])
environment = lambda: Environment(os.environ, os.getcwd(), time.time())
sys.stdin.read()
for count in range(each):
    run = f"r{(number + count) % 8}"
    emit({"type": "status_change", "workflow": "build", "run_id": run, "step": "requirements",
          "unit": f"p{number}", "data": {"status": "running", "count": count}}, environment())
print(each)
"""


def at_once(project: Project, commands: list[list[str]]) -> list[tuple[int, str, str]]:
    """Start all commands, let them run at once, and return status, output and errors of each."""
    children = [
        subprocess.Popen(
            command, cwd=project.root, env=project.env(), text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )
        for command in commands
    ]  # fmt: skip
    for child in children:
        assert child.stdin
        child.stdin.close()
        child.stdin = None
    return [(*_said(child),) for child in children]


def _said(child: subprocess.Popen[str]) -> tuple[int, str, str]:
    out, err = child.communicate(timeout=300)
    return child.returncode, out, err


@pytest.mark.slow
def test_24_processes_lose_none_of_2400_events(project: Project) -> None:
    commands = [[sys.executable, "-c", CALLS, str(number), str(EACH)] for number in range(PROCESSES)]
    assert at_once(project, commands) == [(0, f"{EACH}\n", "")] * PROCESSES
    assert project.query("SELECT count(*), max(id) FROM events") == [(PROCESSES * EACH, PROCESSES * EACH)]
    sent = {(f"p{number}", count) for number in range(PROCESSES) for count in range(EACH)}
    stored = {(unit, json.loads(data)["count"]) for unit, data in project.query("SELECT unit, data FROM events")}
    assert stored == sent
    for run, events in project.query("SELECT id, events FROM runs"):
        sequences = [seq for (seq,) in project.query("SELECT seq FROM events WHERE run = ? ORDER BY id", run)]
        assert sequences == list(range(1, events + 1))


@pytest.mark.slow
@pytest.mark.parametrize("number", range(2))
@pytest.mark.parametrize(
    ("way", "steps"), [((), ("x", "y")), (("x", "z"), ("x", "end"))], ids=["starts", "loop or end"]
)
def test_of_two_steps_that_exclude_each_other_exactly_one_wins(
    project: Project, way: tuple[str, ...], steps: tuple[str, str], number: int
) -> None:
    project.skill("either", with_section("    [*] --> x\n    [*] --> y\n    x --> z\n    z --> x\n    z --> end\n"))
    for step in way:
        project.emit(step, "completed", workflow="either")
    done = at_once(
        project, [[*RCS, *project.command(step, workflow="either")] for step in steps[:: 1 if number % 2 else -1]]
    )
    assert sorted(status for status, *_ in done) == [0, 1]
    (lost,) = (err for status, _, err in done if status)
    assert lost.startswith("Error: Invalid transition from '")
    assert len(project.events()) == len(way) + 1


@pytest.mark.slow
def test_processes_that_open_a_database_while_it_is_created_accept_it(tmp_path: Path) -> None:
    def come(path: str, gate: threading.Barrier) -> None:
        gate.wait()
        open_readwrite(path).close()

    with ThreadPoolExecutor(8) as pool:
        for number in range(150):
            gate = threading.Barrier(8)
            comers = [pool.submit(come, str(tmp_path / f"{number}.db"), gate) for _ in range(8)]
            for comer in comers:
                comer.result()
