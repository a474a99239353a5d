"""Tasks as the server says them."""

from __future__ import annotations

import json
from typing import Any

from rcs_hooks.dashboard.tasks import lifecycle

BLOCKED = "review/code-review.json: issues: 1 blocking (C2 src/a.py: <b>no</b> check), need 0"
ACCEPTED = {
    "decision": "accepted", "by": "by an agent", "at": "2026-01-12T09:30:00.000Z", "reasons": ["<i>good</i> enough"],
}  # fmt: skip
UNPLANNED = (
    "planning/planning.ai.json: blocking_questions: 2 open (Q1, Q3), need none",
    "planning/plan.files.json: missing",
)

STALE = {"verdict": "stale", "says": "stale: files have changed since `pytest -q` passed"}


def _gate(to: str, label: str, is_open: bool, *reasons: str, suggested: bool = False) -> dict[str, Any]:
    return {"to": to, "label": label, "open": is_open, "reasons": list(reasons), "suggested": suggested}


def _task(name: str, phase: str | None, root: str, gates: list[dict[str, Any]], **more: Any) -> dict[str, Any]:
    return {
        "task_id": name, "root": root, "phase": phase, "round": 1, "done": phase == "done", "gates": gates,
        "created_at": "2026-01-10T08:00:00.000Z", "updated_at": "2026-01-12T09:30:00.000Z", "problem": None,
        "why": [], "proof": None, "decision": None,
    } | more  # fmt: skip


def tasks(root: str) -> str:
    """The body of an answer of `/api/tasks`."""
    listed = [
        _task("login", "review", root, [
            _gate("test", "review passes", False, BLOCKED),
            _gate("codegen", "code changes", True, "1 blocking issue of the code (C2)", suggested=True),
            _gate("planning", "plan flawed", False, "review/code-review.json: no issue targets the plan"),
        ], round=2, why=["C1 src/a.py: <b>no</b> limit", "unit: failed"]),
        _task("report-export", "planning", root, [
            _gate("plan_review", "succeeded", False, *UNPLANNED),
            _gate("planning", "re-plan", True),
        ]),
        _task("billing", "done", root, [], decision=ACCEPTED, proof=STALE),
        _task("broken", None, root, [], round=None, problem="state.json: not JSON (line 3 column 1)"),
    ]  # fmt: skip
    return json.dumps({"tasks": listed, "state": "00000000"} | lifecycle())
