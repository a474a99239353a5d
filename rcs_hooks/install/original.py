"""A client's file without our entries: the person's text, with the empty containers and blanks that setup has filled.

Reads no file. Rules of this file:
- A backup may have come with a repository, or be older than what the person has written since. It counts only where
  setup would make the present text of it; entries of ours in it are ignored.
- Texts are compared, never their values: a comment is not a value, and in Python 1 == True == 1.0.
"""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

from rcs_hooks.errors import Refused

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rcs_hooks.clients.client_file import ClientFile


def is_bare(file: ClientFile, text: str | None) -> bool:
    """Tell whether a text of a file is missing, blank, or only what stands for an empty file."""
    return (text or "").strip() in ("{}", "", file.empty.strip())


def without_ours(file: ClientFile, text: str | None) -> str:
    """Return the text of a file without our entries; None counts as an empty file."""
    return file.without_ours(file.filled(text))


def before_setup(file: ClientFile, present: str | None, backup: str | None) -> str:
    """Return the text that the person would have without setup: the backup, with what they have changed since.

    If the backup is missing, or the present text cannot have been made from it, the present text without our entries.
    """
    bare = without_ours(file, present)
    first = without_copied(file, backup)
    if first is None:
        return bare

    def set_up_and_removed(text: str, ours: str) -> str:
        return without_ours(file, file.with_ours_of(ours, file.filled(text)))

    try:
        again = {ours: set_up_and_removed(first, ours) for ours in (file.with_all_ours(), file.filled(present))}
        if bare in again.values():
            return first
        for ours, old in again.items():
            both = _with_changes(bare, old, first) if old != first else None  # setup left no trace: nothing to restore
            if both is not None and set_up_and_removed(both, ours) == bare:
                return both
    except (ValueError, Refused):
        pass  # setup would have refused the text of the backup
    return bare


def without_copied(file: ClientFile, backup: str | None) -> str | None:
    """Return a backup without our entries, byte for byte if it has none; None if there is none or it cannot be read."""
    try:
        bare = without_ours(file, backup)
    except (ValueError, Refused):
        return None
    return backup if backup is None or bare == file.filled(backup) else bare


def _with_changes(text: str, old: str, new: str) -> str | None:
    """Return a text with the line changes from `old` to `new` applied; None if the text has changed such a line too."""
    lines, old_lines, new_lines = (each.splitlines(keepends=True) for each in (text, old, new))
    theirs = _changes(old_lines, lines)
    out: list[str] = []
    at = 0
    for start, end, first, last in _changes(old_lines, new_lines):
        if any((low < end and start < high) or low == high == start == end for low, high, *_ in theirs):
            return None
        moved = sum((until - since) - (high - low) for low, high, since, until in theirs if high <= start)
        out += [*lines[at : start + moved], *new_lines[first:last]]
        at = end + moved
    return "".join([*out, *lines[at:]])


def _changes(old: Sequence[str], new: Sequence[str]) -> list[tuple[int, int, int, int]]:
    """List the ranges of lines that differ, each as start and end in `old`, then start and end in `new`."""
    codes = difflib.SequenceMatcher(None, old, new).get_opcodes()
    return [code[1:] for code in codes if code[0] != "equal"]
