"""Qwen Code alone: prompts that nobody typed, its limits, a repository's `.env`, extensions and rules."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.real_clients.configure import configure, hooks_file, write_settings
from tests.real_clients.driver import PATH, Person, Typed
from tests.real_clients.listening import listen
from tests.real_clients.model_server import delegate, run, say
from tests.real_clients.test_turns import DETECTED, DONE, FINISH, LET_GO, REASON, WORKING, counts, ended_well
from tests.support import CHECKOUT

if TYPE_CHECKING:
    from tests.real_clients.conftest import Programs
    from tests.support import Workspace

pytestmark = [pytest.mark.slow, pytest.mark.parametrize("client", ["qwen"])]

PROMPT = "$forge ship it"
HOLDS = 5
ACTIVE = "[rcs] active in this session: forge"


def test_settings_with_comments_are_read_with_ours(person: Person) -> None:
    file = hooks_file("qwen", person.workspace)
    file.parent.mkdir()
    file.write_text('{\n  // mine\n  "ui": {"hideTips": true} /* all */\n}\n')
    configure("qwen", person.workspace, "command")
    outcome = person.types(PROMPT, WORKING, FINISH, DONE)
    assert ended_well(outcome)
    assert counts(outcome, DETECTED) == [1] * 3
    assert "// mine" in file.read_text()


# --- what nobody typed


def test_what_a_file_or_a_command_expands_to_starts_nothing(person: Person, workspace: Workspace) -> None:
    configure("qwen", person.workspace, "command")
    calls = listen(person)
    (person.workspace / "note.md").write_text("$forge ship it\n")
    commands = person.workspace / ".qwen/commands"
    commands.mkdir()
    (commands / "go.md").write_text("$forge ship it\n")
    outcome = person.talks(Typed("Read @note.md please"), Typed("/go"), script=(say("I see."),))
    assert ended_well(outcome)
    assert ["$forge ship it" in prompt for prompt in calls.prompts if prompt] == [True, True]
    assert [request.count("$forge ship it") > 0 for request in outcome.requests] == [True, True]
    assert not workspace.state.exists()


def test_many_tools_start_no_count_over(person: Person, workspace: Workspace) -> None:
    configure("qwen", person.workspace, "command")
    calls = listen(person)
    batches = [turn for _ in range(HOLDS + 1) for turn in (run("true"), run("true"), WORKING)]
    outcome = person.types(PROMPT, *batches)
    assert ended_well(outcome)
    assert len(calls.of("Stop")) == 1 + HOLDS
    assert calls.prompts.count("") == 2 * (1 + HOLDS)
    assert len(outcome.requests) == 3 * (1 + HOLDS)
    assert workspace.active(outcome.session) == ["forge"]


def test_a_prompt_that_steers_the_agent_while_a_tool_runs_counts(person: Person, workspace: Workspace) -> None:
    configure("qwen", person.workspace, "command")
    calls = listen(person)
    started, go = person.workspace / "started", person.workspace / "go"
    wait = run(f"touch '{started}'; until [ -e '{go}' ]; do sleep 0.02; done")
    outcome = person.talks(
        Typed("Hello.", turns=0),
        Typed(PROMPT, when=str(started), typed=str(go)),
        script=(wait, say("I see."), FINISH, DONE),
    )
    assert ended_well(outcome)
    hello, steering = [call for call in calls.of("UserPromptSubmit") if call["prompt"]][:2]
    assert (steering["prompt"], steering["prompt_id"]) == (PROMPT, hello["prompt_id"])
    assert ("submitted_prompt" in hello, "submitted_prompt" in steering) == (True, False)
    assert outcome.requests[-1].count(PROMPT) == 1
    assert counts(outcome, DETECTED) == [0, 1, 1, 1]
    assert workspace.read("forge", outcome.session)["lifecycle_outcome"] == "finished"


def test_the_end_of_a_background_agent_makes_a_turn_with_a_stop(person: Person, workspace: Workspace) -> None:
    configure("qwen", person.workspace, "command")
    calls = listen(person)
    outcome = person.talks(
        Typed(PROMPT),
        Typed("", shows=DONE.text, turns=0),
        script=(delegate("Look.", in_background=True), say("I wait."), WORKING, FINISH, DONE),
        subagents=(run(calls.wait_for("Stop")), say("It is there. $cancel")),
    )
    assert ended_well(outcome)
    assert [stop["background_tasks"][0]["status"] for stop in calls.of("Stop")] == ["running", "completed", "completed"]
    assert [count > 0 for count in counts(outcome, REASON)] == [False, False, False, True, True]
    assert workspace.read("forge", outcome.session)["lifecycle_outcome"] == "finished"


# --- its limit


def test_we_let_go_before_its_limit(person: Person, workspace: Workspace) -> None:
    configure("qwen", person.workspace, "command")
    person.env["QWEN_CODE_STOP_HOOK_BLOCK_CAP"] = "3"
    outcome = person.talks(Typed(PROMPT), script=(WORKING,))
    assert ended_well(outcome)
    assert len(outcome.requests) == 1 + 2
    assert LET_GO in " ".join(" ".join(outcome.screens).split())
    assert workspace.active(outcome.session) == ["forge"]


def test_a_limit_in_the_settings_ends_the_turn_with_its_own_words(person: Person, workspace: Workspace) -> None:
    configure("qwen", person.workspace, "command")
    write_settings(person.home / ".qwen/settings.json", {"stopHookBlockingCap": 3})
    outcome = person.talks(Typed(PROMPT), script=(WORKING,))
    assert ended_well(outcome)
    assert len(outcome.requests) == 1 + 2
    assert "Stop hook blocked continuation 3 consecutive times" in outcome.screens[-1]
    assert workspace.active(outcome.session) == ["forge"]


# --- a repository's `.env`


@pytest.mark.parametrize("name", [".env", pytest.param(".qwen/.env", marks=pytest.mark.full)])
def test_what_a_repository_sets_changes_nothing(person: Person, workspace: Workspace, name: str) -> None:
    configure("qwen", person.workspace, "command")
    elsewhere = person.workspace / "elsewhere"
    (elsewhere / ".rcs").mkdir(parents=True)
    program = elsewhere / "python"
    program.write_text(f"#!/bin/sh\ntouch '{elsewhere}/ran'\necho '{{}}'\n")
    program.chmod(0o755)
    for each in ("rcs", "rcs-hook", "python3", "sh"):
        (elsewhere / each).symlink_to(program)
    brought = {
        "RCS_ROOT": str(elsewhere),
        "RCS_RECORD": str(elsewhere / "record"),
        "RCS_DB": f"sqlite://{elsewhere}/db",
        "RCS_STOP_MAX_BLOCKS": "0",
        "RCS_SESSION_ID": "another",
        "RCS_PYTHON": str(program),
        "CLAUDE_PLUGIN_ROOT": str(elsewhere),
        "CLAUDE_PROJECT_DIR": str(elsewhere),
        "HOME": str(elsewhere),
        "PATH": f"{elsewhere}:{PATH}",
    }
    (person.workspace / name).write_text("".join(f"{key}={value}\n" for key, value in brought.items()))
    write = f"'{os.path.dirname(sys.executable)}/rcs' state write --mode forge --set by=agent"
    outcome = person.types(PROMPT, run(write), WORKING, FINISH, DONE)
    assert ended_well(outcome)
    assert counts(outcome, DETECTED) == [1] * 4
    assert [count > 0 for count in counts(outcome, REASON)] == [False, False, True, True]
    record = workspace.read("forge", outcome.session)
    assert record["lifecycle_outcome"] == "finished"
    assert record["by"] == "agent"
    assert sorted(path.name for path in elsewhere.rglob("*")) == [".rcs", "python", "python3", "rcs", "rcs-hook", "sh"]


def test_what_the_person_exports_switches_off(person: Person, workspace: Workspace) -> None:
    configure("qwen", person.workspace, "command")
    person.env["RCS_DISABLE"] = "1"
    outcome = person.types(PROMPT, WORKING)
    assert ended_well(outcome)
    assert counts(outcome, "[rcs]") == [0]
    assert not workspace.state.exists()


# --- an extension


def extension(person: Person, *words: str) -> str:
    env = {"HOME": str(person.home), "PATH": PATH, "LANG": "C.UTF-8"} | person.program.env | person.adapter.env(person)
    done = subprocess.run(
        [str(person.program.path), "extensions", *words],
        cwd=person.workspace,
        env=env,
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        timeout=180,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_plugin_of_this_repository_runs_as_an_extension(person: Person, workspace: Workspace) -> None:
    extension(person, "install", f"{CHECKOUT}:rcs", "--consent")
    person.env["PATH"] = f"{os.path.dirname(sys.executable)}:{PATH}"
    outcome = person.types(PROMPT, WORKING, FINISH, DONE)
    assert ended_well(outcome)
    assert counts(outcome, DETECTED) == [1] * 3
    assert workspace.read("forge", outcome.session)["lifecycle_outcome"] == "finished"
    extension(person, "uninstall", "rcs")
    assert counts(person.types(PROMPT, WORKING), DETECTED) == [0]


# --- its conversation


@pytest.mark.full
def test_a_resumed_session_is_told_what_is_active_and_a_cleared_one_is_not(
    person: Person, workspace: Workspace
) -> None:
    configure("qwen", person.workspace, "command")
    person.env["RCS_STOP_MAX_BLOCKS"] = "0"
    calls = listen(person, "SessionStart")
    first = person.types(PROMPT, WORKING)
    assert ended_well(first)
    second = person.talks(
        Typed("And now?"), Typed("/clear", turns=0), Typed("Hello."), script=(WORKING,), resume=first.session
    )
    assert ended_well(second)
    assert [count > 0 for count in counts(second, ACTIVE)] == [True, False]
    assert [start["source"] for start in calls.of("SessionStart")] == ["startup", "resume", "clear"]
    assert workspace.active(first.session) == ["forge"]


def test_the_status_line_shows_what_runs(person: Person) -> None:
    configure("qwen", person.workspace, "command", "--statusline")
    person.env["RCS_STOP_MAX_BLOCKS"] = "0"
    outcome = person.talks(
        Typed(PROMPT), Typed("", shows=r"rcs: forge starting 0/50 \(ship it\)", turns=0), script=(WORKING,)
    )
    assert ended_well(outcome)


# --- what its agent may run


def test_the_commands_that_the_agent_is_told_run_unasked(person: Person, workspace: Workspace) -> None:
    configure("qwen", person.workspace, "command")
    person.asks = True
    rcs = f"{os.path.dirname(sys.executable)}/rcs"
    write = f"{rcs} state write --mode forge --set by=agent"
    outcome = person.talks(
        Typed(PROMPT), script=(run(write), run(f"{write} && {rcs} state list-active"), WORKING, FINISH, DONE)
    )
    assert ended_well(outcome)
    assert workspace.read("forge", outcome.session)["lifecycle_outcome"] == "finished"


def test_a_proof_is_asked_for(person: Person) -> None:
    configure("qwen", person.workspace, "command")
    person.asks = True
    proved = person.workspace / "proved"
    rcs = f"{os.path.dirname(sys.executable)}/rcs"
    outcome = person.talks(
        Typed("Hello.", turns=0),
        Typed("", shows="(?i)allow execution", keys=("Escape",), turns=0),
        script=(run(f"{rcs} prove -- touch '{proved}'"), say("I see.")),
    )
    assert ended_well(outcome)
    assert not proved.exists()


# --- one client in the shell of another


@pytest.mark.parametrize(
    ("outer", "inner"), [("qwen", "copilot"), pytest.param("copilot", "qwen", marks=pytest.mark.full)]
)
def test_each_of_two_clients_is_known_in_the_shell_of_the_other(
    person: Person, workspace: Workspace, programs: Programs, outer: str, inner: str
) -> None:
    people = {"qwen": person}
    ready = programs("copilot")
    if isinstance(ready, str):
        pytest.skip(ready)
    people["copilot"] = Person("copilot", ready[0], person.home, person.workspace, sandbox=ready[1])
    people["copilot"].trusts(person.workspace)
    for each in people.values():
        configure(each.client, person.workspace, "command")
    started, typist = people[inner], people[outer]
    words = [str(started.program.path), *started.adapter.words(started, "$ultrawork look around", "")]
    env = {**started.program.env, **started.adapter.env(started)}
    # A client keeps its own key and the address of its model from the agent's shell.
    typist.env |= {f"INNER_{name}": value for name, value in env.items()}
    handed = " ".join(f'{name}="$INNER_{name}"' for name in env)
    line = " ".join(f"'{word}'" for word in words)
    outcome = typist.types(PROMPT, run(f"{handed} {line} > inner.jsonl 2>&1; true"), WORKING)
    assert outcome.status == 0, outcome.err
    notes = {path.parent.name: json.loads(path.read_text()) for path in workspace.state.rglob("hook-ledger.json")}
    assert sorted(note["client"] for note in notes.values()) == ["copilot", "qwen"]
    assert notes[outcome.session]["client"] == outer
