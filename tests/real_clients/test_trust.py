"""Codex runs a hook only where the project is trusted and the hook was approved, as it stands."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.real_clients.configure import TRANSPORTS, configure, hooks_file, write_settings
from tests.real_clients.test_turns import DETECTED, DONE, FINISH, REASON, WORKING, counts, ended_well

if TYPE_CHECKING:
    from tests.real_clients.configure import Transport
    from tests.real_clients.driver import Person

pytestmark = [
    pytest.mark.parametrize("client", ["codex"]),
    pytest.mark.parametrize("transport", TRANSPORTS),
]


@pytest.fixture
def careful(person: Person) -> Person:
    """Lets no hook run that was not approved."""
    person.bypass = False
    return person


def statuses(person: Person) -> set[str]:
    outcome = person.types("Hi", DONE, shown=True)
    assert ended_well(outcome)
    assert len(outcome.listed) == 4
    return {hook["trustStatus"] for hook in outcome.listed}


def test_hooks_run_where_their_hashes_stand_in_the_config(careful: Person, transport: Transport) -> None:
    configure("codex", careful.workspace, transport)
    careful.trusts(careful.workspace, approved=careful.workspace)
    outcome = careful.types("$forge ship this fix", WORKING, FINISH, DONE)
    assert ended_well(outcome)
    assert counts(outcome, DETECTED) == [1, 1, 1]
    assert counts(outcome, REASON) == [0, 1, 1]
    assert statuses(careful) == {"trusted"}


def test_hooks_that_nobody_approved_do_not_run(careful: Person, transport: Transport) -> None:
    configure("codex", careful.workspace, transport)
    outcome = careful.types("$forge ship this fix", WORKING)
    assert counts(outcome, "[rcs]") == [0]
    assert statuses(careful) == {"untrusted"}


def test_hooks_that_changed_since_do_not_run(careful: Person, transport: Transport) -> None:
    configure("codex", careful.workspace, transport)
    careful.trusts(careful.workspace, approved=careful.workspace)
    file = hooks_file("codex", careful.workspace)
    write_settings(
        file,
        json.loads(file.read_text().replace('"timeout": 10', '"timeout": 11').replace('"timeout": 3', '"timeout": 2')),
    )
    outcome = careful.types("$forge ship this fix", WORKING)
    assert counts(outcome, "[rcs]") == [0]
    assert statuses(careful) == {"modified"}


def test_hooks_of_a_project_that_is_not_trusted_do_not_run(careful: Person, transport: Transport) -> None:
    configure("codex", careful.workspace, transport)
    careful.trusts(approved=careful.workspace)
    outcome = careful.types("$forge ship this fix", WORKING)
    assert counts(outcome, "[rcs]") == [0]
