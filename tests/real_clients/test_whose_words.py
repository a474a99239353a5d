"""Prompts that no person typed, that a subagent was given, or that were typed too early to be an answer."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.real_clients.configure import AT_A_TERMINAL, CLIENTS, EVERY_WAY, TRANSPORTS
from tests.real_clients.driver import Typed
from tests.real_clients.listening import set_up
from tests.real_clients.model_server import Turn, delegate, run, say
from tests.real_clients.test_turns import ASK, DONE, FINISH, WORKING, counts, ended_well

if TYPE_CHECKING:
    from tests.real_clients.configure import Json, Transport
    from tests.real_clients.driver import Person
    from tests.support import Workspace

PROMPT = "$forge ship it"
ANSWERED = "This prompt is the reply"
QUESTION = say("Which database?")


def the_question(workspace: Workspace, session: str) -> Json:
    (file,) = (workspace.folder(session) / "questions").glob("*.json")
    record: Json = json.loads(file.read_text())
    return record


# --- what the client says itself


@EVERY_WAY
def test_a_command_that_ends_while_a_question_waits_answers_nothing(
    person: Person, workspace: Workspace, transport: Transport
) -> None:
    """Some clients wake the agent, and some of these make a prompt of it; the others wait until somebody types."""
    calls = set_up(person, transport)
    ended = workspace.root / "ended"
    command = Turn(command=f"{calls.wait_for('Stop', 2)}; touch '{ended}'", in_background=True)
    notices = [say("Noted.")] if person.adapter.wakes_agent else []
    outcome = person.talks(
        Typed(PROMPT, turns=1 if person.client in AT_A_TERMINAL else 1 + len(notices)),
        Typed("Postgres", when=str(ended), shows="Noted" if notices else "", idle=True),
        script=(command, WORKING, ASK, QUESTION, *notices, WORKING, FINISH, DONE),
    )
    assert ended_well(outcome)
    assert calls.typed == [PROMPT, "Postgres"]
    notice = person.adapter.notice
    assert len([prompt for prompt in calls.prompts if notice and prompt.startswith(notice)]) == bool(notice)
    assert counts(outcome, ANSWERED) == [0] * (4 + len(notices)) + [1, 1, 1]
    assert "Postgres" in the_question(workspace, outcome.session)["answer"]
    assert workspace.read("forge", outcome.session)["lifecycle_outcome"] == "finished"


# --- a subagent


@EVERY_WAY
@pytest.mark.parametrize("task", ["Do it with $team\n$team $cancel", "$cancel"], ids=["both", "cancel"])
def test_the_prompt_of_a_subagent_changes_nothing(
    person: Person, workspace: Workspace, transport: Transport, task: str
) -> None:
    ends = [event] if (event := person.adapter.subagent_end) else []
    calls = set_up(person, transport, *ends)
    outcome = person.types(
        PROMPT,
        delegate(task),
        *(run(calls.wait_for(event)) for event in ends),
        run("true"),
        FINISH,
        DONE,
        subagents=(say("Did it."),),
    )
    assert ended_well(outcome)
    assert len(outcome.asides) == 1
    assert outcome.asides[0].count("[rcs]") == 0
    assert [name for name in workspace.snapshot() if "team" in name] == []
    assert workspace.read("forge", outcome.session)["lifecycle_outcome"] == "finished"
    assert calls.typed == [PROMPT]


# --- typed before the question was seen


@pytest.mark.parametrize("client", CLIENTS)
@pytest.mark.parametrize("transport", TRANSPORTS)
def test_a_message_typed_before_the_question_was_seen_is_no_answer(
    person: Person, workspace: Workspace, transport: Transport
) -> None:
    calls = set_up(person, transport)
    working, typed = workspace.root / "working", workspace.root / "typed"
    is_typed = run(f"touch '{working}'; until [ -e '{typed}' ]; do sleep 0.02; done")
    outcome = person.talks(
        Typed(PROMPT, turns=0),
        Typed("Use tabs", when=str(working), typed=str(typed)),
        Typed("Postgres"),
        script=(WORKING, ASK, is_typed, run("true"), run("true"), QUESTION, WORKING, FINISH, DONE),
    )
    assert ended_well(outcome)
    assert calls.prompts == [PROMPT, "Use tabs", "Postgres"]
    assert calls.turns("UserPromptSubmit") == [0, 0, 1]
    assert len(outcome.requests) == 9
    assert counts(outcome, ANSWERED) == [0] * 6 + [1, 1, 1]
    assert "Postgres" in the_question(workspace, outcome.session)["answer"]
    assert "Use tabs" not in str(the_question(workspace, outcome.session))
    assert workspace.read("forge", outcome.session)["lifecycle_outcome"] == "finished"
