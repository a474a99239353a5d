"""The moves of a task are events of a run; and nothing that is wrong with the run store stops a task."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.tasks.paths import DECISION, PLAN
from tests.tasks.rows import WHOLE_PLAN
from tests.tasks.support import Record, Task, in_process


def runs(task: Task) -> dict[str, Record]:
    found = in_process(task.root, "runs", "list", "--json").json
    return {each["run_id"]: each for each in found["runs"]}


def shown(task: Task, run: str) -> Record:
    return in_process(task.root, "runs", "show", run, "--json").json


def events(task: Task, run: str) -> list[tuple[str, str]]:
    return [(each["step"], each["status"]) for each in shown(task, run)["events"] if not each["automatic"]]


def test_a_new_task_is_a_run(task: Task) -> None:
    task.did("new")
    found = runs(task)
    assert list(found) == ["t1"]
    assert (found["t1"]["current"], found["t1"]["status"]) == ("planning", "running")
    assert Path(found["t1"]["project"]) == task.root.resolve()


def test_each_move_is_an_event_of_it(task: Task) -> None:
    task.did("new")
    for _ in range(4):
        task.did("next", "--override", "on")
    assert [step for step, _ in events(task, "t1")] == ["planning", "plan_review", "codegen", "review", "test"]
    run = shown(task, "t1")
    assert run["current"] == "test"
    assert {each["step"]: each["status"] for each in run["steps"]} == {
        "planning": "completed", "plan_review": "completed", "codegen": "completed", "review": "completed",
        "test": "running",
    }  # fmt: skip
    assert in_process(task.root, "runs", "show", "t1").status == 0


def test_going_back_is_in_the_same_run(task: Task) -> None:
    task.did("new")
    for target in ("plan_review", "planning", "plan_review", "codegen", "plan_review"):
        task.did("next", "--override", "so", "--to", target)
    assert list(runs(task)) == ["t1"]
    assert [step for step, _ in events(task, "t1")] == [
        "planning", "plan_review", "planning", "plan_review", "codegen", "plan_review"
    ]  # fmt: skip


def test_a_done_task_is_a_completed_run(task: Task) -> None:
    task.did("new")
    for _ in range(6):
        task.did("next", "--override", "on")
    assert task.phase == "done"
    found = runs(task)["t1"]
    assert (found["current"], found["status"]) == ("done", "completed")


def test_opening_a_done_task_again_is_a_run_of_its_own(task: Task) -> None:
    task.did("new")
    for _ in range(6):
        task.did("next", "--override", "on")
    task.did("redo", "--phase", "accept")
    task.did("revert", "--reason", "it broke the build")
    found = runs(task)
    assert set(found) == {"t1", "t1#2"}
    assert (found["t1"]["status"], found["t1#2"]["current"]) == ("completed", "revert")
    assert [step for step, _ in events(task, "t1#2")] == ["accept", "revert"]
    task.did("next", "--override", "enough")
    task.did("redo")
    assert set(runs(task)) == {"t1", "t1#2", "t1#3"}
    assert [step for step, _ in events(task, "t1#3")] == ["planning"]


def test_what_is_refused_is_no_event(task: Task) -> None:
    task.did("new")
    before = shown(task, "t1")["events"]
    assert task("next").status == 1
    assert task("test").status == 1
    task.did("plan")
    assert shown(task, "t1")["events"] == before


def test_a_task_that_was_there_before_is_shown_from_where_it_stands(task: Task) -> None:
    task.at("accept", {DECISION: {"decision": "accepted"}})
    task.did("next")
    assert runs(task)["t1"]["current"] == "done"


def test_tasks_of_one_name_in_two_projects_do_not_mix(task: Task, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    other = Task(tmp_path / "other")
    task.did("new")
    other.did("new")
    task.did("next", "--override", "on")
    assert (task.phase, other.phase) == ("plan_review", "planning")
    found = in_process(task.root, "runs", "list", "--json").json["runs"]
    assert sorted((Path(each["project"]).name, each["current"]) for each in found) == [
        ("other", "planning"),
        ("project", "plan_review"),
    ]


# --- a store that is in no state to be written


def not_a_database(path: Path) -> None:
    path.write_bytes(b"this is not a database, and long enough to be looked at" * 100)


def another_program_s(path: Path) -> None:
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE theirs (x)")
    connection.execute("PRAGMA user_version = 7")
    connection.commit()
    connection.close()


def a_folder(path: Path) -> None:
    path.mkdir()


def a_pipe(path: Path) -> None:
    os.mkfifo(path)


@pytest.mark.parametrize("breaks", [not_a_database, another_program_s, a_folder, a_pipe], ids=lambda f: f.__name__)
def test_a_broken_store_fails_no_move(
    task: Task, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, breaks: Callable[[Path], None]
) -> None:
    store = tmp_path / "broken.db"
    breaks(store)
    monkeypatch.setenv("RCS_DB", str(store))
    before = store.read_bytes() if store.is_file() else b""
    assert task("new").status == 0
    task.put(PLAN, WHOLE_PLAN)
    done = task("next")
    assert (done.status, task.phase) == (0, "plan_review")
    assert task("redo").status == 0
    assert task("status").status == 0
    assert task.story == [
        ("transition", None, "planning"), ("transition", "planning", "plan_review"),
        ("redo", "plan_review", "plan_review"),
    ]  # fmt: skip
    if store.is_file():
        assert store.read_bytes() == before


@pytest.mark.parametrize(
    "env", [{"RCS_DB": "/proc/nowhere/runs.db"}, {"RCS_DB": "", "HOME": ""}], ids=["proc", "no home"]
)
def test_no_place_for_a_store_fails_no_move(task: Task, env: dict[str, str]) -> None:
    done = task.program("new", **env)
    assert (done.status, task.phase) == (0, "planning"), done


def test_a_store_that_knows_another_end_of_the_story_fails_no_move(task: Task) -> None:
    task.did("new")
    assert in_process(task.root, "runs", "end", "t1").status == 0
    task.did("next", "--override", "on")
    assert task.phase == "plan_review"


def test_a_run_of_that_name_of_another_workflow_fails_no_move(task: Task) -> None:
    said = ("--type", "status_change", "--workflow", "theirs", "--run-id", "t1", "--step", "x")
    assert in_process(task.root, "emit", *said, "--data", '{"status": "running"}').status == 0
    assert task("new").status == 0
    assert task("next", "--override", "on").status == 0
    assert task.phase == "plan_review"
    assert events(task, "t1") == [("x", "running")]
