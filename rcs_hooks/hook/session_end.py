"""SessionEnd: notes that the session is closed. Its workflows stay as they are, for it may be resumed."""

from __future__ import annotations

import os

from rcs_hooks.errors import RcsError
from rcs_hooks.files import paths, transaction, workspaces
from rcs_hooks.files.clock import iso
from rcs_hooks.files.lock import Lock
from rcs_hooks.files.reading import Unreadable
from rcs_hooks.files.tracked import has_tracked_session
from rcs_hooks.state import session_notes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from rcs_hooks.environment import Environment
    from rcs_hooks.hook.call import Payload

LOCK_SECONDS = 0.5
"""A short wait: the client is about to exit, and without the note only a word in the HUD is missing."""


def answer(payload: Payload, root: str, environment: Environment) -> dict[str, Any]:
    """Note that a session has ended; return the answer, which is always empty."""
    mark(root, payload.session, closed_at=iso(environment.now))
    return {}


def mark(root: str, session: str, *, closed_at: str | None) -> None:
    """Note that a session is closed or, with None, that it is open again. Does nothing for a session without state."""
    folder = workspaces.state_folder(root)
    path = paths.session_folder(session)
    if not (paths.is_name(session) and os.path.isdir(f"{folder}/{path}")):
        return
    if closed_at is None and not session_notes.is_closed(session_notes.load(folder, session)):
        return
    if has_tracked_session(root, session):
        return
    try:
        with Lock(folder, LOCK_SECONDS):
            transaction.recover(folder)
            notes = session_notes.load(folder, session)
            if not isinstance(notes, Unreadable):
                transaction.commit(folder, [session_notes.note_closed(notes, session, closed_at=closed_at)])
    except (OSError, RcsError):
        return  # the start of the session has more to do than this note
