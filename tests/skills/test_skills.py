"""The skills that ship: each command in them is pasted into a shell, where a prompt has started the mode."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
from typing import TYPE_CHECKING, Any

import pytest

from rcs_hooks.catalog import CANCEL, MODES, SKILLS
from rcs_hooks.mcp import tools
from rcs_hooks.workflow.last_message import SOFTENER, find_softener
from rcs_hooks.workflow.lifecycle import PUBLIC, spelled
from tests.skills.reading import (
    FENCE,
    NAMES,
    Section,
    body_of,
    front_of,
    option,
    sections_of,
    text_of,
)
from tests.skills.reading import (
    SKILLS as FOLDER,
)
from tests.support import RCS_HOOK, Answer, Workspace, clean_env, hook_here, paste
from tests.table import each_row

if TYPE_CHECKING:
    from pathlib import Path

SESSION = "s1"
MODE = {
    "brief": "deep-interview",
    "blueprint": "blueprint",
    "forge": "forge",
    "crew": "team",
    "autoforge": "autopilot",
}
PHASES = {
    "brief": ["intent-first"],
    "blueprint": ["planning"],
    "forge": ["starting", "executing", "verifying", "fixing"],
    "crew": ["starting", "executing", "verifying", "fixing"],
    "autoforge": ["blueprint", "forge", "code-review"],
}
"""The phases in the order in which they are entered, in the contract's words."""
ROUNDS = {
    "brief": ["intent-first"],
    "blueprint": ["planning"],
    "forge": ["executing", "verifying", "fixing", "verifying"],
    "crew": ["executing", "verifying", "fixing", "verifying"],
    "autoforge": ["forge", "code-review"],
}
"""The phases that are recorded after the first one if all goes as the file says."""
LEADS_TO = {
    "brief": {"$blueprint"},
    "blueprint": {"$crew", "$forge", "$autoforge"},
}
ENDING = [word for word in PUBLIC if word != "askuserQuestion"]
PARTS = ["Outcome", "Evidence", "Artifacts / state", "Handoff"]


class Desk(Workspace):
    """A workspace with the real clock, where commands are typed into a shell."""

    def __init__(self, root: Path) -> None:
        super().__init__(root)
        path = os.pathsep.join((str(RCS_HOOK.parent), os.environ["PATH"]))
        self.shell = clean_env(PATH=path, RCS_DB=str(root / "runs.db"))

    def call(self, event: str, session: str = SESSION, **fields: object) -> Answer:
        line, status = hook_here(self.payload(event, session, **fields), cwd=self.root, env=self.shell)
        assert status == 0
        return Answer(event, line)

    def paste(self, command: str) -> subprocess.CompletedProcess[str]:
        command = command.replace("SESSION", SESSION)
        return paste(command, cwd=self.root, env=self.shell)

    def works(self, command: str) -> str:
        done = self.paste(command)
        assert (done.returncode, done.stderr) == (0, ""), f"{command}: {done.stderr}"
        return done.stdout

    def active_now(self) -> list[str]:
        """Return the active modes that `rcs state list-active` names."""
        answer = json.loads(self.works(f"rcs state list-active --session {SESSION} --json"))
        return list(answer["active_modes"])


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    (tmp_path / ".git").mkdir()
    return Desk(tmp_path)


def section(name: str, title: str) -> Section:
    return next(each for each in sections_of(name) if each.title.startswith(title))


def question(name: str) -> str:
    (command,) = [command for each in sections_of(name) for command in each.commands if " ask " in command]
    return command


def phases(name: str) -> list[str]:
    """Return the commands of the section that records phases."""
    return section(name, "Phase" if len(PHASES[name]) > 1 else "The phase").commands


def outcome(name: str) -> str:
    (command,) = section(name, "The end").commands
    return command


# --- the form of the files


def test_a_skill_ships_for_each_name_that_leads() -> None:
    assert set(NAMES) <= {each.name for each in FOLDER.iterdir()}
    assert {name: SKILLS[name] for name in NAMES} == MODE | {CANCEL: CANCEL}


@each_row("name", NAMES)
def test_the_front_matter_is_what_both_clients_read(name: str) -> None:
    front = front_of(name)
    assert list(front) == ["name", "description"]
    assert front["name"] == name
    assert 50 < len(front["description"]) <= 500
    assert not set("<>") & set(front["description"])


@each_row("name", NAMES)
def test_the_description_has_every_token_that_a_person_may_type(name: str) -> None:
    tokens = MODES[MODE[name]].tokens if name in MODE else (CANCEL,)
    told = re.findall(r"\$([a-z-]+)", front_of(name)["description"])
    assert set(told) == set(tokens)
    assert f"/{name}" in front_of(name)["description"]


@each_row("name", NAMES)
def test_a_skill_is_short(name: str) -> None:
    text = text_of(name)
    assert len(text.encode()) < 5_000
    assert len(text.splitlines()) <= 125


@each_row("name", NAMES)
def test_no_skill_offers_anything(name: str) -> None:
    assert find_softener(text_of(name)) is None
    assert not re.search(SOFTENER, " ".join(text_of(name).split())), "not even as an example in quotes"


@each_row("name", NAMES)
def test_a_skill_is_the_same_on_every_machine_and_in_every_client(name: str) -> None:
    text = text_of(name)
    assert not re.search(r"(?<![\w.])(?:/(?:work|home|Users|root|tmp|usr|opt|var|etc)\b|~/|[A-Z]:\\)", text)
    # Claude Code fills these in or runs them; Codex leaves them as they are.
    assert not re.search(r"\$(?:\{|\d|ARGUMENTS)|!`", text)
    assert text.isascii()


@each_row("name", NAMES)
def test_every_fence_is_for_a_shell_and_is_closed(name: str) -> None:
    diagram = re.compile(r"^```mermaid\n.*?^```$", re.MULTILINE | re.DOTALL)
    assert "```" not in diagram.sub("", FENCE.sub("", body_of(name)))


@each_row("name", MODE)
def test_a_skill_names_the_runtime_mode_in_every_command(name: str) -> None:
    for each in sections_of(name):
        modes = {option(command, "--mode") for command in each.commands if not command.startswith("rcs emit ")}
        assert modes <= {MODE[name], *(["blueprint"] if name == "autoforge" else [])}, each.title


# --- what they say of the contract


@each_row("name", MODE)
def test_the_phases_are_those_of_the_catalogue_in_order(name: str) -> None:
    assert PHASES[name][0] == MODES[MODE[name]].first_phase
    text = section(name, "Phase" if len(PHASES[name]) > 1 else "The phase").text
    listed = re.findall(r"^\d\. `([a-z-]+)`:", text, re.MULTILINE) or re.findall(r"one, `([a-z-]+)`,", text)
    assert listed == PHASES[name]
    assert [spelled(phase) for phase in PHASES[name]] == [None] * len(PHASES[name]), "it would end the run"


@each_row("name", MODE)
def test_each_word_that_is_warned_of_does_end_the_run(name: str) -> None:
    warned = re.search(r"Words such as (.*?) are no phases", " ".join(body_of(name).split()))
    if len(PHASES[name]) == 1:
        assert warned is None
    else:
        assert warned
        assert all(spelled(word) in ENDING for word in re.findall(r"`([a-z]+)`", warned[1]))


@each_row("name", MODE)
def test_the_end_has_every_outcome_and_the_four_parts(name: str) -> None:
    end = section(name, "The end").text
    assert sorted(re.findall(r"^- `(\w+)`:", end, re.MULTILINE)) == sorted(ENDING)
    assert re.findall(r"^- \*\*(.+?)\*\*:", end, re.MULTILINE) == PARTS
    assert "`askuserQuestion`" in body_of(name)


def test_cancel_hands_over_in_four_parts_too() -> None:
    assert re.findall(r"\*\*(.+?)\*\*:", body_of("cancel")) == PARTS


@pytest.mark.parametrize("name", LEADS_TO)
def test_a_planning_skill_names_what_it_hands_over_to(name: str, desk: Desk) -> None:
    first = re.search(r"types (.*?), the hook completes", " ".join(section(name, "The end").text.split()))
    assert first
    assert set(re.findall(r"\$[a-z]+", first[1])) == LEADS_TO[name]
    for token in sorted(LEADS_TO[name]):
        desk.prompt(f"$cancel ${name}")
        desk.prompt(token)
        assert desk.active_now() == [SKILLS[token[1:]]]
        assert desk.read(MODE[name])["current_phase"] == "completed"


@pytest.mark.parametrize("name", LEADS_TO)
def test_what_is_deferred_is_offered_once_the_planning_has_ended(name: str, desk: Desk) -> None:
    assert "deferred" in section(name, "The end").text
    assert "deferred skills: forge" in desk.prompt(f"${name} $forge ship it").context
    desk.works(outcome(name))
    assert "deferred: $forge" in desk.prompt("And now?").context
    assert desk.active_now() == []


@pytest.mark.parametrize(("name", "most"), [("forge", 50), ("autoforge", 10)])
def test_the_last_iteration_is_the_one_that_is_named(name: str, most: int, desk: Desk) -> None:
    assert re.search(rf"At {most} the hook no\s+longer holds", body_of(name))
    desk.prompt(f"${name} go")
    record = desk.read(MODE[name])
    assert (record["iteration"], record["max_iterations"]) == (MODES[MODE[name]].iteration, most)
    iteration = f"rcs state write --mode {MODE[name]} --session SESSION --iteration"
    desk.works(f"{iteration} {most - 1}")
    assert desk.stop().blocks
    desk.works(f"{iteration} {most}")
    assert not desk.stop().blocks


# --- every command, pasted


@pytest.mark.parametrize("name", NAMES)
def test_every_command_does_what_its_words_say(name: str, desk: Desk) -> None:
    pasted = [command for each in sections_of(name) for command in each.commands]
    assert len(pasted) >= 3
    mine = MODE.get(name, "forge")
    for command in pasted:
        if mine not in desk.active_now():
            desk.prompt("$forge go" if name == "cancel" else f"${name} go")
        _has_effect(desk, command, desk.works(command))


def _has_effect(desk: Desk, command: str, said: str) -> None:
    words = shlex.split(command)
    if words[1] == "emit":
        assert said.startswith("RUN 1: detect")
        return
    if words[2] == "list-active":
        assert said.strip().endswith("forge")
        return
    mode = option(command, "--mode")
    assert mode
    if words[2] == "clear":
        assert not desk.mode_path(mode).exists()
        assert not desk.stop().blocks
        return
    record = desk.read(mode)
    if words[2] == "ask":
        assert record["lifecycle_outcome"] == "askuserQuestion"
        assert (option(command, "--text") or "nothing") in said
        return
    assert words[1:3] == ["state", "write"], command
    for given, field in (
        ("--phase", "current_phase"),
        ("--outcome", "lifecycle_outcome"),
        ("--iteration", "iteration"),
    ):
        if (value := option(command, given)) is not None:
            assert str(record[field]) == value
    for pair in (words[place + 1] for place, word in enumerate(words) if word == "--set"):
        key, value = pair.split("=", 1)
        assert record["state"][key.removeprefix("state.")] == json.loads(value)
    if "--active" in words:
        assert mode in desk.active_now()
    assert desk.stop().blocks is ("--outcome" not in words)


@pytest.mark.parametrize("name", NAMES)
def test_every_mcp_call_does_what_its_words_say(name: str, desk: Desk) -> None:
    calls = [call for each in sections_of(name) for call in each.calls]
    assert len(calls) == 1
    desk.prompt("$forge go" if name == "cancel" else f"${name} go")
    for tool, arguments in calls:
        given: dict[str, Any] = json.loads(json.dumps(arguments).replace("SESSION", SESSION))
        assert set(given) <= set(tools.schema_of(tool)[1]["properties"])
        assert given["session_id"] == SESSION
        text, is_error = tools.call(tool, given, desk.env, str(desk.root))
        assert not is_error, text
        record = desk.read(given["mode"])
        for field, value in given.items():
            assert record[field] == value


@pytest.mark.parametrize("name", MODE)
def test_without_a_hook_the_mode_is_started_by_hand(name: str, desk: Desk) -> None:
    (command,) = section(name, "Does it run?").commands
    desk.works(command)
    assert desk.active_now() == [MODE[name]]
    record = desk.read(MODE[name])
    assert record["current_phase"] == PHASES[name][0]
    assert record.get("iteration") == MODES[MODE[name]].iteration


@each_row("name", MODE)
def test_a_start_by_hand_is_refused_like_a_prompt(name: str, desk: Desk) -> None:
    desk.prompt("$ultraqa go")
    (command,) = section(name, "Does it run?").commands
    done = desk.paste(command)
    assert done.returncode == 1
    assert f"Cannot activate {MODE[name]} while ultraqa is still active." in done.stderr
    assert desk.active_now() == ["ultraqa"]


# --- the whole way


@each_row("name", MODE)
def test_from_the_first_phase_to_the_end_as_the_file_says(name: str, desk: Desk) -> None:
    assert f"active: {MODE[name]} (phase {PHASES[name][0]})" in desk.prompt(f"${name} go").context
    entered = []
    for command in phases(name):
        desk.works(command)
        if option(command, "--phase"):
            entered.append(desk.read(MODE[name])["current_phase"])
        assert desk.stop(message="Working.").blocks, command
    assert entered == ROUNDS[name]
    desk.works(outcome(name))
    ended = desk.stop(message="Outcome: finished. Evidence: 4 passed. Artifacts / state: a.py. Handoff: nothing to do.")
    assert ended.output == {}
    assert desk.active_now() == []


@each_row("word", ENDING)
@each_row("name", MODE)
def test_each_outcome_that_is_listed_ends_the_run(name: str, word: str, desk: Desk) -> None:
    desk.prompt(f"${name} go")
    assert desk.stop().blocks
    desk.works(outcome(name).replace("finished", word))
    assert not desk.stop().blocks
    assert desk.read(MODE[name])["lifecycle_outcome"] == word


@pytest.mark.parametrize("name", MODE)
def test_a_question_waits_and_the_next_prompt_answers_it(name: str, desk: Desk) -> None:
    desk.prompt(f"${name} go")
    said = desk.works(question(name))
    assert "end the turn" in said
    assert not desk.stop(message="Which one?").blocks
    assert "continue the run." in desk.prompt("The first.").context
    assert desk.read(MODE[name])["current_phase"] == PHASES[name][0]
    assert desk.stop().blocks


def test_a_question_of_the_interview_that_is_not_recorded_is_blocked(desk: Desk) -> None:
    assert "only written in a message is not recorded" in body_of("brief")
    desk.prompt("$brief a login")
    assert desk.stop(message="Who may log in?").blocks


# --- what single skills say


def test_autoforge_goes_back_to_the_blueprint_only_after_a_review_that_is_not_clean(desk: Desk) -> None:
    verdict, again, handover = section("autoforge", "A review that is not clean").commands
    clean = section("autoforge", "Phases").commands[-1]
    desk.prompt("$autoforge go")
    refused = desk.paste(handover)
    assert refused.returncode == 1
    assert "First clear current state first" in refused.stderr
    desk.works(verdict)
    desk.works(again)
    assert desk.active_now() == ["autopilot"]
    desk.works(clean)
    assert desk.paste(handover).returncode == 1, "a clean verdict leaves no reason behind"
    desk.works(verdict)
    desk.works(handover)
    assert desk.active_now() == ["blueprint"]
    assert desk.read("autopilot")["transition_target_mode"] == "blueprint"


def test_cancel_has_ended_what_the_file_says_it_has(desk: Desk) -> None:
    done = section("cancel", "What the hook has done").text
    desk.prompt("$team $forge go")
    desk.works(question("forge"))
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


def test_cancel_starts_what_stands_beside_it(desk: Desk) -> None:
    assert "(`$cancel $blueprint`)" in body_of("cancel")
    desk.prompt("$forge go")
    assert "active: blueprint" in desk.prompt("$cancel $blueprint").context
    assert desk.active_now() == ["blueprint"]


@pytest.mark.parametrize("by_hand", [False, True])
def test_after_cancel_the_skill_named_again_goes_on_where_it_stood(by_hand: bool, desk: Desk) -> None:
    _, end, *_ = section("cancel", "Where no hook ran").commands
    desk.prompt("$forge go")
    desk.works(phases("forge")[0])
    if by_hand:
        desk.works(end)
    else:
        desk.prompt("$cancel")
    assert "forge (phase executing, resumed after userinterlude)" in desk.prompt("$forge").context


def test_after_a_clear_nothing_is_left_to_take_up(desk: Desk) -> None:
    clear, everywhere = section("cancel", "Where no hook ran").commands[2:]
    desk.prompt("$forge go")
    desk.works(phases("forge")[0])
    desk.works(clear)
    assert "forge (phase starting)" in desk.prompt("$forge").context
    desk.prompt("$forge go", "s2")
    desk.works(everywhere)
    assert not desk.stop().blocks
    assert not desk.stop("s2").blocks
