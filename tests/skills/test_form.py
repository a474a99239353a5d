"""The form of the skills that ship, and what each must ask of an agent."""

from __future__ import annotations

import re

from rcs_hooks.catalog import CANCEL, MODES, SKILLS
from rcs_hooks.workflow.last_message import SOFTENER
from tests import contract
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
    tokens = {token for token, mode in contract.NAMES.items() if mode == MODE.get(name, CANCEL)}
    assert set(re.findall(r"\$([a-z-]+)", front["description"])) == tokens & set(SKILLS)
    assert f"/{name}" in front["description"]


@each_row("name", NAMES)
def test_a_skill_is_short_offers_nothing_and_is_the_same_everywhere(name: str) -> None:
    text = text_of(name)
    assert len(text) <= 3_200
    assert text.isascii()
    assert not re.search(SOFTENER, " ".join(text.split())), "not even as an example in quotes"
    assert not re.search(r"(?<![\w.])(?:/(?:work|home|Users|root|tmp|usr|opt|var|etc)\b|~/|[A-Z]:\\)", text)
    # Claude Code fills these in or runs them; Codex leaves them as they are.
    assert not re.search(r"\$(?:\{|\d|ARGUMENTS)|!`", text)
    assert "```" not in DIAGRAM.sub("", FENCE.sub("", body_of(name))), "every fence is for a shell, and closed"


@each_row("name", MODE)
def test_a_skill_says_what_its_machine_says_and_asks_for_what_makes_the_work_better(name: str) -> None:
    mode = MODES[MODE[name]]
    shared = section(name, "Does it run?")
    assert len(f"## {shared.title}\n{shared.text}".rstrip()) <= 400
    assert ", ".join(PARTS) in shared.text
    assert section(name, "Work").phases == list(mode.states)
    for command in commands_of(name):
        assert command.startswith("rcs emit ") or mode.name in str(option(command, "--mode")).split(","), command
    for state, said in mode.states.items():
        assert said[0].isupper(), state
        assert not re.search(r"[;`#]|\.$", said), f"{state}: Mermaid or a message would read it otherwise"
    assert all(re.fullmatch(r"[a-z]+(_[a-z]+)+", event) for _, _, event in mode.edges)
    text = " ".join(body_of(name).split())
    assert [pattern for pattern in ASKS[name] if not re.search(pattern, text)] == []
