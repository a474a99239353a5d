"""Read which files a unified diff is about. Pure."""

from __future__ import annotations

import re

HUNK = re.compile(r"@@ -[0-9]+(?:,([0-9]{1,9}))? \+[0-9]+(?:,([0-9]{1,9}))? @@")
NOWHERE = "/dev/null"
ESCAPED = re.compile(rb"\\([0-7]{3}|.)")
LETTERS = {b"a": b"\a", b"b": b"\b", b"f": b"\f", b"n": b"\n", b"r": b"\r", b"t": b"\t", b"v": b"\v"}
SIDES = ("a/", "b/")
ALL_SIDES = (*SIDES, "c/", "i/", "o/", "w/", "1/", "2/")
"""What git may put before a path. Those other than a/ and b/ count only where both names of a `diff --git` line have
one, as otherwise `c/a.py` may be the path itself."""


def paths_in(patch: str) -> set[str]:
    """Return the files that the headers of a unified diff name; a line inside a hunk is never a header."""
    paths: set[str] = set()
    sides: tuple[str, ...] = SIDES
    old = new = 0
    for line in patch.split("\n"):
        if (old > 0 or new > 0) and not line.startswith("diff --git "):
            old -= line[:1] in (" ", "-", "")
            new -= line[:1] in (" ", "+", "")
        elif match := HUNK.match(line):
            old, new = (int(count or 1) for count in match.groups())
        else:
            old = new = 0
            named = line.rstrip("\r")
            if named.startswith("diff --git "):
                name, sides = _name_and_sides(named.removeprefix("diff --git "), sides)
                paths.add(name)
            paths |= _named(named, sides)
    return paths - {""}


def _named(line: str, sides: tuple[str, ...]) -> set[str]:
    if line.startswith(("--- ", "+++ ")):
        name = _unquoted(line[4:].partition("\t")[0])
        return set() if name == NOWHERE else {_without_side(name, sides)}
    if line.startswith(("rename from ", "rename to ", "copy to ")):
        return {_unquoted(line.partition(" from " if line.startswith("rename from") else " to ")[2])}
    return set()


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
