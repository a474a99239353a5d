"""The entries that setup writes, and how they are told from older ones and from those that somebody has changed."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import pytest

from rcs_hooks.clients import handlers, lines
from rcs_hooks.clients.formats import HookFormat
from rcs_hooks.errors import Refused
from tests.table import each_row

Record = dict[str, Any]

EXTRA = HookFormat(tool_fields={"Stop": ("prompt_id",)})
"""The fields that a tool gets from one client only."""
COMMANDS = handlers.hook_handlers("command", EXTRA)
TOOLS = handlers.hook_handlers("mcp", EXTRA)
STOP_TOOL: Record = {
    "type": "mcp_tool",
    "server": "rcs_state",
    "tool": "hook_stop",
    "timeout": 10,
    "input": {
        "session_id": "${session_id}",
        "transcript_path": "${transcript_path}",
        "cwd": "${cwd}",
        "stop_hook_active": "${stop_hook_active}",
        "last_assistant_message": "${last_assistant_message}",
        "prompt_id": "${prompt_id}",
    },
}
LINE: str = COMMANDS["Stop"]["command"]


def test_a_command_is_one_line_for_each_event() -> None:
    written = {
        event: {"type": "command", "command": lines.hook_command(handlers.interpreter()), "timeout": timeout}
        for event, timeout in (("UserPromptSubmit", 10), ("Stop", 10), ("SessionStart", 10), ("SessionEnd", 3))
    }
    assert written == COMMANDS


def test_a_tool_answers_prompts_and_stops_and_the_rest_stays_a_command() -> None:
    fields = ("session_id", "transcript_path", "cwd", "prompt")
    prompt_tool = STOP_TOOL | {
        "tool": "hook_user_prompt_submit",
        "input": {name: f"${{{name}}}" for name in fields},
    }
    assert {**COMMANDS, "UserPromptSubmit": prompt_tool, "Stop": STOP_TOOL} == TOOLS


def test_where_the_programs_are_not_beside_this_python_setup_says_what_to_type(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python3"))
    words = f"{tmp_path}/rcs-hook is missing: `pip install .` in a checkout puts it beside this Python; then try again"
    with pytest.raises(Refused) as refused:
        handlers.hook_handlers("command", EXTRA)
    assert str(refused.value) == words


def test_an_environment_is_named_by_its_plain_python(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python3.11"))
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    assert handlers.interpreter() == str(tmp_path / "python3.11"), "there is no other"
    (tmp_path / "python3").touch()
    assert handlers.interpreter() == str(tmp_path / "python3")
    monkeypatch.setattr(sys, "base_prefix", str(tmp_path))
    assert handlers.interpreter() == str(tmp_path / "python3.11"), "it is no environment"


FORMS: list[tuple[str, str, Record, bool]] = [
    *((f"the command for {event}", event, each, True) for event, each in COMMANDS.items()),
    *((f"the entry for {event} over MCP", event, each, True) for event, each in TOOLS.items()),
    ("a time-out of the person's", "Stop", COMMANDS["Stop"] | {"timeout": 99}, True),
    ("another Python", "Stop", {"type": "command", "command": lines.hook_command("/gone/python3")}, True),
    ("the program alone", "Stop", {"type": "command", "command": "/gone/rcs-hook"}, False),
    ("the program with an argument", "Stop", {"type": "command", "command": "/gone/rcs-hook --mine"}, False),
    ("a line with another field", "Stop", {"type": "command", "command": LINE, "shell": "x"}, False),
    ("a tool that gets less", "Stop", STOP_TOOL | {"input": {"cwd": "${cwd}"}}, False),
    ("a tool that gets more", "Stop", STOP_TOOL | {"input": STOP_TOOL["input"] | {"x": "y"}}, False),
    ("a tool with another field", "Stop", STOP_TOOL | {"if": "x"}, False),
    ("a tool without a name", "Stop", {"type": "mcp_tool", "server": "rcs_state"}, False),
    ("the tool of another event", "UserPromptSubmit", STOP_TOOL, False),
    ("a tool for an event that has none", "SessionEnd", STOP_TOOL, False),
]


@each_row(("event", "handler", "expected"), [pytest.param(*row[1:], id=row[0]) for row in FORMS])
def test_an_entry_of_ours_as_setup_writes_it(event: str, handler: Record, expected: bool) -> None:
    assert handlers.is_as_written(event, handler, EXTRA) is expected


def test_the_server_gets_the_variables_of_the_hooks_but_for_those_of_one_session_or_run() -> None:
    rcs = os.path.join(os.path.dirname(sys.executable), "rcs")
    env = {"RCS_LOG": "1", "RCS_A": "2", "RCS_BLANK": " ", "HOME": "/h"}
    not_for_it = {"RCS_SESSION_ID": "s1", "RCS_RECORD": "/x", "RCS_DB": "/y"}
    entry = {"command": rcs, "args": ["mcp"]}
    assert handlers.server_entry(env | not_for_it) == entry | {"env": {"RCS_A": "2", "RCS_LOG": "1"}}
    assert handlers.server_entry(not_for_it) == entry
