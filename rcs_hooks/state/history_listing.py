"""Lists the events of a workspace: those of one session, or of all its sessions merged by time."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from rcs_hooks.files import paths
from rcs_hooks.state import history
from rcs_hooks.state.session_listing import known_sessions

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from rcs_hooks.jsontext import JsonObject
    from rcs_hooks.state.history import Event

MOST_SESSIONS = 500
"""So many sessions at most are read for one list: those whose history was written last."""


class LoggedEvent(NamedTuple):
    """An event, and the session that it happened in."""

    session: str
    event: Event

    def as_json(self) -> JsonObject:
        """Return the object that `rcs log --json` prints."""
        event = self.event
        return {
            "at": event.at,
            "session": self.session,
            "mode": event.mode,
            "event": event.event,
            "from": event.from_,
            "to": event.to,
            "iteration": event.iteration,
            "title": event.title,
            "data": event.data,
        }


def entries(
    folder: str, session: str | None, limit: int, *, mode: str = "", after: Mapping[str, int] | None = None
) -> list[LoggedEvent]:
    """Return the last events, oldest first: of one session, or of all.

    `limit`: so many at most. `mode`: only those of a mode. `after`: for each session the number up to which its events
    are known already.
    """
    known = after or {}
    found: list[tuple[str, LoggedEvent]] = []
    for name in [session] if session else recent_sessions(folder):
        at = ""
        for event in history.read(folder, name, limit, mode=mode, after=known.get(name, 0)):
            at = max(at, event.at)  # the events of a session stay in its own order, also where the clock was set back
            found.append((at, LoggedEvent(name, event)))
    found.sort(key=lambda each: each[0])
    return [entry for _, entry in found[-limit:]]


def last_numbers(folder: str, session: str | None) -> dict[str, int]:
    """Return the number of the last event of a session, or of each one that was written lately."""
    last = {name: history.read(folder, name, 1) for name in ([session] if session else recent_sessions(folder))}
    return {name: events[-1].n if events else 0 for name, events in last.items()}


def recent_sessions(folder: str) -> list[str]:
    """List the sessions with a history, those written last first; of very many only some."""
    return [name for _, name in sorted(_written(folder), reverse=True)[:MOST_SESSIONS]]


def _written(folder: str) -> Iterator[tuple[int, str]]:
    """Yield each session that has a history, with the time when that was written."""
    for name in known_sessions(folder):
        try:
            yield os.lstat(f"{folder}/{paths.history_file(name)}").st_mtime_ns, name
        except OSError:
            continue


def stamp(folder: str, session: str | None) -> int:
    """Return when the history of a session, or of any, was last written; 0 if there is none."""
    if session is None:
        return max((at for at, _ in _written(folder)), default=0)
    try:
        return os.lstat(f"{folder}/{paths.history_file(session)}").st_mtime_ns
    except OSError:
        return 0
