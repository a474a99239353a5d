"""The counts of held Stops belong to one run: the next run of the mode, however it begins, starts at zero."""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from rcs_hooks.mcp import tools
from tests.hook.test_stop import Claude, blocks, blocks_in_progress
from tests.support import RCS_HOOK, Workspace, clean_env, run_hook, run_rcs
from tests.table import each_row

Act = Callable[[Workspace], object]
IN_A_ROW = 5
PER_PROMPT = 50


def prompt(text: str) -> Act:
    return lambda workspace: workspace.prompt(text)


def rcs(command: str) -> Act:
    def run(workspace: Workspace) -> None:
        done = run_rcs("state", *command.split(), "--mode", "forge", "--session", "s1", cwd=workspace.root)
        assert done.returncode == 0, done.stderr

    return run


def mcp(name: str, **arguments: object) -> Act:
    def call(workspace: Workspace) -> None:
        mine = {"mode": "forge", "session_id": "s1", "cwd": str(workspace.root)}
        text, is_error = tools.call(name, mine | arguments, workspace.env, str(workspace.root))
        assert not is_error, text

    return call


WAYS: list[tuple[str, Sequence[Act]]] = [
    ("cancelled, then resumed by a prompt", [prompt("$cancel"), prompt("$forge fix the build")]),
    ("cancelled, then fresh by a command", [prompt("$cancel"), rcs("write --fresh")]),
    ("cancelled, then fresh over MCP", [prompt("$cancel"), mcp("state_write", fresh=True)]),
    ("finished, then fresh by a prompt", [rcs("write --outcome finished"), prompt("$forge fix the build")]),
    ("blocked, then resumed by a command", [rcs("write --outcome blocked"), rcs("write --active")]),
    ("failed, then resumed over MCP", [rcs("write --outcome failed"), mcp("state_write", active=True)]),
    ("cleared by a command, then by a prompt", [rcs("clear"), prompt("$forge fix the build")]),
    ("cleared and begun over MCP", [mcp("state_clear"), mcp("state_write", active=True)]),
    ("begun anew by a command", [rcs("write --fresh")]),
    ("begun anew over MCP", [mcp("state_write", fresh=True)]),
]


@pytest.mark.parametrize("kind", [Workspace, Claude], ids=["codex", "claude"])
@each_row(("_", "acts"), WAYS)
def test_a_new_run_of_a_mode_that_was_let_go_starts_at_zero(
    _: str, acts: Sequence[Act], kind: type[Workspace], tmp_path: Path
) -> None:
    env = {} if kind is Workspace else {"CLAUDE_CODE_STOP_HOOK_BLOCK_CAP": "0"}
    workspace = kind(tmp_path, env=env, now=time.time())
    workspace.prompt("$forge fix the build")
    assert blocks(workspace, 9) == IN_A_ROW
    for act in acts:
        act(workspace)
    assert blocks(workspace, 9) == IN_A_ROW


def test_a_new_run_after_three_held_stops_starts_at_zero(workspace: Workspace) -> None:
    workspace.now = time.time()
    workspace.prompt("$forge fix the build")
    assert blocks(workspace, 3) == 3
    rcs("write --fresh")(workspace)
    assert blocks(workspace, 9) == IN_A_ROW


def test_a_prompt_in_the_same_run_still_does_not_end_that_it_is_stalled(workspace: Workspace) -> None:
    workspace.prompt("$forge fix the build")
    assert blocks(workspace, 9) == IN_A_ROW
    workspace.prompt("$forge go on")
    assert blocks(workspace, 9) == 1


def test_runs_that_an_agent_begins_anew_share_the_total_of_the_prompt(workspace: Workspace) -> None:
    """Otherwise an agent that begins anew at each Stop would never be let go."""
    workspace.now = time.time()
    workspace.prompt("$forge fix the build")
    held = 0
    for _ in range(PER_PROMPT // IN_A_ROW + 3):
        held += blocks(workspace, IN_A_ROW)
        rcs("write --fresh")(workspace)
    assert held == PER_PROMPT
    workspace.prompt("$forge fix the build")
    assert blocks_in_progress(workspace, PER_PROMPT + 2) == PER_PROMPT


def test_a_new_run_of_the_workspace_is_held_once_as_its_first_was(workspace: Workspace) -> None:
    def begin() -> None:
        command = ("state", "write", "--root-scope", "--mode", "forge", "--fresh")
        assert run_rcs(*command, cwd=workspace.root).returncode == 0

    workspace.now = time.time()
    begin()
    assert blocks(workspace, 3) == 1
    begin()
    assert blocks(workspace, 3) == 1


def test_by_whole_programs_a_new_run_is_held_as_often_as_the_first(tmp_path: Path) -> None:
    def hook(event: str, turn: int, **fields: object) -> dict[str, object]:
        call = {"hook_event_name": event, "session_id": "s1", "cwd": str(tmp_path), "turn_id": f"turn-{turn}"}
        answer: dict[str, object] = json.loads(run_hook(json.dumps(call | fields).encode(), cwd=tmp_path)[0])
        return answer

    def held(turn: int) -> int:
        said = [hook("Stop", turn, last_assistant_message=f"Step {number}.") for number in range(7)]
        return sum("decision" in each for each in said)

    hook("UserPromptSubmit", 1, prompt="$forge fix the build")
    assert held(1) == IN_A_ROW
    hook("UserPromptSubmit", 2, prompt="$cancel")
    hook("UserPromptSubmit", 3, prompt="$forge fix the build")
    assert held(3) == IN_A_ROW
    begin = [str(RCS_HOOK.with_name("rcs")), "state", "write", "--mode", "forge", "--session", "s1", "--fresh"]
    subprocess.run(begin, cwd=tmp_path, env=clean_env(), check=True, capture_output=True)
    assert held(3) == IN_A_ROW
