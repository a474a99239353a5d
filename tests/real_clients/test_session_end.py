"""A session that its client has left: its runs are closed, nothing of them is ended, and taking it up opens it."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

import pytest

from tests.real_clients.configure import RCS, SAMPLED_WAYS, rcs
from tests.real_clients.listening import set_up
from tests.real_clients.model_server import run
from tests.real_clients.test_turns import WORKING, ended_well

if TYPE_CHECKING:
    from tests.real_clients.configure import Transport
    from tests.real_clients.driver import Person
    from tests.support import Workspace

pytestmark = pytest.mark.slow

LIST = run(
    rf"{shlex.quote(str(RCS))} state list-active --session \1 | cut -d , -f 1 | sed 's/^/active: /; s/$/./'",
    r"--session ([0-9a-f-]{36})",
)
"""The agent shows what is active, without the title of the run."""


@SAMPLED_WAYS
def test_a_session_is_closed_when_its_client_ends_and_open_when_it_is_taken_up(
    person: Person, workspace: Workspace, transport: Transport
) -> None:
    calls = set_up(person, transport, "SessionEnd")
    first = person.types("$forge ship this fix", LIST, WORKING, shown=True)
    session = first.session
    assert ended_well(first)
    assert [call["session_id"] for call in calls.of("SessionEnd")] == [session]
    assert first.requests[1].count("active: forge.") >= 1
    assert listed(person) == f'session {session}: forge (closed), "ship this fix"'
    assert workspace.active(session) == ["forge"]

    second = person.types("go on", LIST, WORKING, resume=session, shown=True)
    assert ended_well(second)
    assert second.session == session
    assert second.requests[-1].count("active: forge.") >= 2
    assert second.requests[-1].count("active: forge (closed)") == 0
    assert len(calls.of("SessionEnd")) == 2
    assert listed(person) == f'session {session}: forge (closed), "ship this fix"'


def listed(person: Person) -> str:
    return rcs(person.workspace, person.home, "state", "list-active").stdout.strip()
