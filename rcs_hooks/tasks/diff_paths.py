"""Read a unified diff: which files it is about, which of them it leaves, and what it changes. Pure."""

from __future__ import annotations

import re
from hashlib import sha256
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

HUNK = re.compile(r"@@ -[0-9]+(?:,([0-9]{1,9}))? \+[0-9]+(?:,([0-9]{1,9}))? @@")
NOWHERE = "/dev/null"
ESCAPED = re.compile(rb"\\([0-7]{3}|.)")
LETTERS = {b"a": b"\a", b"b": b"\b", b"f": b"\f", b"n": b"\n", b"r": b"\r", b"t": b"\t", b"v": b"\v"}
SIDES = ("a/", "b/")
ALL_SIDES = (*SIDES, "c/", "i/", "o/", "w/", "1/", "2/")
"""What git may put before a path. Those other than a/ and b/ count only where both names of a `diff --git` line have
one, as otherwise `c/a.py` may be the path itself."""

GIT_LINE = "diff --git "
BODY, NUMBERS, HEADER = "body", "numbers", "header"
"""The kinds of lines: inside a hunk, the line before it with its numbers, and every other line."""
MODES = ("old mode ", "new mode ", "new file mode ", "deleted file mode ")
MOVES = ("rename from ", "rename to ", "copy from ", "copy to ")
BINARY = ("Binary files ", "GIT binary patch")


class FilePatch(NamedTuple):
    """The part of a diff that is about one file: every path that it names, and those that are there after it."""

    paths: set[str]
    left: set[str]


def paths_in(patch: str) -> set[str]:
    """Return the files that the headers of a unified diff name; a line inside a hunk is never a header."""
    return set().union(*(each.paths for each in file_patches(patch))) - {""}


def paths_left(patch: str) -> set[str]:
    """Return the files that are there after a diff: those that it names, without those that it removes or renames."""
    return set().union(*(each.left for each in file_patches(patch))) - {""}


def file_patches(patch: str) -> list[FilePatch]:
    """Return the parts of a diff, one for each file."""
    parts: list[FilePatch] = []
    sides: tuple[str, ...] = SIDES
    begins = True
    for kind, line in _lines(patch):
        if kind == HEADER and line.startswith(GIT_LINE):
            name, sides = _name_and_sides(line.removeprefix(GIT_LINE), sides)
            parts.append(FilePatch({name}, {name}))
            begins = False
        elif kind == HEADER:
            if line.startswith("--- ") and begins:
                parts.append(FilePatch(set(), set()))
                begins = False
            if parts:
                _read_header(parts[-1], line, sides)
        else:
            begins = True
    return parts


def changes_in(patch: str) -> str:
    """Return a hash of what a diff changes: its files, modes, and the lines that it adds and removes.

    What only says where the change is does not count: numbers of lines, lines around it, text before the first file.
    """
    changes = sha256()
    sides: tuple[str, ...] = SIDES
    is_binary, ids = False, ""
    for kind, line in _lines(patch):
        said = ""
        if kind == BODY:
            said = line if line[:1] in ("+", "-", "\\") else ""
        elif kind == HEADER and line.startswith(GIT_LINE):
            name, sides = _name_and_sides(line.removeprefix(GIT_LINE), sides)
            is_binary, ids, said = False, "", f"{GIT_LINE}{name}" if name else ""
        elif kind == HEADER:
            is_binary = is_binary or line.startswith(BINARY)
            ids = line if line.startswith("index ") else ids
            said = f"{ids}\n{line}" if is_binary else _said(line, sides)
        if said:
            changes.update(f"{len(said)} {said}\n".encode(errors="replace"))
    return changes.hexdigest()


def _lines(patch: str) -> Iterator[tuple[str, str]]:
    """Yield each line of a diff with its kind; a header without the carriage return that may end it."""
    old = new = 0
    for line in patch.split("\n"):
        if (old > 0 or new > 0) and not line.startswith(GIT_LINE):
            old -= line[:1] in (" ", "-", "")
            new -= line[:1] in (" ", "+", "")
            yield BODY, line
        elif match := HUNK.match(line):
            old, new = (int(count or 1) for count in match.groups())
            yield NUMBERS, line
        else:
            is_end_of_file = line.startswith("\\ ")
            old = new = 0
            yield (BODY if is_end_of_file else HEADER), line.rstrip("\r")


def _read_header(part: FilePatch, line: str, sides: tuple[str, ...]) -> None:
    """Add to a part what one of its headers says."""
    if line.startswith(("--- ", "+++ ")):
        name = _name(line, sides)
        if name:
            part.paths.add(name)
        if line.startswith("+++ "):
            part.left.clear()
            part.left.add(name)
    elif line.startswith("deleted file mode "):
        part.left.clear()
    elif line.startswith("rename from "):
        part.paths.add(_unquoted(line.removeprefix("rename from ")))
    elif line.startswith(("rename to ", "copy to ")):
        name = _unquoted(line.partition(" to ")[2])
        part.paths.add(name)
        part.left.add(name)


def _said(line: str, sides: tuple[str, ...]) -> str:
    """Return what a header says about the change; empty for one that says nothing about it."""
    if line.startswith(("--- ", "+++ ")):
        return f"{line[:4]}{_name(line, sides) or NOWHERE}"
    return line if line.startswith((*MODES, *MOVES)) else ""


def _name(line: str, sides: tuple[str, ...]) -> str:
    """Return the path of a line `--- a/path` or `+++ b/path`; empty for /dev/null."""
    name = _unquoted(line[4:].partition("\t")[0])
    return "" if name == NOWHERE else _without_side(name, sides)


def _name_and_sides(names: str, sides: tuple[str, ...]) -> tuple[str, tuple[str, ...]]:
    """Return the file that `a/x b/x` names, and the prefixes of paths in the lines that follow; `x x` has none.

    A new, removed, empty or binary file is named on this line only. The name is empty if the two do not match.
    """
    half = len(names) // 2
    left, right = _unquoted(names[:half]), _unquoted(names[half + 1 :])
    if left == right and left:
        return left, ()
    if left[:2] in ALL_SIDES and right[:2] in ALL_SIDES and left[2:] == right[2:]:
        return left[2:], ALL_SIDES
    return "", sides  # two names, as for a rename: the lines that follow have them


def _without_side(name: str, sides: tuple[str, ...]) -> str:
    return name[2:] if name.startswith(sides) else name


def _unquoted(name: str) -> str:
    """Return a name without the quotes and escapes that git puts around unusual letters, byte for byte as in C."""
    if not (name.startswith('"') and name.endswith('"') and len(name) > 1):
        return name
    return ESCAPED.sub(lambda match: _letter(match.group(1)), name[1:-1].encode()).decode(errors="replace")


def _letter(escaped: bytes) -> bytes:
    return bytes([int(escaped, 8) & 0xFF]) if len(escaped) == 3 else LETTERS.get(escaped, escaped)
