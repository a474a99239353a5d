"""What the agent's own commands may do: a command that was pasted but may not run does not hold the turn for ever."""

from __future__ import annotations

import json
import re
import shlex
from typing import TYPE_CHECKING

import pytest

from tests.real_clients.configure import AT_A_TERMINAL, configure, hooks_file, rcs, write_settings
from tests.real_clients.driver import SANDBOXED
from tests.real_clients.model_server import Turn
from tests.real_clients.test_turns import DONE, FINISH, LET_GO, STEPS, WORKING, counts, ended_well

if TYPE_CHECKING:
    from tests.real_clients.driver import Outcome, Person
    from tests.support import Workspace

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
    outcome = person.types(PROMPT, WORKING, FINISH, *STEPS)
    assert counts(outcome, "This command requires approval") == [0, 0, 1, 1, 1, 1, 1]
    assert is_let_go(outcome, workspace)
    assert LET_GO in outcome.shown[-1]


@pytest.mark.parametrize("client", ["claude", *AT_A_TERMINAL])
def test_the_rules_that_setup_gives_the_user_are_enough(person: Person, workspace: Workspace) -> None:
    """Copilot CLI has no file for them: the person starts it with the options that setup names."""
    said = rcs(person.home, person.home, "setup", "--client", person.client, "--scope", "user").stdout
    person.options = tuple(shlex.split("".join(re.findall(r"`copilot (--allow-tool .*?)`", said))))
    assert bool(person.options) == (person.client == "copilot")
    person.asks = True
    outcome = person.types(PROMPT, WORKING, FINISH, DONE)
    assert ended_well(outcome)
    assert len(outcome.requests) == 3
    assert workspace.active(outcome.session) == []


@pytest.mark.parametrize("client", ["codex"])
def test_codex_with_a_sandbox_that_only_reads_cannot_record(person: Person, workspace: Workspace) -> None:
    if person.sandbox != SANDBOXED:
        pytest.skip("Codex has no sandbox on this machine")
    configure("codex", person.workspace, "command")
    person.sandbox = "read-only"
    outcome = person.types(PROMPT, WORKING, FINISH, DONE)
    assert ended_well(outcome)
    assert counts(outcome, "read-only file system") == [0, 0, 1]
    assert counts(outcome, "Your commands run in a sandbox") == [0, 1, 1]
    assert workspace.active(outcome.session) == ["forge"]
    again = person.types("And now?", WORKING, resume=outcome.session)
    assert len(again.requests) == 1


CALL = Turn(
    tool="state_write",
    command=r'{"mode": "forge", "session_id": "\1", "lifecycle_outcome": "finished"}',
    find=r"--session ([0-9a-f-]{36})",
)
"""The tool in place of the command, with the session that the reason names."""


@pytest.mark.parametrize("client", ["codex"])
def test_the_approval_that_setup_writes_lets_codex_call_our_tools_in_any_sandbox(
    person: Person, workspace: Workspace
) -> None:
    configure("codex", person.workspace, "mcp")
    person.sandbox = "read-only"
    outcome = person.types(PROMPT, WORKING, CALL, DONE)
    assert ended_well(outcome)
    assert len(outcome.requests) == 3
    assert workspace.active(outcome.session) == []
    config = person.workspace / ".codex/config.toml"
    config.write_text(config.read_text().replace('default_tools_approval_mode = "approve"\n', ""))
    outcome = person.types(PROMPT, WORKING, CALL, DONE)
    assert counts(outcome, "MCP tool call requires approval, but approval policy is never")[2] == 1
    assert workspace.active(outcome.session) == ["forge"]
