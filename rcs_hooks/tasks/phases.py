"""The phases in their order, what a person types for each, and the files of a task. Pure."""

from __future__ import annotations

PHASES = PLANNING, PLAN_REVIEW, CODEGEN, REVIEW, TEST, ACCEPT, REVERT, DONE = (
    "planning", "plan_review", "codegen", "review", "test", "accept", "revert", "done",
)  # fmt: skip
START = "[*]"

COMMANDS = {
    PLANNING: "plan",
    PLAN_REVIEW: "review plan",
    CODEGEN: "codegen",
    REVIEW: "review code",
    TEST: "test",
    ACCEPT: "accept",
    REVERT: "revert",
}
"""What is typed to enter a phase; there is none for done."""

STATE_FILE, TRANSCRIPT, HISTORY = "state.json", "transcript.jsonl", "history"
PLAN, PLAN_FILES = "planning/planning.ai.json", "planning/plan.files.json"
PLAN_VERDICT = "review/plan-review.json"
DIFF, CODE, CODE_FILES = "code/diff.patch", "code/", "code/files"
CODE_VERDICT = "review/code-review.json"
REPORT = "eval/eval-report.json"
DECISION = "accept/decision.json"
RECORD = "revert/record.json"

OUTPUTS = {
    PLANNING: (PLAN, PLAN_FILES),
    PLAN_REVIEW: (PLAN_VERDICT,),
    CODEGEN: (DIFF, CODE_FILES),
    REVIEW: (CODE_VERDICT,),
    TEST: (REPORT,),
    ACCEPT: (DECISION,),
    REVERT: (RECORD,),
}
KEPT = (PLAN, PLAN_FILES, CODE_FILES)
"""Edited in place from round to round: a copy is put aside, while verdicts and the diff are moved."""

SCHEMAS = {
    "planning.ai": PLAN,
    "plan.files": PLAN_FILES,
    "plan-review": PLAN_VERDICT,
    "code-review": CODE_VERDICT,
    "eval-report": REPORT,
    "decision": DECISION,
    "record": RECORD,
}
"""What an artifact is called where its form is asked for."""
NAMES = {path: name for name, path in SCHEMAS.items()}


def is_back(source: str, target: str) -> bool:
    """Whether this leads to an earlier phase, or into the same once more."""
    return PHASES.index(target) <= PHASES.index(source)


def later(phase: str) -> tuple[str, ...]:
    """The phases that come after it."""
    return PHASES[PHASES.index(phase) + 1 :]
