"""Which phase a run may step to, and which round that begins: tables with the expected step and refusal in full."""

from __future__ import annotations

from typing import Any

import pytest

from rcs_hooks.catalog import MODES, ModeDef
from rcs_hooks.mode_def import EXECUTION
from rcs_hooks.workflow import phases
from rcs_hooks.workflow.commands import Commands
from rcs_hooks.workflow.messages.steps import refused_phase
from rcs_hooks.workflow.mode_record import ModeRecord
from rcs_hooks.workflow.phases import ILLEGAL, NO_ROUND_LEFT, OUTCOME, UNKNOWN, PhaseStep, Refusal
from tests.table import each_row

OWN = ModeDef(
    "release",
    EXECUTION,
    ("release",),
    first_phase="Pick_Version",
    states={"Pick_Version": "", "tagging": "", "code.freeze": ""},
    edges=[
        ("Pick_Version", "tagging", "picked"),
        ("tagging", "tagging", "again"),
        ("tagging", "Pick_Version", "wrong"),
        ("tagging", "code.freeze", "tagged"),
    ],
    iteration=1,
    max_iterations=3,
    source="home",
)
NONE = ModeDef("bare", EXECUTION, ("bare",), first_phase="any", states={}, edges=[])
RUN = Commands("rcs", "s1")
WRITE = "rcs state write --mode {} {} --session s1"
PROVE = "rcs prove --finish --mode {} --session s1 -- COMMAND"

ALL_OF_FORGE = ("starting", "executing", "verifying", "fixing")


def record(phase: object, iteration: object = None, visited: object = None, most: object = None) -> ModeRecord:
    fields = {"current_phase": phase, "iteration": iteration, "visited": visited, "max_iterations": most}
    return ModeRecord({name: value for name, value in fields.items() if value is not None})


def forge(phase: str, iteration: int = 1, *visited: str) -> ModeRecord:
    return record(phase, iteration, list(visited) or None, 50)


# The mode, its record, what is written, and the phase, the round, and the phases of the round.
STEPS: list[Any] = [
    # forward; the first step begins round 1
    ("forge", forge("starting", 0), "executing", ("executing", 1, ("starting", "executing"))),
    ("forge", forge("executing", 1, "starting"), "verifying",
     ("verifying", 1, ("starting", "executing", "verifying"))),
    ("forge", forge("verifying"), "fixing", ("fixing", 1, ("starting", "verifying", "fixing"))),
    # back: the next round, once
    ("forge", forge("fixing", 1, "starting", "executing", "verifying"), "verifying",
     ("verifying", 2, ("verifying",))),
    ("autopilot", record("code-review", 1, ["blueprint", "forge", "code-review"], 10), "blueprint",
     ("blueprint", 2, ("blueprint",))),
    # a mode that counts nothing begins to count
    ("team", record("fixing", None, ["verifying"]), "verifying", ("verifying", 2, ("verifying",))),
    ("team", record("starting"), "executing", ("executing", None, ("starting", "executing"))),
    # spellings
    ("forge", forge("starting"), "Executing", ("executing", 1, ("starting", "executing"))),
    ("autopilot", record("forge", 1, None, 10), "Code_Review",
     ("code-review", 1, ("blueprint", "forge", "code-review"))),
    ("autopilot", record("CodeReview", 1, None, 10), "blueprint",
     ("blueprint", 2, ("blueprint",))),
    (OWN, record("pick version"), "TAGGING", ("tagging", None, ("Pick_Version", "tagging"))),
    # the same phase is no step, also over an edge to itself
    ("forge", forge("verifying", 2, "verifying"), "verifying", ("verifying", 2, ("verifying",))),
    (OWN, record("tagging", 1), "tagging", ("tagging", 1, ("Pick_Version", "tagging"))),
    ("forge", forge("investigating"), "Investigating", ("investigating", 1, ())),
    # from a phase that the machine does not know, every state
    ("forge", forge("investigating"), "fixing", ("fixing", 1, ("fixing",))),
    ("forge", record(None), "verifying", ("verifying", None, ("verifying",))),
    ("forge", forge("investigating", 3, "fixing", "nowhere"), "fixing", ("fixing", 4, ("fixing",))),
    # a mode without a machine
    (NONE, record("any"), "anything", ("anything", None, ())),
]  # fmt: skip

# The same, where the write says the round too.
GIVEN: list[Any] = [
    (forge("starting", 0), "executing", 1, ("executing", 1, ("starting", "executing"))),
    (forge("fixing", 1, "verifying"), "verifying", 2, ("verifying", 2, ("verifying",))),
    (forge("fixing", 1, "verifying"), "verifying", 1, ("verifying", 1, ("verifying", "fixing"))),
    (forge("fixing", 9, "verifying"), "verifying", 3,
     ("verifying", 3, ("verifying", "fixing"))),
    (forge("fixing", 9, "verifying"), "verifying", 50, ("verifying", 50, ("verifying",))),
    (forge("fixing", 60, "verifying"), "verifying", 50, ("verifying", 50, ("verifying", "fixing"))),
    (record("fixing", None, ["verifying"]), "verifying", 0, ("verifying", 0, ("verifying", "fixing"))),
    (record("fixing", None, ["verifying"]), "verifying", 1, ("verifying", 1, ("verifying",))),
    (record("fixing", 0, ["verifying"], 1), "verifying", 1, ("verifying", 1, ("verifying",))),
]  # fmt: skip

# The round alone.
ROUNDS: list[Any] = [
    (forge("starting", 0), 1, ("starting", 1, ("starting",))),
    (record("fixing", 0, ["verifying", "fixing"]), 1, ("fixing", 1, ("fixing",))),
    (forge("fixing", 1, "verifying"), 2, ("fixing", 2, ("fixing",))),
    (forge("elsewhere", 1, "verifying"), 2, ("elsewhere", 2, ())),
]


def definition(mode: Any) -> ModeDef:
    return MODES[mode] if isinstance(mode, str) else mode


@each_row(("mode", "before", "written", "expected"), STEPS)
def test_a_step(mode: Any, before: ModeRecord, written: str, expected: tuple[Any, ...]) -> None:
    assert phases.step(definition(mode), before, written) == PhaseStep(*expected)


@each_row(("before", "written", "iteration", "expected"), GIVEN)
def test_a_step_with_its_round(before: ModeRecord, written: str, iteration: int, expected: tuple[Any, ...]) -> None:
    assert phases.step(MODES["forge"], before, written, iteration=iteration) == PhaseStep(*expected)


@each_row(("before", "iteration", "expected"), ROUNDS)
def test_a_round_without_a_step(before: ModeRecord, iteration: int, expected: tuple[Any, ...]) -> None:
    assert phases.in_round(MODES["forge"], before, iteration) == PhaseStep(*expected)


UNKNOWN_OF_FORGE = (
    'step "biulding" is not a valid state in the "forge" state machine. '
    "Valid states: [starting, executing, verifying, fixing]. "
)
LAST = [
    "forge: round 50 is the last one, so there is no next round; nothing was written",
    "to end the run: " + WRITE.format("forge", "--outcome failed --reason WHY"),
]


def ending(typed: str, line: str) -> list[str]:
    return [f'phase: "{typed}" is an outcome, not a phase; nothing was written', line]


def ended_by(outcome: str, *legal: str) -> list[str]:
    command = PROVE.format("forge") if outcome == "finished" else WRITE.format("forge", f"--outcome {outcome}")
    lines = [f"to end the run: {command}"]
    return [*lines, f"Valid next states: {', '.join(legal)}"] if legal else lines


ASK = "to wait for the user's answer: rcs question ask --mode forge --text 'YOUR QUESTION' --session s1"

# The mode, its record, what is written, why it is refused, and the whole text.
REFUSALS: list[Any] = [
    ("forge", forge("starting"), "biulding", UNKNOWN, [
        UNKNOWN_OF_FORGE + 'Current state: "starting". Valid transitions from "starting": [executing].',
        WRITE.format("forge", "--phase executing"),
    ]),
    ("forge", record(None), "biulding", UNKNOWN, [
        UNKNOWN_OF_FORGE.rstrip(), *(WRITE.format("forge", f"--phase {each}") for each in ALL_OF_FORGE),
    ]),
    ("forge", forge("investi\x1bgating"), "biulding", UNKNOWN, [
        UNKNOWN_OF_FORGE + 'Current state: "investi gating". '
        'Valid transitions from "investi gating": [starting, executing, verifying, fixing].',
        *(WRITE.format("forge", f"--phase {each}") for each in ALL_OF_FORGE),
    ]),
    ("forge", forge("starting"), "fixing", ILLEGAL, [
        "Invalid transition from 'starting' to 'fixing'.",
        "Valid next states: executing",
        WRITE.format("forge", "--phase executing"),
    ]),
    ("deep-interview", record("intent-first"), "intent_first_2", UNKNOWN, [
        'step "intent_first_2" is not a valid state in the "deep-interview" state machine. '
        "Valid states: [intent-first, boundaries, closing]. "
        'Current state: "intent-first". Valid transitions from "intent-first": [boundaries, closing].',
        WRITE.format("deep-interview", "--phase boundaries"),
        WRITE.format("deep-interview", "--phase closing"),
    ]),
    (OWN, record("code.freeze", 1), "tagging", ILLEGAL, [
        "Invalid transition from 'code.freeze' to 'tagging'.",
        "Valid next states: none ('code.freeze' is an end of this workflow)",
        PROVE.format("release"),
    ]),
    # words for an ending
    ("forge", forge("verifying"), "complete", OUTCOME, ending("complete", "\n".join(ended_by("finished", "fixing")))),
    ("deep-interview", record("closing"), "done", OUTCOME,
     ending("done", "to end the run: " + WRITE.format("deep-interview", "--outcome finished")
            + "\nValid next states: boundaries")),
    ("forge", forge("fixing"), "failed", OUTCOME,
     ending("failed", "\n".join(ended_by("failed --reason WHY", "verifying", "executing")))),
    ("forge", forge("fixing"), "user interlude", OUTCOME,
     ending("user interlude", "\n".join(ended_by("userinterlude", "verifying", "executing")))),
    ("forge", forge("fixing"), "blocked_on_user", OUTCOME, ending("blocked_on_user", ASK)),
    ("forge", forge("failed"), "failed", OUTCOME,
     ending("failed", "\n".join(ended_by("failed --reason WHY", *ALL_OF_FORGE)))),
    # no round is left
    ("forge", forge("fixing", 50, "verifying"), "verifying", NO_ROUND_LEFT, LAST),
]  # fmt: skip


@each_row(("mode", "before", "written", "why", "text"), REFUSALS)
def test_a_refusal(mode: Any, before: ModeRecord, written: str, why: str, text: list[str]) -> None:
    refusal = phases.step(definition(mode), before, written)
    assert isinstance(refusal, Refusal)
    assert refusal.why == why
    assert refused_phase(definition(mode), before, refusal, RUN).split("\n") == "\n".join(text).split("\n")


@pytest.mark.parametrize(("before", "given"), [(1, 51), (49, 60), (50, 51)])
def test_no_round_after_the_last_one_can_be_counted(before: int, given: int) -> None:
    for judged in (
        phases.step(MODES["forge"], forge("fixing", before, "verifying"), "verifying", iteration=given),
        phases.in_round(MODES["forge"], forge("fixing", before, "verifying"), given),
    ):
        assert isinstance(judged, Refusal)
        assert judged.why == NO_ROUND_LEFT


FINISHES = [
    ("forge", "verifying", True),
    ("forge", "Verifying", True),
    ("forge", "starting", False),
    ("forge", "elsewhere", True),
    ("deep-interview", "intent_first", False),
    (NONE, "any", True),
]


@each_row(("mode", "phase", "can"), FINISHES)
def test_where_a_run_can_finish(mode: Any, phase: str, can: bool) -> None:
    assert definition(mode).can_finish(phase) is can
