"""Tasks as the dashboard shows them: their phase, and every way out with what opens or closes it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.dashboard.support import Board, Record
from tests.support import run_rcs
from tests.tasks.support import PHASES


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


def test_the_page_is_told_the_phases_and_the_path_through_them(board: Board) -> None:
    found = board.get("/api/tasks")
    assert found["phases"] == list(PHASES)
    assert found["path"] == [phase for phase in PHASES if phase != "revert"]


def test_an_open_gate_is_suggested(begun: Board) -> None:
    plan(begun)
    gates = {gate["to"]: gate for gate in task(begun)["gates"]}
    assert (gates["plan_review"]["open"], gates["plan_review"]["suggested"]) == (True, True)
    ordered(begun, "next", "login")
    assert task(begun)["phase"] == "plan_review"


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


def test_no_page_says_that_a_task_with_its_decision_waits_for_it(begun: Board) -> None:
    path = begun.project.root / ".rcs" / "tasks" / "login" / "state.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"phase": "accept"}))
    told = [each["state"] for each in begun.get("/api/all")["entries"]]
    assert (told, [each["name"] for each in begun.get("/api/overview")["waiting"]]) == (["waiting"], ["login"])
    decided(begun, "needs_changes")
    assert [gate["to"] for gate in task(begun)["gates"] if gate["suggested"]] == ["codegen"]
    assert begun.get("/api/attention")["waiting"] == []
    assert [each["state"] for each in begun.get("/api/all")["entries"]] == ["open"]
    found = begun.get("/api/overview")
    assert ([each["name"] for each in found["waiting"]], [each["name"] for each in found["tasks"]]) == ([], ["login"])
    decided(begun, "deferred")
    assert [each["state"] for each in begun.get("/api/all")["entries"]] == ["waiting"]
    assert [each["name"] for each in begun.get("/api/overview")["waiting"]] == ["login"]


def decided(board: Board, word: str) -> None:
    """Write a decision that has not moved the task yet."""
    folder = board.project.root / ".rcs" / "tasks" / "login" / "accept"
    folder.mkdir(exist_ok=True)
    (folder / "decision.json").write_text(json.dumps({"decision": word, "reasons": ["the limit is missing"]}))


def test_a_change_of_a_task_changes_the_version(begun: Board) -> None:
    before = begun.get("/api/tasks")["state"]
    plan(begun)
    assert begun.get("/api/tasks")["state"] != before


def test_a_decision_is_shown_with_who_gave_it(begun: Board) -> None:
    assert task(begun)["decision"] is None
    folder = begun.project.root / ".rcs" / "tasks" / "login"
    state = json.loads((folder / "state.json").read_text())
    (folder / "state.json").write_text(json.dumps(state | {"phase": "accept"}))
    ordered(begun, "accept", "login", "--decision", "accepted", "--reason", "it is what I wanted")
    found = task(begun)
    at = json.loads((folder / "accept" / "decision.json").read_text())["decided_at"]
    assert (found["done"], found["decision"]) == (
        True, {"decision": "accepted", "by": "by a script", "at": at, "reasons": ["it is what I wanted"]}
    )  # fmt: skip


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


def test_what_sent_a_task_back_and_what_waived_its_acceptance_are_shown(begun: Board) -> None:
    ordered(begun, "next", "login", "--override", "no time for a plan")
    assert task(begun)["why"] == []
    ordered(begun, "next", "login", "--override", "plan it after all", "--to", "planning")
    assert task(begun)["why"] == ["override: plan it after all (by a script)"]
    folder = begun.project.root / ".rcs" / "tasks" / "login"
    state = json.loads((folder / "state.json").read_text())
    (folder / "state.json").write_text(json.dumps(state | {"phase": "accept"}))
    ordered(begun, "next", "login", "--override", "good enough")
    found = task(begun)
    assert (found["done"], found["decision"], found["why"]) == (
        True, None, ["override: good enough (by a script)"]
    )  # fmt: skip


def test_a_task_at_acceptance_says_whether_it_is_proven(begun: Board) -> None:
    assert task(begun)["proof"] is None
    path = begun.project.root / ".rcs" / "tasks" / "login" / "state.json"
    proof = {"command": "pytest -q", "exit": 0, "tree": "git:00", "at": "now", "state": "stale", "judged_at": "now"}
    path.write_text(json.dumps(json.loads(path.read_text()) | {"phase": "accept", "proof": proof}))
    says = "stale: files have changed since `pytest -q` passed"
    assert task(begun)["proof"] == {"verdict": "stale", "says": says}


@pytest.mark.parametrize(
    "proof", [7, None, [], {"state": "proven"}, {"command": "\x1b[2J`x`" * 999, "exit": 0}], ids=type
)
def test_a_verdict_of_a_strangers_file_is_cleaned_and_bounded(begun: Board, proof: object) -> None:
    path = begun.project.root / ".rcs" / "tasks" / "login" / "state.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"phase": "done", "proof": proof}))
    found = task(begun)["proof"]
    assert found["verdict"] == "unproven"
    assert len(found["says"]) < 200
    assert found["says"].isprintable()
