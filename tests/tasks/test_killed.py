"""What is in a task's files beside what we write stays."""

from __future__ import annotations

import json

from tests.tasks.paths import DECISION
from tests.tasks.support import Task


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
