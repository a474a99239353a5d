"""Tell why the active modes of a session are stalled: their Stop was let go, or nothing was heard of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rcs_hooks.files.clock import seconds
from rcs_hooks.runs.progress import STALLED_AFTER_MS
from rcs_hooks.state import session_notes, stop_notes

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rcs_hooks.files.reading import Unreadable
    from rcs_hooks.state.session import Session

STALLED_AFTER = STALLED_AFTER_MS / 1000
UNITS = (("d", 86_400), ("h", 3_600), ("min", 60))
LET_GO = "nothing changed in several turns, so its Stop was let go"


def why_stalled(view: Session, notes: Mapping[str, object] | Unreadable) -> str:
    """Return why the active modes of a session are stalled; empty if they are not, or if there are none."""
    members = tuple(view.active_modes())
    if not members:
        return ""
    if stop_notes.is_stalled(notes, members):
        return LET_GO
    stop = session_notes.part(notes, "stops").get("at") if isinstance(notes, dict) else None
    times = [*(member.record.updated_at for member in members), stop if isinstance(stop, str) else None]
    silent = view.now - max((seconds(at) or 0.0 for at in times if at), default=view.now)
    return f"nothing was heard of it for {length(silent)}" if silent >= STALLED_AFTER else ""


def length(age: float) -> str:
    """Return a length of time, given in seconds, in its largest unit."""
    return next((f"{int(age // size)} {unit}" for unit, size in UNITS if age >= size), f"{int(age)} s")
