"""The smallest artifacts that open each edge: the phase, where it leads, and which files are there."""

from __future__ import annotations

from typing import Any, NamedTuple

from tests.tasks.paths import CODE, CODE_REVIEW, DECISION, DIFF, FILES, PLAN, PLAN_REVIEW, REPORT, REVERT
from tests.tasks.support import Record, Task

WHOLE_PLAN: Record = {
    "id": "greeting",
    "title": "Add a greeting",
    "brief": "It greets.",
    "file_plan": [{"path": "src/a.py"}],
    "acceptance_criteria": ["it greets"],
}
PATCH = "--- a/src/a.py\n+++ b/src/a.py\n@@ -1 +1 @@\n-pass\n+print('hello')\n"
CODE_FILES: Record = {DIFF: PATCH, CODE: "print('hello')\n"}
CLEAN_REVIEW: Record = {"ok": True, "decision": "accepted", "issues": []}
PASSED: Record = {
    "status": "completed", "overall_pass": True, "suites": [{"id": "unit", "kind": "test", "overall_pass": True}]
}  # fmt: skip


class Row(NamedTuple):
    source: str
    target: str
    artifacts: Record
    command: str = ""

    def on(self, task: Task, **changed: Any) -> Task:
        return task.at(self.source, self.artifacts | changed)


ROWS = {
    "T1": Row("planning", "plan_review", {PLAN: {"file_plan": [{"path": "src/a.py"}]}}, "review plan"),
    "T2": Row("planning", "planning", {}, "redo"),
    "T3": Row("plan_review", "codegen", {PLAN_REVIEW: {"ok": True, "blocked": False}}, "codegen"),
    "T4": Row("plan_review", "planning", {PLAN: WHOLE_PLAN, PLAN_REVIEW: {"ok": False, "blocked": False}}, "plan"),
    "T5": Row("plan_review", "planning", {PLAN: WHOLE_PLAN, PLAN_REVIEW: {"ok": False, "blocked": True}}, "plan"),
    "T6": Row("codegen", "review", {PLAN: WHOLE_PLAN, **CODE_FILES}, "review code"),
    "T7": Row("codegen", "planning", {PLAN: WHOLE_PLAN, **CODE_FILES, "code/files/b.py": "x = 1\n"}, "plan"),
    "T8": Row(
        "codegen",
        "plan_review",
        {PLAN: WHOLE_PLAN | {"file_plan": [{"path": "src/a.py"}, {"path": "src/b.py"}]}, **CODE_FILES},
        "review plan",
    ),
    "T9": Row("codegen", "codegen", {}, "redo"),
    "T10": Row("review", "test", {CODE_REVIEW: CLEAN_REVIEW}, "test"),
    "T11": Row("review", "codegen", {CODE_REVIEW: CLEAN_REVIEW | {"decision": "needs_changes"}}, "codegen"),
    "T12": Row(
        "review",
        "planning",
        {CODE_REVIEW: CLEAN_REVIEW | {"issues": [{"id": "C1", "severity": "major", "target": "plan"}]}},
        "plan",
    ),
    "T13": Row("test", "accept", {REPORT: PASSED}, "accept"),
    "T14": Row("test", "codegen", {REPORT: PASSED | {"overall_pass": False}}, "codegen"),
    "T15": Row("accept", "done", {DECISION: {"decision": "accepted"}}, "next"),
    "T16": Row("accept", "codegen", {DECISION: {"decision": "needs_changes"}}, "codegen"),
    "T17": Row("accept", "review", {DECISION: {"decision": "unclear"}}, "review code"),
    "T18": Row("accept", "planning", {DECISION: {"decision": "upstream_problem"}}, "plan"),
    "T19": Row("accept", "revert", {DECISION: {"decision": "revert"}}, "revert"),
    "T20": Row("revert", "done", {REVERT: {"reason": "it broke the build", "status": "completed"}}, "next"),
}

WHOLE_TASK: Record = {
    PLAN: WHOLE_PLAN,
    FILES: {"files": ["src/a.py"]},
    PLAN_REVIEW: {"ok": True, "blocked": False},
    **CODE_FILES,
    CODE_REVIEW: CLEAN_REVIEW,
    REPORT: PASSED,
    DECISION: {"decision": "accepted"},
    REVERT: {"reason": "it broke the build", "status": "completed"},
}
"""Every artifact, as good as it can be: they open every edge that leads forward."""
