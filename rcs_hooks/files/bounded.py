"""Opens and reads files of unknown origin: the only place that does.

A cloned repository can bring pipes, devices, links and gigabytes. So no read is longer than its caller asks for, none
waits for a writer, and only a regular file is read.

A link is followed only where the caller says `through_links`: for what git itself reads through links (its index and
config), and for what a person may keep elsewhere (the settings of a client, the file of a workflow). Files of the state
and of a task are never read through one: what is read there is also written, and a link would lead the write away.
"""

import os
import stat

READ_FLAGS = os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOFOLLOW


def open_regular(path: str) -> int | None:
    """Return the descriptor of a regular file, opened for reading; None if something else is there.

    The caller closes it. Raises OSError.
    """
    fd = os.open(path, READ_FLAGS)
    try:
        is_regular = stat.S_ISREG(os.fstat(fd).st_mode)
    except BaseException:  # an interrupt too must not leave the descriptor open; it is raised again
        os.close(fd)
        raise
    if is_regular:
        return fd
    os.close(fd)
    return None


def read_bytes(path: str, most: int, *, through_links: bool = False) -> bytes | None:
    """Read the first `most` bytes of a file; None if it is not a regular file. Raises OSError."""
    fd = os.open(path, READ_FLAGS & ~os.O_NOFOLLOW if through_links else READ_FLAGS)
    try:
        status = os.fstat(fd)
        return _read(fd, status, most) if stat.S_ISREG(status.st_mode) else None
    finally:
        os.close(fd)


def read_open(fd: int, most: int) -> bytes:
    """Read the first `most` bytes of an open file, but at most one more than it had before. Raises OSError."""
    return _read(fd, os.fstat(fd), most)


def _read(fd: int, status: os.stat_result, most: int) -> bytes:
    # Not `most` at once: that sets aside room for all of it, which takes longer than to read a small file.
    most = min(most, status.st_size + 1)
    data = os.read(fd, most)
    if len(data) in (0, most):
        return data
    parts = [data]  # a file system may give less than there is, so only an empty read is the end
    while (most := most - len(data)) and (data := os.read(fd, most)):
        parts.append(data)
    return b"".join(parts)


def read_ends(path: str, head: int, tail: int) -> tuple[bytes, bytes] | None:
    """Return the first `head` and the last `tail` bytes of a file, which may be huge; None if it is not a regular file.

    If the file fits into `tail`, the first part is empty. Raises OSError.
    """
    fd = open_regular(path)
    if fd is None:
        return None
    try:
        start = max(0, os.fstat(fd).st_size - tail)
        return os.pread(fd, head, 0) if start else b"", os.pread(fd, tail, start)
    finally:
        os.close(fd)
