"""`rcs hud --statusline`: Claude Code's JSON in, one line out. As quick as a hook, and as forgiving."""

from __future__ import annotations

import os

from rcs_hooks import jsontext
from rcs_hooks.state.paths import find_root, is_name, may_have_state, off_by, state_folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


def line(raw: bytes, env: Mapping[str, str], cwd: str, now: float) -> str:
    """Empty where there is nothing to show, and where the JSON says nothing."""
    session, folder = _asked(raw)
    if not is_name(session):
        return ""
    root = find_root(env, os.path.join(cwd, folder), session)
    off = off_by(env, root)
    if not may_have_state(root, session):
        return "rcs: off" if off else ""
    from rcs_hooks.hud.line import as_line, hud_of
    from rcs_hooks.state import session as sessions
    from rcs_hooks.state.inventory import deferred_in

    view = sessions.load(state_folder(root), session, now)
    hud = hud_of(view, deferred_in(view.inventory), off=off)
    return as_line(hud, colour=not env.get("NO_COLOR")) if hud.active or hud.unreadable or off else ""


def _asked(raw: bytes) -> tuple[str, str]:
    try:
        fields = jsontext.loads(raw.decode())
    except ValueError:
        return "", ""
    if not isinstance(fields, dict):
        return "", ""
    workspace = fields.get("workspace")
    places = (workspace.get("project_dir") if isinstance(workspace, dict) else None, fields.get("cwd"))
    folder = next((place for place in places if isinstance(place, str) and place), "")
    session = fields.get("session_id")
    return (session if isinstance(session, str) else ""), folder
