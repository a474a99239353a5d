"""What a write merges into a record, what it returns, and when it asks the policy."""

from __future__ import annotations

import json

import pytest

from rcs_hooks.errors import Refused
from rcs_hooks.state.operations import list_active
from rcs_hooks.state.writing import write
from tests.state.test_operations import AT, DAY_BEFORE, agrees, at, break_file, in_both_scopes, inventory
from tests.support import Record, Workspace
from tests.workflow.test_transitions import CELLS, Cell

# --- write: the result, and merging


@pytest.mark.parametrize(
    ("session", "path"),
    [("s1", ".rcs/state/sessions/s1/forge-state.json"), (None, ".rcs/state/forge-state.json")],
    ids=["session", "root"],
)
def test_write_says_which_file_it_wrote(session: str | None, path: str, workspace: Workspace) -> None:
    workspace.write("forge", session)
    result = write(at(workspace, session), "forge", {"current_phase": "verifying"})
    assert result | {"success": True, "mode": "forge", "path": path} == result
    assert json.loads((workspace.root / path).read_text())["current_phase"] == "verifying"


@in_both_scopes
def test_write_keeps_every_field_that_it_was_not_given(session: str | None, workspace: Workspace) -> None:
    old = workspace.write("forge", session, iteration=3, thread_id="t", note={"any": ["thing"]}, state={"a": 1})
    write(at(workspace, session), "forge", {"current_phase": "verifying", "colour": "green"})
    new = workspace.read("forge", session)
    assert {key: new[key] for key in old if key not in ("current_phase", "updated_at")} == {
        key: old[key] for key in old if key not in ("current_phase", "updated_at")
    }
    assert (new["current_phase"], new["colour"], new["updated_at"]) == ("verifying", "green", AT)


def test_state_is_merged_key_by_key_and_not_deeper(workspace: Workspace) -> None:
    workspace.write("forge", state={"kept": 1, "replaced": {"a": 1}, "other": [1]})
    write(at(workspace), "forge", {"state": {"replaced": {"b": 2}, "new": None}})
    assert workspace.read("forge")["state"] == {"kept": 1, "replaced": {"b": 2}, "other": [1], "new": None}


def test_state_replaces_what_is_no_object(workspace: Workspace) -> None:
    workspace.write("forge", state="odd")
    write(at(workspace), "forge", {"state": {"a": 1}})
    assert workspace.read("forge")["state"] == {"a": 1}


def test_a_write_about_a_root_record_moves_it_to_the_session_and_ends_it_in_root(workspace: Workspace) -> None:
    workspace.write("forge", None, note="kept")
    write(at(workspace), "forge", {"current_phase": "verifying"})
    assert workspace.read("forge")["note"] == "kept"
    assert workspace.read("forge", None)["active"] is False
    assert list_active(at(workspace)) == {"active_modes": ["forge"]}
    assert agrees(workspace)


@pytest.mark.parametrize("given", [{"current_phase": "x"}, {"lifecycle_outcome": "finished"}, {"note": 1}])
def test_a_write_that_does_not_activate_starts_nothing(given: Record, workspace: Workspace) -> None:
    with pytest.raises(Refused, match="forge does not run in session s1"):
        write(at(workspace), "forge", given)
    assert workspace.snapshot() == {}


@pytest.mark.parametrize("value", [float("inf"), float("nan")], ids=["infinity", "nan"])
def test_what_is_no_json_is_refused_and_makes_nothing(value: float, workspace: Workspace) -> None:
    with pytest.raises(Refused):
        write(at(workspace), "forge", {"note": value})
    assert list(workspace.root.iterdir()) == []


def test_a_write_looks_at_what_a_killed_commit_was_about_to_do(workspace: Workspace) -> None:
    workspace.write("team")
    files = [{"path": "sessions/s1/team-state.json", "remove": True}]
    (workspace.state / ".commit.json").write_text(json.dumps({"version": 1, "files": files}))
    assert write(at(workspace), "ultraqa", {"active": True})["success"] is True
    assert list_active(at(workspace)) == {"active_modes": ["ultraqa"]}


# --- write: what would activate asks the policy


def prepared(cell: Cell, workspace: Workspace, session: str | None) -> None:
    verdict = {"review_verdict": {"clean": not cell.review_open}}
    workspace.write(cell.active, session, **({"state": verdict} if cell.active == "autopilot" else {}))


def each_cell(*kinds: str) -> pytest.MarkDecorator:
    cells = [cell for cell in CELLS if cell.kind in kinds]
    return pytest.mark.parametrize("cell", cells, ids=[cell.id for cell in cells])


@in_both_scopes
def test_a_write_on_an_empty_set_starts_the_mode(session: str | None, workspace: Workspace) -> None:
    result = write(at(workspace, session), "forge", {"active": True}, root_scope=session is None)
    assert "transition" not in result
    wanted = {"active": True, "mode": "forge", "current_phase": "starting", "iteration": 0, "max_iterations": 50}
    record = workspace.read("forge", session)
    assert record | wanted == record
    assert inventory(workspace, session) == ["forge"]


@in_both_scopes
@each_cell("overlap")
def test_a_write_that_overlaps_leaves_the_other_to_the_byte(
    cell: Cell, session: str | None, workspace: Workspace
) -> None:
    prepared(cell, workspace, session)
    other = workspace.mode_path(cell.active, session).read_bytes()
    result = write(at(workspace, session), cell.requested, {"active": True}, root_scope=session is None)
    assert "transition" not in result
    assert workspace.mode_path(cell.active, session).read_bytes() == other
    assert inventory(workspace, session) == [cell.active, cell.requested]


@in_both_scopes
@each_cell("handoff")
def test_a_write_that_hands_off_completes_the_source(cell: Cell, session: str | None, workspace: Workspace) -> None:
    prepared(cell, workspace, session)
    message = f"mode transiting: {cell.active} -> {cell.requested}"
    assert (
        write(at(workspace, session), cell.requested, {"active": True}, root_scope=session is None)["transition"]
        == message
    )
    wanted = {
        "active": False,
        "current_phase": "completed",
        "completed_at": AT,
        "auto_completed_reason": message,
        "transition_target_mode": cell.requested,
    }
    source = workspace.read(cell.active, session)
    assert source | wanted == source
    assert inventory(workspace, session) == [cell.requested]


@in_both_scopes
@each_cell("denied", "rollback")
def test_a_denied_write_changes_no_byte(cell: Cell, session: str | None, workspace: Workspace) -> None:
    prepared(cell, workspace, session)
    before = workspace.snapshot()
    with pytest.raises(Refused, match=f"^Cannot activate {cell.requested} while {cell.active} is still active. "):
        write(at(workspace, session), cell.requested, {"active": True}, root_scope=session is None)
    assert workspace.snapshot() == before


@each_cell("denied", "rollback")
def test_a_denied_write_says_what_the_hook_says(cell: Cell, workspace: Workspace) -> None:
    prepared(cell, workspace, "s1")
    with pytest.raises(Refused) as refused:
        write(at(workspace), cell.requested, {"active": True})
    assert str(refused.value) == workspace.prompt(f"${cell.requested}").context


DORMANT: list[tuple[Record, Record]] = [
    ({"current_phase": "complete"}, {"current_phase": "executing"}),
    ({"run_outcome": "failed"}, {"run_outcome": "continue"}),
    ({"error": "it broke"}, {"error": None}),
    ({"completed_at": DAY_BEFORE}, {"completed_at": None}),
]


@pytest.mark.parametrize(("ended", "given"), DORMANT, ids=["current_phase", "run_outcome", "error", "completed_at"])
def test_no_write_activates_past_the_policy(ended: Record, given: Record, workspace: Workspace) -> None:
    """The file says active: true and an outcome, so the mode is not active; autopilot does not stand beside forge."""
    workspace.write("forge", **ended)
    workspace.write("autopilot")
    try:
        write(at(workspace), "forge", given)
    except Refused as error:
        assert "Cannot activate forge while autopilot" in str(error) or "forge has ended" in str(error)
    assert list_active(at(workspace)) == {"active_modes": ["autopilot"]}


@pytest.mark.parametrize("given", [{"note": 1}, {"active": True}], ids=["a field", "active"])
def test_an_empty_record_of_the_session_lets_no_root_record_past_the_policy(
    given: Record, workspace: Workspace
) -> None:
    break_file(workspace, "forge", text="{}")
    workspace.write("forge", None)
    workspace.write("autopilot")
    try:
        write(at(workspace), "forge", given)
    except Refused as error:
        assert "Cannot activate forge while autopilot" in str(error)
    assert list_active(at(workspace)) == {"active_modes": ["autopilot"]}
