"""The line on a Stop that tells the person that a run has finished, and whether it is proven: once for each run.

It shows the stored verdict. What was said is noted first, under the lock; where it cannot be noted, nothing is said,
for another program may be called for the same Stop.
"""

from __future__ import annotations

from rcs_hooks.errors import LockTimeout, suppress
from rcs_hooks.files import transaction
from rcs_hooks.files.lock import Lock
from rcs_hooks.files.reading import Unreadable
from rcs_hooks.state import prompt_notes, session_notes
from rcs_hooks.workflow.proof import is_judged

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from rcs_hooks.environment import Environment
    from rcs_hooks.hook.call import Payload
    from rcs_hooks.state.session import Session

NOTE_SECONDS = 0.5


def notice(view: Session, payload: Payload, root: str, cwd: str, environment: Environment) -> str:
    """Return the line about the runs that have finished since the person's last prompt; empty if there is none."""
    notes = session_notes.load(view.folder, payload.session)
    if isinstance(notes, Unreadable) or not _new(view, notes):
        return ""
    ends: dict[str, str] = {}
    with suppress(LockTimeout, OSError), Lock(view.folder, NOTE_SECONDS):
        transaction.recover(view.folder)
        notes = session_notes.load(view.folder, payload.session)
        if not isinstance(notes, Unreadable) and (new := _new(view, notes)):
            said = {
                mode: at for mode, at in session_notes.part(notes, session_notes.FINISHED).items() if mode in view.own
            }
            parts = {session_notes.FINISHED: said | new}
            transaction.commit(view.folder, [session_notes.write_with(notes, payload.session, **parts)])
            ends = new
    if not ends:
        return ""
    from rcs_hooks.hook import cli_command
    from rcs_hooks.workflow.messages.finished import runs_finished

    commands = cli_command.commands(root, cwd, payload.session, environment)
    return runs_finished([(view.modes[mode], view.own[mode]) for mode in ends], commands)


def _new(view: Session, notes: Mapping[str, object]) -> dict[str, str]:
    """Return when each run finished of which the person has not been informed.

    A verdict is stored only by this program, so a record that another tool ended says nothing.
    """
    since = prompt_notes.last_prompt_at(notes) or ""
    said = session_notes.part(notes, session_notes.FINISHED)
    return {
        mode: record.completed_at
        for mode, record in view.own.items()
        if record.proof_status.judged_at
        and is_judged(view.modes[mode], record)
        and record.completed_at >= since
        and said.get(mode) != record.completed_at
    }
