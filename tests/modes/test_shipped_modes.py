"""The modes that ship: the generated module says what the SKILL.md files declare, and their machines what they must."""

from __future__ import annotations

from rcs_hooks import shipped_modes
from rcs_hooks.catalog import MISNAMED, MODES, SKILL_FILES, SKILLS
from rcs_hooks.mode_def import LONGEST_TEXT
from rcs_hooks.workflow.lifecycle import spelled
from tests import contract, make_modes
from tests.table import each_row


def test_the_generated_module_equals_the_files() -> None:
    declared = make_modes.declared()
    assert shipped_modes.FIELDS == make_modes.FIELDS, "run: python -m tests.make_modes"
    assert make_modes.rows(declared) == shipped_modes.MODES, "run: python -m tests.make_modes"
    assert list(MODES.values()) == declared


def test_the_names_that_may_be_typed() -> None:
    assert contract.NAMES == SKILLS


def test_the_names_of_the_catalog_are_those_of_the_files() -> None:
    assert make_modes.names(make_modes.declared()) == (SKILLS, MISNAMED, SKILL_FILES), "run: python -m tests.make_modes"


@each_row("mode", contract.MODES)
def test_the_machine_of_a_mode(mode: str) -> None:
    definition = MODES[mode]
    promised = contract.MODES[mode]
    assert " ".join(f"{one}>{other}" for one, other, _ in definition.edges) == promised.edges
    assert (definition.first_phase, definition.iteration, definition.max_iterations) == (
        promised.first, promised.iteration, promised.most,
    )  # fmt: skip
    assert next(iter(definition.states)) == definition.first_phase


@each_row("mode", contract.MODES)
def test_every_state_and_every_edge_has_words_that_fit(mode: str) -> None:
    definition = MODES[mode]
    assert all(0 < len(text) < LONGEST_TEXT - 10 for text in definition.states.values())
    assert all(event for _, _, event in definition.edges)
    assert [state for state in definition.states if spelled(state)] == []


def test_what_may_follow_a_phase() -> None:
    forge = MODES["forge"]
    assert forge.legal_from("verifying") == ("fixing",)
    assert forge.legal_from("polishing") == ("starting", "executing", "verifying", "fixing")
    assert [phase for phase in (*forge.states, "polishing") if forge.can_finish(phase)] == ["verifying", "polishing"]
    assert [forge.state_named(phase) for phase in ("starting", "Star_ting", "")] == ["starting", "starting", None]
    assert forge.legal_from("VERI-FYING ") == ("fixing",)
    assert forge.event("verifying", "fixing") == "check_fails"
    assert forge.event("verifying", "") == "all_pass"
    assert forge.event("starting", "fixing") == ""
