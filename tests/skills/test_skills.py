"""The skills that ship: each command in them is pasted into a shell, where a prompt has started the mode."""

from __future__ import annotations

import re
import shlex
from typing import TYPE_CHECKING

import pytest

from rcs_hooks.catalog import MODES
from tests.skills.desk import SESSION
from tests.skills.reading import MODE, NAMES, body_of, commands_of, option, section
from tests.skills.test_form import PARTS
from tests.table import each_row

if TYPE_CHECKING:
    from tests.skills.desk import Desk

LEADS_TO = {"brief": {"$blueprint"}, "blueprint": {"$crew", "$forge", "$autoforge"}}
BEFORE = {"brief": ("closing",), "autoforge": ("forge", "code-review")}
"""The phases that an agent has entered before it pastes what its skill shows."""


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
    fields = {"--phase": "current_phase", "--outcome": "lifecycle_outcome", "--plan": "plan", "--brief": "brief"}
    for given, field in fields.items():
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


@each_row("name", LEADS_TO)
def test_a_planning_skill_names_what_it_hands_over_to(name: str) -> None:
    handoff = body_of(name).rpartition("Handoff: ")[2].partition("\n\n")[0]
    assert set(re.findall(r"\$[a-z]+", handoff)) == LEADS_TO[name]


def test_autoforge_does_not_finish_while_its_review_is_not_clean(desk: Desk) -> None:
    not_clean, clean, prove = section("autoforge", "Work").commands
    desk.prompt("$autoforge go")
    desk.enter("autopilot", "forge", "code-review")
    desk.works(not_clean)
    assert desk.paste("rcs state write --mode autopilot --outcome finished").returncode == 1
    assert desk.paste(prove).returncode == 1
    desk.works(clean)
    desk.works(prove)


def test_cancel_has_ended_what_the_file_says_it_has(desk: Desk) -> None:
    done = section("cancel", "What the hook has done").text
    desk.prompt("$team $forge go")
    desk.works('rcs question ask --mode forge --session SESSION --text "Which database?"')
    desk.prompt("$forge go", "s2")
    context = desk.prompt("$cancel").context
    assert "cancelled: team + forge (userinterlude)" in context
    assert "cancelled: forge + team (userinterlude)" in done
    assert {desk.read(mode)["lifecycle_outcome"] for mode in ("team", "forge")} == {"userinterlude"}
    assert desk.works("rcs question list") == "no open question\n"
    assert not desk.stop().blocks
    assert desk.stop("s2").blocks
    assert "cancelled: nothing was active" in desk.prompt("$cancel").context
    assert "cancelled: nothing was active" in done
    assert re.findall(r"\*\*(.+?)\*\*:", body_of("cancel")) == PARTS
