"""Refuses a step that a machine does not allow: of a mode's run, and of a run that `rcs emit` reports."""

from __future__ import annotations

from rcs_hooks.text import clean, word
from rcs_hooks.workflow import phases
from rcs_hooks.workflow.commands import COMMAND, proving
from rcs_hooks.workflow.lifecycle import FAILED, FAILURES, FINISHED, OUTCOMES, UNCLEAN, review_finding

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from rcs_hooks.catalog import ModeDef
    from rcs_hooks.workflow.commands import Commands
    from rcs_hooks.workflow.mode_record import ModeRecord
    from rcs_hooks.workflow.phases import Refusal

WHY = "WHY"
NO_REVIEW = "no review has said clean"
REASON_LENGTH = 120
MOST_COMMANDS = 6


def unknown_step(step: str, machine: str, states: Iterable[str], current: str | None, following: Iterable[str]) -> str:
    """Return the refusal of a step that is not a state of a machine. `current`: None if the run is nowhere yet."""
    text = f'step "{step}" is not a valid state in the "{machine}" state machine. Valid states: {_list(states)}.'
    if current is None:
        return text
    return f'{text} Current state: "{current}". Valid transitions from "{current}": {_list(following)}.'


def invalid_transition(source: str, target: str, following: Iterable[str]) -> str:
    """Return the refusal of a step that no edge allows."""
    names = ", ".join(following) or f"none ('{source}' is an end of this workflow)"
    return f"Invalid transition from '{source}' to '{target}'.\nValid next states: {names}"


def _list(names: Iterable[str]) -> str:
    return f"[{', '.join(names)}]"


def refused_phase(mode: ModeDef, record: ModeRecord, refusal: Refusal, commands: Commands) -> str:
    """Return the refusal of a phase, with the commands that may be typed in its place."""
    asked, current = clean(refusal.asked), clean(refusal.current) or None
    if refusal.why == phases.OUTCOME:
        return _outcome_refused(mode, record, refusal, commands)
    if refusal.why == phases.NO_ROUND_LEFT:
        return (
            f"{mode.name}: round {refusal.most} is the last one, so there is no next round; nothing was written\n"
            f"to end the run: {commands.write(mode.name, '--outcome', FAILED, '--reason', WHY)}"
        )
    if refusal.why == phases.UNKNOWN:
        text = unknown_step(asked, mode.name, mode.states, current, refusal.legal)
    else:
        text = invalid_transition(str(current), asked, refusal.legal)
    return "\n".join([text, *_commands(mode, record, refusal, commands)])


def _commands(mode: ModeDef, record: ModeRecord, refusal: Refusal, commands: Commands) -> list[str]:
    typed = [commands.write(mode.name, "--phase", phase) for phase in refusal.legal[:MOST_COMMANDS]]
    return typed or [_to_finish(mode, record, commands)]


def _to_finish(mode: ModeDef, record: ModeRecord, commands: Commands) -> str:
    """Return the command that ends a run as finished: by a proof, or by its outcome where it is only a plan."""
    if mode.is_planning:
        return commands.write(mode.name, "--outcome", FINISHED)
    return commands.prove(mode.name, "" if record.has_named_proof else COMMAND)


def _then_finish(mode: ModeDef, record: ModeRecord, commands: Commands) -> str:
    """Return the line that finishes a run once its review is clean, as the next step then does."""
    if mode.is_planning:
        return f"then: {commands.write(mode.name, '--outcome', FINISHED)}"
    proof = proving(record)
    return f"then{proof.where}: {commands.prove(mode.name, proof.command)}"


def refused_finish(mode: ModeDef, record: ModeRecord, commands: Commands) -> str:
    """Return the refusal of `finished` while the review of a run is not clean, with the ways on."""
    finding = review_finding(record, REASON_LENGTH)
    why = f" ({finding})" if finding not in ("", UNCLEAN) else ""
    back = next(iter(mode.legal_from(record.phase)), "")
    lines = [f"{mode.name}: finished is refused, for its review is not clean{why}"]
    if back:
        lines.append(f"to go on: {commands.write(mode.name, '--phase', back)}")
    return "\n".join(
        [
            *lines,
            f"after a review that is clean: {commands.write(mode.name, '--verdict', 'clean')}",
            _then_finish(mode, record, commands),
            f"to give up: {commands.write(mode.name, '--outcome', FAILED, '--reason', WHY)}",
        ]
    )


def _outcome_refused(mode: ModeDef, record: ModeRecord, refusal: Refusal, commands: Commands) -> str:
    """Return the refusal of a word for an outcome, with the command that records that outcome."""
    first = f'phase: "{clean(refusal.asked)}" is an outcome, not a phase; nothing was written'
    if OUTCOMES[refusal.outcome].waits:
        return f"{first}\nto wait for the user's answer: {commands.ask(mode.name)}"
    options = ["--outcome", refusal.outcome, *(["--reason", WHY] if refusal.outcome in FAILURES else [])]
    to_end = commands.write(mode.name, *options) if refusal.outcome != FINISHED else _to_finish(mode, record, commands)
    lines = [first, f"to end the run: {to_end}"]
    if refusal.legal:
        lines.append(f"Valid next states: {', '.join(refusal.legal)}")
    return "\n".join(lines)


def why_early(mode: ModeDef | None, phase: str) -> str:
    """Return why a run that has finished counts as early: because of its phase, or because no review has said clean.

    `mode`: None if nothing declares it any more.
    """
    is_end = mode is not None and mode.state_named(phase) is not None and mode.can_finish(phase)
    return NO_REVIEW if is_end else f"in phase {word(phase)}"
