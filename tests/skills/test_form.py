"""The form of the skills that ship, and what each must ask of an agent."""

from __future__ import annotations

import re

from rcs_hooks.catalog import CANCEL, MODES, SKILLS
from rcs_hooks.workflow.last_message import SOFTENER, find_softener
from tests.skills.reading import (
    DIAGRAM,
    FENCE,
    MODE,
    NAMES,
    body_of,
    commands_of,
    front_of,
    option,
    section,
    text_of,
)
from tests.skills.reading import SKILLS as FOLDER
from tests.table import each_row

PARTS = ["Outcome", "Evidence", "Artifacts / state", "Handoff"]
REVIEW = "not your reasoning"
DIFF = "whole `git diff`"
ERRORS = r"[Hh]ide no error|hidden error|never hide"
THIRD = r"third (time|round)"
PROOF = r"the proof[.:] COMMAND (runs|is) "
ASKS = {
    "forge": (PROOF, "with the command that shows it", "before you change anything", REVIEW, DIFF, ERRORS, THIRD),
    "crew": (PROOF, "is written first", "one form", REVIEW, "the seams", ERRORS, THIRD),
    "autoforge": (PROOF, "with the command that shows it", REVIEW, DIFF, ERRORS, THIRD),
    "ultrawork": (PROOF, "the command that shows it", "one form", REVIEW, DIFF, ERRORS, THIRD),
    "ultraqa": (PROOF, "hostile", "Flaky is failed", "Run it ten times", REVIEW, DIFF, ERRORS, THIRD),
    "blueprint": ("with the command that shows it", "non-goals", REVIEW, "Three rounds at most"),
    "autoresearch": ("Before any work", "validator", "what would refute it", REVIEW, ERRORS, THIRD),
    "brief": ("non-goals", "what you may decide alone", "whether that is it", "12 questions"),
}
"""What a skill must ask for, as patterns: without one of these the work would be worse."""


def test_a_skill_ships_for_each_mode_and_for_cancel() -> None:
    assert set(NAMES) <= {each.name for each in FOLDER.iterdir()}
    assert {name: SKILLS[name] for name in NAMES} == MODE | {CANCEL: CANCEL}
    assert set(MODE.values()) == set(MODES)


@each_row("name", NAMES)
def test_the_front_matter_is_what_both_clients_read(name: str) -> None:
    front = front_of(name)
    assert list(front)[:2] == ["name", "description"]
    assert front["name"] == name
    assert 50 < len(front["description"]) <= 500
    assert not set("<>") & set(front["description"])


@each_row("name", NAMES)
def test_the_description_has_every_token_that_a_person_may_type(name: str) -> None:
    tokens = MODES[MODE[name]].tokens if name in MODE else (CANCEL,)
    named = re.findall(r"\$([a-z-]+)", front_of(name)["description"])
    assert set(named) == set(tokens)
    assert f"/{name}" in front_of(name)["description"]


@each_row("name", NAMES)
def test_a_skill_is_short(name: str) -> None:
    assert len(text_of(name)) <= 3_200


@each_row("name", MODE)
def test_what_all_skills_share_is_shorter_still(name: str) -> None:
    shared = section(name, "Does it run?")
    assert len(f"## {shared.title}\n{shared.text}".rstrip()) <= 400
    assert ", ".join(PARTS) in shared.text


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
    assert "```" not in DIAGRAM.sub("", FENCE.sub("", body_of(name)))


@each_row("name", MODE)
def test_a_skill_names_the_runtime_mode_in_every_command(name: str) -> None:
    for command in commands_of(name):
        if not command.startswith("rcs emit "):
            assert MODE[name] in str(option(command, "--mode")).split(","), command


def test_cancel_hands_over_in_four_parts_too() -> None:
    assert re.findall(r"\*\*(.+?)\*\*:", body_of("cancel")) == PARTS


# --- the machine


@each_row("name", MODE)
def test_the_work_is_told_phase_by_phase_as_the_machine_has_them(name: str) -> None:
    assert section(name, "Work").phases == list(MODES[MODE[name]].states)


@each_row("name", MODE)
def test_the_text_of_each_state_can_stand_alone_in_a_sentence(name: str) -> None:
    for state, text in MODES[MODE[name]].states.items():
        assert 0 < len(text) <= 120, state
        assert text[0].isupper(), state
        assert not re.search(r"[;`#]|\.$", text), f"{state}: Mermaid or a message would read it otherwise"


@each_row("name", MODE)
def test_each_edge_says_why_it_is_taken(name: str) -> None:
    for source, to, event in MODES[MODE[name]].edges:
        assert re.fullmatch(r"[a-z]+(_[a-z]+)+", event), (source, to)


@each_row("name, most", [("blueprint", 3), ("ultraqa", 5), ("autoresearch", 10), ("autoforge", 10), ("forge", 50)])
def test_rounds_are_bounded_by_the_machine(name: str, most: int) -> None:
    assert MODES[MODE[name]].max_iterations == most


# --- what makes the work better


@each_row("name", MODE)
def test_a_skill_asks_for_what_makes_the_work_better(name: str) -> None:
    text = " ".join(body_of(name).split())
    assert [pattern for pattern in ASKS[name] if not re.search(pattern, text)] == []
