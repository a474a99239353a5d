"""What a write merges into a record, what it returns, and when it asks the policy."""

from __future__ import annotations

import json

import pytest

from rcs_hooks.errors import Refused
from rcs_hooks.state.operations import list_active
from rcs_hooks.state.writing import write
from tests.state.test_operations import AT, DAY_BEFORE, agrees, at, break_file, in_both_scopes, inventory
from tests.support import Record, Workspace
from tests.table import each_row
from tests.workflow.test_transitions import CELLS, Cell


@in_both_scopes
def test_a_write_keeps_every_field_that_it_was_not_given_and_names_its_file(
    session: str | None, workspace: Workspace
) -> None:
    old = workspace.write("forge", session, iteration=3, thread_id="t", note={"any": ["thing"]}, state={"a": 1})
    result = write(at(workspace, session), "forge", {"current_phase": "verifying", "colour": "green"})
    new = workspace.read("forge", session)
    changed = {"current_phase": "verifying", "updated_at": AT, "colour": "green"}
    assert new | old | changed == new
    path = ".rcs/state/sessions/s1/forge-state.json" if session else ".rcs/state/forge-state.json"
    assert result | {"success": True, "mode": "forge", "path": path} == result


def test_a_write_about_a_root_record_moves_it_to_the_session_and_ends_it_in_root(workspace: Workspace) -> None:
    workspace.write("forge", None, note="kept")
    write(at(workspace), "forge", {"current_phase": "verifying"})
    assert workspace.read("forge")["note"] == "kept"
    assert workspace.read("forge", None)["active"] is False
    assert list_active(at(workspace)) == {"active_modes": ["forge"]}
    assert agrees(workspace)


@each_row("given", [{"current_phase": "x"}, {"note": 1}, {"note": float("inf")}, {"note": float("nan")}])
def test_a_write_that_is_refused_makes_nothing(given: Record, workspace: Workspace) -> None:
    with pytest.raises(Refused):
        write(at(workspace), "forge", given)
    assert list(workspace.root.iterdir()) == []


def test_a_write_looks_at_what_a_killed_commit_was_about_to_do(workspace: Workspace) -> None:
    workspace.write("team")
    files = [{"path": "sessions/s1/team-state.json", "remove": True}]
    (workspace.state / ".commit.json").write_text(json.dumps({"version": 1, "files": files}))
    assert write(at(workspace), "ultraqa", {"active": True})["success"] is True
    assert list_active(at(workspace)) == {"active_modes": ["ultraqa"]}


# --- what would activate asks the policy


@in_both_scopes
@each_row("cell", [cell for cell in CELLS if cell.kind != "no change"])
def test_a_write_that_activates_asks_the_policy(cell: Cell, session: str | None, workspace: Workspace) -> None:
    verdict = {"state": {"review_verdict": {"clean": not cell.review_open}}} if cell.active == "autopilot" else {}
    workspace.write(cell.active, session, **verdict)
    before, other = workspace.snapshot(), workspace.mode_path(cell.active, session).read_bytes()
    scope, is_root = at(workspace, session), session is None
    if cell.kind in ("denied", "rollback"):
        denial = f"^Cannot activate {cell.requested} while {cell.active} is still active. "
        with pytest.raises(Refused, match=denial) as refused:
            write(scope, cell.requested, {"active": True}, root_scope=is_root)
        assert workspace.snapshot() == before
        assert is_root or str(refused.value) == workspace.prompt(f"${cell.requested}").context
        return
    result = write(scope, cell.requested, {"active": True}, root_scope=is_root)
    if cell.kind == "overlap":
        assert "transition" not in result
        assert workspace.mode_path(cell.active, session).read_bytes() == other
        assert inventory(workspace, session) == [cell.active, cell.requested]
        return
    message = f"mode transiting: {cell.active} -> {cell.requested}"
    wanted = {"active": False, "current_phase": "completed", "completed_at": AT, "auto_completed_reason": message}
    source = workspace.read(cell.active, session)
    assert source | wanted | {"transition_target_mode": cell.requested} == source
    assert (result["transition"], inventory(workspace, session)) == (message, [cell.requested])


@each_row(("ended", "given"), [
    ({"current_phase": "complete"}, {"current_phase": "executing"}),
    ({"run_outcome": "failed"}, {"run_outcome": "continue"}),
    ({"error": "it broke"}, {"error": None}),
    ({"completed_at": DAY_BEFORE}, {"completed_at": None}),
])  # fmt: skip
def test_no_write_activates_past_the_policy(ended: Record, given: Record, workspace: Workspace) -> None:
    """The file says active: true and an outcome, so the mode is not active; autopilot does not stand beside forge."""
    workspace.write("forge", **ended)
    workspace.write("autopilot")
    try:
        write(at(workspace), "forge", given)
    except Refused as error:
        assert "Cannot activate forge while autopilot" in str(error) or "forge has ended" in str(error)
    assert list_active(at(workspace)) == {"active_modes": ["autopilot"]}


@each_row("given", [{"note": 1}, {"active": True}])
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
