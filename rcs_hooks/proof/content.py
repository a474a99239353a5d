"""Reads files of a work tree from disk, and gives each the id that git would give it.

Nothing here waits for a writer or follows a link: what git lists as a file may be anything by the time it is opened.
"""

from __future__ import annotations

import hashlib
import os
import stat

from rcs_hooks.files.bounded import READ_FLAGS
from rcs_hooks.tuples import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

CHUNK = 1 << 20
POINTER = b"version https://git-lfs.github.com/spec/v1\noid sha256:%s\nsize %d\n"
POINTER_STARTS = (b"version https://git-lfs", b"version https://hawser")
LONGEST_POINTER = 1_024
KEYWORD = b"$Id"
REGULAR, PROGRAM, LINK = b"100644", b"100755", b"120000"


class FileContent(NamedTuple):
    """What a file holds: its id, and what tells whether git would convert it."""

    id: bytes
    pointer: bytes = b""
    """The id of what Git LFS would store in its place, where that is wanted."""
    has_return: bool = False
    has_keyword: bool = False
    is_read: bool = True


class Wanted(NamedTuple):
    """What is to be found out about a file beside its id, as its attributes make that matter."""

    pointer: bool = False
    ends: bool = False
    keyword: bool = False


class ModeRules(NamedTuple):
    """What a repository's config says of modes: whether the executable bit counts, and whether links are links."""

    file_mode: bool = True
    symlinks: bool = True

    def of(self, mode: int, before: bytes) -> bytes:
        """Return the mode that git would record for a file on disk. `before`: that of the index, empty if untracked."""
        if stat.S_ISLNK(mode):
            return LINK
        if not stat.S_ISREG(mode):
            return b"%06o" % stat.S_IFMT(mode)
        if not self.symlinks and before == LINK:
            return LINK
        if not self.file_mode:
            return before if before in (REGULAR, PROGRAM) else REGULAR
        return PROGRAM if mode & stat.S_IXUSR else REGULAR


def object_id(kind: str, data: bytes) -> bytes:
    """Return the id that git gives to a blob. `kind`: sha1 or sha256."""
    return hashlib.new(kind, b"blob %d\0%b" % (len(data), data), usedforsecurity=False).hexdigest().encode()


def read(
    path: bytes, status: os.stat_result, kind: str, left: Callable[[], float], wanted: Wanted
) -> FileContent | None:
    """Read a file; None if it is gone. What cannot be read is known by its size and times."""
    try:
        if stat.S_ISLNK(status.st_mode):
            return FileContent(object_id(kind, os.readlink(path)))
        if stat.S_ISREG(status.st_mode):
            return _read_regular(path, kind, left, wanted)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError:
        pass
    seen = f"{status.st_size} {status.st_mtime_ns} {status.st_ctime_ns} {stat.S_IFMT(status.st_mode)}"
    return FileContent(object_id(kind, f"unreadable {seen}".encode()), is_read=False)


def _read_regular(path: bytes, kind: str, left: Callable[[], float], wanted: Wanted) -> FileContent:
    fd = os.open(path, READ_FLAGS)
    try:
        status = os.fstat(fd)
        if not stat.S_ISREG(status.st_mode):
            raise OSError("not a file")
        size, done = status.st_size, 0
        own = hashlib.new(kind, b"blob %d\0" % size, usedforsecurity=False)
        oid = hashlib.sha256() if wanted.pointer else None
        has_return = has_keyword = False
        head = end = b""
        # The byte after the last one tells that it was the last; to set aside room for a whole chunk takes long.
        while chunk := os.read(fd, max(1, min(CHUNK, size + 1 - done))):
            left()
            done += len(chunk)
            own.update(chunk)
            if oid:
                oid.update(chunk)
                head = head or chunk[:LONGEST_POINTER]
            if wanted.ends:
                has_return = has_return or b"\r" in chunk
            if wanted.keyword:
                has_keyword = has_keyword or KEYWORD in end + chunk
                end = chunk[1 - len(KEYWORD) :]
    finally:
        os.close(fd)
    if done != size:  # it grows or shrinks while it is read
        own.update(b"%d" % done)
    pointer = own.hexdigest().encode()
    if oid and size and not (size < LONGEST_POINTER and head.startswith(POINTER_STARTS)):
        pointer = object_id(kind, POINTER % (oid.hexdigest().encode(), done))
    return FileContent(own.hexdigest().encode(), pointer, has_return, has_keyword)
