"""Carry out what a person asks of a task: read, decide, write and report, all under one lock."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from rcs_hooks.errors import Refused
from rcs_hooks.tasks import flow, messages, phases, run_report
from rcs_hooks.tasks.archive import ArchivedFiles
from rcs_hooks.tasks.failures import fails
from rcs_hooks.tasks.flow import ENTER, GateStatus, Move, MoveRefusal, Request
from rcs_hooks.tasks.guards.acceptance import DECISIONS
from rcs_hooks.tasks.phases import ACCEPT, DONE, PLANNING, REVERT, START, TEST

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rcs_hooks.environment import Environment
    from rcs_hooks.jsontext import JsonObject
    from rcs_hooks.tasks.state import TaskState
    from rcs_hooks.tasks.store import TaskStore


class TaskResult(NamedTuple):
    """The result of a request: the answer, and where the task is now."""

    task: str
    answer: flow.Answer
    phase: str
    round: int
    archived: ArchivedFiles = ArchivedFiles()
    recorded: str | None = None
    """The artifact that was written on behalf of the person, or None."""
    note: str | None = None
    """Why the move could not be recorded as a run; None if all is well."""


class TaskStatus(NamedTuple):
    """Where a task is, and where it can go."""

    task: str
    state: TaskState
    gates: tuple[GateStatus, ...]


def new(store: TaskStore, environment: Environment) -> TaskResult:
    """Begin a task in planning; the answer is a refusal if a task of that name exists."""
    store.prepare()
    with store.lock():
        if store.exists:
            return TaskResult(store.task, _already_exists(store.task, store.state().phase), PLANNING, 0)
        store.begin()
        begun = run_report.MoveReport(store.root, store.task, PLANNING, begins=True, round=1)
        note = run_report.report(begun, environment)
    return TaskResult(store.task, Move(flow.TRANSITION, START, PLANNING, None, None), PLANNING, 1, note=note)


def _already_exists(task: str, phase: str) -> MoveRefusal:
    failed = fails(phases.STATE_FILE, messages.exists(phase), f"rcs task status {task}")
    gate = GateStatus(PLANNING, None, failed)
    text = messages.cannot_move(task, START, PLANNING, failed, [(gate.to, gate.why)])
    return MoveRefusal(flow.REFUSED, START, PLANNING, text, failed, (gate,))


def request(store: TaskStore, request: Request, environment: Environment) -> TaskResult:
    """Carry out a request to enter a phase, to go on, or to do a phase again."""
    store.check_exists()
    with store.lock():
        store.recover()
        return _request(store, request, environment)


def _request(store: TaskStore, request: Request, environment: Environment) -> TaskResult:
    state = store.state()
    answer = flow.decide(state.phase, store.snapshot(state), request, state.rounds)
    if isinstance(answer, MoveRefusal):
        store.refuse(answer.source, answer.target, request.override, answer.failed)
    if not isinstance(answer, Move):
        return TaskResult(store.task, answer, state.phase, state.round)
    archived = store.move(state, answer)
    number = state.round_of(answer.target) + 1
    report = run_report.MoveReport(
        store.root, store.task, answer.target, begins=state.phase == DONE, round=number, label=answer.label,
        override=request.override,
    )  # fmt: skip
    note = run_report.report(report, environment)
    return TaskResult(store.task, answer, answer.target, number, archived, note=note)


def accept(store: TaskStore, word: str, reasons: Sequence[str], by: str, environment: Environment) -> TaskResult:
    """Record a decision (`word`, one of `DECISIONS`) and who took it; return where the task is then.

    From test the task enters accept and stays there; in accept it goes where the decision leads. Where it may not enter
    accept, nothing is recorded, and the result says why.
    """
    store.check_exists()
    with store.lock():
        store.recover()
        phase = store.state().phase
        store.check_recordable(phases.DECISION)
        if phase not in (TEST, ACCEPT):
            return _refuse_unwritten(store, ACCEPT)
        if phase == TEST:
            result = _request(store, Request(ENTER, ACCEPT), environment)
            if isinstance(result.answer, MoveRefusal):
                return result
        reasons = [each for each in reasons if each.strip()]
        said: JsonObject = {"decision": word, "reasons": reasons}
        signature: JsonObject = {"decided_by": by, "decided_at": store.at}
        is_new = store.record(phases.DECISION, said, signature, {"regression_found": False}, replaces=("verdict",))
        if is_new and DECISIONS[word] is None:
            store.note(ACCEPT, messages.decision(word, reasons))
        if phase == ACCEPT:
            result = _request(store, Request(ENTER, DECISIONS[word] or ACCEPT), environment)
    return result._replace(recorded=phases.DECISION)


def revert(store: TaskStore, reason: str, by: str, environment: Environment) -> TaskResult:
    """Record the request to undo the work of a task in accept, and enter revert."""
    if not reason.strip():
        raise Refused(messages.NO_REVERT_REASON)
    store.check_exists()
    with store.lock():
        store.recover()
        phase = store.state().phase
        if phase == REVERT:
            raise Refused(messages.reverting(store.task))
        if phase != ACCEPT:
            return _refuse_unwritten(store, REVERT)
        said: JsonObject = {"reason": reason.strip(), "status": "requested"}
        store.record(phases.REVERT_RECORD, said, {"by": by, "at": store.at})
        result = _request(store, Request(ENTER, REVERT), environment)
    return result._replace(recorded=phases.REVERT_RECORD)


def _refuse_unwritten(store: TaskStore, target: str) -> TaskResult:
    """Return the refusal of a phase that no edge leads to from here; not even the transcript is written."""
    state = store.state()
    answer = flow.decide(state.phase, store.snapshot(state), Request(ENTER, target), state.rounds)
    return TaskResult(store.task, answer, state.phase, state.round)


def status(store: TaskStore) -> TaskStatus:
    state = store.state()
    return TaskStatus(store.task, state, flow.gates(state.phase, store.snapshot(state)))
