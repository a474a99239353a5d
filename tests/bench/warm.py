"""Calls of a hook that one MCP server answers over a pipe, by JSON-RPC written by hand."""

from __future__ import annotations

import json
import subprocess
import time
from typing import TYPE_CHECKING, Any

from tests.support import RCS_HOOK, Workspace, clean_env

if TYPE_CHECKING:
    from collections.abc import Callable, Generator
    from pathlib import Path

RCS = [str(RCS_HOOK.with_name("rcs"))]
WARM_UP = 200


def is_block(said: str) -> bool:
    return '"decision":"block"' in said


def a_stop_call(root: Path, number: int) -> dict[str, Any]:
    """As Claude Code's placeholders make it, and of a prompt of its own."""
    Workspace(root, now=time.time()).prompt("Go on.", turn_id=f"prompt-{number}")
    fields = {"session_id": "s1", "cwd": str(root), "prompt_id": f"turn-{number}", "stop_hook_active": "false"}
    return {"name": "hook_stop", "arguments": fields | {"last_assistant_message": "The tests pass now."}}


def a_prompt_call(root: Path, number: int) -> dict[str, Any]:
    fields = {"session_id": "s1", "cwd": str(root), "turn_id": f"turn-{number}", "prompt": "How do I deploy this?"}
    return {"name": "hook_user_prompt_submit", "arguments": fields}


WARM: tuple[tuple[str, Callable[[Path, int], dict[str, Any]], Callable[[str], bool], bool], ...] = (
    ("a prompt, no state", a_prompt_call, lambda said: said == "{}", False),
    ("a prompt, team runs", a_prompt_call, lambda said: said == "{}", True),
    ("a Stop that blocks", a_stop_call, is_block, True),
)
"""Name, the call, what is right, and whether team runs."""


def on_the_clock(_: int) -> float:
    """Seconds that have passed, whatever a process has done."""
    return time.perf_counter()


def of_the_processor(pid: int) -> float:
    """Seconds of the processor that a running process has taken so far. Linux numbers these clocks by the process."""
    return time.clock_gettime(~pid << 3 | 2)


def served(
    calls: int,
    root: Path,
    make: Callable[[Path, int], dict[str, Any]],
    rcs: str = RCS[0],
    seconds_of: Callable[[int], float] = on_the_clock,
) -> Generator[tuple[float, str], None, None]:
    """Seconds and text of each call, from the write of its line to the read of its answer, after a warm-up.

    `seconds_of`: the clock, by the id of the server's process.
    """
    env = clean_env(RCS_STOP_MAX_BLOCKS="1000000", CLAUDE_CODE_STOP_HOOK_BLOCK_CAP="0")
    server = subprocess.Popen([rcs, "mcp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=root, env=env, bufsize=0)
    assert server.stdin
    assert server.stdout
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "bench", "version": "0"}}
    with server, open(server.stdout.fileno(), "rb", closefd=False) as answers:
        server.stdin.write(line({"id": "hello", "method": "initialize", "params": hello}))
        answers.readline()
        server.stdin.write(line({"method": "notifications/initialized"}))
        for number in range(WARM_UP + calls):
            asked = line({"id": number, "method": "tools/call", "params": make(root, number)})
            start = seconds_of(server.pid)
            server.stdin.write(asked)
            answer = answers.readline()
            seconds = seconds_of(server.pid) - start
            if number >= WARM_UP:
                yield seconds, json.loads(answer)["result"]["content"][0]["text"]
        server.stdin.close()


def line(message: dict[str, Any]) -> bytes:
    return json.dumps({"jsonrpc": "2.0"} | message).encode() + b"\n"
