"""A run of the workspace's own that waits: who answers its question, and what a prompt leaves alone."""

from __future__ import annotations

import json

import pytest

from rcs_hooks.errors import Refused
from rcs_hooks.state.question_service import answer, ask, list_questions
from rcs_hooks.state.results import AskResult
from rcs_hooks.state.writing import write
from tests.state.test_operations import at
from tests.support import Record, Workspace
from tests.table import each_row

BY_HAND: list[Record] = [
    {"lifecycle_outcome": "askuserQuestion"},
    {"run_outcome": "blocked_on_user"},
    {"question_enforcement": {"status": "pending", "question_id": "q-gone"}},
]


def asked_in_root(workspace: Workspace, *options: str, mode: str = "forge") -> AskResult:
    write(at(workspace, None), mode, {"active": True}, root_scope=True)
    return ask(at(workspace, None), mode, "Which database?", options)


def record_of(workspace: Workspace, asked: AskResult) -> Record:
    record: Record = json.loads((workspace.root / asked["path"]).read_text())
    return record


@each_row("typed", ["2", "SQLite", "$forge 2"])
def test_the_next_prompt_answers_it_in_root(typed: str, workspace: Workspace) -> None:
    asked = asked_in_root(workspace, "Postgres", "SQLite")
    said = workspace.prompt(typed)
    assert 'waited for the user\'s answer to "Which database?" (1 Postgres | 2 SQLite)' in said.context
    assert 'This prompt is the reply: option 2, "SQLite".' in said.context
    assert said.notice == 'rcs: your reply counts as "SQLite"'
    assert (record_of(workspace, asked)["status"], record_of(workspace, asked)["answer"]) == ("answered", "SQLite")
    run = workspace.read("forge", None)
    assert (run["active"], run["question_enforcement"]["status"]) == (True, "satisfied")
    assert "lifecycle_outcome" not in run
    assert not workspace.folder("s1").exists()
    assert workspace.stop().blocks


def test_it_is_answered_once_and_for_every_session(workspace: Workspace) -> None:
    asked = asked_in_root(workspace)
    workspace.prompt("Postgres", turn_id="t1")
    assert workspace.prompt("Postgres", turn_id="t1").line == "{}"
    assert workspace.prompt("hello", "s2").line == "{}"
    assert record_of(workspace, asked)["answer"] == "Postgres"


def test_in_a_session_with_runs_of_its_own_it_stays_in_root(workspace: Workspace) -> None:
    asked = asked_in_root(workspace, mode="team")
    workspace.prompt("$forge a login page")
    assert record_of(workspace, asked)["status"] == "answered"
    assert workspace.read("team", None)["active"] is True
    assert not workspace.mode_path("team").exists()
    assert workspace.active() == ["team", "forge"]


@each_row("typed", ["$forge", "$ultraqa please"])
def test_what_is_no_answer_leaves_it_open(typed: str, workspace: Workspace) -> None:
    asked = asked_in_root(workspace)
    before = workspace.snapshot()
    assert 'forge still waits for the user\'s answer to "Which database?"' in workspace.prompt(typed).context
    assert workspace.snapshot() == before
    assert record_of(workspace, asked)["status"] == "pending"


def test_a_denied_prompt_that_answers_it_makes_no_session(workspace: Workspace) -> None:
    asked = asked_in_root(workspace)
    assert "Cannot activate autopilot" in workspace.prompt("$autopilot, and use SQLite").context
    assert record_of(workspace, asked)["status"] == "answered"
    assert workspace.read("forge", None)["active"] is True
    assert not workspace.folder("s1").exists()


def test_cancel_ends_the_run_and_aborts_the_question(workspace: Workspace) -> None:
    asked = asked_in_root(workspace)
    workspace.prompt("$cancel")
    assert workspace.read("forge", None)["active"] is False
    assert record_of(workspace, asked)["status"] == "aborted"


def test_a_handover_aborts_the_question(workspace: Workspace) -> None:
    asked = asked_in_root(workspace, mode="blueprint")
    workspace.prompt("$forge")
    assert workspace.read("blueprint", None)["active"] is False
    assert record_of(workspace, asked)["status"] == "aborted"


def test_an_answer_from_elsewhere_is_told_once(workspace: Workspace) -> None:
    asked = asked_in_root(workspace)
    answer(at(workspace, None), asked["question_id"], "Postgres", source="cli")
    assert '"Which database?" -> "Postgres"' in workspace.prompt("hello").context
    assert workspace.prompt("hello again").line == "{}"
    assert workspace.read("forge", None)["active"] is True
    assert not workspace.mode_path("forge").exists()


def test_a_second_question_is_refused_from_a_session_too(workspace: Workspace) -> None:
    asked = asked_in_root(workspace)
    with pytest.raises(Refused, match=f'waits for the answer to "Which database." .{asked["question_id"]}.'):
        ask(at(workspace), "forge", "Which version?")


def test_an_end_written_from_a_session_aborts_the_question(workspace: Workspace) -> None:
    asked_in_root(workspace)
    write(at(workspace), "forge", {"lifecycle_outcome": "finished"})
    assert list_questions(at(workspace, None)) == {"questions": []}


def test_a_question_that_cannot_be_read_is_named(workspace: Workspace) -> None:
    asked = asked_in_root(workspace)
    (workspace.root / asked["path"]).write_text("{")
    before = workspace.snapshot()
    assert f"your reply was not recorded and nothing was changed: {asked['path']}" in workspace.prompt("SQLite").notice
    assert workspace.snapshot() == before


# --- without a question


@each_row("fields", BY_HAND)
@each_row("typed", ["hello, list files please", "what does $forge do?", "$autopilot x"])
def test_a_wait_without_a_question_is_left_alone(fields: Record, typed: str, workspace: Workspace) -> None:
    workspace.write("forge", None, **fields)
    before = workspace.workflow_state()
    said = workspace.prompt(typed)
    assert "waited for the user" not in said.context
    assert workspace.workflow_state() == before
    assert workspace.stop().line == "{}"


@each_row("fields", BY_HAND)
def test_a_prompt_that_names_the_mode_lifts_its_wait_in_root(fields: Record, workspace: Workspace) -> None:
    workspace.write("forge", None, **fields)
    assert "forge waited for the user. This prompt is the reply" in workspace.prompt("$forge go on").context
    assert workspace.read("forge", None)["active"] is True
    assert not workspace.mode_path("forge").exists()
    assert workspace.stop().blocks


def test_a_wait_of_a_root_record_that_names_the_session_is_lifted_in_the_session(workspace: Workspace) -> None:
    workspace.write("forge", None, session_id="s1", lifecycle_outcome="askuserQuestion")
    assert "forge waited for the user. This prompt is the reply" in workspace.prompt("Postgres").context
    assert workspace.read("forge")["active"] is True
    assert workspace.read("forge", None)["active"] is False
