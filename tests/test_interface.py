"""The interface: what the command line and the MCP server offer follows from one table."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator

import pytest

from rcs_hooks.cli import emit, question, state
from rcs_hooks.interface import CLI, MCP, OPERATIONS, TOOLS, Argument, Operation
from rcs_hooks.mcp import tools
from rcs_hooks.runs.records import STEP_STATUSES
from rcs_hooks.runs.request import TYPES
from tests.support import Workspace, clean_env, run_rcs

TEXT = ["string"]
TYPES_OF_TOOLS = {
    "state_read": {"mode": TEXT, "session_id": TEXT, "cwd": TEXT},
    "state_write": {
        "mode": TEXT, "current_phase": TEXT, "lifecycle_outcome": TEXT, "active": ["boolean", "string"],
        "fresh": ["boolean", "string"], "iteration": ["integer", "string"], "reason": TEXT, "evidence": TEXT,
        "verdict": TEXT, "plan": TEXT, "brief": TEXT, "run_outcome": TEXT, "max_iterations": ["integer", "string"],
        "started_at": TEXT, "completed_at": TEXT, "error": TEXT, "state": ["object", "string"],
        "fields": ["object", "string"], "root_scope": ["boolean", "string"], "session_id": TEXT, "cwd": TEXT,
    },
    "state_clear": {
        "mode": TEXT, "all_sessions": ["boolean", "string"], "root_scope": ["boolean", "string"], "session_id": TEXT,
        "cwd": TEXT,
    },
    "state_list_active": {"overview": ["boolean", "string"], "session_id": TEXT, "cwd": TEXT},
    "state_get_status": {"mode": TEXT, "session_id": TEXT, "cwd": TEXT},
    "question_ask": {"mode": TEXT, "text": TEXT, "options": ["array", "string"], "session_id": TEXT, "cwd": TEXT},
    "emit": {
        "type": TEXT, "workflow": TEXT, "run_id": TEXT, "step": TEXT, "unit": ["string", "integer"],
        "data": ["object", "string"], "project": TEXT, "agent": TEXT, "file": TEXT,
    },
}  # fmt: skip
REQUIRED = {
    "state_read": ["mode"], "state_write": ["mode"], "state_clear": ["mode"], "question_ask": ["mode", "text"],
    "emit": ["type", "workflow", "run_id", "data"],
}  # fmt: skip
OPTIONS = {
    "state read": ["--mode", "--session", "--root", "--input", "--json"],
    "state write": [
        "--mode", "--phase", "--outcome", "--active", "--inactive", "--fresh", "--iteration", "--reason", "--evidence",
        "--verdict", "--plan", "--brief", "--set", "--root-scope", "--session", "--root", "--input", "--json",
    ],
    "state clear": ["--mode", "--all-sessions", "--root-scope", "--session", "--root", "--input", "--json"],
    "state list-active": ["--session", "--root", "--input", "--json"],
    "state get-status": ["--mode", "--session", "--root", "--input", "--json"],
    "state prune": ["--dry-run", "--older-than", "--session", "--root", "--input", "--json"],
    "question ask": ["--mode", "--text", "--option", "--session", "--root", "--json"],
    "question answer": ["--session", "--root", "--json"],
    "question list": ["--all", "--session", "--root", "--json"],
    "emit": [
        "--type", "--workflow", "--run-id", "--step", "--unit", "--data", "--project", "--agent", "--file", "--json"
    ],
}  # fmt: skip


def parsers() -> Iterator[tuple[str, argparse.ArgumentParser]]:
    yield "emit", emit.build()
    for command in (state, question):
        for action in command.build()._actions:
            if isinstance(action, argparse._SubParsersAction):
                yield from ((parser.prog.removeprefix("rcs "), parser) for parser in action.choices.values())


def each_argument() -> Iterator[tuple[Operation, Argument]]:
    return ((operation, each) for operation in OPERATIONS for each in operation.arguments)


def test_the_names_and_types_of_the_tools_arguments() -> None:
    assert list(TYPES_OF_TOOLS) == list(TOOLS)
    for name in TOOLS:
        _, schema = tools.schema_of(name)
        types = {
            argument: rule["type"] if isinstance(rule["type"], list) else [rule["type"]]
            for argument, rule in schema["properties"].items()
        }
        assert (types, schema["required"]) == (TYPES_OF_TOOLS[name], REQUIRED.get(name, [])), name
    _, schema = tools.schema_of("question_ask")
    assert schema["properties"]["options"]["items"] == {"type": "string"}


def test_the_options_of_the_command_line() -> None:
    assert {name for name, _ in parsers()} == set(OPTIONS)
    for name, parser in parsers():
        found = [option for action in parser._actions for option in action.option_strings]
        assert found[:2] == ["-h", "--help"]
        assert found[2:] == OPTIONS[name]


def test_every_option_says_what_it_is() -> None:
    for name, parser in parsers():
        for action in parser._actions:
            assert action.help or action.choices, (name, action)
            assert not (action.help or "").endswith("."), (name, action.help)


def test_an_argument_of_one_surface_is_not_on_the_other() -> None:
    for operation, each in each_argument():
        assert not (each.only == MCP and each.option), each.name
        if operation.tool:
            assert (each.name in operation.schema["properties"]) == (each.only != CLI), each.name


def test_the_help_of_an_emit_names_every_type_and_status() -> None:
    shown = json.dumps(tools.schema_of("emit")[1]["properties"])
    assert all(word in shown for word in (*TYPES, *STEP_STATUSES))


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["read", "--input", '{"mode":"team","note":1}'],
         "note: read has no such argument; it takes mode, session_id, all_sessions, root_scope"),
        (["clear", "--input", '{"mode":"team","all_sessions":"yes"}'],
         "all_sessions: expected true or false, got 'yes'"),
    ],
)  # fmt: skip
def test_an_argument_of_another_action_is_refused(workspace: Workspace, words: list[str], said: str) -> None:
    workspace.prompt("$team")
    before = workspace.snapshot()
    done = run_rcs("state", *words, cwd=workspace.root, env=clean_env(RCS_SESSION_ID="s1"))
    assert (done.returncode, json.loads(done.stderr)["message"]) == (1, said)
    assert workspace.snapshot() == before
