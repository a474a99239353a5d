"""Entries of ours that another tool or another person has written: they cost nobody a turn."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import pytest

from tests.real_clients.configure import ALL_CLIENTS, configure, hooks_file
from tests.real_clients.model_server import run
from tests.real_clients.test_broken import PROMPT, PYTHON, goes_through, run_instead
from tests.real_clients.test_setup import doctor
from tests.real_clients.test_turns import DETECTED, DONE, FINISH, REASON, WORKING, counts, ended_well
from tests.support import clean_env

if TYPE_CHECKING:
    from tests.real_clients.driver import Person
    from tests.support import Workspace

pytestmark = [pytest.mark.slow]

ANOTHER_MACHINE = "/home/colleague/my project/.venv/bin/python3"
GONE = "'/home/me/a venv/bin/rcs-hook'"
"""Of a virtual environment that was removed."""


@pytest.mark.parametrize("client", ["gemini"])
def test_what_gemini_cli_copies_from_claude_code_holds_no_turn(person: Person, workspace: Workspace) -> None:
    """It takes our ten seconds for milliseconds. Doctor says so, and setup repairs them."""
    configure("claude", person.workspace, "command")
    words = [str(person.program.path), "hooks", "migrate", "--from-claude"]
    env = clean_env(HOME=str(person.home)) | person.adapter.env(person)
    subprocess.run(words, cwd=person.workspace, env=env, capture_output=True, timeout=120, check=True)
    assert hooks_file("gemini", person.workspace).read_text().count(PYTHON) == 4

    copied = person.types(PROMPT, run("true"), WORKING)
    assert ended_well(copied)
    assert counts(copied, PROMPT) == [1, 1]
    assert counts(copied, "[rcs]") == [0, 0]
    assert any(check["what"] == "Gemini CLI hooks" and check["status"] == "broken" for check in doctor(person))

    configure("gemini", person.workspace, "command")
    repaired = person.types(PROMPT, WORKING, FINISH, DONE)
    assert ended_well(repaired)
    assert counts(repaired, DETECTED) == [1, 1, 1]
    assert [count > 0 for count in counts(repaired, REASON)] == [False, True, True]
    assert workspace.active(repaired.session) == []


@pytest.mark.parametrize("client", ["copilot", "claude"])
def test_the_entries_of_another_machine_say_and_cost_nothing(person: Person) -> None:
    """A colleague has committed them: both clients read a project's `.claude/settings.json`."""
    configure("claude", person.workspace, "command")
    run_instead(person, ANOTHER_MACHINE)
    outcome = goes_through(person)
    shown = [line for line in outcome.out.splitlines() if '"subtype":"hook_response"' not in line]
    assert ANOTHER_MACHINE not in "\n".join(shown)
    assert ANOTHER_MACHINE not in outcome.err


@pytest.mark.parametrize("client", ["copilot"])
def test_beside_the_entries_of_another_machine_ones_own_work(person: Person, workspace: Workspace) -> None:
    configure("claude", person.workspace, "command")
    run_instead(person, ANOTHER_MACHINE)
    configure("copilot", person.home, "command", scope="user")
    outcome = person.types(PROMPT, WORKING, FINISH, DONE)
    assert ended_well(outcome)
    assert counts(outcome, DETECTED) == [1, 1, 1]
    assert [count > 0 for count in counts(outcome, REASON)] == [False, True, True]
    assert workspace.active(outcome.session) == []


@pytest.mark.full
@pytest.mark.parametrize("client", [client for client in ALL_CLIENTS if client != "gemini"])
def test_the_entries_of_an_older_version_whose_program_is_gone_cost_nothing(person: Person) -> None:
    """Gemini CLI blocks by a line whose program is missing: none of ours was ever written so for it."""
    for event in ("UserPromptSubmit", "Stop"):
        file = hooks_file(person.client, person.workspace)
        person.adapter.add_hook(file, person.adapter.event(event), GONE)
    goes_through(person)
