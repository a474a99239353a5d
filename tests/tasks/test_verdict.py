"""`rcs task review plan|code --verdict WORD` writes the file of the review, and takes the task where it leads."""

from __future__ import annotations

from tests.table import each_row
from tests.tasks.paths import CODE_REVIEW, PLAN, PLAN_REVIEW
from tests.tasks.rows import CODE_FILES, WHOLE_PLAN
from tests.tasks.support import Record, Task

PHASE = {"plan": "plan_review", "code": "review"}
FILE = {"plan": PLAN_REVIEW, "code": CODE_REVIEW}


def given(task: Task, what: str, *options: str) -> tuple[int, str]:
    """Give a verdict in the phase of its review, and return the exit code and where the task is then."""
    task.at(PHASE[what], {PLAN: WHOLE_PLAN, **CODE_FILES})
    return task(f"review {what}", *options).status, task.phase


@each_row(("what", "options", "leads_to"), [
    ("plan", ["--verdict", "ok"], "codegen"),
    ("plan", ["--verdict", "ok", "--reason", "well thought out"], "codegen"),
    ("plan", ["--verdict", "needs_changes", "--reason", "no way back"], "planning"),
    ("plan", ["--verdict", "blocked", "--reason", "no way back"], "planning"),
    ("code", ["--verdict", "ok"], "test"),
    ("code", ["--verdict", "ok", "--reason", "a name could be shorter"], "test"),
    ("code", ["--verdict", "needs_changes", "--reason", "it hangs"], "codegen"),
    ("code", ["--verdict", "blocked", "--reason", "it hangs"], "codegen"),
    ("code", ["--verdict", "needs_changes", "--about", "plan", "--reason", "nobody asked for it"], "planning"),
    ("code", ["--verdict", "blocked", "--about", "plan", "--reason", "nobody asked for it"], "planning"),
])  # fmt: skip
def test_a_verdict_takes_the_task_where_it_leads(task: Task, what: str, options: list[str], leads_to: str) -> None:
    assert given(task, what, *options) == (0, leads_to)
    path = FILE[what] if task.there(FILE[what]) else f"history/1/{FILE[what]}"
    assert task.read(path)["ok"] == (options[1] == "ok")
    assert task.read(path).get("blocked", False) == (what == "plan" and options[1] == "blocked")
    assert task.transcript[-1]["kind"] == "transition"


def test_keys_that_somebody_else_has_written_stay(task: Task) -> None:
    review = {"ok": True, "meta": {"model": "m"}, "notes": "n"}
    task.at("plan_review", {PLAN: WHOLE_PLAN, PLAN_REVIEW: review})
    task.did("review plan", "--verdict", "ok")
    record = task.read(PLAN_REVIEW)
    assert (record["notes"], record["meta"]["model"], len(record["meta"]["plan_hash"])) == ("n", "m", 64)


@each_row(("what", "before"), [("plan", "planning"), ("code", "codegen")])
def test_from_the_phase_before_a_verdict_enters_the_review_and_waits(task: Task, what: str, before: str) -> None:
    task.at(before, {PLAN: WHOLE_PLAN, **CODE_FILES})
    done = task.did(f"review {what}", "--verdict", "ok")
    assert task.phase == PHASE[what]
    assert f"the verdict is recorded in .rcs/tasks/t1/{FILE[what]}" in done
    following = {"plan": "codegen", "code": "test"}[what]
    assert f"  to do: rcs task next t1; it goes to {following}\n" in done
    assert task.story[-1] == ("note", PHASE[what], PHASE[what])
    task.did("next")
    assert task.phase == following


@each_row(("what", "phase"), [
    *(("plan", phase) for phase in ("codegen", "review", "test", "accept", "revert", "done")),
    *(("code", phase) for phase in ("planning", "plan_review", "test", "accept", "revert", "done")),
])  # fmt: skip
def test_elsewhere_a_verdict_is_refused_and_not_recorded(task: Task, what: str, phase: str) -> None:
    task.at(phase, {PLAN: WHOLE_PLAN, **CODE_FILES})
    before = task.tree()
    done = task(f"review {what}", "--verdict", "ok")
    assert (done.status, done.out, task.tree()) == (1, "", before)
    assert done.err == (
        f"rcs: task t1 is in {phase}, and this verdict is given in {PHASE[what]}; nothing was recorded. "
        "Where it can go: rcs task status t1\n"
    )


@each_row("options", [
    ["--verdict", "needs_changes"], ["--verdict", "blocked"], ["--verdict", "blocked", "--reason", " "],
    ["--verdict", "blocked", "--reason", "..."], ["--reason", "no way back"],
])  # fmt: skip
def test_a_verdict_needs_its_reason_and_a_reason_its_verdict(task: Task, options: list[str]) -> None:
    task.at("plan_review", {PLAN: WHOLE_PLAN})
    before = task.tree()
    done = task("review plan", *options)
    assert (done.status, done.out, task.tree()) == (1, "", before)
    assert "--reason" in done.err


RISK: Record = {"id": "RiskPlanner", "ok": False, "severity": "blocking", "blocking_issues": ["no rollback"]}


def test_a_verdict_does_not_silence_another_reviewer_who_blocks(task: Task) -> None:
    task.at("plan_review", {PLAN: WHOLE_PLAN, PLAN_REVIEW: {"ok": False, "blocked": False, "reviewers": [RISK]}})
    done = task("review plan", "--verdict", "ok")
    assert (done.status, task.phase) == (1, "plan_review")
    assert "ok: true but reviewer RiskPlanner is blocking" in done.err
    assert [each["id"] for each in task.read(PLAN_REVIEW)["reviewers"]] == ["RiskPlanner", "script"]


def test_a_verdict_does_not_remove_an_issue_that_somebody_else_has_found(task: Task) -> None:
    issue = {"id": "C1", "severity": "blocking", "path": "src/a.py", "message": "it hangs"}
    review = {"ok": False, "decision": "needs_changes", "issues": [issue]}
    task.at("review", {PLAN: WHOLE_PLAN, CODE_REVIEW: review})
    done = task("review code", "--verdict", "ok")
    assert (done.status, task.phase, task.read(CODE_REVIEW)["issues"]) == (1, "review", [issue])
    assert "issues: 1 blocking (C1 src/a.py: it hangs), need 0" in done.err
