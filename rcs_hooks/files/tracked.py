"""Tells which files of a workspace's state git tracks, and refuses to write them: they came with the repository.

A record that git tracks is not read (`reading`), and none is written over it (`transaction`): else a clone could start
workflows on the machine of whoever opens it.

Rules of this file:
- Names are compared without case: where the file system does so too, git may track `.RCS/State`.
- What lies behind a link or in a submodule is tracked where that is.
- If the index cannot be read whole, nobody knows what came with the repository. Then the records in root count for
  nothing, nor do those of a session in which no prompt was noted; the person's own sessions go on.
"""

from __future__ import annotations

import os

from rcs_hooks.errors import Refused, reason_of
from rcs_hooks.files import git_index
from rcs_hooks.files.paths import JOURNAL, NOTES, OTHER_JOURNAL, SESSIONS, STAGED, STATE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

NONE: frozenset[str] = frozenset()
TO_DO = "`git rm -r --cached .rcs` makes it yours, `git rm -r .rcs` removes it"
REPAIR = (
    "`git status` says what is wrong with it, `git update-index --index-version 2 --no-split-index` writes it again"
)


_known: dict[str, tuple[str, tuple[int, ...], frozenset[str], str]] = {}
"""For each workspace: its index, the stamp of the version that was read, what it names, and why that may not be all."""


def is_tracked(root: str, path: str) -> bool:
    """Tell whether git tracks a file of the state, or `.rcs/off`. `path`: relative to `root`, the workspace."""
    return is_among(tracked_names(root), path)


def is_among(found: frozenset[str], path: str) -> bool:
    """Tell whether a path, or a folder that it lies in, is among these names."""
    path = path.casefold() if found else ""
    while path:
        if path in found:
            return True
        path = os.path.dirname(path)
    return False


def has_tracked_session(root: str, session: str) -> bool:
    """Tell whether git tracks anything of a session's state."""
    return is_or_holds(tracked_names(root), f"{STATE}/{SESSIONS}/{session}")


def is_or_holds(found: frozenset[str], path: str) -> bool:
    """Tell whether a path is among these names, lies below one of them, or holds one."""
    below = f"{path.casefold()}/"
    return is_among(found, path) or any(name.startswith(below) for name in found)


def tracked_words(root: str) -> str:
    """Return words for the person: how much of the state is the repository's, or may be."""
    found, why = _look(root)
    if why:
        return f"{why}, so nobody knows whose state this is: only runs that a prompt of yours began count"
    what = "a file" if len(found) == 1 else f"{len(found)} files"
    return f"git tracks {what} of {STATE} here, which came with the repository and counts for nothing"


def tracked_advice(root: str) -> str:
    """Return words for the person: what to do about state that git tracks, or about an index that is in doubt."""
    return REPAIR if why_in_doubt(root) else TO_DO


def tracked_names(root: str) -> frozenset[str]:
    """Return what git tracks of a workspace's state, relative to it, in lower case; of very much, all of `.rcs`.

    If the index cannot be read whole, return everything that is not shown to be the person's.
    """
    return _look(root)[0]


def why_in_doubt(root: str) -> str:
    """Return why nobody knows what git tracks; empty if it is known."""
    return _look(root)[1]


def surely_tracked(root: str) -> frozenset[str]:
    """Return what git tracks of a workspace's state; empty if there is any doubt about it."""
    found, why = _look(root)
    return NONE if why else found


def _look(root: str) -> tuple[frozenset[str], str]:
    if root in _known:
        index, stamp, found, why = _known[root]
        if _stamp(index) == stamp:
            return (_unproven(root), why) if why else (found, "")
    here = os.path.realpath(root)
    try:
        repository = git_index.repository_of(here)
    except OSError as error:
        return _unproven(root), _in_words(error)
    if repository is None:
        return NONE, ""
    top, folder = repository
    index = f"{folder}/index"
    stamp = _stamp(index)
    if not stamp:
        return NONE, ""
    try:
        found, why = git_index.names_below(folder, os.path.relpath(here, top)), ""
    except git_index.InDoubt as error:
        found, why = _unproven(root), f"{index} {error}"
    except OSError as error:  # the next look may well succeed
        return _unproven(root), _in_words(error)
    _known[root] = index, stamp, found, why
    return found, why


def _in_words(error: OSError) -> str:
    return f"{error.filename}: {reason_of(error)}"


def _stamp(path: str) -> tuple[int, ...]:
    """Return what tells a version of a file from a later one; empty if there is no file."""
    try:
        status = os.stat(path)
    except (FileNotFoundError, NotADirectoryError, ValueError):
        return ()
    except OSError:
        return (0,)
    return status.st_mtime_ns, status.st_size, status.st_ino, status.st_dev


def _unproven(root: str) -> frozenset[str]:
    """Return the records in root, and the sessions in which no prompt was noted."""
    state = f"{root}/{STATE}"
    found = [name for name in git_index.listed(state) if name != SESSIONS and not name.startswith(".")]
    folders = [f"{SESSIONS}/{name}" for name in git_index.listed(f"{state}/{SESSIONS}")]
    found += [name for name in folders if not os.path.lexists(f"{state}/{name}/{NOTES}")]
    return frozenset(f"{STATE}/{name}".casefold() for name in found)


# --- what is about to be written


def refuse_tracked(root: str, written: Sequence[str]) -> frozenset[str]:
    """Raise Refused for a write over what git surely tracks; return the names that git tracks.

    `written`: the files to write, relative to the state folder.
    """
    tracked = surely_tracked(root)
    for path in (f"{path}{end}" for path in written if tracked for end in ("", STAGED)):
        _refuse_among(tracked, path)
    journal_beside(tracked)
    return tracked


def journal_beside(tracked: frozenset[str]) -> str:
    """Return the name of the journal to write: a clone that brings a journal must not keep anybody from working."""
    if not any(is_or_holds(tracked, f"{STATE}/{JOURNAL}{end}") for end in ("", STAGED)):
        return JOURNAL
    for end in ("", STAGED):
        _refuse_among(tracked, f"{OTHER_JOURNAL}{end}")
    return OTHER_JOURNAL


def _refuse_among(tracked: frozenset[str], path: str) -> None:
    if is_or_holds(tracked, f"{STATE}/{path}"):
        raise Refused(f"git tracks {STATE}/{path}, so nothing is written to it; {TO_DO}")
