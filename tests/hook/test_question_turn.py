"""A question of a run that the agent has started by itself: nobody noted in whose turn it was asked."""

from __future__ import annotations

import json

from rcs_hooks.state.question_service import ask
from rcs_hooks.state.results import AskResult
from rcs_hooks.state.writing import write
from tests.state.test_operations import at
from tests.support import Record, Workspace
from tests.table import each_row

EARLY = "was typed before the question could be seen"


def asked_by_agent(workspace: Workspace, mode: str = "deep-interview", *options: str) -> AskResult:
    """The agent starts a mode and asks, in whatever turn it works."""
    workspace.now += 1
    here = at(workspace)._replace(now=workspace.now)
    write(here, mode, {"active": True})
    return ask(here, mode, "Which database?", options)


def record_of(workspace: Workspace, asked: AskResult) -> Record:
    record: Record = json.loads((workspace.root / asked["path"]).read_text())
    return record


def test_what_was_typed_in_the_turn_of_the_question_is_no_answer(workspace: Workspace) -> None:
    workspace.prompt("interview me, please", turn_id="t1")
    asked = asked_by_agent(workspace)
    for typed in ("oh and use tabs", "and no semicolons"):
        assert EARLY in workspace.prompt(typed, turn_id="t1").context
    assert record_of(workspace, asked)["status"] == "pending"
    workspace.prompt("Postgres", turn_id="t2")
    assert record_of(workspace, asked)["answer"] == "Postgres"


def test_after_the_end_of_the_turn_the_next_prompt_is_the_answer(workspace: Workspace) -> None:
    workspace.prompt("interview me, please", turn_id="t1")
    asked = asked_by_agent(workspace)
    assert workspace.stop(turn_id="t1").line == "{}"
    assert EARLY in workspace.prompt("sent before the end, and delivered after it", turn_id="t1").context
    workspace.prompt("Postgres", turn_id="t2")
    assert record_of(workspace, asked)["answer"] == "Postgres"


@each_row("stops", [True, False])
def test_a_client_without_turns_is_answered_at_once(stops: bool, workspace: Workspace) -> None:
    asked = asked_by_agent(workspace)
    if stops:
        workspace.stop(turn_id=None)
    workspace.prompt("Postgres", turn_id=None)
    assert record_of(workspace, asked)["answer"] == "Postgres"


def test_without_a_stop_the_prompt_of_the_next_turn_answers(workspace: Workspace) -> None:
    """An interrupted turn ends without a Stop: nobody is kept from answering."""
    asked = asked_by_agent(workspace)
    assert EARLY in workspace.prompt("Postgres", turn_id="t2").context
    workspace.prompt("I said Postgres", turn_id="t3")
    assert record_of(workspace, asked)["answer"] == "I said Postgres"


def test_a_reply_that_names_an_option_was_typed_by_somebody_who_has_seen_it(workspace: Workspace) -> None:
    asked = asked_by_agent(workspace, "forge", "Postgres", "SQLite")
    workspace.prompt("2", turn_id="t1")
    assert record_of(workspace, asked)["answer"] == "SQLite"


def test_a_turn_that_was_noted_before_the_run_began_is_not_its_own(workspace: Workspace) -> None:
    workspace.prompt("$forge a login page", turn_id="t1")
    write(at(workspace)._replace(now=workspace.now), "forge", {"lifecycle_outcome": "finished"})
    asked = asked_by_agent(workspace)
    assert EARLY in workspace.prompt("oh and use tabs", turn_id="t2").context
    assert record_of(workspace, asked)["status"] == "pending"


def test_the_turn_of_a_prompt_that_has_started_the_run_is_known(workspace: Workspace) -> None:
    workspace.prompt("$forge a login page", turn_id="t1")
    asked = ask(at(workspace), "forge", "Which database?")
    assert record_of(workspace, asked)["asked_in_turn"] == "t1"
    workspace.prompt("Postgres", turn_id="t2")
    assert record_of(workspace, asked)["answer"] == "Postgres"


def test_a_stop_beside_another_run_notes_the_turn_where_it_is_not_held(workspace: Workspace) -> None:
    asked = asked_by_agent(workspace)
    write(at(workspace), "ultrawork", {"active": True})
    assert workspace.stop(turn_id="t1").blocks
    assert record_of(workspace, asked)["asked_in_turn"] is None
    workspace.env["RCS_STOP_MAX_BLOCKS"] = "0"
    assert not workspace.stop(turn_id="t1").blocks
    assert record_of(workspace, asked)["asked_in_turn"] == "t1"
    workspace.prompt("Postgres", turn_id="t2")
    assert record_of(workspace, asked)["answer"] == "Postgres"


def test_a_question_of_another_tool_is_answered_at_once(workspace: Workspace) -> None:
    asked = asked_by_agent(workspace)
    record = record_of(workspace, asked)
    del record["asked_in_turn"]
    (workspace.root / asked["path"]).write_text(json.dumps(record))
    workspace.prompt("Postgres", turn_id="t2")
    assert record_of(workspace, asked)["answer"] == "Postgres"
