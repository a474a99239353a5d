"""A task that goes back although no reviewer says so is told why; and a refusal names all that fails."""

from __future__ import annotations

import pytest

from tests.table import each_row
from tests.tasks.paths import CODE_REVIEW, PLAN, PLAN_REVIEW
from tests.tasks.rows import CODE_FILES, WHOLE_PLAN
from tests.tasks.support import Record, Task

OK: Record = {"ok": True, "blocked": False}
NAMED: Record = {"id": "p", "title": "t", "brief": "b", "file_plan": [{"path": "src/a.py"}]}
WHY: dict[str, tuple[str, Record, str]] = {
    "no brief": (
        "plan_review",
        {PLAN_REVIEW: OK, PLAN: {key: NAMED[key] for key in NAMED if key != "brief"}},
        "the plan has no brief",
    ),
    "a path twice": (
        "plan_review",
        {PLAN_REVIEW: OK, PLAN: NAMED | {"file_plan": [{"path": "./a"}, {"path": "a"}]}},
        "file_plan names a twice",
    ),
    "no plan": ("plan_review", {PLAN_REVIEW: OK}, "planning/planning.ai.json: missing"),
    "out of scope": ("codegen", {PLAN: WHOLE_PLAN, **CODE_FILES, "code/files/b.py": "x"}, "not in the plan: b.py"),
    "not generated": (
        "codegen",
        {PLAN: WHOLE_PLAN | {"file_plan": [{"path": "src/a.py"}, {"path": "c.py"}]}, **CODE_FILES},
        "planned, and not generated: c.py",
    ),
    "nothing to accept by": ("codegen", {PLAN: NAMED, **CODE_FILES}, "there are no acceptance criteria"),
    "a plan that cannot be read": (
        "codegen",
        {PLAN: "{"},
        "planning/planning.ai.json: not JSON (line 1 column 2), need a JSON object",
    ),
}


@each_row("name", WHY)
def test_what_sends_a_task_back_is_told(task: Task, name: str) -> None:
    source, artifacts, why = WHY[name]
    task.at(source, artifacts)
    assert f"    - {why}\n" in task.did("next")


def test_the_signal_of_the_agent_is_told(task: Task) -> None:
    task.at("codegen", {PLAN: WHOLE_PLAN}, codegen={"status": "blocked"})
    assert task("next", "--json").json["why"] == ["state.json: actors.codegen.status: blocked"]


def test_all_that_fails_is_told_at_once_and_a_fix_that_is_the_same_once(task: Task) -> None:
    task.at("codegen", {PLAN: WHOLE_PLAN})
    assert task("next").err.splitlines()[:-1] == [
        "task t1: cannot move codegen -> review",
        "  - code/diff.patch: missing",
        "  - code/files/: no files",
        "  fix: write the code in the work tree, then: rcs task collect t1",
    ]
    issues = [{"id": "C1", "severity": "blocking"}, {"id": "C2", "severity": "blocking"}]
    task.at("review", {CODE_REVIEW: {"ok": False, "decision": "blocked", "issues": issues}})
    assert task("test").err.splitlines()[1:-1] == [
        "  - review/code-review.json: issues: 2 blocking (C1; C2), need 0",
        "  - review/code-review.json: decision: blocked, need accepted or needs_changes",
        '  fix: rcs task codegen t1, or rcs task next t1 --override "<why>"',
    ]


@pytest.mark.parametrize("words", [(), ("t1",), ("--task", "t1")], ids=["alone", "by place", "by option"])
def test_the_task_may_be_named_or_be_the_only_one(task: Task, words: tuple[str, ...]) -> None:
    task.at("planning", {PLAN: WHOLE_PLAN})
    Task(task.root, "t0").at("done")
    assert task.rcs("task", "next", *words).status == 0
    assert task.phase == "plan_review"


def test_of_several_tasks_the_one_that_is_meant_is_asked_for(task: Task) -> None:
    task.at("planning")
    Task(task.root, "t2").at("planning")
    done = task.rcs("task", "next")
    assert done == (1, "", "rcs: there are several tasks (t1, t2); name one\n")
