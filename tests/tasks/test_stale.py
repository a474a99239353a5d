"""Artifacts of an older round open no edge: going back, or doing a phase again, archives verdicts and diffs."""

from __future__ import annotations

import pytest

from tests.table import each_row
from tests.tasks.paths import CODE, CODE_REVIEW, DECISION, DIFF, FILES, PLAN, PLAN_REVIEW, REPORT, REVERT
from tests.tasks.rows import CLEAN_REVIEW, CODE_FILES, PASSED, WHOLE_PLAN, WHOLE_TASK
from tests.tasks.support import PHASES, Record, Task

ANOTHER = CODE_FILES[DIFF].replace("hello", "good morning")
MOVED = {
    "planning": {PLAN_REVIEW, DIFF, CODE_REVIEW, REPORT, DECISION, REVERT},
    "plan_review": {PLAN_REVIEW, DIFF, CODE_REVIEW, REPORT, DECISION, REVERT},
    "codegen": {DIFF, CODE_REVIEW, REPORT, DECISION, REVERT},
    "review": {CODE_REVIEW, REPORT, DECISION, REVERT},
    "test": {REPORT, DECISION, REVERT},
    "accept": {DECISION, REVERT},
    "revert": {REVERT},
}
COPIED = {"planning": {PLAN, FILES, CODE}, "plan_review": {CODE}, "codegen": {CODE}}
"""For each phase that is entered, the outputs of it and of every later one, written by hand."""


def outputs(task: Task) -> dict[str, bytes]:
    return task.tree("state.json", "transcript.jsonl")


def check_put_aside(task: Task, target: str, before: dict[str, bytes], said: str) -> None:
    """Checks that history/1 has exactly the outputs of `target` and of the later phases, to the byte."""
    moved = MOVED[target] & set(before)
    copied = COPIED.get(target, set()) & set(before)
    kept = {name: content for name, content in before.items() if name not in moved}
    history = {f"history/1/{name}": before[name] for name in moved | copied}
    assert outputs(task) == kept | history
    for name in moved | copied:
        assert name in said or name.removesuffix("/src/a.py") in said, f"{name} is not named in: {said}"
    assert "history/1" in said


BACKWARD: dict[str, tuple[str, str, str, Record]] = {
    "T4": ("plan_review", "plan", "planning", {PLAN_REVIEW: {"ok": False, "blocked": False}}),
    "T5": ("plan_review", "plan", "planning", {PLAN_REVIEW: {"ok": False, "blocked": True}}),
    "T7": ("codegen", "plan", "planning", {"code/files/src/b.py": "x = 1\n"}),
    "T8": ("codegen", "review plan", "plan_review", {PLAN: {"id": "p", "title": "t", "brief": "b"}}),
    "T11": ("review", "codegen", "codegen", {CODE_REVIEW: CLEAN_REVIEW | {"decision": "needs_changes"}}),
    "T12": (
        "review",
        "plan",
        "planning",
        {CODE_REVIEW: CLEAN_REVIEW | {"issues": [{"id": "C1", "severity": "major", "target": "plan", "message": "m"}]}},
    ),
    "T14": ("test", "codegen", "codegen", {REPORT: PASSED | {"overall_pass": False}}),
    "T16": ("accept", "codegen", "codegen", {DECISION: {"decision": "needs_changes"}}),
    "T17": ("accept", "review code", "review", {DECISION: {"decision": "unclear"}}),
    "T18": ("accept", "plan", "planning", {DECISION: {"decision": "upstream_problem"}}),
}


@each_row("name", [name for name in BACKWARD if name != "T7"])
def test_going_back_puts_the_outputs_aside(task: Task, name: str) -> None:
    source, command, target, broken = BACKWARD[name]
    task.at(source, WHOLE_TASK | broken)
    before = outputs(task)
    check_put_aside(task, target, before, task.did(command))
    assert (task.phase, task.story) == (target, [("transition", source, target)])


def test_a_scope_mismatch_keeps_the_files_and_a_copy_of_them(task: Task) -> None:
    source, command, _, broken = BACKWARD["T7"]
    task.at(source, WHOLE_TASK | broken)
    task.did(command)
    for name in (CODE, "code/files/src/b.py"):
        assert (task.folder / name).read_bytes() == (task.folder / "history/1" / name).read_bytes()
    assert not task.there(DIFF)
    assert task.there(f"history/1/{DIFF}")


@each_row("phase", MOVED)
def test_doing_again_puts_the_outputs_aside(task: Task, phase: str) -> None:
    task.at(phase, WHOLE_TASK)
    before = outputs(task)
    check_put_aside(task, phase, before, task.did("redo"))


@each_row("phase", MOVED)
def test_opening_again_puts_the_outputs_aside(task: Task, phase: str) -> None:
    task.at("done", WHOLE_TASK)
    before = outputs(task)
    check_put_aside(task, phase, before, task.did("redo", "--phase", phase))


@pytest.mark.parametrize(
    ("source", "target"), [("codegen", "planning"), ("codegen", "plan_review"), ("test", "codegen")]
)
def test_an_override_that_goes_back_puts_the_outputs_aside(task: Task, source: str, target: str) -> None:
    task.at(source, WHOLE_TASK)
    before = outputs(task)
    check_put_aside(task, target, before, task.did("next", "--override", "start afresh", "--to", target))


@each_row(
    ("source", "target"), [("planning", "plan_review"), ("plan_review", "codegen"), ("codegen", "review"),
                           ("review", "test"), ("test", "accept"), ("accept", "done"), ("revert", "done")],
)  # fmt: skip
def test_going_on_puts_nothing_aside(task: Task, source: str, target: str) -> None:
    task.at(source, WHOLE_TASK)
    before = outputs(task)
    task.did("next", "--override", "on", "--to", target)
    assert task.phase == target
    assert outputs(task) == before


def test_going_to_revert_puts_nothing_aside(task: Task) -> None:
    task.at("accept", WHOLE_TASK | {DECISION: {"decision": "revert"}})
    before = outputs(task)
    task.did("revert")
    assert (task.phase, outputs(task)) == ("revert", before)


@each_row("phase", [phase for phase in PHASES if phase != "done"])
def test_where_nothing_lies_no_folder_is_made(task: Task, phase: str) -> None:
    task.at(phase)
    task.did("redo")
    assert outputs(task) == {}
    assert not (task.folder / "history").exists()


def test_each_time_has_a_number_of_its_own(task: Task) -> None:
    task.at("planning", {PLAN: WHOLE_PLAN})
    for title in ("second", "third"):
        task.did("redo")
        task.put(PLAN, WHOLE_PLAN | {"title": title})
    assert task.read(f"history/1/{PLAN}")["title"] == "Add a greeting"
    assert task.read(f"history/2/{PLAN}")["title"] == "second"
    assert task.read(PLAN)["title"] == "third"


def test_what_lies_in_the_history_already_is_never_written_over(task: Task) -> None:
    task.at("planning", {PLAN: WHOLE_PLAN, f"history/1/{PLAN}": "mine", "history/7/note": "mine", "history/old/x": "y"})
    before = task.tree("state.json", "transcript.jsonl")
    task.did("redo")
    after = task.tree("state.json", "transcript.jsonl")
    assert before.items() <= after.items()
    assert set(after) - set(before) == {f"history/8/{PLAN}"}


def test_the_transcript_stays_and_grows(task: Task) -> None:
    task.at("planning", {PLAN: WHOLE_PLAN})
    for _ in range(3):
        task.did("redo")
    assert task.story == [("redo", "planning", "planning")] * 3
    assert not list((task.folder / "history").rglob("transcript.jsonl"))
    assert not list((task.folder / "history").rglob("state.json"))


# --- so that a gate is shut again


def test_an_old_approval_does_not_open_codegen(task: Task) -> None:
    task.at("plan_review", {PLAN: WHOLE_PLAN, PLAN_REVIEW: {"ok": True, "blocked": False}})
    task.did("next", "--override", "another idea", "--to", "planning")
    task.put(PLAN, WHOLE_PLAN | {"title": "Another idea"})
    task.did("review plan")
    before = task.state_bytes
    done = task("codegen")
    assert (done.status, "review/plan-review.json: missing" in done.err) == (1, True)
    assert task.state_bytes == before
    task.put(PLAN_REVIEW, {"ok": True, "blocked": False})
    task.did("codegen")
    assert task.phase == "codegen"


def test_an_old_diff_does_not_open_review(task: Task) -> None:
    task.at("review", WHOLE_TASK | {CODE_REVIEW: CLEAN_REVIEW | {"decision": "needs_changes"}})
    task.did("codegen")
    done = task("review code")
    assert (done.status, "code/diff.patch: missing" in done.err) == (1, True)
    task.put(DIFF, ANOTHER)
    task.did("review code")


def test_an_old_code_review_does_not_open_test(task: Task) -> None:
    task.at("test", WHOLE_TASK | {REPORT: PASSED | {"overall_pass": False}})
    task.did("codegen")
    task.put(DIFF, ANOTHER)
    task.did("review code")
    done = task("test")
    assert (done.status, "review/code-review.json: missing" in done.err) == (1, True)
    task.put(CODE_REVIEW, CLEAN_REVIEW)
    task.did("test")


def test_an_old_report_does_not_open_accept(task: Task) -> None:
    task.at("accept", WHOLE_TASK | {DECISION: {"decision": "unclear"}})
    task.did("review code")
    task.put(CODE_REVIEW, CLEAN_REVIEW)
    task.did("test")
    done = task("accept")
    assert (done.status, "eval/eval-report.json: missing" in done.err) == (1, True)
    task.put(REPORT, PASSED)
    task.did("accept")


def test_an_old_decision_does_not_end_the_task(task: Task) -> None:
    task.at("done", WHOLE_TASK)
    task.did("redo", "--phase", "test")
    task.put(REPORT, PASSED)
    task.did("accept")
    done = task("next")
    assert (done.status, "accept/decision.json: missing" in done.err) == (1, True)
    assert task.phase == "accept"


def test_an_old_revert_does_not_end_the_task(task: Task) -> None:
    task.at("done", WHOLE_TASK)
    task.did("redo", "--phase", "revert")
    done = task("next")
    assert (done.status, "revert/record.json: missing" in done.err) == (1, True)


@pytest.mark.parametrize("phase", ["accept", "codegen"])
def test_a_revert_of_work_that_is_done(task: Task, phase: str) -> None:
    task.at("done", WHOLE_TASK)
    task.did("redo", "--phase", phase)
    done = task("revert", "--reason", "it broke the build")
    if phase != "accept":
        assert (done.status, task.phase, task.there(REVERT)) == (1, phase, False)
        return
    assert (done.status, task.phase) == (0, "revert")
    task.put(REVERT, task.read(REVERT) | {"status": "completed"})
    task.did("next")
    assert task.phase == "done"
