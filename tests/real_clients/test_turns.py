"""Whole turns of the real clients: what the model is sent, how often it is asked, and what is on disk after it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.real_clients.configure import configure
from tests.real_clients.model_server import Turn, run, say

if TYPE_CHECKING:
    from tests.real_clients.driver import Outcome, Person
    from tests.support import Workspace

PROMPT = "$blueprint $team $forge ship this fix"
DETECTED = "[rcs] detected: "
REASON = " goes on: "
STALLED = "was continued 5 times and recorded no progress, so the turn ends"
LET_GO = "the work is kept"
WORKING, DONE = say("I work."), say("All done.")
STEPS = tuple(say(f"Step {number}.") for number in range(6))
"""No two alike: what ends twice within two seconds with the same words counts once."""
IN_A_ROW = 5
WITHOUT_OURS = ("qwen", "gemini")
"""The clients that load a workspace's `.env`: what our variables say there counts for nothing."""
FINISH = run(r"\1--outcome finished\2", r"(?<=: )(.*rcs'? state write --mode [\w,]+ )--phase [\w-]+(.*)$")
"""Pastes the command that a Stop's reason shows, with the outcome in place of the phase."""
ASK = Turn(
    command=r"\1 --text 'Which database?' --option Postgres --option SQLite\2",
    find=r"(?<=can decide: )(.*rcs'? question ask .*) --text '[^']*'(.*?)(?=</hook_prompt>|$)",
)


def counts(outcome: Outcome, words: str) -> list[int]:
    """How often each request of the turn holds these words."""
    return [request.count(words) for request in outcome.requests]


def kinds(shown: list[str]) -> list[str]:
    """Say of each text that a person was shown what of a run it tells; the text itself if it tells nothing of it."""
    marks = {"started": " started", "held": REASON, "let go": LET_GO}
    return [next((kind for kind, words in marks.items() if words in text), text) for text in shown]


def first_line(text: str) -> str:
    """The first line of what a person was shown, without Markdown's marks, as from us."""
    return text.partition("\n")[0].replace("`", "").replace("[rcs] ", "rcs: ")


def ended_well(outcome: Outcome) -> bool:
    assert outcome.missed == []
    assert outcome.status == 0, outcome.err
    return True


def test_a_plain_turn_leaves_no_trace(person: Person, workspace: Workspace) -> None:
    configure(person.client, person.workspace, "command")
    outcome = person.types("What costs $5?", say("A coffee."))
    assert ended_well(outcome)
    assert counts(outcome, "[rcs]") == [0]
    assert not (workspace.root / ".rcs").exists()


# --- 1: a prompt


def test_a_prompt_puts_our_context_before_the_model_once_and_state_on_disk(
    person: Person, workspace: Workspace
) -> None:
    configure(person.client, person.workspace, "command")
    person.env["RCS_STOP_MAX_BLOCKS"] = "0"
    outcome = person.types(PROMPT, WORKING)
    assert ended_well(outcome)
    assert {*counts(outcome, f"{DETECTED}$blueprint, $team, $forge")} == {1}
    assert {*counts(outcome, "deferred skills: team, forge")} == {1}
    assert workspace.active(outcome.session) == ["blueprint"]
    assert workspace.read("blueprint", outcome.session)["current_phase"] == "planning"


# --- 2: a Stop


def test_a_stop_is_blocked_until_the_pasted_command_has_recorded_an_outcome(
    person: Person, workspace: Workspace
) -> None:
    configure(person.client, person.workspace, "command")
    outcome = person.types("$forge ship this fix", WORKING, FINISH, DONE)
    assert ended_well(outcome)
    asked, blocked, ran = outcome.requests
    assert counts(outcome, DETECTED) == [1, 1, 1]
    assert asked.count(REASON) == 0
    assert blocked.count(REASON) >= 1
    assert ran.count("forge: finished") >= 1
    assert workspace.active(outcome.session) == []
    assert workspace.read("forge", outcome.session)["lifecycle_outcome"] == "finished"


# --- 3: an agent that never records anything


def test_an_agent_that_records_nothing_is_let_go_and_the_person_is_told(person: Person, workspace: Workspace) -> None:
    configure(person.client, person.workspace, "command")
    person.trusts(person.workspace, approved=person.workspace if person.client == "codex" else None)
    outcome = person.types("$forge ship this fix", *STEPS, shown=True)
    assert ended_well(outcome)
    assert len(outcome.requests) == 1 + 5
    assert counts(outcome, DETECTED) == [1] * 6
    assert workspace.active(outcome.session) == ["forge"]
    told = {
        "started": ["rcs: forge started"],
        "held": ["rcs: forge goes on: starting."] * 5,
        "let go": [f"rcs: forge (phase starting) {STALLED}; {LET_GO}. Type go on to continue, $cancel to end it."],
    }
    wanted = [text for kind, texts in told.items() if kind in person.adapter.shows for text in texts]
    assert [first_line(text) for text in outcome.shown] == wanted


def test_we_let_go_before_the_client_does(person: Person) -> None:
    """Most clients end a turn themselves after 8 blocks, Claude Code and Copilot CLI without a word."""
    configure(person.client, person.workspace, "command")
    person.trusts(person.workspace, approved=person.workspace if person.client == "codex" else None)
    person.env["RCS_STOP_MAX_BLOCKS"] = "1000"
    holds = IN_A_ROW if person.client in WITHOUT_OURS else person.adapter.most_holds
    # Gemini CLI ends a turn in which the model repeats itself.
    outcome = person.types("$forge ship this fix", *(say(f"Step {step}.") for step in range(holds + 5)), shown=True)
    assert ended_well(outcome)
    assert len(outcome.requests) == 1 + holds
    told = {"started": 1, "held": holds, "let go": 1}
    assert kinds(outcome.shown) == [kind for kind in told if kind in person.adapter.shows for _ in range(told[kind])]


# --- 4: a question


@pytest.mark.parametrize(("typed", "answer"), [("Postgres, please", "Postgres, please"), ("2", "SQLite")])
def test_a_question_ends_the_turn_and_the_next_prompt_answers_it(
    person: Person, workspace: Workspace, typed: str, answer: str
) -> None:
    configure(person.client, person.workspace, "command")
    asked = person.types("$forge ship this fix", WORKING, ASK, say("Which database?"))
    assert ended_well(asked)
    assert len(asked.requests) == 3
    assert asked.requests[-1].count("Ask the user now") >= 1
    assert workspace.active(asked.session) == ["forge"]

    answered = person.types(typed, WORKING, FINISH, DONE, resume=asked.session)
    assert ended_well(answered)
    assert answered.session == asked.session
    assert len(answered.requests) == 3
    assert answered.requests[0].count('forge waited for the user\'s answer to "Which database?"') == 1
    assert workspace.active(asked.session) == []
    (question,) = (workspace.folder(asked.session) / "questions").glob("*.json")
    assert json.loads(question.read_text())["answer"] == answer


# --- the start of a session


def test_a_session_that_is_taken_up_again_hears_once_what_is_active(person: Person) -> None:
    configure(person.client, person.workspace, "command")
    first = person.types("$forge ship this fix", *STEPS)
    second = person.types("go on", WORKING, FINISH, DONE, resume=first.session)
    assert counts(first, "[rcs] active in this session") == [0] * 6
    assert ended_well(second)
    assert counts(second, "[rcs] active in this session: forge") == [1, 1, 1]
