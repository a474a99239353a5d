"""A write of an outcome, and which values a write refuses."""

from __future__ import annotations

import json
from typing import Any

import pytest

from rcs_hooks.errors import Refused
from rcs_hooks.state.operations import get_status, list_active
from rcs_hooks.state.writing import write
from tests.contract import OUTCOMES
from tests.state.test_operations import DAY_BEFORE, ask, at
from tests.support import Record, Workspace
from tests.table import each_row

WAITS: list[Record] = [{"lifecycle_outcome": "askuserQuestion"}, {"run_outcome": "blocked_on_user"}]


WORDS = [
    (spelling, means.public) for means in OUTCOMES.values() if means.public for spelling in means.spellings.split()
]


@each_row("field", ["lifecycle_outcome", "terminal_outcome"])
@each_row(("spelling", "public"), WORDS)
def test_every_spelling_of_an_outcome_is_written_as_its_public_word(
    field: str, spelling: str, public: str, workspace: Workspace
) -> None:
    workspace.write("forge")
    write(at(workspace), "forge", {field: spelling})
    assert workspace.read("forge")["lifecycle_outcome"] == public


@each_row("given", [{"iteration": 5}, {"state": {"a": 1}}, {"active": False}])
@each_row("outcome", ["finished", "blocked"])
def test_no_write_without_active_true_lifts_an_outcome(outcome: str, given: Record, workspace: Workspace) -> None:
    workspace.write("forge", active=False, lifecycle_outcome=outcome, completed_at=DAY_BEFORE)
    write(at(workspace), "forge", given)
    assert get_status(at(workspace), "forge")["statuses"]["forge"]["outcome"] == outcome
    assert list_active(at(workspace)) == {"active_modes": []}


@each_row("wait", WAITS)
@each_row("given", [{"run_outcome": "continue"}, {"iteration": 2}])
def test_no_write_without_active_true_lifts_a_wait(given: Record, wait: Record, workspace: Workspace) -> None:
    workspace.write("forge", **wait)
    write(at(workspace), "forge", given)
    assert not workspace.stop().blocks


# --- active: true

DONE_AT: Record = {"active": False, "completed_at": DAY_BEFORE, "error": "x"}
OLD: Record = {"current_phase": "verifying", "iteration": 7, "max_iterations": 50, "state": {"a": 1}, "note": "kept"}
ANEW: Record = {"current_phase": "starting", "iteration": 0, "state": {}, "note": "kept"}
TAKEN_UP: list[tuple[Record, Record, Record]] = [
    # the record, what is written beside active: true, and what the record says then
    (OLD, {}, OLD),
    (OLD | WAITS[0] | WAITS[1], {}, OLD),
    *((OLD | DONE_AT | {"lifecycle_outcome": outcome}, {}, OLD) for outcome in ("failed", "blocked", "userinterlude")),
    (OLD | DONE_AT | {"lifecycle_outcome": "finished"}, {}, ANEW),
    (OLD | DONE_AT | {"lifecycle_outcome": "finished"}, {"current_phase": "executing", "state": {"b": 1}},
     ANEW | {"current_phase": "executing", "iteration": 1, "state": {"b": 1}}),
]  # fmt: skip


@each_row(("old", "given", "expected"), TAKEN_UP)
def test_active_true_takes_up_what_stopped_and_begins_anew_what_has_finished(
    old: Record, given: Record, expected: Record, workspace: Workspace
) -> None:
    workspace.write("forge", **old)
    write(at(workspace), "forge", {"active": True} | given)
    record = workspace.read("forge")
    assert record | expected | {"active": True} == record
    assert not {"lifecycle_outcome", "run_outcome", "completed_at", "error"} & set(record)
    assert workspace.stop().blocks


def test_an_ending_aborts_the_pending_question_of_the_mode_and_no_other(workspace: Workspace) -> None:
    workspace.write("forge", lifecycle_outcome="askuserQuestion")
    mine, other = ask(workspace, "forge", "q-1"), ask(workspace, "team", "q-2")
    write(at(workspace), "forge", {"lifecycle_outcome": "finished"})
    assert json.loads(mine.read_text())["status"] == "aborted"
    assert json.loads(other.read_text())["status"] == "pending"


# --- validation

LONG = "x" * 2_001
WRONG: dict[str, list[Any]] = {
    "active": [None, 0, 1, "true", []],
    "mode": [None, "", "team", "no mode", {}],
    "current_phase": [None, 0, True, "", "  ", LONG, {}],
    "iteration": [None, -1, 1.5, True, "3", 10**9, {}],
    "max_iterations": [None, 0, -1, 1.5, True, "3", 10**9, {}],
    "lifecycle_outcome": [None, 0, True, "", "nonsense", "progress", "continue", {}],
    "terminal_outcome": [None, True, "", "nonsense", "progress", {}],
    "run_outcome": [None, True, "", "nonsense", {}],
    "state": [None, 0, True, "{}", []],
    "started_at": [0, 1700000000, True, "", "yesterday", {}],
    "updated_at": [0, "", "yesterday", {}],
    "completed_at": [0, "", "yesterday", {}],
    "session_id": [0, True, LONG, {}],
    "thread_id": [0, LONG, {}],
    "turn_id": [0, LONG, {}],
    "error": [0, LONG, {}],
}
EACH_WRONG = [(field, value) for field, values in WRONG.items() for value in values]


@each_row(("field", "value"), EACH_WRONG)
def test_a_wrong_value_is_refused_by_the_name_of_its_field_and_changes_no_byte(
    field: str, value: Any, workspace: Workspace
) -> None:
    workspace.write("forge", state={"a": 1})
    before = workspace.snapshot()
    with pytest.raises(Refused, match=f"^{field}: "):
        write(at(workspace), "forge", {"note": "good", field: value})
    assert workspace.snapshot() == before


@each_row("field", sorted(set(WRONG) - {"active"}))
def test_a_wrong_value_makes_nothing_in_an_empty_workspace(field: str, workspace: Workspace) -> None:
    with pytest.raises(Refused, match=f"^{field}: "):
        write(at(workspace), "forge", {"active": True, field: WRONG[field][-1]})
    assert list(workspace.root.iterdir()) == []


@each_row(("session", "given", "said"), [
    ("s1", {"active": True, "iteration": -1}, "^iteration: expected a whole number, 0 or more, got -1"),
    ("s1", {"active": True, "lifecycle_outcome": "done"}, "finished"),
    (None, {"active": True}, "^Cannot activate forge"),
])  # fmt: skip
def test_what_is_refused_first_is_said_and_nothing_is_made(
    session: str | None, given: Record, said: str, workspace: Workspace
) -> None:
    workspace.write("autopilot", session)
    before = workspace.snapshot()
    with pytest.raises(Refused, match=said):
        write(at(workspace), "forge", given)
    assert workspace.snapshot() == before
