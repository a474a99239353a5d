"""The folders that are written to, each opened by its descriptor, below its parent and never through a link: what was
checked is what is written to, whoever puts a link in its place meanwhile.
"""

from __future__ import annotations

import errno
import os
from contextlib import suppress
from typing import TYPE_CHECKING

from rcs_hooks.errors import UnsafePath
from rcs_hooks.state.paths import HOME, inside

if TYPE_CHECKING:
    from collections.abc import Iterable
    from types import TracebackType

FLAGS = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC | os.O_NOFOLLOW
NOT_FLUSHED = (errno.EINVAL, errno.ENOTSUP)
"""What a file system says that cannot flush a folder; then there is nothing to be done about it."""


class Folders:
    """The folder `path` of a workspace and those below it, kept open while they are written to.

    Raises UnsafePath where a link leads out of what holds it. A link that stays inside is followed.
    """

    def __init__(self, root: str, path: str = "") -> None:
        self._top = f"{root}/{path}" if path else root
        self._name = path
        self._real = os.path.realpath(self._top)
        self._open: dict[str, int] = {}
        real_root = os.path.realpath(root)
        if not inside(self._real, real_root):
            raise UnsafePath(f"{path} leads out of {root}, so it is not used; remove that link")
        fd = os.open(real_root, FLAGS)
        try:
            self._open[""] = _below(fd, _parts(self._real, real_root), make=False)
        finally:
            os.close(fd)

    def __enter__(self) -> Folders:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for fd in self._open.values():
            os.close(fd)

    def open(self, path: str, *, make: bool = False) -> int:
        """The descriptor of a folder, which stays open with the others; with `make`, a missing one is made."""
        if path not in self._open:
            real = os.path.realpath(f"{self._top}/{path}")
            if not inside(real, self._real):
                where = f"{self._name}/{path}".lstrip("/")
                raise UnsafePath(f"{where} leads out of the state folder, so it is not used; remove that link")
            self._open[path] = _below(self._open[""], _parts(real, self._real), make=make)
        return self._open[path]

    def is_there(self, path: str) -> bool:
        """Opens a folder, if it is there."""
        try:
            self.open(path)
        except FileNotFoundError:
            return False
        return True

    def at(self, path: str) -> tuple[int, str]:
        """The folder that a file is in, and its name there."""
        folder, _, name = path.rpartition("/")
        return self.open(folder), name

    def flush(self, paths: Iterable[str]) -> None:
        """Brings the names in these folders to the disk; a rename is not there before."""
        for path in dict.fromkeys(paths):
            flush(self.open(path))


def folders_of(folder: str) -> Folders:
    """The same for the path of a state folder, or of another one below `.rcs`."""
    root, home, path = folder.rpartition(f"/{HOME}/")
    return Folders(root or "/", f"{HOME}/{path}") if home else Folders(folder)


def make_folders(folder: str, path: str) -> None:
    """Makes `folder/path` where it is missing, for the owner alone, and brings it to the disk."""
    with folders_of(folder) as folders:
        folders.open(path, make=True)


def _parts(real: str, above: str) -> list[str]:
    return [part for part in real[len(above) :].split("/") if part]


def _below(fd: int, parts: list[str], *, make: bool) -> int:
    """The last of the folders, opened one after the other. The caller closes it."""
    at = os.dup(fd)
    for part in parts:
        try:
            below = _open_or_make(at, part) if make else os.open(part, FLAGS, dir_fd=at)
        finally:
            os.close(at)
        at = below
    return at


def _open_or_make(at: int, name: str) -> int:
    """os.makedirs would make only the last one for the owner alone."""
    with suppress(FileNotFoundError):
        return os.open(name, FLAGS, dir_fd=at)
    with suppress(FileExistsError):  # somebody else was quicker
        os.mkdir(name, 0o700, dir_fd=at)
    flush(at)
    return os.open(name, FLAGS, dir_fd=at)


def flush(fd: int) -> None:
    try:
        os.fsync(fd)
    except OSError as error:
        if error.errno not in NOT_FLUSHED:
            raise
