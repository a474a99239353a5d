"""What Gemini CLI reads from files: settings, policies, variables, commands, and text that is put into a prompt."""

from __future__ import annotations

import json
import shlex
from typing import TYPE_CHECKING

import pytest

from tests.real_clients.configure import RCS, configure, hooks_file, rcs
from tests.real_clients.listening import set_up
from tests.real_clients.model_server import run, say
from tests.real_clients.test_turns import DETECTED, DONE, FINISH, WORKING, counts, ended_well

if TYPE_CHECKING:
    from pathlib import Path

    from tests.real_clients.driver import Outcome, Person
    from tests.support import Workspace

pytestmark = [pytest.mark.slow, pytest.mark.parametrize("client", ["gemini"])]

START = "$forge go"


def doctor(person: Person) -> str:
    return " ".join(rcs(person.workspace, person.home, "doctor").stdout.split())


def heard(outcome: Outcome) -> list[str]:
    """What the agent's last tool said, in each request but the first."""
    return [" ".join(request.texts()[-4:]) for request in outcome.requests[1:]]


# --- policies


def test_the_policies_allow_what_the_agent_is_told_and_nothing_more(
    person: Person, workspace: Workspace, tmp_path: Path
) -> None:
    """With -p nobody is there to be asked."""
    configure(person.client, person.home, "command", scope="user")
    person.asks = True
    outcome = person.types(START, WORKING, FINISH, DONE)
    assert ended_well(outcome)
    assert workspace.active(outcome.session) == []
    mark, read = tmp_path / "mark", f"{RCS} state list-active"
    refused = [
        f"{RCS} prove --mode forge -- touch {mark}",
        f"{read}; touch {mark}",
        f"{read} && touch {mark}",
        f"{read} || touch {mark}",
        f"{read} | tee {mark}",
        f"{read} --session $(touch {mark})",
        f"{read} --session `touch {mark}`",
        f"{read} > {mark}",
        f"{read}\ntouch {mark}",
        f"{read} & touch {mark}",
        f"{read} <(touch {mark})",
        f"{RCS} statement; touch {mark}",
    ]
    second = person.types("Hi", *map(run, refused), run(read), say("Bye."))
    assert not mark.exists()
    *others, last = heard(second)
    assert len(others) == len(refused)
    assert [
        text for text in others if "denied by policy" not in text and "requires user confirmation" not in text
    ] == []
    assert "nothing is active" in last


# --- variables of the workspace


@pytest.mark.parametrize("file", [".env", pytest.param(".gemini/.env", marks=pytest.mark.full)])
def test_a_repositorys_variables_change_nothing(
    file: str, person: Person, workspace: Workspace, tmp_path: Path
) -> None:
    elsewhere = tmp_path / "elsewhere"
    (elsewhere / "rcs_hooks").mkdir(parents=True)
    (elsewhere / "rcs_hooks" / "__init__.py").write_text("raise SystemExit('owned')\n")
    before = set(elsewhere.rglob("*"))
    set_up(person, "command")
    names = ("RCS_ROOT", "RCS_RECORD", "CLAUDE_PROJECT_DIR", "PYTHONPATH", "HOME", "PATH")
    values = dict.fromkeys(names, str(elsewhere)) | {"RCS_DB": str(elsewhere / "db"), "RCS_STOP_MAX_BLOCKS": "0"}
    values |= dict.fromkeys(("RCS_SESSION_ID", "GEMINI_SESSION_ID"), "other")
    path = person.workspace / file
    path.write_text("".join(f"{name}={value}\n" for name, value in values.items()))
    outcome = person.types(START, WORKING, run("env"), FINISH, DONE)
    assert ended_well(outcome)
    assert f"RCS_DB={elsewhere}" in " ".join(outcome.requests[2].texts())  # the client has loaded it
    assert counts(outcome, DETECTED) == [1] * 4
    assert workspace.active(outcome.session) == []
    assert set(elsewhere.rglob("*")) == before


def test_what_the_person_exports_counts_beside_a_file_of_the_workspace(person: Person) -> None:
    configure(person.client, person.workspace, "command")
    (person.workspace / ".env").write_text("RCS_DISABLE=0\nA=1\n")
    person.env["RCS_DISABLE"] = "1"
    outcome = person.types(START, WORKING)
    assert ended_well(outcome)
    assert counts(outcome, "[rcs]") == [0]


# --- text that becomes part of a prompt


def test_a_skill_in_a_file_that_the_prompt_names_starts_nothing(person: Person, workspace: Workspace) -> None:
    calls = set_up(person, "command")
    (person.workspace / "notes.txt").write_text("$forge go\n")
    outcome = person.types("Read @notes.txt", say("I have."))
    assert ended_well(outcome)
    assert "$forge go" in calls.prompts[0]
    assert counts(outcome, "[rcs]") == [0]
    assert not (workspace.root / ".rcs").exists()


def test_piped_text_stands_before_the_prompt_and_counts_as_typed(person: Person, tmp_path: Path) -> None:
    """Nothing tells the two apart."""
    calls = set_up(person, "command")
    person.env["RCS_STOP_MAX_BLOCKS"] = "0"
    notes, wrapper = tmp_path / "notes", tmp_path / "piped"
    notes.write_text("$forge go\n")
    wrapper.write_text(f'#!/bin/sh\ncat {shlex.quote(str(notes))} | {person.program.path} "$@"\n')
    wrapper.chmod(0o755)
    person.program = person.program._replace(path=wrapper)
    outcome = person.types("What is this?", say("A note."))
    assert ended_well(outcome)
    assert calls.prompts == ["$forge go\n\n\nWhat is this?"]
    assert counts(outcome, DETECTED) == [1]


def test_a_command_of_the_repository_counts_as_if_its_text_was_typed(person: Person) -> None:
    calls = set_up(person, "command")
    person.env["RCS_STOP_MAX_BLOCKS"] = "0"
    (person.workspace / ".gemini/commands").mkdir()
    (person.workspace / ".gemini/commands/go.toml").write_text('description = "Go"\nprompt = "$forge go {{args}}"\n')
    outcome = person.types("/go now", say("Yes."))
    assert ended_well(outcome)
    assert calls.prompts == ["$forge go now"]
    assert counts(outcome, DETECTED) == [1]


# --- what keeps the hooks from running, and what `rcs doctor` says of it


def test_in_a_folder_that_is_not_trusted_no_hook_runs(person: Person) -> None:
    configure(person.client, person.workspace, "command")
    configure(person.client, person.home, "command", scope="user")
    person.trusts()
    outcome = person.types(START, WORKING)
    assert (outcome.status, outcome.requests) == (55, [])
    assert "is not trusted yet, so no hook runs in it" in doctor(person)
    person.env["GEMINI_CLI_TRUST_WORKSPACE"] = "true"
    trusted = person.types(START, WORKING, FINISH, DONE)
    assert ended_well(trusted)
    assert counts(trusted, DETECTED) == [1, 1, 1]


@pytest.mark.parametrize("config", [{"enabled": False}, {"disabled": ["rcs"]}])
def test_hooks_that_are_switched_off_in_the_settings(config: dict[str, object], person: Person) -> None:
    configure(person.client, person.workspace, "command")
    file = hooks_file(person.client, person.workspace)
    file.write_text(json.dumps(json.loads(file.read_text()) | {"hooksConfig": config}))
    outcome = person.types(START, WORKING)
    assert ended_well(outcome)
    assert counts(outcome, "[rcs]") == [0]
    assert f"hooksConfig.{next(iter(config))}" in doctor(person)


def test_settings_with_comments_stay_as_they_are(person: Person) -> None:
    file = hooks_file(person.client, person.workspace)
    file.parent.mkdir()
    file.write_text('{\n  // Ours.\n  "ui": {/* plain */ "hideBanner": true}\n}\n')
    configure(person.client, person.workspace, "command")
    outcome = person.types(START, WORKING, FINISH, DONE)
    assert ended_well(outcome)
    assert counts(outcome, DETECTED) == [1, 1, 1]
    assert "// Ours." in file.read_text()


def test_broken_settings_are_left_alone(person: Person) -> None:
    configure(person.client, person.workspace, "command")
    file = hooks_file(person.client, person.workspace)
    broken = file.read_text()[:-3]
    file.write_text(broken)
    outcome = person.types(START, WORKING)
    assert (outcome.status, outcome.requests) == (52, [])
    done = rcs(person.workspace, person.home, "setup", "--client", "gemini", "--scope", "project")
    assert done.returncode != 0
    assert "settings.json" in done.stderr
    assert file.read_text() == broken
    assert "settings.json" in doctor(person)


def test_a_time_out_that_was_meant_in_seconds_is_named_and_replaced(person: Person) -> None:
    """As `gemini hooks migrate --from-claude` writes it."""
    configure(person.client, person.workspace, "command")
    file = hooks_file(person.client, person.workspace)
    assert '"timeout": 10000' in file.read_text()
    file.write_text(file.read_text().replace('"timeout": 10000', '"timeout": 30'))
    outcome = person.types(START, WORKING)
    assert outcome.status == 0
    assert counts(outcome, "[rcs]") == [0]
    assert "ends the hook for BeforeAgent, AfterAgent, SessionStart before it can answer" in doctor(person)
    configure(person.client, person.workspace, "command")
    assert '"timeout": 10000' in file.read_text()
    assert counts(person.types(START, WORKING, FINISH, DONE), DETECTED) == [1, 1, 1]
