"""Reading a state file, and a commit of several files that survives a kill.

Rules of this file:
- Who writes holds the lock of the workspace (`lock.py`).
- Every file is staged beside its target (`.new`) and renamed over it, so a reader finds the old
  text or the new one. The rename of the journal, which names the staged files, is the moment of
  the commit: killed before it, nothing has happened; killed after it, the next holder of the lock
  renames what is left.
- A folder is flushed to the disk after the names in it have changed, where the writes are to last: the staged files
  before the journal, the journal, and the files before the journal goes.
- What git tracks came with the repository: it is neither read nor written over.
- What cannot be read is never overwritten. What cannot be read for the moment (too many open files, say) is not
  moved aside either: the next call may well read it.
"""

from __future__ import annotations

import _thread
import errno
import os
import stat
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple

from rcs_hooks import jsontext
from rcs_hooks.errors import Refused, Unavailable, UnsafePath
from rcs_hooks.state.folders import Folders, flush, folders_of
from rcs_hooks.state.paths import FOLDED, HOME, SESSIONS, STATE, folded, inside, is_name, state_folder

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


JOURNAL = ".commit.json"
STAGED = ".new"
ASIDE = ".unreadable"
MOST_ASIDE = 1_000
DEEPEST = 100
LARGEST = 4 * 1024 * 1024
MOST_FILES = 1_000
LONGEST_SHOWN = 200
QUESTIONS = "questions"
FOR_EVER = (errno.ENOTDIR, errno.EISDIR, errno.ENAMETOOLONG, errno.ELOOP, errno.ENXIO)
"""What another try would meet again; whatever else the system refuses may pass."""
READ_FLAGS = os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOFOLLOW
FRESH_FLAGS = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW


class Unreadable(NamedTuple):
    """A state file that is there and cannot be read."""

    path: str
    why: str
    errno: int = 0
    """What the system refused with; 0 where the content is at fault."""

    @property
    def is_momentary(self) -> bool:
        """Whether the next call may well read it, so that it must neither be moved aside nor taken for lost."""
        return self.errno not in (0, *FOR_EVER)


class Write(NamedTuple):
    """One file of a commit, its path relative to the state folder; without a record it is removed."""

    path: str
    record: dict[str, Any] | None
    durable: bool = True
    """False for what may be lost in a power cut (never in a kill)."""


def read(folder: str, path: str) -> dict[str, Any] | Unreadable | None:
    """The record in a file; None if there is no file. Never waits: not for a pipe, not for a device.

    That of a session that was folded away is read where it is now.
    """
    try:
        fd = os.open(f"{folder}/{path}", READ_FLAGS)
    except (FileNotFoundError, NotADirectoryError):
        elsewhere = folded(folder, path)
        found = read(folder, elsewhere) if elsewhere else None
        return found._replace(path=path) if isinstance(found, Unreadable) else found
    except OSError as error:
        why = "it is a symbolic link" if error.errno == errno.ELOOP else _words(error)
        return Unreadable(path, why, error.errno or errno.EIO)
    try:
        return _read_open(fd, path)
    except OSError as error:
        return Unreadable(path, _words(error), error.errno or errno.EIO)
    finally:
        os.close(fd)


def _read_open(fd: int, path: str) -> dict[str, Any] | Unreadable:
    status = os.fstat(fd)
    if not stat.S_ISREG(status.st_mode):
        return Unreadable(path, "it is not a file")
    if status.st_size > LARGEST:
        return Unreadable(path, "it is too large")
    with open(fd, "rb", closefd=False) as file:
        data = file.read(LARGEST + 1)
    try:
        record = jsontext.loads(data.removeprefix(jsontext.BOM).decode(), writable=True)
    except UnicodeDecodeError:
        return Unreadable(path, "it is not UTF-8")
    except ValueError as error:
        return Unreadable(path, f"it is not JSON: {error}")
    if not isinstance(record, dict):
        return Unreadable(path, "it is not a JSON object")
    if data.count(b"{") + data.count(b"[") > DEEPEST and is_deep(record):
        return Unreadable(path, "it is nested too deeply")
    return record


def is_tracked(folder: str, path: str) -> bool:
    """Whether git tracks a file of the state folder, so that it is the repository's."""
    from rcs_hooks.state import tracked

    return tracked.is_tracked(os.path.dirname(os.path.dirname(folder)), f"{STATE}/{path}")


def read_own(folder: str, path: str) -> dict[str, Any] | Unreadable | None:
    """Read a record as `read` does; None too for one that git tracks."""
    found = read(folder, path)
    return None if found is not None and is_tracked(folder, path) else found


def check_available(found: object) -> None:
    """Raises Unavailable for a file that cannot be read for the moment."""
    if isinstance(found, Unreadable) and found.is_momentary:
        raise Unavailable(f"{STATE}/{found.path}", found.why)


def check_passing(found: object) -> None:
    """The same, but for a file that is not ours to read: that may last until a person does something about it."""
    if isinstance(found, Unreadable) and found.errno != errno.EACCES:
        check_available(found)


def is_deep(record: dict[str, Any]) -> bool:
    """Whether it could not be walked, or written back, by functions that call themselves."""
    level: list[Any] = [record]
    for _ in range(DEEPEST):
        inner = (each.values() if isinstance(each, dict) else each for each in level)
        level = [value for values in inner for value in values if isinstance(value, dict | list)]
        if not level:
            return False
    return True


class Reader:
    """Reads as if a commit that is under way, or was cut short, were done: no lock is needed, nothing is mended.

    Raises Unavailable where that cannot be told for the moment: half a commit must not be taken for the whole.
    """

    def __init__(self, folder: str) -> None:
        self.folder = folder
        journal = read_own(folder, JOURNAL)
        check_available(journal)
        self._pending = dict(_files_of(journal)) if isinstance(journal, dict) else {}

    def pending_in(self, place: str) -> list[str]:
        """The names of files in this folder that the commit makes."""
        return [
            path[len(place) + 1 :]
            for path, removed in self._pending.items()
            if path.startswith(f"{place}/") and not removed
        ]

    def read(self, path: str) -> dict[str, Any] | Unreadable | None:
        if path in self._pending:
            if self._pending[path]:
                return None
            staged = read(self.folder, f"{path}{STAGED}")
            check_available(staged)
            if isinstance(staged, dict):
                return staged
        return read_own(self.folder, path)


def _words(error: OSError) -> str:
    return (error.strerror or str(error)).lower()


def prepare(root: str) -> str:
    """Makes the state folder of a workspace where it is missing, for the owner alone, and returns it.

    What keeps it out of git comes first, and is made again where it is missing or empty.
    """
    import json  # noqa: F401 - a commit writes with it, and must not load it while others wait for the lock

    check_workspace(root)
    folder = state_folder(root)
    ignored = _is_ignored(root)
    if not (ignored and os.path.isdir(folder)):
        with Folders(root) as folders:
            home = folders.open(HOME, make=True)
            if not ignored:
                by = f".{os.getpid()}-{_thread.get_ident()}"  # no lock yet: others may do the same
                _replace(home, ".gitignore", b"*\n", by=by)
            folders.open(STATE, make=True)
    return folder


def _is_ignored(root: str) -> bool:
    try:
        status = os.lstat(f"{root}/{HOME}/.gitignore")
    except FileNotFoundError:
        return False
    return status.st_size > 0 or not stat.S_ISREG(status.st_mode)


def check_workspace(root: str) -> None:
    """Raises UnsafePath where no state could be kept."""
    if not os.path.isdir(root):
        why = f"the workspace {root[:LONGEST_SHOWN]} is not there, so no state is kept"
        raise UnsafePath(f"{why}; check the working directory or RCS_ROOT")
    if os.path.lexists(f"{root}/{HOME}") and not os.path.isdir(f"{root}/{HOME}"):
        raise UnsafePath(f"{HOME} of {root} is not a folder, so no state is kept; move it away, or set RCS_ROOT")


def check_inside(folder: str, path: str) -> None:
    """Raises UnsafePath where a link leads from `folder/path` out of the state folder."""
    if not inside(os.path.realpath(f"{folder}/{path}"), os.path.realpath(folder)):
        raise UnsafePath(f"{STATE}/{path} leads out of the state folder, so it is not used; remove that link")


def commit(folder: str, writes: Sequence[Write]) -> None:
    """All of `writes`, in order, or none. The lock is held, and what was left of the last commit is done.

    Raises Refused, among others for a file that git tracks: it would not be read again.
    """
    for write in writes:
        if is_tracked(folder, write.path):
            from rcs_hooks.state.tracked import TO_DO

            raise Refused(f"git tracks {STATE}/{write.path}, so nothing is kept in it; {TO_DO}")
    with folders_of(folder) as folders:
        for write in writes:
            _unfold(folders, folder, write.path)
            folders.open(os.path.dirname(write.path), make=True)
            _make_way(folders, write.path)
        texts = [(write, _text_of(write.record)) for write in writes if write.record is not None]
        for write, text in texts:
            if len(text) > LARGEST:
                why = f"{write.path}: {len(text)} bytes, and no more than {LARGEST} can be read again"
                raise Refused(f"{why}; write less, or clear the mode with: rcs state clear")
        _commit(folders, writes, texts)


def _unfold(folders: Folders, folder: str, path: str) -> None:
    """Brings a session back that was folded away: something of it is written."""
    elsewhere = folded(folder, path)
    if elsewhere:
        place, session, *_ = elsewhere.split("/")
        os.rename(session, session, src_dir_fd=folders.open(place), dst_dir_fd=folders.open(SESSIONS, make=True))
        folders.flush((SESSIONS, place))


def _commit(folders: Folders, writes: Sequence[Write], texts: Sequence[tuple[Write, bytes]]) -> None:
    lasting = [os.path.dirname(write.path) for write in writes if write.durable]
    names = [(write.path, write.record is None) for write in writes]
    staged: list[str] = []
    try:
        for write, text in texts:
            staged.append(f"{write.path}{STAGED}")
            _write_fresh(*folders.at(staged[-1]), text, durable=write.durable)
        if len(writes) > 1:
            folders.flush(lasting)
            _write_journal(folders, writes)
    except BaseException:
        # The journal first: an interrupt may come just after it was put in place.
        for path in (JOURNAL, *staged):
            with suppress(OSError):
                fd, name = folders.at(path)
                os.unlink(name, dir_fd=fd)
        raise
    if len(writes) > 1:
        # It is made: what is not in place is read where it was staged, and the next holder of the lock puts it there.
        with suppress(OSError):
            _complete(folders, names)
    else:
        _apply(folders, names)
        folders.flush(lasting)


def _text_of(record: dict[str, Any]) -> bytes:
    """As it is kept; without its indentation where that would make it too large to be read again."""
    text = jsontext.dumps_file(record).encode()
    return text if len(text) <= LARGEST else jsontext.dumps_line(record).encode()


def _make_way(folders: Folders, path: str) -> None:
    """A folder where a file is to stand is moved aside: nothing could be renamed over it."""
    fd, name = folders.at(path)
    with suppress(FileNotFoundError):
        if stat.S_ISDIR(os.stat(name, dir_fd=fd, follow_symlinks=False).st_mode):
            _rename_aside(fd, name)


def move_aside(folder: str, path: str) -> None:
    """Under a name that nothing else has: what cannot be read is never lost. The lock is held."""
    with folders_of(folder) as folders:
        _unfold(folders, folder, path)
        _rename_aside(*folders.at(path))


def _rename_aside(fd: int, name: str) -> None:
    there = set(os.listdir(fd))
    names = (f"{name}{ASIDE}{number or ''}" for number in range(MOST_ASIDE))
    free = next((free for free in names if free not in there), f"{name}{ASIDE}-{os.urandom(8).hex()}")
    os.rename(name, free, src_dir_fd=fd, dst_dir_fd=fd)


def _write_fresh(fd: int, name: str, text: bytes, *, durable: bool) -> None:
    with suppress(FileNotFoundError):
        os.unlink(name, dir_fd=fd)
    file = os.open(name, FRESH_FLAGS, 0o600, dir_fd=fd)
    try:
        view = memoryview(text)
        while view:
            view = view[os.write(file, view) :]
        if durable:
            os.fsync(file)
    finally:
        os.close(file)


def _replace(fd: int, name: str, text: bytes, *, by: str = "") -> None:
    """The whole file at once, and on the disk."""
    staged = f"{name}{by}{STAGED}"
    try:
        _write_fresh(fd, staged, text, durable=True)
        os.replace(staged, name, src_dir_fd=fd, dst_dir_fd=fd)
    except BaseException:  # an interrupt too must leave no half file behind; it is raised again
        with suppress(OSError):
            os.unlink(staged, dir_fd=fd)
        raise
    flush(fd)


def _write_journal(folders: Folders, writes: Sequence[Write]) -> None:
    files = [{"path": write.path, "remove": write.record is None} for write in writes]
    text = jsontext.dumps_file({"version": 1, "files": files})
    _replace(folders.open(""), JOURNAL, text.encode())


def _complete(folders: Folders, files: Sequence[tuple[str, bool]]) -> None:
    """The journal goes last, when all that it names is in place and on the disk."""
    _apply(folders, files)
    folders.flush(os.path.dirname(path) for path, _ in files)
    fd, name = folders.at(JOURNAL)
    os.unlink(name, dir_fd=fd)


def _apply(folders: Folders, files: Sequence[tuple[str, bool]]) -> None:
    for path, remove in files:
        fd, name = folders.at(path)
        with suppress(FileNotFoundError):  # done before the kill
            if remove:
                os.unlink(name, dir_fd=fd)
            else:
                os.replace(f"{name}{STAGED}", name, src_dir_fd=fd, dst_dir_fd=fd)


def recover(folder: str) -> None:
    """Completes a commit that a kill cut short. One that never can be completed is moved aside. The lock is held.

    Raises Unavailable or OSError where it cannot be completed for the moment: the next holder does it.
    """
    journal = read_own(folder, JOURNAL)
    if journal is None:
        return
    check_available(journal)
    try:
        if isinstance(journal, Unreadable):
            raise UnsafePath(journal.why)
        with folders_of(folder) as folders:
            named = [(path, remove) for path, remove in _files_of(journal) if folders.is_there(os.path.dirname(path))]
            for path, _ in named:
                _make_way(folders, path)
            _complete(folders, named)
    except (OSError, UnsafePath) as error:
        if isinstance(error, OSError) and error.errno not in FOR_EVER:
            raise  # a full disk, say: the next call may well complete it
        move_aside(folder, JOURNAL)


def _files_of(journal: dict[str, Any]) -> Iterator[tuple[str, bool]]:
    """What a journal names, held to the files that a commit of ours writes: a repository may bring its own."""
    entries = journal.get("files")
    for entry in entries[:MOST_FILES] if isinstance(entries, list) else []:
        path = entry.get("path") if isinstance(entry, dict) else None
        if isinstance(path, str) and _is_ours(path):
            yield path, entry.get("remove") is True


def _is_ours(path: str) -> bool:
    """`[sessions/<id>/]<name>.json`, or the same with `questions/[folded/]<id>.json`, or with `folded/<id>`."""
    *folders, name = path.split("/")
    if not (name.endswith(".json") and is_name(name.removesuffix(".json"))):
        return False
    for below in ([QUESTIONS, FOLDED], [QUESTIONS]):
        if folders[-len(below) :] == below and len(folders) - len(below) in (0, 2):
            folders = folders[: -len(below)]
    return not folders or (len(folders) == 2 and folders[0] in (SESSIONS, FOLDED) and is_name(folders[1]))
