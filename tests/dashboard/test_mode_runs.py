"""A run of a mode: its timeline, graph and rounds from the history, and what is shown where the history says little."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.dashboard.test_overview import write
from tests.own_modes import put
from tests.table import each_row

if TYPE_CHECKING:
    from pathlib import Path

    from tests.dashboard.support import Board, Record

SCRIPT = "<script>alert(1)</script>"
ESCAPES = "\x1b[31mred\u202e\x07"


def shown(board: Board, mode: str = "forge", session: str | None = "s1", **query: object) -> Record:
    where = {"session": session} if session else {}
    return board.get(f"/api/modes/{mode}", project=board.root, **where, **query)


def walk(board: Board, *phases: str, mode: str = "forge") -> None:
    for phase in phases:
        board.workspace.now += 60
        write(board, "s1", mode, current_phase=phase)


def history(board: Board, session: str = "s1") -> Path:
    return board.workspace.folder(session) / "history.jsonl"


@pytest.fixture
def twice(board: Board) -> Board:
    """A run of forge in its second round."""
    board.workspace.prompt("$forge fix the login")
    walk(board, "executing", "verifying", "fixing", "verifying")
    return board


def test_the_timeline_has_each_state_with_its_times(twice: Board) -> None:
    found = shown(twice)
    assert [(step["step"], step["status"], step["seconds"], step["visits"]) for step in found["timeline"]] == [
        ("starting", "completed", 60.0, 1), ("executing", "completed", 60.0, 1),
        ("verifying", "running", 60.0, 2), ("fixing", "completed", 60.0, 1),
    ]  # fmt: skip
    assert [visit["step"] for visit in found["visits"]] == [
        "starting", "executing", "verifying", "fixing", "verifying",
    ]  # fmt: skip
    assert [visit["ended_at"] is None for visit in found["visits"]] == [False, False, False, False, True]
    assert (found["title"], found["phase"], found["iteration"], found["max_iterations"]) == (
        "fix the login", "verifying", 2, 50,
    )  # fmt: skip
    assert (found["status"], found["outcome"], found["seconds"], found["source"]) == ("running", None, 240.0, "")
    assert "whole diff" in found["asks"]
    assert [(each["iteration"], each["phases"]) for each in found["rounds"]] == [
        (1, ["starting", "executing", "verifying", "fixing"]), (2, ["verifying"]),
    ]  # fmt: skip


ENDS: list[tuple[str, Record, tuple[object, ...]]] = [
    ("finished where the machine ends", {"lifecycle_outcome": "finished", "evidence": "41 pass"},
     ("completed", "finished", False, None, "41 pass")),
    ("failed", {"lifecycle_outcome": "failed", "reason": "no network"},
     ("failed", "failed", False, "no network", None)),
    ("ended by the person", {"lifecycle_outcome": "userinterlude"}, ("skipped", "userinterlude", False, None, None)),
]  # fmt: skip


@each_row(("name", "fields", "expected"), ENDS)
def test_how_a_run_ended(name: str, fields: Record, expected: tuple[object, ...], board: Board) -> None:
    session = name.replace(" ", "-")
    board.workspace.prompt("$forge fix the login", session)
    for phase in ("executing", "verifying"):
        write(board, session, "forge", current_phase=phase)
    write(board, session, "forge", active=False, **fields)
    found = shown(board, session=session)
    told = tuple(found[key] for key in ("status", "outcome", "early", "reason", "evidence"))
    assert told == expected
    assert found["visits"][-1]["ended_at"] is not None
    assert found["timeline"][2]["status"] == expected[0]


def test_a_run_that_finished_early_says_so(board: Board) -> None:
    board.workspace.prompt("$forge go")
    write(board, "s1", "forge", active=False, lifecycle_outcome="finished")
    found = shown(board)
    assert (found["early"], found["events"][-1]["early"], found["phase"]) == (True, True, "starting")
    assert found["early_because"] == "in phase starting, which is not a final phase"


def test_a_mode_of_the_project_is_marked_with_its_file(board: Board) -> None:
    put(board.project.root)
    board.workspace.prompt("$release ship it")
    found = shown(board, "release")
    file = ".claude/skills/release/SKILL.md"
    assert (found["source"], found["file"], found["kind"]) == ("project", file, "execution")


def test_a_phase_of_which_nobody_knows_the_end_is_left(board: Board) -> None:
    file = put(board.project.root)
    board.workspace.prompt("$release ship it")
    file.unlink()
    board.workspace.mode_path("release").unlink()
    found = shown(board, "release")
    assert (found["status"], [step["status"] for step in found["timeline"]]) == ("unknown", ["running"])


# --- a history that is missing, long or hostile


def test_a_history_that_is_a_link_is_not_read(twice: Board, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    history(twice).rename(elsewhere)
    history(twice).symlink_to(elsewhere)
    found = shown(twice)
    assert (found["events"], found["problem"]) == (
        [], "the history of this session cannot be read: it is a symbolic link",
    )  # fmt: skip


HOSTILE = [
    {"event": "phase", "from": SCRIPT, "to": ESCAPES, "n": 90},
    {"event": "question", "data": {"text": ESCAPES * 5_000}, "n": 91},
    {"event": "phase", "to": ["list"], "at": {"no": 1}, "iteration": 1e300, "data": "text", "n": 92},
    {"event": "outcome", "to": SCRIPT, "at": "9999-99-99", "data": {"reason": {"a": 1}, "early": "yes"}, "n": 93},
    {"event": "started", "to": "x" * 9_000, "title": SCRIPT + ESCAPES, "n": 94},
    {"event": "unheard of", "n": 95},
    {"event": "phase", "to": "y", "n": -1},
]


@each_row("line", HOSTILE)
def test_a_hostile_line_is_bounded_and_harmless(line: Record, twice: Board) -> None:
    common = {"v": 1, "at": "2023-11-14T22:20:21.000Z", "mode": "forge", "from": "", "to": "", "iteration": 1}
    with history(twice).open("a") as file:
        file.write(json.dumps(common | {"data": {}} | line) + "\n{\n[]\n\x00\n")
    text = twice.client.get("/api/modes/forge", params={"session": "s1"}).text
    assert not [char for char in json.loads(text)["title"] if not char.isprintable()]
    assert all(bad not in text for bad in ("\\u001b", "\\u202e", "\\u0007", "\x1b"))
    assert len(text) < 40_000
    svg = json.loads(text)["graph"]["svg"]
    assert svg
    assert SCRIPT not in svg


# --- what is refused

REFUSED: list[tuple[str, Record, int, str]] = [
    ("/api/modes/forge", {"session": "none"}, 404, "there is no run of forge in session none"),
    ("/api/modes/forge", {}, 404, "there is no run of forge in this workspace"),
    ("/api/modes/%1b%5b", {"session": "s1"}, 404, "there is no run of [ in session s1"),
    ("/api/modes/forge", {"session": "../s1"}, 409, "session_id: '../s1' is not a session id"),
    ("/api/modes/forge", {"session": "s1", "project": "/etc"}, 404, "'/etc' is not a workspace that is shown here"),
    ("/api/modes/forge", {"session": "s1", "run": "x"}, 400, "run=x: a number from 0"),
    ("/api/modes/forge", {"sesion": "s1"}, 400, "'sesion' is not a parameter"),
]


@each_row(("address", "query", "status", "words"), REFUSED)
def test_what_is_not_there_is_refused(address: str, query: Record, status: int, words: str, twice: Board) -> None:
    found, sentence = twice.refused(address, **query)
    assert found == status
    assert words in sentence
