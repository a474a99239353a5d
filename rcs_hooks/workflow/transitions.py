"""The transition policy: one table, and a small interpreter of it.

Rules of this file:
- A cell answers "`active` is running, `requested` is asked for": every pair of modes has one.
- A set of active modes is asked cell by cell; one denial denies the whole request.
- `plan` decides a whole prompt in memory: either every step is allowed, or nothing is to change.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from rcs_hooks.catalog import CANCEL, MODES, is_planning

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

SAME, OVERLAP, HANDOFF, DENY, ROLLBACK, REVIEW = "=", "+", ">", "x", "r", "?"

# Rows: active. Columns: requested, in the order of the rows.
#   =  already active          +  both run             >  the active one completes, the requested starts
#   x  denied                  r  denied: execution does not roll back to planning
#   ?  a handoff while Autopilot's review is not clean, else a rollback
POLICY = {
    #                  D B A T F P W Q
    "deep-interview": "= > x x x x + x",
    "blueprint":      "x = x > > > + x",
    "autoresearch":   "x x = x x x + x",
    "team":           "r r r = + x + x",
    "forge":          "r r r + = x + x",
    "autopilot":      "r ? r x x = + x",
    "ultrawork":      "+ + + + + + = +",
    "ultraqa":        "r r r x x x + =",
}  # fmt: skip
CELL = {
    (active, requested): cell
    for active, row in POLICY.items()
    for requested, cell in zip(POLICY, row.split(), strict=True)
}

NO_CHANGE, START, ADD, REPLACE, DENIED = "no change", "start", "overlap", "handoff", "denied"


class Step(NamedTuple):
    """What one requested mode does to the active set."""

    kind: str
    requested: str
    before: tuple[str, ...]
    after: tuple[str, ...]
    completes: tuple[str, ...] = ()
    in_the_way: tuple[str, ...] = ()
    rollback: bool = False


class Plan(NamedTuple):
    """What a whole prompt does. `denied` is the step that stopped it; then `after` equals `before`."""

    before: tuple[str, ...]
    after: tuple[str, ...]
    steps: tuple[Step, ...] = ()
    deferred: tuple[str, ...] = ()
    source: str | None = None
    """The planning-like mode that the deferred ones wait for."""
    cancels: bool = False
    denied: Step | None = None


def decide(active: Sequence[str], requested: str, *, review_open: bool = False) -> Step:
    """`review_open`: Autopilot's review is not clean, so that it may hand back to the blueprint."""
    before = tuple(active)
    if requested in before:
        return Step(NO_CHANGE, requested, before, before)
    cells = {mode: _resolve(CELL[mode, requested], review_open=review_open) for mode in before}
    in_the_way = tuple(mode for mode, cell in cells.items() if cell in (DENY, ROLLBACK))
    if in_the_way:
        rollback = ROLLBACK in cells.values()
        return Step(DENIED, requested, before, before, in_the_way=in_the_way, rollback=rollback)
    completes = tuple(mode for mode, cell in cells.items() if cell == HANDOFF)
    at_odds = tuple(mode for mode in before if mode not in completes and _is_at_odds(mode, before, completes))
    if at_odds:  # another tool has left a pair that may not be; nothing joins it
        return Step(DENIED, requested, before, before, in_the_way=at_odds)
    after = (*(mode for mode in before if mode not in completes), requested)
    kind = REPLACE if completes else ADD if before else START
    return Step(kind, requested, before, after, completes)


def _is_at_odds(mode: str, active: tuple[str, ...], completes: tuple[str, ...]) -> bool:
    return any(CELL[mode, other] not in (SAME, OVERLAP) for other in active if other not in completes)


def _resolve(cell: str, *, review_open: bool) -> str:
    if cell != REVIEW:
        return cell
    return HANDOFF if review_open else ROLLBACK


def plan(active: Iterable[str], requested: Iterable[str], *, review_open: bool = False) -> Plan:
    """All that a prompt asks for, against what is active: allowed as a whole, or denied as a whole."""
    before = tuple(active)
    wanted = tuple(requested)
    cancels = CANCEL in wanted
    wanted = tuple(dict.fromkeys(skill for skill in wanted if skill in MODES))
    source = next((mode for mode in wanted if is_planning(mode)), None)
    deferred = tuple(mode for mode in wanted if mode != source) if source else ()
    now = () if cancels else before
    steps: list[Step] = []
    for mode in (source,) if source else wanted:
        step = decide(now, mode, review_open=review_open)
        steps.append(step)
        if step.kind == DENIED:
            return Plan(before, before, tuple(steps), cancels=cancels, denied=step)
        now = step.after
    return Plan(before, now, tuple(steps), deferred, source if deferred else None, cancels)
