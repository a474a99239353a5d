"""Stop: the active set, the outcomes, one decision, and the words for it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rcs_hooks.errors import Uncounted
from rcs_hooks.hook import background
from rcs_hooks.state import files, inventory, ledger, paths
from rcs_hooks.state import session as sessions
from rcs_hooks.state.clock import iso
from rcs_hooks.state.files import Unreadable
from rcs_hooks.state.lock import Lock
from rcs_hooks.workflow import stop
from rcs_hooks.workflow.lifecycle import outcome_of

if TYPE_CHECKING:
    from rcs_hooks.hook.call import Payload, Surroundings
    from rcs_hooks.state.session import Member, Session
    from rcs_hooks.workflow.stop import Count, Decision, Limits

NOTES = "softeners.jsonl"
MOST = 10**9


def answer(payload: Payload, root: str, cwd: str, around: Surroundings) -> dict[str, Any]:
    session = payload.session
    if not paths.is_name(session) or background.runs_subagent(payload):
        return {}
    folder = paths.state_folder(root)
    is_committing = files.read_own(folder, files.JOURNAL) is not None
    view = sessions.load(folder, session, around.now)
    if is_committing or _running(view):
        decision, view, held = _decide(payload, root, cwd, around)
        if held:
            return held
    else:
        decision = None
        if payload.message:
            _note_softener(view, payload, root, around)
    if decision and decision.why == stop.ALREADY:
        return {}
    if not (view.unreadable or (decision and decision.is_said)):
        return {}
    return _said(decision, view, payload, root, cwd, around)


def _running(view: Session) -> tuple[Member, ...]:
    """The members that Stop waits for: active, and not themselves waiting for the person."""
    return tuple(member for member in view.members() if not outcome_of(member.record).waits)


def _decide(
    payload: Payload, root: str, cwd: str, around: Surroundings
) -> tuple[Decision, Session, dict[str, Any] | None]:
    """Decide under the lock; a block is counted on disk, and its words are noted, before it is spoken."""
    session = payload.session
    folder = files.prepare(root)
    held = None
    call = ledger.Call(payload.turn, ledger.digest(payload.message), ledger.digest(around.program), around.began)
    with Lock(folder):
        files.recover(folder)
        view = sessions.load(folder, session, around.now)
        notes = ledger.load(folder, session)
        if isinstance(notes, Unreadable):
            why = f"{paths.STATE}/{notes.path} cannot be read ({notes.why}), so no block can be counted"
            raise Uncounted(f"{why}; the next prompt moves it aside")
        if ledger.has_answered(notes, call, ledger.written_at(folder, session)):
            write = ledger.also_called(notes, session, call)
            decision = stop.Decision(blocks=False, why=stop.ALREADY, members=(), counted=ledger.count_of(notes))
        else:
            decision = _decided(payload, view, notes, root, around)
            write = ledger.stop_counted(notes, session, call, decision.counted, now=iso(around.now))
            if decision.why == stop.OLD:
                write = ledger.reminded(write, now=iso(around.now))
        if decision.blocks:
            held = _said(decision, view, payload, root, cwd, around)
            write = ledger.said(write, held["reason"])
        if decision.why != stop.IDLE:
            files.commit(folder, [write])
    return decision, view, held


def _decided(payload: Payload, view: Session, notes: dict[str, Any], root: str, around: Surroundings) -> Decision:
    """Decide about a Stop that no other program has answered."""
    # Every prompt of ours that moved a session has left notes; state that others wrote never had any.
    is_lost = not notes and view.inventory.get("source") == inventory.SOURCE
    count = ledger.count_of(notes)
    count = count._replace(is_lost=is_lost or count.is_lost)
    running = _running(view)
    since = ledger.reminded_at(notes), ledger.last_prompt_at(notes)
    fresh = tuple(member for member in running if not (member.session and sessions.is_old(view, member, *since)))
    if running and not fresh:
        members = tuple(map(_member, running))
        return stop.Decision(blocks=False, why=stop.OLD, members=members, counted=count)
    decision = _bounded(payload, view, fresh, count, around)
    if decision.blocks and decision.why == stop.RUNNING and payload.is_codex and not around.mcp:
        from rcs_hooks.hook import sandbox

        if sandbox.shuts_out(payload, root, around.env):
            return _bounded(payload, view, fresh, count, around, stop.SANDBOX)
    return decision


def _bounded(
    payload: Payload,
    view: Session,
    running: tuple[Member, ...],
    count: Count,
    around: Surroundings,
    once: str | None = None,
) -> Decision:
    members = tuple(map(_member, running))
    fingerprint = ledger.fingerprint(view.members())
    return stop.decide(members, fingerprint, count, _limits(payload, around), once or _once(payload, running))


def _limits(payload: Payload, around: Surroundings) -> Limits:
    return stop.limits(
        around.env.get("RCS_STOP_MAX_BLOCKS"),
        claude=payload.is_claude,
        cap=around.env.get("CLAUDE_CODE_STOP_HOOK_BLOCK_CAP"),
    )


def _once(payload: Payload, running: tuple[Member, ...]) -> str | None:
    """Why the agent may rightly stop, so that it is held once only."""
    if background.wakes_later(payload):
        return stop.BACKGROUND
    if [member.mode for member in running] == [stop.INTERVIEW] and stop.asks(payload.message):
        return stop.QUESTION
    return stop.WORKSPACE if all(map(sessions.is_workspaces, running)) else None


def _member(member: Member) -> stop.Member:
    record = member.record
    most = _count(record.get("max_iterations"))
    return stop.Member(
        member.mode, str(record.get("current_phase") or ""), _count(record.get("iteration")), most or None
    )


def _count(value: object) -> int | None:
    """None too for a number that nobody could have meant."""
    return value if isinstance(value, int) and not isinstance(value, bool) and abs(value) < MOST else None


def _said(
    decision: Decision | None, view: Session, payload: Payload, root: str, cwd: str, around: Surroundings
) -> dict[str, Any]:
    from rcs_hooks.hook import place
    from rcs_hooks.workflow import messages
    from rcs_hooks.workflow.softeners import softener_in

    commands = place.commands(root, cwd, payload.session, around, login_shell=payload.is_codex)
    broken = [messages.unreadable(*place.broken(unreadable), commands) for unreadable in view.unreadable]
    if decision and decision.blocks:
        reason = messages.stop_reason(decision, commands, softener_in(payload.message), broken)
        return {"decision": "block", "reason": reason}
    if decision and decision.why != stop.IDLE:
        return {"systemMessage": messages.let_go(decision, broken)}
    return {"systemMessage": messages.fit([f"rcs: {line}" for line in broken], messages.SYSTEM_LENGTH)}


def _note_softener(view: Session, payload: Payload, root: str, around: Surroundings) -> None:
    """A softener in the last message of a run that has just ended is noted, never blocked."""
    kept = ledger.load(view.folder, payload.session)
    modes = [] if isinstance(kept, Unreadable) else ledger.just_ended(kept, view.own)
    if not modes:
        return
    from rcs_hooks.hook.failures import append
    from rcs_hooks.workflow.softeners import softener_in

    if softener := softener_in(payload.message):
        note = {"at": iso(around.now), "session_id": payload.session, "modes": modes, "softener": softener[:80]}
        append(root, NOTES, note)
