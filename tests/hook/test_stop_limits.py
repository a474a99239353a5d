"""No endless loop: how often Stop is held, and what is said when a run is let go."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from rcs_hooks.mcp import tools
from tests.hook.test_stop import GO_ON_OR_CANCEL, Claude, blocks, blocks_in_progress
from tests.support import Record, Workspace, run_rcs
from tests.table import each_row

# --- no endless loop


GARBAGE = ["", "many", "-1", "2.5", "0x2", "٣", "5 6", "1000000000"]


@each_row(
    ("setting", "allowed"),
    [(None, 5), ("0", 0), ("1", 1), ("2", 2), ("7", 7), (" 3 ", 3), ("007", 7), *((text, 5) for text in GARBAGE)],
    ids=repr,
)
def test_an_unchanged_run_is_continued_so_often_in_a_row(
    setting: str | None, allowed: int, workspace: Workspace
) -> None:
    workspace.env |= {} if setting is None else {"RCS_STOP_MAX_BLOCKS": setting}
    workspace.prompt("$forge fix")
    assert [workspace.stop().blocks for _ in range(allowed + 4)] == [True] * allowed + [False] * 4


@each_row("setting", ["60", "999999999"])
def test_however_high_the_limit_it_is_50_for_one_prompt(setting: str, workspace: Workspace) -> None:
    workspace.env["RCS_STOP_MAX_BLOCKS"] = setting
    workspace.prompt("$forge fix")
    assert blocks(workspace, 55) == 50


@each_row(
    ("cap", "allowed"),
    [(None, 7), ("", 7), ("8", 7), ("3", 2), ("2", 1), ("1", 0), ("0", 50), ("20", 19), ("51", 50), ("200", 50)],
    ids=repr,
)
def test_in_claude_code_it_is_one_less_than_the_clients_own_cap(cap: str | None, allowed: int, tmp_path: Path) -> None:
    claude = Claude(tmp_path, env={} if cap is None else {"CLAUDE_CODE_STOP_HOOK_BLOCK_CAP": cap})
    claude.prompt("$forge fix")
    assert blocks_in_progress(claude, allowed) == allowed
    for _ in range(3):
        claude.edit("forge", iteration=claude.read("forge")["iteration"] + 1)
        answer = claude.stop()
        assert not answer.blocks
        assert answer.notice.endswith(GO_ON_OR_CANCEL)


def test_in_claude_code_the_lower_bound_holds(tmp_path: Path) -> None:
    claude = Claude(tmp_path, env={"RCS_STOP_MAX_BLOCKS": "3"})
    claude.prompt("$forge fix")
    assert blocks(claude, 12) == 3


def test_once_let_go_a_prompt_that_changes_nothing_is_held_once(workspace: Workspace) -> None:
    workspace.prompt("$forge fix")
    assert blocks(workspace, 9) == 5
    for text in ("Go on.", "$forge go on", "Go on."):
        workspace.prompt(text)
        assert blocks(workspace, 9) == 1
    workspace.edit("forge", current_phase="verifying")
    assert blocks(workspace, 9) == 5


def test_the_next_prompt_has_a_total_of_its_own(forge: Workspace) -> None:
    assert blocks_in_progress(forge, 52) == 50
    forge.prompt("Go on.")
    assert blocks_in_progress(forge, 52) == 50


def test_other_words_in_the_same_turn_are_another_prompt(forge: Workspace) -> None:
    """Codex hands what a person types while the agent works to the turn that runs."""
    forge.prompt("Go on.", turn_id="turn-x")
    assert sum(forge.stop(turn_id="turn-x").blocks for _ in range(4)) == 4
    forge.prompt("And mind the docs.", turn_id="turn-x")
    assert sum(forge.stop(turn_id="turn-x").blocks for _ in range(7)) == 5


CHANGES: list[Record] = [
    {"current_phase": "verifying"},
    {"iteration": 4},
    {"state": {"done": ["the first test"]}},
    {"run_outcome": "progress"},
]


@each_row("change", CHANGES, ids=str)
def test_once_let_go_it_goes_on_when_something_has_changed(change: Record, workspace: Workspace) -> None:
    workspace.prompt("$forge fix the build")
    assert blocks(workspace, 9) == 5
    workspace.edit("forge", **change)
    assert blocks(workspace, 9) == 5


def test_once_let_go_it_goes_on_when_a_member_has_come_or_gone(forge: Workspace) -> None:
    assert blocks(forge, 9) == 5
    forge.write("team")
    assert blocks(forge, 9) == 5
    forge.edit("team", active=False)
    assert blocks(forge, 9) == 5


NO_CHANGES: list[Any] = [
    pytest.param(lambda at: {"updated_at": at}, id="updated_at"),
    pytest.param(lambda at: {"started_at": at}, id="started_at"),
    pytest.param(lambda at: {"turn_id": at, "thread_id": at}, id="ids-of-the-turn"),
    pytest.param(lambda at: {"state": {"updated_at": at, "step": 1}}, id="state-updated_at"),
    pytest.param(lambda at: {"state": {"steps": [{"checked_at": at}]}}, id="state-in-a-list"),
    pytest.param(lambda at: {"state": {"updatedAt": at}}, id="state-updatedAt"),
    pytest.param(lambda at: {"state": {"a": 1, "b": 2} if at.endswith(("0Z", "2Z")) else {"b": 2, "a": 1}}, id="order"),
]


@each_row("fields", NO_CHANGES)
def test_a_time_that_goes_on_is_no_change(fields: Callable[[str], Record], workspace: Workspace) -> None:
    blocked = []
    for second in range(7):
        workspace.write("forge", **fields(f"2023-11-14T22:13:2{second}Z"))
        blocked.append(workspace.stop().blocks)
    assert blocked == [True] * 5 + [False] * 2


@each_row("flag", [True, False])
@each_row("message", [None, "", "All done. FINISHED"])
def test_what_the_assistant_says_decides_nothing(flag: bool, message: str | None, workspace: Workspace) -> None:
    workspace.prompt("$forge fix the build")
    assert sum(workspace.stop(message=message, stop_hook_active=flag).blocks for _ in range(7)) == 5


@each_row(
    ("iteration", "most", "blocked"),
    [
        (9, 10, True),
        (10, 10, False),
        (None, 5, True),
        ("10", 10, True),
        (True, 1, True),
        (10**9 - 1, 50, False),
        (10**9, 50, True),
    ],
    ids=repr,
)
def test_a_run_at_its_last_iteration_may_stop(
    iteration: object, most: object, blocked: bool, workspace: Workspace
) -> None:
    workspace.prompt("$forge fix the build")
    workspace.edit("forge", iteration=iteration, max_iterations=most)
    answer = workspace.stop()
    assert answer.blocks is blocked
    assert (
        "last round" in answer.notice and answer.notice.endswith("started over, or `$cancel` to end it.")
    ) is not blocked


# --- what the person is told when a run is let go


def test_the_person_is_told_once_that_a_run_was_let_go(forge: Workspace) -> None:
    blocks(forge, 5)
    assert forge.stop().notice
    assert [forge.stop().line for _ in range(2)] == ["{}"] * 2
    forge.prompt("Go on.")
    assert [forge.stop().notice for _ in range(3)] == [""] * 3
    forge.edit("forge", current_phase="verifying")
    assert blocks(forge, 5) == 5
    assert "was continued 5 times and recorded no progress" in forge.stop().notice


@each_row("typed", ["$forge", "Continue, please."])
def test_a_run_at_its_last_iteration_is_counted_anew_where_the_person_says_to_go_on(
    typed: str, workspace: Workspace
) -> None:
    workspace.prompt("$forge fix the build")
    workspace.edit("forge", iteration=50)
    workspace.stop()
    workspace.prompt(typed)
    assert workspace.read("forge")["iteration"] == 0
    assert blocks(workspace, 7) == 5


def test_another_prompt_leaves_the_last_iteration_as_it_is(forge: Workspace) -> None:
    forge.edit("forge", iteration=50)
    forge.prompt("What is left to do?")
    assert forge.read("forge")["iteration"] == 50
    assert "last round" in forge.stop().notice


# --- the counts belong to one run

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
    ("finished, then fresh by a prompt", [rcs("write --outcome finished"), prompt("$forge fix the build")]),
    ("blocked, then resumed by a command", [rcs("write --outcome blocked"), rcs("write --active")]),
    ("cleared and begun over MCP", [mcp("state_clear"), mcp("state_write", active=True)]),
    ("begun anew over MCP", [mcp("state_write", fresh=True)]),
]


@each_row(("_", "acts"), WAYS)
def test_a_new_run_of_a_mode_that_was_let_go_starts_at_zero(_: str, acts: Sequence[Act], workspace: Workspace) -> None:
    workspace.now = time.time()
    workspace.prompt("$forge fix the build")
    assert blocks(workspace, 9) == IN_A_ROW
    for act in acts:
        act(workspace)
    assert blocks(workspace, 9) == IN_A_ROW


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
