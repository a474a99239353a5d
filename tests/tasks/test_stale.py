"""Artifacts of an older round open no edge: going back, or doing a phase again, archives verdicts and diffs."""

from __future__ import annotations

from tests.contract import EDGES, PHASES
from tests.table import each_row
from tests.tasks.paths import CODE, CODE_REVIEW, DECISION, DIFF, FILES, PLAN, PLAN_REVIEW, REPORT, REVERT
from tests.tasks.rows import CLEAN_REVIEW, CODE_FILES, PASSED, WHOLE_PLAN, WHOLE_TASK
from tests.tasks.support import Record, Task

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


SCOPE: Record = {"code/files/src/b.py": "x = 1\n"}
BACK = [row for row in EDGES if PHASES.index(row[1]) < PHASES.index(row[0])]


@each_row(("source", "target"), sorted({edge[:2] for edge in BACK} - {("codegen", "planning")}))
def test_going_back_puts_the_outputs_aside(task: Task, source: str, target: str) -> None:
    task.at(source, WHOLE_TASK)
    before = outputs(task)
    check_put_aside(task, target, before, task.did("next", "--override", "start afresh", "--to", target))
    assert (task.phase, task.story) == (target, [("override", source, target)])


@each_row(("source", "command", "broken"), [
    ("plan_review", "plan", {PLAN_REVIEW: {"ok": False, "blocked": False}}),
    ("test", "codegen", {REPORT: PASSED | {"overall_pass": False}}),
    ("accept", "review code", {DECISION: {"decision": "unclear"}}),
])  # fmt: skip
def test_so_it_does_where_the_artifacts_lead_back(task: Task, source: str, command: str, broken: Record) -> None:
    task.at(source, WHOLE_TASK | broken)
    before = outputs(task)
    shown = task.did(command)
    check_put_aside(task, task.phase, before, shown)


def test_a_scope_mismatch_keeps_the_files_and_a_copy_of_them(task: Task) -> None:
    task.at("codegen", WHOLE_TASK | SCOPE)
    task.did("plan")
    for name in (CODE, *SCOPE):
        assert (task.folder / name).read_bytes() == (task.folder / "history/1" / name).read_bytes()
    assert (task.there(DIFF), task.there(f"history/1/{DIFF}")) == (False, True)


@each_row("phase", MOVED)
@each_row("source", ["", "done"], ids=["again", "opened"])
def test_doing_and_opening_again_put_the_outputs_aside(task: Task, source: str, phase: str) -> None:
    task.at(source or phase, WHOLE_TASK)
    before = outputs(task)
    check_put_aside(task, phase, before, task.did("redo", "--phase", phase))
    empty = Task(task.root, "empty").at(source or phase)
    empty.did("redo", "--phase", phase)
    assert not (empty.folder / "history").exists()


@each_row(("source", "target"), sorted({edge[:2] for edge in EDGES if PHASES.index(edge[1]) > PHASES.index(edge[0])}))
def test_going_on_puts_nothing_aside(task: Task, source: str, target: str) -> None:
    task.at(source, WHOLE_TASK)
    before = outputs(task)
    task.did("next", "--override", "on", "--to", target)
    assert (task.phase, outputs(task)) == (target, before)


def test_what_lies_in_the_history_already_is_never_written_over(task: Task) -> None:
    task.at("planning", {PLAN: WHOLE_PLAN, f"history/1/{PLAN}": "mine", "history/7/note": "mine", "history/old/x": "y"})
    before = task.tree("state.json", "transcript.jsonl")
    task.did("redo")
    after = task.tree("state.json", "transcript.jsonl")
    assert before.items() <= after.items()
    assert set(after) - set(before) == {f"history/8/{PLAN}"}


# --- so that a gate is shut again


@each_row(("source", "artifacts", "ways", "verdict"), [
    ("plan_review", {}, ("--override=no --to=planning", "review plan"), PLAN_REVIEW),
    ("review", {CODE_REVIEW: CLEAN_REVIEW | {"decision": "needs_changes"}}, ("codegen",), DIFF),
    ("accept", {DECISION: {"decision": "unclear"}}, ("review code",), CODE_REVIEW),
    ("done", {}, ("redo --phase=test",), REPORT),
    ("done", {}, ("redo --phase=accept",), DECISION),
    ("done", {}, ("redo --phase=revert",), REVERT),
])  # fmt: skip
def test_an_old_verdict_opens_nothing(
    task: Task, source: str, artifacts: Record, ways: tuple[str, ...], verdict: str
) -> None:
    task.at(source, WHOLE_TASK | artifacts)
    for way in ways:
        words, _, options = way.partition("--")
        task.did(words.strip() or "next", *(f"--{each}" for each in options.split(" --") if each))
    stays = task.phase
    done = task("next")
    assert (done.status, f"{verdict}: missing" in done.err, task.phase) == (1, True, stays)
    task.put(verdict, ANOTHER if verdict == DIFF else WHOLE_TASK[verdict])
    task.did("next")
    assert task.phase != stays
