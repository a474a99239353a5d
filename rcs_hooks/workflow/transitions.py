"""Decides which modes start, overlap, hand over or are denied.

Rules of this file:
- `cell` tells what happens when one mode is active and another is requested. It follows from what both declare.
- With several active modes, every cell is checked; one denial denies the request.
- `plan` decides about a whole prompt in memory: either every step is allowed, or nothing changes.
"""

from __future__ import annotations

from rcs_hooks.catalog import CANCEL, MODES
from rcs_hooks.tuples import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from rcs_hooks.catalog import ModeDef

SAME, OVERLAP, HANDOFF, DENY, ROLLBACK, REVIEW = "=", "+", ">", "x", "r", "?"
"""Already active; both run; the active one completes and the requested one starts; denied; denied because execution
does not roll back to planning; a handoff while the review is not clean, else a rollback."""

STANDALONE = frozenset({"autopilot", "autoresearch"})
"""The modes that no own mode may run beside, whatever it declares."""


def cell(active: ModeDef, requested: ModeDef) -> str:
    """Return what happens when one mode is active and another is requested, as both declare it.

    What an own mode declares counts as far as the contract allows: a definition may come from a record of others.
    """
    if active.name == requested.name:
        return SAME
    if active.overlaps_all or requested.overlaps_all:
        return OVERLAP
    is_declared = requested.name in active.overlaps or active.name in requested.overlaps
    if is_declared and _may_overlap(active, requested):
        return OVERLAP
    if active.name in requested.after and active.is_planning:
        return HANDOFF
    if requested.name in active.returns_to:
        return REVIEW
    return ROLLBACK if requested.is_planning and not active.is_planning else DENY


def _may_overlap(active: ModeDef, requested: ModeDef) -> bool:
    if not (active.is_own or requested.is_own):
        return True
    return active.kind == requested.kind and not STANDALONE & {active.name, requested.name}


def policy(modes: Mapping[str, ModeDef] = MODES) -> dict[tuple[str, str], str]:
    """Return the whole table: what happens, by the active and the requested mode."""
    return {(one, other): cell(modes[one], modes[other]) for one in modes for other in modes}


NO_CHANGE, START, ADD, REPLACE, DENIED = "no change", "start", "overlap", "handoff", "denied"


class Step(NamedTuple):
    """What one requested mode does to the active modes, which are `before` and then `after`.

    `completes`: the modes that end. `in_the_way`: the modes because of which the step is denied.
    `rollback`: it is denied because execution does not go back to planning.
    """

    kind: str
    requested: str
    before: tuple[str, ...]
    after: tuple[str, ...]
    completes: tuple[str, ...] = ()
    in_the_way: tuple[str, ...] = ()
    rollback: bool = False


class Plan(NamedTuple):
    """What a whole prompt does to the active modes. If a step is denied, `after` equals `before`.

    `deferred`: the modes that wait for planning to end. `cancels`: the prompt ends what was active.
    `denied`: the step that is denied; None if the prompt is allowed.
    """

    before: tuple[str, ...]
    after: tuple[str, ...]
    steps: tuple[Step, ...] = ()
    deferred: tuple[str, ...] = ()
    source: str | None = None
    """The planning mode that the deferred modes wait for; None if none is deferred."""
    cancels: bool = False
    denied: Step | None = None


def decide(
    active: Sequence[str], requested: str, *, review_open: bool = False, modes: Mapping[str, ModeDef] = MODES
) -> Step:
    """Decide what one requested mode does to the active modes.

    `review_open`: the review of an active mode is not clean, so it may hand back to a mode in its `returns_to`.
    `modes`: the definition of every mode that is named here.
    """
    before = tuple(active)
    if requested in before:
        return Step(NO_CHANGE, requested, before, before)
    cells = {mode: _resolve(cell(modes[mode], modes[requested]), review_open=review_open) for mode in before}
    in_the_way = tuple(mode for mode, sign in cells.items() if sign in (DENY, ROLLBACK))
    if in_the_way:
        rollback = ROLLBACK in cells.values()
        return Step(DENIED, requested, before, before, in_the_way=in_the_way, rollback=rollback)
    completes = tuple(mode for mode, sign in cells.items() if sign == HANDOFF)
    others = tuple(mode for mode in before if mode not in completes)
    conflicting = tuple(mode for mode in others if _conflicts(mode, others, modes))
    if conflicting:  # another tool has left two modes that exclude each other; no third one joins them
        return Step(DENIED, requested, before, before, in_the_way=conflicting)
    after = (*(mode for mode in before if mode not in completes), requested)
    kind = REPLACE if completes else ADD if before else START
    return Step(kind, requested, before, after, completes)


def _conflicts(mode: str, others: tuple[str, ...], modes: Mapping[str, ModeDef]) -> bool:
    return any(cell(modes[mode], modes[other]) not in (SAME, OVERLAP) for other in others)


def _resolve(sign: str, *, review_open: bool) -> str:
    if sign != REVIEW:
        return sign
    return HANDOFF if review_open else ROLLBACK


def plan(
    active: Iterable[str],
    requested: Iterable[str],
    *,
    review_open: bool = False,
    modes: Mapping[str, ModeDef] = MODES,
) -> Plan:
    """Decide about all that a prompt asks for, which is allowed as a whole or denied as a whole.

    `requested`: modes and `cancel`. `review_open`: the review of an active mode is not clean.
    `modes`: the definition of every mode that runs or that the prompt names, own modes included.
    """
    before = tuple(active)
    wanted = tuple(requested)
    cancels = CANCEL in wanted
    wanted = tuple(dict.fromkeys(skill for skill in wanted if skill in modes))
    source = next((mode for mode in wanted if modes[mode].is_planning), None)
    deferred = tuple(mode for mode in wanted if mode != source) if source else ()
    now = () if cancels else before
    steps: list[Step] = []
    for mode in (source,) if source else wanted:
        step = decide(now, mode, review_open=review_open, modes=modes)
        steps.append(step)
        if step.kind == DENIED:
            return Plan(before, before, tuple(steps), cancels=cancels, denied=step)
        now = step.after
    return Plan(before, now, tuple(steps), deferred, source if deferred else None, cancels)
