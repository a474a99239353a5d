"""What a clear ends, of which session, and what it does to the inventory and to questions."""

from __future__ import annotations

import json
from typing import Any

import pytest

from rcs_hooks.errors import Refused
from rcs_hooks.state.clearing import clear
from rcs_hooks.state.operations import list_active, read
from rcs_hooks.state.writing import write
from tests.state.test_operations import AT, BROKEN, DAY_BEFORE, agrees, ask, at, break_file, in_both_scopes, inventory
from tests.support import Record, Workspace
from tests.table import each_row

# --- clear


@in_both_scopes
def test_clearing_one_member_leaves_the_others_to_the_byte(session: str | None, workspace: Workspace) -> None:
    for mode in ("team", "forge", "ultrawork"):
        write(at(workspace, session), mode, {"active": True}, root_scope=session is None)
    kept = {mode: workspace.mode_path(mode, session).read_bytes() for mode in ("forge", "ultrawork")}
    assert clear(at(workspace, session), "team")["cleared"] is True
    assert not workspace.mode_path("team", session).exists()
    assert {mode: workspace.mode_path(mode, session).read_bytes() for mode in kept} == kept
    assert inventory(workspace, session) == ["forge", "ultrawork"]
    assert agrees(workspace, session)


def test_stop_blocks_no_longer_for_the_member_that_was_cleared(workspace: Workspace) -> None:
    workspace.prompt("$team $forge")
    clear(at(workspace), "team")
    assert "team" not in workspace.stop().reason
    clear(at(workspace), "forge")
    assert not workspace.stop().blocks


@pytest.mark.parametrize("owner", [None, "s1"], ids=["nobody's", "this session's"])
@pytest.mark.parametrize("has_own", [True, False], ids=["own record", "root only"])
def test_a_root_survivor_is_ended_and_a_tombstone_kept(has_own: bool, owner: str | None, workspace: Workspace) -> None:
    workspace.write("team", None, session_id=owner)
    if has_own:
        workspace.write("team", note="gone")
    assert clear(at(workspace), "team")["cleared"] is True
    tombstone = workspace.read("team")
    wanted = {"active": False, "current_phase": "cleared", "completed_at": AT}
    assert tombstone | wanted == tombstone
    assert "note" not in tombstone
    assert workspace.read("team", None)["active"] is False
    assert list_active(at(workspace)) == {"active_modes": []}
    assert agrees(workspace)


@pytest.mark.parametrize("has_own", [True, False], ids=["own record", "root only"])
def test_another_session_s_root_record_is_not_touched(has_own: bool, workspace: Workspace) -> None:
    workspace.write("team", None, session_id="s2")
    if has_own:
        workspace.write("team")
    root = workspace.mode_path("team", None).read_bytes()
    assert clear(at(workspace), "team")["cleared"] is has_own
    assert workspace.mode_path("team", None).read_bytes() == root
    assert not workspace.mode_path("team").exists()


def test_another_session_is_not_touched(workspace: Workspace) -> None:
    workspace.prompt("$team", "s1")
    workspace.prompt("$team", "s2")
    before = {path: text for path, text in workspace.snapshot().items() if "sessions/s2/" in path}
    clear(at(workspace), "team")
    assert {path: text for path, text in workspace.snapshot().items() if "sessions/s2/" in path} == before


def nothing(workspace: Workspace) -> None:
    """An empty workspace."""


def another_mode(workspace: Workspace) -> None:
    workspace.write("forge")


def another_session(workspace: Workspace) -> None:
    workspace.write("team", "s2")


def cleared_before(workspace: Workspace) -> None:
    workspace.write("team", None)
    clear(at(workspace), "team")


def root_of_another(workspace: Workspace) -> None:
    workspace.write("team", None, session_id="s2")


def stale_root(workspace: Workspace) -> None:
    workspace.write("team", None, updated_at=DAY_BEFORE)


def ended_root(workspace: Workspace) -> None:
    workspace.write("team", None, lifecycle_outcome="finished")


NOTHING_TO_CLEAR = [nothing, another_mode, another_session, cleared_before, root_of_another, stale_root, ended_root]


@each_row("prepare", NOTHING_TO_CLEAR, ids=lambda prepare: prepare.__name__)
def test_cleared_is_false_and_no_byte_changes_where_there_is_nothing_to_clear(
    prepare: Any, workspace: Workspace
) -> None:
    prepare(workspace)
    before, there = workspace.snapshot(), sorted(workspace.root.rglob("*"))
    assert clear(at(workspace), "team") == {
        "cleared": False,
        "mode": "team",
        "path": ".rcs/state/sessions/s1/team-state.json",
    }
    assert workspace.snapshot() == before
    assert sorted(workspace.root.rglob("*")) == there


@pytest.mark.parametrize("fields", [{}, {"lifecycle_outcome": "finished"}, {"active": False}],
                         ids=["active", "finished", "off"])  # fmt: skip
def test_a_record_is_something_to_clear_active_or_not(fields: Record, workspace: Workspace) -> None:
    workspace.write("team", **fields)
    assert clear(at(workspace), "team")["cleared"] is True
    assert read(at(workspace), "team") == {"exists": False, "mode": "team"}
    assert clear(at(workspace), "team")["cleared"] is False


def test_all_sessions_clears_root_and_every_session_and_names_the_files(workspace: Workspace) -> None:
    for session in ("s1", "s2"):
        workspace.write("forge", session)
        workspace.write("team", session)
    workspace.write("forge", None)
    workspace.write("team", "s3")
    result = clear(at(workspace), "forge", all_sessions=True)
    paths = [".rcs/state/sessions/s1/forge-state.json", ".rcs/state/sessions/s2/forge-state.json"]
    assert {"cleared": True, "mode": "forge", "all_sessions": True, "removed": len(result["paths"])}.items() <= (
        result.items()
    )
    assert set(result["paths"]) >= set(paths)
    assert ".rcs/state/forge-state.json" in result["paths"]
    for each in ("s1", "s2", "s3"):
        assert list_active(at(workspace, each)) == {"active_modes": ["team"]}
    assert list_active(at(workspace, None))["active_modes"] == []


def test_all_sessions_names_the_files_that_held_the_mode_and_no_other(workspace: Workspace) -> None:
    workspace.write("forge", None)
    workspace.write("team", "s1")
    result = clear(at(workspace, None), "forge", all_sessions=True)
    assert result["paths"] == [".rcs/state/forge-state.json"]
    assert list_active(at(workspace)) == {"active_modes": ["team"]}


def test_all_sessions_clears_the_root_records_of_other_sessions_too(workspace: Workspace) -> None:
    workspace.write("forge", None, session_id="gone")
    result = clear(at(workspace), "forge", all_sessions=True)
    assert result["paths"] == [".rcs/state/forge-state.json"]
    assert not workspace.mode_path("forge", None).exists()


def test_all_sessions_with_nothing_to_clear_says_so_and_makes_nothing(workspace: Workspace) -> None:
    result = clear(at(workspace), "forge", all_sessions=True)
    assert result == {"cleared": False, "mode": "forge", "all_sessions": True, "removed": 0, "paths": []}
    assert list(workspace.root.iterdir()) == []


def test_a_stray_file_among_the_sessions_is_no_session(workspace: Workspace) -> None:
    workspace.write("forge", None)
    workspace.write("forge", "s1")
    (workspace.state / "sessions" / "NOTES").write_text("mine")
    assert clear(at(workspace), "forge", all_sessions=True)["cleared"] is True
    assert list_active(at(workspace)) == {"active_modes": []}


# --- clear: what cannot be read


def test_a_second_unreadable_file_does_not_replace_the_first(workspace: Workspace) -> None:
    texts = ["{first", "{second"]
    for text in texts:
        path = break_file(workspace, "team", text=text)
        clear(at(workspace), "team")
    assert {each.read_text() for each in path.parent.glob("team-state.json?*")} == set(texts)


def test_an_unreadable_file_in_one_session_is_found_without_naming_it(workspace: Workspace) -> None:
    break_file(workspace, "team")
    assert clear(at(workspace, None), "team") == {
        "cleared": True,
        "mode": "team",
        "path": ".rcs/state/sessions/s1/team-state.json",
    }


@in_both_scopes
def test_clearing_a_mode_loses_no_unreadable_inventory(session: str | None, workspace: Workspace) -> None:
    workspace.write("team", session)
    path = break_file(workspace, "skill-active", session)
    try:
        clear(at(workspace, session), "team")
    except Refused as error:
        assert "skill-active-state.json cannot be read" in str(error)
    assert BROKEN in {each.read_text() for each in path.parent.glob("skill-active-state.json*")}


# --- clear: the inventory, and questions


@in_both_scopes
@each_row("text", ['{"version": 1, "active_skills": [{"skill": "autopilot"}]}', BROKEN, "[]"],
                         ids=["wrong", "cut", "a list"])  # fmt: skip
def test_clearing_the_inventory_makes_it_anew_from_the_mode_files(
    text: str, session: str | None, workspace: Workspace
) -> None:
    workspace.write("team", session)
    workspace.write("forge", session, lifecycle_outcome="finished")
    modes = {mode: workspace.mode_path(mode, session).read_bytes() for mode in ("team", "forge")}
    break_file(workspace, "skill-active", session, text)
    assert clear(at(workspace, session), "skill-active")["cleared"] is True
    assert inventory(workspace, session) == ["team"]
    assert {mode: workspace.mode_path(mode, session).read_bytes() for mode in modes} == modes
    assert not workspace.mode_path("skill-active", None if session else "s1").exists(), "the other scope has none"


def test_clearing_the_inventory_of_an_empty_workspace_makes_nothing(workspace: Workspace) -> None:
    assert clear(at(workspace), "skill-active")["cleared"] is False
    assert list(workspace.root.iterdir()) == []


@pytest.mark.parametrize("status", ["pending", "prompting"])
def test_clearing_a_mode_aborts_its_open_questions(status: str, workspace: Workspace) -> None:
    workspace.write("forge", lifecycle_outcome="askuserQuestion")
    mine = ask(workspace, "forge", "q-1", status=status)
    done = ask(workspace, "forge", "q-2", status="answered", answer="Postgres")
    other = ask(workspace, "team", "q-3")
    clear(at(workspace), "forge")
    found = [json.loads(path.read_text())["status"] for path in (mine, done, other)]
    assert found == ["aborted", "answered", "pending"]


def test_a_write_leaves_the_inventory_in_agreement_whatever_it_said_before(workspace: Workspace) -> None:
    workspace.write("team")
    break_file(workspace, "skill-active", text='{"active": true, "skill": "autopilot", "active_skills": "odd"}')
    write(at(workspace), "forge", {"active": True})
    assert inventory(workspace) == ["team", "forge"]
    assert agrees(workspace)


def test_a_root_record_that_is_cleared_leaves_the_inventories_of_the_sessions_in_agreement(
    workspace: Workspace,
) -> None:
    workspace.write("team", None)
    workspace.prompt("$forge")
    assert inventory(workspace) == ["team", "forge"]
    clear(at(workspace, None), "team")
    assert list_active(at(workspace)) == {"active_modes": ["forge"]}
    clear(at(workspace), "skill-active")
    assert inventory(workspace) == ["forge"]
