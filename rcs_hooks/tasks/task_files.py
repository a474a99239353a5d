"""Read the files of a task, bounded and without waiting: a cloned repository can bring pipes, links and gigabytes."""

from __future__ import annotations

import errno
import os
from typing import TYPE_CHECKING, NamedTuple

from rcs_hooks import jsontext
from rcs_hooks.errors import Unavailable, UnsafePath, reason_of
from rcs_hooks.files.bounded import read_bytes
from rcs_hooks.files.paths import inside
from rcs_hooks.files.reading import LARGEST, PERMANENT_ERRORS, is_deep

if TYPE_CHECKING:
    from rcs_hooks.jsontext import JsonObject

MOST_FILES = 10_000
A_FILE = "a file"
AN_OBJECT = "a JSON object"


class UnreadableFile(NamedTuple):
    """Something that exists but cannot be read: what was found, and what is needed instead."""

    found: str
    needed: str
    is_momentary: bool = False
    """Whether the next call may well be able to read it."""


def check_inside(folder: str, path: str) -> None:
    """Raise UnsafePath if a link leads from `folder/path` out of the folder of the task."""
    if not inside(os.path.realpath(f"{folder}/{path}"), os.path.realpath(folder)):
        raise UnsafePath(f"{path} leads out of the folder of the task, so it is not used; remove that link")


def check_available(content: object, path: str) -> None:
    """Raise Unavailable if what was read from a file says that it cannot be read at the moment."""
    if isinstance(content, UnreadableFile) and content.is_momentary:
        raise Unavailable(path, content.found)


def read(folder: str, path: str, largest: int = LARGEST) -> bytes | UnreadableFile | None:
    """Read a file of the task; None if there is none. A file of more than `largest` bytes is unreadable."""
    if not inside(os.path.realpath(os.path.dirname(f"{folder}/{path}")), os.path.realpath(folder)):
        return UnreadableFile("a link leads to it from outside the task", A_FILE)
    try:
        content = read_bytes(f"{folder}/{path}", largest + 1)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        return _unreadable(error)
    if content is None:
        return UnreadableFile("it is not a file", A_FILE)
    return content if len(content) <= largest else UnreadableFile("it is too large", f"at most {largest} bytes")


def _unreadable(error: OSError) -> UnreadableFile:
    if error.errno == errno.ELOOP:
        return UnreadableFile("it is a symbolic link", A_FILE)
    why = reason_of(error)
    return UnreadableFile(why, "a file that can be read", is_momentary=error.errno not in PERMANENT_ERRORS)


def read_json(folder: str, path: str) -> JsonObject | UnreadableFile | None:
    """Read the JSON object in a file of the task; None if there is no file."""
    content = read(folder, path)
    return parse(content) if isinstance(content, bytes) else content


def parse(text: bytes) -> JsonObject | UnreadableFile:
    """Return the JSON object in a text, or what was found instead."""
    try:
        value = jsontext.loads(text.removeprefix(jsontext.BOM).decode(), writable=True)
    except UnicodeDecodeError:
        return UnreadableFile("not UTF-8", AN_OBJECT)
    except ValueError as error:
        line, column = getattr(error, "lineno", 0), getattr(error, "colno", 0)
        return UnreadableFile(f"not JSON (line {line} column {column})" if line else f"not JSON ({error})", AN_OBJECT)
    if not isinstance(value, dict):
        return UnreadableFile(_kind(value), AN_OBJECT)
    return UnreadableFile("it is nested too deeply", "fewer levels") if is_deep(value) else value


def has_more_values(value: JsonObject, most: int) -> bool:
    """Tell whether a JSON object holds more than `most` values, at all levels together."""
    waiting: list[dict[str, object] | list[object]] = [value]
    count = 0
    for each in waiting:  # it grows meanwhile
        count += len(each)
        if count > most:
            return True
        waiting += [
            inner for inner in (each.values() if isinstance(each, dict) else each) if isinstance(inner, dict | list)
        ]
    return False


def _kind(value: object) -> str:
    """Return the type of JSON that is no object, as in `a list`; a number or a word is returned as it is."""
    if isinstance(value, list | str):
        return "a list" if isinstance(value, list) else "a string"
    return jsontext.dumps_line(value)[:20]


def is_in_tree(root: str, path: str) -> bool:
    """Tell whether a path of a diff names something in the work tree; False for one that leads out of it."""
    parts = [part for part in path.split("/") if part not in ("", ".")]
    if path.startswith("/") or ".." in parts or "\0" in path or not parts:
        return False
    return os.path.lexists(os.path.join(root, *parts))


def files_under(folder: str, path: str) -> tuple[list[str], list[tuple[str, UnreadableFile]]]:
    """Return the files below a folder of the task, sorted and relative to it, and the other things that are there.

    No link is followed. Too many entries are reported as one thing.
    """
    files: list[str] = []
    others: list[tuple[str, UnreadableFile]] = []
    top = f"{folder}/{path}"
    if os.path.islink(top) or not inside(os.path.realpath(top), os.path.realpath(folder)):
        return [], [("", UnreadableFile("a symbolic link leads there", "a folder"))]
    waiting = [""] if os.path.isdir(top) else []
    for inner in waiting:  # it grows meanwhile
        try:
            entries = os.scandir(f"{top}/{inner}")
        except OSError as error:  # its path is too long, or we may not read it
            others.append((inner, _unreadable(error)._replace(needed="a folder that can be read")))
            continue
        with entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    waiting.append(f"{inner}{entry.name}/")
                elif entry.is_file(follow_symlinks=False):
                    files.append(f"{inner}{entry.name}")
                else:
                    why = "it is a symbolic link" if entry.is_symlink() else "it is not a file"
                    others.append((f"{inner}{entry.name}", UnreadableFile(why, A_FILE)))
                if len(files) + len(waiting) + len(others) > MOST_FILES:
                    return [], [("", UnreadableFile(f"more than {MOST_FILES} files", "fewer"))]
    return sorted(files), sorted(others)
