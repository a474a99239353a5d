"""Carry out what a person asks of a task: read, decide, write and report, all under one lock."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from rcs_hooks.errors import Refused
from rcs_hooks.files import first_write
from rcs_hooks.tasks import flow, judging, messages, phases, verdicts
from rcs_hooks.tasks.archive import ArchivedFiles
from rcs_hooks.tasks.author import words_of
from rcs_hooks.tasks.failures import fails
from rcs_hooks.tasks.flow import ENTER, OVERRIDE, GateStatus, Move, MoveRefusal, Request
from rcs_hooks.tasks.guards.acceptance import DECISIONS
from rcs_hooks.tasks.phases import ACCEPT, DONE, PLANNING, REVERT, START, TEST
from rcs_hooks.tasks.state import shortened

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rcs_hooks.environment import Environment
    from rcs_hooks.jsontext import JsonObject
    from rcs_hooks.tasks.forms import DecisionForm
    from rcs_hooks.tasks.snapshot import Snapshot
    from rcs_hooks.tasks.state import TaskState
    from rcs_hooks.tasks.store import TaskStore
    from rcs_hooks.tasks.verdicts import ReviewVerdict
    from rcs_hooks.workflow.proof import ProofStatus


class TaskResult(NamedTuple):
    """The result of a request: the answer, and where the task is now."""

    task: str
    answer: flow.Answer
    phase: str
    round: int
    archived: ArchivedFiles = ArchivedFiles()
    recorded: str | None = None
    """The artifact that was written on behalf of the person, or None."""
    why: tuple[str, ...] = ()
    """What sent the task back to the phase that it is in; empty if nothing did."""
    ready: str | None = None
    """The phase to which `next` would go after what was recorded; None if nothing was, or if the task has moved on."""
    proof: ProofStatus | None = None
    """The verdict on the tests of a task that has come to acceptance, or was accepted; None elsewhere."""
    first_write: str = ""
    """Which folder has become a workspace, where that is news; empty elsewhere."""


class TaskStatus(NamedTuple):
    """Where a task is, and where it can go."""

    task: str
    state: TaskState
    gates: tuple[GateStatus, ...]
    ready: str | None = None
    """The phase to which `next` would go now; None if it would be refused."""
    decision: DecisionForm | None = None
    """What was decided in accept; None if nothing is."""


def new(store: TaskStore, environment: Environment) -> TaskResult:
    """Begin a task in planning; the answer is a refusal if a task of that name exists."""
    start = _start(store, environment)
    first = first_write.line(store.root, environment.env)
    store.prepare()
    with store.lock():
        if store.exists:
            return TaskResult(store.task, _already_exists(store.task, store.state().phase), PLANNING, 0)
        store.begin(start)
    return TaskResult(store.task, Move(flow.TRANSITION, START, PLANNING, None, None), PLANNING, 1, first_write=first)


def _start(store: TaskStore, environment: Environment) -> str | None:
    """Return the commit that is checked out, with which `collect` compares; None if git cannot say."""
    from rcs_hooks.proof.changes import start_of

    try:
        return start_of(store.root, environment.env)
    except Refused:
        return None


def _already_exists(task: str, phase: str) -> MoveRefusal:
    failed = fails(phases.STATE_FILE, messages.exists(phase), f"rcs task status {task}")
    gate = GateStatus(PLANNING, None, failed)
    text = messages.cannot_move(task, START, PLANNING, failed, [(gate.to, gate.why)])
    return MoveRefusal(flow.REFUSED, START, PLANNING, text, failed, (gate,))


def request(store: TaskStore, request: Request, environment: Environment) -> TaskResult:
    """Carry out a request to enter a phase, to go on, or to do a phase again."""
    store.check_exists()
    verdict = judging.judge(store, request.target, environment) if request.kind != flow.REDO else None
    with store.lock():
        return request_locked(store, request, verdict)


def request_locked(store: TaskStore, request: Request, verdict: JsonObject | None = None) -> TaskResult:
    """Carry out a request. The caller holds the lock. `verdict`: that on the tests, for a task that is accepted."""
    state = store.state()
    if state.phase in judging.JUDGED:
        state = state.judged(verdict)
    answer = flow.decide(state.phase, store.snapshot(state), request, state.rounds)
    answer = flow.as_author(answer, store.task, store.author.kind)
    if isinstance(answer, MoveRefusal):
        store.refuse(answer.source, answer.target, request.override, answer.failed)
    if not isinstance(answer, Move):
        return TaskResult(store.task, answer, state.phase, state.round)
    if answer.why and answer.kind == OVERRIDE and store.author.kind:
        answer = answer._replace(why=[f"{each} ({words_of(store.author.kind)})" for each in answer.why])
    archived = store.move(state, answer)
    number = state.round_of(answer.target) + 1
    proof = state.proof if judging.JUDGED.get(state.phase) == answer.target else None
    why = tuple(shortened(answer.why))
    return TaskResult(store.task, answer, answer.target, number, archived, why=why, proof=proof)


def review(store: TaskStore, verdict: ReviewVerdict) -> TaskResult:
    """Record the verdict of a review, and return where the task is then.

    From the phase before the review the task enters the review and stays there; in the review it goes where the verdict
    leads. Raises Refused elsewhere, and then nothing is written.
    """
    store.check_exists()
    with store.lock():
        phase = store.state().phase
        store.check_recordable(verdict.artifact)
        if phase not in (verdict.phase, verdicts.BEFORE[verdict.phase]):
            raise Refused(messages.no_review_now(store.task, phase, verdict.phase))
        if phase != verdict.phase:
            result = request_locked(store, Request(ENTER, verdict.phase))
            if isinstance(result.answer, MoveRefusal):
                return result
        said = verdict.said(
            store.check_recordable(verdict.artifact), store.author, store.snapshot(store.state()).plan_hash
        )
        signature: JsonObject = {"reviewed_by": store.author.kind, "user": store.author.user, "reviewed_at": store.at}
        is_new = store.record(verdict.artifact, said, signature)
        if phase == verdict.phase:
            result = request_locked(store, Request(ENTER, verdict.leads_to))
        else:
            if is_new:
                store.note(verdict.phase, messages.decision(verdict.word, verdict.reasons))
            result = result._replace(ready=_ready(store))
    return result._replace(recorded=verdict.artifact)


def _ready(store: TaskStore) -> str | None:
    state = store.state()
    return _following(state, store.snapshot(state))


def _following(state: TaskState, snap: Snapshot) -> str | None:
    """Return the phase to which `next` would go; None if it would be refused."""
    move = _move(state, snap)
    return move.target if move else None


def next_move(store: TaskStore) -> Move | None:
    """Return the move that `next` would make now; None if it would be refused."""
    state = store.state()
    return _move(state, store.snapshot(state))


def _move(state: TaskState, snap: Snapshot) -> Move | None:
    answer = flow.decide(state.phase, snap, Request(flow.NEXT), state.rounds)
    return answer if isinstance(answer, Move) else None


def accept(store: TaskStore, word: str, reasons: Sequence[str], environment: Environment) -> TaskResult:
    """Record a decision (`word`, one of `DECISIONS`) and who took it; return where the task is then.

    From test the task enters accept and stays there; in accept it goes where the decision leads. Where it may not enter
    accept, nothing is recorded, and the result says why.
    """
    store.check_exists()
    verdict = judging.judge(store, None if DECISIONS[word] == DONE else ACCEPT, environment)
    with store.lock():
        phase = store.state().phase
        store.check_recordable(phases.DECISION)
        if phase not in (TEST, ACCEPT):
            return _refuse_unwritten(store, ACCEPT)
        if phase == TEST:
            result = request_locked(store, Request(ENTER, ACCEPT), verdict)
            if isinstance(result.answer, MoveRefusal):
                return result
        reasons = [each for each in reasons if each.strip()]
        said: JsonObject = {"decision": word, "reasons": reasons}
        author = store.author
        signature: JsonObject = {"decided_by": author.kind, "user": author.user, "decided_at": store.at}
        is_new = store.record(phases.DECISION, said, signature, {"regression_found": False})
        if is_new and DECISIONS[word] is None:
            store.note(ACCEPT, messages.decision(word, reasons))
        if phase == ACCEPT:
            result = request_locked(store, Request(ENTER, DECISIONS[word] or ACCEPT), verdict)
        else:
            result = result._replace(ready=_ready(store))
    return result._replace(recorded=phases.DECISION)


def revert(store: TaskStore, reason: str) -> TaskResult:
    """Record the request to undo the work of a task in accept, and enter revert."""
    if not reason.strip():
        raise Refused(messages.NO_REVERT_REASON)
    store.check_exists()
    with store.lock():
        phase = store.state().phase
        if phase == REVERT:
            raise Refused(messages.reverting(store.task))
        if phase != ACCEPT:
            return _refuse_unwritten(store, REVERT)
        said: JsonObject = {"reason": reason.strip(), "status": "requested"}
        store.record(phases.REVERT_RECORD, said, {"by": store.author.kind, "user": store.author.user, "at": store.at})
        result = request_locked(store, Request(ENTER, REVERT))
    return result._replace(recorded=phases.REVERT_RECORD)


def _refuse_unwritten(store: TaskStore, target: str) -> TaskResult:
    """Return the refusal of a phase that no edge leads to from here; not even the transcript is written."""
    state = store.state()
    answer = flow.decide(state.phase, store.snapshot(state), Request(ENTER, target), state.rounds)
    return TaskResult(store.task, answer, state.phase, state.round)


def status(store: TaskStore) -> TaskStatus:
    state = store.state()
    snap = store.snapshot(state)
    decision = snap.read(phases.DECISION).value
    return TaskStatus(store.task, state, flow.gates(state.phase, snap), _following(state, snap), decision)
