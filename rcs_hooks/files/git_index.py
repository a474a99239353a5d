"""Reads from git's index which files of a workspace's state git tracks.

git itself is never run: the settings of a repository can make it run programs.

Rules of this file:
- An index is sorted, and `.rcs` comes early: of a large one, mostly the first part is read.
- How long its hashes are is what the repository's config says, never what seems to fit: both lengths may.
- An index that cannot be read whole raises `InDoubt`: half of the names must not be taken for all of them.
"""

from __future__ import annotations

import os
import time

from rcs_hooks.errors import suppress
from rcs_hooks.files.bounded import read_bytes
from rcs_hooks.files.paths import GIT, HOME, OFF, STATE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

FIRST_PART = 1 << 18
LARGEST_INDEX = 256 << 20
LARGEST_CONFIG = 1 << 20
LARGEST_POINTER = 4_096
SECONDS = 0.5
"""Seconds of processor time for one index: enough for some 2 million names."""
LOOKED_AT_ONCE = 0xFFF
MOST_NAMES = 1_000
KIND_OF_HASH, BOM = b"objectformat", b"\xef\xbb\xbf"
SHARED, LINK = "sharedindex.", b"link"
STAT_SIZE = 40
HASH_SIZES = {b"sha1": 20, b"sha256": 32}
EXTENDED = 0x4000
NAME_LENGTH = 0xFFF


class InDoubt(Exception):
    """Raised when an index cannot be read whole; says why."""


def listed(folder: str) -> list[str]:
    """Return the names in a folder; empty if they cannot be listed."""
    try:
        return os.listdir(folder)
    except OSError:
        return []


def names_below(folder: str, here: str) -> frozenset[str]:
    """Return what git's index names of a workspace's state, in lower case; of very much, all of `.rcs`.

    `folder`: the git folder. `here`: the workspace, relative to the work tree. Raises InDoubt and OSError.
    """
    above = b"" if here == os.curdir else os.fsencode(here.replace(os.sep, "/")) + b"/"
    hash_size = _hash_size(folder)
    entries, data = _entries(f"{folder}/index", hash_size, above)
    found = {name for _, name in entries}
    siblings = listed(folder) if len(data) == FIRST_PART or LINK + b"\0" in data else ()
    for shared in (name for name in siblings if name.startswith(SHARED)):
        link = _link(f"{folder}/index", shared.removeprefix(SHARED))
        if link is not None:
            gone = _bits(link)
            entries, _ = _entries(f"{folder}/{shared}", hash_size, above)
            found |= {name for at, name in entries if not (at // 8 < len(gone) and gone[at // 8] >> at % 8 & 1)}
    counted, inside = {HOME, STATE, f"{HOME}/{OFF}"}, (f"{STATE}/", f"{HOME}/{OFF}/")
    texts = (os.fsdecode(name[len(above) :]).casefold() for name in found)
    ours = frozenset(text for text in texts if text in counted or text.startswith(inside))
    return ours if len(ours) <= MOST_NAMES else frozenset({HOME})


def _hash_size(folder: str) -> int:
    """Return the length in bytes of a hash in the repository of a git folder. Raises InDoubt and OSError."""
    with suppress(FileNotFoundError):  # only the git folder of a worktree has one
        folder = os.path.join(folder, os.fsdecode(_read(f"{folder}/commondir", LARGEST_POINTER).strip()))
    try:
        data = read_bytes(f"{folder}/config", LARGEST_CONFIG, through_links=True)
    except FileNotFoundError:
        data = b""
    size = None if data is None or len(data) == LARGEST_CONFIG else HASH_SIZES.get(_kind_of_hash(data))
    if size is None:
        raise InDoubt("has hashes of a kind that the config of the repository does not tell")
    return size


def _kind_of_hash(config: bytes) -> bytes:
    """Return the last value of `extensions.objectformat` in a config."""
    section, found = b"", b"sha1"
    lines = config.removeprefix(BOM).splitlines() if KIND_OF_HASH in config.lower() else ()
    for line in lines:
        head, bracket, rest = line.strip().partition(b"]")
        is_section = bracket and head.startswith(b"[")
        section = head[1:] if is_section else section
        key, _, value = (rest if is_section else line).partition(b"=")
        if section.strip().lower() == b"extensions" and key.strip().lower() == KIND_OF_HASH:
            found = value.partition(b"#")[0].partition(b";")[0].strip(b' \t"')
    return found


def _entries(path: str, hash_size: int, above: bytes) -> tuple[list[tuple[int, bytes]], bytes]:
    """Return the names in an index that may lie in the `.rcs` below a folder, numbered, and what was read of the file.

    Raises InDoubt and OSError.
    """
    for most in (FIRST_PART, LARGEST_INDEX):
        data = _read(path, most)
        if data[:4] != b"DIRC" or data[4:8] not in (b"\0\0\0\2", b"\0\0\0\3", b"\0\0\0\4"):
            raise InDoubt("cannot be read")
        # Far quicker than a walk, but version 4 stores a name in part only.
        is_whole = FIRST_PART < len(data) < LARGEST_INDEX
        if above and is_whole and data[7] != 4 and above.lower() + b".rc" not in data.lower():
            return [], data
        try:
            return list(_walked(data, hash_size, above)), data
        except (IndexError, ValueError):  # it is cut off, or not an index
            if len(data) < most:
                raise InDoubt("is damaged") from None
    raise InDoubt("is too large to be read")


def _walked(data: bytes, hash_size: int, above: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield the names that may lie in the `.rcs` below a folder, with their numbers.

    Raises IndexError or ValueError if the data are not whole entries. Every line costs once for each of up to millions
    of names, so the code works on bytes and calls nothing.
    """
    until = 0.0
    first, last, wanted = above.upper() + b".RC", above.lower() + b".rc\xff", above.lower() + b".rc"
    fixed, is_packed = STAT_SIZE + hash_size, data[7] == 4
    index = data.index
    at, name = 12, b""
    for number in range(int.from_bytes(data[8:12])):
        if number & LOOKED_AT_ONCE == LOOKED_AT_ONCE:
            until = until or time.process_time() + SECONDS
            if time.process_time() > until:
                raise InDoubt("takes too long to read")
        start, before, at = at, name, at + fixed
        flags = data[at] << 8 | data[at + 1]
        at += 4 if flags & EXTENDED else 2
        if is_packed:  # version 4 stores what differs from the name before
            dropped, at = (data[at], at + 1) if data[at] < 0x80 else _varint(data, at)
            end = index(b"\0", at)
            name = name[: len(name) - dropped] + data[at:end]
        else:
            end = index(b"\0", at)
            name = data[at:end]
        if len(name) != flags & NAME_LENGTH and (len(name) < NAME_LENGTH or ~flags & NAME_LENGTH):
            raise ValueError
        if name < before:  # an index is sorted; the sides of a merge have the same name
            raise ValueError
        if name >= first:
            if name > last:
                return
            if name[: len(wanted)].lower() == wanted:
                yield number, name
        at = end + 1 if is_packed else start + (end - start + 8) // 8 * 8


def _varint(data: bytes, at: int) -> tuple[int, int]:
    """Return a number as git packs it, and where the next field begins."""
    value = data[at] & 0x7F
    while data[at] & 0x80:
        at += 1
        value = ((value + 1) << 7) | (data[at] & 0x7F)
        if value > LARGEST_INDEX:
            raise ValueError
    return value, at + 1


def _link(index: str, shared: str) -> bytes | None:
    """Return what a split index says of the shared index with this name, without the hash.

    None if the shared index belongs to another one: older ones stay in the folder for a while.
    """
    try:
        name = bytes.fromhex(shared)
    except ValueError:
        return None
    data = _read(index, LARGEST_INDEX)
    at = data.rfind(name) if len(name) in HASH_SIZES.values() else -1
    if at < 8 or data[at - 8 : at - 4] != LINK:
        return None
    return data[at + len(name) : at + int.from_bytes(data[at - 4 : at])]


def _bits(packed: bytes) -> bytes:
    """Unpack the first bitmap (EWAH) of a split index: the entries of the shared index that are gone."""
    length, words = int.from_bytes(packed[:4]), int.from_bytes(packed[4:8])
    found = bytearray()
    at, end = 8, 8 + 8 * words
    while at < end and len(found) * 8 < length:
        marker = int.from_bytes(packed[at : at + 8])
        most = length // 64 + 1 - len(found) // 8
        found += (b"\xff" if marker & 1 else b"\0") * (8 * min(marker >> 1 & 0xFFFF_FFFF, most))
        for _ in range(min(marker >> 33, (end - at) // 8 - 1)):
            at += 8
            found += packed[at : at + 8][::-1]
        at += 8
    return bytes(found)


def repository_of(folder: str) -> tuple[str, str] | None:
    """Return the work tree around a folder, and the folder in which git keeps its index; None outside a repository.

    In a worktree, `.git` is a file that names the second folder. Raises OSError if that file cannot be read.
    """
    while not os.path.lexists(f"{folder}/{GIT}"):
        parent = os.path.dirname(folder)
        if parent == folder:
            return None
        folder = parent
    if os.path.isdir(f"{folder}/{GIT}"):
        return folder, f"{folder}/{GIT}"
    kind, _, named = _pointer(f"{folder}/{GIT}").partition(b": ")
    return (folder, os.path.join(folder, os.fsdecode(named.strip()))) if kind == b"gitdir" and named.strip() else None


def _pointer(path: str) -> bytes:
    try:
        return _read(path, LARGEST_POINTER)
    except (InDoubt, FileNotFoundError):
        return b""


def _read(path: str, most: int) -> bytes:
    """Read the first bytes of a file. Raises InDoubt if it is not a regular file, and OSError."""
    data = read_bytes(path, most, through_links=True)
    if data is None:
        raise InDoubt("is not a file")
    return data
