"""The table of clients: which one has sent a call, what it is asked, and that no other room knows one by name."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import rcs_hooks
from rcs_hooks.clients import CLIENTS, UNKNOWN, call_variables, client_of, installers, session_variables
from rcs_hooks.clients.installer import SCOPES, USER, Host, InstallTarget
from rcs_hooks.environment import AGENT_VARIABLES, typed_by
from tests.table import each_row

if TYPE_CHECKING:
    from collections.abc import Iterator

PACKAGE = Path(rcs_hooks.__file__).parent
COPILOT = {"COPILOT_CLI": "1"}
CALLS: list[tuple[dict[str, Any], dict[str, str], str]] = [
    ({"turn_id": "t", "model": "gpt"}, {}, "codex"),
    ({"turn_id": "t"}, COPILOT, "codex"),
    ({"model": "gpt"}, COPILOT, "codex"),
    ({"turn_id": "t", "prompt_id": "p"}, {}, "codex"),
    ({"prompt_id": "p"}, {}, "claude"),
    ({"prompt_id": "p", "model": "opus"}, {}, "claude"),
    ({"prompt_id": "p"}, COPILOT, "claude"),
    ({"timestamp": "now"}, COPILOT, "copilot"),
    ({"prompt_id": ""}, COPILOT, "copilot"),
    ({"timestamp": "now"}, {}, ""),
    ({"prompt_id": ""}, {}, ""),
    ({"prompt_id": 5}, COPILOT, "copilot"),
    ({"prompt_id": 5, "model": "gpt"}, {}, "codex"),
    ({"prompt_id": 5}, {}, ""),
    ({}, {"COPILOT_CLI": "0"}, ""),
]


@each_row(("fields", "env", "name"), CALLS)
def test_a_call_is_from_the_client_whose_fields_it_has(fields: dict[str, Any], env: dict[str, str], name: str) -> None:
    assert client_of(fields, env).name == name


@each_row(
    ("setting", "cap"),
    [({}, 8), ({"CLAUDE_CODE_STOP_HOOK_BLOCK_CAP": " 3 "}, 3)]
    + [({"CLAUDE_CODE_STOP_HOOK_BLOCK_CAP": text}, 8) for text in ("", "many", "-1", "1" * 10, "٣")],
)
def test_only_claude_code_limits_how_often_a_stop_is_blocked(setting: dict[str, str], cap: int) -> None:
    caps = {name: client.block_cap(setting) for name, client in CLIENTS.items()}
    assert caps == {"codex": 0, "claude": cap, "copilot": 0}


def test_a_cap_of_nought_is_no_limit() -> None:
    assert CLIENTS["claude"].block_cap({"CLAUDE_CODE_STOP_HOOK_BLOCK_CAP": "0"}) == 0


def test_only_copilot_cli_reads_the_context_of_a_prompt_at_the_top_level() -> None:
    prompt = {"hookSpecificOutput": {"hookEventName": "UserPromptSubmit", "additionalContext": "x"}}
    start = {"hookSpecificOutput": {"hookEventName": "SessionStart", "additionalContext": "x"}}
    for name, client in {**CLIENTS, "": UNKNOWN}.items():
        more = {"additionalContext": "x"} if name == "copilot" else {}
        assert client.rendered(prompt) == prompt | more
        assert client.rendered(start) == start
        assert client.rendered({"decision": "block", "reason": "y"}) == {"decision": "block", "reason": "y"}


def test_the_variables_of_all_clients_are_in_one_order() -> None:
    assert session_variables() == ["CLAUDE_CODE_SESSION_ID", "CODEX_SESSION_ID"]
    assert call_variables() == ["CLAUDE_CODE_STOP_HOOK_BLOCK_CAP", "CLAUDE_PROJECT_DIR", "COPILOT_CLI"]


@pytest.mark.parametrize("name", installers())
def test_a_client_that_setup_knows_has_files_for_each_of_its_scopes(name: str, tmp_path: Path) -> None:
    installer = installers()[name]
    host = Host({}, str(tmp_path / "home"), str(tmp_path / "project"))
    assert (installer.client.name, USER in installer.scopes, set(installer.scopes) <= set(SCOPES)) == (name, True, True)
    paths = [file.path for scope in installer.scopes for file in InstallTarget(host, name, scope).files]
    assert len({path for path in paths if path.endswith("hooks.json") or "settings" in path}) == len(installer.scopes)
    for scope in installer.scopes:
        target = InstallTarget(host, name, scope)
        assert all(target.file(file.path) for file in target.files)
        assert target.file(str(tmp_path / "another")) is None


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
    rooms = [path for path in PACKAGE.rglob("*.py") if path.relative_to(PACKAGE).parts[0] != "clients"]
    known = {
        (str(path.relative_to(PACKAGE)), name)
        for path in rooms
        for name in names_in(path)
        if any(client in name.lower() for client in CLIENTS)
    }
    assert known <= {
        ("files/workspaces.py", "CLAUDE_PROJECT_DIR"),  # other clients set it too, to name the project to a hook
        ("modes/lookup.py", "CLAUDE_CONFIG_DIR"),  # repeated from the clients, which take long to load; a test compares
        ("modes/lookup.py", "CODEX_HOME"),
    } | {("environment.py", name) for name in AGENT_VARIABLES}  # repeated from the clients, as the test below holds


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
