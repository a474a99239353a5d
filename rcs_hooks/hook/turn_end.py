"""Notes what a turn that ends leaves behind: which question was asked in it, and whether its last words were soft.

Loaded only for a Stop that is not held.
"""

from __future__ import annotations

import time

from rcs_hooks.errors import LockTimeout, suppress
from rcs_hooks.files import transaction
from rcs_hooks.files.clock import iso
from rcs_hooks.files.lock import Lock
from rcs_hooks.files.reading import Unreadable
from rcs_hooks.files.transaction import Write
from rcs_hooks.state import prompt_notes, questions, session_notes
from rcs_hooks.state import session as sessions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rcs_hooks.environment import Environment
    from rcs_hooks.hook.call import Payload
    from rcs_hooks.state.session import Session

SOFTENER_LOG = "softeners.jsonl"
NOTE_SECONDS = 0.5
"""Seconds that a Stop which is not held waits to note the turn of a question.

Without the note, the first prompt after it does not count as the answer, but the second does.
"""


def note_turn_of_question(payload: Payload, view: Session, environment: Environment) -> None:
    """Note that this turn, which ends now, is the one in which a question was asked, where nobody knew it."""
    if not questions.of_unknown_turn(view):
        return
    with suppress(LockTimeout, OSError), Lock(view.folder, NOTE_SECONDS):
        transaction.recover(view.folder)
        now = sessions.load(view.folder, payload.session, view.now)
        if writes := turn_notes(now, payload.turn, environment):
            transaction.commit(view.folder, writes)


def turn_notes(view: Session, turn: str | None, environment: Environment) -> list[Write]:
    """Return what notes the turn of each question that has none yet, and that the turn ends at this moment."""
    ended_at = iso(_moment(environment))
    return [Write(each.path, questions.with_turn(each, turn, ended_at)) for each in questions.of_unknown_turn(view)]


def _moment(environment: Environment) -> float:
    """Return the time: of this very moment in a real call, for on a busy machine the call began long before."""
    return max(environment.now, time.time()) if environment.began else environment.now


def log_softener(view: Session, payload: Payload, root: str, environment: Environment) -> None:
    """Log a softener in the last message of a run that has just ended; such a Stop is never held."""
    notes = session_notes.load(view.folder, payload.session)
    modes = [] if isinstance(notes, Unreadable) else prompt_notes.recently_ended(notes, view.own)
    if not modes:
        return
    from rcs_hooks.hook.failures import append
    from rcs_hooks.workflow.last_message import find_softener

    if softener := find_softener(payload.message):  # read this late: some clients write it late, and it is waited for
        note = {"at": iso(environment.now), "session_id": payload.session, "modes": modes, "softener": softener[:80]}
        append(root, SOFTENER_LOG, note)
