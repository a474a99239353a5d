"""`rcs task schema NAME` says how to write an artifact, an example opens its edge, and a refusal names the field."""

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
    "planning.ai": PLAN, "plan.files": FILES, "plan-review": PLAN_REVIEW, "code-review": CODE_REVIEW,
    "eval-report": REPORT, "decision": DECISION, "record": REVERT,
}  # fmt: skip
"""The name of a schema is that of its file, without the ending."""
OPENS = {
    PLAN: ("planning", "plan_review"), FILES: ("planning", "plan_review"), PLAN_REVIEW: ("plan_review", "codegen"),
    CODE_REVIEW: ("review", "test"), REPORT: ("test", "accept"), DECISION: ("accept", "codegen"),
    REVERT: ("revert", "done"),
}  # fmt: skip
"""The phase in which each artifact is written, and where the example leads: none accepts the work."""


def shown(name: str, folder: Path, *options: str) -> Record:
    done = in_process(folder, "task", "schema", name, *options)
    assert (done.status, done.err) == (0, "")
    found: Record = json.loads(done.out)
    return found


def validator(name: str, folder: Path) -> Any:
    schema = shown(name, folder)
    Draft202012Validator.check_schema(schema)
    assert NAMES[name] in json.dumps(schema)
    return Draft202012Validator(schema)


@each_row("name", NAMES)
def test_an_example_has_its_form_and_opens_its_edge(task: Task, name: str) -> None:
    phase, target = OPENS[NAMES[name]]
    example = shown(name, task.root, "--example")
    schema = validator(name, task.root)
    schema.validate(example)
    assert not schema.is_valid([])
    assert shown(name, task.root, "--example", "--json") == example
    assert len(json.dumps(example, indent=2).splitlines()) <= 30, "a small one"
    assert not (task.root / ".rcs").exists(), "it is shown, not written"
    plan = {NAMES[each]: shown(each, task.root, "--example") for each in ("planning.ai", "plan.files")}
    task.at(phase, plan | {NAMES[name]: example})
    task.did("next")
    assert task.phase == target


def issues(**of_one: object) -> Record:
    fine = {"id": "C1", "severity": "minor", "message": "m"}
    return CLEAN_REVIEW | {"issues": [fine, {**fine, **of_one}]}


def suites(**of_one: object) -> Record:
    return PASSED | {"suites": [{"id": "unit", "kind": "test", "overall_pass": True} | of_one]}


FILE: Record = {"file_plan": [{"path": "a"}]}
WRONG: list[tuple[str, str, Record, str]] = [
    # the row, the schema, the artifact, what is said of it
    ("T1", "planning.ai", {"file_plan": [{"path": 7}]}, "file_plan[0].path: 7"),
    ("T1", "planning.ai", FILE | {"blocking_questions": [None]}, "blocking_questions[0]: null, need a string or an"),
    ("T1", "plan.files", {"files": 7}, "files: 7"),
    ("T1", "plan.files", {"files": [{"intent": "create"}]}, "files[0].path: missing"),
    ("T1", "plan.files", {"files": [{"path": "a", "intent": "paint"}]}, "files[0].intent: paint"),
    ("T3", "plan-review", {"ok": "yes", "blocked": False}, "ok: yes"),
    ("T3", "plan-review", {"ok": 1, "blocked": False}, "ok: 1"),
    ("T3", "plan-review", {"ok": True, "reviewers": ["me"]}, "reviewers[0]: me"),
    ("T3", "plan-review", {"ok": True, "reviewers": [{"id": "r", "decision": "rejected"}]}, "reviewers[0].decision: r"),
    ("T10", "code-review", issues(severity="awful"), "issues[1].severity: awful"),
    ("T10", "code-review", issues(target="moon"), "issues[1].target: moon"),
    ("T10", "code-review", {"ok": True, "issues": []}, "decision: missing"),
    ("T13", "eval-report", PASSED | {"status": "done"}, "status: done"),
    ("T13", "eval-report", suites(kind="vibes"), "suites[0].kind: vibes"),
    ("T13", "eval-report", PASSED | {"overall_pass": "yes"}, "overall_pass: yes"),
    ("T15", "decision", {"decision": "maybe"}, "decision: maybe"),
    ("T15", "decision", {"decision": "accepted", "reasons": "so"}, "reasons: so"),
    ("T15", "decision", {"decision": "accepted", "regression_found": "no"}, "regression_found: no"),
    ("T20", "record", {"reason": ["r"], "status": "completed"}, "reason: a list"),
]


@each_row(("of", "which", "artifact", "words"), WRONG)
def test_what_does_not_validate_is_refused_with_the_path_of_the_field(
    task: Task, of: str, which: str, artifact: Record, words: str
) -> None:
    row = ROWS[of]
    row.on(task, **{NAMES[which]: artifact})
    before = task.state_bytes
    done = task(row.command)
    assert (done.status, done.out, task.state_bytes) == (1, "", before)
    assert f"  - {NAMES[which]}: {words}" in done.err
    assert f"rcs task schema {which}" in done.err
    assert words.split(": ", maxsplit=1)[0] in [each["field"] for each in task(row.command, "--json").json["failed"]]
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
