"""Which files were generated, and whether they are those that were planned. Pure."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rcs_hooks.tasks import phases
from rcs_hooks.tasks.plan import DELETE, normal, planned

if TYPE_CHECKING:
    from rcs_hooks.tasks.snapshot import Snapshot

HUNK = re.compile(r"@@ -[0-9]+(?:,([0-9]{1,9}))? \+[0-9]+(?:,([0-9]{1,9}))? @@")
NOWHERE = "/dev/null"
ESCAPED = re.compile(rb"\\([0-7]{3}|.)")
LETTERS = {b"a": b"\a", b"b": b"\b", b"f": b"\f", b"n": b"\n", b"r": b"\r", b"t": b"\t", b"v": b"\v"}
SIDES = ("a/", "b/")
ALL_SIDES = (*SIDES, "c/", "i/", "o/", "w/", "1/", "2/")
"""What git may put before a path; the others than a/ and b/ only where both names on its own line have one."""


def generated(snap: Snapshot) -> set[str]:
    """The paths in code/files, and those in the headers of the diff."""
    return {normal(path) for path in (*snap.files, *paths_in(snap.diff or ""))}


def outside(snap: Snapshot) -> list[str]:
    """Generated, and not planned."""
    return sorted(generated(snap) - set(planned(snap).intents))


def lacking(snap: Snapshot) -> list[str]:
    """Planned, not to delete, and not generated."""
    wanted = {path for path, intent in planned(snap).intents.items() if intent != DELETE}
    return sorted(wanted - generated(snap))


def has_signal(snap: Snapshot, word: str) -> bool:
    """Whether the one who writes the code has said so in state.json."""
    return snap.statuses.get(phases.CODEGEN) == word


def paths_in(patch: str) -> set[str]:
    """The files that a unified diff is about; what stands in its hunks is no header."""
    found: set[str] = set()
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
                name, sides = _of_both(named.removeprefix("diff --git "), sides)
                found.add(name)
            found |= _named(named, sides)
    return found - {""}


def _named(line: str, sides: tuple[str, ...]) -> set[str]:
    if line.startswith(("--- ", "+++ ")):
        name = _plain(line[4:].partition("\t")[0])
        return set() if name == NOWHERE else {_without(name, sides)}
    if line.startswith(("rename from ", "rename to ", "copy to ")):
        return {_plain(line.partition(" from " if line.startswith("rename from") else " to ")[2])}
    return set()


def _of_both(names: str, sides: tuple[str, ...]) -> tuple[str, tuple[str, ...]]:
    """`a/x b/x`: where a file is only made, removed or binary, nothing else names it; `x x` has no sides."""
    half = len(names) // 2
    left, right = _plain(names[:half]), _plain(names[half + 1 :])
    if left == right and left:
        return left, ()
    if left[:2] in ALL_SIDES and right[:2] in ALL_SIDES and left[2:] == right[2:]:
        return left[2:], ALL_SIDES
    return "", sides  # two names, as of a rename: the lines after it have them


def _without(name: str, sides: tuple[str, ...]) -> str:
    return name[2:] if name.startswith(sides) else name


def _plain(name: str) -> str:
    """A name with odd letters is quoted as in C, byte for byte."""
    if not (name.startswith('"') and name.endswith('"') and len(name) > 1):
        return name
    return ESCAPED.sub(lambda match: _letter(match.group(1)), name[1:-1].encode()).decode(errors="replace")


def _letter(escaped: bytes) -> bytes:
    return bytes([int(escaped, 8) & 0xFF]) if len(escaped) == 3 else LETTERS.get(escaped, escaped)
