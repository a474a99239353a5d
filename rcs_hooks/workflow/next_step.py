"""Decides what a run asks of the agent now, and how it goes on from there: read from the machine of its mode.

Rules of this file:
- A way out is an edge of the machine from the present phase, with the options of `rcs state write` that take it.
- `finished` is a way out only where the machine has an edge to its end, and never while a review is not clean. A run
  that executes finishes by a proof, one that plans by its outcome.
- A run that has come to another review since its last verdict has none: both verdicts are ways out again.
- An edge of a phase to itself is no way out, and one that needs a round after the last is to give up.
- A phase that the machine does not know asks nothing but to record one that it knows: other tools may write any word.
- A mode's texts may be a project's: they are cleaned and cut here.
"""

from __future__ import annotations

from rcs_hooks.mode_def import LONGEST_TEXT
from rcs_hooks.text import clean, word
from rcs_hooks.tuples import NamedTuple
from rcs_hooks.workflow import phases
from rcs_hooks.workflow.commands import proving
from rcs_hooks.workflow.lifecycle import UNCLEAN, review_finding, review_is_clean, review_is_due, review_is_open

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rcs_hooks.catalog import ModeDef
    from rcs_hooks.workflow.commands import Commands, Proving
    from rcs_hooks.workflow.mode_record import ModeRecord

LARGEST_ROUND = 10**9
FINISH = ("--outcome", "finished")
CLEAN = ("--verdict", "clean")
NOT_CLEAN = ("--verdict", UNCLEAN, "--reason", "WHY")
GIVE_UP = ("--outcome", "failed", "--reason", "WHY")
OUT_OF_ROUNDS = "no round is left"
"""When to take a way that gives up: our words, in place of the event of the edge."""
RECORD_PHASE = "to record it"
"""When to take the way out of a phase that the machine does not know: our words too."""


class Way(NamedTuple):
    """One way out of a phase."""

    event: str
    """When to take it: the event of the edge, in words; empty if the machine names none."""
    options: tuple[str, ...]
    """The options of `rcs state write` that take it; none if a proof takes it."""
    leads_on: bool = True
    """Whether it ends the run or leads to a later phase of the machine, and not back to an earlier one."""
    proof: Proving | None = None
    """The command whose pass takes it; None if `rcs state write` takes it."""


class NextStep(NamedTuple):
    """What a run asks of the agent now, and the ways out."""

    mode: str
    skill: str
    """What a person types for the mode, without the `$`."""
    phase: str
    asks: str
    """The text of the phase; empty if the machine has none."""
    ways: tuple[Way, ...]
    can_finish: bool
    finishes_from: tuple[str, ...]
    """The phases from which the run can finish; empty if the machine names none."""
    commands: Commands
    """The commands that reach the record of the mode."""
    round: int
    """The number of the round; 0 if none has been counted."""
    most_rounds: int
    is_last_round: bool
    because: str
    """The event that began the round, in words; empty in a first round, and in the other phases of the round."""
    verdict: str
    """The verdict of a review, with its reason if it is not clean; empty if there is none that matters here."""
    verdict_is_old: bool
    """Whether that is the verdict of an earlier review, and not of the one that the run is in."""
    is_of_project: bool
    """Whether the project declares the mode."""
    is_interview: bool
    """Whether asking the user is what the mode is for."""
    is_planning: bool
    """Whether the run changes no code, so that it needs no proof."""
    knows_phase: bool
    phases: tuple[str, ...]
    """Every phase of the machine."""


def next_step(mode: ModeDef, record: ModeRecord, commands: Commands) -> NextStep:
    """Return what a run asks now, and its ways out.

    `commands`: those that reach the record of the mode.
    """
    state = mode.state_named(record.phase)
    if state not in (None, record.phase):
        record = record.with_fields({"current_phase": state})  # as the machine spells it
    phase, number, knows = record.phase, record.iteration or 0, state is not None
    number = number if 0 < number < LARGEST_ROUND else 0
    most = record.max_iterations or 0
    return NextStep(
        mode.name,
        mode.skill,
        word(phase),
        clean(mode.states.get(phase, ""), LONGEST_TEXT),
        _ways(mode, record),
        can_finish=can_finish(mode, record),
        finishes_from=tuple(dict.fromkeys(word(start) for start, end, _ in mode.edges if not end)),
        commands=commands,
        round=number,
        most_rounds=most if 0 < most < LARGEST_ROUND else 0,
        is_last_round=record.is_exhausted,
        because=_why_again(mode, record) if knows and number else "",
        verdict=_verdict(mode, record),
        verdict_is_old=not _is_review(mode, record.phase) or review_is_due(record),
        is_of_project=mode.is_of_project,
        is_interview=mode.asks_in_text,
        is_planning=mode.is_planning,
        knows_phase=knows,
        phases=tuple(word(each) for each in mode.states),
    )


def can_finish(mode: ModeDef, record: ModeRecord) -> bool:
    """Tell whether `finished` is offered: the machine ends here, and its review, if it has one, has said clean."""
    if not mode.can_finish(record.phase) or review_is_open(record):
        return False
    if not mode.returns_to or mode.state_named(record.phase) is None:
        return True
    return review_is_clean(record) and not review_is_due(record)


def _is_review(mode: ModeDef, phase: str) -> bool:
    return bool(mode.returns_to) and mode.state_named(phase) is not None and mode.can_finish(phase)


def _ways(mode: ModeDef, record: ModeRecord) -> tuple[Way, ...]:
    edges = [(end, event) for start, end, event in mode.edges if start == record.phase != end]
    found = [_way(mode, record, end, event) for end, event in edges]
    if record.phase not in mode.states:
        found = [*([Way(RECORD_PHASE, ("--phase", "PHASE"))] if mode.states else []), _to_end(mode, record, "")]
    return tuple({(way.options, way.proof): way for way in found}.values())


def _way(mode: ModeDef, record: ModeRecord, end: str, event: str) -> Way:
    if not end:
        return _to_end(mode, record, in_words(event))
    order = list(mode.states)
    leads_on = order.index(end) > order.index(record.phase)
    if _needs_another_round(mode, record, end):
        return Way(OUT_OF_ROUNDS, GIVE_UP, leads_on)
    options: tuple[str, ...] = ("--phase", end)
    if _is_review(mode, record.phase) and (review_is_due(record) or not review_is_open(record)):
        options = (*options, *NOT_CLEAN)
    return Way(in_words(event), options, leads_on)


def _to_end(mode: ModeDef, record: ModeRecord, event: str) -> Way:
    """Return the way to the end: by a proof, by its outcome or, if its review has not said clean, the verdict."""
    if not can_finish(mode, record):
        return Way(event, CLEAN)
    if mode.is_planning:
        return Way(event, FINISH)
    return Way(event, (), proof=proving(record))


def _needs_another_round(mode: ModeDef, record: ModeRecord, phase: str) -> bool:
    """Tell whether a step would begin a round after the last one, so that a write of it is refused."""
    step = phases.step(mode, record, phase)
    return isinstance(step, phases.Refusal) and step.why == phases.NO_ROUND_LEFT


def in_words(event: str) -> str:
    """Return the event of an edge as words: `check fails` for `check_fails`."""
    return clean(event.replace("_", " "))


def _why_again(mode: ModeDef, record: ModeRecord) -> str:
    """Return the event that began a later round; empty in the other phases of the round, or if it is unknown.

    Where several events lead back to the phase, nothing tells which of them it was.
    """
    if (record.iteration or 0) <= max(mode.iteration or 0, 1) or record.visited != (record.phase,):
        return ""
    order = list(mode.states)
    back = {event for start, end, event in mode.edges if end == record.phase and order.index(start) >= order.index(end)}
    return in_words(back.pop()) if len(back) == 1 else ""


def _verdict(mode: ModeDef, record: ModeRecord) -> str:
    if not review_is_open(record):
        is_said_here = _is_review(mode, record.phase) and not review_is_due(record)
        return "clean" if is_said_here and review_is_clean(record) else ""
    finding = review_finding(record, LONGEST_TEXT)
    return f"{UNCLEAN}: {finding}" if finding not in ("", UNCLEAN) else UNCLEAN
