"""One Stop is counted once, however many programs, and copies of one program, the client calls for it."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from rcs_hooks.clients.lines import hook_command
from tests.support import CHECKOUT, HOOKS, Workspace, clean_env, run_hook

if TYPE_CHECKING:
    from collections.abc import Sequence

SETUP = ("/bin/sh", "-c", hook_command(sys.executable))
PLUGIN = ("/bin/sh", str(HOOKS / "plugin"), "stop")
STOPS = 30
MOST = 20
A_FEW_TICKS = 0.05
"""Linux tells to a tick of 10 ms when a process began: an answer that comes sooner may seem older than a copy."""


@pytest.fixture
def env(tmp_path: Path) -> dict[str, str]:
    data = tmp_path / "plugin data"
    data.mkdir()
    ours = {"RCS_PYTHON": sys.executable, "CLAUDE_PLUGIN_ROOT": str(CHECKOUT), "CLAUDE_PLUGIN_DATA": str(data)}
    return clean_env(RCS_STOP_MAX_BLOCKS=str(MOST), CLAUDE_CODE_STOP_HOOK_BLOCK_CAP="0") | ours


def at_once(programs: Sequence[Sequence[str]], call: bytes, cwd: Path, env: dict[str, str]) -> list[str]:
    """What they say to one call; each has begun before the first is told of it."""
    children = [
        subprocess.Popen(program, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=cwd, env=env)
        for program in programs
    ]
    for child, program in zip(children, programs, strict=True):
        if program == SETUP:  # a program that calls the hook by another line is told apart by that line
            wait_until_begun(child)
    time.sleep(A_FEW_TICKS)
    for child in children:
        assert child.stdin is not None
        child.stdin.write(call)
        child.stdin.close()
        child.stdin = None
    return [kind_of(child.communicate(timeout=60)[0]) for child in children]


def wait_until_begun(shell: subprocess.Popen[bytes]) -> None:
    """Wait until a shell has started the process in which the hook runs: that is when a call began."""
    children = Path(f"/proc/{shell.pid}/task/{shell.pid}/children")
    end = time.monotonic() + 60
    while not children.read_text():
        assert time.monotonic() < end, "the shell has started no process"
        time.sleep(0.001)


def after_each_other(programs: Sequence[Sequence[str]], call: bytes, cwd: Path, env: dict[str, str]) -> list[str]:
    """The same, where each begins when the one before it has ended."""
    done = [
        subprocess.run(program, input=call, stdout=subprocess.PIPE, cwd=cwd, env=env, check=True, timeout=60)
        for program in programs
    ]
    return [kind_of(each.stdout) for each in done]


def kind_of(line: bytes) -> str:
    output = json.loads(line)
    return "held" if "decision" in output else "let go" if output else ""


WAYS = {
    "setup and the plugin at once": (at_once, (SETUP, PLUGIN)),
    "setup and the plugin after each other": (after_each_other, (SETUP, PLUGIN)),
    "two copies of one line at once": (at_once, (SETUP, SETUP)),
}


@pytest.mark.slow
@pytest.mark.parametrize(("call", "programs"), WAYS.values(), ids=WAYS)
def test_the_limit_is_reached_after_as_many_stops_as_it_says(
    workspace: Workspace, env: dict[str, str], call: object, programs: Sequence[Sequence[str]]
) -> None:
    assert callable(call)
    run_hook(workspace.payload("UserPromptSubmit", prompt_id="t1", prompt="$forge go"), cwd=workspace.root, env=env)
    stop = workspace.payload("Stop", prompt_id="t1", last_assistant_message="I work.")
    said = [sorted(call(programs, stop, workspace.root, env)) for _ in range(STOPS)]
    assert said == [["", "held"]] * MOST + [["", "let go"]] + [["", ""]] * (STOPS - MOST - 1)


def codex(workspace: Workspace, number: int) -> bytes:
    """As Codex sends it: its transcript is on the disk before it calls a hook."""
    transcript = workspace.root / "rollout.jsonl"
    transcript.write_text("{}\n" * number)
    fields = {"turn_id": "t1", "model": "m", "last_assistant_message": "I work."}
    return workspace.payload("Stop", **fields | {"transcript_path": str(transcript)})


def copilot(workspace: Workspace, number: int) -> bytes:
    """As Copilot CLI sends it: no turn, no message, and one moment for all."""
    return workspace.payload("Stop", timestamp=f"2026-11-18T22:58:{number:02d}.133Z", stop_reason="end_turn")


@pytest.mark.slow
@pytest.mark.parametrize("of_client", [codex, copilot])
@pytest.mark.parametrize("call", [at_once, after_each_other])
def test_two_copies_of_one_line_count_once_however_late_one_is(
    workspace: Workspace, env: dict[str, str], of_client: object, call: object
) -> None:
    assert callable(of_client)
    assert callable(call)
    env |= {"RCS_STOP_MAX_BLOCKS": "3"}
    run_hook(workspace.payload("UserPromptSubmit", turn_id="t1", prompt="$forge go"), cwd=workspace.root, env=env)
    said = [sorted(call((SETUP, SETUP), of_client(workspace, number), workspace.root, env)) for number in range(1, 6)]
    assert said == [["", "held"]] * 3 + [["", "let go"], ["", ""]]


@pytest.mark.slow
@pytest.mark.parametrize("of_client", [codex, copilot])
def test_the_next_stop_counts_though_another_program_is_the_first_to_tell_of_it(
    workspace: Workspace, env: dict[str, str], of_client: object
) -> None:
    assert callable(of_client)
    run_hook(workspace.payload("UserPromptSubmit", turn_id="t1", prompt="$forge go"), cwd=workspace.root, env=env)
    programs: tuple[Sequence[str], ...] = (SETUP, (sys.executable, str(HOOKS / "stop.py")))
    said = [
        after_each_other([program], of_client(workspace, number), workspace.root, env)
        for number, program in enumerate(programs)
    ]
    assert said == [["held"], ["held"]]


def test_a_transcript_that_is_not_there_tells_nothing(workspace: Workspace) -> None:
    workspace.prompt("$forge", turn_id="t1")
    said = {"turn_id": "t1", "model": "m", "transcript_path": str(workspace.root / "none.jsonl")}
    assert [workspace.stop(**said).blocks for _ in range(6)] == [True] * 5 + [False]
