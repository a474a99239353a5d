"""The real server over a real pipe, called by JSON-RPC written by hand."""

from __future__ import annotations

import fcntl
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from rcs_hooks.mcp import tools
from tests.mcp.support import COMMAND, PATIENCE, Arguments, Pipes
from tests.support import Workspace, check_output, clean_env, error_json


@pytest.fixture
def pipes(workspace: Workspace) -> Iterator[Pipes]:
    server = Pipes(workspace.root)
    yield server
    server.close()


def test_a_script_by_hand_is_answered_line_by_line(workspace: Workspace, pipes: Pipes) -> None:
    greeting = pipes.begin()
    assert greeting["serverInfo"]["name"] == "rcs_state"
    assert "tools" in greeting["capabilities"]
    listed = pipes.ask("two", "tools/list")["result"]["tools"]
    assert [tool["name"] for tool in listed] == list(tools.NAMES)
    prompt = {"session_id": "s1", "cwd": str(workspace.root), "turn_id": "t1", "prompt": "$team go"}
    answer, is_error = pipes.call(3, "hook_user_prompt_submit", prompt)
    assert not is_error
    assert check_output("UserPromptSubmit", json.dumps(answer))["hookSpecificOutput"]
    assert pipes.call(4, "state_list_active", {"session_id": "s1"}) == ({"active_modes": ["team"]}, False)
    assert pipes.call(5, "state_read", {})[1] is True
    assert pipes.ask(6, "ping")["result"] == {}
    assert pipes.end() == 0
    assert pipes.complaints == []


GARBAGE: dict[str, tuple[bytes, bool]] = {
    "no JSON": (b"hello", True),
    "cut JSON": (b'{"jsonrpc": "2.0", "id": 90, "method": "tools/', True),
    "nothing": (b"", False),
    "blanks": (b"   \t", False),
    "a list": (b"[]", True),
    "null": (b"null", True),
    "a number": (b"7", True),
    "not UTF-8": (b"\xff\xfe\x00", True),
    "no method": (b'{"jsonrpc": "2.0", "id": 91}', True),
    "another protocol": (b'{"jsonrpc": "1.0", "method": "ping", "id": []}', True),
    "an answer nobody waits for": (b'{"jsonrpc": "2.0", "id": 92, "result": {}}', False),
    "a notification nobody knows": (b'{"jsonrpc": "2.0", "method": "notifications/none", "params": {}}', False),
    "a cancelled request that is none": (b'{"jsonrpc":"2.0","method":"notifications/cancelled"}', False),
    "a long line": (b"x" * 1_000_000, True),
    "a longer line": (b'"' + b"x" * 10_000_000, True),
    "a deep line": (b"[" * 1_000_000, True),
}
"""A line, and whether it gets an error."""


def test_the_server_outlives_a_line_of_garbage(workspace: Workspace, pipes: Pipes) -> None:
    pipes.begin()
    for name, (line, is_answered) in GARBAGE.items():
        pipes.write(line)
        pipes.send({"id": name, "method": "tools/call", "params": {"name": "state_list_active"}})
        messages = [pipes.answer() for _ in range(1 + is_answered)]  # in any order
        (result,) = (message["result"] for message in messages if message["id"] == name)
        assert json.loads(result["content"][0]["text"]) == {"active_modes": [], "sessions": {}}, name
        assert sum("error" in message for message in messages) == is_answered, name
    assert pipes.end() == 0
    assert pipes.complaints == []
    assert workspace.snapshot() == {}


def test_a_prompt_of_ten_million_letters_is_answered(workspace: Workspace, pipes: Pipes) -> None:
    prompt = {"session_id": "s1", "turn_id": "t1", "prompt": "x " * 5_000_000 + "\n$team"}
    answer, is_error = pipes.call(1, "hook_user_prompt_submit", prompt)
    assert not is_error
    assert "active: team" in answer["hookSpecificOutput"]["additionalContext"]
    assert workspace.active() == ["team"]


NO_ARGUMENTS: dict[str, object] = {"null": None, "empty": {}}


def test_a_hook_tool_without_arguments_has_nothing_to_say(workspace: Workspace, pipes: Pipes) -> None:
    pipes.begin()
    for number, arguments in NO_ARGUMENTS.items():
        assert pipes.call(f"stop {number}", "hook_stop", arguments) == ({}, False)
        assert pipes.call(f"prompt {number}", "hook_user_prompt_submit", arguments) == ({}, False)
    assert pipes.end() == 0
    assert workspace.snapshot() == {}


def test_nesting_without_end_is_a_tool_error_over_the_wire(pipes: Pipes) -> None:
    pipes.begin()
    deep = '{"x": ' + "[" * 900 + "]" * 900 + "}"
    answer, is_error = pipes.call(1, "state_write", {"mode": "forge", "session_id": "s1", "fields": deep})
    assert is_error
    assert answer == error_json("refused", answer["message"])
    assert pipes.call(2, "state_list_active", {})[1] is False


def test_a_number_of_401_digits_is_answered(workspace: Workspace, pipes: Pipes) -> None:
    """It can be read, and written back."""
    pipes.begin()
    fields = {"session_id": "s1", "mode": "forge", "iteration": 10**400, "turn_id": 10**400, "unit": 10**400}
    more = {"state": {"x": 10**400}, "data": {"status": "running", "x": 10**400}, "text": 10**400}
    for tool in (*tools.NAMES, "no_such_tool"):
        workspace.prompt("$forge")
        answer, _ = pipes.call(tool, tool, fields | more)
        assert isinstance(answer, dict), tool
        assert pipes.call(f"after {tool}", "state_list_active", {"session_id": "s1"})[1] is False
    assert pipes.end() == 0


def test_a_hook_call_that_is_cut_off_lets_its_prompt_through(pipes: Pipes) -> None:
    pipes.begin()
    pipes.write(b'{"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": "hook_stop"')
    message = pipes.answer()
    assert (message["id"], message["result"]["isError"]) == (7, False)
    assert "the turn may end" in message["result"]["content"][0]["text"]


def test_the_server_ends_when_its_stdin_does_before_any_greeting(workspace: Workspace, pipes: Pipes) -> None:
    assert pipes.end() == 0
    assert pipes.complaints == []
    assert workspace.snapshot() == {}


def test_all_that_was_asked_before_stdin_closes_is_done_and_answered(workspace: Workspace, pipes: Pipes) -> None:
    sessions = [f"s{number}" for number in range(30)]
    for session in sessions:
        fields = {"mode": "team", "session_id": session, "active": True}
        pipes.send({"id": session, "method": "tools/call", "params": {"name": "state_write", "arguments": fields}})
    assert pipes.process.stdin
    pipes.process.stdin.close()
    answers = [pipes.answer() for _ in sessions]
    assert pipes.process.wait(timeout=PATIENCE) == 0
    assert sorted(answer["id"] for answer in answers) == sorted(sessions)
    assert not any(answer["result"]["isError"] for answer in answers)
    assert all(workspace.active(session) == ["team"] for session in sessions)


@pytest.mark.parametrize(("number", "status"), [(signal.SIGTERM, -signal.SIGTERM), (signal.SIGINT, 130)])
def test_a_signal_ends_it_at_once(pipes: Pipes, number: int, status: int) -> None:
    pipes.begin()
    pipes.call(1, "state_list_active", {})
    pipes.process.send_signal(number)
    assert pipes.process.wait(timeout=PATIENCE) == status


def test_the_server_ends_when_nobody_listens_any_more(workspace: Workspace) -> None:
    reading, writing = os.pipe()
    pipe = subprocess.PIPE
    server = subprocess.Popen(
        COMMAND, stdin=pipe, stdout=writing, stderr=pipe, cwd=workspace.root, env=clean_env(), bufsize=0
    )
    for end in (writing, reading):
        os.close(end)
    assert server.stdin
    ends = time.monotonic() + PATIENCE
    with pytest.raises(BrokenPipeError):
        while time.monotonic() < ends:
            server.stdin.write(b'{"jsonrpc": "2.0", "id": 1, "method": "ping"}\n')
    assert server.communicate(timeout=PATIENCE)[1] == b""
    assert server.returncode == 0


def test_a_call_that_waits_for_a_lock_delays_no_other(workspace: Workspace, pipes: Pipes) -> None:
    workspace.prompt("$team")
    pipes.begin()
    params = {"name": "state_write", "arguments": {"mode": "team", "session_id": "s1", "reason": "x"}}
    with open(workspace.state / ".lock", "a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        for number in range(5):
            pipes.send({"id": number, "method": "tools/call", "params": params})
        assert pipes.ask("ping", "ping")["result"] == {}
        assert pipes.call("hook", "hook_stop", {"session_id": "s2"}) == ({}, False)
    answers = [pipes.answer() for _ in range(5)]
    assert sorted(answer["id"] for answer in answers) == [0, 1, 2, 3, 4]
    assert pipes.end() == 0


def test_calls_one_after_the_other_need_two_threads(pipes: Pipes) -> None:
    pipes.begin()
    for number in range(1, 100):
        pipes.call(number, "hook_stop", {"session_id": "s1"})
    assert len(os.listdir(f"/proc/{pipes.process.pid}/task")) == 2


STRAY = """
import os, sys
class Stray:
    def find_spec(self, name, path=None, target=None):
        if name.startswith("rcs_hooks.mcp."):
            print("stray", flush=True)
            os.system("cat; echo stray")
from rcs_hooks.mcp.server import serve
sys.meta_path.insert(0, Stray())
serve()
"""


def test_what_is_printed_by_mistake_is_no_answer_and_reads_no_call(workspace: Workspace) -> None:
    server = Pipes(workspace.root, [sys.executable, "-c", STRAY])
    try:
        server.send({"id": 1, "method": "tools/call", "params": {"name": "state_list_active"}})
        assert json.loads(server.answer()["result"]["content"][0]["text"]) == {"active_modes": [], "sessions": {}}
        assert server.ask(2, "ping")["result"] == {}
        assert server.end() == 0
        assert set(server.complaints) == {b"stray\n"}
    finally:
        server.close()


def test_the_server_finds_its_workspace_by_its_own_entry(workspace: Workspace, tmp_path: Path) -> None:
    """Codex passes a server nothing but the `env` of its entry."""
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    workspace.prompt("$forge")
    server = Pipes(elsewhere, RCS_ROOT=str(workspace.root))
    try:
        server.begin()
        assert server.call(1, "state_list_active", {"session_id": "s1"}) == ({"active_modes": ["forge"]}, False)
        assert server.end() == 0
    finally:
        server.close()


def test_a_server_whose_folder_is_gone_still_answers_for_another(workspace: Workspace, tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    workspace.prompt("$forge")
    server = Pipes(gone)
    try:
        server.begin()
        gone.rmdir()
        mine = {"session_id": "s1", "cwd": str(workspace.root)}
        assert server.call(1, "hook_stop", mine)[0]["decision"] == "block"
        assert server.call(2, "state_list_active", mine) == ({"active_modes": ["forge"]}, False)
        assert server.end() == 0
    finally:
        server.close()


def test_a_session_of_the_environment_is_not_the_servers(workspace: Workspace) -> None:
    workspace.prompt("$forge")
    workspace.prompt("$forge", "s2")
    server = Pipes(workspace.root, RCS_SESSION_ID="s1", CLAUDE_CODE_SESSION_ID="s1")
    try:
        server.begin()
        assert server.call(1, "state_list_active", {})[0]["active_modes"] == []
        assert server.end() == 0
    finally:
        server.close()


# --- what it loads

FIRST = """
import sys
before = set(sys.modules)
from rcs_hooks.cli.main import main
main(["mcp"])
print(*(set(sys.modules) - before), file=sys.stderr)
"""
NEVER = {"typing", "json", "re", "enum", "argparse", "dataclasses", "asyncio", "pydantic", "logging", "subprocess"}
NEVER |= {"anyio", "mcp", "filelock", "rcs_hooks.mcp.state_tools", "rcs_hooks.mcp.unreadable", "rcs_hooks.config"}


def test_the_first_hook_waits_for_nothing_heavy(workspace: Workspace) -> None:
    server = Pipes(workspace.root, [sys.executable, "-c", FIRST])
    try:
        server.begin()
        server.ask(1, "tools/list")
        assert server.call(2, "hook_user_prompt_submit", {"session_id": "s1", "prompt": "Hi"}) == ({}, False)
        assert server.end() == 0
    finally:
        server.close()
    loaded = set(b"".join(server.complaints).decode().split())
    assert "rcs_hooks.mcp.server" in loaded
    assert loaded & NEVER == set()
    assert not [name for name in loaded if name.startswith("rcs_hooks.state")]


FORBID = """
import sys
class Forbid:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {names!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)
sys.meta_path.insert(0, Forbid())
from rcs_hooks.cli.main import main
sys.exit(main({args!r}))
"""
OF_EXTRAS = ["mcp", "mcp_types", "anyio", "starlette", "uvicorn", "websockets", "tomlkit"]


@pytest.mark.parametrize(
    "args",
    [
        ["hud"],
        ["state", "list-active"],
        ["try", "$team"],
        ["completion", "bash"],
        ["mcp", "--help"],
        ["setup", "--client", "all", "--transport", "mcp"],
    ],
    ids=" ".join,
)
def test_without_the_extra_every_command_but_the_dashboard_works(workspace: Workspace, args: list[str]) -> None:
    code = FORBID.format(names=OF_EXTRAS, args=args)
    env = clean_env(HOME=str(workspace.root.parent / "home"))
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=workspace.root, env=env, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout


def test_without_the_extra_the_server_answers(workspace: Workspace) -> None:
    server = Pipes(workspace.root, [sys.executable, "-c", FORBID.format(names=OF_EXTRAS, args=["mcp"])])
    try:
        server.begin()
        for number, tool in enumerate(tools.NAMES, 1):
            server.call(number, tool, {})
        assert server.end() == 0
        assert server.complaints == []
    finally:
        server.close()


# --- for long, and many at once

WARM, MANY = 2_000, 10_000
GROWTH = 8 << 20


@pytest.mark.full
@pytest.mark.slow
def test_ten_thousand_calls_do_not_grow_the_server(workspace: Workspace, pipes: Pipes) -> None:
    workspace.prompt("$team $forge")
    pipes.begin()
    turns: list[tuple[str, Arguments]] = [
        ("hook_stop", {"session_id": "s1", "turn_id": "t", "last_assistant_message": "Working."}),
        ("hook_user_prompt_submit", {"session_id": "s1", "prompt": "continue"}),
        ("state_list_active", {"session_id": "s1"}),
        ("state_write", {"session_id": "s1", "mode": "forge", "current_phase": "executing"}),
        ("state_read", {"mode": "nope"}),
    ]
    for number in range(1, WARM + 1):
        pipes.call(number, *turns[number % len(turns)])
    before = pipes.resident()
    for number in range(WARM + 1, MANY + 1):
        pipes.call(number, *turns[number % len(turns)])
    assert pipes.resident() - before < GROWTH
    assert pipes.end() == 0
