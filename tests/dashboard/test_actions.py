"""What a person does from a page goes through, and is heard where it would be heard from the command line."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from rcs_hooks.dashboard.guard import CODES
from rcs_hooks.state import question_service
from tests.support import error_json
from tests.table import each_row

if TYPE_CHECKING:
    from tests.dashboard.support import Board, Record


@pytest.fixture
def asking_board(board: Board) -> Board:
    board.workspace.prompt("$forge ship it")
    return board


def asked(board: Board, text: str = "Which database?") -> str:
    from rcs_hooks.cli.options import scope

    there = scope(board.env, board.root, None, "s1", board.now)
    found: str = question_service.ask(there, "forge", text, ["Postgres", "SQLite"])["question_id"]
    return found


def test_an_answer_lets_the_run_go_on_and_reaches_the_next_prompt(asking_board: Board) -> None:
    question = asked(asking_board)
    assert not asking_board.workspace.stop().blocks
    (session,) = asking_board.get("/api/sessions")["sessions"]
    assert session["status"] == "waiting"
    (shown,) = session["questions"]
    assert (shown["question_id"], shown["question"], shown["options"]) == (
        question, "Which database?", ["Postgres", "SQLite"],
    )  # fmt: skip
    body = {"root": session["root"], "session": session["session"], "answer": "Postgres, please"}
    answer = asking_board.post(f"/api/questions/{question}/answer", body)
    assert (answer.status_code, answer.json()) == (200, {
        "success": True, "question_id": question, "session_id": "s1", "goes_on": ["forge"],
        "says": 'answered; type any prompt in that session, such as "go on", and forge continues',
    })  # fmt: skip
    (session,) = asking_board.get("/api/sessions")["sessions"]
    assert (session["status"], session["questions"]) == ("waiting", [])
    assert asking_board.workspace.stop().blocks
    second = asking_board.post(f"/api/questions/{question}/answer", body | {"answer": "two"})
    assert (second.status_code, second.json()) == (
        409, error_json("refused", f"{question} is already answered; nothing was changed")
    )  # fmt: skip
    assert "Postgres, please" in asking_board.workspace.prompt("go on").context
    (session,) = asking_board.get("/api/sessions")["sessions"]
    assert (session["status"], session["questions"]) == ("running", [])
    path = asking_board.workspace.folder("s1") / "questions" / f"{question}.json"
    assert json.loads(path.read_text())["answer_source"] == "dashboard"


def test_a_run_is_ended(board: Board) -> None:
    board.project.walk("requirements", "design")
    board.project.emit("building", unit="T1")
    answer = board.post("/api/runs/r1/end", {"status": "failed"})
    assert (answer.status_code, answer.json()) == (200, {
        "ended": True, "run_id": "r1", "status": "failed", "seq": 7, "steps": ["design", "task-builder:building (T1)"],
    })  # fmt: skip
    assert board.project.status() == "failed"
    assert board.project.statuses() == {
        "requirements": "completed", "design": "failed", "task-builder:building/T1": "failed",
    }  # fmt: skip
    assert board.get("/api/runs/r1")["status"] == "failed"


def test_a_mode_is_cleared(asking_board: Board) -> None:
    body = {"root": asking_board.root, "session": "s1", "mode": "forge"}
    answer = asking_board.post("/api/modes/clear", body)
    assert (answer.status_code, answer.json()) == (200, {
        "cleared": True, "mode": "forge", "path": ".rcs/state/sessions/s1/forge-state.json",
    })  # fmt: skip
    assert asking_board.workspace.active() == []
    assert not asking_board.workspace.stop().blocks
    assert asking_board.post("/api/modes/clear", body).json()["cleared"] is False


def test_a_file_that_cannot_be_read_is_cleared_by_its_own_name(asking_board: Board) -> None:
    asking_board.workspace.mode_path("forge").write_text("{")
    asking_board.workspace.mode_path("skill-active").write_text("[")
    (session,) = asking_board.get("/api/sessions")["sessions"]
    assert [broken["clear_as"] for broken in session["unreadable"]] == ["forge", "skill-active"]
    for broken in session["unreadable"]:
        body = {"root": asking_board.root, "session": "s1", "mode": broken["clear_as"]}
        assert asking_board.post("/api/modes/clear", body).json()["cleared"] is True
    assert asking_board.get("/api/sessions")["sessions"] == []


ROOT = {"root": "ROOT", "session": "s1"}
REFUSED: list[tuple[str, str, object, int, str]] = [
    ("a question that is not there", "/api/questions/q-none/answer", ROOT | {"answer": "x"}, 409,
     "q-none: no such question in session s1; see them with: rcs question list --all"),
    ("an empty answer", "/api/questions/q/answer", ROOT | {"answer": ""}, 400,
     "answer: string should have at least 1 character"),
    ("a blank answer", "/api/questions/q/answer", ROOT | {"answer": "  "}, 409,
     "answer: it is empty; give some text"),
    ("an answer that is too long", "/api/questions/q/answer", ROOT | {"answer": "x" * 4001}, 400,
     "answer: string should have at most 4000 characters"),
    ("a workspace that is not shown", "/api/modes/clear", {"root": "/", "session": "s1", "mode": "forge"}, 409,
     "'/' is not a workspace that is shown here"),
    ("a workspace out of the root", "/api/modes/clear", {"root": "ROOT/../other", "session": "s1", "mode": "forge"},
     409, "'ROOT/../other' is not a workspace that is shown here"),
    ("a run that is not there", "/api/runs/nope/end", {"status": "failed"}, 404,
     "there is no run 'nope'; it may have been pruned"),
    ("a status that ends nothing", "/api/runs/r1/end", {"status": "running"}, 400,
     "status: input should be 'completed', 'failed' or 'skipped'"),
    ("a field that is not known", "/api/runs/r1/end", {"state": "failed"}, 400,
     "state: extra inputs are not permitted"),
    ("nothing", "/api/modes/clear", {}, 400, "root: field required"),
    ("no JSON", "/api/modes/clear", "{", 400,
     "the body: invalid JSON: EOF while parsing an object at line 1 column 1"),
    ("no object", "/api/modes/clear", [], 400, "the body: input should be an object"),
]  # fmt: skip


@each_row(("address", "body", "status", "words"), [pytest.param(*row[1:], id=row[0]) for row in REFUSED])
def test_what_cannot_be_done_is_refused_in_a_sentence(
    asking_board: Board, address: str, body: Record | str, status: int, words: str
) -> None:
    text = (body if isinstance(body, str) else json.dumps(body)).replace("ROOT", asking_board.root)
    asking_board.project.emit("requirements")
    stored, kept = asking_board.project.dump(), asking_board.workspace.snapshot()
    answer = asking_board.post(address, text)
    assert (answer.status_code, answer.json()) == (
        status,
        error_json(CODES.get(status, "refused"), words.replace("ROOT", asking_board.root)),
    )
    assert (asking_board.project.dump(), asking_board.workspace.snapshot()) == (stored, kept)


@each_row("session", ["../s1", "a/b", "", ".", "x" * 200])
def test_a_session_that_is_no_name_touches_nothing(asking_board: Board, session: str) -> None:
    kept = asking_board.workspace.snapshot()
    body = {"root": asking_board.root, "session": session or "..", "mode": "forge"}
    assert asking_board.post("/api/modes/clear", body).status_code == 409
    assert asking_board.workspace.snapshot() == kept
