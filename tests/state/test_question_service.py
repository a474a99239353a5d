"""Questions as the surfaces ask, answer and list them, and what the next prompt makes of each."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

import pytest

from rcs_hooks.errors import Refused
from rcs_hooks.state.operations import list_active
from rcs_hooks.state.question_service import answer, ask, list_questions
from rcs_hooks.state.results import QuestionList
from rcs_hooks.state.writing import write
from tests.state.test_operations import AT, agrees, at
from tests.support import Record, Workspace
from tests.table import each_row


def running(workspace: Workspace, *modes: str, session: str | None = "s1") -> None:
    for mode in modes or ("forge",):
        workspace.write(mode, session, current_phase="executing", iteration=3, max_iterations=50)


def question_in(workspace: Workspace, result: Mapping[str, Any]) -> Record:
    record: Record = json.loads((workspace.root / result["path"]).read_text())
    return record


# --- ask


@pytest.mark.parametrize("session", ["s1", None], ids=["session", "root"])
def test_ask_records_the_question_and_lets_the_mode_wait(session: str | None, workspace: Workspace) -> None:
    running(workspace, session=session)
    result = ask(at(workspace, session), "forge", "Which database?", ["Postgres", "SQLite"])
    wanted: Record = {
        "kind": "rcs.question/v1",
        "question_id": result["question_id"],
        "session_id": session,
        "status": "pending",
        "created_at": AT,
        "question": "Which database?",
        "options": ["Postgres", "SQLite"],
    }
    record = question_in(workspace, result)
    assert record | wanted == record
    mode = workspace.read("forge", session)
    wanted = {"active": True, "lifecycle_outcome": "askuserQuestion", "current_phase": "executing", "iteration": 3}
    assert mode | wanted == mode
    wanted = {"source": "forge", "status": "pending", "question_id": result["question_id"], "requested_at": AT}
    assert mode["question_enforcement"] | wanted == mode["question_enforcement"]
    assert agrees(workspace, session)


def test_ask_says_the_id_the_path_and_what_to_say_now(workspace: Workspace) -> None:
    running(workspace)
    result = ask(at(workspace), "forge", "Which database?", ["Postgres", "SQLite"])
    assert re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_-]{0,127}", result["question_id"])
    assert (result["success"], result["mode"]) == (True, "forge")
    assert result["path"] == f".rcs/state/sessions/s1/questions/{result['question_id']}.json"
    assert '"Which database?" Options: 1 Postgres | 2 SQLite. The next prompt is the answer.' in result["say"]


@pytest.mark.parametrize("length", [121, 300, 4_000])
def test_what_to_say_holds_the_whole_question(length: int, workspace: Workspace) -> None:
    running(workspace)
    text = ("word " * 1_000)[: length - 1] + "?"
    assert text in ask(at(workspace), "forge", text)["say"]


def test_a_question_lets_the_turn_end(workspace: Workspace) -> None:
    running(workspace)
    assert workspace.stop().blocks
    ask(at(workspace), "forge", "Which database?")
    assert list_active(at(workspace)) == {"active_modes": ["forge"]}
    assert not workspace.stop().blocks


def test_all_that_runs_waits_for_the_question_and_goes_on_with_the_answer(workspace: Workspace) -> None:
    running(workspace, "team", "forge")
    result = ask(at(workspace), "forge", "Which database?")
    assert result["also_waiting"] == ["team"]
    assert workspace.read("team")["question_enforcement"]["question_id"] == result["question_id"]
    assert not workspace.stop().blocks
    context = workspace.prompt("Postgres").context
    assert context.count("Which database?") == 1
    assert "team" in context
    assert "forge" in context
    reason = workspace.stop().reason
    assert "team" in reason
    assert "forge" in reason


def test_an_answer_from_elsewhere_lets_all_go_on(workspace: Workspace) -> None:
    running(workspace, "team", "forge")
    asked = ask(at(workspace), "forge", "Which database?")
    assert sorted(answer(at(workspace), asked["question_id"], "Postgres", source="cli")["goes_on"]) == ["forge", "team"]


def test_a_second_question_is_refused_while_one_is_open(workspace: Workspace) -> None:
    running(workspace, "team", "forge")
    first = ask(at(workspace), "forge", "Which database?")["question_id"]
    before = workspace.snapshot()
    for mode in ("forge", "team"):
        with pytest.raises(Refused, match=f'{mode} already waits for the answer to "Which database." .{first}.'):
            ask(at(workspace), mode, "Which version?")
    assert workspace.snapshot() == before
    workspace.stop()
    workspace.prompt("Postgres")
    assert ask(at(workspace), "forge", "Which version?")["success"] is True


def test_a_question_stays_open_while_another_mode_waits_for_it(workspace: Workspace) -> None:
    running(workspace, "team", "forge")
    asked = ask(at(workspace), "forge", "Which database?")
    write(at(workspace), "forge", {"lifecycle_outcome": "finished"})
    assert question_in(workspace, asked)["status"] == "pending"
    workspace.stop()
    assert "Which database?" in workspace.prompt("Postgres").context
    assert question_in(workspace, asked)["status"] == "answered"


def test_a_question_of_a_root_run_moves_it_to_the_session(workspace: Workspace) -> None:
    running(workspace, session=None)
    ask(at(workspace), "forge", "Which database?")
    assert workspace.read("forge")["iteration"] == 3
    assert workspace.read("forge", None)["active"] is False


def test_without_a_session_the_one_that_has_the_mode_is_asked(workspace: Workspace) -> None:
    running(workspace)
    result = ask(at(workspace, None), "forge", "Which database?")
    assert question_in(workspace, result)["session_id"] == "s1"


REFUSED: list[tuple[str, list[str], str]] = [
    ("", [], "text"),
    (" \n\t", [], "text"),
    ("x" * 4_001, [], "text"),
    ("Which?", [""], "option"),
    ("Which?", ["  "], "option"),
    ("Which?", ["x" * 201], "option"),
    ("Which?", ["x"] * 13, "option"),
]


@each_row(
    ("text", "options", "field"),
    REFUSED,
    ids=["empty", "blank", "too long", "empty option", "blank option", "long option", "13 options"],
)
def test_a_question_that_cannot_be_asked_is_refused_and_changes_no_byte(
    text: str, options: list[str], field: str, workspace: Workspace
) -> None:
    running(workspace)
    before = workspace.snapshot()
    with pytest.raises(Refused, match=f"^{field}: "):
        ask(at(workspace), "forge", text, options)
    assert workspace.snapshot() == before


@pytest.mark.parametrize("fields", [{"active": False}, {"lifecycle_outcome": "finished"}], ids=["off", "finished"])
def test_a_mode_that_is_not_active_cannot_ask(fields: Record, workspace: Workspace) -> None:
    workspace.write("forge", **fields)
    before = workspace.snapshot()
    with pytest.raises(Refused, match="forge is not active"):
        ask(at(workspace), "forge", "Which database?")
    assert workspace.snapshot() == before


@pytest.mark.parametrize("session", ["s1", None], ids=["session", "root"])
def test_asking_in_an_empty_workspace_makes_nothing(session: str | None, workspace: Workspace) -> None:
    with pytest.raises(Refused):
        ask(at(workspace, session), "forge", "Which database?")
    assert list(workspace.root.iterdir()) == []


# --- the next prompt answers


def test_the_next_prompt_answers_and_the_run_goes_on(workspace: Workspace) -> None:
    running(workspace)
    result = ask(at(workspace), "forge", "Which database?")
    workspace.stop()
    context = workspace.prompt("Postgres, please").context
    assert "Which database?" in context
    assert "forge" in context
    wanted = {"status": "answered", "answer": "Postgres, please"}
    record = question_in(workspace, result)
    assert record | wanted == record
    mode = workspace.read("forge")
    assert "lifecycle_outcome" not in mode
    assert (mode["current_phase"], mode["iteration"]) == ("executing", 3)
    assert workspace.stop().blocks


def test_an_answer_by_prompt_is_not_told_once_more(workspace: Workspace) -> None:
    running(workspace)
    ask(at(workspace), "forge", "Which database?")
    workspace.stop()
    workspace.prompt("Postgres")
    assert workspace.prompt("go on").context == ""


def test_a_prompt_of_another_session_answers_nothing(workspace: Workspace) -> None:
    running(workspace)
    ask(at(workspace), "forge", "Which database?")
    before = workspace.snapshot()
    assert workspace.prompt("Postgres", "s2").output == {}
    assert workspace.snapshot() == before


def test_cancel_aborts_the_question(workspace: Workspace) -> None:
    running(workspace)
    result = ask(at(workspace), "forge", "Which database?")
    workspace.prompt("$cancel")
    assert question_in(workspace, result)["status"] == "aborted"


# --- an answer from elsewhere


@pytest.mark.parametrize("session", ["s1", None], ids=["session named", "no session named"])
def test_an_answer_from_elsewhere_lifts_the_wait_and_is_told_once(session: str | None, workspace: Workspace) -> None:
    running(workspace)
    asked = ask(at(workspace), "forge", "Which database?")
    result = answer(at(workspace, session), asked["question_id"], "Postgres", source="cli")
    wanted: Record = {
        "success": True,
        "question_id": asked["question_id"],
        "session_id": "s1",
        "goes_on": ["forge"],
        "says": 'answered; type any prompt in that session, such as "go on", and forge continues',
    }
    assert result == wanted
    assert workspace.stop().blocks
    context = workspace.prompt("hello").context
    assert "Which database?" in context
    assert "Postgres" in context
    assert workspace.prompt("hello again").context == ""
    record = question_in(workspace, asked)
    assert (record["status"], record["answer"]) == ("answered", "Postgres")


def test_an_answer_from_elsewhere_is_told_to_its_own_session(workspace: Workspace) -> None:
    running(workspace)
    asked = ask(at(workspace), "forge", "Which database?")
    answer(at(workspace), asked["question_id"], "Postgres", source="cli")
    assert workspace.prompt("hello", "s2").output == {}
    assert "Postgres" in workspace.prompt("hello").context


def test_a_question_is_answered_once(workspace: Workspace) -> None:
    running(workspace)
    asked = ask(at(workspace), "forge", "Which database?")
    answer(at(workspace), asked["question_id"], "Postgres", source="cli")
    before = workspace.snapshot()
    with pytest.raises(Refused, match="already answered"):
        answer(at(workspace), asked["question_id"], "SQLite", source="cli")
    assert workspace.snapshot() == before


def test_a_question_that_the_prompt_has_answered_is_answered(workspace: Workspace) -> None:
    running(workspace)
    asked = ask(at(workspace), "forge", "Which database?")
    workspace.stop()
    workspace.prompt("Postgres")
    before = workspace.snapshot()
    with pytest.raises(Refused, match="already answered"):
        answer(at(workspace), asked["question_id"], "SQLite", source="cli")
    assert workspace.snapshot() == before


def second_question(workspace: Workspace, first: Mapping[str, Any], **fields: object) -> Record:
    """Another open question of the same mode, as another tool may have written it."""
    path = (workspace.root / first["path"]).with_name("q-other.json")
    record = question_in(workspace, first) | {"question_id": "q-other", "question": "Which version?"} | fields
    record.pop("asked_in_turn", None)
    path.write_text(json.dumps(record))
    return {"question_id": "q-other", "path": str(path.relative_to(workspace.root))}


def test_of_two_questions_of_one_mode_the_last_answer_lifts_the_wait(workspace: Workspace) -> None:
    running(workspace)
    first = ask(at(workspace), "forge", "Which database?")
    second = second_question(workspace, first)
    assert answer(at(workspace), second["question_id"], "16", source="cli")["goes_on"] == []
    assert not workspace.stop().blocks
    assert answer(at(workspace), first["question_id"], "Postgres", source="cli")["goes_on"] == ["forge"]
    assert workspace.stop().blocks


def test_a_prompt_answers_both_questions_of_one_mode(workspace: Workspace) -> None:
    running(workspace)
    first = ask(at(workspace), "forge", "Which database?")
    results = [first, second_question(workspace, first)]
    workspace.stop()
    workspace.prompt("Postgres 16")
    assert [question_in(workspace, result)["status"] for result in results] == ["answered", "answered"]
    assert list_questions(at(workspace)) == {"questions": []}


@pytest.mark.parametrize("text", ["", "  \n"], ids=["empty", "blank"])
def test_an_answer_without_text_is_refused(text: str, workspace: Workspace) -> None:
    running(workspace)
    asked = ask(at(workspace), "forge", "Which database?")
    before = workspace.snapshot()
    with pytest.raises(Refused, match=r"^answer: "):
        answer(at(workspace), asked["question_id"], text, source="cli")
    assert workspace.snapshot() == before


def test_a_long_answer_is_kept_within_bounds(workspace: Workspace) -> None:
    running(workspace)
    asked = ask(at(workspace), "forge", "Which database?")
    answer(at(workspace), asked["question_id"], "x" * 100_000, source="cli")
    assert question_in(workspace, asked)["answer"] == "x" * 4_000
    assert len(workspace.prompt("hello").context) <= 1_500


def test_a_question_of_another_session_is_not_answered_where_a_session_is_named(workspace: Workspace) -> None:
    running(workspace)
    asked = ask(at(workspace), "forge", "Which database?")
    with pytest.raises(Refused, match="no such question in session s2"):
        answer(at(workspace, "s2"), asked["question_id"], "Postgres", source="cli")


def test_answering_in_an_empty_workspace_makes_nothing(workspace: Workspace) -> None:
    with pytest.raises(Refused):
        answer(at(workspace), "q-1", "Postgres", source="cli")
    assert list(workspace.root.iterdir()) == []


# --- list


def questions(found: QuestionList) -> list[tuple[Any, ...]]:
    return [(each["session_id"], each["mode"], each["status"], each["question"]) for each in found["questions"]]


def test_list_shows_the_open_questions_of_a_session_and_without_one_of_all(workspace: Workspace) -> None:
    running(workspace, session="s1")
    running(workspace, session="s2")
    ask(at(workspace, "s1"), "forge", "Which database?")
    ask(at(workspace, "s2"), "forge", "Which version?")
    assert questions(list_questions(at(workspace, "s1"))) == [("s1", "forge", "pending", "Which database?")]
    assert questions(list_questions(at(workspace, None))) == [
        ("s1", "forge", "pending", "Which database?"),
        ("s2", "forge", "pending", "Which version?"),
    ]


def test_list_shows_what_is_answered_only_when_asked_for_every_one(workspace: Workspace) -> None:
    running(workspace)
    asked = ask(at(workspace), "forge", "Which database?")
    answer(at(workspace), asked["question_id"], "Postgres", source="cli")
    assert list_questions(at(workspace)) == {"questions": []}
    every = list_questions(at(workspace), every=True)["questions"]
    assert [(each["question_id"], each["status"], each["answer"]) for each in every] == [
        (asked["question_id"], "answered", "Postgres")
    ]


def test_list_creates_nothing(workspace: Workspace) -> None:
    assert list_questions(at(workspace)) == {"questions": []}
    assert list_questions(at(workspace, None), every=True) == {"questions": []}
    assert list(workspace.root.iterdir()) == []
