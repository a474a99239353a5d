"""The reading operations on state that every surface shares: read, list-active and get-status.

To write is in `writing`, to clear in `clearing`.

Each takes a `Scope`, returns a JSON object, and raises Refused with the words for the person. No surface derives
anything for itself: not the active set, not an outcome, not a denial.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rcs_hooks.errors import Refused
from rcs_hooks.files import paths, workspaces
from rcs_hooks.state import mode_replies, session_notes
from rcs_hooks.state.scopes import (
    Scope,
    busy_sessions,
    resolve_among_sessions,
    resolve_scope,
    with_session,
)
from rcs_hooks.text import clean
from rcs_hooks.workflow.lifecycle import outcome_of
from rcs_hooks.workflow.messages.shared import BrokenFile, unreadable
from rcs_hooks.workflow.mode_record import TITLE_LENGTH, ModeRecord
from rcs_hooks.workflow.proof import words_for

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rcs_hooks.jsontext import JsonObject
    from rcs_hooks.state.results import (
        ActiveResult,
        ModeStatus,
        StatusResult,
        UnreadableState,
    )
    from rcs_hooks.state.session import Session
    from rcs_hooks.workflow.commands import Commands


def read(scope: Scope, mode: str) -> JsonObject:
    """Return the record of a mode; if there is none, an object in which `exists` is false."""
    scope = with_session(scope, mode, "read")
    view = scope.view()
    refuse_unreadable(scope, view, (mode,))
    record = view.record_of(mode)
    return record.to_json() if record is not None else {"exists": False, "mode": mode}


def list_active(scope: Scope) -> ActiveResult:
    """List the active modes; if the call names no session, also what is active in each session."""
    meant, busy = resolve_among_sessions(scope)
    view = meant.view()
    here = [member.mode for member in view.active_modes()]
    result: ActiveResult = {"active_modes": here}
    if here and not (scope.session or busy):
        busy = busy_sessions(scope)
    if title := title_of(view):
        result["title"] = title
    if not scope.session:
        if meant.session:
            result["session"] = meant.session
        result["sessions"] = busy
        if titles := {session: title for session in busy if (title := title_of(scope.view(session)))}:
            result["titles"] = titles
    named = dict.fromkeys([meant.session, *busy])
    if closed := [session for session in named if session and is_closed(scope.folder, session)]:
        result["closed"] = closed
    others = [scope.of(session) for session in busy if session != meant.session]
    if broken := [
        *unreadable_files(meant, view),
        *(each for other in others for each in _unreadable_in_session(other)),
    ]:
        result["unreadable"] = broken
    return result


def title_of(view: Session) -> str:
    """Return what the person asked for in a session, as its first active mode with a title says; empty if none has."""
    titles = (clean(member.record.title, TITLE_LENGTH) for member in view.active_modes())
    return next((title for title in titles if title), "")


def _unreadable_in_session(scope: Scope) -> list[UnreadableState]:
    """List the files of a session that cannot be read; not those of root, which any scope would name again."""
    folder = f"{paths.STATE}/{paths.session_folder(scope.session)}"
    return [each for each in unreadable_files(scope, scope.view()) if each["path"].startswith(folder)]


def unreadable_files(scope: Scope, view: Session, mode: str | None = None) -> list[UnreadableState]:
    """List the state files that cannot be read, with the commands that clear them.

    `mode`: only the file of that mode.
    """
    each = [(broken, paths.clear_name(broken.path)) for broken in view.unreadable]
    return [
        {"path": f"{paths.STATE}/{broken.path}", "why": broken.why, "clear": scope.commands.clear(name)}
        for broken, name in each
        if mode in (None, name)
    ]


def is_closed(folder: str, session: str) -> bool:
    """Tell whether the client has ended a session, and nothing has opened it since."""
    return session_notes.is_closed(session_notes.load(folder, session))


def get_status(scope: Scope, mode: str | None = None) -> StatusResult:
    """Return the status of a mode or, without `mode`, of every mode that has a record."""
    meant = with_session(scope, mode, "get-status") if mode else resolve_scope(scope)
    view = meant.view()
    active = {member.mode for member in view.active_modes()}
    names = [mode] if mode else list(view.modes)
    records = {name: record for name in names if (record := view.record_of(name)) is not None}
    statuses = {
        name: _status(view, name, record, meant.commands, is_active=name in active) for name, record in records.items()
    }
    result: StatusResult = {"statuses": statuses}
    if meant.session and is_closed(scope.folder, meant.session):
        result["closed"] = True
    if broken := unreadable_files(meant, view, mode):
        result["unreadable"] = broken
    if off := workspaces.off_by(scope.env, scope.root):
        result["off"] = off
    return result


def _status(view: Session, mode: str, record: ModeRecord, commands: Commands, *, is_active: bool) -> ModeStatus:
    return {
        "active": is_active,
        "phase": record.get("current_phase"),
        "outcome": outcome_of(record).public,
        "title": clean(record.title, TITLE_LENGTH),
        "iteration": record.iteration,
        "next": mode_replies.next_of(view.modes[mode], record, commands),
        "can_finish": mode_replies.is_to_finish(view.modes[mode], record),
        "proof": record.proof_status.to_json(),
        "verdict_says": words_for(view.modes[mode], record),
        "path": f"{paths.STATE}/{paths.mode_file(mode, view.session if mode in view.own else None)}",
        "data": record.to_json(),
    }


def refuse_unreadable(scope: Scope, view: Session, names: Sequence[str] = ()) -> None:
    """Raise Refused if a state file cannot be read; with `names`, only if it is the file of one of these modes."""
    for broken in view.unreadable:
        name = paths.clear_name(broken.path)
        if not names or name in names:
            raise Refused(unreadable(BrokenFile(f"{paths.STATE}/{broken.path}", broken.why, name), scope.commands))
