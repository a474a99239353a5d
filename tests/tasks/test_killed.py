"""A move that was killed did not happen: what it archived comes back, and it can be requested again."""

from __future__ import annotations

import json

import pytest

from rcs_hooks.errors import Unavailable
from rcs_hooks.tasks import archive, phases
from tests.files.test_foreign_journal import each_moment, refuse_open
from tests.support import few
from tests.table import each_row
from tests.tasks.paths import CODE_REVIEW, DECISION, DIFF, PLAN_REVIEW, REPORT
from tests.tasks.rows import ROWS
from tests.tasks.support import Record, Task
from tests.tasks.test_override import killed

BACK = {name: ROWS[name] for name in ("T4", "T5", "T7", "T8", "T11", "T12", "T14", "T16", "T17", "T18")}
NOTE = ".putting-aside.json"


@pytest.mark.slow
@pytest.mark.parametrize("name", few(BACK))
def test_the_same_command_goes_through_after_a_kill(task: Task, name: str) -> None:
    row = BACK[name]
    row.on(task)
    killed(task, row.command)
    task.did(row.command)
    assert task.phase == row.target
    assert not task.there(NOTE)


def test_a_redo_that_was_killed_loses_nothing(task: Task) -> None:
    task.at("review", {CODE_REVIEW: "mine", REPORT: "mine too"})
    killed(task, "redo")
    assert task("next").status == 1
    found = task.tree("state.json", "transcript.jsonl")
    assert (found[CODE_REVIEW], found[REPORT]) == (b"mine", b"mine too")


@pytest.mark.slow
@each_moment
@pytest.mark.parametrize("name", [NOTE, phases.STATE_FILE])
def test_what_a_kill_left_aside_waits_while_it_cannot_be_read(task: Task, name: str, refusal: int) -> None:
    task.at("review", {CODE_REVIEW: "mine", REPORT: "mine too"})
    killed(task, "redo")
    with pytest.MonkeyPatch.context() as moment:
        refuse_open(moment, name, refusal)
        with pytest.raises(Unavailable, match=f"{name} cannot be read for the moment"):
            archive.recover(str(task.folder))
    assert task.there(NOTE)
    archive.recover(str(task.folder))
    assert task.tree()[CODE_REVIEW] == b"mine"
    assert not task.there(NOTE)


@each_row(
    "note",
    [
        {"folder": "../../..", "moved": [DIFF]},
        {"folder": "history/../../..", "moved": [DIFF]},
        {"folder": "history/1", "moved": ["../../../outside", "/etc/passwd", 7, None]},
        {"folder": ["history/1"], "moved": {"x": 1}},
        {},
    ],
    ids=str,
)
def test_a_note_that_is_not_ours_moves_nothing(task: Task, note: Record) -> None:
    from hashlib import sha256

    task.at("planning")
    (task.root / "code").mkdir()
    (task.root / "code" / "diff.patch").write_text("not the task's")
    task.put(NOTE, note | {"state": sha256((task.folder / "state.json").read_bytes()).hexdigest()})
    before = task.tree("transcript.jsonl", NOTE)
    assert task("next").status == 1
    assert task.tree("transcript.jsonl") == before
    assert (task.root / "code" / "diff.patch").read_text() == "not the task's"


def test_a_note_of_a_move_that_was_made_moves_nothing_back(task: Task) -> None:
    task.at("planning", {f"history/1/{PLAN_REVIEW}": "old"})
    task.put(NOTE, {"folder": "history/1", "moved": [PLAN_REVIEW], "state": "of an older state"})
    assert task("next").status == 1
    assert task.there(f"history/1/{PLAN_REVIEW}")
    assert not task.there(PLAN_REVIEW)
    assert not task.there(NOTE)


def test_a_line_that_was_cut_short_is_closed_before_the_next(task: Task) -> None:
    task.at("planning")
    (task.folder / "transcript.jsonl").write_text('{"kind": "tra')
    task.did("redo")
    first, second, rest = (task.folder / "transcript.jsonl").read_text().split("\n")
    assert (first, json.loads(second)["kind"], rest) == ('{"kind": "tra', "redo", "")


def test_what_a_person_recorded_beside_a_decision_stays(task: Task) -> None:
    task.at("accept", {DECISION: {"decision": "unclear", "regression_found": False, "ticket": "X-1"}})
    task.did("accept", "--decision", "deferred", "--reason", "wait")
    found = task.read(DECISION)
    assert (found["decision"], found["ticket"]) == ("deferred", "X-1")
    assert task.story == [("note", "accept", "accept")]
    before = task.tree()
    task.did("accept", "--decision", "deferred", "--reason", "wait")
    assert task.tree() == before
