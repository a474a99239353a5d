"""Everything in one list: each passage of a mode in any session, each run and each task, searched and sorted."""

from __future__ import annotations

import json

import pytest

from rcs_hooks.files.clock import iso
from rcs_hooks.state import writing
from rcs_hooks.state.scopes import Scope
from rcs_hooks.workflow.commands import Commands
from tests.dashboard.support import Board, Record
from tests.dashboard.test_actions import asked
from tests.dashboard.test_tasks import ordered
from tests.table import each_row


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
    ({"q": "no such thing"}, []),
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


def test_each_passage_leads_to_its_own_page(full: Board) -> None:
    pages = {entry["title"]: entry["page"] for entry in full.get("/api/all")["entries"]}
    assert pages["fix the Login"].endswith("&run=1")
    assert "run=" not in pages["fix the logout"]
    assert pages["export"] == "/runs/r1"
    assert pages["plain"] is None
    for title in ("fix the Login", "fix the logout"):
        assert full.client.get(f"/api{pages[title]}").json()["title"] == title


def test_the_last_activity_of_a_mode_that_runs_is_no_more_when_it_began(board: Board) -> None:
    workspace = board.workspace
    workspace.prompt("$forge fix the login", "s1")
    begun = workspace.now
    workspace.now += 60
    workspace.prompt("$forge fix the logout", "s2")
    second_begun = workspace.now
    workspace.now += 60
    writing.write(
        Scope(board.root, "s1", workspace.now, Commands("rcs", "s1")), "forge", {"current_phase": "executing"}
    )
    first, second = board.get("/api/all")["entries"]
    assert (first["title"], first["started_at"], first["last_at"]) == ("fix the login", iso(begun), iso(workspace.now))
    assert second["last_at"] == iso(second_begun)
    shown = {entry["title"]: entry["last_at"] for entry in board.get("/api/overview")["running"]}
    assert shown == {"fix the login": iso(workspace.now), "fix the logout": iso(second_begun)}


def test_a_mode_has_lasted_since_it_began_whether_it_runs_waits_or_is_closed(board: Board) -> None:
    workspace = board.workspace
    workspace.prompt("$forge fix the login", "s1")
    begun = workspace.now
    lasted = []
    for act in (None, lambda: asked(board), lambda: workspace.call("SessionEnd", reason="other")):
        workspace.now += 5 * 3600
        if act:
            act()
        (entry,) = board.get("/api/all")["entries"]
        lasted.append((entry["state"], entry["started_at"], entry["seconds"]))
    assert lasted == [
        ("stalled", iso(begun), 0.0), ("waiting", iso(begun), 36_000.0), ("closed", iso(begun), 36_000.0),
    ]  # fmt: skip


def test_an_early_end_is_told_as_one_in_every_list(board: Board) -> None:
    board.workspace.prompt("$forge one thing")
    end(board, "s1")
    (entry,) = board.get("/api/all")["entries"]
    (session,) = board.get("/api/sessions")["sessions"]
    page = board.client.get(f"/api{entry['page']}").json()
    (ended,) = board.get("/api/overview")["ended"]
    told = {"all": entry, "overview": ended, "session": session, "mode": session["modes"][0], "page": page}
    assert {name: each["early"] for name, each in told.items()} == dict.fromkeys(told, True)
    assert [each["early"] for each in page["runs"]] == [True]
    assert [each["title"] for each in board.get("/api/all", q="finished early")["entries"]] == ["one thing"]


def test_the_word_for_an_end_is_no_phase_in_any_list(board: Board) -> None:
    for name, word in (("s1", "done"), ("s2", "failed")):
        board.workspace.prompt("$forge one thing", name)
        scope = Scope(board.root, name, board.now, Commands("rcs", name))
        writing.write(scope, "forge", {"current_phase": "executing"})
        writing.write(scope, "forge", {"active": False, "lifecycle_outcome": word, "current_phase": word})
        assert board.workspace.read("forge", name)["current_phase"] == word
        page = board.get("/api/modes/forge", session=name)
        assert (page["phase"], page["timeline"][-1]["step"] == word) == ("executing", False)
    modes = [each["modes"][0] for each in board.get("/api/sessions")["sessions"]]
    lists = modes, board.get("/api/overview")["ended"], board.get("/api/all")["entries"]
    assert [[each["phase"] for each in listed] for listed in lists] == [["executing"] * 2] * 3
    board.workspace.write("forge", "s3", active=False, lifecycle_outcome="failed", current_phase="failed")
    assert board.get("/api/modes/forge", session="s3")["phase"] is None


def test_a_session_that_has_changed_is_read_again(board: Board) -> None:
    board.workspace.prompt("$forge one thing")
    assert [title for _, title, _ in told(board.get("/api/all"))] == ["one thing"]
    end(board, "s1")
    board.workspace.prompt("$forge another thing")
    assert [title for _, title, _ in told(board.get("/api/all", sort="title"))] == ["another thing", "one thing"]
