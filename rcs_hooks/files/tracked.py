"""Tells which files of a workspace's state git tracks, and refuses to write them: they came with the repository.

A record that git tracks is not read (`reading`), and none is written over it (`transaction`): else a clone could start
workflows on the machine of whoever opens it.

Rules of this file:
- git is asked only about a file that is there, and not about a session whose notes are the person's (`is_own`).
- Names are compared without case: where the file system does so too, git may track `.RCS/State`.
- What lies behind a link or in a submodule is tracked where that is.
- If git does not answer, nobody knows what came with the repository. Then the records in root count for nothing, nor do
  those of a session in which no prompt was noted; the person's own sessions go on.
"""

from __future__ import annotations

import os
import stat
import time

from rcs_hooks.errors import Refused, reason_of, suppress
from rcs_hooks.files.bounded import read_bytes
from rcs_hooks.files.paths import GIT, HOME, JOURNAL, NOTES, OFF, OTHER_JOURNAL, SESSIONS, STAGED, STATE
from rcs_hooks.tuples import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

NONE: frozenset[str] = frozenset()
TO_DO = "`git rm -r --cached .rcs` makes it yours, `git rm -r .rcs` removes it"
REPAIR = "`git ls-files .rcs` may say what is wrong"
SECONDS_IN_DOUBT = 1.0
"""After how many seconds git is asked once more where it did not answer."""
LONGEST_POINTER = 4_096


class Asked(NamedTuple):
    """What git said of the state of a workspace."""

    found: frozenset[str]
    """What it tracks, relative to the workspace, in lower case."""
    why: str = ""
    """Why nobody knows what it tracks; empty if that is known."""
    stamp: tuple[int, ...] = ()
    """What tells the index that git has read from a later one."""
    until: float = 0.0
    """When git is asked once more, if it did not answer."""


_known: dict[str, Asked] = {}
"""The last answer for each workspace."""


def is_off_tracked(root: str) -> bool:
    """Tell whether git tracks the file that switches the hooks of a workspace off."""
    return is_or_holds(tracked_names(root), f"{HOME}/{OFF}")


def may_be_brought(root: str, path: str) -> bool:
    """Tell whether a file of the state counts for nothing: git tracks it, or nobody can tell.

    `path`: relative to the state folder.
    """
    return not is_own(root, path) and is_or_holds(tracked_names(root), f"{STATE}/{path}")


def is_brought(root: str, path: str) -> bool:
    """Tell whether a file or a folder of the state is there and git surely tracks it, or something in it.

    `path`: relative to the state folder.
    """
    if not os.path.lexists(f"{root}/{STATE}/{path}") or is_own(root, path):
        return False
    return is_or_holds(_surely_tracked(root), f"{STATE}/{path}")


def has_tracked_session(root: str, session: str) -> bool:
    """Tell whether a session of the state counts for nothing."""
    return may_be_brought(root, f"{SESSIONS}/{session}")


def is_own(root: str, path: str) -> bool:
    """Tell whether a file of the state is of a session that a prompt of the person began, without asking git.

    Its notes are for the owner alone, as nothing is that git has checked out, unless the umask was 077.
    """
    place, _, below = path.partition("/")
    session = below.partition("/")[0]
    if place != SESSIONS or not session:
        return False
    try:
        mode = os.lstat(f"{root}/{STATE}/{place}/{session}/{NOTES}").st_mode
    except (OSError, ValueError):
        return False
    return stat.S_ISREG(mode) and not mode & 0o077


def is_or_holds(found: frozenset[str], path: str) -> bool:
    """Tell whether a path is among these names, lies below one of them, or holds one."""
    whole = path.casefold() if found else ""
    path, below = whole, f"{whole}/"
    while path:
        if path in found:
            return True
        path = os.path.dirname(path)
    return any(name.startswith(below) for name in found)


def is_known_to_be_there(root: str) -> bool:
    """Tell whether something of the state counts for nothing, as far as git was asked already."""
    return root in _known and bool(tracked_names(root))


def tracked_words(root: str) -> str:
    """Return words for the person: how much of the state is the repository's, or may be."""
    found, why, *_ = _ask(root)
    if why:
        return f"{why}, so nobody knows whose state this is: only runs that a prompt of yours began count"
    what = "a file" if len(found) == 1 else f"{len(found)} files"
    return f"git tracks {what} of {STATE} here, which came with the repository and counts for nothing"


def tracked_advice(root: str) -> str:
    """Return words for the person: what to do about state that git tracks, or where git does not answer."""
    return REPAIR if why_in_doubt(root) else TO_DO


def tracked_names(root: str) -> frozenset[str]:
    """Return what git tracks of a workspace's state, relative to it, in lower case.

    If git does not answer, return everything that is not shown to be the person's.
    """
    found, why, *_ = _ask(root)
    return _unproven(root) if why else found


def why_in_doubt(root: str) -> str:
    """Return why nobody knows what git tracks; empty if it is known."""
    return _ask(root).why


def _surely_tracked(root: str) -> frozenset[str]:
    """Return what git tracks of a workspace's state; empty if there is any doubt about it."""
    return _ask(root).found


def _ask(root: str) -> Asked:
    """Return what git says, asked once for each version of its index."""
    here = os.path.realpath(root)
    try:
        repository = repository_of(here)
    except OSError as error:
        return Asked(NONE, f"{error.filename}: {reason_of(error)}")
    stamp = _stamp(f"{repository[1]}/index") if repository else ()
    if repository is None or not stamp:  # nothing was ever added
        return Asked(NONE)
    now = time.monotonic()
    known = _known.get(root)
    if known is None or known.stamp != stamp or (known.why and now > known.until):
        found, why = _asked(*repository, here)
        known = _known[root] = Asked(found, why, stamp, now + SECONDS_IN_DOUBT)
    return known


def _asked(top: str, git_folder: str, here: str) -> tuple[frozenset[str], str]:
    """Return what git tracks of the state, and why nobody knows that; one of them is empty."""
    from rcs_hooks.files import ls_files

    try:
        names = ls_files.names_below(top, git_folder, here)
    except ls_files.NoAnswer as error:
        return NONE, str(error)
    counted, inside = (HOME, STATE, f"{HOME}/{OFF}"), (f"{STATE}/", f"{HOME}/{OFF}/")
    texts = (name.casefold() for name in names)
    return frozenset(text for text in texts if text in counted or text.startswith(inside)), ""


def repository_of(folder: str) -> tuple[str, str] | None:
    """Return the work tree around a folder, and the folder in which git keeps its index; None outside a repository.

    In a worktree, `.git` is a file that names the second folder. Raises OSError if that file cannot be read.
    """
    while not os.path.lexists(f"{folder}/{GIT}"):
        parent = os.path.dirname(folder)
        if parent == folder:
            return None
        folder = parent
    pointer = f"{folder}/{GIT}"
    if os.path.isdir(pointer):
        return folder, pointer
    with suppress(FileNotFoundError):
        data = read_bytes(pointer, LONGEST_POINTER, through_links=True) or b""
        kind, _, named = data.partition(b": ")
        if kind == b"gitdir" and named.strip():
            return folder, os.path.join(folder, os.fsdecode(named.strip()))
    return None


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
    """Return the records in root, and the sessions whose notes are not there or may be the repository's."""
    state = f"{root}/{STATE}"
    found = [name for name in _listed(state) if name != SESSIONS and not name.startswith(".")]
    folders = [f"{SESSIONS}/{name}" for name in _listed(f"{state}/{SESSIONS}")]
    found += [name for name in folders if not is_own(root, name)]
    return frozenset(f"{STATE}/{name}".casefold() for name in found)


def _listed(folder: str) -> list[str]:
    try:
        return os.listdir(folder)
    except OSError:
        return []


# --- what is about to be written


def refuse_tracked(root: str, written: Sequence[str]) -> None:
    """Raise Refused for a write over what git surely tracks, or beside it in a session: its notes would make it own.

    `written`: the files to write, relative to the state folder.
    """
    for path in (f"{path}{end}" for path in written for end in ("", STAGED)):
        _refuse_if_brought(root, path)
    sessions = dict.fromkeys(path.split("/")[1] for path in written if path.startswith(f"{SESSIONS}/"))
    for session in sessions:
        _refuse_if_brought(root, f"{SESSIONS}/{session}")
        if f"{SESSIONS}/{session}/{NOTES}" in written:
            _refuse_in_doubt(root, f"{SESSIONS}/{session}")


def journal_beside(root: str) -> str:
    """Return the name of the journal to write: a clone that brings a journal must not keep anybody from working."""
    if not any(is_brought(root, f"{JOURNAL}{end}") for end in ("", STAGED)):
        return JOURNAL
    for end in ("", STAGED):
        _refuse_if_brought(root, f"{OTHER_JOURNAL}{end}")
    return OTHER_JOURNAL


def _refuse_if_brought(root: str, path: str) -> None:
    if is_brought(root, path):
        raise Refused(f"git tracks {STATE}/{path}, so nothing is written to it; {TO_DO}")


def _refuse_in_doubt(root: str, path: str) -> None:
    """Raise Refused for a session that may be the repository's: notes of ours would make it the person's for good."""
    if os.path.lexists(f"{root}/{STATE}/{path}") and may_be_brought(root, path):
        raise Refused(f"{why_in_doubt(root)}, so nothing is written to {STATE}/{path}; {REPAIR}")
