"""Stop: lets the agent end its turn, or holds it, as `workflow.stop` decides.

Every held Stop is counted on disk, under the lock, before its reason is sent; where it cannot be counted, the turn
ends. So no failure can hold an agent for ever.
"""

from __future__ import annotations

from rcs_hooks.files import paths, reading, transaction, workspaces
from rcs_hooks.files.clock import iso
from rcs_hooks.files.lock import HOOK_SECONDS, Lock
from rcs_hooks.state import session as sessions
from rcs_hooks.state import session_notes, stop_notes
from rcs_hooks.workflow import last_message, stop
from rcs_hooks.workflow.lifecycle import outcome_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from rcs_hooks.environment import Environment
    from rcs_hooks.files.transaction import Write
    from rcs_hooks.hook.call import Payload
    from rcs_hooks.state.session import ActiveMode, Session
    from rcs_hooks.workflow.stop import BlockCount, BlockLimits, Decision

LARGEST_COUNT = 10**9


def answer(payload: Payload, root: str, cwd: str, environment: Environment) -> dict[str, Any]:
    """Return the answer to one Stop; an empty one lets the turn end."""
    if not paths.is_name(payload.session) or payload.client.runs_subagent(payload.fields):
        return {}
    folder = workspaces.state_folder(root)
    reader = reading.Reader(folder, asks_of_ended=False)
    view = sessions.load(folder, payload.session, environment.now, reader)
    if reader.is_committing or _running(view):
        return _answer_under_lock(payload, root, cwd, environment)
    if _has_question(view):
        from rcs_hooks.hook import turn_end

        turn_end.note_turn_of_question(payload, view)
    finished = ""
    if any(record.has("proof") for record in view.own.values()):
        from rcs_hooks.hook.finished import notice

        finished = notice(view, payload, root, cwd, environment)
    return _worded(None, view, payload, root, cwd, environment, finished)


def _running(view: Session) -> tuple[ActiveMode, ...]:
    """List the active modes that Stop waits for: those that do not wait for the person."""
    return tuple(member for member in view.active_modes() if not outcome_of(member.record).waits)


def _answer_under_lock(payload: Payload, root: str, cwd: str, environment: Environment) -> dict[str, Any]:
    from rcs_hooks.files.preparation import prepare

    session = payload.session
    folder = prepare(root)
    call = stop_notes.call_of(payload.turn, payload.message, payload.timestamp)
    with Lock(folder, HOOK_SECONDS):
        transaction.recover(folder)
        view = sessions.load(folder, session, environment.now, reading.Reader(folder, asks_of_ended=False))
        notes = stop_notes.load(folder, session)
        if payload.client.tells_prompt_at_stop:
            notes = stop_notes.of_turn(notes, payload.prompt or "")
        given = stop_notes.answer_given(notes, call, view.active_modes(), environment.now)
        if given is not None:
            return given
        decision = _decide(payload, view, _running(view), notes, root, environment)
        output = _worded(decision, view, payload, root, cwd, environment, message=_new_part(payload, notes))
        if decision.why != stop.IDLE:
            write = stop_notes.note_stop(notes, session, call, decision.counted, now=environment.now)
            noted = stop_notes.with_words(write, decision, output.get("reason", ""), now=iso(environment.now))
            turns = [] if decision.blocks or not _has_question(view) else _turn_notes(view, payload)
            transaction.commit(folder, [*turns, noted, *_history(decision, view, session)])
    return output


def _has_question(view: Session) -> bool:
    """Tell whether a run of the session waits for the answer to a question."""
    return any(member.record.has_question_pending for member in view.active_modes())


def _turn_notes(view: Session, payload: Payload) -> list[Write]:
    from rcs_hooks.hook import turn_end

    return turn_end.turn_notes(view, payload.turn)


def _history(decision: Decision, view: Session, session: str) -> list[Write]:
    """Return what the session's history says of a Stop: nothing if nobody is told anything, as on a repeated Stop.

    A run of the workspace's own is no run of the session.
    """
    members = [member for member in decision.members if not member.belongs_to_workspace]
    if not (decision.has_message and members):
        return []
    from rcs_hooks.state import history
    from rcs_hooks.workflow.mode_record import TITLE_LENGTH

    event = history.HELD if decision.blocks else history.LET_GO
    records = {member.mode: member.record for member in view.active_modes()}
    events = [
        history.Event(0, iso(view.now), each.mode, event, phase, phase, each.iteration, title, {"why": decision.why})
        for each in members
        for phase in (history.text_of(each.phase),)
        for title in (history.text_of(records[each.mode].title, TITLE_LENGTH),)
    ]
    write = history.append(view.folder, session, events, durable=False)
    return [write] if write else []


# --- what `workflow.stop.decide` is asked


def _decide(
    payload: Payload,
    view: Session,
    running: tuple[ActiveMode, ...],
    notes: dict[str, Any],
    root: str,
    environment: Environment,
) -> Decision:
    """Decide about a Stop that was not answered a moment ago. `running`: the members that it waits for."""
    count = stop_notes.count_of(notes)
    if running and payload.client.stops_without_answer and not _has_new_answer(payload, notes):
        members = tuple(map(_member, running))
        return stop.Decision(blocks=False, why=stop.QUIET, members=members, counted=count)
    since = stop_notes.reminded_at(notes), stop_notes.resumed_at(notes)
    fresh = tuple(member for member in running if not (member.session and sessions.is_old(view, member, *since)))
    if running and not fresh:
        members = tuple(map(_member, running))
        return stop.Decision(blocks=False, why=stop.OLD, members=members, counted=count)
    message = _new_part(payload, notes)
    decision = _decide_within_limits(payload, view, fresh, count, environment, _once(payload, view, fresh, message))
    if decision.why == stop.RUNNING and _cannot_record(payload, root, environment):
        return _decide_within_limits(payload, view, fresh, count, environment, stop.SANDBOX)
    return decision


def _has_new_answer(payload: Payload, notes: dict[str, Any]) -> bool:
    """Tell whether the agent has said anything since the last Stop of this turn."""
    return bool(payload.message) and session_notes.digest(payload.message) != stop_notes.last_message(notes)


def _new_part(payload: Payload, notes: dict[str, Any]) -> str:
    """Return what the agent has said since the last Stop: some clients tell all that it has said since the prompt."""
    return stop_notes.without_last_message(payload.message, notes)


def _cannot_record(payload: Payload, root: str, environment: Environment) -> bool:
    """Tell whether the agent has no way to record an outcome. Called late: it may read the end of a transcript."""
    return not environment.mcp and payload.client.keeps_state_from_agent(payload.fields, root, environment.env)


def _decide_within_limits(
    payload: Payload,
    view: Session,
    running: tuple[ActiveMode, ...],
    count: BlockCount,
    environment: Environment,
    once: str | None,
) -> Decision:
    members = tuple(map(_member, running))
    fingerprint = session_notes.fingerprint(view.active_modes())
    return stop.decide(members, fingerprint, count, _limits(payload, environment), once)


def _limits(payload: Payload, environment: Environment) -> BlockLimits:
    return stop.limits(environment.env.get("RCS_STOP_MAX_BLOCKS"), payload.client.block_cap(environment.env))


def _once(payload: Payload, view: Session, running: tuple[ActiveMode, ...], message: str) -> str | None:
    """Return why the agent has reason to stop, so that its Stop is held only once; None where it has no such reason."""
    if payload.client.wakes_agent_later(payload.fields):
        return stop.BACKGROUND
    if len(running) == 1 and view.modes[running[0].mode].asks_in_text and last_message.asks_question(message):
        return stop.QUESTION
    return stop.WORKSPACE if all(map(sessions.belongs_to_workspace, running)) else None


def _member(member: ActiveMode) -> stop.RunningMode:
    record = member.record
    most = _count(record.max_iterations)
    return stop.RunningMode(
        member.mode,
        record.phase,
        _count(record.iteration),
        most or None,
        sessions.belongs_to_workspace(member),
    )


def _count(value: int | None) -> int | None:
    """Return a count; None for a number that is too large to be one."""
    return value if value is not None and abs(value) < LARGEST_COUNT else None


# --- the words


def _worded(
    decision: Decision | None,
    view: Session,
    payload: Payload,
    root: str,
    cwd: str,
    environment: Environment,
    finished: str = "",
    message: str = "",
) -> dict[str, Any]:
    """Return an answer that words a decision, and which files cannot be read. `message`: what the agent said last.

    Without a decision: those files, and the line `finished` about runs that have finished.
    """
    if not (view.unreadable or finished or (decision and decision.has_message)):
        return {}
    from rcs_hooks.hook import cli_command
    from rcs_hooks.workflow.last_message import find_softener
    from rcs_hooks.workflow.messages.shared import SYSTEM_LENGTH, fit, unreadable
    from rcs_hooks.workflow.messages.stop import let_go, stop_reason

    commands = cli_command.commands(root, cwd, payload.session, environment, payload.client)
    broken = [unreadable(cli_command.broken(each), commands) for each in view.unreadable]
    if decision and decision.blocks:
        from rcs_hooks.workflow.next_step import next_step

        running = {member.mode: member.record for member in view.active_modes()}
        steps = [
            next_step(
                view.modes[member.mode],
                running[member.mode],
                commands.of_workspace() if member.belongs_to_workspace else commands,
            )
            for member in decision.members
        ]
        reason = stop_reason(decision, steps, commands, find_softener(message), broken)
        return {"decision": "block", "reason": reason}
    if decision and decision.why != stop.IDLE:
        return {"systemMessage": let_go(decision, broken)}
    lines = [*([finished] if finished else []), *(f"rcs: {line}" for line in broken)]
    return {"systemMessage": fit(lines, SYSTEM_LENGTH)}
