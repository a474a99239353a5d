"""What proves a run, in the hands of a real client's agent: its ends, the person's line, who may run and trust what."""

from __future__ import annotations

import json
import shlex
import subprocess
from typing import TYPE_CHECKING

import pytest

from tests.real_clients.configure import RCS, SAMPLED_WAYS, configure, hooks_file, rcs, write_settings
from tests.real_clients.listening import set_up
from tests.real_clients.model_server import Turn, run, run_found
from tests.real_clients.test_turns import DONE, FINISH, WORKING, counts, ended_well

if TYPE_CHECKING:
    from tests.real_clients.configure import Transport
    from tests.real_clients.driver import Outcome, Person
    from tests.support import Record, Workspace

pytestmark = pytest.mark.slow

WORDS = shlex.quote(str(RCS))
ASKS = "This command requires approval"
PROMPT = "$forge ship this fix"
REQUIRED = '[proof]\ncommand = "test -e rcs.toml"\nrequired = true\n'
EXECUTING, VERIFYING = (
    run(rf"\1{phase}\2", r"(?<=: )(.*rcs'? state write --mode forge --phase )[\w-]+(.*)$")
    for phase in ("executing", "verifying")
)
PROVE_AND_FINISH = run(r"\1true", r"(?<=: )(.*rcs'? prove --finish --mode forge .*-- )COMMAND$")
"""Pastes the command that a Stop's reason shows, with a command of the agent's own."""
PROVE = run(r"\1\2true", r"(?<=: )(.*rcs'? prove )--finish (--mode forge .*-- )COMMAND$")
BY_NAME = run_found(r"(?<=the settings name the command\): )[^\\\"\n]+")
WHAT_IS_REQUIRED = run_found(r"(?<=requires a proof: )[^\\\"\n]+")


def proof_of(workspace: Workspace, outcome: Outcome) -> Record:
    record = workspace.read("forge", outcome.session)
    assert (record["active"], record["lifecycle_outcome"]) == (False, "finished")
    found: Record = record["proof"]
    return found


def trust_what_is_required(person: Person) -> None:
    """Let the project require a proof, and the person trust that."""
    (person.workspace / "rcs.toml").write_text(REQUIRED)
    assert rcs(person.workspace, person.home, "config", "trust").returncode == 0


def shown(outcome: Outcome) -> list[str]:
    """What the person was shown of an end, without Markdown's marks."""
    return [line.replace("`", "") for text in outcome.shown for line in text.splitlines() if "finished" in line]


def is_shown(person: Person, outcome: Outcome, words: str) -> bool:
    """The person reads these words once, where the client shows what a hook says at a Stop."""
    return [words in line for line in shown(outcome)] == [True] * ("let go" in person.adapter.shows)


# --- how a run ends


@SAMPLED_WAYS
def test_a_run_that_ends_without_a_proof_is_unproven_to_agent_and_person(
    person: Person, workspace: Workspace, transport: Transport
) -> None:
    set_up(person, transport)
    outcome = person.types(PROMPT, WORKING, FINISH, DONE, shown=True)
    assert ended_well(outcome)
    _, held, ended = outcome.requests
    assert held.count("rcs prove") == 0, "a Stop offers no proof from the first phase"
    assert ended.count("forge: finished, unproven") >= 1
    assert proof_of(workspace, outcome)["state"] == "unproven"
    assert is_shown(person, outcome, "rcs: forge finished early, unproven")
    again = person.types("Thanks.", DONE, resume=outcome.session, shown=True)
    assert shown(again) == []


@SAMPLED_WAYS
def test_from_the_phase_before_the_end_one_pasted_command_proves_and_finishes(
    person: Person, workspace: Workspace, transport: Transport
) -> None:
    set_up(person, transport)
    script = (EXECUTING, VERIFYING, WORKING, PROVE_AND_FINISH, DONE)
    outcome = person.types(PROMPT, *script, shown=True)
    assert ended_well(outcome)
    assert len(outcome.requests) == len(script)
    assert outcome.requests[-1].count("forge: finished, proven by `true`") >= 1
    proof = proof_of(workspace, outcome)
    assert (proof["state"], proof["command"], proof["exit"]) == ("proven", "true", 0)
    assert is_shown(person, outcome, "rcs: forge finished, proven by true")


@SAMPLED_WAYS
def test_where_the_person_trusts_that_it_is_required_finished_is_refused_until_it_is_proven(
    person: Person, workspace: Workspace, transport: Transport
) -> None:
    set_up(person, transport)
    trust_what_is_required(person)
    outcome = person.types(PROMPT, WORKING, FINISH, WHAT_IS_REQUIRED, DONE, shown=True)
    assert ended_well(outcome)
    assert counts(outcome, "finished is refused, for rcs.toml requires a proof") == [0, 0, 1, 1]
    proof = proof_of(workspace, outcome)
    assert (proof["state"], proof["command"]) == ("proven", "test -e rcs.toml")
    assert is_shown(person, outcome, "proven by test -e rcs.toml")


@SAMPLED_WAYS
def test_where_the_person_trusts_a_command_the_first_attempt_is_that_one(
    person: Person, workspace: Workspace, transport: Transport
) -> None:
    set_up(person, transport)
    trust_what_is_required(person)
    outcome = person.types(PROMPT, EXECUTING, VERIFYING, WORKING, BY_NAME, DONE)
    assert ended_well(outcome)
    assert counts(outcome, "the settings name the command")[3:] != [0, 0]
    assert outcome.requests[-1].count("not a proof") == 0
    proof = proof_of(workspace, outcome)
    assert (proof["state"], proof["command"]) == ("proven", "test -e rcs.toml")


@pytest.mark.parametrize("client", ["codex"])
def test_the_tool_refuses_what_the_command_does(person: Person, workspace: Workspace) -> None:
    set_up(person, "mcp")
    trust_what_is_required(person)
    arguments = r'{"mode": "forge", "session_id": "\1", "lifecycle_outcome": "finished"}'
    call = Turn(tool="state_write", command=arguments, find=r"--session ([0-9a-f-]{36})")
    outcome = person.types(PROMPT, WORKING, call, WHAT_IS_REQUIRED, DONE)
    assert ended_well(outcome)
    assert len(outcome.requests) == 4
    assert outcome.requests[2].count("finished is refused, for rcs.toml requires a proof") >= 1
    assert proof_of(workspace, outcome)["state"] == "proven"


@SAMPLED_WAYS
def test_what_is_required_refuses_nothing_while_nobody_trusts_it(
    person: Person, workspace: Workspace, transport: Transport
) -> None:
    set_up(person, transport)
    (person.workspace / "rcs.toml").write_text('[proof]\ncommand = "touch ran"\nrequired = true\n')
    outcome = person.types(PROMPT, WORKING, FINISH, DONE)
    assert ended_well(outcome)
    assert len(outcome.requests) == 3
    assert proof_of(workspace, outcome)["state"] == "unproven"
    assert rcs(person.workspace, person.home, "doctor").stdout.count("touch ran") == 1
    assert not (person.workspace / "ran").exists()


@SAMPLED_WAYS
def test_a_file_that_the_person_edits_after_the_proof_makes_the_end_stale(
    person: Person, workspace: Workspace, transport: Transport
) -> None:
    set_up(person, transport)
    person.env["RCS_STOP_MAX_BLOCKS"] = "0"
    (file := person.workspace / "fix.py").write_text("one\n")
    first = person.types(PROMPT, EXECUTING, VERIFYING, PROVE, DONE, shown=True)
    assert ended_well(first)
    assert workspace.active(first.session) == ["forge"]
    assert workspace.read("forge", first.session)["proof"]["exit"] == 0
    file.write_text("two\n")
    outcome = person.types("Finish it.", FINISH, DONE, resume=first.session, shown=True)
    assert ended_well(outcome)
    stale = "finished, stale: files have changed since `true` passed"
    assert outcome.requests[-1].count(f"forge: {stale}") >= 1
    assert proof_of(workspace, outcome)["state"] == "stale"
    assert is_shown(person, outcome, f"rcs: forge {stale}".replace("`", ""))
    last = person.types("Prove it.", run_found(r"(?<=To prove it: ).*$"), DONE, resume=first.session)
    assert ended_well(last)
    assert proof_of(workspace, last)["state"] == "proven"


# --- a repository that brings commands

TRAP = """#!/bin/sh
process=$$
for _ in 1 2 3 4; do
    [ "$process" -gt 1 ] || break
    tr '\\0' ' ' < "/proc/$process/cmdline"
    process=$(cut -d ' ' -f 4 "/proc/$process/stat")
done >> '{mark}'
cat
"""
"""Writes down which programs have led to its start. A client may well ask git on its own."""
OURS = "rcs_hooks."
"""What the command line of each of our programs holds."""


@SAMPLED_WAYS
def test_nothing_of_ours_runs_what_a_repository_brings(
    person: Person, workspace: Workspace, transport: Transport
) -> None:
    set_up(person, transport)
    mark, trap = person.home / "ran", person.home / "trap"
    trap.write_text(TRAP.format(mark=mark))
    trap.chmod(0o755)
    mark.touch()
    (person.workspace / ".gitattributes").write_text("* filter=evil diff=evil\n")
    (person.workspace / "fix.py").write_text("one\n")
    (person.workspace / "rcs.toml").write_text(f'[proof]\ncommand = "{trap}"\nrequired = true\n')
    for key in ("core.fsmonitor", "core.pager", "diff.external", "filter.evil.clean", "diff.evil.textconv"):
        subprocess.run(["git", "config", key, str(trap)], cwd=person.workspace, check=True)
    script = (EXECUTING, VERIFYING, WORKING, PROVE_AND_FINISH, DONE)
    outcome = person.types(PROMPT, *script, shown=True)
    assert ended_well(outcome)
    assert proof_of(workspace, outcome)["state"] == "proven"
    for words in (["doctor"], ["status"], ["config"], ["task", "list"]):
        rcs(person.workspace, person.home, *words)
    assert OURS not in mark.read_text()
    rcs(person.workspace, person.home, "config", "trust")
    rcs(person.workspace, person.home, "prove", "--mode", "forge", "--session", outcome.session)
    assert OURS in mark.read_text(), "what the person trusts is run, and leaves its mark"


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


@pytest.mark.parametrize("client", ["claude"])
def test_a_person_can_allow_one_exact_proof_as_the_readme_says(person: Person, workspace: Workspace) -> None:
    configure("claude", person.home, "command", scope="user")
    file = hooks_file("claude", person.home)
    settings = json.loads(file.read_text())
    settings["permissions"]["allow"].append(f"Bash({WORDS} prove --finish)")
    write_settings(file, settings)
    trust_what_is_required(person)
    person.asks = True
    exact, other = run(f"{WORDS} prove --finish"), run(f"{WORDS} prove --finish -- touch ran")
    outcome = person.types(PROMPT, other, exact, DONE)
    assert ended_well(outcome)
    assert counts(outcome, ASKS) == [0, 1, 1]
    assert proof_of(workspace, outcome)["command"] == "test -e rcs.toml"
    assert not (person.workspace / "ran").exists()
    assert "lets the agent run any command" not in rcs(person.workspace, person.home, "doctor").stdout
