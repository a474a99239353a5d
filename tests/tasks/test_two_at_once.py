"""Several processes work on one task: each sees it as the one before it has left it."""

from __future__ import annotations

import subprocess

import pytest

from tests.tasks.paths import PLAN, REPORT
from tests.tasks.rows import CODE_FILES, PASSED, WHOLE_PLAN
from tests.tasks.support import RCS, Done, Task


def at_once(task: Task, commands: list[list[str]]) -> list[Done]:
    """Starts all of them, and only then waits for the first."""
    children = [
        subprocess.Popen(
            [*RCS, *words], cwd=task.root, env=task.env(), text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        for words in commands
    ]
    return [Done(child.wait(60), *said) for child in children for said in [child.communicate(timeout=60)]]


@pytest.mark.slow
@pytest.mark.parametrize("number", range(2))
def test_of_two_that_want_it_elsewhere_one_moves_and_the_other_is_told(task: Task, number: int) -> None:
    task.at("test", {PLAN: WHOLE_PLAN, **CODE_FILES, REPORT: PASSED | {"overall_pass": False}})
    commands = [task.words("accept"), task.words("codegen")]
    done = at_once(task, commands if number % 2 else commands[::-1])
    assert sorted(each.status for each in done) == [0, 1], done
    (told,) = (each for each in done if each.status)
    assert told.out == ""
    if task.phase == "accept":
        assert told.err.startswith("task t1: cannot move accept -> codegen\n")
    else:
        assert task.phase == "codegen"
        assert told.err.startswith("rcs: task t1: codegen -> accept is not a transition.")
    assert [line["kind"] for line in task.transcript] == ["transition", "refused"]


@pytest.mark.slow
def test_twenty_redo_are_twenty_rounds(task: Task) -> None:
    task.at("codegen", {PLAN: WHOLE_PLAN, **CODE_FILES})
    done = at_once(task, [task.words("redo")] * 20)
    assert [(each.status, each.err) for each in done] == [(0, "")] * 20
    assert task.round("codegen") == 21
    assert task.story == [("redo", "codegen", "codegen")] * 20
    assert sorted(int(path.name) for path in (task.folder / "history").iterdir()) == list(range(1, 21))


@pytest.mark.slow
def test_of_twenty_new_one_makes_it(task: Task) -> None:
    done = at_once(task, [task.words("new")] * 20)
    assert sorted(each.status for each in done) == [0] + [1] * 19
    assert all("task already exists in phase planning" in each.err for each in done if each.status)
    assert (task.phase, task.round("planning")) == ("planning", 1)
