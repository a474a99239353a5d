"""Where a task goes: a phase, a snapshot and a request in, a move or a refusal out. Pure.

Rules of this file:
- Only edges of the table are taken; an override waives the guard of an edge, and never adds one.
- `next` asks the problem edges before the happy one, so that a contradiction sends the task back and not on.
- A command of the phase that the task is in changes nothing; doing it again is asked for by redo.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from rcs_hooks.tasks import messages, plan, scope
from rcs_hooks.tasks.guards import GUARDS
from rcs_hooks.tasks.phases import (
    ACCEPT,
    CODEGEN,
    DONE,
    PLAN_REVIEW,
    PLANNING,
    REVERT,
    REVIEW,
    TEST,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rcs_hooks.tasks.failure import Failure
    from rcs_hooks.tasks.guards import Edge, Failures
    from rcs_hooks.tasks.snapshot import Snapshot

SIGNALS = {PLANNING: "blocked", PLAN_REVIEW: "needs_changes"}
"""What actors.codegen.status says, and where that leads from codegen."""
ENTER, NEXT, REDO = "enter", "next", "redo"
TRANSITION, OVERRIDE = "transition", "override"

FORWARD = {
    PLANNING: PLAN_REVIEW,
    PLAN_REVIEW: CODEGEN,
    CODEGEN: REVIEW,
    REVIEW: TEST,
    TEST: ACCEPT,
    ACCEPT: DONE,
    REVERT: DONE,
}
NEXT_ORDER: dict[str, tuple[Edge, ...]] = {
    PLANNING: ((PLANNING, PLAN_REVIEW, "planning succeeded"),),
    PLAN_REVIEW: (
        (PLAN_REVIEW, PLANNING, "review blocked"),
        (PLAN_REVIEW, PLANNING, "review needs changes"),
        (PLAN_REVIEW, CODEGEN, "review ok"),
    ),
    CODEGEN: (
        (CODEGEN, PLANNING, "scope mismatch"),
        (CODEGEN, PLAN_REVIEW, "plan unclear"),
        (CODEGEN, REVIEW, "codegen completed"),
    ),
    REVIEW: (
        (REVIEW, PLANNING, "plan flawed"),
        (REVIEW, CODEGEN, "needs code changes"),
        (REVIEW, TEST, "review passes"),
    ),
    TEST: ((TEST, CODEGEN, "test failures"), (TEST, ACCEPT, "tests complete")),
    ACCEPT: (
        (ACCEPT, REVERT, "revert requested"),
        (ACCEPT, PLANNING, "upstream problem"),
        (ACCEPT, REVIEW, "unclear / needs review"),
        (ACCEPT, CODEGEN, "requires further changes"),
        (ACCEPT, DONE, "accepted"),
    ),
    REVERT: ((REVERT, DONE, None),),
}
"""Doing a phase again is only asked for, and so stands nowhere here."""


class Request(NamedTuple):
    kind: str
    target: str | None = None
    override: str | None = None


class Move(NamedTuple):
    kind: str
    source: str
    target: str
    label: str | None
    reason: str | None
    """The person's; else what stands at the edge."""
    failed: tuple[Failure, ...] = ()
    """What an override has waived."""
    warning: str | None = None
    why: tuple[str, ...] = ()
    """What was found wrong, where no verdict says so."""


class Stay(NamedTuple):
    """What was asked for is so already."""

    phase: str


class Refusal(NamedTuple):
    error: str
    source: str
    target: str | None
    text: str
    """Whole."""
    failed: tuple[Failure, ...] = ()
    allowed: tuple[Way, ...] = ()


class Way(NamedTuple):
    """An edge as it stands: open, or shut by what fails."""

    to: str
    label: str | None
    failed: tuple[Failure, ...]

    @property
    def why(self) -> str:
        if self.failed:
            return f"closed: {self.failed[0].words}"
        return f"open: {self.label}" if self.label else "open"


REFUSED, NO_EDGE, IS_DONE, NO_REASON, NEVER, ELSEWHERE = (
    "transition_refused", "not_a_transition", "task_done", "override_needs_reason", "never_reached", "redo_elsewhere",
)  # fmt: skip
Decision = Move | Stay | Refusal


def decide(phase: str, snap: Snapshot, request: Request, rounds: Mapping[str, int]) -> Decision:
    """`rounds`: how often each phase was entered."""
    if request.kind == REDO:
        return _redo(phase, snap, request.target, rounds)
    if request.kind == ENTER and request.target == phase != DONE:
        return Stay(phase)
    if phase == DONE:
        return Refusal(IS_DONE, phase, request.target, messages.is_done(snap.task))
    if request.override is not None:
        return _overridden(phase, snap, request.target or FORWARD[phase], request.override)
    if request.target is not None:
        return _through(phase, snap, request.target)
    return _next(phase, snap)


def edges(source: str, target: str | None = None) -> list[Edge]:
    """Those from a phase, in the order drawn; all of a pair have its target."""
    return [edge for edge in GUARDS if edge[0] == source and target in (None, edge[1])]


def targets(source: str) -> list[str]:
    return list(dict.fromkeys(edge[1] for edge in edges(source)))


def ways(phase: str, snap: Snapshot) -> tuple[Way, ...]:
    """Every edge out of a phase, in the order drawn."""
    return tuple(Way(edge[1], edge[2], GUARDS[edge](snap)) for edge in edges(phase))


def allowed(phase: str, snap: Snapshot) -> tuple[Way, ...]:
    """The same, each target once: open if one of its edges is."""
    found: dict[str, Way] = {}
    for way in ways(phase, snap):
        if way.to not in found or (found[way.to].failed and not way.failed):
            found[way.to] = way
    return tuple(found.values())


def _next(phase: str, snap: Snapshot) -> Decision:
    for edge in NEXT_ORDER[phase]:
        if not GUARDS[edge](snap):
            return _along(edge, snap)
    return _through(phase, snap, FORWARD[phase])


def _through(phase: str, snap: Snapshot, target: str) -> Decision:
    """By the first edge of the pair that is open."""
    pair = _pair(phase, target)
    if not pair:
        text = messages.no_transition(snap.task, phase, target, targets(phase))
        return Refusal(NO_EDGE, phase, target, text, allowed=allowed(phase, snap))
    failed: dict[Failure, None] = {}
    for edge in pair:
        failures = GUARDS[edge](snap)
        if not failures:
            return _along(edge, snap)
        failed |= dict.fromkeys(failures)
    open_ways = allowed(phase, snap)
    text = messages.cannot_move(snap.task, phase, target, [*failed], [(way.to, way.why) for way in open_ways])
    return Refusal(REFUSED, phase, target, text, tuple(failed), open_ways)


def _pair(phase: str, target: str) -> list[Edge]:
    """In the order in which `next` asks them."""
    order = NEXT_ORDER[phase]
    return sorted(edges(phase, target), key=lambda edge: order.index(edge) if edge in order else len(order))


def _along(edge: Edge, snap: Snapshot) -> Move:
    source, target, label = edge
    return Move(TRANSITION, source, target, label, label, warning=_warning(edge, snap), why=_why(edge, snap))


def _warning(edge: Edge, snap: Snapshot) -> str | None:
    """Generated files that nobody planned do not keep the code from its review."""
    names = scope.outside(snap) if edge[:2] == (CODEGEN, REVIEW) else []
    return messages.out_of_scope(snap.task, names) if names else None


def _why(edge: Edge, snap: Snapshot) -> tuple[str, ...]:
    """Without it, a plan would go to and fro, and nobody would know for what."""
    if edge[:2] == (PLAN_REVIEW, PLANNING):
        return tuple(plan.flaws(snap))
    if edge[:2] == (CODEGEN, PLANNING):
        outside = scope.outside(snap)
        found = [messages.not_planned(outside)] if outside else []
    elif edge[:2] == (CODEGEN, PLAN_REVIEW):
        lacking = scope.lacking(snap)
        found = plan.lacking_essentials(snap) + ([messages.not_generated(lacking)] if lacking else [])
    else:
        return ()
    word = snap.statuses.get(CODEGEN)
    signal = [messages.signalled(word)] if word and scope.has_signal(snap, SIGNALS[edge[1]]) else []
    return (*signal, *(failure.words for failure in plan.file_failures(snap)), *found)


def _overridden(phase: str, snap: Snapshot, target: str, reason: str) -> Decision:
    if not reason.strip():
        return Refusal(NO_REASON, phase, target, messages.NO_REASON)
    pair = _pair(phase, target)
    if not pair:
        return Refusal(NO_EDGE, phase, target, messages.no_override(snap.task, phase, target))
    way = min((Way(edge[1], edge[2], GUARDS[edge](snap)) for edge in pair), key=lambda way: bool(way.failed))
    failed: Failures = tuple(dict.fromkeys(each for edge in pair for each in GUARDS[edge](snap))) if way.failed else ()
    return Move(OVERRIDE, phase, target, way.label, reason.strip(), failed)


def _redo(phase: str, snap: Snapshot, target: str | None, rounds: Mapping[str, int]) -> Decision:
    if phase == DONE:
        target = target or PLANNING
        if target == DONE:
            return Refusal(IS_DONE, phase, target, messages.is_done(snap.task))
        if rounds.get(target, 0) < 1:
            return Refusal(NEVER, phase, target, messages.never_reached(snap.task, target))
        return Move(REDO, phase, target, None, None)
    if target not in (None, phase):
        text = messages.redo_elsewhere(snap.task, phase, str(target))
        return Refusal(ELSEWHERE, phase, target, text)
    label = next((edge[2] for edge in edges(phase, phase)), None)
    return Move(REDO, phase, phase, label, label)
