"""Reads the JSON files of the state: bounded, never waiting, and without what git tracks.

Rules of this file:
- What git tracks came with the repository: it does not count. git is asked only about what would count.
- A file that cannot be read is an `Unreadable`, never an empty record: whoever gets one must not overwrite it.
- A commit under way counts as done: `Reader` reads its staged files in place of the files.
"""

from __future__ import annotations

import errno
import os

from rcs_hooks import jsontext
from rcs_hooks.errors import Unavailable, reason_of, suppress
from rcs_hooks.files.bounded import read_bytes
from rcs_hooks.files.paths import (
    COMMIT,
    HISTORY,
    JOURNAL,
    OTHER_JOURNAL,
    SESSIONS,
    STAGED,
    STATE,
    is_name,
)
from rcs_hooks.files.tracked import may_be_brought
from rcs_hooks.tuples import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rcs_hooks.jsontext import JsonObject

DEEPEST = 100
LARGEST = 4 * 1024 * 1024
MOST_FILES = 1_000
QUESTIONS = "questions"
PERMANENT_ERRORS = (errno.ENOTDIR, errno.EISDIR, errno.ENAMETOOLONG, errno.ELOOP, errno.ENXIO)
"""The errors that another try would meet again; every other one may pass."""


class Append(NamedTuple):
    """Lines that a commit appends to a file, and the size of the file before."""

    path: str
    size: int
    lines: str


class Unreadable(NamedTuple):
    """A state file that is there and cannot be read."""

    path: str
    why: str
    errno: int = 0
    """The error of the system; 0 if the content is at fault."""

    @property
    def is_momentary(self) -> bool:
        """Tell whether the next call may well read the file, so that it must not be moved aside or taken for lost."""
        return self.errno not in (0, *PERMANENT_ERRORS)


def read(folder: str, path: str) -> JsonObject | Unreadable | None:
    """Return the record in a file, an Unreadable with its problem, or None if there is no file. Never waits."""
    try:
        data = read_bytes(f"{folder}/{path}", LARGEST + 1)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        why = "it is a symbolic link" if error.errno == errno.ELOOP else reason_of(error)
        return Unreadable(path, why, error.errno or errno.EIO)
    if data is None:
        return Unreadable(path, "it is not a file")
    if len(data) > LARGEST:
        return Unreadable(path, "it is too large")
    return _record_in(data, path)


def _record_in(data: bytes, path: str) -> JsonObject | Unreadable:
    try:
        record = jsontext.loads(data.removeprefix(jsontext.BOM).decode(), writable=True)
    except UnicodeDecodeError:
        return Unreadable(path, "it is not UTF-8")
    except ValueError as error:
        return Unreadable(path, f"it is not JSON: {error}")
    if not isinstance(record, dict):
        return Unreadable(path, "it is not a JSON object")
    if data.count(b"{") + data.count(b"[") > DEEPEST and is_deep(record):
        return Unreadable(path, "it is nested too deeply")
    return record


def root_of(folder: str) -> str:
    """Return the workspace that a state folder belongs to."""
    return os.path.dirname(os.path.dirname(folder))


def read_untracked(folder: str, path: str, *, asks_of_ended: bool = True) -> JsonObject | Unreadable | None:
    """Read a record as `read` does; None too for one that git tracks.

    `asks_of_ended`: ask git about a record that says of itself that it is not active, too.
    """
    found = read(folder, path)
    if found is None or (not asks_of_ended and isinstance(found, dict) and found.get("active") is False):
        return found
    return None if may_be_brought(root_of(folder), path) else found


def read_journal(folder: str) -> JsonObject | Unreadable | None:
    """Return the journal of a commit that is under way or was cut short; None if there is none."""
    return next((found for _, found in journals(folder)), None)


def journals(folder: str) -> Iterator[tuple[str, JsonObject | Unreadable]]:
    """Yield each journal that is there, by name: `.commit-own.json` is written if git tracks the first one."""
    for name in (JOURNAL, OTHER_JOURNAL):
        if (found := read_untracked(folder, name)) is not None:
            yield name, found


def check_available(found: object) -> None:
    """Raise Unavailable if `found` is a file that cannot be read at the moment but may be later."""
    if isinstance(found, Unreadable) and found.is_momentary:
        raise Unavailable(f"{STATE}/{found.path}", found.why)


def check_available_unless_denied(found: object) -> None:
    """Raise Unavailable as `check_available` does, but not for a file without read permission.

    The permission stays missing until a person does something about it, so trying again is no advice.
    """
    if isinstance(found, Unreadable) and found.errno != errno.EACCES:
        check_available(found)


def is_deep(record: JsonObject) -> bool:
    """Tell whether a record is nested too deeply for recursive functions to walk or write it."""
    level: list[JsonObject | list[object]] = [record]
    for _ in range(DEEPEST):
        inner = (each.values() if isinstance(each, dict) else each for each in level)
        level = [value for values in inner for value in values if isinstance(value, dict | list)]
        if not level:
            return False
    return True


class Reader:
    """A reader that takes a commit which is under way, or was cut short, as done. Needs no lock and repairs nothing.

    Raises Unavailable if the commit cannot be read at the moment: half of it must not be taken for the whole.
    `asks_of_ended`: leave out records that git tracks also where they are not active, and so hold nothing.
    """

    def __init__(self, folder: str, *, asks_of_ended: bool = True) -> None:
        self.folder = folder
        self._listed: dict[str, list[str]] = {}
        journal = read_journal(folder) if self._may_have_journal() else None
        check_available(journal)
        self.is_committing = journal is not None
        self._asks_of_ended = asks_of_ended
        self._pending = dict(files_in(journal)) if isinstance(journal, dict) else {}
        self._appends = list(appends_in(journal)) if isinstance(journal, dict) else []

    def _may_have_journal(self) -> bool:
        try:
            there = self._listed[""] = self._names_on_disk("")
        except OSError:  # its files can be opened all the same
            return True
        return any(name.startswith(COMMIT) for name in map(str.lower, there))

    def pending_in(self, place: str) -> list[str]:
        """Return the names of the files below a folder that the commit creates or replaces, relative to that folder."""
        start = f"{place}/" if place else ""
        return [
            path.removeprefix(start)
            for path, removed in self._pending.items()
            if path.startswith(start) and not removed
        ]

    def names_in(self, place: str) -> Sequence[str]:
        """Return the names in a folder, listed once, and those of `pending_in`; none if there is no such folder.

        Raises OSError.
        """
        if place not in self._listed:
            self._listed[place] = self._names_on_disk(place)
        return [*self._listed[place], *self.pending_in(place)] if self._pending else self._listed[place]

    def _names_on_disk(self, place: str) -> list[str]:
        with suppress(FileNotFoundError, NotADirectoryError):
            return os.listdir(f"{self.folder}/{place}")
        return []

    def append_to(self, path: str) -> Append | None:
        """Return what the commit appends to a file; None if it appends nothing."""
        return next((each for each in self._appends if each.path == path), None)

    def read(self, path: str) -> JsonObject | Unreadable | None:
        """Return a record as it is after the commit: None if there is none, Unreadable if it cannot be read."""
        if path in self._pending:
            if self._pending[path]:
                return None
            staged = self._read(f"{path}{STAGED}")
            check_available(staged)
            if isinstance(staged, dict):
                return staged
        return self._read(path)

    def _read(self, path: str) -> JsonObject | Unreadable | None:
        return read_untracked(self.folder, path, asks_of_ended=self._asks_of_ended)


def files_in(journal: JsonObject) -> Iterator[tuple[str, bool]]:
    """Yield the files that a journal names, and whether each is removed.

    Only files that a commit of ours writes count: a repository may bring a journal of its own.
    """
    entries = journal.get("files")
    for entry in entries[:MOST_FILES] if isinstance(entries, list) else []:
        path = entry.get("path") if isinstance(entry, dict) else None
        if isinstance(path, str) and _is_ours(path):
            yield path, entry.get("remove") is True


def appends_in(journal: JsonObject) -> Iterator[Append]:
    """Yield the lines that a journal appends to histories of sessions; leave out all that no commit of ours writes."""
    entries = journal.get("files")
    for entry in entries[:MOST_FILES] if isinstance(entries, list) else []:
        path, size, lines = (
            map(entry.get, ("path", "size", "append")) if isinstance(entry, dict) else (None, None, None)
        )
        if not (isinstance(path, str) and isinstance(lines, str) and isinstance(size, int)) or size is True:
            continue
        place, _, name = path.rpartition("/")
        is_line = lines.isascii() and lines.endswith("\n") and len(lines) <= LARGEST
        if name == HISTORY and _is_ours(f"{place}/x.json") and place.count("/") == 1 and is_line and size >= 0:
            yield Append(path, size, lines)


def _is_ours(path: str) -> bool:
    """Tell whether a commit of ours may write a path.

    It is `[sessions/<id>/]<name>.json`, or such a file in `questions/`.
    """
    *folders, name = path.split("/")
    if not (name.endswith(".json") and is_name(name.removesuffix(".json"))):
        return False
    if folders[-1:] == [QUESTIONS] and len(folders) in (1, 3):
        folders.pop()
    return not folders or (len(folders) == 2 and folders[0] == SESSIONS and is_name(folders[1]))
