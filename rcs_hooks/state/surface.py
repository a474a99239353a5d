"""The five operations on state that the command line, the MCP server and whoever comes next share.

Each takes a `Scope`, gives a dict, and raises Refused with the words for the person.
A surface derives nothing for itself: not the active set, not an outcome, not a denial.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, NamedTuple

from rcs_hooks.catalog import MODES
from rcs_hooks.errors import Refused
from rcs_hooks.state import active, files, ledger, modes, paths, questions, running
from rcs_hooks.state import fields as rules
from rcs_hooks.state import session as sessions
from rcs_hooks.state.clock import iso
from rcs_hooks.state.files import Unreadable
from rcs_hooks.state.known import folded_sessions, known_sessions, sessions_with
from rcs_hooks.state.lock import Lock
from rcs_hooks.state.paths import INVENTORY
from rcs_hooks.state.reconcile import ACTIVATES, COMPLETES, Draft, apply_step, review_open
from rcs_hooks.workflow import messages, transitions
from rcs_hooks.workflow.lifecycle import is_active, outcome_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from rcs_hooks.state.session import Session
    from rcs_hooks.workflow.messages import Commands

Record = dict[str, Any]


MOST_NAMED = 8


class Scope(NamedTuple):
    """The state that a call is about."""

    root: str
    session: str | None
    now: float
    commands: Commands

    @property
    def folder(self) -> str:
        return paths.state_folder(self.root)

    def view(self, session: str | None = None) -> Session:
        return sessions.load(self.folder, session or self.session, self.now)

    def of(self, session: str | None) -> Scope:
        """The same for a session, its commands too."""
        return self._replace(session=session, commands=self.commands._replace(session=session or ""))


def with_session(scope: Scope, mode: str, action: str = "") -> Scope:
    """Without a session, root; where it is not active there and one session has it active, that one. Raises Refused,
    with the commands to choose from where `action` is a whole command by itself."""
    if scope.session:
        return scope
    view = scope.view()
    unreadable = paths.mode_file(mode, None) in [broken.path for broken in view.unreadable]
    if unreadable or any(member.mode == mode for member in view.members()):
        return scope
    having = sessions_with(scope.folder, mode)
    if len(having) > 1:
        each = [
            scope.of(session).commands.state(action, mode) if action else f"--session {session}"
            for session in having[:MOST_NAMED]
        ]
        raise Refused("\n".join([f"{mode} is active in {len(having)} sessions; say which one:", *each]))
    return scope.of(having[0]) if having else scope


def busy_sessions(scope: Scope) -> dict[str, list[str]]:
    """What each session has active of its own."""
    each = {
        session: [member.mode for member in scope.view(session).members() if member.session]
        for session in active.candidates(scope.folder)
    }
    return {session: modes for session, modes in each.items() if modes}


def resolved(scope: Scope) -> Scope:
    """What is meant where no session is named: root, or, where nothing is active there, the one session that is."""
    return meant_among(scope)[0]


def meant_among(scope: Scope) -> tuple[Scope, dict[str, list[str]]]:
    """The same, and where no session is named and root has nothing active, what each session has."""
    if scope.session or scope.view().members():
        return scope, {}
    busy = busy_sessions(scope)
    return (scope.of(next(iter(busy))) if len(busy) == 1 else scope), busy


# --- reading


def read(scope: Scope, mode: str) -> Record:
    scope = with_session(scope, mode, "read")
    view = scope.view()
    refuse_unreadable(scope, view, (mode,))
    record = view.record_of(mode)
    return record if record is not None else {"exists": False, "mode": mode}


def list_active(scope: Scope) -> Record:
    """With no session named, what is active in each session stands beside it."""
    meant, busy = meant_among(scope)
    here = [member.mode for member in meant.view().members()]
    result: Record = {"active_modes": here}
    if here and not (scope.session or busy):
        busy = busy_sessions(scope)
    if not scope.session:
        result |= ({"session": meant.session} if meant.session else {}) | {"sessions": busy}
    named = dict.fromkeys([meant.session, *busy])
    closed = [session for session in named if session and is_closed(scope.folder, session)]
    return result | ({"closed": closed} if closed else {})


def is_closed(folder: str, session: str) -> bool:
    """Tell whether the client has ended a session, and nothing has opened it since."""
    return ledger.is_closed(ledger.load(folder, session))


def get_status(scope: Scope, mode: str | None = None) -> Record:
    meant = with_session(scope, mode, "get-status") if mode else resolved(scope)
    view = meant.view()
    running_now = {member.mode for member in view.members()}
    statuses = {}
    for name in [mode] if mode else MODES:
        own = view.own.get(name)
        record = view.record_of(name)
        if record is not None:
            statuses[name] = {
                "active": name in running_now,
                "phase": record.get("current_phase"),
                "outcome": outcome_of(record).public,
                "path": f"{paths.STATE}/{paths.mode_file(name, view.session if own is not None else None)}",
                "data": record,
            }
    closed = bool(meant.session) and is_closed(scope.folder, str(meant.session))
    return {"statuses": statuses} | ({"closed": True} if closed else {})


def refuse_unreadable(scope: Scope, view: Session, names: Sequence[str] = ()) -> None:
    """Raises Refused for a file that cannot be read; with `names`, only for one of those."""
    for broken in view.unreadable:
        name = paths.cleared_as(broken.path)
        if not names or name in names:
            raise Refused(messages.unreadable(f"{paths.STATE}/{broken.path}", broken.why, name, scope.commands))


# --- writing


def write(scope: Scope, mode: str, given: Mapping[str, Any], *, root_scope: bool = False) -> Record:
    """Merge `given` into the record of a mode. What would activate the mode asks the transition policy first.

    `root_scope`: where no session is named, the record of the workspace is meant.
    """
    wanted = rules.checked(given)
    if root_scope and scope.session:
        raise Refused(f"root_scope and the session {scope.session} found; name one of them")
    running.refuse_other_spelling(scope, mode, wanted)
    scope = scope if root_scope else with_session(scope, mode)
    _drafted(scope, mode, wanted)  # refused before anything is made
    if wanted.get("active") and not (scope.session or root_scope):
        _refuse_nobodys(scope, mode)
    folder = files.prepare(scope.root)
    with Lock(folder):
        files.recover(folder)
        draft, message = _drafted(scope, mode, wanted)
        files.commit(folder, draft.writes())
    result: Record = {"success": True, "mode": mode, "path": f"{paths.STATE}/{paths.mode_file(mode, scope.session)}"}
    return result | ({"transition": message} if message else {})


def _refuse_nobodys(scope: Scope, mode: str) -> None:
    """Raise Refused where a run would belong to no session: it would hold the Stop of each."""
    if any(member.mode == mode for member in scope.view().members()):
        return
    there = f"{scope.folder}/{paths.SESSIONS}"
    latest = sorted(known_sessions(scope.folder), key=lambda name: -os.stat(f"{there}/{name}").st_mtime)
    each = [scope.of(session).commands.write(mode, "--active") for session in latest[:MOST_NAMED]]
    each = each or [scope.commands.write(mode, "--active", "--root-scope")]
    first = (
        f"{mode} would be the workspace's and hold the Stop of every session; name the session, or add --root-scope:"
    )
    raise Refused("\n".join([first, *each]))


def _drafted(scope: Scope, mode: str, wanted: Record) -> tuple[Draft, str | None]:
    view = scope.view()
    refuse_unreadable(scope, view, () if wanted.get("active") else (mode, INVENTORY))
    running.refuse_not_running(scope, view, mode, wanted)
    draft = Draft(view, turn=None, now=iso(scope.now))
    message = _draft_write(scope, draft, mode, wanted)
    draft.sync()
    return draft, message


def _draft_write(scope: Scope, draft: Draft, mode: str, wanted: Record) -> str | None:
    view = draft.view
    before = old = view.record_of(mode) or {}
    message = None
    if wanted.get("active"):
        if outcome_of(wanted).ends:
            raise Refused(f"active: true found beside the outcome {outcome_of(wanted).public}; give one of them")
        if is_active(old):
            draft.put_mode(ACTIVATES, mode, modes.answered(mode, old, now=draft.now))
        else:
            message = _activate(scope, draft, mode)
        old = draft.own.get(mode, draft.root.get(mode, {})) if view.session else draft.root.get(mode, {})
    record = modes.merged(mode, old, wanted, session=view.session, now=draft.now)
    if not wanted.get("active"):
        record = modes.keeping_outcome(record, old)
    draft.put_mode(ACTIVATES if is_active(record) else COMPLETES, mode, record)
    if not is_active(record) or mode not in view.own:
        draft.end_survivor(mode)
    if not (outcome_of(record).waits and is_active(record)):
        draft.abandon(questions.load(view.folder, view.session), mode, before)
    return message


def _activate(scope: Scope, draft: Draft, mode: str) -> str | None:
    """Asks the policy, and drafts the transition; the message of it. Raises Refused with the denial."""
    plan = transitions.plan((m.mode for m in draft.members()), (mode,), review_open=review_open(draft))
    if plan.denied:
        news = messages.PromptNews((), plan)
        raise Refused("\n".join(messages.denial(news, plan.denied, scope.commands)))
    told = [apply_step(draft, step)[0] for step in plan.steps]
    return next((text for texts in told for text in texts), None)


# --- clearing


def clear(scope: Scope, mode: str, *, all_sessions: bool = False) -> Record:
    """Takes the mode out. A root survivor is ended with it; a file that cannot be read is moved aside."""
    if all_sessions:
        return _clear_everywhere(scope, mode)
    if mode != INVENTORY:
        scope = with_session(scope, mode, "clear")
    path = f"{paths.STATE}/{_path(mode, scope.session)}"
    return {"cleared": bool(_clear_in(scope, mode)), "mode": mode, "path": path}


def _path(mode: str, session: str | None) -> str:
    return paths.inventory_file(session) if mode == INVENTORY else paths.mode_file(mode, session)


def _clear_everywhere(scope: Scope, mode: str) -> Record:
    """Root first, so that it stands in for no session while the sessions are cleared."""
    removed = [
        f"{paths.STATE}/{_path(mode, each.session)}"
        for each in each_scope(scope)
        if files.Reader(scope.folder).read(_path(mode, each.session)) is not None and _clear_in(each, mode)
    ]
    return {"cleared": bool(removed), "mode": mode, "all_sessions": True, "removed": len(removed), "paths": removed}


def _clear_in(scope: Scope, mode: str) -> bool:
    """Whether there was something to clear. Without state nothing is made."""
    if not paths.may_have_state(scope.root, scope.session or ""):
        return False
    if not _is_clearable(scope, mode):
        return False
    folder = files.prepare(scope.root)
    with Lock(folder):
        files.recover(folder)
        _set_aside_unreadable(folder, _path(mode, scope.session))
        if mode == INVENTORY or files.read(folder, _path(mode, scope.session)) is None:
            _set_aside_unreadable(folder, _path(mode, None))  # it stood in for the session's own
        view = scope.view()
        draft = Draft(view, turn=None, now=iso(scope.now))
        if mode != INVENTORY:
            _draft_clear(draft, mode)
        draft.sync(anew=mode == INVENTORY)
        files.commit(folder, draft.writes())
    return True


def _is_clearable(scope: Scope, mode: str) -> bool:
    reader = files.Reader(scope.folder)
    own = reader.read(_path(mode, scope.session))
    if own is not None:
        return isinstance(own, Unreadable) or not modes.is_tombstone(own)
    if not scope.session:
        return False
    if isinstance(reader.read(_path(mode, None)), Unreadable):
        return True
    root = scope.view().visible_root(mode)
    return root is not None and is_active(root)


def _set_aside_unreadable(folder: str, path: str) -> None:
    """A file that is not ours to read is meant too: the person asked for it. Raises Unavailable."""
    found = files.read(folder, path)
    if isinstance(found, Unreadable):
        files.check_passing(found)
        files.move_aside(folder, path)


def _draft_clear(draft: Draft, mode: str) -> None:
    view = draft.view
    survivor = view.root.get(mode)
    record = view.record_of(mode) or {}
    draft.abandon(questions.load(view.folder, view.session), mode, record)
    if view.session and survivor and is_active(survivor) and sessions.belongs(survivor, view.session):
        draft.put_mode(COMPLETES, mode, modes.tombstone(mode, session=view.session, now=draft.now))
        draft.end_survivor(mode)
    else:
        draft.remove_mode(mode)


def each_scope(scope: Scope) -> Iterator[Scope]:
    """Root, then every session, those too that were folded away."""
    yield scope.of(None)
    for session in (*known_sessions(scope.folder), *folded_sessions(scope.folder)):
        yield scope.of(session)


def each_active_scope(scope: Scope) -> Iterator[Scope]:
    """Root, then every session that may have something active or a question open."""
    yield scope.of(None)
    for session in active.candidates(scope.folder):
        yield scope.of(session)
