"""The operations that read for every surface, and which session a call without one is about."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from rcs_hooks import catalog
from rcs_hooks.cli.options import scope
from rcs_hooks.errors import Refused
from rcs_hooks.state.clearing import clear
from rcs_hooks.state.operations import get_status, list_active, read
from rcs_hooks.state.scopes import Scope
from rcs_hooks.state.writing import write
from rcs_hooks.workflow.lifecycle import is_active
from rcs_hooks.workflow.mode_record import ModeRecord
from tests.contract import MODES
from tests.support import NOW, Record, Workspace
from tests.table import each_row

AT = "2023-11-14T22:13:20.000Z"
DAY_BEFORE = "2023-11-13T22:13:20.000Z"
OUR_RCS = {"PATH": str(Path(sys.executable).parent)}
BROKEN = '{"active": true, '

in_both_scopes = pytest.mark.parametrize("session", ["s1", None], ids=["session", "root"])


def at(workspace: Workspace, session: str | None = "s1") -> Scope:
    return scope(OUR_RCS, str(workspace.root), None, session, NOW)


def test_a_run_that_would_be_nobodys_is_refused(workspace: Workspace) -> None:
    workspace.prompt("$team ship", "s1")
    workspace.prompt("$team ship", "s2")
    before = workspace.snapshot()
    with pytest.raises(Refused) as refused:
        write(at(workspace, None), "forge", {"active": True})
    assert str(refused.value).splitlines() == [
        "forge would be the workspace's and hold the Stop of every session; add --session ID, or --root-scope:",
        "rcs state write --mode forge --active --root-scope",
    ]
    assert workspace.snapshot() == before
    assert write(at(workspace, None), "forge", {"active": True}, root_scope=True)["success"] is True
    assert workspace.read("forge", None)["active"] is True
    assert write(at(workspace, None), "forge", {"active": True, "iteration": 2})["success"] is True


def test_the_workspace_and_a_session_are_not_both_meant(workspace: Workspace) -> None:
    with pytest.raises(Refused, match="name one of them"):
        write(at(workspace), "forge", {"active": True}, root_scope=True)


def break_file(workspace: Workspace, mode: str, session: str | None = "s1", text: str = BROKEN) -> Path:
    path = workspace.mode_path(mode, session)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def inventory(workspace: Workspace, session: str | None = "s1") -> list[str]:
    return [entry["skill"] for entry in workspace.read("skill-active", session)["active_skills"]]


def ask(workspace: Workspace, mode: str, question: str = "q-1", session: str | None = "s1", **fields: object) -> Path:
    """A pending question as another tool writes it."""
    folder = workspace.folder(session) / "questions"
    folder.mkdir(parents=True, exist_ok=True)
    record = {
        "kind": "rcs.question/v1",
        "question_id": question,
        "session_id": session,
        "source": mode,
        "status": "pending",
        "created_at": AT,
        "question": "Which database?",
    } | fields
    path = folder / f"{question}.json"
    path.write_text(json.dumps(record))
    return path


def agrees(workspace: Workspace, session: str | None = "s1") -> bool:
    """Whether the inventory names exactly the modes whose own file, in this scope, says that they are active."""
    there = [mode for mode in MODES if workspace.mode_path(mode, session).exists()]
    return set(inventory(workspace, session)) == {
        mode for mode in there if is_active(ModeRecord.from_json(workspace.read(mode, session)))
    }


# --- read


@in_both_scopes
def test_read_gives_the_record_as_it_is_on_disk_or_says_that_there_is_none(
    session: str | None, workspace: Workspace
) -> None:
    assert read(at(workspace, session), "forge") == {"exists": False, "mode": "forge"}
    record = workspace.write("forge", session, note={"kept": [1, "two"]})
    assert read(at(workspace, session), "forge") == record


@each_row(("fields", "counts"), [
    ({"session_id": None}, True), ({"session_id": ""}, True), ({"session_id": "s1"}, True),
    ({"session_id": "s2"}, False), ({"updated_at": DAY_BEFORE}, False),
])  # fmt: skip
def test_read_falls_back_to_a_fresh_root_record_that_may_be_this_sessions(
    fields: Record, counts: bool, workspace: Workspace
) -> None:
    record = workspace.write("forge", None, **fields)
    assert read(at(workspace), "forge") == (record if counts else {"exists": False, "mode": "forge"})


@each_row("operation", [read, lambda scope, _: get_status(scope), lambda scope, _: list_active(scope)])
def test_a_reader_creates_nothing(operation: Any, workspace: Workspace) -> None:
    operation(at(workspace), "forge")
    operation(at(workspace, None), "forge")
    assert list(workspace.root.iterdir()) == []


# --- list-active, get-status


def test_list_active_without_a_session_shows_root_and_beside_it_each_session(workspace: Workspace) -> None:
    workspace.prompt("$ultrawork $team fix it")
    workspace.write("blueprint", "s2", active=False)
    workspace.write("forge", None)
    found = list_active(at(workspace, None))
    assert found["active_modes"] == ["forge"]
    assert found["sessions"] == {"s1": ["ultrawork", "team"]}
    assert list_active(at(workspace, "s1"))["title"] == "fix it"


def test_get_status_says_active_phase_path_and_data_of_every_mode_that_has_a_record(workspace: Workspace) -> None:
    forge = workspace.write("forge", current_phase="verifying")
    team = workspace.write("team", None, lifecycle_outcome="finished", current_phase="done here")
    statuses = get_status(at(workspace))["statuses"]
    folder = ".rcs/state"
    found = {mode: [status[name] for name in ("active", "phase", "path", "data")] for mode, status in statuses.items()}
    assert found == {
        "forge": [True, "verifying", f"{folder}/sessions/s1/forge-state.json", forge],
        "team": [False, "done here", f"{folder}/team-state.json", team],
    }
    assert set(get_status(at(workspace), "team")["statuses"]) == {"team"}
    assert get_status(at(workspace), "ultraqa") == {"statuses": {}}


NEXT = {
    "the machine has no way out": ({"current_phase": "executing"}, "executing", False),
    "it may finish here": ({"current_phase": "verifying"}, "verifying", True),
    "a phase that the machine does not know": ({"current_phase": "polishing"},
     "That is not a phase of forge (starting, executing, verifying, fixing); record the one that you are in.", True),
    "it waits": ({"current_phase": "verifying", "run_outcome": "blocked_on_user"}, "", True),
    "it has ended": ({"current_phase": "verifying", "lifecycle_outcome": "finished"}, "", False),
}  # fmt: skip


@each_row(("fields", "asks", "can_finish"), [pytest.param(*row, id=name) for name, row in NEXT.items()])
def test_get_status_says_what_the_phase_asks_and_whether_the_run_may_finish(
    workspace: Workspace, fields: dict[str, object], asks: str, can_finish: bool
) -> None:
    workspace.write("forge", "s1", **fields, title="fix \x1b[31mit", iteration=2)
    status = get_status(at(workspace))["statuses"]["forge"]
    assert (status["title"], status["phase"], status["iteration"]) == ("fix [31mit", fields["current_phase"], 2)
    assert (status["next"], status["can_finish"]) == (catalog.MODES["forge"].states.get(asks, asks), can_finish)


# --- which session a call without one is about


def test_without_a_session_a_read_is_about_root_and_else_about_the_one_session_that_has_the_mode(
    workspace: Workspace,
) -> None:
    record = workspace.write("forge", "s1")
    workspace.write("forge", "s2", lifecycle_outcome="finished")
    workspace.write("team", "s3")
    assert read(at(workspace, None), "forge") == record
    assert read(at(workspace, "s4"), "forge") == {"exists": False, "mode": "forge"}
    path = ".rcs/state/sessions/s1/forge-state.json"
    assert clear(at(workspace, None), "forge") == {"cleared": True, "mode": "forge", "path": path}
    workspace.write("forge", "s1", current_phase="other")
    root = workspace.write("forge", None)
    assert read(at(workspace, None), "forge") == root


def test_a_cleared_root_record_is_no_record(workspace: Workspace) -> None:
    """The hook itself leaves such a record: a root survivor that it has ended."""
    workspace.write("team", None)
    workspace.prompt("$cancel")
    workspace.prompt("$team")
    assert clear(at(workspace, None), "team")["cleared"] is True
    assert not workspace.stop().blocks


@each_row("operation", [read, clear])
def test_where_several_sessions_have_the_mode_the_commands_to_choose_from_are_named(
    operation: Any, workspace: Workspace
) -> None:
    for session, active in (("s1", True), ("s2", True), ("s3", False)):
        workspace.write("forge", session, active=active)
    before = workspace.snapshot()
    with pytest.raises(Refused) as refused:
        operation(at(workspace, None), "forge")
    for session in ("s1", "s2"):
        assert f"rcs state {operation.__name__} --mode forge --session {session}" in str(refused.value)
    assert "s3" not in str(refused.value)
    assert workspace.snapshot() == before
