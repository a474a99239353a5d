"""The table of clients: which one has sent a call, what it is asked, and that no other room knows one by name."""

from __future__ import annotations

import ast
import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import rcs_hooks
from rcs_hooks.client_names import AGENT_VARIABLES
from rcs_hooks.clients import CLIENTS, UNKNOWN, client_of, session_variables
from rcs_hooks.environment import typed_by
from tests import make_clients
from tests.table import each_row

if TYPE_CHECKING:
    from collections.abc import Iterator

PACKAGE = Path(rcs_hooks.__file__).parent
COPILOT = {"COPILOT_CLI": "1"}
QWEN, GEMINI, CLAUDE = (
    {name: "s1"} for name in ("QWEN_CODE_SESSION_ID", "GEMINI_SESSION_ID", "CLAUDE_CODE_SESSION_ID")
)
TIMED = {"session_id": "s1", "timestamp": "now"}
CALLS: list[tuple[dict[str, Any], dict[str, str], str]] = [
    ({"turn_id": "t", "model": "gpt"}, {}, "codex"),
    ({"model": "gpt"}, COPILOT, "codex"),
    ({"turn_id": "t", "prompt_id": "p"}, {}, "codex"),
    ({"prompt_id": "p"}, {}, "claude"),
    ({"prompt_id": "p"}, COPILOT, "claude"),
    ({"timestamp": "now"}, COPILOT, "copilot"),
    ({"prompt_id": "", "timestamp": "now"}, COPILOT, "copilot"),
    ({"session_id": "s1"}, CLAUDE, "claude"),
    ({"session_id": "s2"}, CLAUDE, ""),
    ({"session_id": "", "timestamp": "now"}, {"QWEN_CODE_SESSION_ID": ""}, ""),
    (TIMED, QWEN, "qwen"),
    (TIMED | {"prompt_id": "s1########0"}, QWEN | COPILOT, "qwen"),
    (TIMED | {"session_id": "s2"}, QWEN | GEMINI | COPILOT, "copilot"),
    (TIMED, GEMINI, "gemini"),
    (TIMED | {"hook_event_name": "BeforeAgent"}, {}, "gemini"),
    (TIMED | {"hook_event_name": "AfterAgent"}, COPILOT, "gemini"),
    ({"timestamp": "now"}, {}, ""),
    ({"prompt_id": 5, "timestamp": "now"}, COPILOT, "copilot"),
    ({}, {"COPILOT_CLI": "0"}, ""),
]


@each_row(("fields", "env", "name"), CALLS)
def test_a_call_is_from_the_client_whose_fields_it_has(fields: dict[str, Any], env: dict[str, str], name: str) -> None:
    assert client_of(fields, env).name == name


@each_row(
    ("client", "setting", "cap"),
    [("codex", "", 0), ("copilot", "", 8), ("gemini", "", 0)]
    + [("claude", text, 8) for text in ("", "many", "-1", "1" * 10, "٣")]
    + [("claude", " 3 ", 3), ("claude", "0", 0), ("claude", "200", 200)]
    + [("qwen", text, 8) for text in ("", "many", "-1", "0", "101", "1" * 10, "٣")]
    + [("qwen", " 3 ", 3), ("qwen", "1", 1), ("qwen", "100", 100)],
)
def test_how_often_a_client_lets_a_stop_be_blocked(client: str, setting: str, cap: int) -> None:
    env = {"CLAUDE_CODE_STOP_HOOK_BLOCK_CAP": setting, "QWEN_CODE_STOP_HOOK_BLOCK_CAP": setting}
    assert CLIENTS[client].block_cap({name: value for name, value in env.items() if value}) == cap


def test_only_copilot_cli_reads_a_context_at_the_top_level() -> None:
    for event in ("UserPromptSubmit", "SessionStart"):
        answer = {"hookSpecificOutput": {"hookEventName": event, "additionalContext": "x"}}
        for name, client in {**CLIENTS, "": UNKNOWN}.items():
            assert client.rendered(answer) == answer | ({"additionalContext": "x"} if name == "copilot" else {})


def test_only_gemini_cli_shows_the_person_a_line_in_place_of_the_whole_reason() -> None:
    answer = {"decision": "block", "reason": "[rcs] forge goes on: executing.\nNow: fix it"}
    for name, client in {**CLIENTS, "": UNKNOWN}.items():
        line = {"systemMessage": "rcs: forge goes on: executing."} if name == "gemini" else {}
        assert client.rendered(answer) == answer | line
    assert CLIENTS["gemini"].rendered({"systemMessage": "rcs: x"}) == {"systemMessage": "rcs: x"}


PAYLOADS = Path(__file__).with_name("payloads")


def recorded(pattern: str) -> Iterator[tuple[str, str, dict[str, Any], dict[str, str]]]:
    """Yield each recorded call: its name, its client, its fields, and the variables that the client sets."""
    for path in sorted(PAYLOADS.glob(pattern)):
        fields = json.loads(path.read_text())
        name = path.name.partition("_")[0]
        session = {"claude": "CLAUDE_CODE_SESSION_ID", "qwen": "QWEN_CODE_SESSION_ID", "gemini": "GEMINI_SESSION_ID"}
        env = COPILOT if name == "copilot" else {session[name]: fields["session_id"]} if name in session else {}
        yield path.stem, name, fields, env


@pytest.mark.parametrize("around", [{}, COPILOT, {"CLAUDE_CODE_SESSION_ID": "s", "QWEN_CODE_SESSION_ID": "s"}])
def test_each_recorded_call_is_known_also_in_the_shell_of_another_client(around: dict[str, str]) -> None:
    calls = [call for call in recorded("*.json") if "codex_SessionEnd" not in call[0]]  # it says nothing of the client
    assert {name: client_of(fields, around | env).name for name, _, fields, env in calls} == {
        name: client for name, client, _, _ in calls
    }


def test_a_prompt_that_a_client_expands_counts_as_it_was_typed() -> None:
    typed = {name: CLIENTS[client].typed_prompt(fields) for name, client, fields, _ in recorded("[qg]*Prompt*.json")}
    typed |= {name: CLIENTS[client].typed_prompt(fields) for name, client, fields, _ in recorded("*BeforeAgent*.json")}
    assert typed == {
        "qwen_UserPromptSubmit": "$forge ship this fix",
        "qwen_UserPromptSubmit_at_file": "look at @note.txt please",
        "qwen_UserPromptSubmit_command": "/go now",
        "qwen_UserPromptSubmit_continuation": "Go on: one test still fails.",
        "qwen_UserPromptSubmit_tool_result": None,
        "gemini_BeforeAgent": "$forge ship this fix",
        "gemini_BeforeAgent_at_file": "look at @note.txt please",
        "gemini_BeforeAgent_continuation": "Go on: one test still fails.",
        "gemini_BeforeAgent_headless_with_session_context": "one",
    }


@each_row(
    ("client", "fields", "typed"),
    [
        ("qwen", {"prompt": "$cancel"}, "$cancel"),  # while a tool runs
        ("qwen", {"prompt": "see @a\n--- Content from referenced files ---\n$forge"}, "see @a"),
        ("qwen", {"prompt": "", "submitted_prompt": ""}, ""),
        ("gemini", {"prompt": "[System: You successfully executed a tool but returned an empty response.]"}, None),
        ("gemini", {"prompt": "[System: You previously said x.] Why?"}, "[System: You previously said x.] Why?"),
        ("gemini", {"prompt": "<hook_context>a"}, "<hook_context>a"),
    ],
)
def test_what_else_counts_as_typed(client: str, fields: dict[str, Any], typed: str | None) -> None:
    assert CLIENTS[client].typed_prompt(fields) == typed


def test_the_last_message_of_each_recorded_stop() -> None:
    said = {name: CLIENTS[client].last_message(fields) for name, client, fields, _ in recorded("[qg]*.json")}
    assert {name: text for name, text in said.items() if "Stop" in name or "AfterAgent" in name} == {
        "qwen_Stop": "I fixed it.",
        "qwen_Stop_background_agent": "main done",
        "qwen_Stop_continuation": "Now the test passes.",
        "gemini_AfterAgent": "I fixed it.",
        "gemini_AfterAgent_cancelled": "",
        "gemini_AfterAgent_continuation": "I fixed it.\nNow the test passes.",
        "gemini_AfterAgent_continuation_with_tools": "a1\na2",
    }


def test_which_recorded_stops_the_client_goes_on_from_by_itself() -> None:
    waiting = {name for name, client, fields, _ in recorded("*Stop*.json") if CLIENTS[client].runs_subagent(fields)}
    assert waiting == {"qwen_Stop_background_agent"}
    woken = {name for name, client, fields, _ in recorded("*Stop*.json") if CLIENTS[client].wakes_agent_later(fields)}
    assert woken == {"qwen_Stop_background_agent", "claude_Stop_background"}
    assert CLIENTS["qwen"].wakes_agent_later({"crons": [{"id": "c"}]})


def test_the_names_that_other_rooms_know_are_those_of_the_clients() -> None:
    assert make_clients.MODULE.read_text() == make_clients.module()


OF_CLIENTS = ("clients", "client_names.py")


def names_in(path: Path) -> Iterator[str]:
    """Each identifier of a module, and each text that is one word."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Name):
            yield node.id
        elif isinstance(node, ast.Attribute):
            yield node.attr
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.isidentifier():
            yield node.value


def test_no_other_room_knows_a_client_by_its_name() -> None:
    named = re.compile("|".join(CLIENTS), re.IGNORECASE)
    rooms = [path for path in PACKAGE.rglob("*.py") if path.relative_to(PACKAGE).parts[0] not in OF_CLIENTS]
    rooms = [path for path in rooms if named.search(path.read_text())]
    known = {
        (str(path.relative_to(PACKAGE)), name)
        for path in rooms
        for name in names_in(path)
        if any(client in name.lower() for client in CLIENTS)
    }
    assert known <= {
        ("files/workspaces.py", "CLAUDE_PROJECT_DIR"),  # other clients set it too, to name the project to a hook
    }


def test_an_agents_shell_is_known_by_what_the_clients_set_in_it_and_by_no_other_variable_of_theirs() -> None:
    theirs = {name for client in CLIENTS.values() for name in client.agent_variables}
    assert set(AGENT_VARIABLES) == theirs | {"AI_AGENT", "RCS_SESSION_ID"}
    assert theirs >= set(session_variables())


@each_row(
    ("env", "is_terminal", "who"),
    [
        ({}, True, "terminal"),
        ({}, False, "script"),
        *(({name: "1"}, is_terminal, "agent") for name in AGENT_VARIABLES for is_terminal in (True, False)),
        ({"RCS_SESSION_ID": ""}, True, "terminal"),
        ({"CODEX_HOME": "/a", "CLAUDE_CONFIG_DIR": "/b", "CLAUDE_CODE_USE_BEDROCK": "1"}, True, "terminal"),
        ({"CLAUDE_CODE_SSE_PORT": "1", "CLAUDE_CODE_STOP_HOOK_BLOCK_CAP": "0"}, False, "script"),
    ],
)
def test_who_typed_a_command(env: dict[str, str], is_terminal: bool, who: str) -> None:
    assert typed_by(env, is_terminal=is_terminal) == who
