"""Take the diff of a task and its files from git, and put them into `code/`.

Rules of this file:
- What the repository has is only read; git compares in a folder of the task.
- What lies in `code/` and was not collected is somebody's work: it is moved to the history, never removed.
- The old diff goes first and the new one comes last: a kill in between leaves no diff, and the way forward closed.
"""

from __future__ import annotations

import fcntl
import os
import shutil
from hashlib import sha256
from secrets import token_hex
from typing import TYPE_CHECKING, NamedTuple

from rcs_hooks.errors import Refused, suppress
from rcs_hooks.files.folders import FLAGS, make_folders
from rcs_hooks.files.transaction import FRESH_FLAGS
from rcs_hooks.tasks import archive, messages, task_files
from rcs_hooks.tasks.archive import ArchivedFiles
from rcs_hooks.tasks.phases import CODE, CODE_FILES, CODEGEN, DIFF
from rcs_hooks.tasks.snapshot import LARGEST_DIFF

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rcs_hooks.environment import Environment
    from rcs_hooks.proof.changes import ChangedFile, Changes
    from rcs_hooks.tasks.store import TaskStore

STAGED = ".collected-"
"""How the folder begins in which the files lie until they are all there."""
LARGEST_FILE = 64 * 1024 * 1024


class Collected(NamedTuple):
    """What was collected: the commit compared with, the paths of the diff, and what was moved to the history."""

    task: str
    base: str
    files: tuple[str, ...]
    removed: tuple[str, ...]
    links: tuple[str, ...]
    """The symbolic links among the changes: they are in the diff only."""
    outside: tuple[str, ...]
    archived: ArchivedFiles


def collect(store: TaskStore, ref: str | None, environment: Environment) -> Collected:
    """Take what has changed since the task began, or since `ref`. Raises Refused; then nothing was changed."""
    from rcs_hooks.proof.changes import changes_since

    store.check_exists()
    state = store.state()
    _check_phase(store.task, state.phase)
    base = ref if ref is not None else state.start
    if base is None:
        raise Refused(messages.no_start(store.task))
    staged = f"{STAGED}{token_hex(8)}"
    make_folders(store.folder, staged)
    held = os.open(f"{store.folder}/{staged}", FLAGS)
    try:
        fcntl.flock(held, fcntl.LOCK_SH)  # until this process ends, however it does
        changes = changes_since(store.root, base, environment.env, f"{store.folder}/{staged}")
        if not changes.diff.strip():
            raise Refused(messages.nothing_changed(changes.base))
        _stage(store.folder, staged, changes)
        with store.lock():
            state = store.state()
            _check_phase(store.task, state.phase)
            archived = _put_aside(store, state.collected)
            _put(store, staged)
            text = messages.collected(changes.base, len(changes.files) + len(changes.removed))
            store.record_collected(state, changes.base, fingerprints(store.folder), text)
    finally:
        os.close(held)
        _sweep(store.folder)
    files, links = ([each.path for each in changes.files if each.is_link == is_link] for is_link in (False, True))
    return Collected(store.task, changes.base, tuple(files), changes.removed, tuple(links), changes.outside, archived)


def _check_phase(task: str, phase: str) -> None:
    if phase != CODEGEN:
        raise Refused(messages.no_collecting_now(task, phase))


def _stage(folder: str, staged: str, changes: Changes) -> None:
    for each in changes.files:
        if not each.is_link:
            make_folders(folder, os.path.dirname(f"{staged}/{CODE_FILES}/{each.path}"))
            _write(f"{folder}/{staged}/{CODE_FILES}/{each.path}", each)
    make_folders(folder, f"{staged}/{CODE_FILES}")
    _write_bytes(f"{folder}/{staged}/{DIFF}", changes.diff, 0o600)


def _write(path: str, file: ChangedFile) -> None:
    _write_bytes(path, file.content, 0o700 if file.is_program else 0o600)


def _write_bytes(path: str, content: bytes, mode: int) -> None:
    fd = os.open(path, FRESH_FLAGS, mode)
    with open(fd, "wb") as file:
        file.write(content)


def _put_aside(store: TaskStore, collected: Mapping[str, str]) -> ArchivedFiles:
    """Move what lies in code/ to the history, but for what was collected, which is removed."""
    folder = store.folder
    task_files.check_inside(folder, CODE)
    now = fingerprints(folder)
    there = [path for path in (DIFF, CODE_FILES) if os.path.lexists(f"{folder}/{path}")]
    others = [path for path in there if now.get(path) is None or now[path] != collected.get(path)]
    archived = archive.put_aside(folder, others) if others else ArchivedFiles()
    with suppress(FileNotFoundError):
        os.unlink(f"{folder}/{DIFF}")
    shutil.rmtree(f"{folder}/{CODE_FILES}", ignore_errors=True)
    return archived


def _put(store: TaskStore, staged: str) -> None:
    make_folders(store.folder, CODE.rstrip("/"))
    os.rename(f"{store.folder}/{staged}/{CODE_FILES}", f"{store.folder}/{CODE_FILES}")
    os.rename(f"{store.folder}/{staged}/{DIFF}", f"{store.folder}/{DIFF}")
    archive.flush(store.folder, [DIFF, CODE_FILES])


def fingerprints(folder: str) -> dict[str, str]:
    """Return a hash of the diff and one of the files; without what is not there, or cannot be read as a whole."""
    paths, others = task_files.files_under(folder, CODE_FILES)
    found = {DIFF: _hash(folder, [DIFF], LARGEST_DIFF)}
    if not others:
        found[CODE_FILES] = _hash(folder, [f"{CODE_FILES}/{path}" for path in paths], LARGEST_FILE)
    return {path: digest for path, digest in found.items() if digest}


def _hash(folder: str, paths: Sequence[str], largest: int) -> str:
    """Return a hash of these files; empty if one of them cannot be read."""
    every = sha256()
    for path in paths:
        content = task_files.read(folder, path, largest)
        if not isinstance(content, bytes):
            return ""
        every.update(f"{len(path)} {len(content)} {path}".encode(errors="surrogateescape") + content)
    return every.hexdigest()


def _sweep(folder: str) -> None:
    """Remove what was staged by calls that have ended, this one and any that was killed."""
    with suppress(OSError), os.scandir(folder) as entries:
        for path in [entry.path for entry in entries if entry.name.startswith(STAGED)]:
            with suppress(OSError):
                fd = os.open(path, FLAGS)
                try:
                    fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    shutil.rmtree(path, ignore_errors=True)
                finally:
                    os.close(fd)
