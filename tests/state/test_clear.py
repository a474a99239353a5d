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

PATH = ".rcs/state/sessions/s1/team-state.json"


@in_both_scopes
def test_clearing_one_member_leaves_the_others_to_the_byte(session: str | None, workspace: Workspace) -> None:
    workspace.prompt("$team", "s2")
    for mode in ("team", "forge", "ultrawork"):
        write(at(workspace, session), mode, {"active": True}, root_scope=session is None)
    changing = ("team-state.json", "skill-active-state.json", "history.jsonl")
    before = workspace.snapshot()
    kept = {path: data for path, data in before.items() if "sessions/s2/" in path or not path.endswith(changing)}
    assert clear(at(workspace, session), "team")["cleared"] is True
    after = workspace.snapshot()
    assert {path: after[path] for path in kept} == kept
    assert not workspace.mode_path("team", session).exists()
    assert inventory(workspace, session) == ["forge", "ultrawork"]
    assert agrees(workspace, session)


@each_row("owner", [None, "s1"])
@each_row("has_own", [True, False])
def test_a_root_survivor_is_ended_and_a_tombstone_kept(has_own: bool, owner: str | None, workspace: Workspace) -> None:
    workspace.write("team", None, session_id=owner)
    if has_own:
        workspace.write("team", note="gone")
    assert clear(at(workspace), "team")["cleared"] is True
    tombstone = workspace.read("team")
    assert tombstone | {"active": False, "current_phase": "cleared", "completed_at": AT} == tombstone
    assert "note" not in tombstone
    assert workspace.read("team", None)["active"] is False
    assert list_active(at(workspace)) == {"active_modes": []}
    assert agrees(workspace)


@each_row("has_own", [True, False])
def test_another_sessions_root_record_is_not_touched(has_own: bool, workspace: Workspace) -> None:
    workspace.write("team", None, session_id="s2")
    if has_own:
        workspace.write("team")
    root = workspace.mode_path("team", None).read_bytes()
    assert clear(at(workspace), "team")["cleared"] is has_own
    assert workspace.mode_path("team", None).read_bytes() == root
    assert not workspace.mode_path("team").exists()


NOTHING_TO_CLEAR: list[tuple[str, str | None, Record]] = [
    # a mode, its session, its record
    ("forge", "s1", {}),
    ("team", "s2", {}),
    ("team", None, {"session_id": "s2"}),
    ("team", None, {"updated_at": DAY_BEFORE}),
    ("team", None, {"lifecycle_outcome": "finished"}),
    ("team", None, {"active": False, "current_phase": "cleared"}),
]


@each_row("there", [None, *NOTHING_TO_CLEAR])
def test_cleared_is_false_and_no_byte_changes_where_there_is_nothing_to_clear(there: Any, workspace: Workspace) -> None:
    if there:
        workspace.write(there[0], there[1], **there[2])
    before, paths = workspace.snapshot(), sorted(workspace.root.rglob("*"))
    assert clear(at(workspace), "team") == {"cleared": False, "mode": "team", "path": PATH}
    assert (workspace.snapshot(), sorted(workspace.root.rglob("*"))) == (before, paths)


@each_row("fields", [{}, {"lifecycle_outcome": "finished"}, {"active": False}])
def test_a_record_is_something_to_clear_active_or_not(fields: Record, workspace: Workspace) -> None:
    workspace.write("team", **fields)
    assert clear(at(workspace), "team")["cleared"] is True
    assert read(at(workspace), "team") == {"exists": False, "mode": "team"}
    assert clear(at(workspace), "team")["cleared"] is False


# --- in all sessions


def test_all_sessions_clears_root_and_every_session_and_names_the_files_that_held_the_mode(
    workspace: Workspace,
) -> None:
    for session in ("s1", "s2"):
        workspace.write("forge", session)
        workspace.write("team", session)
    workspace.write("forge", None, session_id="gone")
    workspace.write("team", "s3")
    (workspace.state / "sessions" / "NOTES").write_text("mine")
    result = clear(at(workspace), "forge", all_sessions=True)
    paths = [f".rcs/state/{place}forge-state.json" for place in ("", "sessions/s1/", "sessions/s2/")]
    assert (result["cleared"], result["removed"], sorted(result["paths"])) == (True, 3, paths)
    for each in ("s1", "s2", "s3"):
        assert list_active(at(workspace, each)) == {"active_modes": ["team"]}
    assert list_active(at(workspace, None))["active_modes"] == []


def test_all_sessions_with_nothing_to_clear_says_so_and_makes_nothing(workspace: Workspace) -> None:
    result = clear(at(workspace), "forge", all_sessions=True)
    assert result == {"cleared": False, "mode": "forge", "all_sessions": True, "removed": 0, "paths": []}
    assert list(workspace.root.iterdir()) == []


# --- what cannot be read


def test_a_second_unreadable_file_does_not_replace_the_first(workspace: Workspace) -> None:
    texts = ["{first", "{second"]
    for text in texts:
        path = break_file(workspace, "team", text=text)
        assert clear(at(workspace, None), "team") == {"cleared": True, "mode": "team", "path": PATH}
    assert {each.read_text() for each in path.parent.glob("team-state.json?*")} == set(texts)


@in_both_scopes
def test_clearing_a_mode_loses_no_unreadable_inventory(session: str | None, workspace: Workspace) -> None:
    workspace.write("team", session)
    path = break_file(workspace, "skill-active", session)
    try:
        clear(at(workspace, session), "team")
    except Refused as error:
        assert "skill-active-state.json cannot be read" in str(error)
    assert BROKEN in {each.read_text() for each in path.parent.glob("skill-active-state.json*")}


# --- the inventory, and questions


@in_both_scopes
@each_row("text", ['{"version": 1, "active_skills": [{"skill": "autopilot"}]}', BROKEN, "[]"])
def test_clearing_the_inventory_makes_it_again_from_the_mode_files(
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


@pytest.mark.parametrize("status", ["pending", "prompting"])
def test_clearing_a_mode_aborts_its_open_questions(status: str, workspace: Workspace) -> None:
    workspace.write("forge", lifecycle_outcome="askuserQuestion")
    mine = ask(workspace, "forge", "q-1", status=status)
    done = ask(workspace, "forge", "q-2", status="answered", answer="Postgres")
    other = ask(workspace, "team", "q-3")
    clear(at(workspace), "forge")
    found = [json.loads(path.read_text())["status"] for path in (mine, done, other)]
    assert found == ["aborted", "answered", "pending"]


def test_a_root_record_that_is_cleared_leaves_the_sessions_in_agreement(workspace: Workspace) -> None:
    workspace.write("team", None)
    workspace.prompt("$forge")
    assert inventory(workspace) == ["team", "forge"]
    clear(at(workspace, None), "team")
    assert list_active(at(workspace)) == {"active_modes": ["forge"]}
    clear(at(workspace), "skill-active")
    assert inventory(workspace) == ["forge"]
