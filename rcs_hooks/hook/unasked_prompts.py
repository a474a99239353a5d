"""Handles the prompts that no person typed: tells the reason of a held Stop by the notes, and notes whose turn it is.

Loaded only for such a prompt, and for one that looks like a reason.
"""

from __future__ import annotations

from rcs_hooks.errors import LockTimeout
from rcs_hooks.files import paths, transaction, workspaces
from rcs_hooks.files.lock import HOOK_SECONDS, Lock
from rcs_hooks.files.reading import Unreadable
from rcs_hooks.state import prompt_notes, session_notes, stop_notes
from rcs_hooks.state import session as sessions
from rcs_hooks.workflow.origin import looks_like_reason


def is_reason(root: str, session: str, reason: str) -> bool:
    """Tell whether a text that looks like the reason of a held Stop is one, by the notes of its session."""
    notes = session_notes.load(workspaces.state_folder(root), session) if paths.is_name(session) else {}
    if isinstance(notes, Unreadable) or not notes:
        return looks_like_reason(reason)
    return stop_notes.is_own_reason(notes, reason)


def note_turn(root: str, session: str, turn: str, now: float) -> None:
    """Note the turn in which the agent works now: a prompt of that turn does not answer a question asked in it."""
    folder = workspaces.state_folder(root)
    if not any(member.session for member in sessions.load(folder, session, now).active_modes()):
        return
    try:
        with Lock(folder, HOOK_SECONDS):
            transaction.recover(folder)
            notes = session_notes.load(folder, session)
            if not isinstance(notes, Unreadable) and prompt_notes.current_turn(notes) != turn:
                transaction.commit(folder, [prompt_notes.note_turn(notes, session, turn)])
    except (LockTimeout, OSError):
        pass  # the note is not worth keeping the client waiting any longer
