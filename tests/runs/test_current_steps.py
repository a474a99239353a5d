"""The steps where a run is: several where branches run side by side, and one where an older program wrote last."""

from __future__ import annotations

import sqlite3
import time

from rcs_hooks.runs.queries import place_words
from tests.runs.support import Project, with_section
from tests.table import each_row

WIDE = "".join(f"    a --> {name}\n    {name} --> z\n" for name in "bcde")


@each_row(("steps", "words"), [
    ([], ""), (["a"], "a"), (["a", "b"], "a, b"), (["a", "b", "c"], "a, b and 1 more"),
])  # fmt: skip
def test_a_list_names_two_steps_and_counts_the_others(steps: list[str], words: str) -> None:
    assert place_words(steps) == words


def current(project: Project) -> list[str]:
    store = project.store()
    found = store.run("r1")
    store.close()
    assert found
    return found.current_steps


def test_a_run_is_at_each_branch_that_is_open(project: Project) -> None:
    project.now = time.time() - 60
    project.skill("wide", with_section(f"    [*] --> a\n{WIDE}    z --> [*]\n"))
    project.walk("a", "b", "c", "d", "e", workflow="wide")
    assert current(project) == ["b", "c", "d", "e"]
    assert "b, c and 2 more" in project.rcs("runs", "list").stdout
    assert "at b, c and 2 more" in project.rcs("status").stdout
    project.emit("c", "waiting", workflow="wide")
    project.emit("d", "completed", workflow="wide")
    project.emit("x", unit="T1", workflow="wide", agent="nobody")
    assert current(project) == ["b", "c", "e"]
    project.emit("z", workflow="wide")
    assert current(project) == ["z"]
    project.emit("z", "completed", workflow="wide")
    assert current(project) == ["z"]


@each_row(("workflow", "steps", "at"), [("build", "requirements design=waiting", "design"), ("plain", "a b", "b")])
def test_a_step_that_was_left_is_no_place_of_the_run(project: Project, workflow: str, steps: str, at: str) -> None:
    for step in steps.split():
        project.emit(step.partition("=")[0], step.partition("=")[2] or "running", workflow=workflow)
    assert current(project) == [at]


def test_what_an_older_program_reported_since_counts(project: Project) -> None:
    project.walk("a", "b", "c", workflow="fork")
    connection = sqlite3.connect(project.database)
    connection.execute("UPDATE runs SET events = events + 1, current = 'd'")
    connection.commit()
    connection.close()
    assert current(project) == ["d"]
