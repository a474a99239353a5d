"""How often a Stop is held: counted in requests of the model, whatever is set up twice."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.real_clients.configure import SAMPLED_WAYS, configure
from tests.real_clients.driver import Typed
from tests.real_clients.listening import set_up
from tests.real_clients.test_turns import LET_GO, WORKING, ended_well

if TYPE_CHECKING:
    from tests.real_clients.configure import Transport
    from tests.real_clients.driver import Person
    from tests.support import Workspace

pytestmark = pytest.mark.slow

PROMPT = "$forge ship this fix"
HOLDS = 5


@SAMPLED_WAYS
def test_five_holds_then_released_with_words_and_stalled_held_once_a_prompt(
    person: Person, workspace: Workspace, transport: Transport
) -> None:
    calls = set_up(person, transport)
    outcome = person.talks(Typed(PROMPT), Typed("Please go on"), Typed("And now"), script=(WORKING,))
    assert ended_well(outcome)
    assert calls.turns("Stop") == [0] * (HOLDS + 1) + [1] * 2 + [2] * 2
    assert len(outcome.requests) == HOLDS + 1 + 2 + 2
    assert any(LET_GO in text for text in outcome.shown) == ("let go" in person.adapter.shows)
    assert workspace.active(outcome.session) == ["forge"]


def test_set_up_for_the_project_and_for_the_user_each_stop_counts_once(person: Person, workspace: Workspace) -> None:
    configure(person.client, person.workspace, "command")
    configure(person.client, person.home, "command", scope="user")
    outcome = person.types(PROMPT, WORKING)
    assert ended_well(outcome)
    assert len(outcome.requests) == HOLDS + 1
    assert workspace.active(outcome.session) == ["forge"]
