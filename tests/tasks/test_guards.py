"""Each of the 20 rows refuses its smallest artifacts with exactly one thing broken. `refusals.txt` has what a
person reads then. `test_opens.py` holds that each row passes where nothing is broken.
"""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from tests.table import each_row
from tests.tasks.paths import CODE, CODE_REVIEW, DECISION, DIFF, FILES, PLAN, PLAN_REVIEW, REPORT, REVERT
from tests.tasks.rows import CLEAN_REVIEW, PASSED, PATCH, ROWS, WHOLE_PLAN, Row
from tests.tasks.support import DRAWN, Record, Task, in_process

EXTRA = "code/files/b.py"
OK: Record = {"ok": True, "blocked": False}
FAILED_RUN = {REPORT: PASSED | {"overall_pass": False}}
ACCEPTED: Record = {"decision": "accepted"}
FAILING: list[Record] = [{"id": "unit", "kind": "test", "overall_pass": False}]


def plan(**said: object) -> Record:
    return {PLAN: {"file_plan": [{"path": "src/a.py"}]} | said}


def verdict(**said: object) -> Record:
    return {PLAN_REVIEW: OK | said}


def reviewer(**said: object) -> Record:
    return verdict(reviewers=[{"id": "RiskPlanner", "ok": True} | said])


def review(*severities: str, decision: str = "accepted", **said: object) -> Record:
    """A code review with an issue of each severity, named C1 and so on."""
    issues = [
        {"id": f"C{number}", "severity": severity, "path": "src/a.py", "message": "it hangs"} | said
        for number, severity in enumerate(severities, 1)
    ]
    return {CODE_REVIEW: CLEAN_REVIEW | {"decision": decision, "issues": issues}}


def report(**said: object) -> Record:
    return {REPORT: PASSED | said}


def suites(*kinds: str) -> list[Record]:
    return [{"id": kind, "kind": kind, "overall_pass": True} for kind in kinds]


TWO_FILES = WHOLE_PLAN | {"file_plan": [{"path": "src/a.py"}, {"path": "src/b.py"}]}


def sent_back(by: str, verdict: Record, number: int = 1) -> Record:
    """The diff of T6 in the history, and the verdict that sent it back."""
    return {f"history/{number}/{DIFF}": PATCH, f"history/{number}/{by}": verdict}


BROKEN: dict[str, Record] = {
    "T1 no plan": {PLAN: None, FILES: {"files": ["src/a.py"]}},
    "T1 a plan that is not JSON": {PLAN: "{", FILES: {"files": ["src/a.py"]}},
    "T1 two questions open": plan(blocking_questions=[{"id": "Q1"}, {"id": "Q2", "status": "answered"}, {"id": "Q3",
     "status": "open"}]),
    "T1 a question in plain words": plan(blocking_questions=["Which database?"]),
    "T1 a question by the other name": plan(blocking_open_questions=[{"id": "Q9", "status": "open"}]),
    "T1 files by the other name": {PLAN: {"draft_files": ["src/a.py"]}},
    "T1 nothing to infer from": {PLAN: {}},
    "T1 a file that leaves": {FILES: {"files": ["src/a.py", "../x"]}},
    "T1 an absolute file": {FILES: {"files": ["/etc/passwd"]}},
    "T1 a file twice": {FILES: {"files": ["src/a.py", {"path": "src/a.py"}]}},
    "T1 no file in the list": {FILES: {"files": []}},
    "T1 an inferred file that leaves": {PLAN: {"file_plan": [{"path": "../x"}]}},
    "T3 no review": {PLAN: WHOLE_PLAN, PLAN_REVIEW: None},
    "T3 not ok": {PLAN: WHOLE_PLAN, **verdict(ok=False)},
    "T3 blocked": {PLAN: WHOLE_PLAN, **verdict(blocked=True)},
    "T3 blocked, and a reviewer says why": {PLAN: WHOLE_PLAN, **reviewer(ok=False, severity="blocking",
     blocking_issues=["no rollback"]), PLAN_REVIEW: OK | {"blocked": True, "reviewers": [{"id": "RiskPlanner",
     "blocking_issues": ["no rollback"]}]}},
    "T3 blocked by an issue": {PLAN: WHOLE_PLAN, **reviewer(blocking_issues=["no rollback"])},
    "T3 an aggregate": {PLAN: WHOLE_PLAN, **verdict(aggregate={"ok": True})},
    "T3 an older plan": {PLAN: WHOLE_PLAN, **verdict(meta={"plan_hash": "0" * 64})},
    "T4 the verdict is ok": verdict(),
    "T6 no diff": {DIFF: None},
    "T6 a blank diff": {DIFF: " \n"},
    "T6 no files": {CODE: None},
    "T6 a file that is not in the diff": {PLAN: TWO_FILES, "code/files/src/b.py": "x = 1\n"},
    "T6 a file that is not in the work tree": {PLAN: TWO_FILES, DIFF: PATCH + PATCH.replace("src/a.py", "src/b.py")},
    "T6 a diff that its review sent back": sent_back(CODE_REVIEW, CLEAN_REVIEW | {"decision": "needs_changes"}),
    "T6 a diff that its tests sent back": sent_back(REPORT, PASSED | {"overall_pass": False}),
    "T6 a diff that a person sent back": {**sent_back(DECISION, {"decision": "needs_changes"}, 3),
     **{f"history/{number}/{DIFF}": PATCH.replace("hello", "bye") for number in (1, 4)},
     **{f"history/{number}/{DECISION}": {"decision": "needs_changes"} for number in (1, 4)}},
    "T6 a diff that was taken back": sent_back(REVERT, {"reason": "it broke the build", "status": "completed"}),
    "T7 all is planned": {EXTRA: None},
    "T7 not all is generated yet": {DIFF: None},
    "T8 all is there": {"code/files/src/b.py": "x = 1\n", DIFF: PATCH + PATCH.replace("src/a.py", "src/b.py")},
    "T8 not all is generated yet": {DIFF: None},
    "T10 no review": {CODE_REVIEW: None},
    "T10 two blocking issues of three": review("blocking", "major", "blocking"),
    "T10 blocked": review(decision="blocked"),
    "T11 nothing that weighs": review("minor", "info"),
    "T11 an issue of the plan": review("blocking", target="plan"),
    "T11 blocked by the plan": review("blocking", target="plan", decision="blocked"),
    "T12 an issue of the code": review("blocking"),
    "T12 an issue of the plan that weighs little": review("minor", target="plan"),
    "T12 blocked by the code": review("major", decision="blocked"),
    "T13 no report": {REPORT: None},
    "T13 no suite": report(suites=[]),
    "T13 still running": report(status="running"),
    "T13 broken off": report(status="failed"),
    "T13 no verdict": {REPORT: {"status": "completed", "suites": suites("test")}},
    "T14 all pass": report(suites=suites("test", "lint", "static", "custom")),
    "T14 still running": report(status="running", overall_pass=False),
    "T15 no decision": {DECISION: None},
    "T15 deferred": {DECISION: {"decision": "deferred"}},
    "T15 a decision by the other name": {DECISION: {"verdict": "deferred"}},
    "T15 no reasons though tests failed": FAILED_RUN,
    "T15 no reasons though one suite failed": report(suites=[*suites("lint"), *FAILING]),
    "T15 blank reasons though tests failed": {DECISION: ACCEPTED | {"reasons": [" "]}, **FAILED_RUN},
    "T16 accepted": {DECISION: ACCEPTED},
    "T17 accepted": {DECISION: ACCEPTED},
    "T18 accepted": {DECISION: ACCEPTED},
    "T19 accepted": {DECISION: ACCEPTED},
    "T19 no reason": {DECISION: ACCEPTED, REVERT: {"reason": " ", "status": "requested"}},
    "T20 no record": {REVERT: None},
    "T20 no reason": {REVERT: {"status": "completed"}},
    "T20 a blank reason": {REVERT: {"reason": " \t", "status": "completed"}},
    "T20 only requested": {REVERT: {"reason": "it broke the build", "status": "requested"}},
}  # fmt: skip


Said = set[tuple[str, str]]
"""Each thing that a refusal names, with how it is put right."""


def _refusals() -> dict[str, Said]:
    found: dict[str, Said] = {}
    for part in Path(__file__).with_name("refusals.txt").read_text().split("\nfix: ")[1:]:
        fix, *rows = part.strip().splitlines()
        for row in rows:
            name, _, words = row.partition(" | ")
            found.setdefault(name, set()).add((words, fix))
    return found


REFUSALS = _refusals()


def said_by(text: str) -> Said:
    found: Said = set()
    for part in re.findall(r"((?:  - .*\n)+)  fix: (.*)\n", text):
        found |= {(line.removeprefix("  - "), part[1]) for line in part[0].splitlines()}
    return found


def test_every_row_has_a_refusal_but_those_that_are_never_refused() -> None:
    assert set(REFUSALS) == set(BROKEN)
    assert {name.partition(" ")[0] for name in BROKEN} | {"T2", "T5", "T9"} == set(ROWS)


def broken(task: Task, name: str) -> Row:
    row = ROWS[name.partition(" ")[0]]
    row.on(task, **BROKEN[name])
    return row


@each_row("name", BROKEN)
def test_a_row_refuses_with_one_thing_broken(task: Task, name: str) -> None:
    row = broken(task, name)
    before = task.tree("transcript.jsonl")
    done = task(row.command)
    assert (done.status, done.out, task.tree("transcript.jsonl")) == (1, "", before)
    first, *_, allowed = done.err.splitlines()
    assert (first, said_by(done.err)) == (f"task t1: cannot move {row.source} -> {row.target}", REFUSALS[name])
    assert allowed.startswith(f"Allowed from {row.source}: ")
    assert re.findall(r"(\w+) \((?:open|closed): ", allowed) == [*DRAWN[row.source]]
    check_json(task, row, done.err)
    assert task.story == [("refused", row.source, row.target)] * 2


def check_json(task: Task, row: Row, text: str) -> None:
    """Checks that the same refusal in JSON, and in the transcript, says the same."""
    said = task(row.command, "--json").json
    named = {"task": "t1", "from": row.source, "to": row.target}
    assert said.items() >= ({"ok": False, "error": "transition_refused", "code": "transition_refused"} | named).items()
    assert said["message"] == text.rstrip("\n")
    assert said["details"] == {key: said[key] for key in ("task", "from", "to", "failed", "allowed")}
    assert [way["to"] for way in said["allowed"]] == [*DRAWN[row.source]]
    assert task.transcript[0]["failed"] == said["failed"]
    lines = [line for line in text.splitlines() if line.startswith("  - ")]
    for failure, line in zip(said["failed"], lines, strict=True):
        assert list(failure) == ["artifact", "field", "found", "needed", "fix"]
        assert line.startswith(f"  - {failure['artifact']}: {failure['field']}".removesuffix(": "))
        assert failure["found"] in line
        assert f"  fix: {failure['fix']}\n" in text


COMMAND = re.compile(
    r"rcs (task (?:next|plan|review (?:plan|code)|codegen|accept|revert|schema) .+?)(?:, or | moves on|$)"
)

RUNS = re.compile(r"rcs task (collect t1|test t1 -- COMMAND)$")
"""What is offered and needs a repository or a command: `test_collect.py` and `test_report.py` hold what these do."""


@each_row("name", BROKEN)
def test_a_command_that_is_offered_does_what_it_is_offered_for(task: Task, name: str) -> None:
    """It moves the task, or records what was missing, or shows the form; none accepts the work when it is pasted."""
    for _, fix in REFUSALS[name]:
        offered = COMMAND.findall(fix.partition("; the words: ")[0])
        assert "rcs task" not in fix or offered or RUNS.search(fix)
        for command in offered:
            broken(task, name)
            before = task.tree()
            words = shlex.split(command)
            is_template = "WORD" in words
            assert in_process(task.root, *words).status == (2 if is_template else 0), command
            assert (task.tree() != before) == (words[1] != "schema" and not is_template)


@each_row("name", BROKEN)
def test_next_does_not_take_what_is_refused(task: Task, name: str) -> None:
    """It may take another edge, as the artifacts say, but not the closed one."""
    row = broken(task, name)
    task("next")
    assert task.phase != row.target or row.target == row.source


@pytest.mark.parametrize("phase", ["planning", "codegen"])
def test_t2_and_t9_are_never_refused(task: Task, phase: str) -> None:
    task.at(phase, {PLAN: "{", FILES: "[", DIFF: "", PLAN_REVIEW: "null"})
    task.did("redo")
    assert (task.phase, task.round(phase)) == (phase, 2)
