"""Sessions of every workspace, tasks, and what needs a person."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import pytest

from rcs_hooks.files.clock import iso
from tests.support import Workspace

if TYPE_CHECKING:
    from pathlib import Path

    from tests.dashboard.support import Board, Record


def session(board: Board, name: str | None = "s1", **query: Any) -> Record:
    found: list[Record] = board.get("/api/sessions", **query)["sessions"]
    (one,) = [each for each in found if each["session"] == name]
    return one


def test_a_folder_of_state_that_leads_out_of_its_workspace_is_not_read(board: Board, tmp_path: Path) -> None:
    outside = Workspace(tmp_path / "outside", now=board.now)
    outside.write("team", session="x1")
    (board.project.root / ".rcs").symlink_to(tmp_path / "outside" / ".rcs")
    assert board.get("/api/sessions")["sessions"] == []


# --- what needs a person


NO_NEEDS: dict[str, list[object]] = {"waiting": [], "failed": [], "stalled": [], "inactive": []}


def needs(board: Board) -> dict[str, list[tuple[str, str, str]]]:
    found = board.get("/api/attention")
    return {kind: [(need["what"], need["id"], need["detail"]) for need in found[kind]] for kind in NO_NEEDS}


@pytest.fixture
def troubled(board: Board) -> Board:
    board.project.emit("requirements", "waiting", run="w")
    board.project.emit("requirements", "failed", run="f")
    board.project.emit("requirements", run="s")
    board.project.emit("x", "failed", run="plain", workflow="plain")
    return board


def test_runs_that_wait_failed_or_fell_silent(troubled: Board) -> None:
    assert needs(troubled) == {
        "waiting": [("run", "w", "it waits at requirements")],
        "failed": [("run", "f", "it failed at requirements")],
        "stalled": [],
        "inactive": [],
    }
    troubled.project.now += 3 * 3600
    assert needs(troubled)["stalled"] == [("run", "s", "no activity at requirements for 3 h")]
    troubled.project.now += 2 * 86_400
    assert troubled.get("/api/attention")["working"] == {"runs": 0, "sessions": 0, "tasks": 0}
    found = needs(troubled)
    assert [len(found[kind]) for kind in found] == [1, 1, 0, 1]
    assert [need["state"] for need in troubled.get("/api/attention")["waiting"]] == ["inactive"]
    troubled.project.now += 7 * 86_400
    assert needs(troubled) == NO_NEEDS


def test_planning_that_has_ended_waits_for_the_person_with_what_was_named_beside_it(board: Board) -> None:
    board.workspace.prompt("$blueprint $forge split the export")
    assert needs(board)["waiting"] == []
    board.workspace.edit("blueprint", active=False, lifecycle_outcome="finished", completed_at=iso(board.now))
    assert session(board)["status"] == "waiting"
    (need,) = board.get("/api/attention")["waiting"]
    assert need["detail"] == "blueprint has ended; type $forge to go on, or any prompt to be asked"
    assert (need["title"], need["about"]) == ("forge", "split the export")
    board.workspace.prompt("$forge")
    assert needs(board)["waiting"] == []


# --- a run and the session that reported it


def test_a_run_leads_to_its_session_and_the_mode_in_it_and_back(board: Board) -> None:
    env = {"CODEX_SESSION_ID": "s1"}
    board.workspace.prompt("$forge ship the fix")
    board.project.emit("requirements", env=env)
    board.project.emit("scan", run="plain", workflow="plain", env=env)
    run = board.get("/api/runs/r1")
    where = f"project={quote(board.root, safe='')}&session=s1"
    assert (run["session"], run["client"], run["workspace"]) == ("s1", "Codex", board.root)
    assert run["session_page"] == f"/sessions?{where}"
    assert run["mode"] == {"mode": "forge", "title": "ship the fix", "page": f"/modes/forge?{where}"}
    assert session(board)["runs"] == 1
    assert [each["run_id"] for each in board.get("/api/runs", session="s1")["runs"]] == ["r1"]
    assert board.get("/api/runs", session="s2")["runs"] == []
    found = board.get("/api/all", q="s1")["entries"]
    assert {(each["kind"], each["client"], each["session"]) for each in found} == {
        ("mode", "Codex", "s1"), ("run", "Codex", "s1"),
    }  # fmt: skip
    board.workspace.edit("forge", active=False, lifecycle_outcome="finished", completed_at=iso(board.now))
    assert board.get("/api/runs/r1")["mode"]["mode"] == "forge"
    board.project.emit("design", env={"CLAUDE_CODE_SESSION_ID": "s2"})
    run = board.get("/api/runs/r1")
    assert (run["session"], run["client"], run["session_page"], run["mode"]) == ("s2", "Claude Code", None, None)
    assert session(board)["runs"] == 0
