"""The hashes are those that Codex 0.169.0 names for the same hooks when it lists them."""

from __future__ import annotations

import hashlib
from typing import Any

import pytest

from rcs_hooks.clients.codex import trust
from tests.table import each_row

COMMAND = {"type": "command", "command": "/x/rcs-hook", "timeout": 10}
TOOL = {"type": "mcp_tool", "server": "rcs_state", "tool": "hook_stop", "timeout": 10, "input": {"a": "b"}}
SHOWN_COMMAND = '{"async":false,"command":"/x/rcs-hook","timeout":10,"type":"command"}'
SHOWN_TOOL = '{"input":{"a":"b"},"server":"rcs_state","timeout":10,"tool":"hook_stop","type":"mcp_tool"}'


def sha(event: str, hook: str, end: str = "") -> str:
    text = f'{{"event_name":"{event}","hooks":[{hook}]{end}}}'
    return "sha256:" + hashlib.sha256(text.encode()).hexdigest()


@each_row(
    ("event", "more", "shown"),
    [
        ("Stop", {}, SHOWN_COMMAND),
        ("Stop", {"timeout": 0}, SHOWN_COMMAND.replace("10", "1")),
        ("Stop", {"timeout": None}, SHOWN_COMMAND.replace("10", "600")),
        ("SessionEnd", {"timeout": "x"}, SHOWN_COMMAND.replace("10", '"x"')),
        ("SessionEnd", {}, SHOWN_COMMAND.replace("10", "3")),
        ("SessionEnd", {"timeout": 0}, SHOWN_COMMAND.replace("10", "1")),
        ("Stop", {"async": True}, SHOWN_COMMAND.replace("false", "true")),
        ("Stop", {"statusMessage": None, "args": [], "foo": 1, "commandWindows": "x"}, SHOWN_COMMAND),
        ("Stop", {"additionalContextLimit": 5}, SHOWN_COMMAND),
        (
            "UserPromptSubmit",
            {"additionalContextLimit": 5},
            SHOWN_COMMAND.replace('{"', '{"additionalContextLimit":5,"', 1),
        ),
        ("Stop", {"statusMessage": "ü"}, SHOWN_COMMAND.replace('"timeout"', '"statusMessage":"ü","timeout"')),
        ("Stop", {"command": "/\x7f\u2028/rcs-hook"}, SHOWN_COMMAND.replace("/x/", "/\x7f\u2028/")),
    ],
)
def test_a_command_is_hashed_as_codex_takes_it(event: str, more: dict[str, Any], shown: str) -> None:
    name = {"Stop": "stop", "UserPromptSubmit": "user_prompt_submit", "SessionEnd": "session_end"}[event]
    assert trust.hash_of(event, COMMAND | more) == sha(name, shown)


@each_row(
    ("more", "shown"),
    [
        ({}, SHOWN_TOOL),
        ({"foo": 1}, SHOWN_TOOL),
        ({"timeout": None}, SHOWN_TOOL.replace("10", "600")),
        ({"input": None}, SHOWN_TOOL.replace('{"a":"b"}', "{}")),
        ({"statusMessage": "x"}, SHOWN_TOOL.replace('"timeout"', '"statusMessage":"x","timeout"')),
    ],
)
def test_a_tool_is_hashed_as_codex_takes_it(more: dict[str, Any], shown: str) -> None:
    assert trust.hash_of("Stop", TOOL | more) == sha("stop", shown)


def test_a_matcher_counts_at_the_start_of_a_session_only() -> None:
    assert trust.hash_of("SessionStart", COMMAND, "*") == sha("session_start", SHOWN_COMMAND, ',"matcher":"*"')
    assert trust.hash_of("SessionStart", COMMAND) == sha("session_start", SHOWN_COMMAND)
    assert trust.hash_of("UserPromptSubmit", COMMAND, "x") == sha("user_prompt_submit", SHOWN_COMMAND)


def test_the_hash_of_a_known_hook_is_this_one() -> None:
    """Worked out once apart from the code, so that the table above and the code cannot be wrong together."""
    assert trust.hash_of("Stop", COMMAND) == KNOWN


KNOWN = "sha256:5d5c0a17b27fa2d6e4a3904b8e23bdafaefd29b5cf524c8783d9fa856fe431a4"

SPOT = ("UserPromptSubmit", 1, 2)
NAME = "/p/.codex/hooks.json:user_prompt_submit:1:2"


@each_row(
    ("state", "said"),
    [
        ({}, "untrusted"),
        ({"trusted_hash": ""}, "untrusted"),
        ({"trusted_hash": trust.hash_of("UserPromptSubmit", COMMAND)}, "trusted"),
        ({"trusted_hash": trust.hash_of("UserPromptSubmit", COMMAND), "enabled": False}, "switched off"),
        ({"trusted_hash": trust.hash_of("Stop", COMMAND)}, "modified"),
        ({"trusted_hash": 7}, "modified"),
        ("trusted", "untrusted"),
        ([], "untrusted"),
    ],
)
def test_a_hook_is_trusted_by_its_place_and_its_hash(state: object, said: str) -> None:
    config = {"hooks": {"state": {NAME: state}}}
    assert trust.of_hook(config, "/p/.codex/hooks.json", SPOT, COMMAND) == said
    assert trust.of_hook(config, "/q/.codex/hooks.json", SPOT, COMMAND) == "untrusted"


@pytest.mark.parametrize("config", [{}, {"hooks": []}, {"hooks": {"state": 3}}, {"hooks": {"state": {NAME: None}}}])
def test_a_config_of_any_shape_trusts_no_hook(config: dict[str, Any]) -> None:
    assert trust.of_hook(config, "/p/.codex/hooks.json", SPOT, COMMAND) == "untrusted"


@each_row(
    ("projects", "is_trusted"),
    [
        ({"/p": {"trust_level": "trusted"}}, True),
        ({"/main": {"trust_level": "trusted"}}, True),
        ({"/p": {"trust_level": "untrusted"}}, False),
        ({"/p/sub": {"trust_level": "trusted"}}, False),
        ([], False),
        (None, False),
    ],
)
def test_a_project_is_trusted_by_any_of_its_names(projects: object, is_trusted: bool) -> None:
    assert trust.of_project({"projects": projects}, ["/p", "/main"]) is is_trusted
