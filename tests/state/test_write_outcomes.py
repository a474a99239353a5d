"""A write of an outcome, and which values a write refuses."""

from __future__ import annotations

import json
from typing import Any

import pytest

from rcs_hooks.errors import Refused
from rcs_hooks.state.operations import get_status, list_active
from rcs_hooks.state.writing import write
from tests.state.test_operations import AT, DAY_BEFORE, ask, at, in_both_scopes, inventory
from tests.support import Record, Workspace
from tests.table import each_row
from tests.workflow.test_lifecycle import ONE_OF_EACH

# --- write: outcomes

ENDINGS = [
    ("finished", "finish"),
    ("failed", "failed"),
    ("blocked", "blocked"),
    ("userinterlude", "cancelled"),
]


@in_both_scopes
@each_row(("outcome", "legacy"), ENDINGS, ids=[outcome for outcome, _ in ENDINGS])
def test_an_outcome_that_ends_the_run_switches_it_off(
    outcome: str, legacy: str, session: str | None, workspace: Workspace
) -> None:
    workspace.write("forge", session, current_phase="verifying", iteration=4)
    write(at(workspace, session), "forge", {"lifecycle_outcome": outcome})
    wanted = {
        "active": False,
        "completed_at": AT,
        "lifecycle_outcome": outcome,
        "run_outcome": legacy,
        "current_phase": "verifying",
        "iteration": 4,
    }
    record = workspace.read("forge", session)
    assert record | wanted == record
    assert inventory(workspace, session) == []


def test_ask_user_question_leaves_the_mode_active_and_waiting(workspace: Workspace) -> None:
    workspace.write("forge")
    write(at(workspace), "forge", {"lifecycle_outcome": "askuserQuestion"})
    record = workspace.read("forge")
    wanted = {"active": True, "lifecycle_outcome": "askuserQuestion", "run_outcome": "blocked_on_user"}
    assert record | wanted == record
    assert "completed_at" not in record
    assert list_active(at(workspace)) == {"active_modes": ["forge"]}
    assert inventory(workspace) == ["forge"]
    assert not workspace.stop().blocks


WORDS = [(spelling, means.public) for spelling, means, _ in ONE_OF_EACH if means.public]


@each_row("field", ["lifecycle_outcome", "terminal_outcome"])
@each_row(("spelling", "public"), WORDS, ids=[spelling for spelling, _ in WORDS])
def test_every_spelling_of_an_outcome_is_written_as_its_public_word(
    field: str, spelling: str, public: str, workspace: Workspace
) -> None:
    workspace.write("forge")
    write(at(workspace), "forge", {field: spelling})
    assert workspace.read("forge")["lifecycle_outcome"] == public


LEGACY_WORDS = [
    ("finish", "finished"), ("done", "finished"), ("error", "failed"), ("blocked", "blocked"),
    ("canceled", "userinterlude"), ("interrupted", "userinterlude"),
]  # fmt: skip


@each_row(("word", "public"), LEGACY_WORDS, ids=[word for word, _ in LEGACY_WORDS])
def test_a_legacy_outcome_that_ends_the_run_gets_its_canonical_field(
    word: str, public: str, workspace: Workspace
) -> None:
    workspace.write("forge")
    write(at(workspace), "forge", {"run_outcome": word})
    wanted = {"active": False, "lifecycle_outcome": public, "run_outcome": word, "completed_at": AT}
    record = workspace.read("forge")
    assert record | wanted == record


def test_an_outcome_beside_active_true_is_refused_and_changes_no_byte(workspace: Workspace) -> None:
    workspace.write("forge")
    before = workspace.snapshot()
    with pytest.raises(Refused, match="finished"):
        write(at(workspace), "forge", {"active": True, "lifecycle_outcome": "done"})
    assert workspace.snapshot() == before


@each_row(
    "given",
    [
        {"iteration": 5},
        {"state": {"a": 1}},
        {"active": False},
    ],
    ids=lambda given: next(iter(given)),
)
@each_row("outcome", ["finished", "failed", "blocked", "userinterlude"])
def test_no_write_without_active_true_lifts_an_outcome(outcome: str, given: Record, workspace: Workspace) -> None:
    workspace.write("forge", active=False, lifecycle_outcome=outcome, completed_at=DAY_BEFORE)
    write(at(workspace), "forge", given)
    assert get_status(at(workspace), "forge")["statuses"]["forge"]["outcome"] == outcome
    assert list_active(at(workspace)) == {"active_modes": []}


@pytest.mark.parametrize(
    "wait",
    [
        {"lifecycle_outcome": "askuserQuestion"},
        {"run_outcome": "blocked_on_user"},
    ],
    ids=["canonical", "legacy"],
)
@pytest.mark.parametrize("given", [{"run_outcome": "continue"}, {"iteration": 2}], ids=["run_outcome", "iteration"])
def test_no_write_without_active_true_lifts_a_wait(given: Record, wait: Record, workspace: Workspace) -> None:
    workspace.write("forge", **wait)
    write(at(workspace), "forge", given)
    assert not workspace.stop().blocks


def test_active_true_lifts_a_wait(workspace: Workspace) -> None:
    workspace.write("forge", lifecycle_outcome="askuserQuestion", run_outcome="blocked_on_user", iteration=3)
    write(at(workspace), "forge", {"active": True})
    record = workspace.read("forge")
    assert not {"lifecycle_outcome", "run_outcome"} & set(record)
    assert (record["active"], record["iteration"]) == (True, 3)
    assert workspace.stop().blocks


@pytest.mark.parametrize("outcome", ["failed", "blocked", "userinterlude"])
def test_active_true_takes_a_stopped_run_up_where_it_was(outcome: str, workspace: Workspace) -> None:
    old: Record = {
        "current_phase": "verifying",
        "iteration": 7,
        "max_iterations": 50,
        "state": {"a": 1},
        "note": "kept",
    }
    workspace.write("forge", active=False, lifecycle_outcome=outcome, completed_at=DAY_BEFORE, error="x", **old)
    write(at(workspace), "forge", {"active": True})
    record = workspace.read("forge")
    assert record | old | {"active": True} == record
    assert not {"lifecycle_outcome", "run_outcome", "completed_at", "error"} & set(record)


def test_active_true_after_finished_starts_afresh(workspace: Workspace) -> None:
    workspace.write("forge", active=False, lifecycle_outcome="finished", current_phase="x", iteration=7, note="kept")
    write(at(workspace), "forge", {"active": True})
    record = workspace.read("forge")
    wanted = {"active": True, "current_phase": "starting", "iteration": 0, "state": {}, "note": "kept"}
    assert record | wanted == record
    assert "lifecycle_outcome" not in record


def test_given_fields_stand_beside_active_true(workspace: Workspace) -> None:
    write(at(workspace), "forge", {"active": True, "current_phase": "executing", "state": {"a": 1}})
    record = workspace.read("forge")
    assert (record["current_phase"], record["state"], record["iteration"]) == ("executing", {"a": 1}, 1)


def test_starting_an_active_mode_again_keeps_its_progress(workspace: Workspace) -> None:
    old: Record = {"current_phase": "verifying", "iteration": 7, "started_at": DAY_BEFORE, "state": {"a": 1}}
    workspace.write("forge", **old)
    write(at(workspace), "forge", {"active": True})
    record = workspace.read("forge")
    assert record | old == record


def test_an_ending_aborts_the_pending_question_of_the_mode_and_no_other(workspace: Workspace) -> None:
    workspace.write("forge", lifecycle_outcome="askuserQuestion")
    mine, other = ask(workspace, "forge", "q-1"), ask(workspace, "team", "q-2")
    write(at(workspace), "forge", {"lifecycle_outcome": "finished"})
    assert json.loads(mine.read_text())["status"] == "aborted"
    assert json.loads(other.read_text())["status"] == "pending"


# --- write: validation

LONG = "x" * 2_001
WRONG: dict[str, list[Any]] = {
    "active": [None, 0, 1, "true", "", [], {}],
    "mode": [None, 0, "", "team", "no mode", [], {}],
    "current_phase": [None, 0, True, "", "  ", LONG, [], {}],
    "iteration": [None, -1, 1.5, True, "3", 10**9, [], {}],
    "max_iterations": [None, 0, -1, 1.5, True, "3", 10**9, [], {}],
    "lifecycle_outcome": [None, 0, True, "", "nonsense", "progress", "continue", [], {}],
    "terminal_outcome": [None, 0, True, "", "nonsense", "progress", [], {}],
    "run_outcome": [None, 0, True, "", "nonsense", [], {}],
    "state": [None, 0, True, "", "{}", []],
    "started_at": [0, 1700000000, True, "", "yesterday", [], {}],
    "updated_at": [0, True, "", "yesterday", [], {}],
    "completed_at": [0, True, "", "yesterday", [], {}],
    "session_id": [0, True, LONG, [], {}],
    "thread_id": [0, True, LONG, [], {}],
    "turn_id": [0, True, LONG, [], {}],
    "error": [0, True, LONG, [], {}],
}
EACH_WRONG = [(field, value) for field, values in WRONG.items() for value in values]


@each_row(("field", "value"), EACH_WRONG, ids=[f"{field}={value!r:.20}" for field, value in EACH_WRONG])
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


def test_validation_comes_before_any_transition(workspace: Workspace) -> None:
    workspace.write("autopilot")
    with pytest.raises(Refused, match=r"^iteration: expected a whole number, 0 or more, got -1"):
        write(at(workspace), "forge", {"active": True, "iteration": -1})


def test_a_denial_makes_nothing_where_only_root_has_state(workspace: Workspace) -> None:
    workspace.write("autopilot", None)
    before = workspace.snapshot()
    with pytest.raises(Refused, match=r"^Cannot activate forge"):
        write(at(workspace), "forge", {"active": True})
    assert workspace.snapshot() == before
    assert not workspace.folder("s1").exists()
