"""Folds away what is over: sessions that nobody has touched for long, and closed questions.

Rules of this file:
- A session with nothing active that nobody has touched for 30 days (one that its client closed: for a day) is folded
  away, by one rename to `folded/<id>`. `files.reading` reads it there, and `files.transaction` renames it back with the
  first write to it.
- Of many questions of a scope, the closed ones but for the newest are renamed to `questions/folded/`.
- Of a long history, the oldest half becomes one line (`history_folding`).
- SessionStart and `rcs question ask` do a bounded part of it, `rcs state prune` all.
- SessionStart does not look at each session every time. When it finds nothing left to do, it notes in the index how
  many sessions there were (`known`) and the moment (`looked`). It looks again when there are a few more, or after an
  hour.
"""

from __future__ import annotations

import os
import time

from rcs_hooks.catalog import MODES
from rcs_hooks.errors import LockTimeout, RcsError, suppress
from rcs_hooks.files import paths, reading, transaction
from rcs_hooks.files.folders import flush_folders, make_folders
from rcs_hooks.files.lock import Lock
from rcs_hooks.files.reading import Reader
from rcs_hooks.files.tracked import has_tracked_session, may_be_brought
from rcs_hooks.files.transaction import Write
from rcs_hooks.state import history_folding, own_records, questions
from rcs_hooks.state.questions import Question
from rcs_hooks.state.session_index import (
    FEW,
    INDEX,
    LEAST,
    LISTS,
    SECOND,
    Budget,
    Look,
    count_sessions,
    look_at_changes,
    may_be_active,
    read_index,
)
from rcs_hooks.workflow.mode_record import ModeRecord

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from rcs_hooks.jsontext import JsonObject

DAY = 86_400.0
OLD = 30 * DAY
"""Seconds after which a session that its client did not close is folded away."""
CLOSED_OLD = DAY
MANY = 32
"""So many questions of a scope, the newest, are never folded away."""
MOST_QUESTIONS = 512
"""So many questions at most are looked at by a hook: ten thousand would take longer than the whole hook may."""
LOOK_SECONDS = 0.015
FOLD_SECONDS = 0.02
"""Seconds until a hook ends the folding; its look ends after `LOOK_SECONDS`. Both count from the start of the look."""
LOOK_EVERY = 3600


def fold_in_passing(
    folder: str, session: str, now: float, clock: Callable[[], float] = time.monotonic, home: str | None = None
) -> None:
    """Do a bounded part of the folding when a session starts, and nothing while somebody holds the lock.

    `folder`: the state folder. `session`: the session that starts, which is never folded. `home`: of the person.
    """
    to_look, to_fold = Budget(LOOK_SECONDS, clock), Budget(FOLD_SECONDS, clock)
    with suppress(LockTimeout, OSError, RcsError):
        if _is_due(folder, now):
            found = refresh(folder, now, to_look, but=session)
            fold(folder, foldable(folder, found, now, but=session), to_fold)
        fold_questions(folder, session, to_fold, most=MOST_QUESTIONS)
        history_folding.fold(folder, session, home=home)


def _is_due(folder: str, now: float) -> bool:
    """Tell whether a new look may find sessions to fold away."""
    index, count = read_index(folder), count_sessions(folder)
    if not index.until:
        return count >= FEW
    return count - index.known >= FEW or not 0 <= int(now) - index.looked < LOOK_EVERY


def refresh(folder: str, now: float, budget: Budget, *, but: str = "", wait: float = 0) -> Look:
    """Update the index if many sessions have changed since it was written; return the look, with the new index.

    If nothing is left to do, the index notes that. `but`: the session that has just started, which is never folded.
    `wait`: seconds to wait for the lock.
    """
    found = look_at_changes(folder, now, budget, least=FEW)
    index = found.listed
    if index.until:
        is_done = found.is_whole() and not foldable(folder, found, now, but=but)
        index = index._replace(looked=int(now) if is_done else 0, known=count_sessions(folder))
    if index != read_index(folder) and not may_be_brought(reading.root_of(folder), INDEX):
        record: JsonObject = {"version": 1, "until": index.until, "looked": index.looked, "known": index.known}
        record |= {name: sorted(getattr(index, name)) for name in LISTS}
        with Lock(folder, wait):
            transaction.recover(folder)
            transaction.commit(folder, [Write(INDEX, record, durable=False)])
    return found._replace(listed=index)


# --- folding away


def foldable(folder: str, look: Look, now: float, older_than: float = OLD, *, but: str = "") -> list[str]:
    """List the sessions that may be folded away, those written longest ago first.

    `older_than`: the seconds since the last write; a closed session needs a day at most. `but`: a session to leave out.
    Sessions that are in `folded` already, or that git tracks, are left out: they would be tried again each time.
    """
    index, found = look.listed, []
    for name, times in look.there.items() if index.until else ():
        least = min(older_than, CLOSED_OLD) if name in index.closed else older_than
        is_idle = name not in index.active and name != but and times.changed <= index.until
        if is_idle and times.written <= int((now - least) * SECOND):
            found.append((times.written, name))
    root, folded = os.path.dirname(os.path.dirname(folder)), f"{folder}/{paths.FOLDED}"
    names = (name for _, name in sorted(found) if not os.path.lexists(f"{folded}/{name}"))
    return [name for name in names if not has_tracked_session(root, name)]


def fold(folder: str, names: Sequence[str], budget: Budget, *, wait: float = 0) -> list[str]:
    """Fold these sessions away until the budget is spent; return the names of those that were folded.

    A session that has become active, or is in `folded` already, stays where it is. `wait`: seconds to wait for the
    lock.
    """
    root = os.path.dirname(os.path.dirname(folder))
    done: list[str] = []
    if not names or os.path.islink(f"{folder}/{paths.FOLDED}"):
        return done
    with Lock(folder, wait):
        transaction.recover(folder)
        make_folders(folder, paths.FOLDED)
        reader = Reader(folder)
        for name in _in_time(names, budget):
            if not (has_tracked_session(root, name) or may_be_active(reader, name)):
                with suppress(OSError):
                    os.rename(f"{folder}/{paths.SESSIONS}/{name}", f"{folder}/{paths.FOLDED}/{name}")
                    done.append(name)
        flush_folders(folder, (paths.FOLDED, paths.SESSIONS))
    return done


def fold_questions(
    folder: str, session: str | None, budget: Budget, *, most: int | None = None, wait: float = 0
) -> int:
    """Fold away the closed questions of a scope, except the newest; return how many were folded.

    `most`: look at only so many; None: at all of them. `wait`: seconds to wait for the lock.
    """
    place = paths.session_folder(session) + reading.QUESTIONS
    old = old_questions(folder, session, most)
    if not old or os.path.islink(f"{folder}/{place}/{paths.FOLDED}"):
        return 0
    done = 0
    with Lock(folder, wait):
        transaction.recover(folder)
        make_folders(folder, f"{place}/{paths.FOLDED}")
        for name in _in_time(closed_among(folder, session, old), budget):
            with suppress(OSError):
                os.rename(f"{folder}/{place}/{name}.json", f"{folder}/{place}/{paths.FOLDED}/{name}.json")
                done += 1
        flush_folders(folder, (f"{place}/{paths.FOLDED}", place))
    return done


def old_questions(folder: str, session: str | None, most: int | None = None) -> list[str]:
    """List the ids of a scope's questions, those written longest ago first, without the newest ones.

    `most`: look at only so many, a different part each time; None: at all. The newest questions of all are never
    listed.
    """
    place = f"{folder}/{paths.session_folder(session)}{reading.QUESTIONS}"
    try:
        names = os.listdir(place)
        if len(names) <= MANY:
            return []
        if most and len(names) > most:
            first = time.time_ns() // 1_000 % len(names)
            names = (names + names)[first : first + most]
        found = [(os.stat(f"{place}/{name}").st_mtime_ns, name[:-5]) for name in names if name.endswith(".json")]
    except OSError:
        return []
    return [name for _, name in sorted(found)[:-MANY] if paths.is_name(name)]


def closed_among(folder: str, session: str | None, names: Iterable[str]) -> Iterator[str]:
    """Yield those of the question ids whose question nobody waits for, and whose answer nobody has to be told."""
    reader = Reader(folder)
    scopes = dict.fromkeys((session, None))
    found = [reader.read(paths.mode_file(mode, scope)) for mode in MODES for scope in scopes]
    own = {name: reader.read(paths.mode_file(name, session)) for name in own_records.names_in(reader, session)}
    found += [record for name, record in own.items() if own_records.is_record(name, record)]
    records = [ModeRecord.from_json(record) for record in found if isinstance(record, dict)]
    for name in names:
        path = paths.question_file(name, session)
        record = reader.read(path)
        if isinstance(record, dict) and questions.is_settled(Question(path, record), records):
            yield name


def _in_time(names: Iterable[str], budget: Budget) -> Iterator[str]:
    for number, name in enumerate(names):
        if number >= LEAST and budget.is_spent():
            return
        yield name
