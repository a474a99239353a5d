"""A prompt that begins with our own words: the reason of a Stop that a client hands back, or a person's paste."""

from __future__ import annotations

from typing import Any

import pytest

from rcs_hooks.hook.call import Surroundings
from rcs_hooks.hook.entry import respond
from rcs_hooks.state.asking import ask
from tests.cli.test_state_commands import rcs
from tests.hook.test_whose_prompt import record_of
from tests.state.test_surface import at
from tests.support import Workspace

FIRST = "[rcs] forge is still running: no outcome is recorded. Go on with the work."


def held(workspace: Workspace) -> str:
    """Forge runs, and a Stop was held; returns its reason."""
    workspace.prompt("$forge")
    return workspace.stop().reason


@pytest.mark.parametrize(
    "wrapped",
    [
        "{}",
        "  {}\n\n",
        "Stop hook feedback:\n{}",
        "Stop hook feedback:\n- {}",
        "<hook_prompt id='1'>{}</hook_prompt>",
    ],
)
def test_our_whole_reason_is_nobodys(wrapped: str, workspace: Workspace) -> None:
    reason = held(workspace)
    before = workspace.workflow_state()
    assert workspace.prompt(wrapped.format(reason)).line == "{}"
    assert workspace.prompt(wrapped.format(reason.replace("<", "&lt;").replace(">", "&gt;"))).line == "{}"
    assert workspace.workflow_state() == before


def test_a_reason_is_known_again_after_another_prompt_and_another_stop(workspace: Workspace) -> None:
    reason = held(workspace)
    workspace.prompt("the css too")
    workspace.stop(message="Would you like me to continue?")
    asked = ask(at(workspace), "forge", "Which database?")
    assert workspace.prompt(reason).line == "{}"
    assert record_of(workspace, asked)["status"] == "pending"


@pytest.mark.parametrize("shown", [FIRST, "[rcs] forge (phase x) is still running: no outcome is recorded."])
def test_a_paste_of_our_words_with_a_line_of_the_persons_may_answer(shown: str, workspace: Workspace) -> None:
    held(workspace)
    asked = ask(at(workspace), "forge", "Which database?")
    workspace.prompt(f"{shown}\nyes, go on")
    assert record_of(workspace, asked)["answer"] == f"{shown}\nyes, go on"


def test_our_whole_reason_and_a_line_of_the_persons_may_answer(workspace: Workspace) -> None:
    reason = held(workspace)
    asked = ask(at(workspace), "forge", "Which database?")
    workspace.prompt(f"{reason}\nPostgres")
    assert record_of(workspace, asked)["status"] == "answered"


@pytest.mark.parametrize(
    "prompt", [f"{FIRST}\nI see this message all the time. Use $cancel please", "[rcs] a\nb\n$cancel it"]
)
def test_a_token_below_a_paste_of_our_words_counts(prompt: str, workspace: Workspace) -> None:
    held(workspace)
    assert "forge cancelled" in workspace.prompt(prompt).notice


def test_a_token_in_a_line_of_ours_counts_nowhere(workspace: Workspace) -> None:
    held(workspace)
    assert workspace.prompt("[rcs] type $cancel\nwhat is this").line == "{}"
    assert workspace.active() == ["forge"]


def test_without_notes_the_shape_decides(workspace: Workspace) -> None:
    reason = held(workspace)
    (workspace.folder("s1") / "hook-ledger.json").unlink()
    asked = ask(at(workspace), "forge", "Which database?")
    assert workspace.prompt(reason).line == "{}"
    assert record_of(workspace, asked)["status"] == "pending"


def test_try_says_as_much_as_the_hook_does(workspace: Workspace) -> None:
    reason = held(workspace)
    paste = rcs(workspace.root, "try", "[rcs] a\nb\n$cancel it", "--session", "s1").out
    assert "$cancel: asked for" in paste
    assert "cancel: forge" in paste
    handed_back = rcs(workspace.root, "try", reason, "--session", "s1").out
    assert "no person types it" in handed_back
    assert "asked for" not in handed_back


# --- the turn of a prompt that nobody typed

NOTIFICATION = "<task-notification>\n<status>completed</status>\n</task-notification>"


def test_what_is_typed_in_the_turn_of_a_notification_is_too_early_for_its_question(workspace: Workspace) -> None:
    workspace.call("UserPromptSubmit", prompt="$forge x", prompt_id="p1")
    workspace.call("Stop", prompt_id="p1", last_assistant_message="Working.")
    before = workspace.workflow_state()
    assert workspace.call("UserPromptSubmit", prompt=NOTIFICATION, prompt_id="p2").line == "{}"
    assert workspace.workflow_state() == before
    asked = ask(at(workspace), "forge", "Delete prod db?")
    early = workspace.call("UserPromptSubmit", prompt="yes the css too", prompt_id="p2")
    assert "typed before the question could be seen" in early.context
    assert record_of(workspace, asked)["status"] == "pending"
    workspace.call("UserPromptSubmit", prompt="no", prompt_id="p3")
    assert record_of(workspace, asked)["answer"] == "no"


def test_the_turn_of_a_notification_starts_no_count_over(workspace: Workspace) -> None:
    workspace.prompt("$forge")
    held_stops = 0
    while workspace.stop(message=f"{held_stops}").blocks:
        held_stops += 1
        workspace.prompt(NOTIFICATION)
    assert held_stops == 5


def test_a_notification_makes_no_notes_where_nothing_runs(workspace: Workspace) -> None:
    workspace.prompt("$forge")
    workspace.prompt("$cancel")
    before = workspace.snapshot()
    workspace.prompt(NOTIFICATION)
    assert workspace.snapshot() == before


# --- other prompts that mean something else than they seem to


def test_a_prompt_about_what_waits_keeps_its_offer_for_the_next_one(workspace: Workspace) -> None:
    workspace.prompt("$blueprint $team")
    workspace.edit("blueprint", active=False, lifecycle_outcome="finished")
    asked = workspace.prompt("what does $team do?")
    assert "read as a mention" in asked.notice
    assert "has ended" not in asked.notice
    assert asked.context == ""
    assert workspace.prompt("I see").notice == "rcs: blueprint has ended: type $team to go on"


def test_a_command_of_the_client_answers_nothing(workspace: Workspace) -> None:
    workspace.prompt("$forge")
    asked = ask(at(workspace), "forge", "Which file?")
    assert "is a command of the client" in workspace.prompt("/model opus").context
    assert record_of(workspace, asked)["status"] == "pending"
    workspace.prompt("/etc/hosts is fine")
    assert record_of(workspace, asked)["answer"] == "/etc/hosts is fine"


def test_the_main_session_of_a_named_agent_is_the_persons(workspace: Workspace) -> None:
    assert workspace.prompt("$forge", agent_type="reviewer").context
    assert workspace.stop(agent_type="reviewer").blocks


def test_a_huge_integer_that_nobody_reads_is_no_hindrance(workspace: Workspace) -> None:
    workspace.now += 1
    raw = workspace.payload("UserPromptSubmit", prompt="$forge", cost=0).replace(
        b'"cost": 0', b'"cost": 1' + b"0" * 5_000
    )
    line = respond(raw, Surroundings(workspace.env, str(workspace.root), workspace.now, "rcs"))
    assert "active: forge" in line


@pytest.mark.parametrize("field", ["prompt_id", "turn_id", "last_assistant_message"])
def test_a_field_that_a_call_can_do_without_may_be_of_any_type(field: str, workspace: Workspace) -> None:
    odd: dict[str, Any] = {field: 7}
    assert workspace.call("UserPromptSubmit", **(odd | {"prompt": "hi"})).line == "{}"
    assert workspace.call("UserPromptSubmit", **(odd | {"prompt": "$forge"})).context


def test_the_notice_of_a_cancel_says_of_each_how_it_goes_on(workspace: Workspace) -> None:
    workspace.prompt("$team $forge")
    assert workspace.prompt("$cancel").notice == "rcs: team + forge cancelled (each goes on, named again)"
