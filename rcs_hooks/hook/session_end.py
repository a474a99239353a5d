"""SessionEnd: the hooks' own notes say that the session is closed. Nothing is ended by it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from rcs_hooks.errors import LockTimeout
from rcs_hooks.state import files, ledger, paths
from rcs_hooks.state.clock import iso
from rcs_hooks.state.files import Unreadable
from rcs_hooks.state.lock import Lock

if TYPE_CHECKING:
    from rcs_hooks.hook.call import Payload, Surroundings

LOCK_SECONDS = 0.5
"""The client is about to leave: it does not wait long, and what is missed is a word in the HUD."""


def answer(payload: Payload, root: str, around: Surroundings) -> dict[str, Any]:
    mark(root, payload.session, closed_at=iso(around.now))
    return {}


def mark(root: str, session: str, *, closed_at: str | None) -> None:
    """Note that a session was closed, or, with None, that it is open again; where it has no state, nothing is made."""
    folder = paths.state_folder(root)
    place = paths.session_folder(session)
    if not (paths.is_name(session) and (os.path.isdir(f"{folder}/{place}") or paths.folded(folder, place))):
        return
    if closed_at is None and not ledger.is_closed(ledger.load(folder, session)):
        return
    if files.is_tracked(folder, paths.ledger_file(session)):
        return
    try:
        with Lock(folder, LOCK_SECONDS):
            files.recover(folder)
            notes = ledger.load(folder, session)
            if not isinstance(notes, Unreadable):
                files.commit(folder, [ledger.marked(notes, session, closed_at=closed_at)])
    except LockTimeout:
        return
