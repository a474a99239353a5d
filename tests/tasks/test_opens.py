"""Each of the 20 rows passes on its smallest artifacts, and by each alternative; `next` tries the edges in order."""

from __future__ import annotations

import hashlib
import json

import pytest

from tests.contract import EDGES, PHASES
from tests.table import each_row
from tests.tasks.paths import CODE, CODE_REVIEW, DECISION, DIFF, FILES, PLAN, PLAN_REVIEW, REPORT, REVERT
from tests.tasks.rows import CLEAN_REVIEW, CODE_FILES, PASSED, PATCH, ROWS, WHOLE_PLAN
from tests.tasks.support import DRAWN, Record, Task


@each_row("name", ROWS)
def test_a_row_passes_on_its_smallest_artifacts(task: Task, name: str) -> None:
    row = ROWS[name]
    source, target, label = EDGES[int(name[1:]) - 1]
    row.on(task)
    rounds = task.state["actors"].get(target, {}).get("round", 0)
    task.did(row.command)
    kind = "redo" if row.command == "redo" else "transition"
    assert (task.phase, task.story) == (target, [(kind, source, target)])
    assert task.transcript[0]["failed"] == []
    if row.command == "redo":
        assert task.round(target) == rounds + 1
        return
    assert task.transcript[0]["reason"] == label
    said = row.on(task, **{PLAN: row.artifacts.get(PLAN, WHOLE_PLAN)})("next", "--json").json
    assert {key: said[key] for key in ("ok", "from", "to", "label")} == {
        "ok": True, "from": source, "to": target, "label": label
    }  # fmt: skip


def reviewer(**said: object) -> Record:
    return {"id": "RiskPlanner", "ok": True, "severity": "none", "decision": "ok", "blocking_issues": []} | said


def issue(**said: object) -> Record:
    return {"id": "C2", "severity": "blocking", "path": "src/a.py", "message": "it hangs"} | said


def suite(kind: str, *, passed: bool) -> Record:
    return {"id": f"the {kind}", "kind": kind, "overall_pass": passed}


OK: Record = {"ok": True, "blocked": False}
TWO_FILES = WHOLE_PLAN | {"file_plan": [{"path": "src/a.py"}, {"path": "src/b.py"}]}
TWO_IN_DIFF = PATCH + PATCH.replace("src/a.py", "src/b.py")
OF_PLAN = {"id": "C1", "target": "plan", "message": "no such table"}

BLOCKS = {"severity": "blocking"}
SENT_BACK = CLEAN_REVIEW | {"decision": "needs_changes"}

OPENS: dict[str, tuple[str, Record]] = {
    # planning -> plan_review
    "T1 a list of files beside an empty plan": ("T1", {PLAN: {}, FILES: {"files": ["src/a.py"]}}),
    "T1 inferred from the file plan": ("T1", {PLAN: {"file_plan": [{"path": "a.py", "intent": "create"}]}}),
    "T1 every question answered": ("T1", {PLAN: {"file_plan": [{"path": "a"}], "blocking_questions": [{"id": "Q1",
     "status": "answered"}]}}),
    "T1 open questions do not block": ("T1", {PLAN: {"file_plan": [{"path": "a"}], "open_questions": ["why?",
     {"id": "Q1"}]}}),
    # plan_review -> codegen
    "T3 one reviewer wants changes, the file's own word decides": ("T3",
     {PLAN_REVIEW: OK | {"reviewers": [reviewer(ok=False, severity="minor"), reviewer(decision="defer")]}}),
    "T3 it reviews this very plan": ("T3", {PLAN: WHOLE_PLAN,
     PLAN_REVIEW: OK | {"meta": {"plan_hash": hashlib.sha256(json.dumps(WHOLE_PLAN).encode()).hexdigest()}}}),
    # plan_review -> planning
    "T4 the plan has no title": ("T4", {PLAN_REVIEW: OK, PLAN: {"file_plan": [{"path": "a"}]}}),
    "T4 the plan has a path twice": ("T4", {PLAN_REVIEW: OK, PLAN: WHOLE_PLAN | {"file_plan": [{"path": "a"},
     {"path": "a"}]}}),
    "T4 the plan is broken": ("T4", {PLAN_REVIEW: OK, PLAN: "{"}),
    "T4 the list of files is broken": ("T4", {PLAN_REVIEW: OK, FILES: {"files": ["../x"]}}),
    "T4 no file is planned": ("T4", {PLAN_REVIEW: OK, PLAN: {"id": "p", "title": "t", "brief": "b"}}),
    "T4 a flaw needs no review": ("T4", {PLAN_REVIEW: None, PLAN: {}}),
    "T5 a reviewer blocks by severity": ("T5", {PLAN_REVIEW: OK | {"reviewers": [reviewer(), reviewer(ok=False,
     severity="blocking")]}}),
    "T5 a reviewer blocks by decision": ("T5", {PLAN_REVIEW: OK | {"reviewers": [reviewer(decision="blocked")]}}),
    "T5 a reviewer blocks by an issue": ("T5", {PLAN_REVIEW: OK | {"reviewers": [reviewer(blocking_issues=["x"])]}}),
    # codegen
    "T6 out of scope is no part of it": ("T6", {PLAN: WHOLE_PLAN, DIFF: PATCH + PATCH.replace("src/a.py", "b.py"),
     "code/files/b.py": "x = 1\n"}),
    "T6 other changes than those that were sent back": ("T6", {f"history/1/{DIFF}": PATCH.replace("hello", "bye"),
     f"history/1/{CODE_REVIEW}": SENT_BACK}),
    "T6 a diff that was archived without a verdict": ("T6", {f"history/1/{DIFF}": PATCH}),
    "T6 a diff that its review accepted": ("T6", {f"history/1/{DIFF}": PATCH,
     f"history/1/{CODE_REVIEW}": CLEAN_REVIEW}),
    "T6 a diff whose plan was at fault": ("T6", {f"history/1/{DIFF}": PATCH,
     f"history/1/{CODE_REVIEW}": CLEAN_REVIEW | {"issues": [OF_PLAN | BLOCKS]}}),
    "T6 a diff that was accepted in spite of its review": ("T6", {f"history/1/{DIFF}": PATCH,
     f"history/1/{CODE_REVIEW}": SENT_BACK, f"history/1/{DECISION}": {"decision": "accepted"}}),
    "T6 an old verdict that cannot be read": ("T6", {f"history/1/{DIFF}": PATCH, f"history/1/{CODE_REVIEW}": "{"}),
    "T7 in the diff alone": ("T7", {"code/files/b.py": None, DIFF: TWO_IN_DIFF}),
    "T7 the plan is broken": ("T7", {"code/files/b.py": None, PLAN: "{"}),
    "T8 no file is planned": ("T8", {PLAN: {"acceptance_criteria": ["it greets"]}}),
    "T8 nothing says when it is done": ("T8", {PLAN: {key: value for key,
     value in WHOLE_PLAN.items() if key != "acceptance_criteria"}}),
    "T8 a file of the list is not generated": ("T8", {PLAN: WHOLE_PLAN, FILES: {"files": ["src/a.py", "src/b.py"]}}),
    # review
    "T10 what is less than blocking": ("T10",
     {CODE_REVIEW: CLEAN_REVIEW | {"issues": [issue(severity=each) for each in ("major", "minor", "info")]}}),
    "T10 changes are wanted, none is blocking": ("T10", {CODE_REVIEW: CLEAN_REVIEW | {"decision": "needs_changes"}}),
    "T11 a blocking issue": ("T11", {CODE_REVIEW: CLEAN_REVIEW | {"issues": [issue()]}}),
    "T11 a major issue of the code": ("T11", {CODE_REVIEW: CLEAN_REVIEW | {"issues": [issue(severity="major",
     target="code")]}}),
    "T11 blocked, and not by the plan": ("T11", {CODE_REVIEW: CLEAN_REVIEW | {"decision": "blocked"}}),
    "T12 a blocking issue of the plan": ("T12",
     {CODE_REVIEW: CLEAN_REVIEW | {"issues": [OF_PLAN | {"severity": "blocking"}]}}),
    "T12 blocked by the plan": ("T12", {CODE_REVIEW: {"ok": False, "decision": "blocked",
     "issues": [OF_PLAN | {"severity": "major"}]}}),
    # test
    "T13 it ran to its end, and failed": ("T13", {REPORT: PASSED | {"overall_pass": False}}),
    "T14 a test": ("T14", {REPORT: PASSED | {"suites": [suite("lint", passed=True), suite("test", passed=False)]}}),
    "T14 a linter": ("T14", {REPORT: PASSED | {"suites": [suite("lint", passed=False)]}}),
    "T14 the run itself broke": ("T14", {REPORT: PASSED | {"status": "failed"}}),
    # accept
    "T15 though tests failed, with reasons": ("T15", {DECISION: {"decision": "accepted",
     "reasons": ["the test is wrong"]}, REPORT: PASSED | {"overall_pass": False}}),
    "T19 a regression is found": ("T19", {DECISION: {"decision": "accepted", "regression_found": True}}),
    "T19 a reason is recorded": ("T19", {DECISION: None, REVERT: {"reason": "it broke", "status": "requested"}}),
}  # fmt: skip


@each_row("name", OPENS)
def test_each_alternative_opens_the_edge(task: Task, name: str) -> None:
    of, changed = OPENS[name]
    row = ROWS[of]
    row.on(task, **changed)
    if name.startswith("T15"):
        edge = next(each for each in task("status", "--json").json["edges"] if each["to"] == "done")
        assert edge["open"] is True
    task.did(row.command)
    assert task.phase == row.target


@pytest.mark.parametrize(("name", "status"), [("T7", "blocked"), ("T8", "needs_changes")])
@pytest.mark.parametrize("generated", [CODE_FILES, {}], ids=["generated", "nothing yet"])
def test_the_agent_s_own_signal_opens_the_way_back(task: Task, name: str, status: str, generated: Record) -> None:
    row = ROWS[name]
    task.at("codegen", {PLAN: WHOLE_PLAN, **generated}, codegen={"status": status})
    task.did("next")
    assert task.phase == row.target


def test_what_is_out_of_scope_is_warned_of_on_the_way_to_review(task: Task) -> None:
    task.at("codegen", {PLAN: WHOLE_PLAN, **CODE_FILES, "code/files/b.py": "x = 1\n", "code/files/c/d.py": "y = 1\n"})
    task.put(DIFF, "".join(PATCH.replace("src/a.py", path) for path in ("src/a.py", "b.py", "c/d.py")))
    done = task("review code")
    assert (done.status, task.phase) == (0, "review")
    said = done.out + done.err
    assert "b.py" in said
    assert "c/d.py" in said
    assert "rcs task plan" in said
    assert "src/a.py" not in said


# --- next: problem edges before the happy one

BLOCKED: Record = {"ok": False, "blocked": True}
ORDER: dict[str, tuple[str, Record, str]] = {
    "T5 before T4": ("plan_review", {PLAN_REVIEW: BLOCKED, PLAN: {}}, "planning"),
    "T4 before T3": ("plan_review", {PLAN_REVIEW: OK, PLAN: {}}, "planning"),
    "T7 before T8": ("codegen", {PLAN: TWO_FILES, **CODE_FILES, "code/files/c.py": "x\n"}, "planning"),
    "T8 before T6": ("codegen", {PLAN: TWO_FILES, **CODE_FILES}, "plan_review"),
    "a file to delete need not be generated": ("codegen", {PLAN: WHOLE_PLAN, **CODE_FILES,
     FILES: {"files": ["src/a.py", {"path": "src/old.py", "intent": "delete"}]}}, "review"),
    "T12 before T11": ("review", {CODE_REVIEW: CLEAN_REVIEW | {"issues": [issue(), OF_PLAN | {"severity": "major"}]}},
     "planning"),
    "T11 before T10": ("review", {CODE_REVIEW: CLEAN_REVIEW | {"decision": "needs_changes"}}, "codegen"),
    "T14 before T13": ("test", {REPORT: PASSED | {"overall_pass": False}}, "codegen"),
    "T19 before T18": ("accept", {DECISION: {"decision": "upstream_problem", "regression_found": True}}, "revert"),
    "T19 before T17": ("accept", {DECISION: {"decision": "unclear", "regression_found": True}}, "revert"),
    "T19 before T16": ("accept", {DECISION: {"decision": "needs_changes", "regression_found": True}}, "revert"),
    "T19 before T15": ("accept", {DECISION: {"decision": "accepted", "regression_found": True}}, "revert"),
}  # fmt: skip


@each_row("name", ORDER)
def test_next_takes_the_first_that_is_open(task: Task, name: str) -> None:
    source, artifacts, target = ORDER[name]
    task.at(source, artifacts)
    task.did("next")
    assert task.phase == target


@each_row(("source", "path"), [
    ("planning", PLAN), ("plan_review", PLAN_REVIEW), ("codegen", DIFF), ("review", CODE_REVIEW), ("test", REPORT),
    ("accept", DECISION), ("revert", REVERT),
])  # fmt: skip
def test_next_stays_where_nothing_is_open_and_says_what_the_way_on_lacks(task: Task, source: str, path: str) -> None:
    task.at(source, {PLAN: WHOLE_PLAN} if source != "planning" else {})
    before = task.state_bytes
    done = task("next")
    assert (done.status, done.out) == (1, "")
    assert done.err.splitlines()[1] == f"  - {path}: missing"
    assert task.state_bytes == before


def test_next_may_be_told_which_way_and_goes_no_other(task: Task) -> None:
    task.at("review", {CODE_REVIEW: CLEAN_REVIEW | {"decision": "needs_changes"}})
    before = task.state_bytes
    done = task("next", "--to", "planning")
    assert (done.status, task.state_bytes) == (1, before)
    assert done.err.startswith("task t1: cannot move review -> planning\n")
    task.did("next", "--to", "test")
    assert task.phase == "test"


# --- decisions as commands


@each_row(("word", "target"), [
    ("accepted", "done"), ("needs_changes", "codegen"), ("unclear", "review"), ("upstream_problem", "planning"),
    ("revert", "revert"),
])  # fmt: skip
def test_a_decision_is_recorded_and_followed(task: Task, word: str, target: str) -> None:
    task.at("accept")
    task.did("accept", "--decision", word, "--reason", "so be it")
    assert task.phase == target
    record = task.read(DECISION if task.there(DECISION) else f"history/1/{DECISION}")
    assert (record["decision"], record["reasons"], record["regression_found"]) == (word, ["so be it"], False)


DECIDE, UNDO = ("accept", "--decision", "accepted", "--reason", "why not"), ("revert", "--reason", "why not")


@each_row(("phase", "command"), [
    *((phase, DECIDE) for phase in PHASES if phase != "accept"),
    *((phase, UNDO) for phase in PHASES if phase != "accept"),
    ("accept", ("revert", "--reason", "")), ("accept", ("revert", "--reason", "  ")),
])  # fmt: skip
def test_a_decision_that_cannot_be_followed_is_not_recorded(task: Task, phase: str, command: tuple[str, ...]) -> None:
    task.at(phase)
    before = task.tree("transcript.jsonl")
    done = task(*command)
    assert (done.status, done.out, task.tree("transcript.jsonl")) == (1, "", before)


def test_the_dots_of_a_line_that_was_pasted_are_no_reason(task: Task) -> None:
    task.at("accept", {REPORT: PASSED | {"overall_pass": False}})
    assert "reasons: empty although tests failed" in task("accept", "--decision", "accepted", "--reason", "...").err
    task.did("accept", "--decision", "accepted", "--reason", "the test itself is wrong")
    assert (task.phase, task.read(DECISION)["reasons"]) == ("done", ["the test itself is wrong"])


def test_status_shows_each_way_and_what_shuts_it(task: Task) -> None:
    task.at("codegen", {PLAN: WHOLE_PLAN, CODE: "x = 1\n"}, codegen={"round": 4})
    first, *lines = task.did("status").splitlines()
    assert "codegen" in first
    assert "4" in first
    ways = {line.split()[0]: line for line in lines}
    assert {target: "open" in ways[target] for target in DRAWN["codegen"]} == {
        "review": False, "planning": False, "plan_review": False, "codegen": True
    }  # fmt: skip
    assert "code/diff.patch: missing" in ways["review"]
    told = task("status", "--json").json
    assert (told["task"], told["phase"], told["round"]) == ("t1", "codegen", 4)
