"""Which sessions may have something active: a look at all of them costs by what is active, not by what was.

Rules of this file:
- `active.json` says: of the sessions last changed up to `until`, only those in `active` had something active, open or
  unreadable; something in `failed` failed; `closed` were ended by their client. Without it, each session is looked at.
- Other tools write state and know nothing of it. So the change time decides, which nobody can set: of a session's
  folder, in which our commits rename, and of the inventory of a `foreign` one, which others write in place.
- A session with nothing active that nobody touched for 30 days (one that was closed: for a day) is folded away, by one
  rename to `folded/<id>`. `files.read` reads it there, and `files.commit` renames it back with the first write to it.
- Of many questions of a scope, the closed ones but for the newest are renamed to `questions/folded/`.
- Readers write nothing. SessionStart and `rcs question ask` do a bounded part, `rcs state prune` the whole.
"""

from __future__ import annotations

import os
import stat
import time
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, NamedTuple

from rcs_hooks.catalog import MODES
from rcs_hooks.errors import LockTimeout, RcsError
from rcs_hooks.state import files, ledger, paths, questions
from rcs_hooks.state.files import Reader, Unreadable, Write
from rcs_hooks.state.folders import folders_of
from rcs_hooks.state.inventory import SOURCE
from rcs_hooks.state.lock import Lock
from rcs_hooks.state.questions import Question
from rcs_hooks.workflow.lifecycle import BLOCKED, FAILED, is_active, outcome_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

Record = dict[str, Any]

INDEX = "active.json"
INVENTORY = f"/{paths.INVENTORY}{paths.MODE_SUFFIX}"
LISTS = ("active", "failed", "closed", "foreign")
SECOND = 1_000_000_000
SETTLED = 2 * SECOND
"""A session that changed just now is not vouched for: another write may follow within a tick of a coarse clock."""
DAY = 86_400.0
OLD = 30 * DAY
"""Seconds after which an open session is folded away."""
CLOSED_OLD = DAY
FEW = 8
"""Sessions that have to be looked at before the index is made again."""
MANY = 32
"""Questions that are not folded away."""
LOOK_SECONDS = 0.03
FOLD_SECONDS = 0.02
FOLD_MOST = 50
"""What a hook does of it in one call."""


class Index(NamedTuple):
    until: int = 0
    """In nanoseconds; 0 where nothing is vouched for."""
    active: frozenset[str] = frozenset()
    failed: frozenset[str] = frozenset()
    closed: frozenset[str] = frozenset()
    foreign: frozenset[str] = frozenset()


class Times(NamedTuple):
    """When a session was last changed, in nanoseconds, and when it was last written."""

    changed: int
    written: int


# --- reading


def candidates(folder: str) -> list[str]:
    """List the sessions that may have something active, by name."""
    index = _index(folder)
    return _among(folder, index, index.active)


def needy(folder: str) -> list[str]:
    """The same, and those in which something failed or is blocked."""
    index = _index(folder)
    return _among(folder, index, index.active | index.failed)


def _among(folder: str, index: Index, listed: frozenset[str]) -> list[str]:
    """The listed ones, and those that have changed since."""
    with _opened(folder) as fd:
        names = os.listdir(fd) if fd is not None else ()
        found = [name for name in names if not index.until or name in listed or _changed(fd, name, index)]
    return sorted(name for name in found if paths.is_name(name) and os.path.isdir(f"{folder}/{paths.SESSIONS}/{name}"))


@contextmanager
def _opened(folder: str) -> Iterator[int | None]:
    """The folder of the sessions, whose entries are looked at thousands at a time; None where there is none."""
    try:
        fd = os.open(f"{folder}/{paths.SESSIONS}", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except (FileNotFoundError, NotADirectoryError):
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


def _index(folder: str) -> Index:
    """One that is missing, broken, or from the future vouches for nothing."""
    record = files.read(folder, INDEX)
    if isinstance(record, dict):
        until, lists = record.get("until"), [record.get(name) for name in LISTS]
        if isinstance(until, int) and 0 < until < time.time_ns() and all(isinstance(each, list) for each in lists):
            return Index(until, *(frozenset(filter(paths.is_name, each or ())) for each in lists))
    return Index()


def _all_times(folder: str) -> dict[str, Times]:
    with _opened(folder) as fd:
        names = os.listdir(fd) if fd is not None else ()
        found = {name: _times(fd, name) for name in names if paths.is_name(name)}
    return {name: times for name, times in found.items() if times}


def _times(fd: int | None, name: str) -> Times | None:
    """None for what is no folder."""
    try:
        status = os.stat(name, dir_fd=fd)
    except OSError:
        return None
    changed, written = status.st_ctime_ns, status.st_mtime_ns
    with suppress(OSError):
        inventory = os.stat(name + INVENTORY, dir_fd=fd)
        changed, written = max(changed, inventory.st_ctime_ns), max(written, inventory.st_mtime_ns)
    return Times(changed, written) if stat.S_ISDIR(status.st_mode) else None


# --- upkeep


def keep_up(folder: str, session: str, now: float) -> None:
    """Do a bounded part of what there is to do when a session starts, and nothing while somebody holds the lock."""
    with suppress(LockTimeout, OSError, RcsError):
        index = refresh(folder, now, seconds=LOOK_SECONDS)
        fold(folder, foldable(folder, index, now, but=session), seconds=FOLD_SECONDS, most=FOLD_MOST)
        fold_questions(folder, session, seconds=FOLD_SECONDS)


def refresh(folder: str, now: float, *, seconds: float, wait: float = 0) -> Index:
    """Make the index again where many sessions have changed since it was made. `wait`: for the lock, in seconds."""
    index = looked(folder, now, seconds=seconds, least=FEW)
    if index != _index(folder):
        record = {"version": 1, "until": index.until} | {name: sorted(getattr(index, name)) for name in LISTS}
        with Lock(folder, wait):
            files.recover(folder)
            files.commit(folder, [Write(INDEX, record, durable=False)])
    return index


def looked(folder: str, now: float, *, seconds: float, least: int = 1) -> Index:
    """Read the index, and look at what has changed since it was made, for so long at most, oldest first.

    It needs no lock: what is written meanwhile changes later than all that this vouches for.
    """
    index = _index(folder)
    until = index.until
    there = _all_times(folder)
    settled = int(now * SECOND) - SETTLED
    fresh = sorted((times.changed, name) for name, times in there.items() if until < times.changed <= settled)
    if len(fresh) < least:
        return index
    lists = [set(getattr(index, name)) & there.keys() for name in LISTS]
    deadline = time.monotonic() + seconds
    for changed, name in fresh:
        # `until` vouches for all that changed at that very moment.
        if until not in (index.until, changed) and time.monotonic() > deadline:
            break
        for listed, is_so in zip(lists, _facts(folder, name), strict=True):
            (listed.add if is_so else listed.discard)(name)
        until = changed
    return Index(until, *map(frozenset, lists))


def _facts(folder: str, session: str) -> tuple[bool, bool, bool, bool]:
    """Which of the lists a session is in."""
    records = (files.read(folder, paths.mode_file(mode, session)) for mode in MODES)
    words = {outcome_of(record).public for record in records if isinstance(record, dict)}
    is_closed = ledger.is_closed(ledger.load(folder, session))
    listed = files.read(folder, paths.inventory_file(session))
    is_ours = isinstance(listed, dict) and listed.get("source") == SOURCE
    return may_be_active(folder, session), bool(words & {FAILED, BLOCKED}), is_closed, not is_ours


def may_be_active(folder: str, session: str) -> bool:
    """Tell whether a session has a mode active, a question open or an answer to be told, or cannot be read whole."""
    if os.path.islink(f"{folder}/{paths.SESSIONS}/{session}"):
        return True
    reader = Reader(folder)
    records = [reader.read(paths.mode_file(mode, session)) for mode in MODES]
    notes = [reader.read(path) for path in (paths.inventory_file(session), paths.ledger_file(session))]
    if any(isinstance(each, Unreadable) for each in (*records, *notes)):
        return True
    try:
        asked = questions.load(folder, session)
    except (RcsError, OSError):
        return True
    return any(isinstance(each, dict) and is_active(each) for each in records) or not all(
        _is_closed(question, ()) for question in asked
    )


# --- folding away


def foldable(folder: str, index: Index, now: float, older_than: float = OLD, *, but: str = "") -> list[str]:
    """List the sessions that may be folded away, those written longest ago first."""
    found = []
    for name, times in _all_times(folder).items() if index.until else ():
        least = min(older_than, CLOSED_OLD) if name in index.closed else older_than
        is_idle = name not in index.active and name != but and times.changed <= index.until
        if is_idle and times.written <= int((now - least) * SECOND):
            found.append((times.written, name))
    return [name for _, name in sorted(found)]


def fold(folder: str, names: Iterable[str], *, seconds: float, most: int, wait: float = 0) -> list[str]:
    """Fold these away, for so long and so many at most, but for what has become active; the names of those that were.

    One that is there in `folded` already stays where it is.
    """
    names = list(names)
    done: list[str] = []
    if not names or os.path.islink(f"{folder}/{paths.FOLDED}"):
        return done
    with Lock(folder, wait):
        files.recover(folder)
        with folders_of(folder) as folders:
            source, target = folders.open(paths.SESSIONS), folders.open(paths.FOLDED, make=True)
            for name in _in_time(names[:most], seconds):
                if not may_be_active(folder, name):
                    with suppress(OSError):
                        os.rename(name, name, src_dir_fd=source, dst_dir_fd=target)
                        done.append(name)
            folders.flush((paths.FOLDED, paths.SESSIONS))
    return done


def fold_questions(folder: str, session: str | None, *, seconds: float, wait: float = 0) -> int:
    """Fold away the closed questions of a scope but for the newest; the number of those that were."""
    place = paths.session_folder(session) + files.QUESTIONS
    old = old_questions(folder, session)
    if not old or os.path.islink(f"{folder}/{place}/{paths.FOLDED}"):
        return 0
    done = 0
    with Lock(folder, wait):
        files.recover(folder)
        with folders_of(folder) as folders:
            source, target = folders.open(place), folders.open(f"{place}/{paths.FOLDED}", make=True)
            for name in _in_time(closed_among(folder, session, old), seconds):
                with suppress(OSError):
                    os.rename(f"{name}.json", f"{name}.json", src_dir_fd=source, dst_dir_fd=target)
                    done += 1
            folders.flush((f"{place}/{paths.FOLDED}", place))
    return done


def old_questions(folder: str, session: str | None) -> list[str]:
    """List the questions of a scope, by id, those written longest ago first, without the newest."""
    place = f"{folder}/{paths.session_folder(session)}{files.QUESTIONS}"
    try:
        if len(os.listdir(place)) <= MANY:
            return []
        with os.scandir(place) as entries:
            found = [(entry.stat().st_mtime_ns, entry.name[:-5]) for entry in entries if entry.name.endswith(".json")]
    except OSError:
        return []
    return [name for _, name in sorted(found)[:-MANY] if paths.is_name(name)]


def closed_among(folder: str, session: str | None, names: Iterable[str]) -> Iterator[str]:
    """Pick the questions that nobody waits for, and whose answer nobody has to be told."""
    reader = Reader(folder)
    scopes = dict.fromkeys((session, None))
    found = [reader.read(paths.mode_file(mode, scope)) for mode in MODES for scope in scopes]
    records = [record for record in found if isinstance(record, dict)]
    for name in names:
        path = paths.question_file(name, session)
        record = reader.read(path)
        if isinstance(record, dict) and _is_closed(Question(path, record), records):
            yield name


def _is_closed(question: Question, records: Sequence[Record]) -> bool:
    return question.record.get("status") not in questions.OPEN and not questions.undelivered([question], records)


def _in_time(names: Iterable[str], seconds: float) -> Iterator[str]:
    deadline = time.monotonic() + seconds
    for name in names:
        yield name
        if time.monotonic() > deadline:
            return
