"""Whether git tracks a file: then it came with the repository, and is no word of the person at this machine.

The index is read here and git is never run: a repository's own settings can make git run programs. What cannot be
read, or takes too long, counts as not tracked; so does a split index.
"""

from __future__ import annotations

import os
import stat
import time
from typing import TYPE_CHECKING

from rcs_hooks.state.session import is_workspaces, names_nobody
from rcs_hooks.workflow.lifecycle import is_active

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rcs_hooks.state.session import Member, Session

LARGEST_INDEX = 64 << 20
LARGEST_POINTER = 4_096
SECONDS = 0.2
READ_FLAGS = os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK
STAT_SIZE = 40
HASH_SIZES = (20, 32)
EXTENDED = 0x4000
NAME_LENGTH = 0xFFF


def untracked(view: Session, members: tuple[Member, ...]) -> tuple[Member, ...]:
    """Leave out the workspace's own runs that git tracks: such a record came with the repository."""
    root = _root(view)
    return tuple(
        member
        for member in members
        if not (is_workspaces(member) and is_tracked(root, os.path.relpath(f"{view.folder}/{member.path}", root)))
    )


def without_tracked(view: Session) -> Session:
    """Read a workspace without the active root records that name no session and that git tracks."""
    root = _root(view)
    kept = {
        mode: record
        for mode, record in view.root.items()
        if not (is_active(record) and names_nobody(record) and is_tracked(root, f".rcs/state/{mode}-state.json"))
    }
    return view._replace(root=kept)


def is_tracked(root: str, path: str) -> bool:
    """Tell whether git tracks a file, or anything in a folder; `path` is relative to `root`, the workspace."""
    root = os.path.realpath(root)
    found = _repository(root)
    if found is None:
        return False
    top, folder = found
    name = os.fsencode(os.path.relpath(os.path.join(root, path), top).replace(os.sep, "/"))
    data = _read(f"{folder}/index", LARGEST_INDEX)
    version = int.from_bytes(data[4:8])
    if data[:4] != b"DIRC":
        return False
    if version == 4:
        return any(name == each or each.startswith(name + b"/") for size in HASH_SIZES for each in _names(data, size))
    return version in (2, 3) and _is_named(data, name)


def _root(view: Session) -> str:
    return os.path.dirname(os.path.dirname(view.folder))


def _repository(folder: str) -> tuple[str, str] | None:
    """The work tree around a folder, and where git keeps its index: a worktree's `.git` is a file that names it."""
    while not os.path.lexists(f"{folder}/.git"):
        parent = os.path.dirname(folder)
        if parent == folder:
            return None
        folder = parent
    if os.path.isdir(f"{folder}/.git"):
        return folder, f"{folder}/.git"
    kind, _, named = _read(f"{folder}/.git", LARGEST_POINTER).partition(b": ")
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


def _is_named(data: bytes, name: bytes) -> bool:
    """Whether one of the entries of versions 2 and 3, which hold whole names, is `name` or below it.

    A name has its own length in the flags before it, so that the same bytes elsewhere are no entry.
    """
    at = data.find(name)
    while at != -1:
        end = data.find(b"\0", at)
        length = min(end - at, NAME_LENGTH)
        is_whole = data[at + len(name) : at + len(name) + 1] in (b"\0", b"/")
        if is_whole and end != -1 and length in (_length(data, at - 2), _length(data, at - 4, EXTENDED)):
            return True
        at = data.find(name, at + 1)
    return False


def _length(data: bytes, at: int, wanted: int = 0) -> int:
    """The length of a name by the flags at `at`; -1 where those are not of the `wanted` kind."""
    flags = int.from_bytes(data[at : at + 2]) if at >= 0 else 0
    return flags & NAME_LENGTH if flags & EXTENDED == wanted else -1


def _names(data: bytes, hash_size: int) -> Iterator[bytes]:
    """The names of version 4, each of which is told by what it shares with the one before."""
    until = time.monotonic() + SECONDS
    at, name = 12, b""
    for number in range(int.from_bytes(data[8:12])):
        flags = int.from_bytes(data[at + STAT_SIZE + hash_size : at + STAT_SIZE + hash_size + 2])
        at += STAT_SIZE + hash_size + (4 if flags & EXTENDED else 2)
        dropped, at = _varint(data, at)
        end = data.find(b"\0", at)
        if end == -1 or dropped > len(name) or (number % 1_000 == 0 and time.monotonic() > until):
            return
        name = name[: len(name) - dropped] + data[at:end]
        at = end + 1
        yield name


def _varint(data: bytes, at: int) -> tuple[int, int]:
    """A number as git packs it, and where it ends."""
    byte = data[at] if at < len(data) else 0
    value, at = byte & 0x7F, at + 1
    while byte & 0x80 and at < len(data) and value < LARGEST_INDEX:
        byte = data[at]
        value, at = ((value + 1) << 7) | (byte & 0x7F), at + 1
    return value, at
