"""Appends the lines of a commit to their files, each once, however often the commit is completed.

Nothing here stands in the way of the rest of a commit: lines that cannot be appended are lost.
"""

from __future__ import annotations

import errno
import os
import stat

from rcs_hooks.errors import suppress
from rcs_hooks.files.paths import link_in
from rcs_hooks.files.reading import PERMANENT_ERRORS, Append, root_of
from rcs_hooks.files.tracked import is_brought

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

FLAGS = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
LOST_AT_ONCE = (*PERMANENT_ERRORS, errno.EACCES, errno.EPERM, errno.EROFS)
"""The errors for which lines are lost at once. After another error, such as a full disk, they are tried once more."""


def placed(folder: str, lines: Iterable[tuple[str, str]]) -> list[Append]:
    """Return the lines to append, each with the size of its file, which is 0 if it is not there.

    `lines`: path and text. Leaves out what is for a link, a folder, a pipe or a file that git tracks.
    """
    found = []
    for path, text in lines:
        with suppress(OSError):
            try:
                status = os.lstat(f"{folder}/{path}")
            except FileNotFoundError:
                status = None
            if status is None or stat.S_ISREG(status.st_mode):
                found.append(Append(path, status.st_size if status else 0, text))
    return possible(folder, found)


def possible(folder: str, appends: Iterable[Append]) -> list[Append]:
    """Return those of the lines whose file git does not track, and whose folder is there."""
    found = []
    for each in appends:
        place = os.path.dirname(each.path)
        is_usable = os.path.isdir(f"{folder}/{place}") and not link_in(folder, place)
        if is_usable and not is_brought(root_of(folder), each.path):
            found.append(each)
    return found


def append(folder: str, each: Append, *, durable: bool, is_last_try: bool) -> None:
    """Append lines. Raises OSError for one that may pass, unless this is the last try."""
    try:
        _append(folder, each, durable=durable)
    except OSError as error:
        if not is_last_try and error.errno not in LOST_AT_ONCE:
            raise


def _append(folder: str, each: Append, *, durable: bool) -> None:
    """Write lines at their place: over a part of them that a kill has left there, and not if they are there already.

    If somebody else has written to the file meanwhile, they come at its end.
    """
    file = os.open(f"{folder}/{each.path}", FLAGS, 0o600)
    try:
        size, text, at = os.fstat(file).st_size, each.lines.encode(), each.size
        there = os.pread(file, len(text), at) if size > at else b""
        if there != text:
            if size < at or not text.startswith(there):
                text, at = b"\n" + text, size
            while text:
                done = os.pwrite(file, text, at)
                text, at = text[done:], at + done
        if durable:
            os.fsync(file)
    finally:
        os.close(file)
