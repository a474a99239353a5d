"""`rcs task schema NAME --example` shows an artifact that has its form and opens its edge."""

from __future__ import annotations

import json
from pathlib import Path

from tests.table import each_row
from tests.tasks.paths import CODE_REVIEW, DECISION, FILES, PLAN, PLAN_REVIEW, REPORT, REVERT
from tests.tasks.support import Record, Task, in_process
from tests.tasks.test_schema import NAMES, validator

OPENS: dict[str, tuple[str, str, str]] = {
    PLAN: ("planning", "next", "plan_review"),
    FILES: ("planning", "next", "plan_review"),
    PLAN_REVIEW: ("plan_review", "next", "codegen"),
    CODE_REVIEW: ("review", "next", "test"),
    REPORT: ("test", "next", "accept"),
    DECISION: ("accept", "next", "codegen"),
    REVERT: ("revert", "next", "done"),
}
"""The phase in which each artifact is written, and where the task goes with it."""


def example(name: str, folder: Path) -> Record:
    done = in_process(folder, "task", "schema", name, "--example")
    assert (done.status, done.err) == (0, "")
    found: Record = json.loads(done.out)
    return found


def test_a_shell_can_write_the_example_of_the_plan_at_once(tmp_path: Path) -> None:
    """`rcs task schema planning.ai --example > .rcs/tasks/t1/planning/planning.ai.json` needs the folder."""
    task = Task(tmp_path)
    assert "write .rcs/tasks/t1/planning/planning.ai.json; an example: rcs task schema planning.ai --ex" in task.did(
        "new"
    )
    (task.folder / PLAN).write_text(json.dumps(example("planning.ai", tmp_path)))
    task.did("next")
    assert task.phase == "plan_review"


@each_row("name", NAMES)
def test_an_example_has_its_form(tmp_path: Path, name: str) -> None:
    shown = example(name, tmp_path)
    validator(name, tmp_path).validate(shown)
    (line,) = in_process(tmp_path, "task", "schema", name, "--example", "--json").out.splitlines()
    assert json.loads(line) == shown
    assert len(json.dumps(shown, indent=2).splitlines()) <= 30, "a small one"


@each_row("name", NAMES)
def test_an_example_opens_its_edge(task: Task, name: str) -> None:
    phase, command, target = OPENS[NAMES[name]]
    plan = {NAMES[each]: example(each, task.root) for each in ("planning.ai", "plan.files")}
    task.at(phase, plan | {NAMES[name]: example(name, task.root)})
    task.did(command)
    assert task.phase == target


def test_no_example_accepts_the_work(tmp_path: Path) -> None:
    assert example("decision", tmp_path)["decision"] != "accepted"
