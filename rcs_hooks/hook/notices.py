"""Lines for the person alone; most of them are shown once in a session."""

from __future__ import annotations

import os

from rcs_hooks.errors import RcsError
from rcs_hooks.files import paths, tracked, transaction, workspaces
from rcs_hooks.files.lock import Lock
from rcs_hooks.files.reading import Unreadable
from rcs_hooks.files.transaction import Write
from rcs_hooks.hook.call import SESSION_START
from rcs_hooks.state import session_notes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from rcs_hooks.hook.call import Payload
    from rcs_hooks.state.reconcile import Reconciled
    from rcs_hooks.workflow.tokens.scan import Token

    Words = Callable[[Reconciled | None], dict[str, Any]]
    """Makes the answer to a prompt from what was decided about it."""

TRACKED = "tracked"
MOST_NOTED = 50


def not_yet_shown(folder: str, session: str, names: Sequence[str]) -> tuple[str, ...]:
    """Return those of the notices `names` that a session has not shown yet, and record them as shown."""
    notes = session_notes.load(folder, session)
    fresh = tuple(name for name in names if not _was_shown(notes, name))
    if fresh and not isinstance(notes, Unreadable):
        try:
            with Lock(folder, 0):
                transaction.recover(folder)
                notes = session_notes.load(folder, session)
                if not isinstance(notes, Unreadable):
                    transaction.commit(folder, [_note_shown(notes, session, fresh)])
        except (OSError, RcsError):
            pass  # the person sees them once more, which harms nobody
    return fresh


def _was_shown(notes: Mapping[str, object] | Unreadable, name: str) -> bool:
    """Tell whether the notes of a session say that a notice was shown. `name`: in capitals or not."""
    return not isinstance(notes, Unreadable) and name.lower() in _shown(notes)


def _shown(notes: Mapping[str, object]) -> list[str]:
    shown = notes.get(session_notes.NOTICED)
    return [name for name in shown if isinstance(name, str)] if isinstance(shown, list) else []


def _note_shown(notes: Mapping[str, object], session: str, names: Sequence[str]) -> Write:
    """Return the write that notes that a session has shown these notices."""
    shown = dict.fromkeys((*_shown(notes), *(name.lower() for name in names)))
    record = {"version": 1, **notes, session_notes.NOTICED: list(shown)[-MOST_NOTED:]}
    return Write(paths.notes_file(session), record, durable=False)


def with_mentions(output: dict[str, Any], root: str, session: str, tokens: tuple[Token, ...]) -> dict[str, Any]:
    """Return an answer with a line added on the skills that a prompt names and does not start.

    Left out are those that the session has shown before, but for the ones that are always reported.
    """
    from rcs_hooks.workflow.messages.prompt_notice import mentioned

    fresh = _fresh_mentions(root, session, tokens)
    return with_line(output, mentioned(fresh)) if fresh else output


def _fresh_mentions(root: str, session: str, tokens: tuple[Token, ...]) -> tuple[Token, ...]:
    """Return the mentions that this session has not shown yet, or shows each time; record them as shown.

    Where there is no `.rcs`, none is created to record that, and the line is shown each time.
    """
    folder = workspaces.state_folder(root)
    if tokens[0].passed_over is None or not os.path.isdir(folder):
        return tokens
    names = not_yet_shown(folder, session, [token.report_key for token in tokens])
    return tuple(token for token in tokens if token.is_always_reported or token.report_key in names)


def without_session(session: str, tokens: tuple[Token, ...]) -> dict[str, Any]:
    """Return the answer to a prompt whose session id cannot be used: a line on the skills that it names."""
    from rcs_hooks.workflow.messages.prompt_notice import mentioned, no_session

    asked = [(token.typed, token.skill or "") for token in tokens if token.passed_over is None]
    return with_line({}, no_session(asked, session) if asked else mentioned(tokens))


def with_line(output: dict[str, Any], line: str) -> dict[str, Any]:
    """Return an answer with a line for the person added."""
    return output | {"systemMessage": "\n".join(filter(None, (output.get("systemMessage"), line)))}


def with_first_write(words: Words, root: str, env: Mapping[str, str]) -> Words:
    """Return `words` with a line for the person, if the folder becomes a workspace that nothing announced."""
    from rcs_hooks.files import first_write

    line = first_write.line(root, env)
    return (lambda result: with_line(words(result), f"rcs: {line}")) if line else words


def with_tracked_line(output: dict[str, Any], payload: Payload, root: str) -> dict[str, Any]:
    """Return an answer with a line added, once a session, that git tracks the workspace's state: it counts for nothing.

    Where git tracks the session's own notes too, nothing can be recorded: then only the start of a session says so.
    """
    if not paths.is_name(payload.session):
        return output
    if tracked.has_tracked_session(root, payload.session):
        is_due = payload.event == SESSION_START
    else:
        is_due = bool(not_yet_shown(workspaces.state_folder(root), payload.session, [TRACKED]))
    return add_tracked_line(output, root) if is_due else output


def add_tracked_line(output: dict[str, Any], root: str) -> dict[str, Any]:
    """Return an answer with the line added that git tracks state of the workspace, and what to do about it."""
    line = f"rcs: {tracked.tracked_words(root)}; {tracked.tracked_advice(root)}"
    return with_line(output, line)


def is_tracked_line_due(root: str, session: str) -> bool:
    """Tell whether the next prompt of a session shows the line that git tracks its state. Records nothing."""
    if not tracked.is_known_to_be_there(root) or tracked.has_tracked_session(root, session):
        return False
    return not _was_shown(session_notes.load(workspaces.state_folder(root), session), TRACKED)
