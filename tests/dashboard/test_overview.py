"""The one list: each thing once, with the address of its page, and a version that changes with it."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlencode

from rcs_hooks.state import writing
from rcs_hooks.state.scopes import Scope
from rcs_hooks.workflow.commands import Commands
from tests.dashboard.test_actions import asked

if TYPE_CHECKING:
    from tests.dashboard.support import Board, Record

GROUPS = ("waiting", "running", "ended", "tasks", "closed")


def groups(board: Board, **query: str) -> dict[str, list[str]]:
    found = board.get("/api/overview", **query)
    return {group: [f"{each['kind']} {each['name']}" for each in found[group]] for group in GROUPS if found[group]}


def entry(board: Board, name: str) -> Record:
    found = board.get("/api/overview")
    (one,) = [each for group in GROUPS for each in found[group] if each["name"] == name]
    return dict(one)


def write(board: Board, session: str, mode: str, **fields: object) -> None:
    scope = Scope(board.root, session, board.now, Commands("rcs", session))
    writing.write(scope, mode, fields)


def test_an_empty_workspace_has_nothing_and_nothing_is_made(board: Board) -> None:
    found = board.get("/api/overview")
    assert [found[group] for group in GROUPS] == [[], [], [], [], []]
    assert (found["projects"], found["more"], found["seq"]) == ([board.root], False, 0)
    assert not (board.project.root / ".rcs").exists()


def test_a_run_a_mode_and_a_task_are_there_once_and_lead_to_their_pages(board: Board) -> None:
    board.workspace.prompt("$forge fix the login")
    board.project.emit("requirements", run="r:1")
    assert board.project.rcs("task", "new", "login").returncode == 0
    assert groups(board) == {"running": ["mode forge", "run build"], "tasks": ["task login"]}
    where = urlencode({"project": board.root, "session": "s1"})
    assert entry(board, "forge")["page"] == f"/modes/forge?{where}"
    assert entry(board, "forge")["title"] == "fix the login"
    assert entry(board, "build")["page"] == "/runs/r%3A1"
    assert entry(board, "login")["page"] == f"/tasks?{urlencode({'project': board.root})}#login"


def test_an_entry_moves_from_list_to_list_and_keeps_its_key(board: Board) -> None:
    board.workspace.prompt("$forge go")
    keys = [entry(board, "forge")["key"]]
    asked(board)
    assert groups(board) == {"waiting": ["mode forge"]}
    assert entry(board, "forge")["question"]["options"] == ["Postgres", "SQLite"]
    keys.append(entry(board, "forge")["key"])
    board.workspace.prompt("Postgres")
    write(board, "s1", "forge", active=False, lifecycle_outcome="failed", reason="no network")
    assert groups(board) == {"ended": ["mode forge"]}
    found = entry(board, "forge")
    assert (found["outcome"], found["early"], found["detail"]) == (
        "failed",
        False,
        "failed in phase starting: no network",
    )
    assert {*keys, found["key"]} == {keys[0]}
