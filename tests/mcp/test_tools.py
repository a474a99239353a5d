"""The tools without a server: what each answers to JSON types, to Claude Code's strings, and to garbage."""

from __future__ import annotations

import json
import re
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rcs_hooks.catalog import MODES
from rcs_hooks.mcp import tools
from tests.properties import examples
from tests.support import Workspace, check_output, clean_env, error_json, run_hook
from tests.table import each_row

Arguments = dict[str, Any]

TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z")
QUESTION = re.compile(r"q-[0-9a-f]{10}")
FINGERPRINT = re.compile(r'("(?:fingerprint|stalled|once)": )"[^"]+"')
"""Differs from one run to the next, as its moment does."""
STATE_TOOLS = ("state_read", "state_write", "state_clear", "state_list_active", "state_get_status", "question_ask")
HOOK_TOOLS = ("hook_user_prompt_submit", "hook_stop")


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


def test_the_tools_are_the_five_of_the_state_the_question_the_two_hooks_and_emit() -> None:
    assert (*STATE_TOOLS, *HOOK_TOOLS, "emit") == tools.NAMES


@each_row("name", tools.NAMES)
def test_a_tool_says_what_it_is_for_and_lets_every_argument_be_a_string(name: str) -> None:
    purpose, schema = tools.schema_of(name)
    assert purpose.endswith(".")
    assert schema["type"] == "object"
    assert set(schema.get("required", [])) <= set(schema["properties"])
    for argument, rule in schema["properties"].items():
        kinds = rule["type"] if isinstance(rule["type"], list) else [rule["type"]]
        assert "string" in kinds, f"Claude Code makes {argument} a string"


# --- each tool


def test_state_read_gives_the_record(running: Workspace) -> None:
    assert good(running, "state_read", mode="team", session_id="s1") == running.read("team")


def test_state_read_of_a_mode_without_state_says_that_it_does_not_exist(workspace: Workspace) -> None:
    assert good(workspace, "state_read", mode="forge", session_id="s1") == {"exists": False, "mode": "forge"}
    assert workspace.snapshot() == {}


@each_row("name", ["team", "crew", "swarm", "$team", "TEAM", " team "])
def test_a_mode_is_known_by_any_of_its_names(running: Workspace, name: str) -> None:
    assert good(running, "state_read", mode=name, session_id="s1")["mode"] == "team"


def test_state_list_active_names_the_members_in_order(running: Workspace) -> None:
    assert good(running, "state_list_active", session_id="s1") == {"active_modes": ["team", "forge"]}
    assert good(running, "state_list_active", session_id="s2") == {"active_modes": []}
    only = {"active_modes": ["team", "forge"], "session": "s1", "sessions": {"s1": ["team", "forge"]}}
    assert good(running, "state_list_active") == only
    running.prompt("$ultrawork", "s2")
    several = {"active_modes": [], "sessions": {"s1": ["team", "forge"], "s2": ["ultrawork"]}}
    assert good(running, "state_list_active") == several


@pytest.mark.parametrize("switch", [True, "true"], ids=["bool", "string"])
def test_state_list_active_gives_the_overview_of_all_sessions_if_asked(running: Workspace, switch: object) -> None:
    running.prompt("$ultrawork", "s2")
    found = good(running, "state_list_active", session_id="s1", overview=switch)
    assert found["active_modes"] == ["team", "forge"]
    assert list(found["overview"]) == ["waiting", "running", "ended", "tasks", "closed"]
    assert [entry["name"] for entry in found["overview"]["running"]][:1] == ["ultrawork"]
    assert {entry["name"] for entry in found["overview"]["running"]} == {"team", "forge", "ultrawork"}


def test_state_get_status_gives_phase_outcome_path_and_data(running: Workspace) -> None:
    statuses = good(running, "state_get_status", session_id="s1")["statuses"]
    assert list(statuses) == ["team", "forge"]
    assert statuses["forge"] == {
        "active": True,
        "phase": "starting",
        "outcome": None,
        "title": "",
        "iteration": 0,
        "next": MODES["forge"].states["starting"],
        "can_finish": False,
        "proof": {"state": "unproven", "command": "", "exit": None, "at": ""},
        "verdict_says": "",
        "path": ".rcs/state/sessions/s1/forge-state.json",
        "data": running.read("forge"),
    }
    assert list(good(running, "state_get_status", session_id="s1", mode="forge")["statuses"]) == ["forge"]


def test_state_clear_takes_one_member_out_and_leaves_the_others(running: Workspace) -> None:
    answer = good(running, "state_clear", mode="team", session_id="s1")
    assert answer == {"cleared": True, "mode": "team", "path": ".rcs/state/sessions/s1/team-state.json"}
    assert running.active() == ["forge"]
    assert good(running, "state_list_active", session_id="s1") == {"active_modes": ["forge"]}


@pytest.mark.parametrize("everywhere", [True, "true"], ids=["bool", "string"])
def test_state_clear_of_all_sessions_says_what_it_removed(running: Workspace, everywhere: object) -> None:
    running.prompt("$forge", session="s2")
    assert good(running, "state_clear", mode="forge", all_sessions=everywhere) == {
        "cleared": True,
        "mode": "forge",
        "all_sessions": True,
        "removed": 2,
        "paths": [".rcs/state/sessions/s1/forge-state.json", ".rcs/state/sessions/s2/forge-state.json"],
    }
    assert (running.active("s1"), running.active("s2")) == (["team"], [])


def test_the_recovery_call_of_the_seed_works_without_a_session(running: Workspace) -> None:
    answer = good(running, "state_clear", mode="team")
    assert answer == {"cleared": True, "mode": "team", "path": ".rcs/state/sessions/s1/team-state.json"}


def test_clearing_what_is_not_there_is_no_error_and_makes_nothing(workspace: Workspace) -> None:
    answer = good(workspace, "state_clear", mode="team", session_id="s1")
    assert answer == {"cleared": False, "mode": "team", "path": ".rcs/state/sessions/s1/team-state.json"}
    assert workspace.snapshot() == {}


WRITES: list[tuple[str, Arguments, str, object]] = [
    ("active", {"active": "false"}, "active", False),
    ("iteration", {"iteration": "3"}, "iteration", 3),
    ("max iterations", {"max_iterations": "12"}, "max_iterations", 12),
    ("state", {"state": '{"lanes": [1, true, null]}'}, "state", {"lanes": [1, True, None]}),
    ("fields", {"fields": '{"owner": "ann", "n": 2}'}, "n", 2),
    ("text that looks like a number", {"error": "3"}, "error", "3"),
    ("text that looks like a switch", {"error": "true"}, "error", "true"),
    ("fresh", {"fresh": "true"}, "active", True),
    ("a verdict in words", {"evidence": "[1]"}, "evidence", "[1]"),
    ("outcome", {"lifecycle_outcome": "finished"}, "run_outcome", "finish"),
]


@pytest.mark.parametrize(
    ("given_strings", "field", "expected"),
    [pytest.param(strings, field, expected, id=name) for name, strings, field, expected in WRITES],
)
def test_a_write_takes_strings_for_json_types(
    running: Workspace, given_strings: Arguments, field: str, expected: object
) -> None:
    answer = good(running, "state_write", mode="forge", session_id="s1", **given_strings)
    path = ".rcs/state/sessions/s1/forge-state.json"
    assert answer | {"success": True, "mode": "forge", "path": path} == answer
    assert running.read("forge")[field] == expected


TYPED: list[tuple[str, object, str]] = [
    ("active", False, "false"),
    ("iteration", 3, "3"),
    ("max_iterations", 12, "12"),
    ("state", {"a": [1]}, '{"a": [1]}'),
    ("fields", {"x": None}, '{"x": null}'),
]


@each_row(("field", "typed", "string"), [pytest.param(*row, id=row[0]) for row in TYPED])
def test_a_string_and_its_json_type_write_the_same_record(
    tmp_path: Path, field: str, typed: object, string: str
) -> None:
    records = []
    for value in (typed, string):
        root = tmp_path / type(value).__name__
        root.mkdir()
        workspace = Workspace(root)
        workspace.prompt("$forge")
        good(workspace, "state_write", mode="forge", session_id="s1", **{field: value})
        records.append(TIME.sub("TIME", workspace.mode_path("forge").read_text()))
    assert records[0] == records[1]


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


def test_a_write_that_would_activate_asks_the_policy(workspace: Workspace) -> None:
    workspace.prompt("$blueprint")
    answer = good(workspace, "state_write", mode="team", session_id="s1", active="true")
    assert answer["transition"] == "mode transiting: blueprint -> team"
    assert workspace.active() == ["team"]


def test_a_denied_write_says_what_a_denied_prompt_says_and_changes_no_byte(running: Workspace) -> None:
    words = refused(running, "state_write", mode="autopilot", session_id="s1", active=True)
    assert words.startswith(
        "Cannot activate autopilot while team + forge is still active. Clear the incompatible state first via "
        "`rcs state ...` or the `rcs_state.*` MCP tools, then retry the transition."
    )
    assert 'rcs_state.state_clear({ mode: "team", session_id: "s1" })' in words


@pytest.mark.parametrize(
    "options",
    [["Postgres", "SQLite"], '["Postgres", "SQLite"]'],
    ids=["list", "string"],
)
def test_question_ask_lets_the_mode_wait_and_says_what_to_say(running: Workspace, options: object) -> None:
    answer = good(running, "question_ask", mode="forge", session_id="s1", text="Which database?", options=options)
    record = json.loads((running.root / answer["path"]).read_text())
    assert answer["path"] == f".rcs/state/sessions/s1/questions/{answer['question_id']}.json"
    assert (record["status"], record["question"]) == ("pending", "Which database?")
    assert record["options"] == ["Postgres", "SQLite"]
    assert '"Which database?"' in answer["say"]
    assert "1 Postgres | 2 SQLite" in answer["say"]
    status = good(running, "state_get_status", session_id="s1", mode="forge")["statuses"]["forge"]
    assert (status["active"], status["outcome"]) == (True, "askuserQuestion")


def test_one_option_may_be_plain_text(running: Workspace) -> None:
    answer = good(running, "question_ask", mode="forge", session_id="s1", text="Go?", options="yes")
    assert json.loads((running.root / answer["path"]).read_text())["options"] == ["yes"]


# --- refusals

REFUSALS: list[tuple[str, str, Arguments, str]] = [
    ("no mode", "state_read", {}, "mode"),
    ("an unknown mode", "state_read", {"mode": "nope"}, "mode"),
    ("cancel is no mode", "state_write", {"mode": "cancel", "active": True}, "mode"),
    ("a mode that is a list", "state_clear", {"mode": ["team"]}, "mode"),
    ("a mode that is a number", "state_get_status", {"mode": 7}, "mode"),
    ("a session that is a path", "state_list_active", {"session_id": "../s1"}, "session_id"),
    ("a session that is a number", "state_read", {"mode": "team", "session_id": 5}, "session_id"),
    ("a session too long", "state_read", {"mode": "team", "session_id": "s" * 129}, "session_id"),
    ("a cwd that is a list", "state_read", {"mode": "team", "cwd": []}, "cwd"),
    ("nothing to write", "state_write", {"mode": "forge"}, "nothing to write"),
    ("active that is a word", "state_write", {"mode": "forge", "active": "yes"}, "active"),
    ("active that is a number", "state_write", {"mode": "forge", "active": 1}, "active"),
    ("an iteration below nought", "state_write", {"mode": "forge", "iteration": "-1"}, "iteration"),
    ("an iteration that is a switch", "state_write", {"mode": "forge", "iteration": True}, "iteration"),
    ("an iteration that is a fraction", "state_write", {"mode": "forge", "iteration": "1.5"}, "iteration"),
    ("no iterations at all", "state_write", {"mode": "forge", "max_iterations": 0}, "max_iterations"),
    ("a phase that is a list", "state_write", {"mode": "forge", "current_phase": ["x"]}, "current_phase"),
    ("a blank phase", "state_write", {"mode": "forge", "current_phase": "  "}, "current_phase"),
    ("an outcome that means nothing", "state_write", {"mode": "forge", "lifecycle_outcome": "ok"}, "lifecycle_outcome"),
    ("a run outcome that means nothing", "state_write", {"mode": "forge", "run_outcome": 3}, "run_outcome"),
    ("state that is a list", "state_write", {"mode": "forge", "state": "[1]"}, "state"),
    ("state that is broken JSON", "state_write", {"mode": "forge", "state": "{"}, "state"),
    ("fields that are a word", "state_write", {"mode": "forge", "fields": "x"}, "fields"),
    ("a time that is none", "state_write", {"mode": "forge", "started_at": "soon"}, "started_at"),
    ("an error that is a list", "state_write", {"mode": "forge", "error": [1]}, "error"),
    ("a bad field among good ones", "state_write", {"mode": "forge", "current_phase": "x", "iteration": "?"},
     "iteration"),
    ("all_sessions that is a word", "state_clear", {"mode": "forge", "all_sessions": "maybe"}, "all_sessions"),
    ("a question without a mode", "question_ask", {"text": "Go?"}, "mode"),
    ("a question without a text", "question_ask", {"mode": "forge"}, "text"),
    ("a question that is blank", "question_ask", {"mode": "forge", "text": " \n"}, "text"),
    ("a question that is a list", "question_ask", {"mode": "forge", "text": ["Go?"]}, "text"),
    ("a question of a mode that is not active", "question_ask", {"mode": "ultraqa", "text": "Go?"}, "ultraqa"),
    ("options that are numbers", "question_ask", {"mode": "forge", "text": "Go?", "options": [1]}, "options"),
    ("options that are an object", "question_ask", {"mode": "forge", "text": "Go?", "options": {"a": 1}}, "options"),
    ("options that are broken JSON", "question_ask", {"mode": "forge", "text": "Go?", "options": "[1"}, "option"),
    ("a tool that is not there", "state_delete", {"mode": "forge"}, "state_delete"),
]  # fmt: skip


@each_row(("tool", "arguments", "named"), [pytest.param(*row[1:], id=row[0]) for row in REFUSALS])
def test_a_refusal_names_the_argument_and_changes_no_byte(
    running: Workspace, tool: str, arguments: Arguments, named: str
) -> None:
    assert named in refused(running, tool, **{"session_id": "s1"} | arguments)


def test_an_ambiguous_call_without_a_session_is_refused_with_the_choices(running: Workspace) -> None:
    running.prompt("$forge", session="s2")
    words = refused(running, "state_clear", mode="forge")
    assert "s1" in words
    assert "s2" in words


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
@given(tool=st.sampled_from(STATE_TOOLS), arguments=st.dictionaries(ARGUMENTS, VALUES, max_size=6), sane=st.booleans())
def test_garbage_is_answered_and_what_is_refused_changed_nothing(tool: str, arguments: Arguments, sane: bool) -> None:
    with tempfile.TemporaryDirectory() as folder:
        workspace = Workspace(Path(folder))
        workspace.prompt("$team $forge")
        before = workspace.snapshot()
        env = clean_env(RCS_ROOT=folder)
        text, is_error = tools.call(tool, arguments | ({"mode": "forge"} if sane else {}), env, folder)
        assert isinstance(json.loads(text), dict)
        answer = json.loads(text)
        assert is_error == (answer.get("ok") is False)
        assert not is_error or answer == error_json(answer["code"], answer["message"])
        if is_error or tool in ("state_read", "state_list_active", "state_get_status"):
            assert workspace.snapshot() == before


@examples(200)
@given(tool=st.sampled_from(HOOK_TOOLS), arguments=st.dictionaries(ARGUMENTS, VALUES, max_size=8))
def test_a_hook_tool_given_garbage_says_what_a_client_accepts_and_is_no_error(tool: str, arguments: Arguments) -> None:
    with tempfile.TemporaryDirectory() as folder:
        workspace = Workspace(Path(folder))
        workspace.prompt("$team $forge")
        before = workspace.snapshot()
        text, is_error = tools.call(tool, arguments, clean_env(RCS_ROOT=folder), folder)
        output = check_output("Stop" if tool == "hook_stop" else "UserPromptSubmit", text)
        assert not is_error
        assert "decision" not in output
        after = {path: data for path, data in workspace.snapshot().items() if not path.startswith("logs/")}
        assert after == before


DEEP = "[" * 900 + "]" * 900
"""Nested deeper than JSON can be written, and not deeper than it can be read."""


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        pytest.param("state_write", {"mode": "forge", "fields": f'{{"x": {DEEP}}}'}, id="a field"),
        pytest.param("state_write", {"mode": "forge", "state": f'{{"x": {DEEP}}}'}, id="the state"),
        pytest.param("state_read", {"mode": json.loads(DEEP)}, id="a mode"),
        pytest.param("state_list_active", {"session_id": json.loads(DEEP)}, id="a session"),
    ],
)
def test_nesting_without_end_is_refused(running: Workspace, tool: str, arguments: Arguments) -> None:
    assert refused(running, tool, **{"session_id": "s1"} | arguments)


def nested(depth: int) -> list[Any]:
    value: list[Any] = []
    for _ in range(depth):
        value = [value]
    return value


@pytest.mark.parametrize("depth", range(94, 104))
@pytest.mark.parametrize("field", ["fields", "state"])
def test_what_a_write_accepts_a_read_gives_back(running: Workspace, field: str, depth: int) -> None:
    answer, is_error = called(running, "state_write", mode="forge", session_id="s1", **{field: {"x": nested(depth)}})
    record = good(running, "state_read", mode="forge", session_id="s1")
    assert is_error == ("x" not in (record if field == "fields" else record.get("state", {}))), answer


def test_a_record_too_large_to_be_read_again_is_refused(running: Workspace) -> None:
    for name in ("a", "b"):
        good(running, "state_write", mode="forge", session_id="s1", fields={name: "x" * 1_500_000})
    refused(running, "state_write", mode="forge", session_id="s1", fields={"c": "x" * 1_500_000})
    assert good(running, "state_list_active", session_id="s1") == {"active_modes": ["team", "forge"]}


@pytest.mark.parametrize("tool", HOOK_TOOLS)
@pytest.mark.parametrize("depth", [900, 5_000])
def test_a_hook_tool_fails_open_on_nesting_without_end(running: Workspace, tool: str, depth: int) -> None:
    before = running.snapshot()
    text, is_error = tools.call(tool, {"session_id": "s2", "effort": nested(depth)}, clean_env(), str(running.root))
    check_output("Stop" if tool == "hook_stop" else "UserPromptSubmit", text)
    assert not is_error
    assert running.snapshot() == before


@pytest.mark.parametrize("cwd", ["\x00", "\ud800", "x" * 5_000, "nowhere"], ids=ascii)
def test_a_folder_that_cannot_be_is_answered_and_made_by_nobody(running: Workspace, cwd: str) -> None:
    before = running.snapshot()
    called(running, "state_list_active", session_id="s9", cwd=cwd)
    called(running, "state_read", mode="team", session_id="s9", cwd=cwd)
    called(running, "hook_stop", session_id="s9", cwd=cwd)
    after = {path: data for path, data in running.snapshot().items() if not path.startswith("logs/")}
    assert after == before
    assert [path.name for path in running.root.iterdir()] == [".rcs"]


# --- the hooks

CALLS: list[tuple[str, Arguments]] = [
    ("UserPromptSubmit", {"prompt": "hello"}),
    ("Stop", {"stop_hook_active": False, "last_assistant_message": "Hello."}),
    ("UserPromptSubmit", {"prompt": '$blueprint $team a "plan"\nwith é \U0001f600'}),
    ("UserPromptSubmit", {"prompt": "$rcs:forge"}),
    ("UserPromptSubmit", {"prompt": "$autopilot"}),
    ("Stop", {"stop_hook_active": False, "last_assistant_message": "Would you like me to continue?"}),
    *[("Stop", {"stop_hook_active": True, "last_assistant_message": None})] * 6,
    ("UserPromptSubmit", {"prompt": "true"}),
    ("Stop", {"stop_hook_active": False, "last_assistant_message": "3"}),
    ("UserPromptSubmit", {"prompt": "$cancel"}),
    ("Stop", {"stop_hook_active": False, "last_assistant_message": "Cancelled."}),
]
TURN = {"codex": "turn_id", "claude": "prompt_id"}


def payloads(client: str, root: Path) -> list[tuple[str, Arguments]]:
    """Return the hook calls of a day; each prompt begins a turn."""
    found, turn = [], 0
    for event, fields in CALLS:
        turn += event == "UserPromptSubmit"
        found.append((event, {"session_id": "s1", "cwd": str(root), TURN[client]: f"turn-{turn}"} | fields))
    return found


def placed(client: str, fields: Arguments) -> Arguments:
    """Return the arguments as the client passes them: Codex keeps JSON types, Claude Code makes them strings."""
    if client == "codex":
        return fields
    shown = {
        name: json.dumps(value) if isinstance(value, bool) else "" if value is None else value
        for name, value in fields.items()
    }
    return {"agent_id": "", "agent_type": "", "turn_id": ""} | shown


MCP_FORM = re.compile(r"\\nrcs_state\.state_clear\(.*? }\)")
"""An agent with the server has its tools, so a denial names the tool that clears."""


@pytest.mark.slow
@pytest.mark.parametrize("client", ["codex", "claude"])
def test_a_hook_tool_answers_what_the_command_hook_prints(tmp_path: Path, client: str) -> None:
    command, server = tmp_path / "command", tmp_path / "server"
    command.mkdir()
    server.mkdir()
    common = {"transcript_path": None, "permission_mode": "default"}
    printed = [
        run_hook(json.dumps(common | fields | {"hook_event_name": event}).encode(), cwd=command)[0]
        for event, fields in payloads(client, command)
    ]
    tool = {"UserPromptSubmit": "hook_user_prompt_submit", "Stop": "hook_stop"}
    answered = [
        tools.call(tool[event], placed(client, fields), clean_env(), str(server))
        for event, fields in payloads(client, server)
    ]
    assert [line.replace(str(command), "ROOT") for line in printed] == [
        MCP_FORM.sub("", text.replace(str(server), "ROOT")) for text, _ in answered
    ]
    assert [bool(MCP_FORM.search(text)) for text, _ in answered] == ["Do not clear" in line for line in printed]
    assert {is_error for _, is_error in answered} == {False}
    assert sum('"decision":"block"' in line for line in printed) >= 5, "the day has Stops that block"
    states = [
        {path: blanked(data.decode()) for path, data in Workspace(root).snapshot().items()}
        for root in (command, server)
    ]
    assert states[0] == states[1]


WHOSE = {"turn_id", "prompt_id", "agent_id", "agent_type", "transcript_path"}


@pytest.mark.parametrize(
    ("tool", "fields"),
    [
        ("hook_user_prompt_submit", {"prompt", *WHOSE}),
        ("hook_stop", {"last_assistant_message", "stop_hook_active", "background_tasks", "session_crons", *WHOSE}),
    ],
)
def test_a_hook_tool_takes_what_a_client_can_pass(tool: str, fields: set[str]) -> None:
    _, schema = tools.schema_of(tool)
    assert set(schema["properties"]) == {"session_id", "cwd", *fields}


def test_a_subagent_is_told_by_its_string(running: Workspace) -> None:
    arguments = {"session_id": "s1", "prompt_id": "p", "stop_hook_active": "false", "agent_id": "a1"}
    assert good(running, "hook_stop", **arguments) == {}
    assert good(running, "hook_stop", **arguments | {"agent_id": ""})["decision"] == "block"


def test_a_hook_tool_is_its_own_event_whatever_it_is_told(running: Workspace) -> None:
    answer = good(running, "hook_stop", session_id="s1", hook_event_name="SessionStart", prompt="$cancel")
    assert answer["decision"] == "block"
    assert running.active() == ["team", "forge"]


# --- sessions

STEPS: list[tuple[str, Arguments]] = [
    ("hook_user_prompt_submit", {"prompt": "$team"}),
    ("hook_user_prompt_submit", {"prompt": "$forge $ultrawork"}),
    ("hook_user_prompt_submit", {"prompt": "$blueprint $forge"}),
    ("hook_user_prompt_submit", {"prompt": "go on"}),
    ("hook_user_prompt_submit", {"prompt": "$cancel"}),
    ("hook_stop", {"last_assistant_message": "Working."}),
    ("state_write", {"mode": "forge", "active": "true"}),
    ("state_write", {"mode": "team", "current_phase": "executing", "iteration": "2"}),
    ("state_write", {"mode": "blueprint", "lifecycle_outcome": "finished"}),
    ("state_clear", {"mode": "forge"}),
    ("state_list_active", {}),
    ("state_get_status", {}),
    ("question_ask", {"mode": "team", "text": "Which?", "options": ["a", "b"]}),
]
SESSIONS = ("s1", "s2", "s3")


def lived(root: Path, steps: list[tuple[str, int]]) -> tuple[dict[str, list[str]], dict[str, str]]:
    """Run the steps; return the answers of each session and their files, with what no two runs share blanked."""
    answers: dict[str, list[str]] = {session: [] for session in SESSIONS}
    turns = dict.fromkeys(SESSIONS, 0)
    for session, step in steps:
        tool, arguments = STEPS[step]
        turns[session] += tool == "hook_user_prompt_submit"
        mine = {"session_id": session, "turn_id": f"t{turns[session]}"} if tool in HOOK_TOOLS else {
            "session_id": session
        }  # fmt: skip
        text = tools.call(tool, arguments | mine, clean_env(), str(root))[0]
        answers[session].append(blanked(text.replace(str(root), "ROOT")))
    snapshot = Workspace(root).snapshot().items()
    files = {blanked(path): blanked(data.decode()) for path, data in snapshot if path.startswith("state/sessions/")}
    return answers, files


def blanked(text: str) -> str:
    return FINGERPRINT.sub(r'\1"FINGERPRINT"', QUESTION.sub("QUESTION", TIME.sub("TIME", text)))


@examples(40)
@given(st.lists(st.tuples(st.sampled_from(SESSIONS), st.integers(0, len(STEPS) - 1)), min_size=2, max_size=16))
def test_a_session_lives_as_if_it_were_alone(steps: list[tuple[str, int]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        together = Path(folder, "together")
        Workspace(together).in_git()
        answers, files = lived(together, steps)
        for session in SESSIONS:
            alone = Path(folder, session)
            Workspace(alone).in_git()
            mine, own_files = lived(alone, [step for step in steps if step[0] == session])
            assert answers[session] == mine[session]
            prefix = f"state/sessions/{session}/"
            assert {path: text for path, text in files.items() if path.startswith(prefix)} == own_files


def test_one_call_moves_several_modes_or_none(running: Workspace) -> None:
    answer = good(running, "state_write", mode="crew, forge", session_id="s1", current_phase="executing")
    assert [each["mode"] for each in answer["modes"]] == ["team", "forge"]
    assert [running.read(mode)["current_phase"] for mode in ("team", "forge")] == ["executing", "executing"]
    before = running.snapshot()
    for modes in ("team,forge,nonsense", "forge,blueprint"):
        arguments = {"mode": modes, "session_id": "s1", "current_phase": "verifying"}
        _, failed = tools.call("state_write", arguments, {"PATH": "/bin"}, str(running.root))
        assert failed
    assert running.snapshot() == before
