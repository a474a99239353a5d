"""Decide where a task goes: a phase, a snapshot and a request in; a move or a refusal out. Pure.

Rules of this file:
- Only the edges of the table are taken. An override waives the guard of an edge, and never adds an edge.
- `next` tries problem edges before the way forward, so that contradictory artifacts send a task back.
- Acceptance is the person's: an agent overrides any guard but one into done.
- The command of the present phase changes nothing; only `redo` does a phase again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from rcs_hooks.environment import AGENT
from rcs_hooks.tasks import messages
from rcs_hooks.tasks.edges import as_tried, edges_from, forward
from rcs_hooks.tasks.phases import DONE, PLANNING, is_back

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rcs_hooks.tasks.failures import Failures, GuardFailure
    from rcs_hooks.tasks.guards.edge import Edge
    from rcs_hooks.tasks.snapshot import Snapshot

ENTER, NEXT, REDO = "enter", "next", "redo"
TRANSITION, OVERRIDE = "transition", "override"
REFUSED, NO_EDGE, IS_DONE, NO_REASON, NEVER_REACHED, REDO_ELSEWHERE, NOT_BY_AGENT = (
    "transition_refused", "not_a_transition", "task_done", "override_needs_reason", "never_reached", "redo_elsewhere",
    "acceptance_by_agent",
)  # fmt: skip


class Request(NamedTuple):
    """What a person asks for: to enter a phase, to go on (NEXT), or to do a phase again (REDO)."""

    kind: str
    target: str | None = None
    override: str | None = None
    """The reason for which the guard is waived; None to obey the guard."""


class Move(NamedTuple):
    """A move that is allowed, not yet carried out."""

    kind: str
    source: str
    target: str
    label: str | None
    reason: str | None
    """What a person gave for an override; otherwise the label of the edge."""
    failed: Failures = ()
    """The conditions that an override waives."""
    warning: str | None = None
    why: Sequence[str] = ()
    """What sends the task back, so that the next round knows what to change."""


class AlreadyThere(NamedTuple):
    """The task is in the requested phase already, so nothing changes."""

    phase: str


class MoveRefusal(NamedTuple):
    """A request that is refused: the code for programs, the whole text for people, and the edges that there are."""

    error: str
    source: str
    target: str | None
    text: str
    failed: Failures = ()
    allowed: tuple[GateStatus, ...] = ()


class GateStatus(NamedTuple):
    """Whether an edge is open now, and which conditions fail if it is closed."""

    to: str
    label: str | None
    failed: Failures

    @property
    def why(self) -> str:
        """Return `open` or `closed` with the label of the edge or the first failure."""
        if self.failed:
            return f"closed: {self.failed[0].words}"
        return f"open: {self.label}" if self.label else "open"


Answer = Move | AlreadyThere | MoveRefusal


def decide(phase: str, snap: Snapshot, request: Request, rounds: Mapping[str, int]) -> Answer:
    """Return the answer to a request in a phase. `rounds` says how often each phase was entered."""
    if request.kind == REDO:
        return _redo(phase, snap, request.target, rounds)
    if request.kind == ENTER and request.target == phase != DONE:
        return AlreadyThere(phase)
    if phase == DONE:
        return MoveRefusal(IS_DONE, phase, request.target, messages.is_done(snap.task))
    if request.override is not None:
        return _overridden(phase, snap, request.target or forward(phase), request.override)
    if request.target is not None:
        return _enter(phase, snap, request.target)
    return _next(phase, snap)


def as_author(answer: Answer, task: str, author: str) -> Answer:
    """Return the answer to a request of this author: an override of an agent into done is refused.

    `author`: who typed it, as `typed_by` says; empty if nobody knows.
    """
    if author == AGENT and isinstance(answer, Move) and answer.kind == OVERRIDE and answer.target == DONE:
        text = messages.no_override_by_agent(task, answer.source, answer.reason or "")
        return MoveRefusal(NOT_BY_AGENT, answer.source, DONE, text, answer.failed)
    return answer


def gates(phase: str, snap: Snapshot) -> tuple[GateStatus, ...]:
    """Return a gate for each phase that an edge leads to, in the order drawn: open if any edge there is open."""
    by_target: dict[str, GateStatus] = {}
    for edge in edges_from(phase):
        gate = _gate(edge, snap)
        if gate.to not in by_target or (by_target[gate.to].failed and not gate.failed):
            by_target[gate.to] = gate
    return tuple(by_target.values())


def _gate(edge: Edge, snap: Snapshot) -> GateStatus:
    return GateStatus(edge.target, edge.label, edge.guard(snap))


def _next(phase: str, snap: Snapshot) -> Answer:
    for edge in as_tried(phase):
        if not edge.guard(snap):
            return _along(edge, snap)
    return _enter(phase, snap, forward(phase))


def _enter(phase: str, snap: Snapshot, target: str) -> Answer:
    """Return the move along the first open edge to `target`; if none is open, a refusal with the failures of all."""
    pair = _pair(phase, target)
    if not pair:
        allowed = gates(phase, snap)
        text = messages.no_transition(snap.task, phase, target, [gate.to for gate in allowed])
        return MoveRefusal(NO_EDGE, phase, target, text, allowed=allowed)
    failed: dict[GuardFailure, None] = {}
    for edge in pair:
        failures = edge.guard(snap)
        if not failures:
            return _along(edge, snap)
        failed |= dict.fromkeys(failures)
    allowed = gates(phase, snap)
    text = messages.cannot_move(snap.task, phase, target, [*failed], [(gate.to, gate.why) for gate in allowed])
    return MoveRefusal(REFUSED, phase, target, text, tuple(failed), allowed)


def _pair(phase: str, target: str) -> list[Edge]:
    """Return the edges between two phases in the order in which `next` tries them, loops last."""
    order = as_tried(phase)
    return sorted(edges_from(phase, target), key=lambda edge: order.index(edge) if edge in order else len(order))


def _along(edge: Edge, snap: Snapshot) -> Move:
    source, target, label = edge[:3]
    return Move(TRANSITION, source, target, label, label, warning=edge.warning(snap), why=edge.why(snap))


def _overridden(phase: str, snap: Snapshot, target: str, reason: str) -> Answer:
    if not reason.strip():
        return MoveRefusal(NO_REASON, phase, target, messages.NO_REASON)
    pair = [_gate(edge, snap) for edge in _pair(phase, target)]
    if not pair:
        return MoveRefusal(NO_EDGE, phase, target, messages.no_override(snap.task, phase, target))
    gate = min(pair, key=lambda gate: bool(gate.failed))  # the first open one, otherwise the first
    failed = tuple(dict.fromkeys(each for gate in pair for each in gate.failed)) if gate.failed else ()
    why = (messages.finding("override", reason),) if target == DONE or is_back(phase, target) else ()
    return Move(OVERRIDE, phase, target, gate.label, reason.strip(), failed, why=why)


def _redo(phase: str, snap: Snapshot, target: str | None, rounds: Mapping[str, int]) -> Answer:
    if phase == DONE:
        return _reopen(snap, target or PLANNING, rounds)
    if target not in (None, phase):
        text = messages.redo_elsewhere(snap.task, phase, str(target))
        return MoveRefusal(REDO_ELSEWHERE, phase, target, text)
    label = next((edge.label for edge in edges_from(phase, phase)), None)
    return Move(REDO, phase, phase, label, label)


def _reopen(snap: Snapshot, target: str, rounds: Mapping[str, int]) -> Answer:
    if target == DONE:
        return MoveRefusal(IS_DONE, DONE, target, messages.is_done(snap.task))
    if rounds.get(target, 0) < 1:
        return MoveRefusal(NEVER_REACHED, DONE, target, messages.never_reached(snap.task, target))
    return Move(REDO, DONE, target, None, None)
