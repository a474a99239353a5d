"""Makes the folders that are written to, and flushes them to the disk; none of them through a link."""

from __future__ import annotations

import errno
import os

from rcs_hooks.errors import UnsafePath, suppress
from rcs_hooks.files.paths import link_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

FLAGS = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC | os.O_NOFOLLOW
NOT_FLUSHED = (errno.EINVAL, errno.ENOTSUP)
"""The errors of a file system that cannot flush a folder; nothing can be done about them."""


def refuse_link(folder: str, path: str) -> None:
    """Raise UnsafePath if a part of `path`, which is relative to a folder, is a link."""
    if link := link_in(folder, path):
        raise UnsafePath(f"{link} is a link, so it is not used; remove it")


def make_folders(folder: str, path: str) -> None:
    """Create `folder/path` if it is missing, for the owner alone, and flush it to the disk. Raises UnsafePath.

    (`os.makedirs` keeps only the last folder to the owner.)
    """
    refuse_link(folder, path)
    if os.path.isdir(f"{folder}/{path}"):
        return
    for part in filter(None, path.split("/")):
        above, folder = folder, f"{folder}/{part}"
        if not os.path.isdir(folder):
            with suppress(FileExistsError):  # another process was quicker
                os.mkdir(folder, 0o700)
            flush_folder(above)


def flush_folders(folder: str, paths: Iterable[str]) -> None:
    """Flush the names in these folders below another one to the disk: a rename does not last before that."""
    for path in dict.fromkeys(paths):
        flush_folder(f"{folder}/{path}")


def flush_folder(path: str) -> None:
    """Flush the names in a folder to the disk, where the file system can."""
    fd = os.open(path, FLAGS & ~os.O_NOFOLLOW)  # the workspace itself may be a link
    try:
        os.fsync(fd)
    except OSError as error:
        if error.errno not in NOT_FLUSHED:
            raise
    finally:
        os.close(fd)
