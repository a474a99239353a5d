"""A workspace in which the user has hooks of their own: both run, and theirs stay as they are."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.real_clients.configure import SAMPLED_ONCE, add_hook, configure, hooks_file
from tests.real_clients.test_turns import DETECTED, DONE, FINISH, REASON, WORKING, counts, ended_well

if TYPE_CHECKING:
    from pathlib import Path

    from tests.real_clients.configure import Json, Transport
    from tests.real_clients.driver import Person
    from tests.support import Workspace

pytestmark = pytest.mark.slow

OWN_CONTEXT = "Our house style is plain words."
OWN_ANSWERS = {
    "UserPromptSubmit": {"hookSpecificOutput": {"hookEventName": "UserPromptSubmit", "additionalContext": OWN_CONTEXT}},
    "Stop": {},
}


def add_own_hooks(file: Path, folder: Path) -> Path:
    """Into this settings file: hooks that note each of their calls; returns the file that they note them in."""
    folder.mkdir(exist_ok=True)
    calls = folder / "calls"
    for event, answer in OWN_ANSWERS.items():
        script = folder / f"{event}.sh"
        script.write_text(f"#!/bin/sh\ncat > /dev/null\necho {event} >> '{calls}'\necho '{json.dumps(answer)}'\n")
        script.chmod(0o755)
        add_hook(file, event, {"type": "command", "command": f"'{script}'", "timeout": 60})
    return calls


def entries(file: Path) -> dict[str, list[Json]]:
    hooks: dict[str, list[Json]] = json.loads(file.read_text())["hooks"]
    return hooks


@SAMPLED_ONCE
def test_both_run_in_one_project(person: Person, workspace: Workspace, transport: Transport, tmp_path: Path) -> None:
    file = hooks_file(person.client, person.workspace)
    calls = add_own_hooks(file, tmp_path / "own hooks")
    theirs = entries(file)
    configure(person.client, person.workspace, transport)
    outcome = person.types("$forge ship this fix", WORKING, FINISH, DONE)
    assert ended_well(outcome)
    assert counts(outcome, DETECTED) == [1, 1, 1]
    assert counts(outcome, OWN_CONTEXT) == [1, 1, 1]
    assert [count > 0 for count in counts(outcome, REASON)] == [False, True, True]
    assert calls.read_text().split() == ["UserPromptSubmit", "Stop", "Stop"]
    assert workspace.active(outcome.session) == []
    assert {event: entries(file)[event][:1] for event in theirs} == theirs


@pytest.mark.full
def test_those_of_the_user_run_beside_ours_of_the_project(person: Person, tmp_path: Path) -> None:
    calls = add_own_hooks(hooks_file(person.client, person.home), tmp_path / "own")
    configure(person.client, person.workspace, "command")
    outcome = person.types("$forge ship this fix", WORKING, FINISH, DONE)
    assert ended_well(outcome)
    assert counts(outcome, DETECTED) == [1, 1, 1]
    assert counts(outcome, OWN_CONTEXT) == [1, 1, 1]
    assert calls.read_text().split() == ["UserPromptSubmit", "Stop", "Stop"]


def test_ours_in_the_project_and_for_the_user_at_once_speak_once(person: Person, workspace: Workspace) -> None:
    """Someone sets it up twice: the same prompt twice changes nothing the second time."""
    configure(person.client, person.workspace, "command")
    configure(person.client, person.home, "command", scope="user")
    outcome = person.types("$forge ship this fix", WORKING, FINISH, DONE)
    assert ended_well(outcome)
    assert counts(outcome, DETECTED) == [1, 1, 1]
    assert len(outcome.requests) == 3
    assert workspace.active(outcome.session) == []
