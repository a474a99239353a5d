"""Chooses the state that a call is about: a session, or the root scope.

Where a call names no session, the root scope is meant, unless nothing that the call is about is active there and just
one session has it active.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from rcs_hooks.errors import Refused
from rcs_hooks.files import paths, workspaces
from rcs_hooks.state import session as sessions
from rcs_hooks.state.session_listing import active_sessions, known_sessions, sessions_with

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from rcs_hooks.state.session import Session
    from rcs_hooks.workflow.commands import Commands

MOST_NAMED = 8


class Scope(NamedTuple):
    """The state that a call is about: a workspace and a session (None: the root scope), and what the call came with."""

    root: str
    session: str | None
    now: float
    commands: Commands
    env: Mapping[str, str] = MappingProxyType({})
    cwd: str = ""
    """The folder in which the call was made, for the paths that it names; empty: the workspace."""

    @property
    def folder(self) -> str:
        return workspaces.state_folder(self.root)

    def view(self, session: str | None = None) -> Session:
        """Return the state of a session: `session` or, without it, that of this scope; root's if neither names one."""
        return sessions.load(self.folder, session or self.session, self.now)

    def of(self, session: str | None) -> Scope:
        """Return the scope of another session, with commands that name it; None: the root scope."""
        return self._replace(session=session, commands=self.commands._replace(session=session or ""))


def with_session(scope: Scope, mode: str, action: str = "") -> Scope:
    """Return the scope in which a mode is meant.

    If the call names no session and the mode is not active in root, this is the one session that has the mode active.
    Raises Refused if several have. `action`: the action of `rcs state` to offer as whole commands; without it, only the
    option `--session` is offered.
    """
    if scope.session:
        return scope
    view = scope.view()
    unreadable = paths.mode_file(mode, None) in [broken.path for broken in view.unreadable]
    if unreadable or any(member.mode == mode for member in view.active_modes()):
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
    """Return the modes that each session has active in records of its own.

    A session that has none, and files that cannot be read, is returned without modes: it may have some.
    """
    views = {session: scope.view(session) for session in active_sessions(scope.folder)}
    each = {
        session: [member.mode for member in view.active_modes() if member.session] for session, view in views.items()
    }
    return {session: names for session, names in each.items() if names or _has_unreadable(views[session], session)}


def _has_unreadable(view: Session, session: str) -> bool:
    return any(broken.path.startswith(paths.session_folder(session)) for broken in view.unreadable)


def resolve_scope(scope: Scope) -> Scope:
    """Return the scope that is meant: the one named, else root, else the one session with something active."""
    return resolve_among_sessions(scope)[0]


def resolve_among_sessions(scope: Scope) -> tuple[Scope, dict[str, list[str]]]:
    """Return the scope that is meant, as `resolve_scope` does, and the modes that each session has active.

    The modes are left empty if the call names a session or something is active in root. A session whose files cannot be
    read is meant only where no other is known to have something active.
    """
    if scope.session or scope.view().active_modes():
        return scope, {}
    busy = busy_sessions(scope)
    known = [session for session, names in busy.items() if names] or list(busy)
    return (scope.of(known[0]) if len(known) == 1 else scope), busy


def each_scope(scope: Scope) -> Iterator[Scope]:
    """Yield root, then every session."""
    yield scope.of(None)
    for session in known_sessions(scope.folder):
        yield scope.of(session)


def each_active_scope(scope: Scope) -> Iterator[Scope]:
    """Yield root, then every session that may have something active or a question open."""
    yield scope.of(None)
    for session in active_sessions(scope.folder):
        yield scope.of(session)
