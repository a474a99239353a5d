"""The tools without a server: what each answers to JSON types, to Claude Code's strings, and to garbage."""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rcs_hooks.mcp import tools
from tests.hook.test_programs import A_DAY
from tests.properties import examples
from tests.support import Workspace, check_output, clean_env, error_json, hook_here
from tests.table import each_row

Arguments = dict[str, Any]

TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z")
FINGERPRINT = re.compile(r'("(?:fingerprint|stalled|once)": )"[^"]+"')
"""Differs from one run to the next, as its moment does."""
STATE_TOOLS = ("state_read", "state_write", "state_clear", "state_list_active", "state_get_status", "question_ask")
WRITERS = ("state_write", "state_clear", "question_ask")
HOOK_TOOLS = ("hook_user_prompt_submit", "hook_stop")


def blanked(text: str) -> str:
    return FINGERPRINT.sub(r'\1"FINGERPRINT"', TIME.sub("TIME", text))


def called(workspace: Workspace, tool: str, **arguments: object) -> tuple[Any, bool]:
    """Call a tool, and return its answer and whether it is an error."""
    text, is_error = tools.call(tool, arguments, clean_env(), str(workspace.root))
    assert "\n" not in text
    return json.loads(text), is_error


def good(workspace: Workspace, tool: str, **arguments: object) -> Any:
    answer, is_error = called(workspace, tool, **arguments)
    assert not is_error, answer
    return answer


def refused(workspace: Workspace, tool: str, **arguments: object) -> str:
    """Call a tool that must refuse and change no byte, and return its sentence."""
    before = workspace.snapshot()
    answer, is_error = called(workspace, tool, **arguments)
    assert is_error, answer
    code = "refused" if tool in tools.NAMES else "usage"
    assert answer == error_json(code, answer["message"])
    assert workspace.snapshot() == before
    return str(answer["error"])


@pytest.fixture
def running(workspace: Workspace) -> Workspace:
    """A workspace where team and forge run in s1, and nothing in s2."""
    workspace.prompt("$team $forge")
    return workspace


# --- what is there


@each_row("name", (*STATE_TOOLS, *HOOK_TOOLS, "emit"))
def test_a_tool_says_what_it_is_for_and_lets_every_argument_be_a_string(name: str) -> None:
    assert name in tools.NAMES
    purpose, schema = tools.schema_of(name)
    assert purpose.endswith(".")
    assert schema["type"] == "object"
    assert set(schema.get("required", [])) <= set(schema["properties"])
    for argument, rule in schema["properties"].items():
        kinds = rule["type"] if isinstance(rule["type"], list) else [rule["type"]]
        assert "string" in kinds, f"Claude Code makes {argument} a string"


# --- each tool


WRITES: list[tuple[str, Arguments, str, object]] = [
    ("active", {"active": "false"}, "active", False),
    ("iteration", {"iteration": "3"}, "iteration", 3),
    ("state", {"state": '{"lanes": [1, true, null]}'}, "state", {"lanes": [1, True, None]}),
    ("fields", {"fields": '{"owner": "ann", "n": 2}'}, "n", 2),
    ("text that looks like a number", {"error": "3"}, "error", "3"),
    ("fresh", {"fresh": "true"}, "active", True),
    ("outcome", {"lifecycle_outcome": "finished"}, "run_outcome", "finish"),
]


@each_row(("given_strings", "field", "expected"), [row[1:] for row in WRITES], ids=[row[0] for row in WRITES])
def test_a_write_takes_strings_for_json_types(
    workspace: Workspace, given_strings: Arguments, field: str, expected: object
) -> None:
    workspace.prompt("$team $forge")
    answer = good(workspace, "state_write", mode="forge", session_id="s1", **given_strings)
    path = ".rcs/state/sessions/s1/forge-state.json"
    assert answer | {"success": True, "mode": "forge", "path": path} == answer
    assert workspace.read("forge")[field] == expected


@pytest.mark.parametrize("missing", ["", None], ids=["empty string", "null"])
def test_an_empty_argument_counts_as_missing(running: Workspace, missing: object) -> None:
    before = running.read("forge")
    every = dict.fromkeys(
        ("lifecycle_outcome", "run_outcome", "active", "iteration", "max_iterations", "state", "fields", "error"),
        missing,
    )
    good(running, "state_write", mode="forge", session_id="s1", current_phase="executing", cwd=missing, **every)
    after = running.read("forge")
    stepped = {"current_phase": "executing", "iteration": 1, "visited": ["starting", "executing"]}
    assert after | {"updated_at": before["updated_at"]} == before | stepped
    assert good(running, "state_get_status", session_id="s1", mode=missing)["statuses"].keys() == {"team", "forge"}
    assert good(running, "state_list_active", session_id=missing)["sessions"] == {"s1": ["team", "forge"]}
    assert "running" in good(running, "state_list_active", session_id="s1", overview="true")["overview"]


def test_a_denied_write_names_the_tool_that_clears_and_changes_no_byte(running: Workspace) -> None:
    words = refused(running, "state_write", mode="autopilot", session_id="s1", active=True)
    assert 'rcs_state.state_clear({ mode: "team", session_id: "s1" })' in words


OPTIONS = [(["a", "b"], ["a", "b"]), ('["a", "b"]', ["a", "b"]), ("yes", ["yes"])]


@each_row(("options", "kept"), OPTIONS)
def test_the_options_of_a_question_may_be_a_string(options: object, kept: list[str], workspace: Workspace) -> None:
    workspace.prompt("$forge")
    answer = good(workspace, "question_ask", mode="forge", session_id="s1", text="Which database?", options=options)
    assert json.loads((workspace.root / answer["path"]).read_text())["options"] == kept


# --- refusals

REFUSALS: list[tuple[str, str, Arguments, str]] = [
    ("a cwd that is a list", "state_read", {"mode": "team", "cwd": []}, "cwd"),
    ("nothing to write", "state_write", {"mode": "forge"}, "nothing to write"),
    ("options that are numbers", "question_ask", {"mode": "forge", "text": "Go?", "options": [1]}, "options"),
    ("active that is a number", "state_write", {"mode": "forge", "active": 1}, "active"),
    ("an iteration below nought", "state_write", {"mode": "forge", "iteration": "-1"}, "iteration"),
    ("no iterations at all", "state_write", {"mode": "forge", "max_iterations": 0}, "max_iterations"),
    ("a blank phase", "state_write", {"mode": "forge", "current_phase": "  "}, "current_phase"),
    ("an outcome that means nothing", "state_write", {"mode": "forge", "lifecycle_outcome": "ok"}, "lifecycle_outcome"),
    ("state that is a list", "state_write", {"mode": "forge", "state": "[1]"}, "state"),
    ("a bad field among good ones", "state_write", {"mode": "forge", "current_phase": "x", "iteration": "?"},
     "iteration"),
    ("a question without a text", "question_ask", {"mode": "forge"}, "text"),
    ("a question of a mode that is not active", "question_ask", {"mode": "ultraqa", "text": "Go?"}, "ultraqa"),
    ("a tool that is not there", "state_delete", {"mode": "forge"}, "state_delete"),
]  # fmt: skip


@each_row(("tool", "arguments", "named"), [pytest.param(*row[1:], id=row[0]) for row in REFUSALS])
def test_a_refusal_names_the_argument_and_changes_no_byte(
    running: Workspace, tool: str, arguments: Arguments, named: str
) -> None:
    assert named in refused(running, tool, **{"session_id": "s1"} | arguments)


# --- garbage

LETTERS = st.characters(codec="utf-8", exclude_characters="/.$")
WORDS = st.one_of(
    st.text(LETTERS, max_size=12),
    st.sampled_from(["true", "false", "null", "NaN", "1e999", "{}", "[]", '{"', "\x00", "\x1b[31m", "s1\n", "-", " "]),
)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=3),
    max_leaves=8,
)
ARGUMENTS = st.sampled_from(
    ["mode", "session_id", "cwd", "active", "all_sessions", "iteration", "max_iterations", "state", "fields", "text",
     "options", "current_phase", "lifecycle_outcome", "run_outcome", "completed_at", "error", "prompt", "turn_id",
     "prompt_id", "agent_id", "agent_type", "stop_hook_active", "last_assistant_message", "hook_event_name",
     "question_enforcement", "session"]
)  # fmt: skip


@examples(300)
@given(
    tool=st.sampled_from((*STATE_TOOLS, *HOOK_TOOLS)),
    arguments=st.dictionaries(ARGUMENTS, VALUES, max_size=6),
    sane=st.booleans(),
)
def test_garbage_is_answered_and_what_is_refused_changed_nothing(tool: str, arguments: Arguments, sane: bool) -> None:
    with tempfile.TemporaryDirectory() as folder:
        workspace = Workspace(Path(folder))
        workspace.prompt("$team $forge")
        before = workspace.workflow_state()
        given = arguments | ({"mode": "forge"} if sane else {})
        text, is_error = tools.call(tool, given, clean_env(RCS_ROOT=folder), folder)
        answer = json.loads(text)
        assert is_error == (answer.get("ok") is False)
        assert not is_error or answer == error_json(answer["code"], answer["message"])
        if tool in HOOK_TOOLS:
            assert not is_error
            assert "decision" not in check_output("Stop" if tool == "hook_stop" else "UserPromptSubmit", text)
        if is_error or tool not in WRITERS:
            after = {path: data for path, data in workspace.workflow_state().items() if not path.startswith("logs/")}
            assert after == before


def nested(depth: int) -> list[Any]:
    value: list[Any] = []
    for _ in range(depth):
        value = [value]
    return value


@pytest.mark.parametrize(
    ("field", "depth"), [(field, depth) for field in ("fields", "state") for depth in (97, 98, 99, 100)]
)
def test_what_a_write_accepts_a_read_gives_back(running: Workspace, field: str, depth: int) -> None:
    answer, is_error = called(running, "state_write", mode="forge", session_id="s1", **{field: {"x": nested(depth)}})
    record = good(running, "state_read", mode="forge", session_id="s1")
    assert is_error == ("x" not in (record if field == "fields" else record.get("state", {}))), answer


@pytest.mark.parametrize("tool", HOOK_TOOLS)
def test_a_hook_tool_fails_open_on_nesting_without_end(running: Workspace, tool: str) -> None:
    before = running.snapshot()
    text, is_error = tools.call(tool, {"session_id": "s2", "effort": nested(5_000)}, clean_env(), str(running.root))
    check_output("Stop" if tool == "hook_stop" else "UserPromptSubmit", text)
    assert not is_error
    assert running.snapshot() == before


# --- the hooks

SPOKEN = 10
"""How many calls of the day both can make."""

TOOLS = {"UserPromptSubmit": "hook_user_prompt_submit", "Stop": "hook_stop"}
MCP_FORM = re.compile(r"\\nrcs_state\.state_clear\(.*? }\)")
"""An agent with the server has its tools, so a denial names the tool that clears."""


def in_strings(fields: Arguments) -> Arguments:
    """Return the arguments as Claude Code passes them: as strings, empty where there is nothing."""
    shown = {name: json.dumps(value) if isinstance(value, bool) else value or "" for name, value in fields.items()}
    return {"agent_id": "", "agent_type": "", "turn_id": ""} | shown


@each_row("passed", [dict, in_strings], ids=["Codex", "Claude Code"])
def test_a_hook_tool_answers_what_the_command_hook_prints(
    passed: Callable[[Arguments], Arguments], tmp_path: Path
) -> None:
    command, server = Workspace(tmp_path / "command").in_git(), Workspace(tmp_path / "server").in_git()
    denials = 0
    for event, fields in A_DAY[:SPOKEN]:
        tool = TOOLS.get(event, "")
        if tool:
            mine = {"session_id": "s1", "cwd": str(server.root)} | fields
            said, is_error = tools.call(tool, passed(mine), clean_env(), str(server.root))
            printed, _ = hook_here(command.payload(event, **fields), cwd=command.root)
            unlike = MCP_FORM.sub("", said).replace(str(server.root), str(command.root))
            assert (unlike, is_error) == (printed, False)
            denials += bool(MCP_FORM.search(said))
    assert denials
    states = [{path: blanked(data.decode()) for path, data in each.snapshot().items()} for each in (command, server)]
    assert states[0] == states[1]


WHOSE = {"turn_id", "prompt_id", "agent_id", "agent_type", "transcript_path"}


def test_a_hook_tool_takes_what_a_client_can_pass() -> None:
    fields = {
        "hook_user_prompt_submit": {"prompt"},
        "hook_stop": {"last_assistant_message", "stop_hook_active", "background_tasks", "session_crons"},
    }
    taken = {tool: set(tools.schema_of(tool)[1]["properties"]) for tool in fields}
    assert taken == {tool: {"session_id", "cwd", *WHOSE, *own} for tool, own in fields.items()}


def test_a_subagent_is_told_by_its_string(running: Workspace) -> None:
    arguments = {"session_id": "s1", "prompt_id": "p", "stop_hook_active": "false", "agent_id": "a1"}
    assert good(running, "hook_stop", **arguments) == {}
    assert good(running, "hook_stop", **arguments | {"agent_id": ""})["decision"] == "block"


def test_a_hook_tool_is_its_own_event_whatever_it_is_told(running: Workspace) -> None:
    answer = good(running, "hook_stop", session_id="s1", hook_event_name="SessionStart", prompt="$cancel")
    assert answer["decision"] == "block"
    assert running.active() == ["team", "forge"]
