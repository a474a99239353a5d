"""Gemini CLI's own ways: Stops at which nothing was said, no limit on blocks, and reasons that come back as prompts."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.real_clients.adapters.adapter import add_entry
from tests.real_clients.configure import configure, hooks_file
from tests.real_clients.driver import Typed
from tests.real_clients.listening import set_up
from tests.real_clients.model_server import begin, fail, run, say
from tests.real_clients.test_turns import ASK, DETECTED, DONE, FINISH, LET_GO, REASON, WORKING, counts, ended_well

if TYPE_CHECKING:
    from pathlib import Path

    from tests.real_clients.driver import Person
    from tests.real_clients.listening import Calls
    from tests.support import Record, Workspace

pytestmark = [pytest.mark.slow, pytest.mark.parametrize("client", ["gemini"])]

START, GO_ON = "$forge go", "go on"
IDLE = 3
"""Seconds: a client that spins calls its hooks several times in each."""
HOLDS = 5


def said_at(calls: Calls) -> list[str]:
    """What the client tells at each Stop: all that was said since the prompt, in one line."""
    return [call["prompt_response"].replace("\n", " ") for call in calls.of("Stop")]


def is_reason(prompt: str) -> bool:
    return prompt.startswith("[rcs] ") and REASON in prompt


def typed_in(calls: Calls) -> list[str]:
    return [prompt for prompt in calls.prompts if not is_reason(prompt)]


def notes_of(workspace: Workspace, session: str) -> Record:
    record: Record = json.loads((workspace.folder(session) / "hook-ledger.json").read_text())
    return record


# --- a Stop at which the agent has nothing more to say


NOTHING = "[no response text]"


@pytest.mark.parametrize(
    ("how", "stops"),
    [
        ("before a word", [NOTHING]),
        ("in the middle", ["Half of it"]),
        pytest.param("in a continuation", ["I work.", "I work. Half of it"], marks=pytest.mark.full),
        ("in a tool", []),
    ],
)
def test_after_esc_nothing_is_held_and_the_run_goes_on_with_the_next_prompt(
    how: str, stops: list[str], person: Person, workspace: Workspace, tmp_path: Path
) -> None:
    never, started = str(tmp_path / "never"), tmp_path / "started"
    calls = set_up(person, "command")
    person.env["RCS_STOP_MAX_BLOCKS"] = "1"
    half = begin("Half of it", "Too late.", after=never)
    script = {
        "before a word": (say("Too late.", after=never),),
        "in the middle": (half,),
        "in a continuation": (WORKING, half),
        "in a tool": (run(f"touch '{started}'; until [ -e '{never}' ]; do sleep 0.02; done"),),
    }[how]
    shows = "Half of it" if half in script else ""
    when = str(started) if how == "in a tool" else ""
    esc = Typed("", stops=True, shows=shows, when=when, turns=0, rests=IDLE)
    outcome = person.talks(Typed(START, turns=0), esc, Typed(GO_ON), script=(*script, say("Here.")))
    assert ended_well(outcome)
    assert said_at(calls) == [*stops, "Here.", "Here. Here."]
    assert typed_in(calls) == [START, GO_ON]
    assert len(outcome.requests) == len(script) + 2
    assert "Agent execution blocked" not in outcome.screens[1].partition("Request cancelled")[2]
    assert workspace.active(outcome.session) == ["forge"]


@pytest.mark.parametrize("before", [(), pytest.param((WORKING,), marks=pytest.mark.full)])
def test_after_an_error_of_the_model_nothing_is_held(before: tuple[()], person: Person, workspace: Workspace) -> None:
    calls = set_up(person, "command")
    person.env["RCS_STOP_MAX_BLOCKS"] = "1"
    script = (*before, fail(), say("Here."))
    outcome = person.talks(Typed(START, rests=IDLE), Typed(GO_ON), script=script)
    assert ended_well(outcome)
    assert said_at(calls) == [*(["I work."] * 2 if before else [NOTHING]), "Here.", "Here. Here."]
    assert len(outcome.requests) == len(script) + 1
    assert workspace.active(outcome.session) == ["forge"]


def test_after_an_error_with_p_the_run_is_still_there(person: Person, workspace: Workspace) -> None:
    calls = set_up(person, "command")
    person.env["RCS_STOP_MAX_BLOCKS"] = "0"
    first = person.types(START, WORKING)
    second = person.types(GO_ON, fail(), resume=first.session)
    assert second.status not in (0, None)
    third = person.types(GO_ON, say("Here."), resume=first.session)
    assert ended_well(third)
    assert said_at(calls) == ["I work.", "Here."]
    assert len(third.requests) == 1
    assert workspace.active(first.session) == ["forge"]


def test_after_its_loop_detection_nothing_spins(person: Person, workspace: Workspace) -> None:
    """It ends a turn in which the agent calls the same tool five times."""
    calls = set_up(person, "command")
    outcome = person.types(START, run("true"))
    assert "Loop detected, stopping execution" in outcome.out
    assert len(outcome.requests) <= 8
    assert calls.of("Stop") == []
    assert workspace.active(outcome.session) == ["forge"]


# --- continuations


def test_five_continuations_without_progress_whatever_the_agent_does(person: Person, workspace: Workspace) -> None:
    """One calls a tool, after which the client says `stop_hook_active` false again; the others say the same words."""
    calls = set_up(person, "command")
    outcome = person.types(START, WORKING, run("true"), WORKING)
    assert ended_well(outcome)
    assert len(calls.of("Stop")) == HOLDS + 1
    assert [call["stop_hook_active"] for call in calls.of("Stop")] == [False, False, *[True] * 4]
    assert len(outcome.requests) == 1 + HOLDS + 1
    assert list(map(is_reason, calls.prompts)) == [False, *[True] * HOLDS]
    assert counts(outcome, DETECTED) == [1] * len(outcome.requests)
    assert notes_of(workspace, outcome.session)["stops"]["of_prompt"] == HOLDS
    assert workspace.active(outcome.session) == ["forge"]


def test_a_continuation_that_only_calls_a_tool_ends_the_turn(person: Person, workspace: Workspace) -> None:
    calls = set_up(person, "command")
    outcome = person.types(START, WORKING, run("true"), say(""))
    assert said_at(calls)[:1] == ["I work."]
    assert len(calls.of("Stop")) <= 2
    assert len(outcome.requests) <= 10
    assert workspace.active(outcome.session) == ["forge"]


@pytest.mark.full
def test_with_progress_each_time_at_most_fifty(person: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    """The client's own loop detection, which asks the model after thirty turns, is off."""
    monkeypatch.setattr("tests.real_clients.driver.SECONDS", 600)
    calls = set_up(person, "command")
    file = hooks_file(person.client, person.workspace)
    file.write_text(json.dumps(json.loads(file.read_text()) | {"model": {"disableLoopDetection": True}}))
    words = r"(?<=: )(.*rcs'? state write --mode [\w,]+ )--phase [\w-]+(.*)$"
    steps = [(say(f"Step {number}."), run(rf"\1 --set state.step={number}\2", words)) for number in range(60)]
    outcome = person.types(START, *(turn for step in steps for turn in step))
    assert outcome.status == 0
    assert sum(map(is_reason, calls.prompts)) == 50


# --- the reason comes back as a prompt


def block(person: Person, folder: Path, reason: str, *, times: int, sequential: bool = False, takes: float = 0) -> None:
    """Adds another tool's hook, which blocks that many Stops. `takes`: in seconds."""
    folder.mkdir()
    script = folder / "lint.sh"
    script.write_text(
        f"#!/bin/sh\ncat > /dev/null\nsleep {takes}\nn=$(ls '{folder}' | wc -l)\n[ $n -gt {times} ] && exit 0\n"
        f"touch '{folder}'/$n\necho '{json.dumps({'decision': 'block', 'reason': reason})}'\n"
    )
    script.chmod(0o755)
    handler = {"type": "command", "command": f"'{script}'", "name": "lint", "timeout": 30000}
    file = hooks_file(person.client, person.workspace)
    add_entry(file, "AfterAgent", {"hooks": [handler]} | ({"sequential": True} if sequential else {}))


@pytest.mark.parametrize("sequential", [False, pytest.param(True, marks=pytest.mark.full)])
def test_the_reasons_of_two_hooks_are_joined_and_reset_no_count(
    sequential: bool, person: Person, workspace: Workspace, tmp_path: Path
) -> None:
    calls = set_up(person, "command")
    block(person, tmp_path / "lint", "The linter has findings.", times=2, sequential=sequential)
    outcome = person.types(START, WORKING)
    assert ended_well(outcome)
    both = [prompt for prompt in calls.prompts if "The linter has findings." in prompt]
    assert [is_reason(prompt) for prompt in both] == [True, True]
    assert len(calls.of("Stop")) == HOLDS + 1
    assert counts(outcome, DETECTED) == [1] * len(outcome.requests)
    assert notes_of(workspace, outcome.session)["stops"]["of_prompt"] == HOLDS


def test_the_reason_of_a_slow_program_answers_no_question(person: Person, workspace: Workspace, tmp_path: Path) -> None:
    """It comes later than a prompt that waited while the agent asked."""
    set_up(person, "command")
    block(person, tmp_path / "lint", "The linter has findings.", times=1, takes=3)
    outcome = person.talks(
        Typed(START), Typed("Postgres"), script=(ASK, say("Which database?"), say("None now."), FINISH, DONE)
    )
    assert ended_well(outcome)
    (file,) = (workspace.folder(outcome.session) / "questions").glob("*.json")
    assert "Postgres" in json.loads(file.read_text())["answer"]


@pytest.mark.parametrize("scopes", [("project", "user")])
def test_set_up_twice_the_same_command_runs_once(scopes: tuple[str, ...], person: Person, workspace: Workspace) -> None:
    calls = set_up(person, "command")
    configure(person.client, person.home, "command", scope="user")
    outcome = person.types(START, WORKING, FINISH, DONE)
    assert ended_well(outcome)
    assert counts(outcome, DETECTED) == [1, 1, 1]
    assert len(calls.prompts) == 2
    assert workspace.active(outcome.session) == []


# --- what the person sees


def test_the_person_is_shown_why_and_that_the_turn_ends(person: Person) -> None:
    configure(person.client, person.workspace, "command")
    person.env["RCS_STOP_MAX_BLOCKS"] = "1"
    outcome = person.talks(Typed(START), script=(WORKING,))
    assert ended_well(outcome)
    screen = outcome.screens[-1]
    assert screen.count("rcs: forge started [rcs]") == 1
    assert screen.count("Agent execution blocked: rcs: forge goes on: starting.") == 1
    assert screen.count("rcs: forge goes on: starting. [rcs]") == 1
    assert screen.count(LET_GO) == 1
    assert "--session" not in screen
