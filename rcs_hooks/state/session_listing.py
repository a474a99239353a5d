"""Lists the sessions of a workspace: all of them, those folded away, and those that have a mode active."""

from __future__ import annotations

import os

from rcs_hooks.catalog import MODES
from rcs_hooks.files import paths, reading
from rcs_hooks.files.reading import Unreadable
from rcs_hooks.files.tracked import has_tracked_session
from rcs_hooks.state import own_records, session_index
from rcs_hooks.terminal.ids import LEAST_TYPED, resolve, too_short
from rcs_hooks.workflow.lifecycle import is_active, outcome_of
from rcs_hooks.workflow.mode_record import ModeRecord

UUID_LENGTH = 36
UUID_LETTERS = frozenset("0123456789abcdefABCDEF-")
MOST_LOOKED_AT = 30
"""In how many sessions, the latest, a run is looked for that has ended."""


def known_sessions(folder: str) -> list[str]:
    """List every session with a folder, but for those that were folded away or came with the repository."""
    found = _names_in(f"{folder}/{paths.SESSIONS}")
    root = os.path.dirname(os.path.dirname(folder))
    return [name for name in found if not has_tracked_session(root, name)]


def folded_sessions(folder: str) -> list[str]:
    """List every session that was folded away, but for those that came with the repository."""
    found = _names_in(f"{folder}/{paths.FOLDED}")
    root = os.path.dirname(os.path.dirname(folder))
    found = [name for name in found if paths.folded(folder, paths.session_folder(name))]
    return [name for name in found if not has_tracked_session(root, name, paths.FOLDED)]


def is_known(folder: str, session: str) -> bool:
    """Tell whether a session has a folder, here or among those that were folded away."""
    place = paths.session_folder(session)
    return os.path.isdir(f"{folder}/{place}") or bool(paths.folded(folder, place))


def whole_id(folder: str, start: str) -> str:
    """Return the id of the one session that begins with `start`; `start` itself if it is no beginning of an id.

    Only the ids of clients, which are UUIDs, are completed: the name of a new session may begin as another's does.
    Raises Refused if several sessions begin so, or if one does and `start` is too short to name it.
    """
    if not (len(start) < UUID_LENGTH and set(start) <= UUID_LETTERS):
        return start
    if os.path.isdir(f"{folder}/{paths.session_folder(start)}"):
        return start
    there = dict.fromkeys((*known_sessions(folder), *folded_sessions(folder)))
    known = [name for name in there if len(name) == UUID_LENGTH]
    if len(start) < LEAST_TYPED and any(name.startswith(start) for name in known):
        raise too_short(start, "session")
    return resolve(start, known, "session", option="--session")


def _names_in(place: str) -> list[str]:
    """List the folders in a place, through no link: it may lead to sessions of another workspace."""
    if os.path.islink(place):
        return []
    try:
        with os.scandir(place) as entries:
            folders = (entry.name for entry in entries if entry.is_dir(follow_symlinks=False))
            return sorted(filter(paths.is_name, folders))
    except (FileNotFoundError, NotADirectoryError):
        return []


def sessions_with(folder: str, mode: str) -> list[str]:
    """List the sessions that have a mode active, or may have because its file cannot be read."""
    return [session for session in session_index.possibly_active(folder) if _has(folder, mode, session)]


def latest_sessions(folder: str) -> list[str]:
    """List the sessions with a folder, those written last first."""
    there = f"{folder}/{paths.SESSIONS}"
    return sorted(known_sessions(folder), key=lambda name: -os.stat(f"{there}/{name}").st_mtime)


def ended_last(folder: str, mode: str) -> tuple[str, ModeRecord] | None:
    """Return the session in which a mode ended last, with its record; None if it ended in none that was used lately."""
    found: list[tuple[str, str, ModeRecord]] = []
    for session in latest_sessions(folder)[:MOST_LOOKED_AT]:
        read = reading.Reader(folder).read(paths.mode_file(mode, session))
        if read is None or isinstance(read, Unreadable) or not (mode in MODES or own_records.is_record(mode, read)):
            continue
        record = ModeRecord.from_json(read)
        if outcome_of(record).ends and not (is_active(record) or record.is_tombstone):
            found.append((max(record.updated_at, record.completed_at), session, record))
    return max(found, key=lambda each: each[0])[1:] if found else None


def _has(folder: str, mode: str, session: str) -> bool:
    record = reading.Reader(folder).read(paths.mode_file(mode, session))
    if isinstance(record, Unreadable):
        return True
    is_known = mode in MODES or own_records.is_record(mode, record)
    return is_known and record is not None and is_active(ModeRecord.from_json(record))
