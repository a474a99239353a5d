"""Everything in one list: each passage of a mode in any session, each run and each task, searched and sorted."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from rcs_hooks.state import writing
from rcs_hooks.state.scopes import Scope
from rcs_hooks.workflow.commands import Commands
from tests.dashboard.test_tasks import ordered
from tests.table import each_row

if TYPE_CHECKING:
    from tests.dashboard.support import Board, Record


@pytest.fixture(scope="module")
def full(shown: Board) -> Board:
    """Two passages of forge in one session, one that runs in another, two runs, and a task."""
    workspace = shown.workspace
    workspace.prompt("$forge fix the Login", "old")
    workspace.now += 60
    end(shown, "old")
    workspace.prompt("$forge fix the logout", "old")
    workspace.now += 60
    workspace.prompt("$blueprint plan the billing", "new")
    notes = workspace.folder("new") / "hook-ledger.json"
    notes.write_text(json.dumps(json.loads(notes.read_text()) | {"client": "gemini"}))
    shown.project.now = workspace.now
    shown.project.emit("requirements", run="r1", data={"status": "running", "feature": "export"})
    shown.project.now += 60
    shown.project.emit("requirements", "failed", run="r2")
    shown.project.emit("x", run="plain", workflow="plain")
    ordered(shown, "new", "login-task")
    return shown


def end(board: Board, session: str) -> None:
    scope = Scope(board.root, session, board.now, Commands("rcs", session))
    writing.write(scope, "forge", {"active": False, "lifecycle_outcome": "finished"})


def told(found: Record) -> list[tuple[str, str, str]]:
    return [(entry["kind"], entry["title"], entry["state"]) for entry in found["entries"]]


def test_each_thing_is_there_once(full: Board) -> None:
    found = full.get("/api/all", sort="title")
    assert told(found) == [
        ("run", "build", "failed"), ("run", "export", "running"), ("mode", "fix the Login", "completed"),
        ("mode", "fix the logout", "running"), ("task", "login-task", "open"), ("run", "plain", "running"),
        ("mode", "plan the billing", "running"),
    ]  # fmt: skip
    assert found["total"] == 7
    assert found["totals"] == {"running": 4, "failed": 1, "completed": 1, "open": 1}
    assert len({entry["key"] for entry in found["entries"]}) == 7


SEARCHES: list[tuple[Record, list[str]]] = [
    ({"q": "LOGIN"}, ["fix the Login", "login-task"]),
    ({"q": "fix  out"}, ["fix the logout"]),
    ({"q": "gemini"}, ["plan the billing"]),
    ({"q": "r1"}, ["export"]),
    ({"kind": "task"}, ["login-task"]),
    ({"kind": "run", "state": "failed"}, ["build"]),
    ({"project": "/elsewhere"}, []),
]


@each_row(("asked", "titles"), SEARCHES)
def test_it_is_searched_by_words_and_filters(full: Board, asked: Record, titles: list[str]) -> None:
    assert [title for _, title, _ in told(full.get("/api/all", sort="title", **asked))] == titles


def test_a_page_is_the_beginning_and_the_totals_are_of_all(full: Board) -> None:
    found = full.get("/api/all", limit=2, state="running")
    assert (len(found["entries"]), found["total"], found["totals"]["failed"]) == (2, 4, 1)
    assert full.refused("/api/all", sort="size")[0] == 400
