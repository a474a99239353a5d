"""Stop: the active set, the outcomes, one decision, and the words for it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rcs_hooks.errors import Uncounted
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
    from rcs_hooks.workflow.stop import Decision

NOTES = "softeners.jsonl"
MOST = 10**9


def answer(payload: Payload, root: str, cwd: str, around: Surroundings) -> dict[str, Any]:
    session = payload.session
    if not paths.is_name(session):
        return {}
    folder = paths.state_folder(root)
    is_committing = files.read(folder, files.JOURNAL) is not None
    view = sessions.load(folder, session, around.now)
    if is_committing or _running(view):
        decision, view = _decide(payload, root, around)
    else:
        decision = None
        if payload.message:
            _note_softener(view, payload, root, around)
    if not (view.unreadable or (decision and decision.why != stop.IDLE)):
        return {}
    return _said(decision, view, payload, root, cwd, around)


def _running(view: Session) -> tuple[Member, ...]:
    """The members that Stop waits for: active, and not themselves waiting for the person."""
    return tuple(member for member in view.members() if not outcome_of(member.record).waits)


def _decide(payload: Payload, root: str, around: Surroundings) -> tuple[Decision, Session]:
    """Under the lock; a block is counted on disk before it is spoken."""
    session = payload.session
    limits = stop.limits(
        around.env.get("RCS_STOP_MAX_BLOCKS"),
        claude=payload.is_claude,
        cap=around.env.get("CLAUDE_CODE_STOP_HOOK_BLOCK_CAP"),
    )
    folder = files.prepare(root)
    with Lock(folder):
        files.recover(folder)
        view = sessions.load(folder, session, around.now)
        kept = ledger.load(folder, session)
        if isinstance(kept, Unreadable):
            why = f"{paths.STATE}/{kept.path} cannot be read ({kept.why}), so no block can be counted"
            raise Uncounted(f"{why}; the next prompt moves it aside")
        running = tuple(_member(member) for member in _running(view))
        # A session that a prompt of ours has moved had a ledger; state that others wrote never had one.
        is_lost = not kept and view.inventory.get("source") == inventory.SOURCE
        counted = ledger.count_of(kept, payload.turn)
        counted = counted._replace(is_lost=is_lost or counted.is_lost)
        decision = stop.decide(running, ledger.fingerprint(view.members()), counted, limits)
        if decision.blocks or decision.why == stop.LOST:
            write = ledger.stop_counted(kept, session, payload.turn, decision.counted, now=iso(around.now))
            files.commit(folder, [write])
    return decision, view


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
        return {"systemMessage": messages.let_go(decision, commands, broken)}
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
