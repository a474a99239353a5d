"""The passages of all modes of the sessions of a workspace, as their histories tell them.

The history of a session is read again only when it has changed.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, NamedTuple

from rcs_hooks.dashboard import mode_path
from rcs_hooks.dashboard.mode_path import ModePath
from rcs_hooks.errors import RcsError
from rcs_hooks.files import paths, workspaces
from rcs_hooks.state import history, session_notes
from rcs_hooks.state.session_listing import known_sessions
from rcs_hooks.workflow.proof import VERDICTS

if TYPE_CHECKING:
    from collections.abc import Iterable

Record = dict[str, Any]

MOST_SESSIONS, MOST_EVENTS = 500, 6_000


class Passage(NamedTuple):
    """One passage of a mode, as JSON, in its session. `is_last`: no later one of the mode is in the session."""

    session: str
    told: Record
    client: str | None
    is_last: bool


class Histories:
    """The passages of all modes of a session, by the time and size of its history."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[tuple[int, int], list[Record]]] = {}

    def of(self, folder: str, session: str) -> list[Record]:
        """Return the passages of a session as JSON, those that began first first."""
        whole = f"{folder}/{paths.history_file(session)}"
        try:
            status = os.stat(whole)
        except OSError:
            return []
        version = status.st_mtime_ns, status.st_size
        if whole not in self._known or self._known[whole][0] != version:
            while len(self._known) >= 2 * MOST_SESSIONS:
                del self._known[next(iter(self._known))]
            self._known[whole] = version, list(_of_session(folder, session))
        return self._known[whole][1]


def _of_session(folder: str, session: str) -> Iterable[Record]:
    events: dict[str, list[history.Event]] = {}
    for event in history.read(folder, session, MOST_EVENTS):
        events.setdefault(event.mode, []).append(event)
    for mode, found in events.items():
        for run in mode_path.runs_in(found):
            path = ModePath(run)
            verdict = next((each.data.get("proof") for each in reversed(run) if each.event == history.OUTCOME), None)
            yield {
                "mode": mode, "n": run[0].n, "title": path.title, "outcome": path.outcome, "phase": path.current,
                "started_at": path.started_at, "last_at": path.last_at, "reason": path.reason or path.evidence,
                "verdict": verdict if verdict in VERDICTS else None, "early": path.is_early,
            }  # fmt: skip


def of_root(root: str, histories: Histories) -> Iterable[Passage]:
    """Yield the passages in a workspace, those of the session that was written last first."""
    try:
        folder = workspaces.state_folder(root)
        names = known_sessions(folder)
    except (RcsError, OSError):
        return
    for session in _newest(folder, names)[:MOST_SESSIONS]:
        found = histories.of(folder, session)
        if not found:
            continue
        client = session_notes.title_of_client(session_notes.load(folder, session)) or None
        last = {each["mode"]: each["n"] for each in found}
        for each in found:
            yield Passage(session, each, client, last[each["mode"]] == each["n"])


def _newest(folder: str, names: list[str]) -> list[str]:
    """Return sessions in the order in which their folders were written, the last first."""

    def touched(name: str) -> float:
        try:
            return os.stat(f"{folder}/{paths.session_folder(name)}").st_mtime
        except OSError:
            return 0.0

    return sorted(names, key=touched, reverse=True)
