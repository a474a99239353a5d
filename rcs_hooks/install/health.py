"""Checks the state of one workspace: what cannot be read, what is stale, what has no meaning, what is stuck."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING, Any

from rcs_hooks import jsontext
from rcs_hooks.clients.check import BROKEN, NOTE, OK, WARN, Check
from rcs_hooks.errors import RcsError
from rcs_hooks.files import bounded, paths, preparation, reading, tracked
from rcs_hooks.files.clock import seconds
from rcs_hooks.files.paths import inside
from rcs_hooks.files.reading import Unreadable
from rcs_hooks.hook.failures import LOG
from rcs_hooks.install import locks
from rcs_hooks.install.check import at_most, guarded
from rcs_hooks.modes import lookup
from rcs_hooks.state import session as sessions
from rcs_hooks.state import session_notes
from rcs_hooks.state.session_listing import active_sessions, written_at
from rcs_hooks.text import clean
from rcs_hooks.workflow.lifecycle import OUTCOME_FIELDS, PUBLIC, is_active, spelled

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rcs_hooks.state.scopes import Scope
    from rcs_hooks.state.session import Session
    from rcs_hooks.workflow.mode_record import ModeRecord

DAY = 24 * 3600.0
MOST = 8
"""The most lines of one kind that are shown: a repository may hold thousands of sessions."""
SECONDS = 5.0
"""The time limit for reading the state; the sessions that were changed last come first."""
LOG_TAIL = 64 * 1024


def checks(scope: Scope, seconds: float = SECONDS) -> Iterator[Check]:
    """Yield checks of a workspace's state, its lock and its logs. `seconds`: the time limit for reading sessions."""
    try:
        preparation.check_workspace(scope.root)
        folder = scope.folder
    except RcsError as error:
        yield Check("state", BROKEN, str(error), "remove the link, or set RCS_ROOT")
        return
    if tracked.tracked_names(scope.root) or tracked.why_in_doubt(scope.root):
        yield Check("state", WARN, tracked.tracked_words(scope.root), tracked.tracked_advice(scope.root))
    yield from _writable(scope.root, folder)
    if not os.path.lexists(folder):
        yield Check("state", OK, f"{scope.root} has none yet")
        return
    yield from locks.checks(folder)
    yield from _leftovers(folder)
    yield from guarded("state", _records(scope, seconds))
    yield from _failures(scope)


def _writable(root: str, folder: str) -> Iterator[Check]:
    while not os.path.lexists(folder) and folder != root:
        folder = os.path.dirname(folder)
    sessions_folder = f"{folder}/{paths.SESSIONS}"
    for path in (folder, sessions_folder) if os.path.lexists(sessions_folder) else (folder,):
        if not os.access(path, os.W_OK | os.X_OK):
            todo = f"give yourself permission to write it, or set RCS_ROOT (now {root})"
            yield Check("state", BROKEN, f"{path} cannot be written", todo)
            return
    if is_full(os.statvfs(folder)):
        yield Check("state", BROKEN, f"the disk of {folder} is full", "make room")
        return
    yield Check("state", OK, f"{folder} can be written")


def is_full(disk: os.statvfs_result) -> bool:
    """Tell whether a disk is full. A file system that counts nothing reports 0 of 0, which is not full."""
    return (disk.f_bavail == 0 and disk.f_blocks > 0) or (disk.f_favail == 0 and disk.f_files > 0)


def _records(scope: Scope, seconds: float) -> Iterator[Check]:
    until = time.monotonic() + seconds
    found = _scope(scope.of(None))
    ids = _latest_first(scope.folder)
    for done, session in enumerate(ids):
        if time.monotonic() > until:
            what = f"{len(ids)} sessions; only the {done} that changed last were checked"
            yield Check("state", NOTE, what, "remove old ones: rcs state prune --older-than 30d")
            break
        found += _scope(scope.of(session))
    yield from at_most(MOST, found)
    if not found:
        yield Check("state", OK, f"every file in {scope.root}/{paths.STATE} is valid")


def _latest_first(folder: str) -> list[str]:
    """List the sessions to check, the last changed first, without those that have ended and can be read."""
    return sorted(active_sessions(folder), key=lambda session: -written_at(folder, session))


def _leftovers(folder: str) -> Iterator[Check]:
    if reading.read_journal(folder) is not None:
        yield Check("state", NOTE, "a write was interrupted; the next prompt, Stop or `rcs state write` finishes it")


def _scope(scope: Scope) -> list[Check]:
    try:
        view = scope.view()
    except RcsError as error:
        return [Check("state", BROKEN, str(error))]
    return [
        *_unreadable(scope, view),
        *_uncounted(scope),
        *_meaningless(scope, view),
        *_stale(scope, view),
        *_own(scope, view),
    ]


def _uncounted(scope: Scope) -> Iterator[Check]:
    broken = session_notes.load(scope.folder, scope.session) if scope.session else None
    if isinstance(broken, Unreadable):
        path = f"{scope.folder}/{broken.path}"
        found = f"{path}: {broken.why}, so no Stop of that session is held"
        yield Check("state", WARN, found, "the next prompt replaces it; or remove it")


def _unreadable(scope: Scope, view: Session) -> Iterator[Check]:
    for broken in view.unreadable:
        if scope.session and not broken.path.startswith(paths.session_folder(scope.session)):
            continue  # the workspace's own are checked apart
        name = paths.clear_name(broken.path)
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
            found = f"{path}: {field} {said!r} has no meaning; use one of {', '.join(PUBLIC)}"
            yield Check("outcome", WARN, found, todo)


def _stale(scope: Scope, view: Session) -> Iterator[Check]:
    for mode, record in (view.own if scope.session else view.root).items():
        if not is_active(record):
            continue
        todo = scope.commands.state("clear", mode)
        path = f"{paths.STATE}/{paths.mode_file(mode, scope.session)}"
        if scope.session is None and sessions.is_stale(view.folder, mode, record, view.now):
            yield Check("stale", WARN, f"{path}: unchanged for a day, so it is ignored", todo)
        elif scope.session and (idle := _idle(record, view.now)) > DAY:
            yield Check("stale", NOTE, f"{path}: active, and unchanged for {idle / 3600:.0f} h", todo)
        elif (ahead := -_idle(record, view.now)) > DAY:
            yield Check(
                "stale",
                NOTE,
                f"{path}: changed {ahead / 3600:.0f} h in the future by this clock",
                "set the clock right",
            )


def _own(scope: Scope, view: Session) -> Iterator[Check]:
    """Yield a note for each run of an own mode whose file has gone or changed since its start."""
    for member in view.active_modes():
        mode = view.modes[member.mode]
        if not mode.is_own:
            continue
        found = lookup.find(mode.name, scope.env, scope.root)
        if found == mode:
            continue
        file, what = clean(mode.file, 200), "is gone" if found is None else "has changed"
        words = f"session {scope.session}: {mode.name} goes on by what its record keeps, for its file {file} {what}"
        yield Check("modes", NOTE, words, f"end it and name it again to run it by the file: {_end(scope, mode.name)}")


def _end(scope: Scope, mode: str) -> str:
    return scope.commands.write(mode, "--outcome", "userinterlude")


def _idle(record: ModeRecord, now: float) -> float:
    touched = seconds(record.updated_at)
    return now - touched if touched is not None else 0.0


def _failures(scope: Scope) -> Iterator[Check]:
    path = f"{scope.root}/{paths.HOME}/logs/{LOG}"
    lines = [line for line in _tail(path) if (at := seconds(line.get("at"))) and scope.now - at < DAY]
    if lines:
        last = lines[-1]
        why = f"last at {clean(last.get('at'))}: {clean(last.get('why'), 160)}"
        yield Check("log", WARN, f"a hook failed {len(lines)} times in the last day; {why}", f"see {path}")


def _tail(path: str) -> list[dict[str, Any]]:
    try:
        if not inside(os.path.realpath(path), os.path.realpath(os.path.dirname(os.path.dirname(path)))):
            return []
        _, data = bounded.read_ends(path, 0, LOG_TAIL) or (b"", b"")
    except OSError:
        return []
    return [value for line in data.splitlines() if isinstance(value := _value(line), dict)]


def _value(line: bytes) -> object:
    try:
        return jsontext.loads(line.decode())
    except ValueError:  # the first line of the tail is cut
        return None
