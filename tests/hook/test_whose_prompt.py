"""A workflow moves by what the person means: prompts of a client, of a subagent, and our own words handed back."""

from __future__ import annotations

import html
import json
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from rcs_hooks.environment import Environment
from rcs_hooks.hook.entry import respond
from rcs_hooks.mcp import tools
from rcs_hooks.state.question_service import ask
from rcs_hooks.workflow.origin import is_client_made
from tests.hook.test_answers import put, record_of, waiting
from tests.state.test_operations import at
from tests.support import Answer, Record, Workspace, check_output
from tests.table import each_row
from tests.workflow.test_origin import NOBODYS, PERSONS

LEDGER = "state/sessions/s1/hook-ledger.json"
FIRST = "[rcs] forge is still running: no outcome is recorded. Continue the work."


# --- prompts that a client made


ENVELOPES = {name: prompt for name, prompt in NOBODYS.items() if is_client_made(prompt)}


def but_for_the_turn(workspace: Workspace) -> dict[str, bytes | Record]:
    """Every file, and the hooks' notes without the turn in which the agent works."""
    ledger = json.loads((workspace.root / ".rcs" / LEDGER).read_text())
    ledger.pop("turn", None)
    return {**workspace.workflow_state(), LEDGER: ledger}


@each_row("prompt", ENVELOPES.values(), ids=ENVELOPES.keys())
def test_a_prompt_that_nobody_typed_answers_delivers_and_resets_nothing(prompt: str, workspace: Workspace) -> None:
    workspace.prompt("$blueprint $team")
    put(workspace, "q1", status="answered", answer="Postgres", delivered_at=None)
    workspace.edit("blueprint", active=False, lifecycle_outcome="finished")
    workspace.write("forge")
    assert workspace.stop().blocks
    ask(at(workspace), "forge", "Which version?")
    before = but_for_the_turn(workspace)
    assert workspace.prompt(prompt).line == "{}"
    assert but_for_the_turn(workspace) == before
    context = workspace.prompt("16").context
    assert "Which version?" in context
    assert '-> "Postgres"' in context
    assert "deferred: $crew" in context


@pytest.mark.parametrize(
    "name", ["an element that never closes", "words before a notification", "words behind a command"]
)
def test_what_a_person_pasted_may_answer(name: str, workspace: Workspace) -> None:
    asked = waiting(workspace)
    workspace.prompt(PERSONS[name])
    assert record_of(workspace, asked)["answer"] == PERSONS[name]


# --- a subagent


OWN = "01a1edd5-d041-7843-9e62-3e218ca1fb5f"
OTHER = "02b2fee6-e152-8954-af73-4f329db20c60"
META = '{"timestamp":"2026-11-18T18:30:44.941Z","type":"session_meta","payload":{"id":"%s","thread_source":"%s"%s}}\n'


def line_of(source: str, extra: str = "") -> Callable[[Path], object]:
    return lambda path: path.write_text(META % (OTHER, source, extra) + '{"thread_source":"user"}\n')


def pipe(path: Path) -> None:
    os.mkfifo(path)


TRANSCRIPTS: list[tuple[str, str, Callable[[Path], object], bool]] = [
    ("its own thread", OWN, line_of("user"), False),
    ("its own thread, whatever it says", OWN, line_of("subagent"), False),
    ("a subagent's", OTHER, line_of("subagent"), True),
    ("another thread, not there yet", OTHER, lambda _: None, True),
    ("another thread that says nothing", OTHER, lambda path: path.write_text("{}\n"), True),
    ("another thread behind a pipe", OTHER, pipe, True),
    ("words that only quote a source", OTHER, line_of("subagent", ',"cwd":"\\"thread_source\\":\\"user\\""'), True),
    ("a name without an id", "session", lambda _: None, False),
]


@each_row(("name", "thread", "make", "is_subagent"), TRANSCRIPTS)
@each_row("transport", ["command", "mcp"])
def test_a_subagent_of_codex_is_told_by_its_transcript(
    transport: str, name: str, thread: str, make: Callable[[Path], object], is_subagent: bool, workspace: Workspace
) -> None:
    path = workspace.root.parent / f"rollout-2026-11-18T18-30-44-{thread}.jsonl"
    make(path)
    workspace.prompt("$forge", OWN)
    fields = {"turn_id": "t9", "model": "mock-model", "transcript_path": str(path)}
    start = time.process_time()
    stopped = codex(workspace, transport, "Stop", last_assistant_message="Done.", **fields)
    prompted = codex(workspace, transport, "UserPromptSubmit", prompt="Reply with ok $team $cancel", **fields)
    assert time.process_time() - start < 1
    assert (stopped == {}, prompted == {}) == (is_subagent, is_subagent)
    assert (workspace.read("forge", OWN)["active"] is True) is is_subagent


def codex(workspace: Workspace, transport: str, event: str, **fields: Any) -> Record:
    if transport == "command":
        return workspace.call(event, OWN, **fields).output
    tool = {"UserPromptSubmit": "hook_user_prompt_submit", "Stop": "hook_stop"}[event]
    given = {key: value for key, value in fields.items() if key != "model"}
    arguments = {"session_id": OWN, "cwd": str(workspace.root)} | given
    line, is_error = tools.call(tool, arguments, workspace.env, str(workspace.root))
    assert not is_error
    return check_output(event, line)


def test_claude_code_is_asked_for_its_agents_and_not_for_its_transcript(workspace: Workspace) -> None:
    """A session that was resumed may go on in another file."""
    fields = {"prompt_id": "p1", "transcript_path": f"/home/user/.claude/projects/-workspace/{OTHER}.jsonl"}
    assert "active: forge" in workspace.call("UserPromptSubmit", OWN, prompt="$forge", **fields).context


def test_a_prompt_beside_a_root_record_alone_makes_no_file(workspace: Workspace) -> None:
    workspace.write("forge", None)
    before = workspace.snapshot()
    assert workspace.prompt("hello").line == "{}"
    assert workspace.prompt("$autopilot").context.startswith("Cannot activate autopilot")
    assert workspace.snapshot() == before


@each_row("text", ["/clear", "/init now", ""])
def test_a_command_and_a_prompt_without_text_use_up_no_offer(text: str, workspace: Workspace) -> None:
    finished_planning(workspace)
    assert workspace.call("UserPromptSubmit", prompt=text, prompt_id="p1").line == "{}"
    offered = workspace.call("UserPromptSubmit", prompt="ok", prompt_id="p2")
    assert offered.notice.startswith("rcs: blueprint has ended: type $crew $forge")


# --- words for the person


def finished_planning(workspace: Workspace) -> None:
    workspace.prompt("$blueprint $crew $forge ship it")
    workspace.edit("blueprint", active=False, lifecycle_outcome="finished")


NOTICES: list[tuple[str, Callable[[Workspace], object], str, str]] = [
    ("a prompt beside a run", lambda each: each.prompt("$forge"), "and mind the tests", ""),
    ("a skill that runs", lambda each: each.prompt("$forge"), "$forge go on", ""),
    ("a start", lambda _: None, "$forge go", "rcs: forge started"),
    ("a start by a public name", lambda _: None, "$crew go", "rcs: team ($crew) started"),
    ("a handoff", lambda each: each.prompt("$brief"), "$blueprint", "rcs: deep-interview handed over to blueprint"),
    (
        "a cancel",
        lambda each: each.prompt("$forge"),
        "$cancel",
        "rcs: forge cancelled ($forge resumes it)",
    ),
    (
        "a cancel of a run that the same prompt names again",
        lambda each: each.prompt("$forge"),
        "$cancel $forge",
        "rcs: forge was ended and is taken up again where it was"
        " (to begin anew: rcs state write --mode forge --fresh --session s1)",
    ),
    ("a cancel of nothing", lambda each: each.write("forge", active=False), "$cancel", ""),
    (
        "a deferral",
        lambda _: None,
        "$blueprint $forge ship it",
        "rcs: blueprint started; type $forge once blueprint has ended",
    ),
    ("the end of a planning", finished_planning, "ok", "rcs: blueprint has ended: type $crew $forge to continue"),
]  # fmt: skip


@each_row(("before", "text", "notice"), [row[1:] for row in NOTICES], ids=[row[0] for row in NOTICES])
def test_the_person_is_told_in_one_line_what_a_prompt_has_changed(
    before: Callable[[Workspace], object], text: str, notice: str, workspace: Workspace
) -> None:
    before(workspace.in_git())
    assert workspace.prompt(text).notice == notice


# --- what is said is what was done


def test_words_that_cannot_be_made_leave_everything_as_it_was(workspace: Workspace) -> None:
    workspace.prompt("$blueprint")
    before = workspace.workflow_state()
    raw = workspace.payload("UserPromptSubmit", prompt_id="p2", prompt="$forge")
    line = respond(raw, Environment({"PATH": "/bin/\0"}, str(workspace.root), workspace.now))
    answer = Answer("UserPromptSubmit", line)
    assert "no workflow was changed" in answer.notice
    after = workspace.workflow_state()
    assert {path: after[path] for path in before} == before
    assert workspace.active() == ["blueprint"]
    assert not workspace.mode_path("forge").exists()


# --- the reason of a Stop, handed back or pasted


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
        "Stop hook feedback:\n- [[ -x a ] && 'b c' || exit 0]: {}",
        "<hook_prompt id='1'>{}</hook_prompt>",
        "{0}{0}",
        "{0}\n\n{0}\n",
    ],
)
def test_our_whole_reason_is_nobodys(wrapped: str, workspace: Workspace) -> None:
    reason = held(workspace)
    before = workspace.workflow_state()
    assert workspace.prompt(wrapped.format(reason)).line == "{}"
    assert workspace.prompt(wrapped.format(html.escape(reason))).line == "{}"
    assert workspace.workflow_state() == before


@pytest.mark.parametrize("between", ["{0}\nPostgres\n{0}", "Stop hook feedback:\n- [a]: b\n{0}"])
def test_a_word_beside_two_of_our_reasons_is_the_persons(between: str, workspace: Workspace) -> None:
    reason = held(workspace)
    asked = ask(at(workspace), "forge", "Which database?")
    workspace.prompt(between.format(reason))
    assert record_of(workspace, asked)["status"] == "answered"


def test_a_paste_of_our_words_with_a_line_of_the_persons_may_answer(workspace: Workspace) -> None:
    held(workspace)
    asked = ask(at(workspace), "forge", "Which database?")
    workspace.prompt(f"{FIRST}\nyes, go on")
    assert record_of(workspace, asked)["answer"] == f"{FIRST}\nyes, go on"


def test_a_token_below_a_paste_of_our_words_counts(workspace: Workspace) -> None:
    held(workspace)
    assert "forge cancelled" in workspace.prompt("[rcs] a\nb\n$cancel it").notice


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


SLASHES = [
    ({"prompt_id": "p2"}, "/init", False),
    ({"timestamp": "2026-11-18T22:58:02.133Z"}, "/init", False),
    ({"prompt_id": "p2"}, "/etc/hosts is fine", True),
    ({"prompt_id": "p2"}, "/users", True),
    ({"turn_id": "t2", "model": "m"}, "/init", True),
]
"""Codex runs its commands itself, so what it sends is an answer; so is an option that looks like a command."""


@each_row(("call", "typed", "is_answer"), SLASHES, ids=str)
def test_a_command_of_the_client_answers_nothing(
    call: dict[str, str], typed: str, is_answer: bool, workspace: Workspace
) -> None:
    workspace.call("UserPromptSubmit", prompt="$forge", prompt_id="p1")
    asked = ask(at(workspace), "forge", "Which file?", ["/login", "/users"])
    said = workspace.call("UserPromptSubmit", prompt=typed, **call)
    assert ("looks like a client command" in said.context) is not is_answer
    assert ("(put words before /init to make it the answer)" in said.notice) is not is_answer
    assert record_of(workspace, asked)["answer"] == (typed if is_answer else None)


def test_the_main_session_of_a_named_agent_is_the_persons(workspace: Workspace) -> None:
    assert workspace.prompt("$forge", agent_type="reviewer").context
    assert workspace.stop(agent_type="reviewer").blocks
