"""Lists the sessions of a workspace: all of them, those that have something active, and those that need a person.

Each list reads the folder of every session. Only what has failed is passed over after `RECENT`.
"""

from __future__ import annotations

import os

from rcs_hooks.catalog import MODES
from rcs_hooks.errors import RcsError
from rcs_hooks.files import paths, reading
from rcs_hooks.files.reading import Reader, Unreadable
from rcs_hooks.files.tracked import has_tracked_session
from rcs_hooks.state import own_records, questions
from rcs_hooks.terminal.ids import LEAST_TYPED, resolve, too_short
from rcs_hooks.tuples import NamedTuple
from rcs_hooks.workflow.lifecycle import FAILURES, is_active, outcome_of
from rcs_hooks.workflow.mode_record import ModeRecord

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rcs_hooks.jsontext import JsonObject

UUID_LENGTH = 36
UUID_LETTERS = frozenset("0123456789abcdefABCDEF-")
RECENT = 30 * 86_400.0
"""For so many seconds after its last write, a session in which something failed is listed."""


class SessionState(NamedTuple):
    """What the files of a session tell at a first look."""

    may_be_active: bool
    """Whether something is active, open or unreadable."""
    has_failed: bool = False


def known_sessions(folder: str, *, with_links: bool = False) -> list[str]:
    """List every session with a folder, but for those that came with the repository.

    `with_links`: also those that are links to a folder, which nobody reads.
    """
    found = _names_in(f"{folder}/{paths.SESSIONS}", with_links=with_links)
    root = os.path.dirname(os.path.dirname(folder))
    return [name for name in found if not has_tracked_session(root, name)]


def active_sessions(folder: str) -> list[str]:
    """List the sessions that may have something active, sorted by name."""
    reader = Reader(folder)
    return [name for name in known_sessions(folder, with_links=True) if look(reader, name).may_be_active]


def needy_sessions(folder: str, now: float) -> list[str]:
    """List the sessions that may have something active, or in which something failed or is blocked lately."""
    reader = Reader(folder)
    seen = ((name, look(reader, name)) for name in known_sessions(folder, with_links=True))
    return [
        name
        for name, state in seen
        if state.may_be_active or (state.has_failed and now - written_at(folder, name) < RECENT)
    ]


def written_at(folder: str, session: str) -> float:
    """Return when a session was written last; 0 if that is unknown.

    Our writes rename a file into its folder, whose time that sets; other tools may write the inventory in place.
    """
    found = [0.0]
    for path in (f"{paths.SESSIONS}/{session}", paths.inventory_file(session)):
        try:
            found.append(os.stat(f"{folder}/{path}").st_mtime)
        except OSError:
            continue
    return max(found)


def look(reader: Reader, session: str) -> SessionState:
    """Tell what the files of a session say; of some twenty possible ones, those are read that are there."""
    place = f"{paths.SESSIONS}/{session}"
    if os.path.islink(f"{reader.folder}/{place}"):
        return SessionState(may_be_active=True)
    try:
        there = {name.partition("/")[0] for name in reader.names_in(place)}
        asked = questions.load(reader.folder, session) if reading.QUESTIONS in there else []
    except (RcsError, OSError):
        return SessionState(may_be_active=True)

    def read(path: str) -> JsonObject | Unreadable | None:
        return reader.read(path) if path.rpartition("/")[2] in there else None

    own = {name: read(paths.mode_file(name, session)) for name in own_records.names_among(there)}
    found = [read(paths.mode_file(mode, session)) for mode in MODES]
    found += [each for name, each in own.items() if own_records.is_record(name, each)]
    notes, inventory = read(paths.notes_file(session)), read(paths.inventory_file(session))
    records = [ModeRecord.from_json(record) for record in found if isinstance(record, dict)]
    may_be_active = (
        any(isinstance(each, Unreadable) for each in (*found, notes, inventory))
        or any(map(is_active, records))
        or not all(questions.is_settled(question, ()) for question in asked)
        or (isinstance(inventory, dict) and bool(inventory.get("deferred_skills")))
    )
    return SessionState(may_be_active, any(outcome_of(record).public in FAILURES for record in records))


def is_known(folder: str, session: str) -> bool:
    """Tell whether a session has a folder."""
    return os.path.isdir(f"{folder}/{paths.session_folder(session)}")


def whole_id(folder: str, start: str) -> str:
    """Return the id of the one session that begins with `start`; `start` itself if it is no beginning of an id.

    Only the ids of clients, which are UUIDs, are completed: the name of a new session may begin as another's does.
    Raises Refused if several sessions begin so, or if one does and `start` is too short to name it.
    """
    if not (len(start) < UUID_LENGTH and set(start) <= UUID_LETTERS):
        return start
    if os.path.isdir(f"{folder}/{paths.session_folder(start)}"):
        return start
    known = [name for name in known_sessions(folder) if len(name) == UUID_LENGTH]
    if len(start) < LEAST_TYPED and any(name.startswith(start) for name in known):
        raise too_short(start, "session")
    return resolve(start, known, "session", option="--session")


def _names_in(place: str, *, with_links: bool) -> list[str]:
    """List the folders in a place that is no link: it may lead to sessions of another workspace."""
    if os.path.islink(place):
        return []
    try:
        with os.scandir(place) as entries:
            folders = (entry.name for entry in entries if entry.is_dir(follow_symlinks=with_links))
            return sorted(filter(paths.is_name, folders))
    except (FileNotFoundError, NotADirectoryError):
        return []


def sessions_with(folder: str, mode: str) -> list[str]:
    """List the sessions that have a mode active, or may have because its file cannot be read."""
    reader = Reader(folder)
    return [session for session in known_sessions(folder) if _has(reader, mode, session)]


def latest_sessions(folder: str) -> list[str]:
    """List the sessions with a folder, those written last first."""
    return sorted(known_sessions(folder), key=lambda name: -written_at(folder, name))


def _has(reader: Reader, mode: str, session: str) -> bool:
    record = reader.read(paths.mode_file(mode, session))
    if isinstance(record, Unreadable):
        return True
    is_known = mode in MODES or own_records.is_record(mode, record)
    return is_known and record is not None and is_active(ModeRecord.from_json(record))
