"""Opens the folders that are written to by descriptor, one below the other and never through a link.

So what was checked is what is written to, even if somebody puts a link in its place meanwhile.
"""

from __future__ import annotations

import errno
import os

from rcs_hooks.errors import UnsafePath, suppress
from rcs_hooks.files.paths import HOME, inside, resolved

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from types import TracebackType

FLAGS = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC | os.O_NOFOLLOW
NOT_FLUSHED = (errno.EINVAL, errno.ENOTSUP)
"""The errors of a file system that cannot flush a folder; nothing can be done about them."""


class Folders:
    """A folder of a workspace and those below it, kept open while they are written to.

    A link that stays inside is followed. Raises UnsafePath for one that leads out.
    """

    def __init__(self, root: str, path: str = "") -> None:
        self._root = root
        self._name = path
        self._real: str | None = None
        self._open: dict[str, int] = {}
        if (fd := _straight_below(root, path)) is not None:
            self._open[""] = fd
            return
        real_root = os.path.realpath(root)
        self._real = resolved(real_root, path)
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
        """Return the descriptor of a folder, relative to the first; it stays open until all are closed.

        `make`: create the folder if it is missing. Raises UnsafePath.
        """
        if path not in self._open:
            self._open[path] = self._opened(path, make=make)
        return self._open[path]

    def _opened(self, path: str, *, make: bool) -> int:
        if (fd := _straight_below_open(self._open[""], path)) is not None:
            return fd
        if self._real is None:
            self._real = resolved(os.path.realpath(self._root), self._name)
        real = resolved(self._real, path)
        if not inside(real, self._real):
            where = f"{self._name}/{path}".lstrip("/")
            raise UnsafePath(f"{where} leads out of the state folder, so it is not used; remove that link")
        return _below(self._open[""], _parts(real, self._real), make=make)

    def is_there(self, path: str) -> bool:
        """Tell whether a folder is there; if so, it is opened and stays open."""
        try:
            self.open(path)
        except FileNotFoundError:
            return False
        return True

    def at(self, path: str) -> tuple[int, str]:
        """Return the descriptor of the folder that a file is in, and the file's name there."""
        folder, _, name = path.rpartition("/")
        return self.open(folder), name

    def flush(self, paths: Iterable[str]) -> None:
        """Flush the names in these folders to the disk: a rename does not last before that."""
        for path in dict.fromkeys(paths):
            flush(self.open(path))


def folders_of(folder: str) -> Folders:
    """Open a folder by its whole path: a state folder, or another one below `.rcs`."""
    root, home, path = folder.rpartition(f"/{HOME}/")
    return Folders(root or "/", f"{HOME}/{path}") if home else Folders(folder)


def make_folders(folder: str, path: str) -> None:
    """Create `folder/path` if it is missing, for the owner alone, and flush it to the disk."""
    with folders_of(folder) as folders:
        folders.open(path, make=True)


def make_folder(folders: Folders, folder: str, path: str) -> None:
    """Create a folder in a state folder. Raises InTheWay with what to type if something else is in its place."""
    try:
        folders.open(path, make=True)
    except OSError:
        from rcs_hooks.files import obstacles

        obstacles.check(folder)
        raise


def _parts(real: str, above: str) -> list[str]:
    return [part for part in real[len(above) :].split("/") if part]


def _straight_below(folder: str, path: str) -> int | None:
    """Return the descriptor of `folder/path` if no part of `path` is a link; None if one is, or it cannot be opened."""
    try:
        fd = os.open(folder, FLAGS & ~os.O_NOFOLLOW)
    except OSError:
        return None
    try:
        return _straight_below_open(fd, path)
    finally:
        os.close(fd)


def _straight_below_open(fd: int, path: str) -> int | None:
    """Return the descriptor of a folder below an open one, as `_straight_below` does.

    Each part is opened through no link, which tells at once what `resolved` has to look up part for part.
    """
    parts = [part for part in path.split("/") if part]
    if "." in parts or ".." in parts:
        return None
    try:
        return _below(fd, parts, make=False)
    except OSError:
        return None


def _below(fd: int, parts: list[str], *, make: bool) -> int:
    """Return the descriptor of the last of these folders, opened one below the other. The caller closes it."""
    at = os.dup(fd)
    for part in parts:
        try:
            below = _open_or_make(at, part) if make else os.open(part, FLAGS, dir_fd=at)
        finally:
            os.close(at)
        at = below
    return at


def _open_or_make(at: int, name: str) -> int:
    """Open a folder; create it if it is missing. (`os.makedirs` keeps only the last one to the owner.)"""
    with suppress(FileNotFoundError):
        return os.open(name, FLAGS, dir_fd=at)
    with suppress(FileExistsError):  # another process was quicker
        os.mkdir(name, 0o700, dir_fd=at)
    flush(at)
    return os.open(name, FLAGS, dir_fd=at)


def flush(fd: int) -> None:
    """Flush an open file or folder to the disk, where the file system can."""
    try:
        os.fsync(fd)
    except OSError as error:
        if error.errno not in NOT_FLUSHED:
            raise
