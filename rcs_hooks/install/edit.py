"""A file of somebody else's, changed whole or not at all, with the old one kept beside."""

from __future__ import annotations

import difflib
import os
import stat
import tempfile
from contextlib import suppress
from typing import NamedTuple

from rcs_hooks.errors import Refused
from rcs_hooks.state.paths import inside

LARGEST = 16 * 1024 * 1024
KEPT = ".before-rcs"
"""The end of the name that the old file is kept under."""


class Change(NamedTuple):
    """What is to become of a file; None: there is none."""

    path: str
    old: str | None
    new: str | None
    context: int = 3
    """Lines shown around a change; 0 where a neighbour may be a secret."""

    @property
    def is_none(self) -> bool:
        return self.old == self.new


def read(path: str, within: str | None = None, largest: int = LARGEST) -> str | None:
    """The text of a file; None if there is none. `within`: a folder that a repository may have filled, so that a link
    in it must not lead out of it. Raises Refused."""
    if within is not None and not inside(os.path.realpath(path), os.path.realpath(within)):
        raise Refused(f"{path}: it is a link out of the workspace, so it was left as it is")
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except (FileNotFoundError, NotADirectoryError):
        return None
    if stat.S_ISDIR(os.fstat(fd).st_mode):
        os.close(fd)
        raise Refused(f"{path}: is a directory")
    with open(fd, "rb") as file:
        status = os.fstat(fd)
        if not stat.S_ISREG(status.st_mode) or status.st_size > largest:
            raise Refused(f"{path}: it is no file of at most {largest} bytes, so it was left as it is")
        data = file.read()
    try:
        return data.decode()
    except UnicodeDecodeError:
        raise Refused(f"{path}: it is not UTF-8, so it was left as it is") from None


def diff(change: Change) -> str:
    """As `diff -u` shows it, without what could move a cursor."""
    old, new = change.old or "", change.new or ""
    names = (
        change.path if change.old is not None else os.devnull,
        change.path if change.new is not None else os.devnull,
    )
    lines = difflib.unified_diff(old.splitlines(), new.splitlines(), *names, lineterm="", n=change.context)
    return "\n".join("".join(char if char.isprintable() or char == "\t" else "?" for char in line) for line in lines)


def kept_path(path: str) -> str:
    return path + KEPT


def refuse_unwritable(path: str) -> None:
    """Before anything is written anywhere: whether a file can be made or replaced there. Raises Refused."""
    folder = os.path.dirname(os.path.realpath(path))
    while not os.path.lexists(folder):
        folder = os.path.dirname(folder)
    if not os.path.isdir(folder):
        raise Refused(f"{path}: {folder} is no folder; nothing was changed")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise Refused(f"{path}: you may not write in {folder}; nothing was changed")


def write(change: Change, within: str | None, kept: str | None = None) -> None:
    """With `kept` beside it. Raises Refused where the file is another by now: a client may have written it."""
    if read(change.path, within) != change.old:
        raise Refused(f"{change.path}: somebody else has just changed it; run the same command again")
    if change.new is None:
        with suppress(FileNotFoundError):
            os.unlink(os.path.realpath(change.path))  # a link is the person's own
        return
    os.makedirs(os.path.dirname(change.path), exist_ok=True)
    if kept is not None:
        read(kept_path(change.path), within)  # it too may be a link that came with a repository
        replace(kept_path(change.path), kept, like=change.path)
    replace(change.path, change.new)
    if kept is None and read(kept_path(change.path), within) == change.new:
        os.unlink(kept_path(change.path))  # it is the file again


def replace(path: str, text: str, like: str | None = None) -> None:
    """Whole or not at all, through a link to where the file really is, with its own mode (or that of another)."""
    real = os.path.realpath(path)
    if not os.path.isdir(os.path.dirname(real)):
        raise Refused(f"{path}: there is no such folder")
    fd, temporary = tempfile.mkstemp(dir=os.path.dirname(real), prefix=".rcs-")
    try:
        with open(fd, "w", encoding="utf-8", newline="") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        model = os.path.realpath(like or path)
        mode = stat.S_IMODE(os.stat(model).st_mode) if os.path.exists(model) else 0o666 & ~_umask()
        os.chmod(temporary, mode)
        os.replace(temporary, real)
    except BaseException:  # an interrupt too must leave no temporary file behind; it is raised again
        with suppress(OSError):
            os.unlink(temporary)
        raise


def _umask() -> int:
    mask = os.umask(0o077)
    os.umask(mask)
    return mask
