"""What a person orders about a task: each looked at, decided and carried out under one lock."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from rcs_hooks.errors import Refused
from rcs_hooks.tasks import archive, flow, messages, phases, run
from rcs_hooks.tasks import state as states
from rcs_hooks.tasks.failure import Failure
from rcs_hooks.tasks.flow import ENTER, Move, Refusal, Request, Stay
from rcs_hooks.tasks.phases import ACCEPT, CODEGEN, DONE, PLANNING, REVERT, REVIEW, START, TEST

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rcs_hooks.runs.around import Around
    from rcs_hooks.tasks.store import Store

Record = dict[str, Any]

DECISIONS = {
    "accepted": DONE,
    "needs_changes": CODEGEN,
    "unclear": REVIEW,
    "upstream_problem": PLANNING,
    "revert": REVERT,
    "deferred": None,
}
"""Where each leads; deferred stays."""


class Outcome(NamedTuple):
    """What has become of an order."""

    task: str
    decision: Move | Stay | Refusal
    phase: str
    round: int
    aside: archive.Aside = archive.Aside()
    recorded: str | None = None
    """The artifact that was written for the person."""
    note: str | None = None
    """Why the runs know nothing of it."""


def new(store: Store, around: Around) -> Outcome:
    store.prepare()
    with store.lock():
        if store.is_there:
            return Outcome(store.task, _exists(store.task, store.state()["phase"]), PLANNING, 0)
        store.begin()
        note = run.report(run.Told(store.root, store.task, PLANNING, begins=True, round=1), around)
    return Outcome(store.task, Move(flow.TRANSITION, START, PLANNING, None, None), PLANNING, 1, note=note)


def _exists(task: str, phase: str) -> Refusal:
    failure = Failure(phases.STATE_FILE, "", messages.exists(phase), "", f"rcs task status {task}")
    ways = (flow.Way(PLANNING, None, (failure,)),)
    text = messages.cannot_move(task, START, PLANNING, [failure], [(way.to, way.why) for way in ways])
    return Refusal(flow.REFUSED, START, PLANNING, text, (failure,), ways)


def ask(store: Store, request: Request, around: Around) -> Outcome:
    store.check_there()
    with store.lock():
        store.recover()
        return _ask(store, request, around)


def _ask(store: Store, request: Request, around: Around) -> Outcome:
    state = store.state()
    source, snap = state["phase"], store.snapshot(state)
    decision = flow.decide(source, snap, request, states.rounds(state))
    if isinstance(decision, Refusal):
        store.refuse(decision.source, decision.target, request.override, decision.failed)
    if not isinstance(decision, Move):
        return Outcome(store.task, decision, source, states.rounds(state).get(source, 0))
    aside = store.move(state, decision)
    number = states.rounds(state).get(decision.target, 0) + 1
    told = run.Told(
        store.root, store.task, decision.target, begins=source == DONE, round=number, label=decision.label,
        override=request.override,
    )  # fmt: skip
    return Outcome(store.task, decision, decision.target, number, aside, note=run.report(told, around))


def accept(store: Store, word: str, reasons: Sequence[str], by: str, around: Around) -> Outcome:
    """In test it enters accept and records; in accept it records and goes where the decision leads."""
    store.check_there()
    with store.lock():
        store.recover()
        phase = store.state()["phase"]
        store.check_recordable(phases.DECISION)
        if phase not in (TEST, ACCEPT):
            return _only_judged(store, ACCEPT)
        if phase == TEST:
            outcome = _ask(store, Request(ENTER, ACCEPT), around)
            if isinstance(outcome.decision, Refusal):
                return outcome
        said: Record = {"decision": word, "reasons": [each for each in reasons if each.strip()]}
        signed = {"decided_by": by, "decided_at": store.at}
        is_news = store.record(phases.DECISION, said, signed, {"regression_found": False}, ("verdict",))
        if is_news and DECISIONS[word] is None:
            store.note(ACCEPT, messages.decision(word, said["reasons"]))
        if phase == ACCEPT:
            target = DECISIONS[word] or ACCEPT
            outcome = _ask(store, Request(ENTER, target), around)
    return outcome._replace(recorded=phases.DECISION)


def revert(store: Store, reason: str, by: str, around: Around) -> Outcome:
    """In accept it records the request and goes to revert."""
    if not reason.strip():
        raise Refused(messages.NO_REVERT_REASON)
    store.check_there()
    with store.lock():
        store.recover()
        phase = store.state()["phase"]
        if phase == REVERT:
            raise Refused(messages.reverting(store.task))
        if phase != ACCEPT:
            return _only_judged(store, REVERT)
        said = {"reason": reason.strip(), "status": "requested"}
        store.record(phases.RECORD, said, {"by": by, "at": store.at})
        outcome = _ask(store, Request(ENTER, REVERT), around)
    return outcome._replace(recorded=phases.RECORD)


def _only_judged(store: Store, target: str) -> Outcome:
    """Refused where no edge leads there; nothing at all is written."""
    state = store.state()
    source, snap = state["phase"], store.snapshot(state)
    decision = flow.decide(source, snap, Request(ENTER, target), states.rounds(state))
    return Outcome(store.task, decision, source, states.rounds(state).get(source, 0))


class Status(NamedTuple):
    task: str
    state: Record
    round: int
    ways: tuple[flow.Way, ...]


def status(store: Store) -> Status:
    state = store.state()
    ways = flow.allowed(state["phase"], store.snapshot(state))
    return Status(store.task, state, states.rounds(state).get(state["phase"], 0), ways)
