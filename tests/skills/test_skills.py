"""The skills that ship: each command in them is pasted into a shell, where a prompt has started the mode."""

from __future__ import annotations

import json
import re
import shlex
from typing import TYPE_CHECKING

import pytest

from rcs_hooks.catalog import MODES, SKILLS
from rcs_hooks.mode_def import END
from rcs_hooks.workflow.lifecycle import PUBLIC
from tests.skills.desk import SESSION
from tests.skills.reading import MODE, NAMES, body_of, commands_of, option, section
from tests.table import each_row

if TYPE_CHECKING:
    from tests.skills.desk import Desk

ENDING = [word for word in PUBLIC if word != "askuserQuestion"]
LEADS_TO = {"brief": {"$blueprint"}, "blueprint": {"$crew", "$forge", "$autoforge"}}
BEFORE = {"brief": ("closing",), "autoforge": ("forge", "code-review")}
"""The phases that an agent has entered before it pastes what its skill shows."""
WAY = {
    "brief": ["boundaries", "closing", "boundaries", "closing"],
    "blueprint": ["reviewing", "planning", "reviewing"],
    "autoresearch": ["checking", "executing", "checking"],
    "crew": ["executing", "verifying", "fixing", "verifying"],
    "forge": ["executing", "verifying", "fixing", "verifying", "fixing", "executing", "verifying"],
    "autoforge": ["forge", "code-review", "blueprint", "forge", "code-review"],
    "ultrawork": ["executing", "verifying", "executing", "verifying"],
    "ultraqa": ["running", "fixing", "running"],
}
"""A way from the first phase to one that may finish, over every kind of way back."""


@pytest.mark.parametrize("name", NAMES)
def test_every_command_does_what_its_words_say(name: str, desk: Desk) -> None:
    commands = commands_of(name)
    assert commands
    for command in commands:
        for mode in str(option(command, "--mode") or "forge").split(","):
            if mode not in desk.active_now() and "--active" not in command:
                desk.prompt(f"${MODES[mode].skill} go")
                desk.enter(mode, *BEFORE.get(name, ()))
        _has_effect(desk, command, desk.works(command))


def _has_effect(desk: Desk, command: str, said: str) -> None:
    words = shlex.split(command)
    if words[1] == "emit":
        assert said.startswith("RUN 1: detect")
    elif words[1] == "prove":
        for mode in str(option(command, "--mode")).split(","):
            record = desk.read(mode)
            assert (record["lifecycle_outcome"], record["proof"]["state"]) == ("finished", "proven")
        assert not desk.stop().blocks
    elif words[2] == "list-active":
        assert said.strip().endswith("forge")
    elif words[2] == "clear":
        assert not desk.mode_path(str(option(command, "--mode"))).exists()
        assert not desk.stop().blocks
    elif words[2] == "ask":
        record = desk.read(str(option(command, "--mode")))
        assert record["lifecycle_outcome"] == "askuserQuestion"
        assert str(option(command, "--text")) in said
        desk.prompt(str(option(command, "--option")))
    else:
        assert words[1:3] == ["state", "write"], command
        for mode in str(option(command, "--mode")).split(","):
            _is_recorded(desk, mode, command)
        assert desk.stop().blocks is ("--outcome" not in words)


def _is_recorded(desk: Desk, mode: str, command: str) -> None:
    record, words = desk.read(mode), shlex.split(command)
    for given, field in (
        ("--phase", "current_phase"),
        ("--outcome", "lifecycle_outcome"),
        ("--plan", "plan"),
        ("--brief", "brief"),
    ):
        if (value := option(command, given)) is not None:
            assert str(record[field]) == value
    if (verdict := option(command, "--verdict")) is not None:
        assert record["state"]["review_verdict"] == verdict
        assert (record["state"].get("return_to_blueprint_reason") or None) == option(command, "--reason")
    for pair in (words[place + 1] for place, word in enumerate(words) if word == "--set"):
        key, value = pair.split("=", 1)
        assert record["state"][key.removeprefix("state.")] == value
    if "--active" in words:
        assert mode in desk.active_now()


@pytest.mark.parametrize("name", MODE)
def test_without_a_hook_the_mode_is_started_by_hand(name: str, desk: Desk) -> None:
    (command,) = section(name, "Does it run?").commands
    desk.works(command)
    assert desk.active_now() == [MODE[name]]
    record, mode = desk.read(MODE[name]), MODES[MODE[name]]
    assert record["session_id"] == SESSION
    assert (record["current_phase"], record.get("iteration")) == (mode.first_phase, mode.iteration)


@each_row("name", [name for name in MODE if name not in ("ultraqa", "ultrawork")])
def test_a_start_by_hand_is_refused_like_a_prompt(name: str, desk: Desk) -> None:
    desk.prompt("$ultraqa go")
    (command,) = section(name, "Does it run?").commands
    done = desk.paste(command)
    assert done.returncode == 1
    assert f"Cannot activate {MODE[name]} while ultraqa is still active." in done.stderr
    assert desk.active_now() == ["ultraqa"]


# --- the whole way


@each_row("name", MODE)
def test_from_the_first_phase_to_the_end_over_each_way_back(name: str, desk: Desk) -> None:
    mode = MODES[MODE[name]]
    taken = set(zip([mode.first_phase, *WAY[name]], [*WAY[name], END], strict=True))
    assert taken >= {edge[:2] for edge in mode.edges} - {("intent-first", "closing")}, "an edge that nothing takes"
    assert f"active: {mode.name} (phase {mode.first_phase}" in desk.prompt(f"${name} go").context
    for phase in WAY[name]:
        desk.enter(mode.name, phase)
        assert desk.read(mode.name)["current_phase"] == phase
        if desk.read(mode.name).get("iteration", 0) != mode.max_iterations:
            assert desk.stop(message="Working.").blocks, phase
    if mode.is_planning:
        desk.works(f"rcs state write --mode {mode.name} --outcome finished")
    for command in section(name, "Work").commands[-2:]:
        if "--verdict clean" in command or "rcs prove" in command:
            desk.works(command)
    ended = desk.stop(message="Outcome: finished. Evidence: 4 passed. Artifacts / state: a.py. Handoff: nothing to do.")
    assert not desk.read(mode.name).get("early")
    said = {} if mode.is_planning else {"systemMessage": f"rcs: {mode.name} finished, proven by `true`."}
    assert ended.output == said
    assert desk.active_now() == []


@each_row("word", ENDING)
@each_row("name", MODE)
def test_each_outcome_ends_the_run(name: str, word: str, desk: Desk) -> None:
    desk.prompt(f"${name} go")
    assert desk.stop().blocks
    desk.works(f"rcs state write --mode {MODE[name]} --outcome {word}")
    assert not desk.stop().blocks
    assert desk.read(MODE[name])["lifecycle_outcome"] == word


@pytest.mark.parametrize("name", MODE)
def test_a_question_waits_and_the_next_prompt_answers_it(name: str, desk: Desk) -> None:
    assert "question ask" in body_of(name)
    context = desk.prompt(f"${name} go").context
    ask = re.search(r"(?:'[^'\n]*/rcs'|\S*rcs) question ask .*", context)
    assert ask, "the skill relies on the hook to show the command"
    assert "end the turn" in desk.works(ask[0])
    assert not desk.stop(message="Which one?").blocks
    desk.prompt("The first.")
    assert desk.read(MODE[name])["current_phase"] == MODES[MODE[name]].first_phase
    assert desk.stop().blocks


# --- what single skills say


@pytest.mark.parametrize("name", LEADS_TO)
def test_a_planning_skill_names_what_it_hands_over_to(name: str, desk: Desk) -> None:
    handoff = body_of(name).rpartition("Handoff: ")[2].partition("\n\n")[0]
    assert set(re.findall(r"\$[a-z]+", handoff)) == LEADS_TO[name]
    for token in sorted(LEADS_TO[name]):
        desk.prompt(f"$cancel ${name}")
        desk.prompt(token)
        assert desk.active_now() == [SKILLS[token[1:]]]
        assert desk.read(MODE[name])["current_phase"] == "completed"


@pytest.mark.parametrize("name", LEADS_TO)
def test_what_is_deferred_is_offered_once_the_planning_has_ended(name: str, desk: Desk) -> None:
    assert "deferred skills: forge" in desk.prompt(f"${name} $forge ship it").context
    desk.works(f"rcs state write --mode {MODE[name]} --outcome finished")
    assert "deferred: $forge" in desk.prompt("And now?").context
    assert desk.active_now() == []


def test_a_question_of_the_interview_that_is_not_recorded_is_blocked(desk: Desk) -> None:
    assert "only in your message holds Stop" in " ".join(body_of("brief").split())
    desk.prompt("$brief a login")
    assert desk.stop(message="Who may log in?").blocks


def test_autoforge_does_not_finish_while_its_review_is_not_clean(desk: Desk) -> None:
    not_clean, clean, prove = section("autoforge", "Work").commands
    desk.prompt("$autoforge go")
    desk.enter("autopilot", "forge", "code-review")
    desk.works(not_clean)
    assert desk.paste("rcs state write --mode autopilot --outcome finished").returncode == 1
    assert desk.paste(prove).returncode == 1
    desk.works(clean)
    desk.works(prove)


def test_the_third_reject_of_a_plan_is_the_last(desk: Desk) -> None:
    desk.prompt("$blueprint go")
    desk.enter("blueprint", "reviewing", "planning", "reviewing", "planning", "reviewing")
    assert desk.read("blueprint")["iteration"] == 3
    refused = desk.paste("rcs state write --mode blueprint --phase planning")
    assert refused.returncode == 1
    assert json.dumps(desk.read("blueprint")["current_phase"]) == '"reviewing"'
    desk.works("rcs state write --mode blueprint --outcome finished")
