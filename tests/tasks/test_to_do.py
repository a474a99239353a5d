"""`to do` names what sent a task back, until the task has left that phase again."""

from __future__ import annotations

from tests.table import each_row
from tests.tasks.paths import CODE_REVIEW, DECISION, DIFF, PLAN, PLAN_REVIEW, REPORT, REVERT
from tests.tasks.rows import CLEAN_REVIEW, CODE_FILES, PASSED, PATCH, WHOLE_PLAN
from tests.tasks.support import Record, Task

PLANNED: Record = {PLAN: WHOLE_PLAN}


def review(decision: str, *issues: Record) -> Record:
    return {CODE_REVIEW: {"ok": False, "decision": decision, "issues": [*issues]}}


def issue(name: str, severity: str, message: str = "it hangs", **rest: str) -> Record:
    return {"id": name, "severity": severity, "message": message, "path": "src/a.py"} | rest


def plan_review(**said: object) -> Record:
    return {PLAN_REVIEW: {"ok": False, "blocked": False} | said}


FINDINGS: dict[str, tuple[str, str, Record, list[str]]] = {
    "a reviewer with reasons": ("plan_review", "planning", plan_review(reviewers=[{"id": "risk",
     "decision": "needs_changes", "reasons": ["no rollback", "no test"]}]), ["risk: no rollback", "risk: no test"]),
    "a reviewer who blocks, and one who agrees": ("plan_review", "planning", plan_review(reviewers=[{"id": "cost",
     "ok": True}, {"id": "risk", "blocking_issues": [{"text": "no test"}]}]), ["risk: no test"]),
    "issues of the code, the heaviest first": ("review", "codegen", review("needs_changes", issue("C1", "minor"),
     issue("C2", "info"), issue("C3", "blocking", "it leaks")), ["C3 src/a.py: it leaks", "C1 src/a.py: it hangs"]),
    "an issue without a message": ("review", "codegen", review("blocked", issue("C1", "major", "")),
     ["C1 src/a.py: major"]),
    "an issue of the plan": ("review", "planning", review("blocked", issue("P1", "major", "nobody asked",
     target="plan")), ["P1 src/a.py: nobody asked"]),
    "suites that fail": ("test", "codegen", {REPORT: PASSED | {"overall_pass": False, "suites": [{"id": "unit",
     "kind": "test", "overall_pass": False}, {"id": "ruff", "kind": "lint", "overall_pass": True}, {"id": "pytest -q",
     "kind": "test", "overall_pass": False, "exit": 3, "changed": [], "timed_out": False}, {"id": "sleep 9",
     "kind": "test", "overall_pass": False, "exit": 124, "changed": [], "timed_out": True}, {"id": "fmt",
     "kind": "lint", "overall_pass": False, "exit": 0, "changed": ["a.py", "b.py"]}]}}, ["unit: failed",
     "pytest -q: failed (exit 3)", "sleep 9: timed out", "fmt: changed a.py and 1 more"]),
    "a run that broke off": ("test", "codegen", {REPORT: {"status": "failed", "suites": []}},
     ["the test run broke off"]),
    "further changes": ("accept", "codegen", {DECISION: {"decision": "needs_changes", "reasons": ["say good morning",
     "..."]}}, ["say good morning"]),
    "a decision to revert": ("accept", "revert", {DECISION: {"decision": "revert", "reasons": ["it is slow"]}},
     ["it is slow"]),
    "a revert": ("accept", "revert", {REVERT: {"reason": "it broke", "status": "requested"}}, ["it broke"]),
}  # fmt: skip


def reasons_in(shown: str) -> list[str]:
    """Return the lines below `to do`."""
    lines = shown.splitlines()
    (first,) = (number for number, line in enumerate(lines) if line.startswith("  to do: "))
    return [line.removeprefix("    - ") for line in lines[first + 1 :]]


@each_row("name", FINDINGS)
def test_to_do_names_what_sent_the_task_back(task: Task, name: str) -> None:
    source, target, artifacts, findings = FINDINGS[name]
    task.at(source, PLANNED | artifacts)
    shown = task.did("next")
    assert (task.phase, reasons_in(shown)) == (target, findings)
    assert reasons_in(task.did("status")) == findings
    told = task("status", "--json").json
    assert told["why"] == findings
    assert told["to_do"].startswith("see the reasons below; then ") == (target != "revert")


def test_they_are_gone_once_the_task_comes_forward_again(task: Task) -> None:
    task.at("review", PLANNED | CODE_FILES | review("needs_changes", issue("C1", "major")))
    task.did("next")
    task.did("redo")
    assert reasons_in(task.did("status")) == ["C1 src/a.py: it hangs"], "doing the phase again corrects nothing"
    task.put(DIFF, PATCH.replace("'hello'", "'good morning'"))
    task.did("next")
    assert reasons_in(task.did("status")) == []
    task.put(CODE_REVIEW, CLEAN_REVIEW)
    task.did("next")
    assert reasons_in(task.did("status")) == []
    task.at("plan_review", PLANNED | {PLAN_REVIEW: {"ok": True, "blocked": False}}, codegen={"why": ["an old one"]})
    assert reasons_in(task.did("next")) == []


@each_row(("count", "rest"), [(5, []), (9, ["and 4 more"])])
def test_of_many_the_first_are_named_and_the_rest_counted(task: Task, count: int, rest: list[str]) -> None:
    issues = [issue(f"C{number}", "major", "x" * 5000) for number in range(1, count + 1)]
    task.at("review", PLANNED | review("needs_changes", *issues))
    found = reasons_in(task.did("next"))
    assert [line.split()[0] for line in found[:5]] == ["C1", "C2", "C3", "C4", "C5"]
    assert (found[5:], max(map(len, found)) < 300) == (rest, True)


def test_a_task_that_came_back_is_not_sent_on_unchanged(task: Task) -> None:
    """The plan is edited in place, so it could go on at once."""
    task.at("plan_review", PLANNED | plan_review(reviewers=[{"id": "risk", "ok": False, "reasons": ["no rollback"]}]))
    shown = task.did("next")
    assert "rcs task next" not in shown
    assert "  to do: see the reasons below; then write .rcs/tasks/t1/planning/planning.ai.json" in shown


# --- where no reviewer says so

OK: Record = {"ok": True, "blocked": False}
NAMED: Record = {"id": "p", "title": "t", "brief": "b", "file_plan": [{"path": "src/a.py"}]}
WHY: dict[str, tuple[str, Record, str]] = {
    "no brief": ("plan_review", {PLAN_REVIEW: OK, PLAN: {key: NAMED[key] for key in NAMED if key != "brief"}},
     "the plan has no brief"),
    "a path twice": ("plan_review", {PLAN_REVIEW: OK, PLAN: NAMED | {"file_plan": [{"path": "./a"}, {"path": "a"}]}},
     "file_plan names a twice"),
    "not generated": ("codegen", {PLAN: WHOLE_PLAN | {"file_plan": [{"path": "src/a.py"}, {"path": "c.py"}]},
     **CODE_FILES}, "planned, and not generated: c.py"),
    "nothing to accept by": ("codegen", {PLAN: NAMED, **CODE_FILES}, "there are no acceptance criteria"),
    "a plan that cannot be read": ("codegen", {PLAN: "{"},
     "planning/planning.ai.json: not JSON (line 1 column 2), need a JSON object"),
}  # fmt: skip


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
