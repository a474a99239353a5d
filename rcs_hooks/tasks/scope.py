"""Which files were generated, and whether they are those that were planned. Pure."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rcs_hooks.tasks import phases
from rcs_hooks.tasks.plan import DELETE, normal, planned

if TYPE_CHECKING:
    from rcs_hooks.tasks.snapshot import Snapshot

HUNK = re.compile(r"@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@")
NOWHERE = "/dev/null"
ESCAPED = re.compile(r"\\([0-7]{3}|.)")
LETTERS = {"n": "\n", "t": "\t", "r": "\r"}


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
    old = new = 0
    for line in patch.split("\n"):
        if (old > 0 or new > 0) and not line.startswith("diff --git "):
            old -= line[:1] in (" ", "-", "")
            new -= line[:1] in (" ", "+", "")
        elif match := HUNK.match(line):
            old, new = (int(count or 1) for count in match.groups())
        else:
            old = new = 0
            found |= _named(line.rstrip("\r"))
    return found - {""}


def _named(line: str) -> set[str]:
    if line.startswith(("--- ", "+++ ")):
        name = _plain(line[4:].partition("\t")[0])
        return set() if name == NOWHERE else {_without_side(name)}
    if line.startswith(("rename from ", "rename to ", "copy to ")):
        return {_plain(line.partition(" from " if line.startswith("rename from") else " to ")[2])}
    if line.startswith("diff --git "):
        return _of_both(line.removeprefix("diff --git "))
    return set()


def _of_both(names: str) -> set[str]:
    """`a/x b/x`: where a file is only made, removed or binary, nothing else names it."""
    half = len(names) // 2
    left, right = _plain(names[:half]), _plain(names[half + 1 :])
    return {left[2:]} if left[:2] == "a/" and right[:2] == "b/" and left[2:] == right[2:] else set()


def _without_side(name: str) -> str:
    return name[2:] if name.startswith(("a/", "b/")) else name


def _plain(name: str) -> str:
    """A name with odd letters is quoted as in C, byte for byte."""
    if not (name.startswith('"') and name.endswith('"') and len(name) > 1):
        return name
    bytes_ = ESCAPED.sub(lambda match: _letter(match.group(1)), name[1:-1]).encode("latin-1", "replace")
    return bytes_.decode(errors="replace")


def _letter(escaped: str) -> str:
    return chr(int(escaped, 8) & 0xFF) if len(escaped) == 3 else LETTERS.get(escaped, escaped)
