"""Make the entry of a mode from its record, and what entries share: titles, moments, why a thing cannot be read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rcs_hooks.errors import RcsError, reason_of
from rcs_hooks.files.clock import iso, seconds
from rcs_hooks.overview.entries import MODE, RUNNING, Entry
from rcs_hooks.terminal.ids import short
from rcs_hooks.text import clean, word
from rcs_hooks.workflow.lifecycle import last_phase
from rcs_hooks.workflow.mode_record import TITLE_LENGTH
from rcs_hooks.workflow.proof import status_of

if TYPE_CHECKING:
    from rcs_hooks.state.session import Session
    from rcs_hooks.workflow.mode_record import ModeRecord

LONGEST_WHY = 300


def of_record(root: str, view: Session, mode: str, record: ModeRecord) -> Entry:
    """Return the entry of a mode as if it ran."""
    title, has_title = title_of(mode, view.session, record.title)
    return Entry(
        MODE, mode, title, RUNNING, view.session,
        phase=word(phase) if (phase := last_phase(record)) else None, has_title=has_title, project=root,
        started_at=moment(record.started_at), last_at=moment(record.updated_at),
        iteration=_count(record.iteration), max_iterations=_count(record.max_iterations), proof=status_of(record),
    )  # fmt: skip


def title_of(name: str, session: str | None, recorded: object) -> tuple[str, bool]:
    """Return the title of a run, made of mode and session where none was recorded, and whether one was."""
    title = clean(recorded, TITLE_LENGTH)
    if title:
        return title, True
    return (f"{name} {short(session)}" if session else f"{name} of the workspace"), False


def why(error: RcsError | OSError) -> str:
    """Return on one line why something cannot be read."""
    return clean(" ".join(str(error).split()) if isinstance(error, RcsError) else reason_of(error), LONGEST_WHY)


def moment(value: object) -> str | None:
    """Return a moment as our clock writes it; None for a text that states none."""
    at = seconds(value)
    return iso(at) if at is not None and at >= 0 else None


def _count(value: int | None) -> int | None:
    return value if value is not None and 0 <= value < 10**9 else None
