"""What git tracks of a workspace's state: it came with the repository, and is no word of the person at this machine.

`files` asks it: a record that git tracks is not read, and none is written over it. The index is read here and git is
never run: a repository's own settings can make git run programs. What cannot be read, or takes too long, counts as
not tracked; so does a split index.
"""

from __future__ import annotations

import os
import stat
import time
from typing import TYPE_CHECKING

from rcs_hooks.state.paths import GIT, HOME, OFF, SESSIONS, STATE

if TYPE_CHECKING:
    from collections.abc import Iterator

LARGEST_INDEX = 64 << 20
LARGEST_POINTER = 4_096
SECONDS = 0.2
MOST_NAMES = 1_000
READ_FLAGS = os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK
STAT_SIZE = 40
HASH_SIZES = (20, 32)
EXTENDED = 0x4000
NAME_LENGTH = 0xFFF
NONE: frozenset[str] = frozenset()
TO_DO = "`git rm -r --cached .rcs` makes it yours, `git rm -r .rcs` removes it"

_known: dict[str, tuple[str, tuple[int, ...], frozenset[str]]] = {}
"""For each workspace the index that was read last, how `stat` tells it from a later one, and what it names."""


def is_tracked(root: str, path: str) -> bool:
    """Tell whether git tracks a file of `.rcs/state`, or `.rcs/off`; `path` is relative to `root`, the workspace.

    What lies behind a link or in a submodule is tracked where that is.
    """
    found = names(root)
    while found and path:
        if path in found:
            return True
        path = os.path.dirname(path)
    return False


def has_tracked_session(root: str, session: str) -> bool:
    """Tell whether git tracks anything of a session's state."""
    place = f"{STATE}/{SESSIONS}/{session}"
    return is_tracked(root, place) or any(name.startswith(f"{place}/") for name in names(root))


def words(root: str) -> str:
    """Say how much of the state is the repository's."""
    count = len(names(root))
    what = "a file" if count == 1 else f"{count} files"
    return f"git tracks {what} of {STATE} here, which came with the repository and counts for nothing"


def names(root: str) -> frozenset[str]:
    """List what git tracks of the state of a workspace, relative to it; of very much, all of `.rcs`."""
    if root in _known:
        index, stamp, found = _known[root]
        if _stamp(index) == stamp:
            return found
    here = os.path.realpath(root)
    repository = _repository(here)
    if repository is None:
        return NONE
    top, folder = repository
    index = f"{folder}/index"
    if stamp := _stamp(index):
        found = _names_below(_read(index, LARGEST_INDEX), os.path.relpath(here, top))
        _known[root] = index, stamp, found
        return found
    return NONE


def _stamp(path: str) -> tuple[int, ...]:
    """Empty where there is no file."""
    try:
        status = os.stat(path)
    except (OSError, ValueError):
        return ()
    return status.st_mtime_ns, status.st_size, status.st_ino, status.st_dev


def _names_below(data: bytes, folder: str) -> frozenset[str]:
    """What an index names of the state in a folder of its work tree."""
    above = b"" if folder == os.curdir else os.fsencode(folder.replace(os.sep, "/")) + b"/"
    version = int.from_bytes(data[4:8])
    if data[:4] != b"DIRC" or version not in (2, 3, 4):
        return NONE
    if above and version != 4 and above + HOME.encode() not in data:  # only version 4 holds names in part
        return NONE
    for size in HASH_SIZES:
        try:
            return _found(data, size, version, above)
        except ValueError:
            continue  # the hashes are of the other size, or it is no index
    return NONE


def _found(data: bytes, hash_size: int, version: int, above: bytes) -> frozenset[str]:
    home = above + HOME.encode()
    counted = {home, above + STATE.encode(), above + f"{HOME}/{OFF}".encode()}
    inside, last = above + STATE.encode() + b"/", home + b"/\xff"
    found = []
    for name in _entries(data, hash_size, version):
        if name > last:
            break  # an index is sorted
        if name in counted or name.startswith(inside):
            found.append(os.fsdecode(name[len(above) :]))
            if len(found) > MOST_NAMES:
                return frozenset({HOME})
    return frozenset(found)


def _entries(data: bytes, hash_size: int, version: int) -> Iterator[bytes]:
    """The names in an index, in order; raises ValueError where these are none."""
    until = time.monotonic() + SECONDS
    at, name = 12, b""
    for number in range(int.from_bytes(data[8:12])):
        start, before = at, name
        flags = int.from_bytes(data[at + STAT_SIZE + hash_size : at + STAT_SIZE + hash_size + 2])
        at += STAT_SIZE + hash_size + (4 if flags & EXTENDED else 2)
        if version == 4:  # each is told by what it shares with the one before
            dropped, at = _varint(data, at)
            if dropped > len(before):
                raise ValueError
            name = before[: len(before) - dropped]
        else:
            name = b""
        end = data.find(b"\0", at)
        name += data[at:end]
        if end == -1 or min(len(name), NAME_LENGTH) != flags & NAME_LENGTH or name < before:
            raise ValueError
        at = end + 1 if version == 4 else start + (end - start + 8) // 8 * 8
        yield name
        if number % 1_000 == 999 and time.monotonic() > until:
            return


def _varint(data: bytes, at: int) -> tuple[int, int]:
    """A number as git packs it, and where it ends."""
    byte = data[at] if at < len(data) else 0
    value, at = byte & 0x7F, at + 1
    while byte & 0x80 and at < len(data) and value < LARGEST_INDEX:
        byte = data[at]
        value, at = ((value + 1) << 7) | (byte & 0x7F), at + 1
    return value, at


def _repository(folder: str) -> tuple[str, str] | None:
    """The work tree around a folder, and where git keeps its index: a worktree's `.git` is a file that names it."""
    while not os.path.lexists(f"{folder}/{GIT}"):
        parent = os.path.dirname(folder)
        if parent == folder:
            return None
        folder = parent
    if os.path.isdir(f"{folder}/{GIT}"):
        return folder, f"{folder}/{GIT}"
    kind, _, named = _read(f"{folder}/{GIT}", LARGEST_POINTER).partition(b": ")
    return (folder, os.path.join(folder, os.fsdecode(named.strip()))) if kind == b"gitdir" and named.strip() else None


def _read(path: str, most: int) -> bytes:
    """All of a regular file of no more than `most` bytes; nothing of any other."""
    try:
        fd = os.open(path, READ_FLAGS)
    except (OSError, ValueError):
        return b""
    try:
        status = os.fstat(fd)
        if not stat.S_ISREG(status.st_mode) or status.st_size > most:
            return b""
        with open(fd, "rb", closefd=False) as file:
            return file.read(most)
    except OSError:
        return b""
    finally:
        os.close(fd)
