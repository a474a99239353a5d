"""The hooks switched off: the clients work as if they were not there."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.real_clients.configure import EVERY, SAMPLED_WAYS, configure, rcs
from tests.real_clients.test_turns import DETECTED, WORKING, counts, ended_well

if TYPE_CHECKING:
    from tests.real_clients.configure import Transport
    from tests.real_clients.driver import Person
    from tests.support import Workspace

pytestmark = pytest.mark.slow


def switch(person: Person, *words: str) -> None:
    done = rcs(person.workspace, person.home, *words)
    assert (done.returncode, done.stderr) == (0, "")


def is_ignored(person: Person, workspace: Workspace) -> bool:
    before = workspace.snapshot()
    outcome = person.types("$forge ship this fix", WORKING)
    assert ended_well(outcome)
    assert counts(outcome, "[rcs]") == [0]
    assert [name for name in workspace.snapshot() if name not in before] == []
    return True


@SAMPLED_WAYS
def test_switched_off_here_nothing_is_added_and_nothing_held(
    person: Person, workspace: Workspace, transport: Transport
) -> None:
    configure(person.client, person.workspace, transport)
    person.env["RCS_STOP_MAX_BLOCKS"] = "1"
    first = person.types("$forge ship this fix", WORKING)
    assert len(first.requests) > 1

    switch(person, "off")
    held = person.types("go on", WORKING, resume=first.session)
    assert ended_well(held)
    assert len(held.requests) == 1
    assert is_ignored(person, workspace)

    switch(person, "on")
    again = person.types("$team ship this fix", WORKING)
    assert counts(again, DETECTED) == [1] * len(again.requests)
    assert len(again.requests) > 1


@SAMPLED_WAYS
def test_switched_off_everywhere(person: Person, workspace: Workspace, transport: Transport) -> None:
    """Codex hands a server no variable, so there it takes a file."""
    configure(person.client, person.workspace, transport)
    switch(person, "off", "--everywhere")
    assert is_ignored(person, workspace)


@EVERY
def test_switched_off_by_a_variable(person: Person, workspace: Workspace) -> None:
    configure(person.client, person.workspace, "command")
    person.env["RCS_DISABLE"] = "1"
    assert is_ignored(person, workspace)
