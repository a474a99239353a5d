"""Tasks as the dashboard shows them: their phase, and every way out with what opens or closes it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.support import run_rcs

if TYPE_CHECKING:
    from tests.dashboard.support import Board, Record


@pytest.fixture
def begun(board: Board) -> Board:
    ordered(board, "new", "login")
    return board


def ordered(board: Board, *words: str) -> None:
    """As a person does it."""
    done = run_rcs("task", *words, cwd=Path(board.root), env=board.project.env())
    assert done.returncode == 0, done.stderr


def task(board: Board) -> Record:
    found = board.get("/api/tasks")
    (one,) = found["tasks"]
    return dict(one)


def plan(board: Board) -> None:
    folder = board.project.root / ".rcs" / "tasks" / "login" / "planning"
    folder.mkdir(exist_ok=True)
    known = {
        "id": "login",
        "title": "Login",
        "brief": "x",
        "file_plan": [{"path": "a.py"}],
        "acceptance_criteria": ["it works"],
    }
    (folder / "planning.ai.json").write_text(json.dumps(known))


def test_a_task_that_has_begun(begun: Board) -> None:
    found = task(begun)
    assert (found["task_id"], found["root"], found["phase"], found["round"]) == ("login", begun.root, "planning", 1)
    assert (found["done"], found["problem"]) == (False, None)
    closed = next(gate for gate in found["gates"] if gate["to"] == "plan_review")
    assert (closed["open"], closed["suggested"]) == (False, False)
    assert closed["reasons"] == ["planning/planning.ai.json: missing"]


def test_a_task_that_cannot_be_read_says_so_and_needs_somebody(begun: Board) -> None:
    (begun.project.root / ".rcs" / "tasks" / "login" / "state.json").write_text("{")
    found = task(begun)
    assert (found["phase"], found["gates"]) == (None, [])
    assert found["problem"].startswith("state.json: not JSON")
    (need,) = begun.get("/api/attention")["failed"]
    assert (need["what"], need["id"], need["detail"]) == ("task", "login", found["problem"])


def test_a_task_that_waits_for_a_decision_needs_the_person_until_there_is_one(begun: Board) -> None:
    folder = begun.project.root / ".rcs" / "tasks" / "login"
    state = json.loads((folder / "state.json").read_text())
    (folder / "state.json").write_text(json.dumps(state | {"phase": "accept"}))
    (need,) = begun.get("/api/attention")["waiting"]
    assert (need["what"], need["id"], need["detail"]) == ("task", "login", "it waits for your decision")
    assert need["command"] == 'rcs task accept login --decision WORD --reason "WHY"'
    assert need["page"].endswith("#login")
    ordered(begun, "accept", "login", "--decision", "accepted", "--reason", "it is what I wanted")
    assert begun.get("/api/attention")["waiting"] == []


def test_a_decision_of_a_strangers_file_is_cleaned_and_bounded(begun: Board) -> None:
    folder = begun.project.root / ".rcs" / "tasks" / "login"
    (folder / "accept").mkdir()
    evil = {
        "decision": "accepted",
        "decided_by": "\x1b[2Jterminal",
        "decided_at": "soon",
        "reasons": ["x\x1b" * 500] * 99,
    }
    (folder / "accept" / "decision.json").write_text(json.dumps(evil))
    decision = task(begun)["decision"]
    assert (decision["by"], decision["at"], len(decision["reasons"])) == ("signed [2Jterminal", None, 10)
    assert max(map(len, decision["reasons"])) == 200
