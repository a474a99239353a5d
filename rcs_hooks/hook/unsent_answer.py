"""Saves the answer to a prompt that has changed state until it is sent; one that never was is given to the next hook.

Without it a prompt that is sent again, because its hook was killed, would change nothing and say nothing.

The file is in the session's folder. The hook that has yet to send the answer holds a lock (flock) on it: where nobody
holds that lock, the hook was killed, or the client no longer listened to it.
"""

from __future__ import annotations

import os

from rcs_hooks import jsontext
from rcs_hooks.errors import LockTimeout, suppress
from rcs_hooks.files import bounded, paths, reading, transaction
from rcs_hooks.files.folders import folders_of
from rcs_hooks.files.lock import Lock
from rcs_hooks.files.reading import Unreadable
from rcs_hooks.state import prompt_notes, session_notes
from rcs_hooks.state import session as sessions
from rcs_hooks.tuples import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from rcs_hooks.environment import Environment
    from rcs_hooks.state.reconcile import Prompt
    from rcs_hooks.state.session import ActiveMode

try:
    import fcntl
except ImportError:  # pragma: no cover - Windows, where no answer is saved
    fcntl = None  # type: ignore[assignment]  # asked for before each use


class SavedAnswer(NamedTuple):
    """The file of an answer that is not sent yet, open and locked."""

    fd: int
    path: str

    def remove(self) -> None:
        """Remove the file when its answer was sent, but not a file that a later prompt has put in its place."""
        with suppress(OSError):
            if os.path.samestat(os.fstat(self.fd), os.lstat(self.path)):
                os.unlink(self.path)
        with suppress(OSError):
            os.close(self.fd)

    def remove_after_sending(self, environment: Environment) -> None:
        """Remove the file as soon as the answer is sent: at once where nobody waits for that."""
        if environment.after_sending is None:
            self.remove()
        else:
            environment.after_sending.append(self.remove)


def save(
    folder: str, session: str, prompt: Prompt, after: Sequence[ActiveMode], output: Mapping[str, Any]
) -> SavedAnswer | None:
    """Save the answer to a prompt that is about to change state; None where that fails.

    `after`: the active modes after the change. The caller holds the lock of the state.
    """
    if fcntl is None:  # pragma: no cover - Windows
        return None
    path = paths.unsent_answer_file(session)
    record = {
        "digest": session_notes.digest(prompt.text),
        "turn_id": prompt.turn or prompt.moment,
        "fingerprint": session_notes.fingerprint(after),
        "context": output.get("hookSpecificOutput", {}).get("additionalContext", ""),
        "notice": output.get("systemMessage", ""),
    }
    try:
        with folders_of(folder) as folders:
            folders.open(os.path.dirname(path), make=True)
            at, name = folders.at(path)
            with suppress(FileNotFoundError):
                os.unlink(name, dir_fd=at)
            saved = SavedAnswer(os.open(name, transaction.FRESH_FLAGS, 0o600, dir_fd=at), f"{folder}/{path}")
    except OSError:
        return None
    try:
        fcntl.flock(saved.fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        os.write(saved.fd, jsontext.dumps_line(record).encode())
    except OSError:
        saved.remove()
        return None
    return saved


def hand_over(
    folder: str, session: str, prompt: Prompt, record: Mapping[str, Any], environment: Environment
) -> dict[str, Any] | None:
    """Return the answer in a saved record if it still holds and nobody else will send it; None otherwise.

    The state is as that prompt left it, so nothing is changed. In a new turn the prompt is noted, so that a second
    program that gets it is known.
    """
    try:
        with Lock(folder):
            transaction.recover(folder)
            notes = session_notes.load(folder, session)
            if isinstance(notes, Unreadable):
                return None
            if not _is_still_true(folder, session, prompt, record, notes, environment.now):
                return None
            output = _answer_in(record)
            saved = _take_over(folder, session, record) if output else None
            if saved is None:
                return None
            if not prompt_notes.has_seen(notes, prompt):
                transaction.commit(folder, [prompt_notes.note_prompt(notes, session, prompt)])
    except (LockTimeout, OSError):
        return None
    saved.remove_after_sending(environment)
    return output


def _is_still_true(
    folder: str, session: str, prompt: Prompt, record: Mapping[str, Any], notes: Mapping[str, Any], now: float
) -> bool:
    """Tell whether a saved answer holds: its prompt was the last one, and nothing such as a held Stop came since."""
    if not prompt_notes.is_newest(notes, record.get("turn_id"), record.get("digest")):
        return False
    if prompt_notes.has_counted(notes) and not prompt_notes.has_seen(notes, prompt):
        return False
    members = sessions.load(folder, session, now).active_modes()
    return session_notes.fingerprint(members) == record.get("fingerprint")


def _take_over(folder: str, session: str, record: Mapping[str, Any]) -> SavedAnswer | None:
    """Take over a saved answer whose hook is gone; None where that hook has still to send it, or has sent it."""
    if fcntl is None:  # pragma: no cover - Windows
        return None
    path = f"{folder}/{paths.unsent_answer_file(session)}"
    with suppress(OSError):
        fd = bounded.open_regular(path)
        if fd is None:
            return None
        with suppress(OSError):
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if os.fstat(fd).st_nlink and reading.read_untracked(folder, paths.unsent_answer_file(session)) == record:
                return SavedAnswer(fd, path)
        os.close(fd)
    return None


def _answer_in(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return the answer in a saved record; empty where it cannot be one of ours."""
    from rcs_hooks.workflow.messages.shared import CONTEXT_LENGTH, SYSTEM_LENGTH

    context, notice = record.get("context"), record.get("notice")
    if not (_is_text(context, CONTEXT_LENGTH) and _is_text(notice, SYSTEM_LENGTH)):
        return {}
    answer = {"hookSpecificOutput": {"hookEventName": "UserPromptSubmit", "additionalContext": context}}
    return (answer if context else {}) | ({"systemMessage": notice} if notice else {})


def _is_text(value: object, most: int) -> bool:
    """Tell whether this text is no longer than ours may be, and has no control characters, which ours never have."""
    return isinstance(value, str) and len(value) <= most and not any(_is_control(char) for char in value)


def _is_control(char: str) -> bool:
    return (char < " " and char != "\n") or "\x7f" <= char <= "\x9f"
