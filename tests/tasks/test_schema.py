"""`rcs task schema NAME` says how to write an artifact, and a refusal says which field is wrong."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator  # type: ignore[import-untyped]  # it has no types

from tests.table import each_row
from tests.tasks.paths import CODE_REVIEW, DECISION, FILES, PLAN, PLAN_REVIEW, REPORT, REVERT
from tests.tasks.rows import CLEAN_REVIEW, PASSED, ROWS, WHOLE_PLAN
from tests.tasks.support import Record, Task, in_process

NAMES = {
    "planning.ai": PLAN,
    "plan.files": FILES,
    "plan-review": PLAN_REVIEW,
    "code-review": CODE_REVIEW,
    "eval-report": REPORT,
    "decision": DECISION,
    "record": REVERT,
}
"""The name of a schema is that of its file, without the ending."""
SMALLEST: dict[str, list[Record]] = {
    "planning.ai": [
        WHOLE_PLAN,
        {"id": "p", "title": "t", "brief": "b", "file_plan": []},
    ],
    "plan.files": [{"files": ["src/a.py"]}, {"files": [{"path": "src/a.py", "intent": "create", "summary": "s"}]}],
    "plan-review": [{"ok": True, "blocked": False}],
    "code-review": [CLEAN_REVIEW],
    "eval-report": [PASSED, {"status": "running", "suites": []}],
    "decision": [{"decision": "accepted"}, {"decision": "deferred"}],
    "record": [{"reason": "it broke", "status": "requested"}],
}


def validator(name: str, folder: Path) -> Any:
    done = in_process(folder, "task", "schema", name)
    assert (done.status, done.err) == (0, "")
    schema = json.loads(done.out)
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(schema)


@each_row("name", NAMES)
def test_a_schema_is_one_and_takes_the_smallest_artifact(tmp_path: Path, name: str) -> None:
    schema = validator(name, tmp_path)
    for artifact in SMALLEST[name]:
        schema.validate(artifact)
    assert not schema.is_valid([])
    assert not schema.is_valid("text")
    assert list(tmp_path.iterdir()) == [], "a schema is shown, not written"


@each_row("name", NAMES)
def test_a_schema_needs_no_workspace_and_names_its_file(tmp_path: Path, name: str) -> None:
    assert NAMES[name] in in_process(tmp_path, "task", "schema", name).out


def test_an_unknown_schema_is_refused_with_those_that_are(tmp_path: Path) -> None:
    done = in_process(tmp_path, "task", "schema", "nothing")
    assert done.status in (1, 2)
    assert done.out == ""
    assert all(name in done.err for name in NAMES)


def issues(**of_one: object) -> Record:
    fine = {"id": "C1", "severity": "minor", "message": "m"}
    return CLEAN_REVIEW | {"issues": [fine, {**fine, **of_one}]}


def suites(**of_one: object) -> Record:
    return PASSED | {"suites": [{"id": "unit", "kind": "test", "overall_pass": True} | of_one]}


WRONG: dict[str, tuple[str, str, Record, str]] = {
    "a path that is a number": ("T1", "planning.ai", {"file_plan": [{"path": 7}]}, "file_plan[0].path: 7"),
    "a plan's files that are no list": ("T1", "planning.ai", {"file_plan": "src/a.py"}, "file_plan: 'src/a.py'"),
    "a question that is a number": (
        "T1",
        "planning.ai",
        {"file_plan": [{"path": "a"}], "blocking_questions": [7]},
        "blocking_questions[0]: 7",
    ),
    "files that are a number": ("T1", "plan.files", {"files": 7}, "files: 7"),
    "a file without a path": ("T1", "plan.files", {"files": [{"intent": "create"}]}, "files[0].path: missing"),
    "an intent that is none": (
        "T1",
        "plan.files",
        {"files": [{"path": "a", "intent": "paint"}]},
        "files[0].intent: paint",
    ),
    "an ok that is a word": ("T3", "plan-review", {"ok": "yes", "blocked": False}, "ok: yes"),
    "an ok that is a number": ("T3", "plan-review", {"ok": 1, "blocked": False}, "ok: 1"),
    "a reviewer that is a word": ("T3", "plan-review", {"ok": True, "reviewers": ["me"]}, "reviewers[0]: me"),
    "issues of a reviewer that are a word": (
        "T3",
        "plan-review",
        {"ok": True, "reviewers": [{"id": "r", "blocking_issues": "no"}]},
        "reviewers[0].blocking_issues: no",
    ),
    "a severity that is none": ("T10", "code-review", issues(severity="awful"), "issues[1].severity: awful"),
    "a target that is none": ("T10", "code-review", issues(target="moon"), "issues[1].target: moon"),
    "a review that decides nothing": ("T10", "code-review", {"ok": True, "issues": []}, "decision: missing"),
    "a status that is none": ("T13", "eval-report", PASSED | {"status": "done"}, "status: done"),
    "a kind that is none": ("T13", "eval-report", suites(kind="vibes"), "suites[0].kind: vibes"),
    "a pass that is a word": ("T13", "eval-report", suites(overall_pass="yes"), "suites[0].overall_pass: yes"),
    "a decision that is none": ("T15", "decision", {"decision": "maybe"}, "decision: maybe"),
    "reasons that are a word": ("T15", "decision", {"decision": "accepted", "reasons": "so"}, "reasons: so"),
    "a regression that is a word": (
        "T15",
        "decision",
        {"decision": "accepted", "regression_found": "no"},
        "regression_found: no",
    ),
    "a reason that is a list": ("T20", "record", {"reason": ["r"], "status": "completed"}, "reason: a list"),
}


@each_row("name", WRONG)
def test_what_does_not_validate_is_refused_with_the_path_of_the_field(task: Task, name: str) -> None:
    of, which, artifact, words = WRONG[name]
    row = ROWS[of]
    row.on(task, **{NAMES[which]: artifact})
    before = task.state_bytes
    done = task(row.command)
    assert (done.status, done.out, task.state_bytes) == (1, "", before)
    assert f"  - {NAMES[which]}: {words}" in done.err
    assert f"rcs task schema {which}" in done.err
    told = task(row.command, "--json").json["failed"]
    assert words.split(": ")[0] in [each["field"] for each in told]


@each_row("name", [name for name in WRONG if name != "a plan's files that are no list"])
def test_the_schema_refuses_the_same(task: Task, name: str) -> None:
    _, which, artifact, _ = WRONG[name]
    assert not validator(which, task.root).is_valid(artifact)


def test_a_refused_artifact_is_not_half_read(task: Task) -> None:
    """Its blocking issue would send the task back, but an artifact with a fault counts for nothing."""
    review = {"ok": True, "decision": "accepted", "issues": [
        {"id": "C1", "severity": "blocking", "target": "plan", "message": "m"}, {"id": "C2", "severity": "awful"}
    ]}  # fmt: skip
    task.at("review", {PLAN: WHOLE_PLAN, CODE_REVIEW: review})
    for command in ("next", "plan", "codegen", "test"):
        done = task(command)
        assert (done.status, task.phase) == (1, "review")
        assert "issues[1].severity: awful" in done.err
        assert "no issue targets the plan" not in done.err
