"""Looks at the state of one workspace: what cannot be read, what is stale, what means nothing, what is stuck."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from rcs_hooks import jsontext
from rcs_hooks.errors import LockTimeout, RcsError
from rcs_hooks.hook.failures import LOG
from rcs_hooks.hook.stop import NOTES
from rcs_hooks.install.doctor import BROKEN, NOTE, OK, WARN, Check
from rcs_hooks.state import files, paths
from rcs_hooks.state import session as sessions
from rcs_hooks.state.clock import seconds
from rcs_hooks.state.lock import LOCK, Lock, in_use
from rcs_hooks.state.surface import each_scope
from rcs_hooks.workflow.lifecycle import OUTCOME_FIELDS, PUBLIC, is_active, spelled
from rcs_hooks.workflow.text import clean

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rcs_hooks.state.session import Session
    from rcs_hooks.state.surface import Scope

DAY = 24 * 3600.0
MOST = 8
"""Lines of one kind; a repository may hold thousands of sessions."""
LOCK_WAIT = 0.5
LOG_TAIL = 64 * 1024


def checks(scope: Scope) -> Iterator[Check]:
    yield from _writable(scope.root)
    if not os.path.lexists(os.path.join(scope.root, paths.STATE)):
        yield Check("state", OK, f"{scope.root} has none yet")
        return
    try:
        folder = scope.folder
    except RcsError as error:
        yield Check("state", BROKEN, str(error), "take the link out, or set RCS_ROOT")
        return
    yield from _lock(folder)
    yield from _leftovers(folder)
    found = [check for each in each_scope(scope) for check in _scope(each)]
    yield from found[:MOST]
    if len(found) > MOST:
        yield Check("state", WARN, f"{len(found) - MOST} more of the kind")
    if not found:
        yield Check("state", OK, f"every file in {scope.root}/{paths.STATE} can be read and means something")
    yield from _log(scope, LOG, WARN, "why", "a hook failed")
    yield from _log(scope, NOTES, NOTE, "softener", "a run ended with a softener")


def _writable(root: str) -> Iterator[Check]:
    folder = os.path.join(root, paths.STATE)
    while not os.path.lexists(folder) and folder != root:
        folder = os.path.dirname(folder)
    if not os.access(folder, os.W_OK | os.X_OK):
        todo = f"give yourself the right to write it, or set RCS_ROOT (now {root})"
        yield Check("state", BROKEN, f"{folder} cannot be written", todo)
        return
    free = os.statvfs(folder)
    if free.f_bavail == 0 and free.f_blocks:
        yield Check("state", BROKEN, f"the disk of {folder} is full", "make room")
        return
    yield Check("state", OK, f"{folder} can be written")


def _lock(folder: str) -> Iterator[Check]:
    if not in_use(folder):
        return
    try:
        with Lock(folder, LOCK_WAIT):
            pass
    except LockTimeout:
        holder = _holder(f"{folder}/{LOCK}")
        who = f"by process {holder}" if holder else "by another process"
        todo = f"look at it with `ps -p {holder}`, and end it if it hangs" if holder else "end the process that hangs"
        yield Check("lock", BROKEN, f"{folder}/{LOCK} is held {who} all the while", todo)
    except OSError as error:
        yield Check("lock", BROKEN, f"{folder}/{LOCK}: {(error.strerror or '').lower()}", "remove that file")


def _holder(path: str) -> str:
    """Where the system tells: Linux does."""
    try:
        status = os.stat(path)
        with open("/proc/locks", encoding="ascii", errors="replace") as file:
            lines = [line.split() for line in file]
    except OSError:
        return ""
    inode = f":{status.st_ino}"
    return next((line[4] for line in lines if len(line) > 5 and line[1] == "FLOCK" and line[5].endswith(inode)), "")


def _leftovers(folder: str) -> Iterator[Check]:
    if os.path.lexists(f"{folder}/{files.JOURNAL}"):
        yield Check("state", NOTE, "a commit was cut short; the next prompt, Stop or `rcs state write` finishes it")


def _scope(scope: Scope) -> list[Check]:
    try:
        view = scope.view()
    except RcsError as error:
        return [Check(scope.session or "root", BROKEN, str(error), "take the link out")]
    return [*_unreadable(scope, view), *_meaningless(scope, view), *_stale(scope, view)]


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
        fd = os.open(path, files.READ_FLAGS)
    except OSError:
        return []
    with open(fd, "rb") as file:
        file.seek(max(0, os.fstat(fd).st_size - LOG_TAIL))
        found = []
        for line in file.read(LOG_TAIL).splitlines():
            try:
                value = jsontext.loads(line.decode())
            except ValueError:
                continue
            found += [value] if isinstance(value, dict) else []
    return found
