"""Any file of a task may be broken: the message is clear, nothing is changed, and nobody waits."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tests.contract import ENTER
from tests.table import each_row
from tests.tasks.paths import CODE_REVIEW, PLAN
from tests.tasks.rows import CLEAN_REVIEW, CODE_FILES, WHOLE_PLAN
from tests.tasks.support import Task, in_process


def test_the_contract_s_own_state_is_read_and_moved(task: Task) -> None:
    actors = {
        "planning": {"round": 3, "status": "workshop"},
        "codegen": {"status": "pending"},
        "review": {"status": None},
        "test": {"status": None},
    }
    task.put("state.json", {"phase": "codegen", "actors": actors, "über": [1, {"deep": None}]})
    for path, content in (CODE_FILES | {PLAN: WHOLE_PLAN}).items():
        task.put(path, content)
    task.did("review code")
    assert (task.phase, task.state["actors"]["planning"]) == ("review", {"round": 3, "status": "workshop"})
    assert task.state["über"] == [1, {"deep": None}]


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


@each_row(("place", "command"), [
    ("accept", ("accept", "--decision", "accepted")),
    ("history", ("accept", "--decision", "unclear")),
    ("revert", ("revert", "--reason", "it broke")),
])  # fmt: skip
def test_no_link_is_written_through(task: Task, place: str, command: tuple[str, ...]) -> None:
    outside = task.root.parent / "outside"
    outside.mkdir()
    task.at("accept", {CODE_REVIEW: CLEAN_REVIEW})
    task.folder.joinpath(place).symlink_to(outside)
    before = task.state_bytes
    done = task(*command)
    assert (done.status, done.out, task.state_bytes) == (1, "", before)
    assert list(outside.iterdir()) == []


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
