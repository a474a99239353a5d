"""Reads a TOML file of unknown origin: bounded, never waiting, with the line of each fault."""

from __future__ import annotations

import errno
import tomllib

from rcs_hooks.errors import reason_of
from rcs_hooks.fault import Fault
from rcs_hooks.files.bounded import read_bytes
from rcs_hooks.tuples import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

LARGEST = 16 * 1024
LONGEST_LINE = 2000
"""The longest line that is read. The time that a key of many parts takes grows with their number, squared."""
DEEPEST = 20
BOM = "\ufeff"


class TomlFile(NamedTuple):
    """A file of settings that was read: its tables, or why there are none."""

    path: str
    tables: Mapping[str, object]
    lines: Mapping[tuple[str, ...], int]
    """The line of each key, after the keys of the tables around it, as far as it is easily found."""
    fault: Fault | None = None

    def line(self, *key: str) -> int:
        """Return the line of a key, or of the nearest table around it; 0 if it is not known."""
        while key and key not in self.lines:
            key = key[:-1]
        return self.lines.get(key, 0)


def read(path: str, *, through_links: bool = False) -> TomlFile | None:
    """Read a file of settings; None if there is no file. Never raises for what is there.

    `through_links`: for a file of the person's own, which they may keep elsewhere.
    """
    try:
        data = read_bytes(path, LARGEST + 1, through_links=through_links)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError) as error:  # ValueError: a NUL in the path
        is_link = isinstance(error, OSError) and error.errno == errno.ELOOP
        why = reason_of(error) if isinstance(error, OSError) else str(error)
        return _faulty(path, "it is a symbolic link, which is not followed" if is_link else why)
    if data is None:
        return _faulty(path, "it is not a file")
    if len(data) > LARGEST:
        return _faulty(path, f"it is larger than {LARGEST:,} bytes, so nothing of it counts")
    try:
        text = data.decode().removeprefix(BOM)
    except UnicodeDecodeError:
        return _faulty(path, "it is not UTF-8")
    return _parsed(path, text)


def _faulty(path: str, why: str, line: int = 0) -> TomlFile:
    return TomlFile(path, {}, {}, Fault(path, line, why))


def _parsed(path: str, text: str) -> TomlFile:
    for number, line in enumerate(text.split("\n"), 1):
        if len(line) > LONGEST_LINE:
            return _faulty(path, f"the line is longer than {LONGEST_LINE:,} characters, so nothing counts", number)
    try:
        tables: dict[str, object] = tomllib.loads(text)
    except RecursionError:
        return _faulty(path, "it is nested too deeply")
    except ValueError as error:  # a number may have too many digits for Python, which is no TOMLDecodeError
        return _faulty(path, *_words_of(str(error)))
    if _is_deep(tables):
        return _faulty(path, "it is nested too deeply")
    return TomlFile(path, tables, _lines_in(text))


def _words_of(message: str) -> tuple[str, int]:
    """Split a message of the parser, `WHY (at line N, column M)`, into words and line."""
    why, _, place = message.partition(" (at ")
    number = place.removeprefix("line ").partition(",")[0]
    return f"it is not TOML: {why[:1].lower()}{why[1:]}", int(number) if number.isdecimal() else 0


def _is_deep(tables: Mapping[str, object]) -> bool:
    level: list[object] = [tables]
    for _ in range(DEEPEST):
        level = [
            value
            for each in level
            for value in (each.values() if isinstance(each, dict) else each if isinstance(each, list) else ())
            if isinstance(value, dict | list)
        ]
        if not level:
            return False
    return True


def _lines_in(text: str) -> dict[tuple[str, ...], int]:
    """Find the line of each key. What looks like a key in a text of several lines only moves the number."""
    found: dict[tuple[str, ...], int] = {}
    table: tuple[str, ...] = ()
    for number, line in enumerate(text.split("\n"), 1):
        start = line.strip()
        if start.startswith("["):
            table = _parts(start.strip("[").partition("]")[0])
            key = table
        elif "=" in start and not start.startswith("#"):
            key = (*table, *_parts(start.partition("=")[0]))
        else:
            continue
        for end in range(1, min(len(key), DEEPEST) + 1):
            found.setdefault(key[:end], number)
    return found


def _parts(key: str) -> tuple[str, ...]:
    return tuple(part.strip().strip("\"'") for part in key.split("."))
