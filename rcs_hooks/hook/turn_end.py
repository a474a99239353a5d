"""Notes at the end of a turn which question was asked in it.

Loaded only for a Stop that is not held.
"""

from __future__ import annotations

from rcs_hooks.errors import LockTimeout, suppress
from rcs_hooks.files import transaction
from rcs_hooks.files.lock import Lock
from rcs_hooks.files.transaction import Write
from rcs_hooks.state import questions
from rcs_hooks.state import session as sessions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rcs_hooks.hook.call import Payload
    from rcs_hooks.state.session import Session

NOTE_SECONDS = 0.5
"""Seconds that a Stop which is not held waits to note the turn of a question.

Without the note, the first prompt after it does not count as the answer, but the second does.
"""


def note_turn_of_question(payload: Payload, view: Session) -> None:
    """Note that this turn, which ends now, is the one in which a question was asked, where nobody knew it."""
    if payload.turn is None or not questions.of_unknown_turn(view):
        return
    with suppress(LockTimeout, OSError), Lock(view.folder, NOTE_SECONDS):
        transaction.recover(view.folder)
        now = sessions.load(view.folder, payload.session, view.now)
        if writes := turn_notes(now, payload.turn):
            transaction.commit(view.folder, writes)


def turn_notes(view: Session, turn: str | None) -> list[Write]:
    """Return what notes the turn of each question that has none yet; nothing where the client names no turn."""
    asked = questions.of_unknown_turn(view) if turn is not None else []
    return [Write(each.path, questions.with_turn(each, turn)) for each in asked]
