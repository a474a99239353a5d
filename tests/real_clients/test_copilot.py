"""Copilot CLI alone: Claude Code's project hooks in it, programs that it calls one after the other, and its prompts."""

from __future__ import annotations

import json
import os
import sys
import threading
from typing import TYPE_CHECKING

import pytest

from tests.real_clients.adapters.adapter import add_entry
from tests.real_clients.configure import add_hook, configure, hooks_file, rcs
from tests.real_clients.driver import Person, Typed
from tests.real_clients.listening import listen
from tests.real_clients.model_server import Turn, delegate, fail, run, say
from tests.real_clients.test_turns import ASK, DETECTED, DONE, FINISH, REASON, WORKING, counts, ended_well
from tests.support import CHECKOUT

if TYPE_CHECKING:
    from pathlib import Path

    from tests.real_clients.conftest import Programs
    from tests.real_clients.listening import Calls
    from tests.support import Record, Workspace

pytestmark = [pytest.mark.slow, pytest.mark.parametrize("client", ["copilot"])]

PROMPT = "$forge ship it"
HOLDS = 5
NOTIFIED = "<system_notification>"
ACTIVE = "[rcs] active in this session: forge"


def the_question(workspace: Workspace, session: str) -> Record:
    (file,) = (workspace.folder(session) / "questions").glob("*.json")
    record: Record = json.loads(file.read_text())
    return record


# --- a project that was set up for Claude Code


def test_a_project_set_up_for_claude_code_is_told_once_held_and_let_go(person: Person, workspace: Workspace) -> None:
    configure("claude", person.workspace, "command")
    outcome = person.types(PROMPT, WORKING)
    assert ended_well(outcome)
    assert counts(outcome, DETECTED) == [1] * (1 + HOLDS)
    assert [count > 0 for count in counts(outcome, REASON)] == [False] + [True] * HOLDS
    assert workspace.active(outcome.session) == ["forge"]


def test_both_clients_work_in_one_folder_at_once(person: Person, workspace: Workspace, programs: Programs) -> None:
    configure("claude", person.workspace, "command")
    ready = programs("claude")
    if isinstance(ready, str):
        pytest.skip(ready)
    other = Person("claude", ready[0], person.home.parent / "other home", person.workspace, sandbox=ready[1])
    other.home.mkdir()
    other.trusts(person.workspace)
    here, there = person.workspace / "copilot", person.workspace / "claude"
    of_claude = []

    def work() -> None:
        meets = run(f"touch '{there}'; until [ -e '{here}' ]; do sleep 0.02; done")
        of_claude.append(other.types(PROMPT, meets, WORKING, FINISH, DONE))

    beside = threading.Thread(target=work)
    beside.start()
    meets = run(f"touch '{here}'; until [ -e '{there}' ]; do sleep 0.02; done")
    outcomes = [person.types(PROMPT, meets, WORKING, FINISH, DONE)]
    beside.join()
    outcomes += of_claude
    assert [counts(outcome, DETECTED) for outcome in outcomes if ended_well(outcome)] == [[1] * 4] * 2
    assert outcomes[0].session != outcomes[1].session
    for outcome in outcomes:
        assert workspace.read("forge", outcome.session)["lifecycle_outcome"] == "finished"
    notes = [workspace.folder(outcome.session) / "hook-ledger.json" for outcome in outcomes]
    assert [json.loads(note.read_text())["client"] for note in notes] == ["copilot", "claude"]


# --- the last message, which the transcript alone holds


def test_an_offer_at_the_end_is_named_after_much_output(person: Person) -> None:
    configure("copilot", person.workspace, "command")
    much = run("head -c 300000 /dev/zero | tr '\\0' x")
    outcome = person.types(PROMPT, much, say("The parser works. Would you like me to continue?"), FINISH, DONE)
    assert ended_well(outcome)
    assert [request.count('offers "Would you like me to"') for request in outcome.requests] == [0, 0, 1, 1]


# --- several programs for one event


def test_hooks_for_the_person_and_in_the_project_speak_once(person: Person, workspace: Workspace) -> None:
    """They run one after the other, and the model hears one context alone."""
    configure("claude", person.workspace, "command")
    configure("copilot", person.home, "command", scope="user")
    calls = listen(person)
    outcome = person.types(PROMPT, WORKING)
    assert ended_well(outcome)
    assert counts(outcome, DETECTED) == [1] * (1 + HOLDS)
    assert len(calls.of("Stop")) == 1 + HOLDS
    assert workspace.active(outcome.session) == ["forge"]


@pytest.mark.full
@pytest.mark.parametrize("event", ["UserPromptSubmit", "Stop"])
def test_two_programs_are_called_with_one_time(person: Person, event: str) -> None:
    """By that, two calls for one event are told from two events."""
    calls = listen(person)
    slow = calls.file.parent / "slow.sh"
    slow.write_text(f"#!/bin/sh\nsleep 0.2\nexec '{calls.file.parent}/listen.sh'\n")
    slow.chmod(0o755)
    person.adapter.add_hook(hooks_file("copilot", person.workspace), event, f"'{slow}'")
    add_hook(hooks_file("claude", person.workspace), event, {"type": "command", "command": f"'{slow}'"})
    person.types("Hi", say("Bye."))
    times = [call["timestamp"] for call in calls.of(event)]
    assert (len(times), len(set(times))) == (3, 1)


def test_a_context_that_another_hook_gives_after_ours_takes_its_place(person: Person) -> None:
    configure("copilot", person.home, "command", scope="user")
    answer = json.dumps({"additionalContext": "Our house style is plain words."})
    file = hooks_file("copilot", person.workspace)
    person.adapter.add_hook(file, "UserPromptSubmit", f"cat > /dev/null; echo '{answer}'")
    outcome = person.types(PROMPT, WORKING, FINISH, DONE)
    assert ended_well(outcome)
    assert counts(outcome, DETECTED) == [0, 0, 0]
    assert counts(outcome, "house style")[0] == 1
    doctor = rcs(person.workspace, person.home, "doctor").stdout
    assert f"{file} runs " in doctor


# --- prompts that are typed while the agent works


def waits(person: Person, text: str, prompt: str) -> tuple[Turn, Typed]:
    """What the agent says once a prompt was typed, and how that is typed: while the model is asked."""
    asked, typed = person.workspace / "asked", person.workspace / "typed"
    return say(text, after=str(typed), reached=str(asked)), Typed(prompt, when=str(asked), typed=str(typed))


def typed_by_people(calls: Calls) -> list[str]:
    return [prompt for prompt in calls.prompts if not prompt.startswith(("[rcs]", NOTIFIED))]


def test_a_prompt_that_waited_starts_the_count_over(person: Person, workspace: Workspace) -> None:
    """The continuation of the Stop before it comes after it: that one too is held for no longer than the others."""
    configure("copilot", person.workspace, "command")
    calls = listen(person)
    wait, typed = waits(person, WORKING.text, "And mind the tests.")
    outcome = person.talks(Typed(PROMPT, turns=0), typed, script=(wait, WORKING))
    assert ended_well(outcome)
    assert typed_by_people(calls) == [PROMPT, "And mind the tests."]
    assert len(calls.of("Stop")) == len(outcome.requests) == 1 + (1 + HOLDS) + 1
    assert workspace.active(outcome.session) == ["forge"]


def test_cancel_that_waited_ends_the_run(person: Person, workspace: Workspace) -> None:
    configure("copilot", person.workspace, "command")
    calls = listen(person)
    wait, typed = waits(person, WORKING.text, "$cancel")
    outcome = person.talks(Typed(PROMPT, turns=0), typed, script=(wait, say("Cancelled.")))
    assert ended_well(outcome)
    assert workspace.active(outcome.session) == []
    assert workspace.read("forge", outcome.session)["lifecycle_outcome"] == "userinterlude"
    assert len(calls.of("Stop")) == len(outcome.requests) == 3


@pytest.mark.full
def test_a_skill_that_waited_starts_its_run(person: Person, workspace: Workspace) -> None:
    configure("copilot", person.workspace, "command")
    calls = listen(person)
    wait, typed = waits(person, "Hello.", PROMPT)
    outcome = person.talks(Typed("Hello.", turns=0), typed, script=(wait, WORKING, FINISH, DONE))
    assert ended_well(outcome)
    assert len(outcome.requests) == 4
    assert typed_by_people(calls) == ["Hello.", PROMPT]
    assert workspace.read("forge", outcome.session)["lifecycle_outcome"] == "finished"


def test_a_prompt_that_waited_answers_no_question_of_that_turn(person: Person, workspace: Workspace) -> None:
    configure("copilot", person.workspace, "command")
    calls = listen(person)
    wait, typed = waits(person, "Which database?", "Use tabs")
    outcome = person.talks(
        Typed(PROMPT, turns=0),
        typed,
        Typed("Postgres"),
        script=(WORKING, ASK, wait, say("Tabs it is."), WORKING, FINISH, DONE),
    )
    assert ended_well(outcome)
    assert typed_by_people(calls) == [PROMPT, "Use tabs", "Postgres"]
    assert "Postgres" in the_question(workspace, outcome.session)["answer"]
    assert workspace.read("forge", outcome.session)["lifecycle_outcome"] == "finished"


def test_the_reason_of_a_slow_program_answers_no_question(person: Person, workspace: Workspace, tmp_path: Path) -> None:
    """It comes later than a prompt that waited while the agent asked."""
    configure("copilot", person.workspace, "command")
    add_blocker(person, tmp_path / "lint")
    outcome = person.talks(
        Typed(PROMPT), Typed("Postgres"), script=(ASK, say("Which database?"), say("None now."), FINISH, DONE)
    )
    assert ended_well(outcome)
    assert "Postgres" in the_question(workspace, outcome.session)["answer"]


def add_blocker(person: Person, folder: Path) -> None:
    """Add another tool's hook, which blocks one Stop after three seconds."""
    folder.mkdir()
    script = folder / "lint.sh"
    answer = json.dumps({"decision": "block", "reason": "The linter has findings."})
    once = f"[ -e '{folder}/once' ] && exit 0\ntouch '{folder}/once'\n"
    script.write_text(f"#!/bin/sh\ncat > /dev/null\nsleep 3\n{once}echo '{answer}'\n")
    script.chmod(0o755)
    file = hooks_file(person.client, person.workspace)
    add_entry(file, "Stop", {"type": "command", "command": f"'{script}'", "timeoutSec": 30})


def test_a_prompt_that_is_typed_while_a_command_runs_calls_no_hook(person: Person, workspace: Workspace) -> None:
    """It steers the turn: the model is sent it with what the command printed."""
    configure("copilot", person.workspace, "command")
    calls = listen(person)
    started, go = person.workspace / "started", person.workspace / "go"
    wait = run(f"touch '{started}'; until [ -e '{go}' ]; do sleep 0.02; done")
    outcome = person.talks(
        Typed("Hello.", turns=0), Typed(PROMPT, when=str(started), typed=str(go)), script=(wait, say("I see."))
    )
    assert ended_well(outcome)
    assert calls.prompts == ["Hello."]
    assert [request.count(PROMPT) for request in outcome.requests] == [0, 1]
    assert not workspace.state.exists()


# --- a command in the background


def test_a_command_that_ends_answers_no_question(person: Person, workspace: Workspace) -> None:
    configure("copilot", person.workspace, "command")
    calls = listen(person)
    command = Turn(command=f"{calls.wait_for('Stop', 2)}", in_background=True)
    outcome = person.talks(
        Typed(PROMPT),
        Typed("Postgres"),
        script=(command, WORKING, ASK, say("Which database?"), say("Noted."), WORKING, FINISH, DONE),
    )
    assert ended_well(outcome)
    notified = [prompt for prompt in calls.prompts if prompt.startswith(NOTIFIED)]
    assert len(notified) == 1
    assert "Postgres" in the_question(workspace, outcome.session)["answer"]
    assert workspace.read("forge", outcome.session)["lifecycle_outcome"] == "finished"


@pytest.mark.full
def test_a_command_that_ends_starts_no_count_over(person: Person, workspace: Workspace) -> None:
    configure("copilot", person.workspace, "command")
    calls = listen(person)
    command = Turn(command=f"{calls.wait_for('Stop', HOLDS + 1)}", in_background=True)
    outcome = person.talks(Typed(PROMPT), script=(command, WORKING))
    assert ended_well(outcome)
    assert len([prompt for prompt in calls.prompts if prompt.startswith(NOTIFIED)]) == 1
    assert len(calls.of("Stop")) == HOLDS + 2
    assert len(outcome.requests) == 1 + HOLDS + 2
    assert workspace.active(outcome.session) == ["forge"]


# --- the agent's shell


def test_the_shell_of_the_agent_has_its_session_and_that_of_a_subagent_another(
    person: Person, workspace: Workspace
) -> None:
    configure("copilot", person.workspace, "command")
    write = f"'{os.path.dirname(sys.executable)}/rcs' state write --mode forge --set"
    outcome = person.types(
        PROMPT,
        run(f"{write} by=agent"),
        delegate("Look."),
        WORKING,
        FINISH,
        DONE,
        subagents=(run(f"{write} by=subagent"), say("It is there.")),
    )
    assert ended_well(outcome)
    record = workspace.read("forge", outcome.session)
    assert (record["by"], record["lifecycle_outcome"]) == ("agent", "finished")
    assert outcome.asides[-1].count("forge does not run in session ") == 1
    assert [path.name for path in (workspace.state / "sessions").iterdir()] == [outcome.session]


# --- from this repository


def test_the_plugin_of_this_repository_runs(person: Person, workspace: Workspace) -> None:
    person.options = (f"--plugin-dir={CHECKOUT}",)
    outcome = person.types(PROMPT, WORKING, FINISH, DONE)
    assert ended_well(outcome)
    assert counts(outcome, DETECTED) == [1, 1, 1]
    assert workspace.read("forge", outcome.session)["lifecycle_outcome"] == "finished"


# --- what ends a turn or a conversation otherwise


def test_after_esc_and_after_an_error_the_next_prompt_is_held(
    person: Person, workspace: Workspace, tmp_path: Path
) -> None:
    configure("copilot", person.workspace, "command")
    calls = listen(person)
    slow = say("Too late.", after=str(tmp_path / "never"))
    outcome = person.talks(
        Typed(PROMPT, turns=0),
        Typed("", stops=True, turns=0),
        Typed("Try again."),
        Typed("Go on."),
        script=(slow, fail(), WORKING, FINISH, DONE),
    )
    assert ended_well(outcome)
    assert len(calls.of("Stop")) == 2
    assert workspace.read("forge", outcome.session)["lifecycle_outcome"] == "finished"


@pytest.mark.full
def test_clear_compact_and_resume(person: Person, workspace: Workspace) -> None:
    configure("copilot", person.workspace, "command")
    person.env["RCS_STOP_MAX_BLOCKS"] = "1"
    calls = listen(person, "SessionStart")
    first = person.talks(
        Typed(PROMPT), Typed("/compact"), Typed("Go on."), script=(WORKING, WORKING, say("A summary."), WORKING)
    )
    assert ended_well(first)
    assert counts(first, DETECTED) == [1, 1, 1, 0, 0]
    assert [count > 0 for count in counts(first, REASON)] == [False, True, True, True, True]
    second = person.types("And now?", WORKING, resume=first.session)
    assert counts(second, ACTIVE) == [1, 1]
    third = person.talks(Typed("/clear", turns=0), Typed("Hello."), script=(WORKING,), resume=first.session)
    assert len(third.requests) == 1
    assert [start["source"] for start in calls.of("SessionStart")] == ["new", "resume", "new"]
    assert workspace.active(first.session) == ["forge"]


# --- what runs, below the prompt


def test_the_status_line_shows_what_runs(person: Person) -> None:
    configure("copilot", person.home, "command", "--statusline", scope="user")
    person.env["RCS_STOP_MAX_BLOCKS"] = "0"
    outcome = person.talks(
        Typed(PROMPT), Typed("", shows=r"rcs: forge starting 0/50 \(ship it\)", turns=0), script=(WORKING,)
    )
    assert ended_well(outcome)
