"""The session whose agent reported a run, and the mode that it works in: what the page of the run leads to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rcs_hooks.dashboard.attention import mode_page, page_of_session
from rcs_hooks.errors import RcsError
from rcs_hooks.files import workspaces
from rcs_hooks.files.paths import is_name
from rcs_hooks.overview.records import title_of
from rcs_hooks.state import session as sessions
from rcs_hooks.state.session_listing import is_known

if TYPE_CHECKING:
    from rcs_hooks.state.session import Session

Record = dict[str, Any]

NOTHING: Record = {"session_page": None, "mode": None}


def of_run(run: Record, now: float) -> Record:
    """Return the address of the page of a run's session, and its active mode, or else the one that ended last.

    `run`: the run as JSON. A session that has no state, or whose state cannot be read, has no page.
    """
    root, session = run["workspace"], run["session"]
    if not (root and is_name(session)):
        return NOTHING
    try:
        folder = workspaces.state_folder(root)
        if not is_known(folder, session):
            return NOTHING
        view = sessions.load(folder, session, now)
    except (RcsError, OSError):
        return NOTHING
    where = {"root": root, "session": session}
    return {"session_page": page_of_session(where), "mode": _mode(view, where)}


def _mode(view: Session, where: Record) -> Record | None:
    active = [member.mode for member in view.active_modes() if member.mode in view.own]
    ended = {
        mode: record.completed_at or record.updated_at for mode, record in view.own.items() if not record.is_tombstone
    }
    mode = active[0] if active else max(ended, key=lambda each: ended[each], default=None)
    if mode is None:
        return None
    title, _ = title_of(mode, where["session"], view.own[mode].title)
    return {"mode": mode, "title": title, "page": mode_page(where, mode)}
