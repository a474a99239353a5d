"""What proves a run, in the hands of a real client's agent: what it may run, who trusts, what the person is told."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

import pytest

from tests.real_clients.configure import RCS, configure, rcs
from tests.real_clients.model_server import run
from tests.real_clients.test_turns import DONE, counts, ended_well

if TYPE_CHECKING:
    from tests.real_clients.driver import Person
    from tests.support import Workspace

pytestmark = pytest.mark.slow

WORDS = shlex.quote(str(RCS))
ASKS = "This command requires approval"


# --- who may run what, and who may trust


def test_an_agent_cannot_trust_what_the_project_says_and_the_person_can(person: Person, workspace: Workspace) -> None:
    configure(person.client, person.workspace, "command")
    (person.workspace / "rcs.toml").write_text('[proof]\ncommand = "true"\n')
    outcome = person.types("Trust it.", run(f"{WORDS} config trust"), DONE)
    assert ended_well(outcome)
    assert counts(outcome, "this is an agent's shell, and trust is for a person to give") == [0, 1]
    assert '"source":"default"' in rcs(person.workspace, person.home, "config", "--json").stdout
    assert rcs(person.workspace, person.home, "config", "trust").returncode == 0
    assert '"source":"rcs.toml"' in rcs(person.workspace, person.home, "config", "--json").stdout


@pytest.mark.parametrize("client", ["claude"])
def test_no_rule_of_setup_lets_an_agent_run_another_command_by_rcs(person: Person) -> None:
    configure("claude", person.home, "command", scope="user")
    person.asks = True
    carriers = ("prove --", "prove --finish --", "task test login --", "task repl", "task accept login")
    script = [
        run(f"{WORDS} task new login"),
        run(f"{WORDS} task status login"),
        *(run(f"{WORDS} {words} touch ran") for words in carriers),
    ]
    outcome = person.types("Try all of it.", *script, DONE)
    assert ended_well(outcome)
    assert counts(outcome, ASKS) == [0, 0, 0, 1, 2, 3, 4, 5]
    assert not (person.workspace / "ran").exists()
