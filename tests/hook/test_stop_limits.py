"""No endless loop: how often Stop is held, and what is said when a run is let go."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.hook.test_stop import GO_ON_OR_CANCEL, Claude, blocks, blocks_in_progress, commands
from tests.support import Record, Workspace
from tests.table import each_row

# --- no endless loop


GARBAGE = ["", "  ", "many", "-1", "2.5", "0x2", "1e1", "٣", "5 6", "1000000000"]


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


@pytest.mark.parametrize("setting", ["50", "60", "100", "999999999"])
def test_however_high_the_limit_it_is_50_for_one_prompt(setting: str, workspace: Workspace) -> None:
    workspace.env["RCS_STOP_MAX_BLOCKS"] = setting
    workspace.prompt("$forge fix")
    assert blocks(workspace, 55) == 50


def test_whatever_changes_it_is_50_for_one_prompt(forge: Workspace) -> None:
    assert blocks_in_progress(forge, 55) == 50


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


@pytest.mark.parametrize(("setting", "allowed"), [("0", 0), ("3", 3), ("20", 7)])
def test_in_claude_code_the_lower_bound_holds(setting: str, allowed: int, tmp_path: Path) -> None:
    claude = Claude(tmp_path, env={"RCS_STOP_MAX_BLOCKS": setting})
    claude.prompt("$forge fix")
    assert blocks(claude, 12) == allowed


def test_the_cap_of_claude_code_is_none_of_codex_business(forge: Workspace) -> None:
    forge.env["CLAUDE_CODE_STOP_HOOK_BLOCK_CAP"] = "3"
    assert blocks_in_progress(forge, 12) == 12


@pytest.mark.parametrize("kind", [Workspace, Claude], ids=["codex", "claude"])
def test_once_let_go_a_prompt_that_changes_nothing_is_held_once(kind: type[Workspace], tmp_path: Path) -> None:
    workspace = kind(tmp_path)
    workspace.prompt("$forge fix")
    assert blocks(workspace, 9) == 5
    for text in ("Go on.", "$forge go on", "Go on."):
        workspace.prompt(text)
        assert blocks(workspace, 9) == 1
    workspace.edit("forge", current_phase="verifying")
    assert blocks(workspace, 9) == 5


@pytest.mark.parametrize("kind", [Workspace, Claude], ids=["codex", "claude"])
def test_the_next_prompt_has_a_total_of_its_own(kind: type[Workspace], tmp_path: Path) -> None:
    workspace = kind(tmp_path)
    workspace.prompt("$forge fix")
    first = blocks_in_progress(workspace, 52)
    workspace.prompt("Go on.")
    assert blocks_in_progress(workspace, 52) == first


def test_the_same_prompt_sent_twice_does_not_start_the_count_over(forge: Workspace) -> None:
    forge.prompt("Go on.", turn_id="turn-x")
    assert sum(forge.stop(turn_id="turn-x").blocks for _ in range(7)) == 5
    forge.prompt("Go on.", turn_id="turn-x")
    assert not forge.stop(turn_id="turn-x").blocks


def test_other_words_in_the_same_turn_are_another_prompt(forge: Workspace) -> None:
    """Codex hands what a person types while the agent works to the turn that runs."""
    forge.prompt("Go on.", turn_id="turn-x")
    assert sum(forge.stop(turn_id="turn-x").blocks for _ in range(4)) == 4
    forge.prompt("And mind the docs.", turn_id="turn-x")
    assert sum(forge.stop(turn_id="turn-x").blocks for _ in range(7)) == 5


CHANGES = [
    pytest.param({"current_phase": "verifying"}, id="phase"),
    pytest.param({"iteration": 4}, id="iteration"),
    pytest.param({"state": {"done": ["the first test"]}}, id="state"),
    pytest.param({"run_outcome": "progress"}, id="outcome"),
]


@pytest.mark.parametrize("change", CHANGES)
def test_once_let_go_it_goes_on_when_something_has_changed(change: Record, forge: Workspace) -> None:
    assert blocks(forge, 9) == 5
    forge.edit("forge", **change)
    assert blocks(forge, 9) == 5


def test_a_note_that_only_begins_with_a_day_is_no_time(workspace: Workspace) -> None:
    workspace.write("forge", state={"note": "2023-11-14 the lexer is done"})
    assert blocks(workspace, 9) == 5
    workspace.write("forge", state={"note": "2023-11-14 the parser is done"})
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
    pytest.param(lambda at: {"state": {"timestamp": at}}, id="state-timestamp"),
    pytest.param(lambda at: {"state": {"ts": at}}, id="state-ts"),
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


@pytest.mark.parametrize("flag", [True, False])
@pytest.mark.parametrize("message", [None, "", "All done.", "FINISHED", "I am blocked."], ids=repr)
def test_what_the_assistant_says_decides_nothing(flag: bool, message: str | None, forge: Workspace) -> None:
    assert sum(forge.stop(message=message, stop_hook_active=flag).blocks for _ in range(7)) == 5


@each_row(
    ("iteration", "most", "blocked"),
    [
        (9, 10, True),
        (10, 10, False),
        (11, 10, False),
        (0, 0, True),
        (5, None, True),
        (None, 5, True),
        ("10", 10, True),
        (True, 1, True),
    ],
    ids=repr,
)
def test_a_run_at_its_last_iteration_may_stop(iteration: object, most: object, blocked: bool, forge: Workspace) -> None:
    forge.edit("forge", iteration=iteration, max_iterations=most)
    answer = forge.stop()
    assert answer.blocks is blocked
    assert (
        "last round" in answer.notice and answer.notice.endswith("started over, or `$cancel` to end it.")
    ) is not blocked


def test_a_member_with_iterations_left_keeps_the_set_going(workspace: Workspace) -> None:
    workspace.prompt("$team $forge ship it")
    workspace.edit("forge", iteration=50)
    assert "team" in commands(workspace.stop().reason, "write")


# --- what the person is told when a run is let go


def test_the_notice_says_that_nothing_changed_and_how_to_go_on(forge: Workspace) -> None:
    blocks(forge, 5)
    assert forge.stop().notice == (
        "rcs: forge (phase starting) was continued 5 times and recorded no progress, so the turn ends;"
        f" the work is kept. {GO_ON_OR_CANCEL}"
    )


def test_the_person_is_told_once_that_a_run_was_let_go(forge: Workspace) -> None:
    blocks(forge, 5)
    assert forge.stop().notice
    assert [forge.stop().line for _ in range(2)] == ["{}"] * 2
    forge.prompt("Go on.")
    assert [forge.stop().notice for _ in range(3)] == [""] * 3
    forge.edit("forge", current_phase="verifying")
    assert blocks(forge, 5) == 5
    assert "was continued 5 times and recorded no progress" in forge.stop().notice


def test_a_run_at_its_last_iteration_is_told_of_once(forge: Workspace) -> None:
    forge.edit("forge", iteration=50)
    assert "last round" in forge.stop().notice
    assert forge.stop().line == "{}"


@each_row("typed", ["$forge", "$forge go on", "go on", "Continue, please."])
def test_a_run_at_its_last_iteration_is_counted_anew_where_the_person_says_to_go_on(
    typed: str, forge: Workspace
) -> None:
    forge.edit("forge", iteration=50)
    forge.stop()
    forge.prompt(typed)
    assert forge.read("forge")["iteration"] == 0
    assert blocks(forge, 7) == 5


@each_row(("iteration", "is_held"), [(49, True), (50, False), (10**9 - 1, False), (10**9, True), (10**10 - 1, True)])
def test_a_number_too_large_to_be_a_count_is_no_last_iteration(
    iteration: int, is_held: bool, workspace: Workspace
) -> None:
    workspace.prompt("$forge fix the build")
    workspace.edit("forge", iteration=iteration)
    assert workspace.stop().blocks is is_held


def test_another_prompt_leaves_the_last_iteration_as_it_is(forge: Workspace) -> None:
    forge.edit("forge", iteration=50)
    forge.prompt("What is left to do?")
    assert forge.read("forge")["iteration"] == 50
    assert "last round" in forge.stop().notice


def test_the_notice_says_that_the_prompt_has_had_its_total(forge: Workspace) -> None:
    blocks_in_progress(forge, 50)
    notice = forge.stop().notice
    assert "50 times for one prompt" in notice
    assert notice.endswith(GO_ON_OR_CANCEL)


def test_the_notice_of_a_set_names_every_member(workspace: Workspace) -> None:
    workspace.env["RCS_STOP_MAX_BLOCKS"] = "0"
    workspace.prompt("$team $forge ship it")
    notice = workspace.stop().notice
    assert notice == (
        "rcs: team (phase starting) + forge (phase starting) has no outcome yet, but the settings"
        f" allow no continuation, so the turn ends; the work is kept. {GO_ON_OR_CANCEL}"
    )


def test_a_run_that_was_let_go_stays_active(forge: Workspace) -> None:
    before = forge.read("forge")
    blocks(forge, 7)
    assert forge.read("forge") == before
    assert forge.active() == ["forge"]
