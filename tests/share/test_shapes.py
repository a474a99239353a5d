"""What the dashboard of this machine answers fits the shapes that documents of other machines must have."""

from __future__ import annotations

from pathlib import Path

from rcs_hooks.share.fitting import fitted
from rcs_hooks.share.shapes import EntryShape, SessionShape, TaskShape
from tests.dashboard.support import Board
from tests.dashboard.test_actions import asked
from tests.dashboard.test_tasks import ordered, plan


def test_sessions_tasks_and_entries_fit_their_shapes(tmp_path: Path) -> None:
    board = Board(tmp_path)
    board.project.emit("x:early", run="r1")
    board.workspace.prompt("$forge $ulw go")
    asked(board)
    board.workspace.write("team", session="s2")
    board.workspace.mode_path("team", "s2").write_text("{")
    ordered(board, "new", "login")
    plan(board)
    sessions = board.get("/api/sessions")["sessions"]
    assert any(each["questions"] for each in sessions)
    assert any(each["unreadable"] for each in sessions)
    assert [fitted(SessionShape, each) for each in sessions] == sessions
    tasks = board.get("/api/tasks")["tasks"]
    assert tasks[0]["gates"]
    assert [fitted(TaskShape, each) for each in tasks] == tasks
    overview = board.get("/api/overview")
    board.close()
    entries = overview["waiting"] + overview["running"] + overview["tasks"]
    assert {each["kind"] for each in entries} == {"mode", "run", "task"}
    assert [fitted(EntryShape, each) for each in entries] == entries
