"""Several prompts of one turn: each counts, and one that meets a busy lock is noted all the same."""

from __future__ import annotations

import fcntl
import threading
from typing import TYPE_CHECKING

import pytest

from rcs_hooks.files.lock import HOOK_SECONDS
from rcs_hooks.hook import prompt_submit
from rcs_hooks.state.question_service import ask
from tests.hook.test_answers import record_of
from tests.state.test_operations import at
from tests.support import clock, least, run_rcs
from tests.table import each_row

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.support import Answer, Record, Workspace

PATIENCE = 60.0
HELD, PASSED = True, False


@pytest.mark.parametrize("field", ["prompt_id", "turn_id"])
def test_a_second_cancel_of_a_turn_cancels_too(field: str, workspace: Workspace) -> None:
    turns: list[tuple[str, str]] = [("a", "$forge x"), ("b", "$cancel"), ("b", "$forge go"), ("b", "$cancel")]
    said = [workspace.call("UserPromptSubmit", prompt=text, **{field: turn}) for turn, text in turns]
    assert "forge cancelled" in said[-1].notice
    assert workspace.active() == []


FIRST: Record = {"prompt": "$forge go", "turn_id": "t1", "timestamp": "2026-11-18T22:58:18.133Z"}
SECOND: dict[str, tuple[Record, Record, bool]] = {
    "the same turn": ({}, {}, False),
    "the same turn, as Claude Code names it": ({"turn_id": None, "prompt_id": "p1"}, {}, False),
    "the same turn at another moment": ({}, {"timestamp": "2026-11-18T22:58:18.134Z"}, False),
    "another turn": ({}, {"turn_id": "t2"}, True),
    "another text of the turn": ({}, {"prompt": "$ultrawork"}, True),
    "no turn, the same moment": ({"turn_id": None}, {}, False),
    "no turn, another moment": ({"turn_id": None}, {"timestamp": "2026-11-18T22:58:18.134Z"}, True),
    "neither turn nor moment": ({"turn_id": None, "timestamp": None}, {}, True),
}
"""What the first call says in place of FIRST, the second in place of that, and whether it is another prompt."""


@each_row(("first", "second", "is_another"), SECOND.values(), ids=SECOND)
def test_a_prompt_that_a_second_program_is_told_of_counts_once(
    first: Record, second: Record, is_another: bool, workspace: Workspace
) -> None:
    call = FIRST | first
    assert workspace.call("UserPromptSubmit", **call).context
    workspace.stop(turn_id=call["turn_id"])
    before = workspace.snapshot()
    assert bool(workspace.call("UserPromptSubmit", **call | second).context) is is_another
    assert (workspace.snapshot() == before) is not is_another


def test_a_program_that_is_late_by_a_whole_turn_says_nothing(workspace: Workspace) -> None:
    """Turns do not come back; and what has ended since is not taken up by a late one."""
    for turn, text in (("a", "$forge x"), ("a", "$cancel"), ("b", "$forge go")):
        workspace.call("UserPromptSubmit", prompt=text, prompt_id=turn)
    workspace.edit("forge", active=False, lifecycle_outcome="finished")
    before = workspace.snapshot()
    for turn, text in (("a", "$cancel"), ("b", "$forge go")):
        assert workspace.call("UserPromptSubmit", prompt=text, prompt_id=turn).line == "{}"
    assert workspace.snapshot() == before


def test_a_denied_prompt_goes_through_in_its_turn_once_nothing_stands_in_its_way(workspace: Workspace) -> None:
    def said(text: str) -> Answer:
        return workspace.call("UserPromptSubmit", prompt=text, turn_id="t1")

    said("$team go")
    assert "Cannot activate" in said("$autopilot go").context
    assert said("$autopilot go").line == "{}", "a copy of the denied one"
    workspace.edit("team", current_phase="verifying")
    assert said("$autopilot go").line == "{}", "a late copy"
    run_rcs("state", "clear", "--mode", "team", "--session", "s1", cwd=workspace.root)
    assert "initialized: " in said("$autopilot go").context
    assert workspace.active() == ["autopilot"]
    assert said("$autopilot go").line == "{}"


def while_locked(
    workspace: Workspace,
    text: str,
    turn: str,
    *,
    until_it_waits: bool = True,
    meanwhile: Callable[[], object] = lambda: None,
) -> Answer:
    """What a prompt is told that meets a lock which is given back once the hook waits, or only after its answer."""
    said: list[Answer] = []

    def prompt() -> None:
        said.append(workspace.call("UserPromptSubmit", prompt=text, prompt_id=turn))

    with open(workspace.state / ".lock", "a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        hook = threading.Thread(target=prompt)
        hook.start()
        hook.join(0.1)
        meanwhile()
        if until_it_waits:
            fcntl.flock(lock, fcntl.LOCK_UN)
        hook.join(PATIENCE)
    return said[0]


def test_a_prompt_is_decided_on_what_is_there_once_it_has_the_lock(workspace: Workspace) -> None:
    workspace.prompt("$brief ask me")
    answer = while_locked(workspace, "$blueprint plan it", "b", meanwhile=workspace.mode_path("deep-interview").unlink)
    assert "active: blueprint" in answer.context
    assert "deep-interview" not in answer.context


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """A hook waits for as long as it takes."""
    monkeypatch.setattr(prompt_submit, "NOTE_SECONDS", PATIENCE)


@pytest.mark.usefixtures("patient")
def test_words_typed_early_are_no_answer_where_the_lock_was_busy(workspace: Workspace) -> None:
    workspace.call("UserPromptSubmit", prompt="$forge x", prompt_id="a")
    while_locked(workspace, "hello", "b")
    asked = ask(at(workspace), "forge", "Which database?")
    early = workspace.call("UserPromptSubmit", prompt="also update the docs", prompt_id="b")
    assert "typed before the question could be seen" in early.context
    assert record_of(workspace, asked)["status"] == "pending"


def stops(workspace: Workspace, turn: str, count: int) -> list[bool]:
    return [workspace.stop(turn_id=None, prompt_id=turn).blocks for _ in range(count)]


def test_a_prompt_that_cannot_be_noted_goes_through_in_silence_and_the_counts_go_on(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert prompt_submit.NOTE_SECONDS < HOOK_SECONDS
    monkeypatch.setattr(prompt_submit, "NOTE_SECONDS", 0.05)
    workspace.call("UserPromptSubmit", prompt="$forge x", prompt_id="a")
    assert stops(workspace, "a", 4) == [HELD] * 4

    def prompt() -> None:
        assert while_locked(workspace, "next file", "b", until_it_waits=False).line == "{}"

    taken = least(lambda: clock(prompt), HOOK_SECONDS)
    assert taken <= HOOK_SECONDS, "as long as a prompt that changes state"
    assert stops(workspace, "b", 2) == [HELD, PASSED]
