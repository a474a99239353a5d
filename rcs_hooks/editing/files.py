"""Changes a file of somebody else's, whole or not at all, and keeps the old one as a backup."""

from __future__ import annotations

import difflib
import os
import stat
import tempfile
from contextlib import suppress
from typing import NamedTuple

from rcs_hooks.errors import Refused
from rcs_hooks.files.bounded import read_bytes
from rcs_hooks.files.paths import GIT, inside

LARGEST = 16 * 1024 * 1024
BACKUP_SUFFIX = ".before-rcs"
"""The suffix that is added to a file's name for its backup."""
UNCHANGED = ", so it was left unchanged"


class Change(NamedTuple):
    """A change of a file: its text before (`old`) and after (`new`). None means no file: it is created, or removed."""

    path: str
    old: str | None
    new: str | None
    context: int = 3
    """The number of lines shown around a change; 0 if they may hold a secret."""
    drops_backup: bool = False
    """Whether the backup is removed, because the changed file says all that the backup does."""


def read(path: str, boundary: str | None = None, largest: int = LARGEST) -> str | None:
    """Return the text of a file; None if there is no file. Raises Refused if it cannot be read as UTF-8 text.

    `boundary`: a folder that a repository may have filled, so that no link in it may lead out. `largest`: in bytes.
    """
    real, root = os.path.realpath(path), boundary and os.path.realpath(boundary)
    if root and not inside(real, root):
        raise Refused(f"{path}: it is a link out of the workspace{UNCHANGED}")
    if root and GIT in os.path.relpath(real, root).split(os.sep):
        raise Refused(f"{path}: it is a link into {GIT}{UNCHANGED}")
    try:
        data = read_bytes(path, largest + 1, through_links=True)
    except (FileNotFoundError, NotADirectoryError):
        return None
    if data is None and os.path.isdir(path):
        raise Refused(f"{path}: it is a folder")
    if data is None or len(data) > largest:
        raise Refused(f"{path}: it is not a file of at most {largest} bytes{UNCHANGED}")
    try:
        return data.decode()
    except UnicodeDecodeError:
        raise Refused(f"{path}: it is not UTF-8{UNCHANGED}") from None


def diff(change: Change) -> str:
    """Return a change as `diff -u` shows it, without characters that could move a cursor."""
    old, new = change.old or "", change.new or ""
    names = (
        change.path if change.old is not None else os.devnull,
        change.path if change.new is not None else os.devnull,
    )
    lines = difflib.unified_diff(old.splitlines(), new.splitlines(), *names, lineterm="", n=change.context)
    return "\n".join("".join(char if char.isprintable() or char == "\t" else "?" for char in line) for line in lines)


def backup_path(path: str) -> str:
    """Return the path of the backup of a file."""
    return path + BACKUP_SUFFIX


def read_backup(path: str, boundary: str | None) -> str | None:
    """Return the text of a file's backup; None if there is none. Raises Refused as `read` does.

    A repository may have brought it as a link, through which the backup would take the place of another file.
    """
    backup = backup_path(path)
    if boundary is not None and os.path.islink(backup):
        raise Refused(f"{backup}: it is a link, and a backup would overwrite what it leads to; remove the link first")
    return read(backup, boundary)


def refuse_unwritable(path: str) -> None:
    """Raise Refused if a file could not be created or replaced; called before anything is written anywhere."""
    folder = os.path.dirname(os.path.realpath(path))
    while not os.path.lexists(folder):
        folder = os.path.dirname(folder)
    if not os.path.isdir(folder):
        raise Refused(f"{path}: {folder} is not a folder; nothing was changed")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise Refused(f"{path}: you may not write in {folder}; nothing was changed")


def write(change: Change, boundary: str | None, backup: str | None = None) -> None:
    """Carry out a change, and write the text `backup` as the backup; None leaves the backup as it is.

    Raises Refused if the file has changed since it was read: a client may have written it. `boundary`: as in `read`.
    """
    if read(change.path, boundary) != change.old:
        raise Refused(f"{change.path}: another program has just changed it; run this command again")
    if change.new is None:
        with suppress(FileNotFoundError):
            os.unlink(os.path.realpath(change.path))  # a link is the person's own
        _drop_backup(change)
        return
    os.makedirs(os.path.dirname(change.path), exist_ok=True)
    if backup is not None:
        read_backup(change.path, boundary)
        replace(backup_path(change.path), backup, like=change.path)
    replace(change.path, change.new)
    _drop_backup(change)


def _drop_backup(change: Change) -> None:
    if change.drops_backup:
        with suppress(FileNotFoundError):
            os.unlink(backup_path(change.path))


def replace(path: str, text: str, like: str | None = None) -> None:
    """Write a file as a whole or not at all, through a link if it is one, with its own mode or that of the file `like`.

    Raises Refused if the folder does not exist.
    """
    real = os.path.realpath(path)
    if not os.path.isdir(os.path.dirname(real)):
        raise Refused(f"{path}: its folder does not exist")
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
