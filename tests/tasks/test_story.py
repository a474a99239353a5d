"""One task from its beginning to its end, with the commands that a person types."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from tests.tasks.rows import CLEAN_REVIEW, PATCH
from tests.tasks.support import Record, Task

PLAN: Record = {
    "id": "greeting",
    "title": "Greet whoever calls",
    "brief": "The program says hello.",
    "file_plan": [{"path": "src/greet.py", "intent": "create"}, {"path": "tests/test_greet.py"}],
    "acceptance_criteria": ["greet() says hello"],
    "blocking_questions": [{"id": "Q1", "text": "In which language?", "status": "open"}],
}
TEAM = {"id": "RiskPlanner", "ok": True, "severity": "none", "decision": "ok", "blocking_issues": []}
APPROVED: Record = {"ok": True, "blocked": False, "reviewers": [TEAM]}
REPORT: Record = {
    "status": "completed",
    "overall_pass": True,
    "suites": [
        {"id": "unit", "kind": "test", "overall_pass": True},
        {"id": "ruff", "kind": "lint", "overall_pass": True},
    ],
}


class Teller:
    """Types commands, and checks the phase that the task is in afterwards."""

    def __init__(self, task: Task, *, by_program: bool) -> None:
        self.task = task
        self.say = task.program if by_program else task
        self.times = 0

    def goes(self, command: str, phase: str, *options: str) -> str:
        done = self.say(command, *options)
        assert (done.status, done.err, self.task.phase) == (0, "", phase), done
        return done.out

    def stays(self, command: str, why: str, *options: str) -> None:
        before = self.task.state_bytes
        done = self.say(command, *options)
        assert (done.status, done.out, self.task.state_bytes) == (1, "", before), done
        assert why in done.err

    def writes_code(self, *, tests: bool = True) -> None:
        """Writes other code each time: the same changes would be refused once they were sent back."""
        self.times += 1
        files = ["src/greet.py", "tests/test_greet.py"][: 2 if tests else 1]
        for path in files:
            self.task.put(f"code/files/{path}", f"print('hello {self.times}')\n")
        patches = [PATCH.replace("src/a.py", path).replace("hello", f"hello {self.times}") for path in files]
        self.task.put("code/diff.patch", "".join(patches))

    def goes_on_to_acceptance(self) -> None:
        """Writes code that passes its review and its tests."""
        self.writes_code()
        self.goes("next", "review")
        for verdict, content, phase in (
            ("review/code-review.json", CLEAN_REVIEW, "test"),
            ("eval/eval-report.json", REPORT, "accept"),
        ):
            self.task.put(verdict, content)
            self.goes("next", phase)


@pytest.mark.parametrize("by_program", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_the_life_of_a_task(tmp_path: Path, by_program: bool) -> None:  # noqa: PLR0915 - a life is one
    task = Task(tmp_path, "greeting")
    tell = Teller(task, by_program=by_program)

    # It begins, and nobody can skip ahead.
    tell.goes("new", "planning")
    tell.stays("next", "planning/planning.ai.json: missing")
    tell.stays("test", "planning -> test is not a transition. A phase cannot be skipped.")

    # The plan has an open question; once answered, it goes to its reviewers.
    task.put("planning/planning.ai.json", PLAN)
    tell.stays("next", "blocking_questions: 1 open (Q1), need none")
    answered = PLAN | {"blocking_questions": [{"id": "Q1", "text": "In which language?", "status": "answered"}]}
    task.put("planning/planning.ai.json", answered)
    tell.goes("next", "plan_review")

    # They want changes: back to planning (T4). A second thought there is a second round (T2).
    tell.stays("codegen", "review/plan-review.json: missing")
    task.put("review/plan-review.json", {"ok": False, "blocked": False})
    tell.goes("next", "planning")
    tell.goes("redo", "planning")
    assert task.round("planning") == 3
    tell.goes("review plan", "plan_review")

    # The old verdict is gone. The new one is that a reviewer blocks it: back again (T5).
    tell.stays("codegen", "review/plan-review.json: missing")
    blocked = TEAM | {"ok": False, "severity": "blocking", "blocking_issues": ["it greets nobody"]}
    task.put("review/plan-review.json", APPROVED | {"reviewers": [blocked]})
    tell.stays("codegen", "RiskPlanner")
    tell.goes("plan", "planning")
    tell.goes("next", "plan_review")
    task.put("review/plan-review.json", APPROVED)
    tell.goes("next", "codegen")

    # The code leaves the plan: a scope mismatch, back to planning (T7).
    tell.writes_code()
    task.put("code/files/src/surprise.py", "x = 1\n")
    tell.goes("next", "planning")
    tell.goes("next", "plan_review")
    task.put("review/plan-review.json", APPROVED)
    tell.goes("next", "codegen")

    # A planned file is missing: the plan goes to its reviewers again (T8).
    (task.folder / "code/files/src/surprise.py").unlink()
    (task.folder / "code/files/tests/test_greet.py").unlink()
    tell.writes_code(tests=False)
    tell.goes("next", "plan_review")
    task.put("review/plan-review.json", APPROVED)
    tell.goes("next", "codegen")

    # Written once more from the start (T9), whole this time.
    tell.goes("redo", "codegen")
    tell.stays("review code", "code/diff.patch: missing")
    tell.writes_code()
    tell.goes("next", "review")

    # The review asks for changes (T11), then finds that the plan itself is wrong (T12).
    issue = {"id": "C1", "severity": "blocking", "path": "src/greet.py", "message": "greets twice"}
    task.put("review/code-review.json", {"ok": False, "decision": "needs_changes", "issues": [issue]})
    tell.stays("test", "issues: 1 blocking (C1 src/greet.py: greets twice), need 0")
    tell.goes("next", "codegen")
    tell.writes_code()
    tell.goes("next", "review")
    task.put("review/code-review.json", {"ok": False, "decision": "blocked", "issues": [issue | {"target": "plan"}]})
    tell.goes("next", "planning")
    tell.goes("next", "plan_review")
    task.put("review/plan-review.json", APPROVED)
    tell.goes("next", "codegen")
    tell.writes_code()
    tell.goes("next", "review")
    task.put("review/code-review.json", CLEAN_REVIEW)
    tell.goes("next", "test")

    # A test fails: back to the code (T14).
    tell.stays("next", "eval/eval-report.json: missing")
    task.put("eval/eval-report.json", REPORT | {"overall_pass": False})
    tell.goes("next", "codegen")

    # In a hurry, a person takes the risk, and says so.
    tell.writes_code()
    tell.goes("next", "review")
    tell.goes("next", "test", "--override", "I accept the risk of skipping review")
    task.put("eval/eval-report.json", REPORT)
    tell.goes("next", "accept")

    # Accepted? Not clear: look again (T17). Then further changes (T16). Then the trouble is upstream (T18).
    tell.goes("accept", "review", "--decision", "unclear", "--reason", "who reads this?")
    task.put("review/code-review.json", CLEAN_REVIEW)
    tell.goes("next", "test")
    task.put("eval/eval-report.json", REPORT)
    tell.goes("accept", "accept", "--decision", "needs_changes", "--reason", "say good morning")
    tell.goes("next", "codegen")
    tell.goes_on_to_acceptance()
    tell.goes("accept", "planning", "--decision", "upstream_problem", "--reason", "nobody wants greetings")

    # Planned again, all the way, and accepted.
    tell.goes("next", "plan_review")
    task.put("review/plan-review.json", APPROVED)
    tell.goes("next", "codegen")
    tell.goes_on_to_acceptance()
    tell.goes("accept", "done", "--decision", "accepted")
    tell.stays("next", "is done")

    # It broke the build after all: opened again at accept, taken back (T19), and done for good (T20).
    tell.goes("redo", "accept", "--phase", "accept")
    tell.goes("revert", "revert", "--reason", "it broke the build")
    tell.stays("next", "status: requested, need completed")
    task.put("revert/record.json", task.read("revert/record.json") | {"status": "completed"})
    tell.goes("next", "done")

    # All of it is on the record, each way once at least, and every step follows from the one before.
    moves = [line for line in task.transcript if line["kind"] != "refused"]
    assert all(before["to"] == after["from"] for before, after in pairwise(moves))
    assert moves[-1]["to"] == "done"
    assert {(line["from"], line["to"]) for line in moves} == {
        ("planning", "plan_review"), ("planning", "planning"), ("plan_review", "codegen"), ("plan_review", "planning"),
        ("codegen", "review"), ("codegen", "planning"), ("codegen", "plan_review"), ("codegen", "codegen"),
        ("review", "test"), ("review", "codegen"), ("review", "planning"), ("test", "accept"), ("test", "codegen"),
        ("accept", "done"), ("accept", "codegen"), ("accept", "review"), ("accept", "planning"), ("accept", "revert"),
        ("revert", "done"), ("done", "accept"), (None, "planning"),
    }  # fmt: skip
