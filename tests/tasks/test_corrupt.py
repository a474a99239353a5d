"""Any file of a task may be broken: the message is clear, nothing is changed, and nobody waits."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.table import each_row
from tests.tasks.paths import CODE_REVIEW, PLAN, REPORT
from tests.tasks.rows import CLEAN_REVIEW, CODE_FILES, WHOLE_PLAN
from tests.tasks.support import ENTER, Task, in_process

Breaks = Callable[[Path], None]


def link(path: Path) -> None:
    other = path.with_name("elsewhere.json")
    path.rename(other)
    path.symlink_to(other)


def folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def state(**changed: object) -> Breaks:
    """Writes the state with other values; `...` removes a key."""

    def put(path: Path) -> None:
        record = json.loads(path.read_text()) | changed
        path.write_text(json.dumps({key: value for key, value in record.items() if value is not ...}))

    return put


@each_row(
    "without",
    [("actors",), ("task_id",), ("created_at",), ("updated_at",), ("actors", "task_id", "created_at")],
    ids="+".join,
)
def test_a_state_that_says_no_more_than_the_phase_is_enough(task: Task, without: tuple[str, ...]) -> None:
    task.at("planning", {PLAN: WHOLE_PLAN})
    task.put("state.json", {key: value for key, value in task.state.items() if key not in without})
    task.did("status")
    task.did("next")
    assert (task.phase, task.round("plan_review")) == ("plan_review", 1)


def test_the_contract_s_own_state_is_read_and_moved(task: Task) -> None:
    actors = {
        "planning": {"round": 3, "status": "workshop"},
        "codegen": {"status": "pending"},
        "review": {"status": None},
        "test": {"status": None},
    }
    task.put("state.json", {"phase": "codegen", "actors": actors})
    for path, content in (CODE_FILES | {PLAN: WHOLE_PLAN}).items():
        task.put(path, content)
    task.did("review code")
    assert (task.phase, task.state["actors"]["planning"]) == ("review", {"round": 3, "status": "workshop"})


def test_keys_that_nobody_knows_survive(task: Task) -> None:
    task.at("planning", {PLAN: WHOLE_PLAN}, planning={"round": 4, "mood": "good"}, stranger={"of": "mine"})
    task.put("state.json", task.state | {"priority": [1, {"deep": None}], "über": "ß"})
    task.did("next")
    task.did("next", "--override", "on")
    task.did("redo")
    state = task.state
    assert (state["priority"], state["über"]) == ([1, {"deep": None}], "ß")
    assert state["actors"]["stranger"] == {"of": "mine"}
    assert (state["actors"]["planning"]["mood"], state["actors"]["planning"]["round"]) == ("good", 4)


def test_rounds_never_decrease(task: Task) -> None:
    task.at("plan_review", {PLAN: {}}, planning={"round": 7}, plan_review={"round": 3})
    task.did("plan")
    assert task.round("planning") == 8
    task.did("next", "--override", "on")
    assert task.round("plan_review") >= 3


# --- artifacts


@pytest.mark.parametrize("which", ["a link out of the project", "a loop", "a pipe"])
def test_generated_files_that_are_none_are_not_followed(task: Task, tmp_path: Path, which: str) -> None:
    secret = tmp_path / "secret"
    secret.write_text("secret")
    task.at("codegen", CODE_FILES | {PLAN: WHOLE_PLAN})
    odd = task.folder / "code/files/odd"
    if which == "a pipe":
        os.mkfifo(odd)
    else:
        odd.symlink_to(secret if which == "a link out of the project" else task.folder / "code")
    done = task("redo")
    assert done.status in (0, 1)
    assert not [path for path in task.folder.rglob("history/**/*") if path.is_file() and path.read_bytes() == b"secret"]
    assert secret.read_text() == "secret"
    assert task.folder.joinpath("state.json").is_file()


@pytest.mark.parametrize("place", ["accept", "history", "revert"])
def test_no_link_is_written_through(task: Task, tmp_path: Path, place: str) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    task.at("accept", {REPORT: {"status": "completed", "overall_pass": True, "suites": []}})
    task.folder.joinpath(place).symlink_to(outside)
    command = {
        "accept": ("accept", "--decision", "accepted"),
        "history": ("accept", "--decision", "unclear"),
        "revert": ("revert", "--reason", "it broke"),
    }
    if place == "history":
        task.put(CODE_REVIEW, CLEAN_REVIEW)
    before = task.state_bytes
    done = task(*command[place])
    assert list(outside.iterdir()) == []
    assert (done.status, done.out) == (1, "")
    assert task.state_bytes == before


def test_a_line_that_was_cut_short_spoils_no_other(task: Task) -> None:
    task.at("planning", {PLAN: WHOLE_PLAN, "transcript.jsonl": '{"kind": "tran'})
    task.did("next")
    first, second = (task.folder / "transcript.jsonl").read_text().splitlines()
    assert first == '{"kind": "tran'
    assert json.loads(second)["to"] == "plan_review"


# --- names


@each_row("name", ["..", "../x", "a/b", "", ".hidden", "x" * 129, "a b", "ä", "a\n", "-x"], ids=ascii)
def test_a_name_that_cannot_be_a_folder_is_refused(task: Task, name: str) -> None:
    done = in_process(task.root, "task", "new", "--", name)
    assert done.status == 1
    assert done.out == ""
    assert not (task.root / ".rcs").exists()


@each_row("command", ["status", "next", "redo", *ENTER.values()])
def test_a_task_that_is_not_there_is_not_made(task: Task, command: str) -> None:
    done = task(command)
    assert (done.status, done.out) == (1, "")
    assert "t1" in done.err
    assert "rcs task new" in done.err
    assert not (task.root / ".rcs").exists()
