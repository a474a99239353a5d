"""Small artifacts that are filled in: `rcs task schema NAME --example` shows them. Pure.

They belong to one task, which adds a greeting; a test holds that each has its form and opens its edge.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rcs_hooks.tasks import phases

if TYPE_CHECKING:
    from rcs_hooks.jsontext import JsonObject

AT = "2026-01-02T03:04:05.000Z"
EXAMPLES: dict[str, JsonObject] = {
    phases.PLAN: {
        "id": "greeting",
        "title": "Greet whoever calls",
        "brief": "greet() returns a greeting; the command line prints it.",
        "file_plan": [
            {"path": "src/greet.py", "intent": "create", "summary": "the function"},
            {"path": "tests/test_greet.py", "intent": "create", "summary": "its test"},
        ],
        "acceptance_criteria": ["greet('Ada') returns 'Hello, Ada'"],
        "blocking_questions": [{"id": "Q1", "text": "In which language?", "status": "answered"}],
    },
    phases.PLAN_FILES: {
        "files": [
            {"path": "src/greet.py", "intent": "create", "summary": "the function"},
            {"path": "tests/test_greet.py", "intent": "create"},
        ],
    },
    phases.PLAN_VERDICT: {
        "ok": True,
        "blocked": False,
        "reviewers": [{"id": "risk", "ok": True, "decision": "ok", "blocking_issues": []}],
    },
    phases.CODE_VERDICT: {
        "ok": True,
        "decision": "accepted",
        "issues": [
            {
                "id": "C1",
                "severity": "minor",
                "target": "code",
                "path": "src/greet.py",
                "message": "name is never empty",
            }
        ],
    },
    phases.REPORT: {
        "status": "completed",
        "overall_pass": True,
        "suites": [{"id": "pytest", "kind": "test", "overall_pass": True}],
    },
    phases.DECISION: {
        "decision": "needs_changes",
        "reasons": ["the greeting has no name in it"],
        "regression_found": False,
        "decided_by": "terminal",
        "decided_at": AT,
    },
    phases.REVERT_RECORD: {"reason": "it broke the build", "status": "completed", "by": "terminal", "at": AT},
}
"""For each JSON artifact, its path and its content. The decision is none that accepts, as that is the person's."""
