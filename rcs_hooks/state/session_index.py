"""Tells which sessions may have something active, at a cost that grows with what is active and not with what was.

Rules of this file:
- `active.json` is the index. It says: of the sessions last changed up to `until`, only those in `active` had something
  active, open or unreadable; something in `failed` failed; `closed` were ended by their client. Without it, each
  session is looked at.
- Other tools write state and know nothing of the index. So the change time (ctime) decides, which nobody can set: that
  of a session's folder, in which our commits rename, and that of the inventory in a `foreign` session, where other
  tools write in place.
- Readers write nothing. `folding` writes the index.
"""

from __future__ import annotations

import os
import stat
import time
from contextlib import contextmanager

from rcs_hooks.catalog import MODES
from rcs_hooks.errors import RcsError, suppress
from rcs_hooks.files import paths, reading
from rcs_hooks.files.reading import Reader, Unreadable
from rcs_hooks.state import own_records, questions, session_notes
from rcs_hooks.state.session import NATIVE_HOOK
from rcs_hooks.tuples import NamedTuple
from rcs_hooks.workflow.lifecycle import FAILURES, is_active, outcome_of
from rcs_hooks.workflow.mode_record import ModeRecord

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from rcs_hooks.jsontext import JsonObject

INDEX = "active.json"
INVENTORY = f"/{paths.INVENTORY}{paths.MODE_SUFFIX}"
LISTS = ("active", "failed", "closed", "foreign")
SECOND = 1_000_000_000
SETTLED = 2 * SECOND
"""The index does not answer for a session that changed just now: within one tick of a coarse clock, another write may
leave the same change time."""
FEW = 8
"""How many sessions must have changed before the index is written again."""
LEAST = 40
"""How many sessions or questions are done each time, however late it is, so that a busy machine finishes too."""


class Index(NamedTuple):
    """What `active.json` says; empty if it cannot be trusted."""

    until: int = 0
    """The change time up to which the index answers for a session, in nanoseconds; 0: for none."""
    active: frozenset[str] = frozenset()
    failed: frozenset[str] = frozenset()
    closed: frozenset[str] = frozenset()
    foreign: frozenset[str] = frozenset()
    looked: int = 0
    """The moment, in seconds, at which nothing was left to do; 0: the last look left something."""
    known: int = 0
    """The number of sessions at the moment `looked`."""


class Times(NamedTuple):
    """When a session was last changed, in nanoseconds, and when it was last written."""

    changed: int
    written: int


class Look(NamedTuple):
    """The index after a look at what has changed, and every session that is there."""

    listed: Index
    there: dict[str, Times]

    def is_whole(self) -> bool:
        """Tell whether fewer than FEW sessions have changed since the index was made, so that only those are read."""
        return sum(times.changed > self.listed.until for times in self.there.values()) < FEW


class Budget:
    """A limit of time for something, in seconds from now on."""

    def __init__(self, seconds: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._end = clock() + seconds

    def is_spent(self) -> bool:
        return self._clock() > self._end


def possibly_active(folder: str) -> list[str]:
    """List the sessions that may have something active, sorted by name."""
    index = read_index(folder)
    return _among(folder, index, index.active)


def needing_attention(folder: str) -> list[str]:
    """List the sessions that may have something active, or in which something failed or is blocked."""
    index = read_index(folder)
    return _among(folder, index, index.active | index.failed)


def _among(folder: str, index: Index, listed: frozenset[str]) -> list[str]:
    """Return the sessions that are in `listed`, or have changed since the index was written, sorted by name."""
    with _opened(folder) as fd:
        names = os.listdir(fd) if fd is not None else ()
        found = [name for name in names if not index.until or name in listed or _changed(fd, name, index)]
    return sorted(name for name in found if paths.is_name(name) and os.path.isdir(f"{folder}/{paths.SESSIONS}/{name}"))


def active_and_recent(folder: str, since: float) -> tuple[list[str], list[str]]:
    """List the sessions that may have something active, as `possibly_active` does, and those that were written lately.

    The second list has those written since a moment, in seconds since 1970, the one written last first.
    """
    index = read_index(folder)
    found = _all_times(folder, index)
    active = [name for name, times in found.items() if times.changed > index.until or name in index.active]
    written = sorted(((times.written, name) for name, times in found.items() if times.written >= since * SECOND))
    return sorted(active), [name for _, name in reversed(written)]


@contextmanager
def _opened(folder: str) -> Iterator[int | None]:
    """Open the folder of the sessions, to look at thousands of entries by one descriptor; None if there is none.

    A link in its place is not followed: it may lead to the sessions of another workspace.
    """
    place = f"{folder}/{paths.SESSIONS}"
    try:
        fd = None if os.path.islink(place) else os.open(place, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except (FileNotFoundError, NotADirectoryError):
        fd = None
    if fd is None:
        yield None
        return
    try:
        yield fd
    finally:
        os.close(fd)


def _changed(fd: int | None, name: str, index: Index) -> bool:
    try:
        if os.stat(name, dir_fd=fd).st_ctime_ns > index.until:
            return True
        return name in index.foreign and os.stat(name + INVENTORY, dir_fd=fd).st_ctime_ns > index.until
    except OSError:
        return False


def read_index(folder: str) -> Index:
    """Return the index; an empty one, which answers for no session, if it is missing, broken or from the future."""
    record = reading.read_untracked(folder, INDEX)
    if isinstance(record, dict):
        until, values = record.get("until"), [record.get(name) for name in LISTS]
        lists = [value for value in values if isinstance(value, list)]
        if isinstance(until, int) and 0 < until < time.time_ns() and len(lists) == len(LISTS):
            active, failed, closed, foreign = (frozenset(filter(paths.is_name, each)) for each in lists)
            counts = [record.get(name) for name in ("looked", "known")]
            looked, known = (count if isinstance(count, int) else 0 for count in counts)
            return Index(until, active, failed, closed, foreign, looked, known)
    return Index()


def _all_times(folder: str, index: Index) -> dict[str, Times]:
    with _opened(folder) as fd:
        names = os.listdir(fd) if fd is not None else ()
        found = {name: _times(fd, name, index) for name in names if paths.is_name(name)}
    return {name: times for name, times in found.items() if times}


def _times(fd: int | None, name: str, index: Index) -> Times | None:
    """Return the times of a session; None for what is not a folder."""
    try:
        status = os.stat(name, dir_fd=fd)
    except OSError:
        return None
    if not stat.S_ISDIR(status.st_mode):
        return None
    changed, written = status.st_ctime_ns, status.st_mtime_ns
    if name in index.foreign:
        with suppress(OSError):
            inventory = os.stat(name + INVENTORY, dir_fd=fd)
            changed, written = max(changed, inventory.st_ctime_ns), max(written, inventory.st_mtime_ns)
    return Times(changed, written)


def count_sessions(folder: str) -> int:
    with _opened(folder) as fd:
        return len(os.listdir(fd)) if fd is not None else 0


def look_at_changes(folder: str, now: float, budget: Budget, *, least: int = 1) -> Look:
    """Return the index with what has changed since, oldest first, until the budget is spent. Writes nothing.

    `least`: look only if at least so many sessions have changed. This needs no lock: what is written meanwhile changes
    later than every session that the result answers for.
    """
    index = read_index(folder)
    until = index.until
    there = _all_times(folder, index)
    settled = int(now * SECOND) - SETTLED
    fresh = sorted((times.changed, name) for name, times in there.items() if until < times.changed <= settled)
    lists = [set(getattr(index, name)) & there.keys() for name in LISTS]
    reader = Reader(folder)
    for number, (changed, name) in enumerate(fresh if len(fresh) >= least else ()):
        # `until` answers for every session that changed at that very moment, so none of them may be left out.
        if number >= LEAST and until != changed and budget.is_spent():
            break
        for listed, is_so in zip(lists, _facts(reader, name), strict=True):
            (listed.add if is_so else listed.discard)(name)
        until = changed
    active, failed, closed, foreign = map(frozenset, lists)
    return Look(Index(until, active, failed, closed, foreign), there)


def _facts(reader: Reader, session: str) -> tuple[bool, bool, bool, bool]:
    """Tell whether a session belongs to each of `LISTS`.

    Of some twenty possible files, it reads those that are there.
    """
    place = f"{paths.SESSIONS}/{session}"
    try:
        there = {name.partition("/")[0] for name in (*_names_in(reader, place), *reader.pending_in(place))}
        asked = questions.load(reader.folder, session) if reading.QUESTIONS in there else []
    except (RcsError, OSError):
        return True, False, False, True

    def read(path: str) -> JsonObject | Unreadable | None:
        return reader.read(path) if path.rpartition("/")[2] in there else None

    own = {name: read(paths.mode_file(name, session)) for name in own_records.names_among(there)}
    found = [read(paths.mode_file(mode, session)) for mode in MODES]
    found += [each for name, each in own.items() if own_records.is_record(name, each)]
    notes, inventory = read(paths.notes_file(session)), read(paths.inventory_file(session))
    records = [ModeRecord.from_json(record) for record in found if isinstance(record, dict)]
    may_be_active = (
        os.path.islink(f"{reader.folder}/{place}")
        or any(isinstance(each, Unreadable) for each in (*found, notes, inventory))
        or any(map(is_active, records))
        or not all(questions.is_settled(question, ()) for question in asked)
        or (isinstance(inventory, dict) and bool(inventory.get("deferred_skills")))
    )
    is_foreign = isinstance(inventory, Unreadable) or (inventory is not None and inventory.get("source") != NATIVE_HOOK)
    failed = {outcome_of(record).public for record in records} & set(FAILURES)
    return may_be_active, bool(failed), session_notes.is_closed(notes or {}), is_foreign


def _names_in(reader: Reader, place: str) -> list[str]:
    """Return the names in a folder of the state; none if there is no such folder."""
    try:
        return os.listdir(f"{reader.folder}/{place}")
    except (FileNotFoundError, NotADirectoryError):
        return []


def may_be_active(reader: Reader, session: str) -> bool:
    """Tell whether a session has a mode active, a question open or an answer to tell, or cannot be read whole."""
    return _facts(reader, session)[0]
