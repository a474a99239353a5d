"""A mode of one's own in the real clients: from `rcs modes new` in an empty project to the end of its run."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING

import pytest

from rcs_hooks.dashboard.sessions import list_sessions
from rcs_hooks.mcp import tools
from tests.own_modes import DIAGRAM
from tests.real_clients.configure import SAMPLED_WAYS, configure, rcs
from tests.real_clients.model_server import Turn, run, say
from tests.real_clients.test_turns import DONE, WORKING, counts, ended_well

if TYPE_CHECKING:
    from pathlib import Path

    from tests.real_clients.configure import Transport
    from tests.real_clients.driver import Outcome, Person
    from tests.support import Workspace

pytestmark = pytest.mark.slow

NAME = "release"


def new_mode(person: Person, *more: str) -> Path:
    """`rcs modes new release`, and what a person then edits: when it may start, how long it goes on, its machine."""
    done = rcs(person.workspace, person.home, "modes", "new", NAME)
    assert (done.returncode, done.stderr) == (0, "")
    found = (*person.workspace.rglob(f"{NAME}/SKILL.md"), *person.home.rglob(f"{NAME}/SKILL.md"))
    (file,) = {path.resolve() for path in found}
    text = file.read_text()
    head, _, rest = text.partition("metadata:\n")
    assert rest, text
    below = rest.partition("\n---")[2]
    metadata = ["rcs-kind: execution", "rcs-after: blueprint", "rcs-max-iterations: 3", *more]
    before, fence, after = below.partition("```mermaid\n")
    assert fence, text
    diagram = f"{DIAGRAM}```{after.partition('```')[2]}"
    lines = "".join(f"  {line}\n" for line in metadata)
    file.write_text(f"{head}metadata:\n{lines}---{before}{fence}{diagram}")
    checked = rcs(person.workspace, person.home, "machine", "check", str(file))
    assert checked.returncode == 0, checked.stdout + checked.stderr
    return file


WRITE = rf"([\w./-]*rcs) state write --mode {NAME}\b.*?--session ([\w-]+)"
"""Any command for a write to this mode, which the hooks have shown: the program and the session are taken from it."""


def to(phase: str) -> Turn:
    return run(rf"\1 state write --mode {NAME} --session \2 --phase {phase}", WRITE)


FINISH = run(rf"\1 state write --mode {NAME} --session \2 --outcome finished", WRITE)
ASK = Turn(
    command=r"\1 question ask --mode release --session \2 --text 'Which registry?' --option test --option live",
    find=rf"([\w./-]*rcs) question ask --mode {NAME}\b.*?--session ([\w-]+)",
)


def is_shown_at_the_prompt(person: Person, outcome: Outcome, words: str) -> bool:
    """The person reads these words, where the client shows what a hook says to a prompt."""
    return any(words in text for text in outcome.shown) == ("started" in person.adapter.shows)


def heard(outcome: Outcome, words: str) -> bool:
    return any(counts(outcome, words))


@SAMPLED_WAYS
def test_a_mode_of_ones_own_starts_is_held_loops_and_ends(
    person: Person, workspace: Workspace, transport: Transport
) -> None:
    configure(person.client, person.workspace, transport)
    person.trusts(person.workspace, approved=person.workspace if person.client == "codex" else None)
    new_mode(person)
    outcome = person.types(
        f"${NAME} ship version 2",
        WORKING,  # held
        to("fixing"),  # not legal from here
        to("verifying"),
        to("fixing"),
        to("verifying"),  # a second round
        WORKING,  # held again
        FINISH,
        DONE,
        shown=True,
    )
    assert ended_well(outcome)
    assert is_shown_at_the_prompt(person, outcome, f"rcs: {NAME} started")
    assert f"active: {NAME} (phase starting" in "\n".join(outcome.requests[0].texts())
    assert heard(outcome, "Write the list of checks, a command for each line")
    refused = "\n".join(outcome.requests[3].texts())
    assert "fixing" in refused
    assert "verifying" in refused
    record = workspace.read(NAME, outcome.session)
    assert (record["lifecycle_outcome"], record["active"], record["iteration"]) == ("finished", False, 2)
    assert workspace.active(outcome.session) == []
    history = (workspace.folder(outcome.session) / "history.jsonl").read_text().splitlines()
    told = [(event["event"], event["to"]) for event in map(json.loads, history) if event["mode"] == NAME]
    assert [to for event, to in told if event == "phase"] == ["verifying", "fixing", "verifying"]
    assert told[0][0] == "started"
    assert told[-1][0] == "outcome"


def test_it_waits_for_the_persons_answer(person: Person, workspace: Workspace) -> None:
    configure(person.client, person.workspace, "command")
    new_mode(person)
    asked = person.types(f"${NAME} ship version 2", WORKING, ASK, say("Which registry?"))
    assert ended_well(asked)
    assert len(asked.requests) == 3
    assert workspace.active(asked.session) == [NAME]
    answered = person.types("live", WORKING, to("verifying"), FINISH, DONE, resume=asked.session)
    assert ended_well(answered)
    assert answered.requests[0].count(f'{NAME} waited for the user\'s answer to "Which registry?"') == 1
    assert workspace.read(NAME, asked.session)["lifecycle_outcome"] == "finished"


def test_blueprint_hands_over_to_it_and_it_runs_beside_ultrawork(person: Person, workspace: Workspace) -> None:
    configure(person.client, person.workspace, "command")
    person.env["RCS_STOP_MAX_BLOCKS"] = "0"
    new_mode(person)
    first = person.types("$blueprint plan version 2", WORKING)
    second = person.types(f"${NAME} ship it", WORKING, resume=first.session)
    third = person.types("$ultrawork on top", WORKING, resume=first.session)
    assert [ended_well(outcome) for outcome in (first, second, third)] == [True] * 3
    assert second.requests[0].count(f"mode transiting: blueprint -> {NAME}") == 1
    assert workspace.read("blueprint", first.session)["transition_target_mode"] == NAME
    assert workspace.active(first.session) == [NAME, "ultrawork"]


def test_every_surface_shows_it(person: Person, workspace: Workspace) -> None:
    configure(person.client, person.workspace, "command")
    person.env["RCS_STOP_MAX_BLOCKS"] = "0"
    new_mode(person)
    outcome = person.types(f"${NAME} ship version 2", WORKING)
    session = outcome.session

    def said(*words: str) -> str:
        done = rcs(person.workspace, person.home, *words)
        assert done.returncode == 0, done.stderr
        return done.stdout

    assert f"{NAME} starting 1/3" in said("hud", "--session", session)
    assert f"- {NAME}: phase starting" in said("overlay", "show", "--session", session)
    assert "ship version 2" in said("status")
    assert NAME in said("log", "--session", session)
    status = json.loads(said("state", "get-status", "--json", "--session", session))["statuses"][NAME]
    assert (status["phase"], status["can_finish"], status["title"]) == ("starting", False, "ship version 2")
    assert NAME in [mode["name"] for mode in json.loads(said("modes", "--json"))]
    answer, is_error = tools.call(
        "state_get_status", {"mode": NAME, "session_id": session}, {"HOME": str(person.home)}, str(person.workspace)
    )
    assert not is_error
    assert list(json.loads(answer)["statuses"]) == [NAME]
    (shown,), _ = list_sessions([str(person.workspace)], time.time(), limit=9, block_limit=5)
    assert [(mode["mode"], mode["active"], mode["phase"]) for mode in shown["modes"]] == [(NAME, True, "starting")]


def test_a_mode_that_a_clone_brings_is_named_to_the_person(person: Person, workspace: Workspace) -> None:
    configure(person.client, person.workspace, "command")
    person.trusts(person.workspace, approved=person.workspace if person.client == "codex" else None)
    person.env["RCS_STOP_MAX_BLOCKS"] = "0"
    file = new_mode(person)
    brought = person.workspace / ".claude/skills" / NAME / "SKILL.md"
    if file != brought:
        brought.parent.mkdir(parents=True, exist_ok=True)
        file.rename(brought)
    outcome = person.types(f"${NAME} ship version 2", WORKING, shown=True)
    assert ended_well(outcome)
    assert is_shown_at_the_prompt(person, outcome, f"{NAME} is this project's mode")


def test_a_fault_starts_nothing_and_names_the_line(person: Person, workspace: Workspace) -> None:
    configure(person.client, person.workspace, "command")
    person.trusts(person.workspace, approved=person.workspace if person.client == "codex" else None)
    file = new_mode(person)
    lines = file.read_text().splitlines()
    number = next(at for at, line in enumerate(lines, 1) if "rcs-kind" in line)
    file.write_text(file.read_text().replace("rcs-kind: execution", "rcs-kind: wild"))
    outcome = person.types(f"${NAME} ship version 2", say("Hello."), shown=True)
    assert ended_well(outcome)
    assert is_shown_at_the_prompt(person, outcome, f"SKILL.md:{number}: ")
    assert not workspace.mode_path(NAME, outcome.session).exists()
