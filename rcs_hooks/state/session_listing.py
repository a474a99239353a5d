"""Lists the sessions of a workspace: all of them, those folded away, and those that have a mode active."""

from __future__ import annotations

import os

from rcs_hooks.catalog import MODES
from rcs_hooks.files import paths, reading
from rcs_hooks.files.reading import Unreadable
from rcs_hooks.files.tracked import has_tracked_session, tracked_names
from rcs_hooks.state import own_records, session_index
from rcs_hooks.workflow.lifecycle import is_active
from rcs_hooks.workflow.mode_record import ModeRecord


def known_sessions(folder: str) -> list[str]:
    """List every session with a folder, but for those that were folded away or came with the repository."""
    found = _names_in(f"{folder}/{paths.SESSIONS}")
    root = os.path.dirname(os.path.dirname(folder))
    is_any = bool(tracked_names(root))
    return [name for name in found if not (is_any and has_tracked_session(root, name))]


def folded_sessions(folder: str) -> list[str]:
    """List every session that was folded away, but for those that came with the repository."""
    found = _names_in(f"{folder}/{paths.FOLDED}")
    root = os.path.dirname(os.path.dirname(folder))
    found = [name for name in found if paths.folded(folder, paths.session_folder(name))]
    is_any = bool(tracked_names(root))
    return [name for name in found if not (is_any and has_tracked_session(root, name, paths.FOLDED))]


def _names_in(place: str) -> list[str]:
    try:
        with os.scandir(place) as entries:
            return sorted(entry.name for entry in entries if paths.is_name(entry.name) and entry.is_dir())
    except (FileNotFoundError, NotADirectoryError):
        return []


def sessions_with(folder: str, mode: str) -> list[str]:
    """List the sessions that have a mode active, or may have because its file cannot be read."""
    return [session for session in session_index.possibly_active(folder) if _has(folder, mode, session)]


def _has(folder: str, mode: str, session: str) -> bool:
    record = reading.Reader(folder).read(paths.mode_file(mode, session))
    if isinstance(record, Unreadable):
        return True
    is_known = mode in MODES or own_records.is_record(mode, record)
    return is_known and record is not None and is_active(ModeRecord.from_json(record))
