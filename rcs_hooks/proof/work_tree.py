"""Lists what lies in a repository's work tree: each file's mode, the id that `git add` would give it, and its path.

What git's index says of a file is believed where git itself finds the file unchanged, by its size, times and inode. All
else is read from disk.
"""

from __future__ import annotations

import errno
import os
import stat
from operator import itemgetter

from rcs_hooks.errors import suppress
from rcs_hooks.files.paths import GIT, HOME
from rcs_hooks.proof import content
from rcs_hooks.proof.attributes import (
    LFS,
    UNSPECIFIED,
    attributes_of,
    converted_ids,
    filtered,
    with_returns,
)
from rcs_hooks.proof.git import GitCall
from rcs_hooks.proof.repository import Repository
from rcs_hooks.tuples import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from rcs_hooks.proof.git import GitOutput

LISTS = (
    GitCall(("ls-files", "-s", "-v", "-z")),
    GitCall(("diff-files", "--raw", "-z", "--ignore-submodules=all")),
    GitCall(("ls-files", "-o", "--exclude-standard", "-z")),
)
TRIES = 3
ID_LENGTHS = {"sha1": 40, "sha256": 64}
OURS = HOME.encode() + b"/"
GITLINK, FOLDER = b"160000", b"040000"
MODE, ID = slice(2, 8), 9
ABSENT = (errno.ENOENT, errno.ENOTDIR)
UNOPENED = b"warning: could not open directory '"
PLAIN = (b"H 10", b"H 12")
"""How the lines of files and links begin that are in no conflict, and that git is not asked to leave unlooked at."""


class WorkFiles(NamedTuple):
    """What lies in a work tree."""

    lines: list[bytes]
    """As `git ls-files -s -v` prints it, sorted by path: `H 100644 ID 0`, a tab, the path."""
    at: int
    """Where the path begins in each line."""
    untracked: frozenset[bytes]
    """The files that git does not track, and the folders that cannot be looked into."""
    submodules: list[bytes]
    repositories: list[bytes]
    """The paths of the untracked repositories in it."""


def line_of(mode: bytes, id: bytes, path: bytes) -> bytes:
    """Return the line of a file."""
    return b"H %b %b 0\t%b" % (mode, id, path)


def list_files(repository: Repository) -> WorkFiles:
    """List the files of a work tree, but for those of the repositories in it. Raises TreeFailure."""
    said = _lists(repository)
    indexed, changed, others = (one.out for one in said)
    length = ID_LENGTHS[repository.kind]
    at = ID + length + len(" 0\t")
    entries = [entry for entry in _split(indexed) if not _is_ours(entry[at:])] if OURS in indexed else _split(indexed)
    odd = [entry for entry in entries if not entry.startswith(PLAIN)]
    top = os.fsencode(repository.git.top)
    links = [entry[at:] for entry in odd if entry[MODE] == GITLINK and not _is_ours(entry[at:] + b"/")]
    submodules = [
        path for path in links if not any(_present(top, [path]))
    ]  # else it is a file, and git lists it nowhere
    unknown = _split(others)
    untracked = [path for path in unknown if not path.endswith(b"/") and not _is_ours(path)]
    by_disk = {entry[at:] for entry in odd}
    by_disk.update(path for path in _split(changed)[1::2] if not _is_ours(path))
    if drivers := frozenset(os.fsencode(name) for name in repository.drivers) - {LFS}:
        by_disk |= filtered(repository.git, [entry[at:] for entry in entries], drivers)
    by_disk.difference_update(submodules)
    apart = by_disk.union(submodules)
    lines = [entry for entry in entries if entry[at:] not in apart] if apart else entries
    known = {entry[at:]: (entry[MODE], entry[ID : ID + length]) for entry in entries if entry[at:] in by_disk}
    shut, unread = _closed(top, said, {os.path.dirname(entry[at:]) for entry in entries} if said[1].err else ())
    if closed := shut | unread:
        below = tuple(folder + b"/" for folder in shut)
        lines = [line for line in lines if not line[at:].startswith(below)]
        lines += [line_of(FOLDER, _closed_id(top, folder, repository.kind), folder) for folder in closed]
    if by_disk or untracked:
        lines += _from_disk(repository, known, [*by_disk, *untracked])
    if closed or by_disk or untracked:
        lines.sort(key=itemgetter(slice(at, None)))
    nested = [path[:-1] for path in unknown if path.endswith(b"/") and not _is_ours(path)]
    return WorkFiles(lines, at, frozenset(closed.union(untracked)), submodules, nested)


def _lists(repository: Repository) -> list[GitOutput]:
    """Return what git lists, all of it of the same index where another git does not change it again and again."""
    index = f"{repository.folder}/index"
    for _ in range(TRIES):
        before = _stamp(index)
        said = repository.git.checked(*LISTS)
        if _stamp(index) == before:
            break
    return said


def _closed(top: bytes, said: Sequence[GitOutput], folders: Iterable[bytes]) -> tuple[set[bytes], set[bytes]]:
    """Return the folders whose files cannot be looked at, of these, and those that cannot be listed.

    git takes the files of the first for unchanged, lists no new ones in the second, and says so on stderr alone.
    """
    shut = {folder for folder in folders if folder and not _may_enter(os.path.join(top, folder))}
    unread = {
        line.removeprefix(UNOPENED).rpartition(b"': ")[0].rstrip(b"/")
        for line in said[2].err.split(b"\n")
        if line.startswith(UNOPENED)
    }
    return shut, unread


def _may_enter(folder: bytes) -> bool:
    try:
        os.lstat(os.path.join(folder, b"."))
    except OSError as error:
        return error.errno in ABSENT
    return True


def _closed_id(top: bytes, folder: bytes, kind: str) -> bytes:
    """Return what such a folder is known by: whoever opens it and closes it again changes its times."""
    seen = b""
    with suppress(OSError):
        status = os.lstat(os.path.join(top, folder))
        seen = b"%d %d %d" % (status.st_mode, status.st_mtime_ns, status.st_ctime_ns)
    return content.object_id(kind, b"closed " + seen)


def _stamp(path: str) -> tuple[int, ...]:
    with suppress(OSError):
        status = os.stat(path)
        return status.st_mtime_ns, status.st_ctime_ns, status.st_size, status.st_ino
    return ()


def _split(out: bytes) -> list[bytes]:
    """Return what a call with `-z` has listed."""
    parts = out.split(b"\0")
    parts.pop()
    return parts


def _is_ours(path: bytes) -> bool:
    return OURS in path and (path.startswith(OURS) or b"/" + OURS in path)


def _from_disk(
    repository: Repository, known: dict[bytes, tuple[bytes, bytes]], paths: Collection[bytes]
) -> Iterable[bytes]:
    """Return the lines of files that are read from disk. `known`: mode and id that the index has of them."""
    git, kind, top = repository.git, repository.kind, os.fsencode(repository.git.top)
    attributes = attributes_of(git, paths)
    lines: dict[bytes, bytes] = {}
    convertible: list[bytes] = []
    doubtful: list[bytes] = []
    for path, status in _present(top, paths):
        mine = attributes[path]
        driver = mine.filter if os.fsdecode(mine.filter) in repository.drivers else UNSPECIFIED
        wanted = content.Wanted(driver == LFS, mine.may_change_ends(repository.autocrlf), mine.has_keywords)
        read = content.read(os.path.join(top, path), status, kind, git.deadline.left, wanted)
        if read is None:
            continue
        mode_before, id_before = known.get(path, (b"", b""))
        mode = repository.modes.of(status.st_mode, mode_before)
        is_plain = read.id == id_before or not read.is_read or not stat.S_ISREG(status.st_mode)
        lines[path] = line_of(mode, read.pointer if wanted.pointer and not is_plain else read.id, path)
        has_more = mine.has_encoding or read.has_keyword
        if not is_plain and driver == UNSPECIFIED and (has_more or read.has_return):
            convertible.append(path)
            if path in known and mine.looks_at_index() and not has_more:
                doubtful.append(path)
    kept = with_returns(git, doubtful)
    converted = converted_ids(git, [path for path in convertible if path not in kept], ID_LENGTHS[kind])
    lines.update({path: line_of(lines[path][MODE], id, path) for path, id in converted.items()})
    return lines.values()


def _present(top: bytes, paths: Iterable[bytes]) -> Iterator[tuple[bytes, os.stat_result]]:
    """Yield what is on disk of these paths, none of them behind a link or a folder's."""
    folders: dict[bytes, bool] = {b"": True}
    for path in paths:
        if _is_folder(top, os.path.dirname(path), folders):
            with suppress(OSError):
                status = os.lstat(os.path.join(top, path))
                if not stat.S_ISDIR(status.st_mode):
                    yield path, status


def _is_folder(top: bytes, folder: bytes, known: dict[bytes, bool]) -> bool:
    """Tell whether a path is a folder, and no part of it a link."""
    if folder not in known:
        known[folder] = False
        with suppress(OSError):
            above = _is_folder(top, os.path.dirname(folder), known)
            known[folder] = above and stat.S_ISDIR(os.lstat(os.path.join(top, folder)).st_mode)
    return known[folder]


def is_own_repository(top: str, path: bytes) -> bool:
    """Tell whether there is a repository at a path of a work tree, and not behind a link."""
    return _is_folder(os.fsencode(top), path, {b"": True}) and os.path.lexists(
        os.path.join(os.fsencode(top), path, GIT.encode())
    )
