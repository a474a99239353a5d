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
from tests.mcp.support import COMMAND, PATIENCE, Pipes
from tests.support import Workspace, check_output, clean_env


@pytest.fixture
def pipes(workspace: Workspace) -> Iterator[Pipes]:
    with Pipes(workspace.root) as server:
        yield server


def test_a_script_by_hand_is_answered_line_by_line(workspace: Workspace, pipes: Pipes) -> None:
    assert pipes.begin()["serverInfo"]["name"] == "rcs_state"
    listed = pipes.ask("two", "tools/list")["result"]["tools"]
    assert [tool["name"] for tool in listed] == list(tools.NAMES)
    prompt = {"session_id": "s1", "cwd": str(workspace.root), "turn_id": "t1", "prompt": "$team go" + "\n" * 200_000}
    answer, _ = pipes.call(3, "hook_user_prompt_submit", prompt)
    assert check_output("UserPromptSubmit", json.dumps(answer))["hookSpecificOutput"]
    assert pipes.call(4, "state_list_active", {"session_id": "s1"}) == ({"active_modes": ["team"]}, False)
    assert pipes.call(5, "state_read", {})[1] is True
    assert pipes.ask(6, "ping")["result"] == {}
    assert pipes.end() == 0
    assert pipes.complaints == []


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
    with Pipes(workspace.root, [sys.executable, "-c", STRAY]) as server:
        server.send({"id": 1, "method": "tools/call", "params": {"name": "state_list_active"}})
        assert json.loads(server.answer()["result"]["content"][0]["text"]) == {"active_modes": [], "sessions": {}}
        assert server.ask(2, "ping")["result"] == {}
        assert server.end() == 0
        assert set(server.complaints) == {b"stray\n"}


def test_the_server_finds_its_workspace_by_its_own_entry_but_no_session(workspace: Workspace, tmp_path: Path) -> None:
    """Codex passes a server nothing but the `env` of its entry."""
    (tmp_path / "elsewhere").mkdir()
    workspace.prompt("$forge")
    workspace.prompt("$forge", "s2")
    root = str(workspace.root)
    with Pipes(tmp_path / "elsewhere", RCS_ROOT=root, RCS_SESSION_ID="s1", CLAUDE_CODE_SESSION_ID="s1") as server:
        server.begin()
        assert server.call(1, "state_list_active", {"session_id": "s1"}) == ({"active_modes": ["forge"]}, False)
        assert server.call(2, "state_list_active", {})[0]["active_modes"] == []
        assert server.end() == 0


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
    with Pipes(workspace.root, [sys.executable, "-c", FIRST]) as server:
        server.begin()
        server.ask(1, "tools/list")
        assert server.call(2, "hook_user_prompt_submit", {"session_id": "s1", "prompt": "Hi"}) == ({}, False)
        assert server.end() == 0
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
sys.exit(main(["mcp"]))
"""
OF_EXTRAS = ["mcp", "mcp_types", "anyio", "starlette", "uvicorn", "websockets", "tomlkit"]


def test_without_the_extra_the_server_answers(workspace: Workspace) -> None:
    with Pipes(workspace.root, [sys.executable, "-c", FORBID.format(names=OF_EXTRAS)]) as server:
        server.begin()
        for number, tool in enumerate(tools.NAMES, 1):
            server.call(number, tool, {})
        assert server.end() == 0
        assert server.complaints == []
