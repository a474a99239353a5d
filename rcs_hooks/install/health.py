"""Looks at the state of one workspace: what cannot be read, what is stale, what means nothing, what is stuck."""

from __future__ import annotations

import os
import stat
import time
from typing import TYPE_CHECKING, Any

from rcs_hooks import jsontext
from rcs_hooks.errors import RcsError
from rcs_hooks.hook.failures import LOG
from rcs_hooks.hook.stop import NOTES
from rcs_hooks.install import locks
from rcs_hooks.install.check import BROKEN, NOTE, OK, WARN, Check, at_most, guarded
from rcs_hooks.state import active, files, ledger, paths, tracked
from rcs_hooks.state import session as sessions
from rcs_hooks.state.clock import seconds
from rcs_hooks.state.files import Unreadable
from rcs_hooks.state.paths import inside
from rcs_hooks.workflow.lifecycle import OUTCOME_FIELDS, PUBLIC, is_active, spelled
from rcs_hooks.workflow.text import clean

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rcs_hooks.state.session import Session
    from rcs_hooks.state.surface import Scope

DAY = 24 * 3600.0
MOST = 8
"""Lines of one kind; a repository may hold thousands of sessions."""
SECONDS = 5.0
"""For reading the state; the sessions that were touched last come first."""
LOG_TAIL = 64 * 1024


def checks(scope: Scope, seconds: float = SECONDS) -> Iterator[Check]:
    try:
        files.check_workspace(scope.root)
        folder = scope.folder
    except RcsError as error:
        yield Check("state", BROKEN, str(error), "take the link out, or set RCS_ROOT")
        return
    if tracked.names(scope.root):
        yield Check("state", WARN, tracked.words(scope.root), tracked.TO_DO)
    if os.path.lexists(folder) and not os.path.isdir(folder):
        yield Check("state", BROKEN, f"{folder} is not a folder", "move it away")
        return
    yield from _writable(scope.root, folder)
    if not os.path.lexists(folder):
        yield Check("state", OK, f"{scope.root} has none yet")
        return
    yield from locks.checks(folder)
    yield from _leftovers(folder)
    yield from guarded("state", _records(scope, seconds))
    yield from _log(scope, LOG, WARN, "why", "a hook failed")
    yield from _log(scope, NOTES, NOTE, "softener", "a run ended with a softener")


def _writable(root: str, folder: str) -> Iterator[Check]:
    while not os.path.lexists(folder) and folder != root:
        folder = os.path.dirname(folder)
    sessions_folder = f"{folder}/{paths.SESSIONS}"
    for place in (folder, sessions_folder) if os.path.lexists(sessions_folder) else (folder,):
        if not os.access(place, os.W_OK | os.X_OK):
            todo = f"give yourself the right to write it, or set RCS_ROOT (now {root})"
            yield Check("state", BROKEN, f"{place} cannot be written", todo)
            return
    if is_full(os.statvfs(folder)):
        yield Check("state", BROKEN, f"the disk of {folder} is full", "make room")
        return
    yield Check("state", OK, f"{folder} can be written")


def is_full(disk: os.statvfs_result) -> bool:
    """Some file systems count nothing, and say 0 of 0."""
    return (disk.f_bavail == 0 and disk.f_blocks > 0) or (disk.f_favail == 0 and disk.f_files > 0)


def _records(scope: Scope, seconds: float) -> Iterator[Check]:
    until = time.monotonic() + seconds
    found = _scope(scope.of(None))
    there = _latest_first(scope.folder)
    for done, session in enumerate(there):
        if time.monotonic() > until:
            what = f"{len(there)} sessions, of which the {done} touched last were looked at"
            yield Check("state", NOTE, what, "clear away those that are over")
            break
        found += _scope(scope.of(session))
    yield from at_most(MOST, found)
    if not found:
        yield Check("state", OK, f"every file in {scope.root}/{paths.STATE} can be read and means something")


def _latest_first(folder: str) -> list[str]:
    """Of the sessions that have ended and can be read, there is nothing to say."""
    place = f"{folder}/{paths.SESSIONS}"
    return sorted(active.candidates(folder), key=lambda session: -os.lstat(f"{place}/{session}").st_mtime)


def _leftovers(folder: str) -> Iterator[Check]:
    if os.path.lexists(f"{folder}/{files.JOURNAL}"):
        yield Check("state", NOTE, "a commit was cut short; the next prompt, Stop or `rcs state write` finishes it")


def _scope(scope: Scope) -> list[Check]:
    try:
        view = scope.view()
    except RcsError as error:
        return [Check("state", BROKEN, str(error))]
    return [*_unreadable(scope, view), *_uncounted(scope), *_meaningless(scope, view), *_stale(scope, view)]


def _uncounted(scope: Scope) -> Iterator[Check]:
    broken = ledger.load(scope.folder, scope.session) if scope.session else None
    if isinstance(broken, Unreadable):
        path = f"{scope.folder}/{broken.path}"
        found = f"{path}: {broken.why}, so no Stop of that session is held"
        yield Check("state", WARN, found, "the next prompt replaces it; or remove it")


def _unreadable(scope: Scope, view: Session) -> Iterator[Check]:
    for broken in view.unreadable:
        if scope.session and not broken.path.startswith(paths.session_folder(scope.session)):
            continue  # root tells of its own
        name = paths.cleared_as(broken.path)
        path = f"{paths.STATE}/{broken.path}"
        yield Check("state", BROKEN, f"{path}: {broken.why}", scope.commands.state("clear", name))


def _meaningless(scope: Scope, view: Session) -> Iterator[Check]:
    for mode, record in (view.own if scope.session else view.root).items():
        for field in OUTCOME_FIELDS:
            value = record.get(field)
            if value is None or spelled(value):
                continue
            path = f"{paths.STATE}/{paths.mode_file(mode, scope.session)}"
            said = clean(value) if isinstance(value, str) else clean(jsontext.dumps_line(value))
            todo = scope.commands.write(mode, "--outcome", "finished")
            found = f"{path}: {field} {said!r} means nothing; it is one of {', '.join(PUBLIC)}"
            yield Check("outcome", WARN, found, todo)


def _stale(scope: Scope, view: Session) -> Iterator[Check]:
    for mode, record in (view.own if scope.session else view.root).items():
        if not is_active(record):
            continue
        todo = scope.commands.state("clear", mode)
        path = f"{paths.STATE}/{paths.mode_file(mode, scope.session)}"
        if scope.session is None and sessions.is_stale(view.folder, mode, record, view.now):
            yield Check("stale", WARN, f"{path}: untouched for a day, so it counts for nothing", todo)
        elif scope.session and (idle := _idle(record, view.now)) > DAY:
            yield Check("stale", NOTE, f"{path}: active, and untouched for {idle / 3600:.0f} h", todo)
        elif (ahead := -_idle(record, view.now)) > DAY:
            yield Check(
                "stale", NOTE, f"{path}: touched {ahead / 3600:.0f} h ahead of this clock", "set the clock right"
            )


def _idle(record: dict[str, Any], now: float) -> float:
    touched = seconds(record.get("updated_at"))
    return now - touched if touched is not None else 0.0


def _log(scope: Scope, name: str, status: str, field: str, what: str) -> Iterator[Check]:
    path = f"{scope.root}/{paths.HOME}/logs/{name}"
    lines = [line for line in _tail(path) if (at := seconds(line.get("at"))) and scope.now - at < DAY]
    if lines:
        last = lines[-1]
        found = (
            f"{what} {len(lines)} times in the last day; last at {clean(last.get('at'))}: {clean(last.get(field), 160)}"
        )
        yield Check("log", status, found, f"see {path}")


def _tail(path: str) -> list[dict[str, Any]]:
    try:
        if not inside(os.path.realpath(path), os.path.realpath(os.path.dirname(os.path.dirname(path)))):
            return []
        fd = os.open(path, files.READ_FLAGS)
    except OSError:
        return []
    try:
        status = os.fstat(fd)
        if not stat.S_ISREG(status.st_mode):
            return []
        data = os.pread(fd, LOG_TAIL, max(0, status.st_size - LOG_TAIL))
    finally:
        os.close(fd)
    return [value for line in data.splitlines() if isinstance(value := _value(line), dict)]


def _value(line: bytes) -> object:
    try:
        return jsontext.loads(line.decode())
    except ValueError:  # the first of the tail is cut
        return None
