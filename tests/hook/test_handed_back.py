"""A prompt that begins with our own words: the reason of a Stop that a client hands back, or a person's paste."""

from __future__ import annotations

import html
from collections.abc import Callable
from typing import Any

import pytest

from rcs_hooks.state.question_service import ask
from tests.cli.test_state_commands import rcs
from tests.hook.test_whose_prompt import record_of
from tests.state.test_operations import at
from tests.support import Workspace
from tests.table import each_row

FIRST = "[rcs] forge is still running: no outcome is recorded. Continue the work."


def held(workspace: Workspace) -> str:
    """Forge runs, and a Stop was held; returns its reason."""
    workspace.prompt("$forge")
    return workspace.stop().reason


@each_row(
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


LEADS = {
    "as it is": "{}",
    "of Claude Code": "Stop hook feedback:\n{}",
    "in a list": "Stop hook feedback:\n- {}",
    "behind its command": "Stop hook feedback:\n- [cmd]: {}",
    "behind a command with brackets": "Stop hook feedback:\n[[ -x a ] && 'b c' || exit 0]: {}",
    "of Codex": "<hook_prompt id='1'>{}</hook_prompt>",
}

JOINED = {
    "once": "{}",
    "glued": "{0}{0}",
    "lines": "{0}\n{0}",
    "apart": "{0}\n\n{0}\n",
}


@pytest.mark.slow
@each_row("lead", LEADS.values(), ids=LEADS)
@each_row("escaped", [str, html.escape], ids=["plain", "escaped"])
@each_row("joined", JOINED.values(), ids=JOINED)
def test_our_reason_is_known_however_it_is_wrapped(
    lead: str, escaped: Callable[[str], str], joined: str, workspace: Workspace
) -> None:
    reason = held(workspace)
    assert reason != html.escape(reason), "no quotation mark in it, so nothing is shown here"
    for _ in range(4):
        before = workspace.workflow_state()
        handed_back = joined.format(lead.format(escaped(reason)))
        assert workspace.prompt(handed_back).line == "{}"
        assert workspace.workflow_state() == before
        workspace.stop()
    assert not workspace.stop().blocks
    assert workspace.read("forge")["active"] is True


def test_our_reason_is_known_twice_in_one_list(workspace: Workspace) -> None:
    reason = held(workspace)
    before = workspace.workflow_state()
    assert workspace.prompt(f"Stop hook feedback:\n- [a]: {reason}\n- [b]: {html.escape(reason)}").line == "{}"
    assert workspace.workflow_state() == before
    ask(at(workspace), "forge", "Which database?")
    assert workspace.prompt(f"Stop hook feedback:\n- [a]: {reason}\n- [b]: {reason}\nPostgres").context


@pytest.mark.parametrize("between", ["{0}\nPostgres\n{0}", "{0}\n{0}\nPostgres", "Stop hook feedback:\n- [a]: b\n{0}"])
def test_a_word_beside_two_of_our_reasons_is_the_persons(between: str, workspace: Workspace) -> None:
    reason = held(workspace)
    asked = ask(at(workspace), "forge", "Which database?")
    workspace.prompt(between.format(reason))
    assert record_of(workspace, asked)["status"] == "answered"


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
    assert "looked like a mention" in asked.notice
    assert "has ended" not in asked.notice
    assert asked.context == ""
    assert workspace.prompt("I see").notice == "rcs: blueprint has ended: type $crew to continue"


CLAUDE: list[dict[str, str]] = [{"prompt_id": f"p{number}"} for number in range(3)]
COPILOT: list[dict[str, str]] = [{"timestamp": f"2026-11-18T22:58:0{number}.133Z"} for number in range(3)]


@pytest.mark.parametrize("calls", [CLAUDE, COPILOT], ids=["Claude Code", "Copilot CLI"])
def test_a_command_of_the_client_answers_nothing(calls: list[dict[str, str]], workspace: Workspace) -> None:
    workspace.call("UserPromptSubmit", prompt="$forge", **calls[0])
    asked = ask(at(workspace), "forge", "Which file?")
    said = workspace.call("UserPromptSubmit", prompt="/init", **calls[1])
    assert "looks like a client command" in said.context
    assert "(put words before /init to make it the answer)" in said.notice
    assert record_of(workspace, asked)["status"] == "pending"
    workspace.call("UserPromptSubmit", prompt="/etc/hosts is fine", **calls[2])
    assert record_of(workspace, asked)["answer"] == "/etc/hosts is fine"


def test_an_option_that_begins_with_a_slash_is_an_answer(workspace: Workspace) -> None:
    workspace.call("UserPromptSubmit", prompt="$forge", prompt_id="p1")
    asked = ask(at(workspace), "forge", "Which route?", ["/login", "/users"])
    workspace.call("UserPromptSubmit", prompt="/users", prompt_id="p2")
    assert record_of(workspace, asked)["answer"] == "/users"


def test_codex_runs_its_commands_itself_so_what_it_sends_is_an_answer(workspace: Workspace) -> None:
    workspace.prompt("$forge", model="m")
    asked = ask(at(workspace), "forge", "Which route?")
    workspace.prompt("/login", model="m")
    assert record_of(workspace, asked)["answer"] == "/login"


def test_the_main_session_of_a_named_agent_is_the_persons(workspace: Workspace) -> None:
    assert workspace.prompt("$forge", agent_type="reviewer").context
    assert workspace.stop(agent_type="reviewer").blocks


@pytest.mark.parametrize("field", ["prompt_id", "turn_id", "last_assistant_message"])
def test_a_field_that_a_call_can_do_without_may_be_of_any_type(field: str, workspace: Workspace) -> None:
    odd: dict[str, Any] = {field: 7}
    assert workspace.call("UserPromptSubmit", **(odd | {"prompt": "hi"})).line == "{}"
    assert workspace.call("UserPromptSubmit", **(odd | {"prompt": "$forge"})).context


def test_the_notice_of_a_cancel_says_of_each_how_it_goes_on(workspace: Workspace) -> None:
    workspace.prompt("$team $forge")
    assert workspace.prompt("$cancel").notice == "rcs: team + forge cancelled (name one to resume it)"
