"""The files of a task, read bounded and without waiting: a cloned repository can bring pipes, links and gigabytes."""

from __future__ import annotations

import errno
import os
import stat
from typing import Any, NamedTuple

from rcs_hooks import jsontext
from rcs_hooks.errors import Unavailable, UnsafePath
from rcs_hooks.state.files import FOR_EVER, LARGEST, READ_FLAGS, is_deep
from rcs_hooks.state.paths import inside

MOST_FILES = 10_000


class Broken(NamedTuple):
    """Something that is there and cannot be read."""

    found: str
    needed: str
    is_momentary: bool = False
    """Whether the next call may well read it."""


NO_FILE = "a file"
AN_OBJECT = "a JSON object"


def check_inside(folder: str, path: str) -> None:
    """Raises UnsafePath where a link leads from `folder/path` out of the folder of the task."""
    if not inside(os.path.realpath(f"{folder}/{path}"), os.path.realpath(folder)):
        raise UnsafePath(f"{path} leads out of the folder of the task, so it is not used; remove that link")


def data(folder: str, path: str, largest: int = LARGEST) -> bytes | Broken | None:
    """None where there is no file."""
    if not inside(os.path.realpath(os.path.dirname(f"{folder}/{path}")), os.path.realpath(folder)):
        return Broken("a link leads to it from outside the task", NO_FILE)
    try:
        fd = os.open(f"{folder}/{path}", READ_FLAGS)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        return _broken(error)
    try:
        status = os.fstat(fd)
        if not stat.S_ISREG(status.st_mode):
            return Broken("it is not a file", NO_FILE)
        if status.st_size > largest:
            return Broken("it is too large", f"at most {largest} bytes")
        with open(fd, "rb", closefd=False) as file:
            return file.read(largest)
    except OSError as error:
        return _broken(error)
    finally:
        os.close(fd)


def _broken(error: OSError) -> Broken:
    if error.errno == errno.ELOOP:
        return Broken("it is a symbolic link", NO_FILE)
    why = (error.strerror or str(error)).lower()
    return Broken(why, "a file that can be read", is_momentary=error.errno not in FOR_EVER)


def check_available(found: object, path: str) -> None:
    """Raises Unavailable for a file that cannot be read for the moment."""
    if isinstance(found, Broken) and found.is_momentary:
        raise Unavailable(path, found.found)


def record(folder: str, path: str) -> dict[str, Any] | Broken | None:
    """The JSON object in a file."""
    found = data(folder, path)
    return record_in(found) if isinstance(found, bytes) else found


def record_in(text: bytes) -> dict[str, Any] | Broken:
    try:
        value = jsontext.loads(text.removeprefix(jsontext.BOM).decode(), writable=True)
    except UnicodeDecodeError:
        return Broken("not UTF-8", AN_OBJECT)
    except ValueError as error:
        line, column = getattr(error, "lineno", 0), getattr(error, "colno", 0)
        return Broken(f"not JSON (line {line} column {column})" if line else f"not JSON ({error})", AN_OBJECT)
    if not isinstance(value, dict):
        return Broken(_kind(value), AN_OBJECT)
    return Broken("it is nested too deeply", "fewer levels") if is_deep(value) else value


def holds_more(value: Any, most: int) -> bool:
    """Whether there are more values in it than that, at all levels together."""
    waiting, count = [value], 0
    for each in waiting:  # it grows meanwhile
        count += len(each)
        if count > most:
            return True
        waiting += [
            inner for inner in (each.values() if isinstance(each, dict) else each) if isinstance(inner, dict | list)
        ]
    return False


def _kind(value: Any) -> str:
    """Of JSON that is no object."""
    if isinstance(value, list | str):
        return "a list" if isinstance(value, list) else "a string"
    return jsontext.dumps_line(value)[:20]


def files_under(folder: str, path: str) -> tuple[list[str], list[tuple[str, Broken]]]:
    """The files in a folder of the task, relative to it and sorted; and what is there and is none."""
    found: list[str] = []
    odd: list[tuple[str, Broken]] = []
    place = f"{folder}/{path}"
    if os.path.islink(place) or not inside(os.path.realpath(place), os.path.realpath(folder)):
        return [], [("", Broken("a symbolic link leads there", "a folder"))]
    waiting = [""] if os.path.isdir(place) else []
    for inner in waiting:  # it grows meanwhile
        try:
            entries = os.scandir(f"{place}/{inner}")
        except OSError as error:  # its path is too long, or it is not for us
            odd.append((inner, _broken(error)._replace(needed="a folder that can be read")))
            continue
        with entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    waiting.append(f"{inner}{entry.name}/")
                elif entry.is_file(follow_symlinks=False):
                    found.append(f"{inner}{entry.name}")
                else:
                    why = "it is a symbolic link" if entry.is_symlink() else "it is not a file"
                    odd.append((f"{inner}{entry.name}", Broken(why, NO_FILE)))
                if len(found) + len(waiting) + len(odd) > MOST_FILES:
                    return [], [("", Broken(f"more than {MOST_FILES} files", "fewer"))]
    return sorted(found), sorted(odd)
