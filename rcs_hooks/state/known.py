"""The sessions of a workspace: which there are, and which of them have a mode active."""

from __future__ import annotations

import os

from rcs_hooks.state import active, files, paths
from rcs_hooks.state.files import Unreadable
from rcs_hooks.state.tracked import has_tracked_session
from rcs_hooks.state.tracked import names as tracked_names
from rcs_hooks.workflow.lifecycle import is_active


def known_sessions(folder: str) -> list[str]:
    """List every session that has a folder, but for those that were folded away or came with the repository."""
    found = _names_in(f"{folder}/{paths.SESSIONS}")
    root = os.path.dirname(os.path.dirname(folder))
    return [name for name in found if not has_tracked_session(root, name)] if tracked_names(root) else found


def folded_sessions(folder: str) -> list[str]:
    """List every session that was folded away."""
    found = _names_in(f"{folder}/{paths.FOLDED}")
    return [name for name in found if paths.folded(folder, paths.session_folder(name))]


def _names_in(place: str) -> list[str]:
    try:
        with os.scandir(place) as entries:
            return sorted(entry.name for entry in entries if paths.is_name(entry.name) and entry.is_dir())
    except (FileNotFoundError, NotADirectoryError):
        return []


def sessions_with(folder: str, mode: str) -> list[str]:
    """List the sessions that have a mode active, or may have: its file cannot be read."""
    return [session for session in active.candidates(folder) if _has(folder, mode, session)]


def _has(folder: str, mode: str, session: str) -> bool:
    record = files.Reader(folder).read(paths.mode_file(mode, session))
    return isinstance(record, Unreadable) or (record is not None and is_active(record))
