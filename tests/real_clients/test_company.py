"""A workspace in which the user has hooks of their own: both run, and theirs stay as they are."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.real_clients.configure import SAMPLED_ONCE, configure, hooks_file, persons_hooks_file
from tests.real_clients.test_turns import DETECTED, DONE, FINISH, REASON, WORKING, counts, ended_well

if TYPE_CHECKING:
    from pathlib import Path

    from tests.real_clients.adapters.adapter import Adapter
    from tests.real_clients.configure import Json, Transport
    from tests.real_clients.driver import Outcome, Person
    from tests.support import Workspace

pytestmark = pytest.mark.slow

OWN_CONTEXT = "Our house style is plain words."
SCRIPT = """#!/bin/sh
cat > /dev/null
grep -qx {event} '{calls}' && answer='{{}}' || answer='{answer}'
echo {event} >> '{calls}'
echo "$answer"
"""
"""Answers its first call alone: some clients call for prompts that nobody typed."""


def add_own_hooks(adapter: Adapter, file: Path, folder: Path) -> Path:
    """Into this settings file: hooks that note each of their calls; returns the file that they note them in."""
    folder.mkdir(exist_ok=True)
    calls = folder / "calls"
    calls.touch()
    for event, answer in (("UserPromptSubmit", adapter.with_context(OWN_CONTEXT)), ("Stop", {})):
        script = folder / f"{event}.sh"
        script.write_text(SCRIPT.format(event=event, calls=calls, answer=json.dumps(answer)))
        script.chmod(0o755)
        adapter.add_hook(file, adapter.event(event), f"'{script}'")
    return calls


def stops(calls: Path) -> int:
    """Count the Stops, each of which comes after a prompt."""
    noted = calls.read_text().split()
    assert noted[0] == "UserPromptSubmit"
    return noted.count("Stop")


def hears_both(person: Person, outcome: Outcome) -> bool:
    """The model knows our context and that of the other hook, or of one of them where the client gives it one alone."""
    heard = list(zip(counts(outcome, DETECTED), counts(outcome, OWN_CONTEXT), strict=True))
    return heard == [(1, 1)] * 3 if person.adapter.joins_contexts else heard in ([(1, 0)] * 3, [(0, 1)] * 3)


def entries(file: Path) -> dict[str, list[Json]]:
    hooks: dict[str, list[Json]] = json.loads(file.read_text())["hooks"]
    return hooks


@SAMPLED_ONCE
def test_both_run_in_one_project(person: Person, workspace: Workspace, transport: Transport, tmp_path: Path) -> None:
    file = hooks_file(person.client, person.workspace)
    calls = add_own_hooks(person.adapter, file, tmp_path / "own hooks")
    theirs = entries(file)
    configure(person.client, person.workspace, transport)
    outcome = person.types("$forge ship this fix", WORKING, FINISH, DONE)
    assert ended_well(outcome)
    assert hears_both(person, outcome)
    assert [count > 0 for count in counts(outcome, REASON)] == [False, True, True]
    assert stops(calls) == 2
    assert workspace.active(outcome.session) == []
    assert {event: entries(file)[event][:1] for event in theirs} == theirs


@pytest.mark.full
def test_those_of_the_user_run_beside_ours_of_the_project(person: Person, tmp_path: Path) -> None:
    calls = add_own_hooks(person.adapter, persons_hooks_file(person.client, person.home), tmp_path / "own")
    configure(person.client, person.workspace, "command")
    outcome = person.types("$forge ship this fix", WORKING, FINISH, DONE)
    assert ended_well(outcome)
    assert hears_both(person, outcome)
    assert stops(calls) == 2


def test_ours_in_the_project_and_for_the_user_at_once_speak_once(person: Person, workspace: Workspace) -> None:
    """Someone sets it up twice: the same prompt twice changes nothing the second time."""
    configure(person.client, person.workspace, "command")
    configure(person.client, person.home, "command", scope="user")
    outcome = person.types("$forge ship this fix", WORKING, FINISH, DONE)
    assert ended_well(outcome)
    assert counts(outcome, DETECTED) == [1, 1, 1]
    assert len(outcome.requests) == 3
    assert workspace.active(outcome.session) == []
