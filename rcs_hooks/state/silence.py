"""Tell whether the active modes of a session run, are stalled or are inactive, and why: one rule for all surfaces."""

from __future__ import annotations

from rcs_hooks.files.clock import seconds
from rcs_hooks.state import session_notes, stop_notes
from rcs_hooks.workflow.silence import RUNNING, STALLED, shown_status

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from rcs_hooks.files.reading import Unreadable
    from rcs_hooks.state.session import Session

UNITS = (("d", 86_400), ("h", 3_600), ("min", 60))
LET_GO = "nothing changed in several turns, so its Stop was let go"


def status_of(view: Session, notes: Mapping[str, object] | Unreadable) -> str:
    """Return what the active modes of a session do that do not wait: they are running, stalled or inactive.

    They are stalled after an hour without activity in any of them, or where a Stop was let go and nothing has
    changed since; and inactive after a day.
    """
    status = shown_status(RUNNING, round((view.now - silence(view, notes)) * 1000), round(view.now * 1000))
    return STALLED if status == RUNNING and stop_notes.is_stalled(notes, view.active_modes()) else status


def why_quiet(view: Session, notes: Mapping[str, object] | Unreadable) -> str:
    """Return why the active modes of a session are stalled or inactive; empty if they run, or if there are none."""
    if status_of(view, notes) == RUNNING:
        return ""
    if stop_notes.is_stalled(notes, view.active_modes()):
        return LET_GO
    return f"no activity for {length(silence(view, notes))}"


def silence(view: Session, notes: Mapping[str, object] | Unreadable) -> float:
    """Return for how many seconds the active modes of a session have had no activity; 0 if there are none."""
    stop = session_notes.part(notes, "stops").get("at") if isinstance(notes, dict) else None
    times = [*(member.record.updated_at for member in view.active_modes()), stop if isinstance(stop, str) else None]
    return max(0.0, view.now - max((seconds(at) or 0.0 for at in times if at), default=view.now))


def length(age: float) -> str:
    """Return a length of time, given in seconds, in its largest unit."""
    return next((f"{int(age // size)} {unit}" for unit, size in UNITS if age >= size), f"{int(age)} s")
