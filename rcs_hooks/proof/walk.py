"""Fingerprints a folder that no repository describes: by path, size, times and mode of each file."""

from __future__ import annotations

import os
import stat

from rcs_hooks.errors import suppress
from rcs_hooks.files.paths import GIT, HOME

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

NOT_CONTENT = frozenset(name.encode() for name in (HOME, GIT, ".hg", ".svn", ".jj", ".sl"))
"""Folders of ours, and of programs that keep versions: what is in them is not the work."""


def listed(top: bytes, left: Callable[[], float]) -> tuple[list[bytes], list[bytes]]:
    """Return a line for each file below a folder, and the paths of the repositories in it, which are not entered.

    Every path is relative to the folder.
    """
    lines: list[bytes] = []
    repositories: list[bytes] = []
    folders = [b""]
    while folders:
        folder = folders.pop()
        left()
        place = os.path.join(top, folder) if folder else top
        try:
            with os.scandir(place) as found:
                entries = list(found)
        except OSError:
            lines.append(_closed(place, folder))
            continue
        names = {entry.name for entry in entries}
        if folder and GIT.encode() in names:
            repositories.append(folder)
            continue
        if not os.path.lexists(os.path.join(place, b".")):
            lines.append(_closed(place, folder))
        for entry in entries:
            path = os.path.join(folder, entry.name)
            if not entry.is_dir(follow_symlinks=False):
                lines.append(_line(entry, path))
            elif entry.name not in NOT_CONTENT:
                folders.append(path)
    return [line for line in lines if line], repositories


def _line(entry: os.DirEntry[bytes], path: bytes) -> bytes:
    with suppress(OSError):
        status = entry.stat(follow_symlinks=False)
        mode = status.st_mode
        if stat.S_ISLNK(mode):
            return b"%06o %b\t%b" % (mode, os.readlink(entry.path).hex().encode(), path)
        if stat.S_ISREG(mode):
            return b"%06o %d %d %d\t%b" % (mode, status.st_size, status.st_mtime_ns, status.st_ctime_ns, path)
        return b"%06o\t%b" % (mode, path)
    return b""


def _closed(place: bytes, folder: bytes) -> bytes:
    """Return a line for a folder that cannot be looked into: whoever opens it and closes it again changes its times."""
    with suppress(OSError):
        status = os.lstat(place)
        return b"%06o %d %d\t%b" % (status.st_mode, status.st_mtime_ns, status.st_ctime_ns, folder or b".")
    return b""
