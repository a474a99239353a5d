"""Commits several files at once, so that a kill leaves all of them changed or none.

Rules of this file:
- The caller holds the lock of the workspace (`lock.py`).
- Every file is staged next to its target (`.new`) and renamed over it, so a reader sees the old text or the new one.
- With several files, the rename of the journal, which names the staged ones, is the moment of the commit. After a kill
  before it, nothing has happened; after a kill behind it, the next holder of the lock renames what is left.
- A folder is flushed to the disk after the names in it have changed, if the writes are to last: the staged files before
  the journal, the journal, and the files before the journal is removed.
- What git tracks came with the repository: it is not written over.
- Lines are appended last, at the place that the journal names, so that a commit which is completed twice writes them
  once. A file to which nothing can be appended loses its lines and keeps nothing else from being written.
- What cannot be read is never overwritten. What cannot be read at the moment (too many open files, say) is not moved
  aside either: the next call may well read it.
"""

from __future__ import annotations

import os
import stat

from rcs_hooks import jsontext
from rcs_hooks.errors import Refused, UnsafePath, suppress
from rcs_hooks.files.folders import flush_folder, flush_folders, make_folders, refuse_link
from rcs_hooks.files.paths import STAGED
from rcs_hooks.files.reading import (
    LARGEST,
    PERMANENT_ERRORS,
    QUESTIONS,
    Append,
    Unreadable,
    appends_in,
    check_available,
    files_in,
    journals,
    root_of,
)
from rcs_hooks.files.tracked import is_brought, journal_beside, refuse_tracked
from rcs_hooks.tuples import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from rcs_hooks.jsontext import JsonObject

ASIDE = ".unreadable"
MOST_ASIDE = 1_000
MOST_SWEPT = 10_000
FRESH_FLAGS = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW


class Write(NamedTuple):
    """One file of a commit, its path relative to the state folder; without a record the file is removed."""

    path: str
    record: JsonObject | None
    durable: bool = True
    """Whether it must survive a power cut. A kill loses nothing in any case."""
    append: str = ""
    """Whole lines in ASCII that are appended to the file, which then is neither replaced nor removed."""


def commit(folder: str, writes: Sequence[Write]) -> None:
    """Write all of these files, in order, or none. The caller holds the lock and has called `recover`.

    Raises Refused, among others for a file that git tracks: it would not be read again. Lines for a file to which
    nothing can be appended are left out.
    """
    lines = [write for write in writes if write.append]
    writes = [write for write in writes if not write.append] if lines else writes
    refuse_tracked(root_of(folder), [write.path for write in writes])
    for place in dict.fromkeys(os.path.dirname(write.path) for write in (*writes, *lines)):
        make_folders(folder, place)
    for write in writes:
        _make_way(folder, write.path)
    texts = [(write, _text_of(write.record)) for write in writes if write.record is not None]
    for write, text in texts:
        if len(text) > LARGEST:
            why = f"{write.path}: {len(text)} bytes, and no more than {LARGEST} can be read again"
            raise Refused(f"{why}; write less, or clear the mode with: rcs state clear")
    for place in {os.path.dirname(write.path) for write in writes}:
        if os.path.basename(place) == QUESTIONS:  # other files have one name, which the next write stages again
            sweep(folder, place)
    appends: Sequence[Append] = ()
    if lines:
        from rcs_hooks.files import appending

        appends = appending.placed(folder, [(write.path, write.append) for write in lines])
    lasting = [os.path.dirname(write.path) for write in (*writes, *lines) if write.durable]
    _commit(folder, writes, texts, appends, lasting, journal_beside(root_of(folder)))


def sweep(folder: str, place: str) -> int:
    """Remove the files that a kill left staged in a folder; return how many. The caller has called `recover`."""
    refuse_link(folder, place)
    done = 0
    with suppress(FileNotFoundError):
        for name in os.listdir(f"{folder}/{place}")[:MOST_SWEPT]:
            path = f"{place}/{name}" if place else name
            if name.endswith((f".json{STAGED}", f".jsonl{STAGED}")) and not is_brought(root_of(folder), path):
                with suppress(OSError):
                    os.unlink(f"{folder}/{path}")
                    done += 1
    return done


def _commit(
    folder: str,
    writes: Sequence[Write],
    texts: Sequence[tuple[Write, bytes]],
    appends: Sequence[Append],
    lasting: Sequence[str],
    journal: str,
) -> None:
    """Stage, journal and complete. `lasting`: the folders of what must survive a power cut; empty if nothing must."""
    needs_journal = len(writes) > 1 or bool(appends)
    names = [(write.path, write.record is None) for write in writes]
    staged: list[str] = []
    try:
        for write, text in texts:
            staged.append(f"{write.path}{STAGED}")
            _write_fresh(f"{folder}/{staged[-1]}", text, durable=write.durable)
        if needs_journal:
            flush_folders(folder, lasting)
            _write_journal(folder, writes, appends, journal, durable=bool(lasting))
    except BaseException:  # an interrupt too must leave nothing staged; it is raised again
        # The journal goes first: an interrupt may come just after it was put in place.
        for path in (journal, *staged):
            with suppress(OSError):
                os.unlink(f"{folder}/{path}")
        raise
    if needs_journal:
        # The commit has happened: readers take the staged files, and the next holder of the lock renames what is left.
        with suppress(OSError):
            _complete(folder, names, appends, journal, durable=bool(lasting))
    else:
        _apply(folder, names)
        flush_folders(folder, lasting)


def _text_of(record: JsonObject) -> bytes:
    """Return the text of a record; without indentation if that would make it too large to be read again."""
    text = jsontext.dumps_file(record).encode()
    return text if len(text) <= LARGEST else jsontext.dumps_line(record).encode()


def _make_way(folder: str, path: str) -> None:
    """Move a folder aside that is where a file belongs: nothing could be renamed over it."""
    with suppress(FileNotFoundError):
        if stat.S_ISDIR(os.lstat(f"{folder}/{path}").st_mode):
            _rename_aside(f"{folder}/{path}")


def move_aside(folder: str, path: str) -> None:
    """Rename a file to a name that nothing else has, so that nothing unreadable is lost. The caller holds the lock."""
    refuse_link(folder, os.path.dirname(path))
    _rename_aside(f"{folder}/{path}")


def _rename_aside(path: str) -> None:
    names = (f"{path}{ASIDE}{number or ''}" for number in range(MOST_ASIDE))
    free = next((free for free in names if not os.path.lexists(free)), f"{path}{ASIDE}-{os.urandom(8).hex()}")
    os.rename(path, free)


def _write_fresh(path: str, text: bytes, *, durable: bool) -> None:
    with suppress(FileNotFoundError):
        os.unlink(path)
    file = os.open(path, FRESH_FLAGS, 0o600)
    try:
        view = memoryview(text)
        while view:
            view = view[os.write(file, view) :]
        if durable:
            os.fsync(file)
    finally:
        os.close(file)


def _replace(path: str, text: bytes, *, durable: bool = True) -> None:
    """Write a whole file at once, flushed to the disk if it is to be durable."""
    staged = f"{path}{STAGED}"
    try:
        _write_fresh(staged, text, durable=durable)
        os.replace(staged, path)
    except BaseException:  # an interrupt too must leave no half file behind; it is raised again
        with suppress(OSError):
            os.unlink(staged)
        raise
    if durable:
        flush_folder(os.path.dirname(path))


def _write_journal(
    folder: str, writes: Sequence[Write], appends: Sequence[Append], journal: str, *, durable: bool
) -> None:
    files: list[JsonObject] = [{"path": write.path, "remove": write.record is None} for write in writes]
    # A version that appends nothing passes over these, for they name no `.json` file.
    files += [{"path": each.path, "size": each.size, "append": each.lines} for each in appends]
    text = jsontext.dumps_file({"version": 1, "files": files})
    _replace(f"{folder}/{journal}", text.encode(), durable=durable)


def _complete(
    folder: str,
    files: Sequence[tuple[str, bool]],
    appends: Sequence[Append],
    journal: str,
    *,
    durable: bool = True,
    is_last_try: bool = False,
) -> None:
    """Rename the staged files, append the lines, and remove the journal last, once all of it is on the disk.

    `is_last_try`: lines that cannot be appended now are lost.
    """
    _apply(folder, files)
    if appends:
        from rcs_hooks.files import appending

        for each in appends:
            appending.append(folder, each, durable=durable, is_last_try=is_last_try)
    if durable:
        paths = (*(path for path, _ in files), *(each.path for each in appends))
        flush_folders(folder, map(os.path.dirname, paths))
    os.unlink(f"{folder}/{journal}")


def _apply(folder: str, files: Sequence[tuple[str, bool]]) -> None:
    for path, remove in files:
        with suppress(FileNotFoundError):  # it was done before the kill
            if remove:
                os.unlink(f"{folder}/{path}")
            else:
                os.replace(f"{folder}/{path}{STAGED}", f"{folder}/{path}")


def recover(folder: str) -> None:
    """Complete a commit that a kill cut short, or move its journal aside if that can never be done.

    The caller holds the lock. Raises Unavailable or OSError if the commit cannot be completed at the moment: the next
    holder of the lock does it.
    """
    for name, journal in list(journals(folder)):
        check_available(journal)
        try:
            if isinstance(journal, Unreadable):
                raise UnsafePath(journal.why)
            named = [each for each in files_in(journal) if _has_place(folder, each[0])]
            for path, _ in named:
                _make_way(folder, path)
            appends = list(appends_in(journal))
            if appends:
                from rcs_hooks.files import appending

                appends = appending.possible(folder, appends)
            _complete(folder, named, appends, name, is_last_try=True)
        except (OSError, UnsafePath) as error:
            if isinstance(error, OSError) and error.errno not in PERMANENT_ERRORS:
                raise  # a full disk, say: the next call may well complete it
            move_aside(folder, name)


def _has_place(folder: str, path: str) -> bool:
    """Tell whether the folder of a file that a journal names is there. Raises UnsafePath for a link."""
    place = os.path.dirname(path)
    refuse_link(folder, place)
    return os.path.isdir(f"{folder}/{place}")
