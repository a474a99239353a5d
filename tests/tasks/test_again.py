"""The same command twice changes nothing the second time, except `redo` and `next`, which always move."""

from __future__ import annotations

import pytest

from tests.table import each_row
from tests.tasks.paths import DECISION, PLAN, REVERT
from tests.tasks.rows import ROWS, WHOLE_PLAN, Row
from tests.tasks.support import ENTER, Task

ENTERING = {name: row for name, row in ROWS.items() if row.command in ENTER.values()}


@each_row("row", ENTERING.values(), ids=ENTERING)
def test_a_phase_command_twice_is_once(task: Task, row: Row) -> None:
    row.on(task)
    task.did(row.command)
    assert task.phase == row.target
    before = task.tree()
    again = task(row.command)
    assert (again.status, again.err) == (0, "")
    assert f"already in {row.target}" in again.out
    assert task.tree() == before


@each_row("phase", ENTER)
def test_the_command_of_the_present_phase_changes_nothing(task: Task, phase: str) -> None:
    task.at(phase)
    before = task.tree()
    for _ in range(2):
        done = task(ENTER[phase])
        assert (done.status, done.err) == (0, "")
        assert done.out == f"task t1: already in {phase}\n  next: rcs task status t1\n"
        assert task.tree() == before


@each_row("phase", ENTER)
def test_in_json_too(task: Task, phase: str) -> None:
    task.at(phase)
    before = task.tree()
    done = task(ENTER[phase], "--json")
    assert done.status == 0
    assert done.json["ok"] is True
    assert task.tree() == before


def test_a_task_is_made_once(task: Task) -> None:
    task.did("new")
    before = task.tree()
    done = task("new")
    assert (done.status, done.out) == (1, "")
    assert "state.json: task already exists in phase planning" in done.err
    assert "rcs task status t1" in done.err
    assert task.tree() == before


def test_looking_writes_nothing(task: Task) -> None:
    task.at("planning", {PLAN: WHOLE_PLAN})
    before = task.tree()
    first, second = task.did("status"), task.did("status")
    assert first == second
    task.did("status", "--json")
    assert task.rcs("task", "list").status == 0
    assert task.tree() == before


def test_a_decision_to_stay_is_recorded_and_moves_nothing(task: Task) -> None:
    task.at("accept")
    before = task.state_bytes
    task.did("accept", "--decision", "deferred", "--reason", "wait for the release")
    assert task.read(DECISION)["decision"] == "deferred"
    assert task.state_bytes == before
    recorded = task.tree()
    task.did("accept", "--decision", "deferred", "--reason", "wait for the release")
    assert task.tree() == recorded


def test_a_decision_twice_moves_once(task: Task) -> None:
    task.at("accept")
    task.did("accept", "--decision", "accepted")
    assert task.phase == "done"
    before = task.tree("transcript.jsonl")
    assert task("accept", "--decision", "accepted").status == 1
    assert task.tree("transcript.jsonl") == before


def test_a_revert_twice_moves_once(task: Task) -> None:
    task.at("accept")
    task.did("revert", "--reason", "it broke the build")
    assert (task.phase, task.read(REVERT)["reason"]) == ("revert", "it broke the build")
    before = task.tree("transcript.jsonl")
    assert task("revert", "--reason", "it broke the build").status == 1
    assert task.tree("transcript.jsonl") == before
    task.did("revert")
    assert task.tree("transcript.jsonl") == before


@pytest.mark.parametrize("command", ["redo", "next"])
def test_what_moves_by_nature_moves_again(task: Task, command: str) -> None:
    task.at("planning", {PLAN: WHOLE_PLAN, "review/plan-review.json": {"ok": True, "blocked": False}})
    task.did(command)
    first = task.state_bytes
    task.did(command)
    assert task.state_bytes != first
