"""Decides whether a run may step from its phase to another one, and when a new round begins.

Rules of this file:
- A phase is a state of the mode's machine, in any spelling that differs only in case, hyphens, underscores and blanks.
- From a phase that the machine does not know, every state may follow: another tool or an earlier
  declaration wrote it. A mode without a machine takes any phase.
- A word that ends a run, or lets it wait, is an outcome and not a phase.
- A step to a phase in which the run has been in this round begins the next round. The first step of a run whose count
  stands at 0 begins round 1.
- The phase that the run is in already, once more, is no step.
"""

from __future__ import annotations

from rcs_hooks.mode_def import spelling_key
from rcs_hooks.tuples import NamedTuple
from rcs_hooks.workflow.lifecycle import OUTCOMES, spelled

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rcs_hooks.catalog import ModeDef
    from rcs_hooks.workflow.mode_record import ModeRecord

UNKNOWN, ILLEGAL, OUTCOME, NO_ROUND_LEFT = "unknown", "illegal", "outcome", "no round left"


class PhaseStep(NamedTuple):
    """A step that a run may take, or the phase that it stays in."""

    phase: str
    """The phase, as the machine writes it."""
    iteration: int | None
    """The round after the step; None if the record counts none."""
    visited: tuple[str, ...]
    """The phases of the round after the step, in the order in which the run was in them first."""


class Refusal(NamedTuple):
    """A step that a run may not take. `why`: one of the constants of this module."""

    why: str
    asked: str
    current: str
    legal: tuple[str, ...]
    """The phases that may come next."""
    outcome: str = ""
    """The outcome that the word means, if it means one."""
    most: int = 0
    """The last round that the record allows, if none is left."""


def outcome_meant(word: str) -> str:
    """Return the outcome that a word means which is given as a phase; empty if it means none."""
    name = spelled("".join(word.split()))
    outcome = OUTCOMES[name] if name else None
    if outcome is None or not (outcome.ends or outcome.waits):
        return ""
    return str(outcome.shown_pending)


def visited_in(mode: ModeDef, record: ModeRecord) -> tuple[str, ...]:
    """Return the phases of this round that the machine knows, with the present one, whoever wrote the record.

    A record that has noted none has begun in the first phase, as every run does.
    """
    visited = record.visited or ((mode.first_phase,) if mode.state_named(record.phase) else ())
    known = (mode.state_named(word) for word in (*visited, record.phase))
    return tuple(dict.fromkeys(state for state in known if state is not None))


def step(mode: ModeDef, record: ModeRecord, phase: str, *, iteration: int | None = None) -> PhaseStep | Refusal:
    """Decide whether a run may be in `phase` next, and which round that is.

    `record`: the run so far. `iteration`: the round, if whoever writes the phase says it.
    """
    legal = mode.legal_from(record.phase)
    if word := outcome_meant(phase):
        return Refusal(OUTCOME, phase, record.phase, legal, outcome=word)
    current, wanted = mode.state_named(record.phase) or record.phase, mode.state_named(phase)
    if wanted == current or (spelling_key(phase) == spelling_key(current) and wanted is None):
        return _numbered(mode, record, current, iteration)
    if not mode.states:
        return _numbered(mode, record, phase, iteration)
    if wanted is None:
        return Refusal(UNKNOWN, phase, current, legal)
    if wanted not in legal:
        return Refusal(ILLEGAL, phase, current, legal)
    return _numbered(mode, record, wanted, iteration)


def in_round(mode: ModeDef, record: ModeRecord, iteration: int) -> PhaseStep | Refusal:
    """Decide whether a run may count itself to be in a round, in the phase that it is in."""
    return _numbered(mode, record, mode.state_named(record.phase) or record.phase, iteration)


def _numbered(mode: ModeDef, record: ModeRecord, phase: str, given: int | None) -> PhaseStep | Refusal:
    """Return the step to a phase that may come next, with its round. `given`: the round that the writer says."""
    before, visited, most = record.iteration, visited_in(mode, record), record.max_iterations
    is_move = phase != (mode.state_named(record.phase) or record.phase)
    iteration = before if given is None else given
    if given is None and is_move and (before == 0 or phase in visited):
        iteration = 1 if before == 0 else (before or 1) + 1
    rises = iteration is not None and iteration > (before or 0)
    if rises and most and iteration is not None and iteration > most:
        return Refusal(NO_ROUND_LEFT, phase, record.phase, mode.legal_from(record.phase), most=most)
    known = (phase,) if phase in mode.states else ()
    is_first = before == 0 and phase not in visited
    visited = known if rises and not is_first else tuple(dict.fromkeys((*visited, *known)))
    return PhaseStep(phase, iteration, visited)
