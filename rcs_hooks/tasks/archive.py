"""What an older round has left is put aside: verdicts and the diff are moved, what is edited in place is copied.

Rules of this file:
- Whatever is put aside stands in `history/<n>/` under its own path; what stands there already is never touched.
- The move of a task is the rename of its state.json. Until then a kill leaves a note of what was moved, and the next
  holder of the lock moves it back.
"""

from __future__ import annotations

import os
from contextlib import suppress
from hashlib import sha256
from typing import TYPE_CHECKING, NamedTuple

from rcs_hooks.errors import Refused
from rcs_hooks.state.files import FRESH_FLAGS, LARGEST, Write, commit
from rcs_hooks.state.folders import folders_of, make_folders
from rcs_hooks.tasks import phases, reading

if TYPE_CHECKING:
    from collections.abc import Iterable

NOTE = ".putting-aside.json"


class Aside(NamedTuple):
    folder: str = ""
    moved: tuple[str, ...] = ()
    copied: tuple[str, ...] = ()


def put_aside(folder: str, target: str) -> Aside:
    """The outputs of a phase and of every later one. The lock is held. Raises Refused, UnsafePath and OSError."""
    entered = phases.PHASES.index(target)
    outputs = [
        path for phase, paths in phases.OUTPUTS.items() if phases.PHASES.index(phase) >= entered for path in paths
    ]
    for path in outputs:
        reading.check_inside(folder, os.path.dirname(path))
    moved = tuple(path for path in outputs if path not in phases.KEPT and _is_there(f"{folder}/{path}"))
    copies = [path for kept in outputs if kept in phases.KEPT for path in _to_copy(folder, kept)]
    if not moved and not copies:
        return Aside()
    aside = Aside(f"{phases.HISTORY}/{_next_number(folder)}", moved, _named(copies))
    for path in (*moved, *copies):
        make_folders(folder, os.path.dirname(f"{aside.folder}/{path}"))
    for path in copies:
        _copy(f"{folder}/{path}", f"{folder}/{aside.folder}/{path}")
    if moved:
        commit(folder, [Write(NOTE, {"folder": aside.folder, "moved": list(moved), "state": _hash(folder)})])
    for path in moved:
        os.rename(f"{folder}/{path}", f"{folder}/{aside.folder}/{path}")
    changed = [*moved, *(f"{aside.folder}/{path}" for path in (*moved, *copies))]
    _flush(folder, changed)
    return aside


def _flush(folder: str, paths: Iterable[str]) -> None:
    """Brings the names of these files to the disk, before something is written that holds them to be there."""
    with folders_of(folder) as folders:
        folders.flush(os.path.dirname(path) for path in paths)


def done(folder: str) -> None:
    """The state is in place: what was put aside stays there. A note that cannot be removed is of an older state."""
    with suppress(OSError):
        os.unlink(f"{folder}/{NOTE}")


def recover(folder: str) -> None:
    """Moves back what a kill has left aside before its move was made. The lock is held.

    Raises Unavailable or OSError where that cannot be done for the moment; the note stays, and the next holder does it.
    """
    note = reading.record(folder, NOTE)
    if note is None:
        return
    reading.check_available(note, NOTE)
    if isinstance(note, dict) and note.get("state") == _hash(folder):
        back = [(path, place) for path, place in _of_note(folder, note) if _is_there(f"{folder}/{place}")]
        for path, place in back:
            if not _is_there(f"{folder}/{path}"):
                os.rename(f"{folder}/{place}", f"{folder}/{path}")
        _flush(folder, [name for pair in back for name in pair])
    done(folder)


def _is_there(path: str) -> bool:
    """Raises OSError where that cannot be told: os.path.lexists would call it missing."""
    try:
        os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        return False
    return True


def _of_note(folder: str, note: dict[str, object]) -> list[tuple[str, str]]:
    """What it names, held to what is moved by us: a repository may bring its own."""
    where, moved = note.get("folder"), note.get("moved")
    if not (isinstance(where, str) and isinstance(moved, list) and _is_ours(where)):
        return []
    ours = [path for paths in phases.OUTPUTS.values() for path in paths if path in moved and path not in phases.KEPT]
    for path in ours:
        reading.check_inside(folder, os.path.dirname(path))
        reading.check_inside(folder, os.path.dirname(f"{where}/{path}"))
    return [(path, f"{where}/{path}") for path in ours]


def _is_ours(where: str) -> bool:
    head, _, number = where.partition("/")
    return head == phases.HISTORY and number.isascii() and number.isdigit()


def _hash(folder: str) -> str:
    found = reading.data(folder, phases.STATE_FILE)
    reading.check_available(found, phases.STATE_FILE)
    return sha256(found).hexdigest() if isinstance(found, bytes) else ""


def _next_number(folder: str) -> int:
    reading.check_inside(folder, phases.HISTORY)
    try:
        names = os.listdir(f"{folder}/{phases.HISTORY}")
    except FileNotFoundError:
        names = []
    except NotADirectoryError:
        raise Refused(f"{phases.HISTORY}: it is not a folder; move it away (nothing was changed)") from None
    number = 1 + max((int(name) for name in names if name.isascii() and name.isdigit() and len(name) < 10), default=0)
    while str(number) in names:  # longer than any that we would count
        number += 1
    return number


def _to_copy(folder: str, kept: str) -> list[str]:
    """A file, or the files of a folder. What is neither is passed over: nothing is followed, nothing waited for.

    Raises Unavailable for what can only not be read for the moment.
    """
    if kept == phases.CODE_FILES:
        found, odd = reading.files_under(folder, kept)
        for name, broken in odd:
            reading.check_available(broken, f"{kept}/{name}")
        return [f"{kept}/{name}" for name in found]
    content = reading.data(folder, kept)
    reading.check_available(content, kept)
    return [kept] if isinstance(content, bytes) else []


def _named(copies: list[str]) -> tuple[str, ...]:
    """A folder is named once, however many files it has."""
    names = (phases.CODE_FILES if path.startswith(f"{phases.CODE_FILES}/") else path for path in copies)
    return tuple(dict.fromkeys(names))


def _copy(source: str, target: str) -> None:
    """Bounded in memory; a link that has taken the place of the file meanwhile is not followed."""
    from_fd = os.open(source, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
    try:
        to_fd = os.open(target, FRESH_FLAGS, 0o600)
        try:
            while part := os.read(from_fd, LARGEST):
                view = memoryview(part)
                while view:
                    view = view[os.write(to_fd, view) :]
            os.fsync(to_fd)
        finally:
            os.close(to_fd)
    finally:
        os.close(from_fd)
