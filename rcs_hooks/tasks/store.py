"""Find, lock, read and write the folder of a task, in an order that no crash can reverse.

Rules of this file:
- Under the lock: first old files are archived, then a line is added to the transcript, then the state is replaced.
- A file that cannot be read is never overwritten.
- Reading creates nothing.
"""

from __future__ import annotations

import os
from contextlib import suppress
from typing import TYPE_CHECKING

from rcs_hooks.errors import Refused, UnsafePath
from rcs_hooks.files.clock import iso
from rcs_hooks.files.folders import make_folders
from rcs_hooks.files.lock import Lock
from rcs_hooks.files.paths import HOME, inside, is_name
from rcs_hooks.files.preparation import check_workspace, prepare
from rcs_hooks.files.transaction import Write, commit
from rcs_hooks.files.workspaces import state_folder
from rcs_hooks.tasks import (
    archive,
    diff_paths,
    messages,
    phases,
    refused_diffs,
    snapshot,
    state,
    task_files,
    transcript,
)
from rcs_hooks.tasks.author import NOBODY, Author
from rcs_hooks.tasks.task_files import UnreadableFile

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from rcs_hooks.jsontext import JsonObject
    from rcs_hooks.tasks import flow
    from rcs_hooks.tasks.failures import GuardFailure
    from rcs_hooks.tasks.state import TaskState

TASKS = "tasks"
LOCK_SECONDS = 6.0
"""Longer than for hooks, which never wait here: the holder may itself wait up to 5 s for the database of runs."""


def tasks_folder(root: str) -> str:
    """Return the folder of all tasks. Raises UnsafePath if it would not be inside the workspace."""
    check_workspace(root)
    state_folder(root)
    folder = f"{root}/{HOME}/{TASKS}"
    if not inside(os.path.realpath(folder), os.path.realpath(f"{root}/{HOME}")):
        raise UnsafePath(
            f"{HOME}/{TASKS} of {root} is a link that leads out of it, so it is not used; remove that link"
        )
    return folder


def names(root: str) -> list[str]:
    """Return the names of the tasks in a workspace, including tasks whose state cannot be read.

    A link is no task: it may lead to another workspace, which others must not be shown as this one.
    """
    folder = tasks_folder(root)
    try:
        entries = sorted(os.listdir(folder))
    except (FileNotFoundError, NotADirectoryError):
        return []
    tasks = (name for name in entries if is_name(name) and os.path.lexists(f"{folder}/{name}/{phases.STATE_FILE}"))
    return [name for name in tasks if not os.path.islink(f"{folder}/{name}")]


class TaskStore:
    """The files of one task below `.rcs/tasks`; reading needs no lock, and every method that writes needs `lock()`."""

    def __init__(self, root: str, task: str, now: float, author: Author = NOBODY) -> None:
        """Remember who writes, for the transcript and for what a person records.

        Raises Refused for a name that cannot be used, and UnsafePath for a folder outside the workspace."""
        if not is_name(task):
            raise Refused(messages.bad_name(task))
        self.root = root
        self.task = task
        self.at = iso(now)
        self.author = author
        self.folder = f"{tasks_folder(root)}/{task}"
        if not inside(os.path.realpath(self.folder), os.path.realpath(os.path.dirname(self.folder))):
            raise UnsafePath(f"{HOME}/{TASKS}/{task} is a link that leads out of {TASKS}, so it is not used")

    # --- reading

    @property
    def exists(self) -> bool:
        return os.path.lexists(f"{self.folder}/{phases.STATE_FILE}")

    def check_exists(self) -> None:
        """Raise Refused if there is no such task."""
        if not self.exists:
            raise Refused(messages.no_task(self.task))

    def state(self) -> TaskState:
        """Read state.json. Raises Refused if there is none, or if it cannot be used."""
        record = task_files.read_json(self.folder, phases.STATE_FILE)
        if record is None:
            raise Refused(messages.no_task(self.task))
        if isinstance(record, UnreadableFile):
            raise Refused(messages.broken_state(record.found, record.needed))
        return state.parse(record)

    def snapshot(self, now: TaskState) -> snapshot.Snapshot:
        """Read the artifacts; in codegen also whether the code is in the work tree, and was sent back before."""
        snap = snapshot.take(self.folder, self.task, now.statuses)._replace(lacking_proof=now.lacking_proof)
        if now.phase != phases.CODEGEN or not snap.diff:
            return snap
        left = {*snap.files, *diff_paths.paths_left(snap.diff)}
        absent = tuple(sorted(path for path in left if not task_files.is_in_tree(self.root, path)))
        return snap._replace(absent=absent, refused_by=refused_diffs.find(self.folder, self.task, snap.diff))

    # --- writing

    def prepare(self) -> None:
        """Create the folder of a new task, with that of its plan, readable by the owner only."""
        prepare(self.root)
        make_folders(f"{self.root}/{HOME}", f"{TASKS}/{self.task}/{os.path.dirname(phases.PLAN)}")

    def lock(self) -> Lock:
        """Return the lock of the task. If pydantic will be needed, load it first, as others may wait for the lock."""
        if any(os.path.lexists(f"{self.folder}/{path}") for path in phases.SCHEMAS.values()):
            from rcs_hooks.tasks import forms as _  # noqa: F401 - only to have it loaded
        return Lock(self.folder, LOCK_SECONDS)

    def begin(self, start: str | None = None) -> None:
        """Log the beginning of the task, and write its first state. `start`: the commit that is checked out."""
        self._log("transition", None, phases.PLANNING, None)
        commit(self.folder, [Write(phases.STATE_FILE, state.new(self.task, self.at, start))])

    def move(self, before: TaskState, move: flow.Move) -> archive.ArchivedFiles:
        """Archive what becomes stale, log the move, and write the new state. Return what was archived."""
        source, target = move.source, move.target
        is_back = phases.is_back(source, target)
        archived = archive.archive(self.folder, target) if is_back else archive.ArchivedFiles()
        try:
            self._log(move.kind, source, target, move.reason, move.failed)
            after: JsonObject = {"task_id": self.task} | state.moved(
                before, target, self.at, move.why, self.author.kind
            )
            commit(self.folder, [Write(phases.STATE_FILE, after)])
        except BaseException:  # the task has not moved, so its files go back; then it is raised again
            archive.put_back(self.folder, archived)
            raise
        return archived

    def refuse(self, source: str, target: str | None, reason: str | None, failed: Iterable[GuardFailure]) -> None:
        """Log a refusal; a failure to write the log is ignored."""
        with suppress(OSError, Refused):
            self._log("refused", source, target, reason, failed)

    def note(self, phase: str, text: str) -> None:
        self._log("note", phase, phase, text)

    def _log(self, kind: str, source: str | None, target: str | None, reason: str | None,
             failed: Iterable[GuardFailure] = ()) -> None:  # fmt: skip
        line: JsonObject = {"ts": self.at, "kind": kind, "from": source, "to": target, "reason": reason}
        signature: JsonObject = {"by": self.author.kind} if self.author.kind else {}
        transcript.append(self.folder, line | {"failed": [failure.as_json for failure in failed]} | signature)

    # --- what a person records

    def check_recordable(self, path: str) -> JsonObject:
        """Return the record in an artifact that is about to be changed; empty if there is no file.

        Raises Refused for a file that cannot be read, and UnsafePath.
        """
        task_files.check_inside(self.folder, os.path.dirname(path))
        record = task_files.read_json(self.folder, path)
        if isinstance(record, UnreadableFile):
            raise Refused(messages.broken_file(path, record.found))
        return record or {}

    def record(self, path: str, said: JsonObject, signature: JsonObject, defaults: JsonObject | None = None) -> bool:
        """Write what a person said into an artifact, and return whether that is new.

        Other keys stay; `defaults` are for keys that are missing. Saying the same again changes nothing, not even the
        signature.
        """
        before = self.check_recordable(path)
        rest = (defaults or {}) | before
        if before == rest | said:
            return False
        commit(self.folder, [Write(path, rest | said | signature)])
        return True

    # --- what a program records

    def record_report(self, before: TaskState, report: JsonObject, text: str, proof: JsonObject | None) -> None:
        """Write the report of a command, and the verdict on it if there is one; `text` says so in the transcript."""
        self.note(before.phase, text)
        rest = self.check_recordable(phases.REPORT)
        writes = [Write(phases.REPORT, rest | report)]
        if proof is not None:
            writes.append(Write(phases.STATE_FILE, before.judged(proof).record | {"updated_at": self.at}))
        commit(self.folder, writes)

    def record_collected(self, before: TaskState, base: str, hashes: Mapping[str, str], text: str) -> None:
        """Write that the code was taken from git, with the hashes of it; `text` says so in the transcript."""
        self.note(before.phase, text)
        after = state.collected(before, base, hashes, self.at) | {"updated_at": self.at}
        commit(self.folder, [Write(phases.STATE_FILE, after)])
