"""What the agent's own commands may do: a command that was pasted but may not run does not hold the turn for ever."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.clients.configure import configure, hooks_file, write_settings
from tests.clients.driver import SANDBOXED
from tests.clients.test_turns import DONE, FINISH, LET_GO, WORKING, counts, ended_well

if TYPE_CHECKING:
    from tests.clients.driver import Outcome, Person
    from tests.support import Workspace

pytestmark = pytest.mark.slow

PROMPT = "$forge ship this fix"


def is_let_go(outcome: Outcome, workspace: Workspace) -> bool:
    """The first Stop is blocked, the command fails, and four more blocks change nothing."""
    assert ended_well(outcome)
    assert len(outcome.requests) == 1 + 5 + 1
    assert workspace.active(outcome.session) == ["forge"]
    return True


@pytest.mark.parametrize("client", ["claude"])
def test_claude_code_without_a_rule_for_rcs_cannot_record(person: Person, workspace: Workspace) -> None:
    configure("claude", person.workspace, "command")
    settings = json.loads(hooks_file("claude", person.workspace).read_text())
    write_settings(hooks_file("claude", person.workspace), {"hooks": settings["hooks"]})
    person.asks = True
    outcome = person.types(PROMPT, WORKING, FINISH, DONE)
    assert counts(outcome, "This command requires approval") == [0, 0, 1, 1, 1, 1, 1]
    assert is_let_go(outcome, workspace)
    assert LET_GO in outcome.shown[-1]


@pytest.mark.parametrize("client", ["claude"])
def test_the_rules_that_setup_gives_the_user_are_enough(person: Person, workspace: Workspace) -> None:
    configure("claude", person.home, "command", scope="user")
    person.asks = True
    outcome = person.types(PROMPT, WORKING, FINISH, DONE)
    assert ended_well(outcome)
    assert len(outcome.requests) == 3
    assert workspace.active(outcome.session) == []


@pytest.mark.parametrize("client", ["claude"])
def test_a_rule_of_the_project_counts_only_where_the_user_trusts_it(person: Person, workspace: Workspace) -> None:
    configure("claude", person.workspace, "command")
    person.asks = True
    assert is_let_go(person.types(PROMPT, WORKING, FINISH, DONE), workspace)
    trusted = {"projects": {str(person.workspace): {"hasTrustDialogAccepted": True}}}
    write_settings(person.home / ".claude/.claude.json", trusted)
    assert len(person.types(PROMPT, WORKING, FINISH, DONE).requests) == 3


@pytest.mark.parametrize("client", ["codex"])
def test_codex_with_a_sandbox_that_only_reads_cannot_record(person: Person, workspace: Workspace) -> None:
    if person.sandbox != SANDBOXED:
        pytest.skip("Codex has no sandbox on this machine")
    configure("codex", person.workspace, "command")
    person.sandbox = "read-only"
    outcome = person.types(PROMPT, WORKING, FINISH, DONE)
    assert counts(outcome, "read-only file system") == [0, 0, 1, 1, 1, 1, 1]
    assert is_let_go(outcome, workspace)
