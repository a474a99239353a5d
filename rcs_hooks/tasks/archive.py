"""Archive what an older round has produced: verdicts and the diff are moved, files that are edited in place are copied.

Rules of this file:
- A file goes to `history/<n>/` under its own path, with a new n each time; what is there already is never touched.
- The move of a task is the rename of its state.json, which comes last. A kill before it leaves what was moved in the
  history.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from rcs_hooks.errors import Refused
from rcs_hooks.files.bounded import READ_FLAGS
from rcs_hooks.files.folders import flush_folders, make_folders
from rcs_hooks.files.reading import LARGEST
from rcs_hooks.files.transaction import FRESH_FLAGS
from rcs_hooks.files.workspaces import exists
from rcs_hooks.tasks import phases, task_files

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


class ArchivedFiles(NamedTuple):
    """The files that were archived: their folder in history, and the paths that were moved or copied to it."""

    folder: str = ""
    moved: tuple[str, ...] = ()
    copied: tuple[str, ...] = ()


def archive(folder: str, target: str) -> ArchivedFiles:
    """Archive the outputs of the phase `target` and of every later one. The caller holds the lock.

    Raises Refused, UnsafePath and OSError.
    """
    outputs = phases.stale_outputs(target)
    for path in outputs:
        task_files.check_inside(folder, os.path.dirname(path))
    moved = tuple(path for path in outputs if path not in phases.EDITED_IN_PLACE and _exists(f"{folder}/{path}"))
    copies = [path for output in outputs if output in phases.EDITED_IN_PLACE for path in _to_copy(folder, output)]
    if not moved and not copies:
        return ArchivedFiles()
    archived = ArchivedFiles(f"{phases.HISTORY}/{_next_number(folder)}", moved, _named(copies))
    for path in (*moved, *copies):
        make_folders(folder, os.path.dirname(f"{archived.folder}/{path}"))
    for path in copies:
        _copy(f"{folder}/{path}", f"{folder}/{archived.folder}/{path}")
    try:
        for path in moved:
            os.rename(f"{folder}/{path}", f"{folder}/{archived.folder}/{path}")
        flush(folder, [*moved, *(f"{archived.folder}/{path}" for path in (*moved, *copies))])
    except BaseException:  # the task will not move; then it is raised again
        put_back(folder, archived)
        raise
    return archived


def put_back(folder: str, archived: ArchivedFiles) -> None:
    """Move back what was archived for a move that has failed. The caller holds the lock."""
    for path in archived.moved:
        if _exists(f"{folder}/{archived.folder}/{path}"):
            os.rename(f"{folder}/{archived.folder}/{path}", f"{folder}/{path}")


def flush(folder: str, paths: Iterable[str]) -> None:
    """Flush the folders of these files to the disk, before anything is written that counts on the new names."""
    flush_folders(folder, (os.path.dirname(path) for path in paths))


def put_aside(folder: str, paths: Sequence[str]) -> ArchivedFiles:
    """Move what is at these paths to the history, for good. The caller holds the lock, and has checked the folders."""
    archived = ArchivedFiles(f"{phases.HISTORY}/{_next_number(folder)}", tuple(paths))
    for path in paths:
        make_folders(folder, os.path.dirname(f"{archived.folder}/{path}"))
        os.rename(f"{folder}/{path}", f"{folder}/{archived.folder}/{path}")
    flush(folder, [*paths, *(f"{archived.folder}/{path}" for path in paths)])
    return archived


def _exists(path: str) -> bool:
    return exists(path, through_links=False)


def _next_number(folder: str) -> int:
    task_files.check_inside(folder, phases.HISTORY)
    try:
        names = os.listdir(f"{folder}/{phases.HISTORY}")
    except FileNotFoundError:
        names = []
    except NotADirectoryError:
        raise Refused(f"{phases.HISTORY}: it is not a folder; move it away (nothing was changed)") from None
    number = 1 + max((int(name) for name in names if name.isascii() and name.isdigit() and len(name) < 10), default=0)
    while str(number) in names:  # a longer name, which was not counted
        number += 1
    return number


def _to_copy(folder: str, output: str) -> list[str]:
    """Return the path of an output, or of each file in it if it is a folder. Links, pipes and the like are skipped.

    Raises Unavailable for a file that cannot be read only at the moment.
    """
    if output == phases.CODE_FILES:
        paths, others = task_files.files_under(folder, output)
        for name, unreadable in others:
            task_files.check_available(unreadable, f"{output}/{name}")
        return [f"{output}/{path}" for path in paths]
    content = task_files.read(folder, output)
    task_files.check_available(content, output)
    return [output] if isinstance(content, bytes) else []


def _named(copies: list[str]) -> tuple[str, ...]:
    """Return the paths, but the folder of generated files only once instead of each file in it."""
    names = (phases.CODE_FILES if path.startswith(f"{phases.CODE_FILES}/") else path for path in copies)
    return tuple(dict.fromkeys(names))


def _copy(source: str, target: str) -> None:
    """Copy a file in parts of bounded size; if a link has replaced it meanwhile, the link is not followed."""
    from_fd = os.open(source, READ_FLAGS)
    try:
        to_fd = os.open(target, FRESH_FLAGS, 0o600)
        try:
            while part := os.read(from_fd, LARGEST):
                view = memoryview(part)
                while view:
                    view = view[os.write(to_fd, view) :]
            os.fsync(to_fd)
        finally:
            os.close(to_fd)
    finally:
        os.close(from_fd)
