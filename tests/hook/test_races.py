"""Many hooks at once: no update is lost, and one prompt counts once."""

from __future__ import annotations

import random
import subprocess
from typing import TYPE_CHECKING, Any

import pytest

from rcs_hooks.catalog import MODES
from rcs_hooks.workflow.lifecycle import is_active
from rcs_hooks.workflow.mode_record import ModeRecord
from tests.support import RCS_HOOK, Answer, Workspace, clean_env

if TYPE_CHECKING:
    pass

Call = tuple[str, str, dict[str, Any]]
"""Event, session, and the rest of the payload."""

PROMPT, STOP = "UserPromptSubmit", "Stop"


def started(workspace: Workspace, call: Call | None = None) -> subprocess.Popen[bytes]:
    """A hook process that waits for the end of its stdin, which may have been written already."""
    env = clean_env(RCS_STOP_MAX_BLOCKS="100000")
    child = subprocess.Popen(
        [str(RCS_HOOK)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=workspace.root,
        env=env,
        start_new_session=True,
    )
    if call is not None:
        assert child.stdin is not None
        event, session, fields = call
        child.stdin.write(workspace.payload(event, session, **fields))
        child.stdin.flush()
    return child


def finished(child: subprocess.Popen[bytes], event: str, raw: bytes | None = None) -> Answer:
    said, errors = child.communicate(raw, timeout=60)
    assert (child.returncode, errors) == (0, b"")
    return Answer(event, said.decode().removesuffix("\n"))


def at_once(workspace: Workspace, calls: list[Call]) -> list[Answer]:
    """All calls in processes of their own, which wait for each other before they begin."""
    children = [started(workspace, call) for call in calls]
    for child in children:
        assert child.stdin is not None
        child.stdin.close()
        child.stdin = None
    return [finished(child, call[0]) for child, call in zip(children, calls, strict=True)]


def alone(workspace: Workspace, event: str, session: str = "s1", **fields: Any) -> Answer:
    return finished(started(workspace), event, workspace.payload(event, session, **fields))


def prompt(text: str, turn: str, session: str = "s1") -> Call:
    return PROMPT, session, {"prompt": text, "turn_id": turn}


def stop(turn: str, session: str = "s1", message: str = "Working.") -> Call:
    return STOP, session, {"turn_id": turn, "last_assistant_message": message}


def active_on_disk(workspace: Workspace, session: str = "s1") -> set[str]:
    """The modes whose own files say that they are active."""
    there = [mode for mode in MODES if workspace.mode_path(mode, session).exists()]
    return {mode for mode in there if is_active(ModeRecord.from_json(workspace.read(mode, session)))}


def assert_agrees(workspace: Workspace, session: str = "s1") -> None:
    """The inventory is what the mode files say."""
    assert sorted(workspace.active(session)) == sorted(active_on_disk(workspace, session))


def assert_nothing_failed(answers: list[Answer]) -> None:
    """The person is told of starts, of what is resumed after a `$cancel`, and which folder is the workspace."""
    said = (line for answer in answers for line in answer.notice.splitlines())
    notices = {line for line in said if " so it is the workspace itself; " not in line}
    told = ("started", "resumed after it was stopped by the user")
    assert notices <= {f"rcs: {mode} {what}" for mode in MODES for what in told}


def leftovers(workspace: Workspace) -> list[str]:
    return [path for path in workspace.snapshot() if path.endswith((".new", ".commit.json"))]


# --- at once


@pytest.mark.slow
def test_thirty_hooks_at_once_in_one_session_lose_no_update(workspace: Workspace) -> None:
    names = ["$team", "$forge", "$ultrawork"]
    prompts = [prompt(names[number % 3], f"t{number}") for number in range(15)]
    twice = [prompt(name, f"twice-{name}") for name in names for _ in range(3)]
    calls = [*prompts, *twice, *(stop(f"t{number}") for number in range(6))]
    random.Random(30).shuffle(calls)
    answers = at_once(workspace, calls)
    assert len(calls) == 30
    assert_nothing_failed(answers)
    assert active_on_disk(workspace) == {"team", "forge", "ultrawork"}
    assert_agrees(workspace)
    assert leftovers(workspace) == []


def test_the_same_prompt_ten_times_at_once_starts_once(workspace: Workspace) -> None:
    answers = at_once(workspace, [prompt("$team $forge", "t1")] * 10)
    assert sorted(len(answer.context) > 0 for answer in answers) == [False] * 9 + [True]
    once = Workspace(workspace.root.parent / "once")
    once.root.mkdir()
    alone(once, PROMPT, prompt="$team $forge", turn_id="t1")
    assert set(workspace.snapshot()) == set(once.snapshot())
    assert_agrees(workspace)


@pytest.mark.slow
def test_of_two_prompts_that_exclude_each_other_one_is_denied(workspace: Workspace) -> None:
    for number in range(5):
        session = f"s{number}"
        answers = at_once(workspace, [prompt("$team", "t1", session), prompt("$autopilot", "t2", session)])
        assert [answer.context.startswith("Cannot activate") for answer in answers].count(True) == 1
        assert len(active_on_disk(workspace, session)) == 1
        assert_agrees(workspace, session)
