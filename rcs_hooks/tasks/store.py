"""The folder of a task: found, locked, read, and written in the order that a crash cannot turn round.

Rules of this file:
- Under the lock: what is put aside first, then a line of the transcript, then the state.
- What cannot be read is never written over.
- A reader makes nothing.
"""

from __future__ import annotations

import os
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from rcs_hooks.errors import Refused, UnsafePath
from rcs_hooks.state.clock import iso
from rcs_hooks.state.files import Write, check_workspace, commit, prepare
from rcs_hooks.state.folders import make_folders
from rcs_hooks.state.lock import Lock
from rcs_hooks.state.paths import HOME, inside, is_name, state_folder
from rcs_hooks.tasks import archive, messages, phases, reading, snapshot, transcript
from rcs_hooks.tasks import state as states

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rcs_hooks.tasks import flow
    from rcs_hooks.tasks.failure import Failure

Record = dict[str, Any]
TASKS = "tasks"
LOCK_SECONDS = 6.0
"""No hook waits here, and the holder may wait for the database of runs itself, for 5 s at most."""


def tasks_folder(root: str) -> str:
    """Raises UnsafePath where it would not lie in the workspace."""
    check_workspace(root)
    state_folder(root)
    folder = f"{root}/{HOME}/{TASKS}"
    if not inside(os.path.realpath(folder), os.path.realpath(f"{root}/{HOME}")):
        raise UnsafePath(
            f"{HOME}/{TASKS} of {root} is a link that leads out of it, so it is not used; remove that link"
        )
    return folder


def names(root: str) -> list[str]:
    """Of the tasks that there are, those included that cannot be read."""
    folder = tasks_folder(root)
    try:
        found = sorted(os.listdir(folder))
    except (FileNotFoundError, NotADirectoryError):
        return []
    return [name for name in found if is_name(name) and os.path.lexists(f"{folder}/{name}/{phases.STATE_FILE}")]


class Store:
    """One task."""

    def __init__(self, root: str, task: str, now: float) -> None:
        """Raises Refused and UnsafePath."""
        if not is_name(task):
            raise Refused(messages.no_name(task))
        self.root = root
        self.task = task
        self.at = iso(now)
        self.folder = f"{tasks_folder(root)}/{task}"
        if not inside(os.path.realpath(self.folder), os.path.realpath(os.path.dirname(self.folder))):
            raise UnsafePath(f"{HOME}/{TASKS}/{task} is a link that leads out of {TASKS}, so it is not used")

    # --- reading

    @property
    def is_there(self) -> bool:
        return os.path.lexists(f"{self.folder}/{phases.STATE_FILE}")

    def check_there(self) -> None:
        """Raises Refused."""
        if not self.is_there:
            raise Refused(messages.no_task(self.task))

    def state(self) -> Record:
        """Raises Refused where there is none, or none that can be used."""
        found = reading.record(self.folder, phases.STATE_FILE)
        if found is None:
            raise Refused(messages.no_task(self.task))
        if isinstance(found, reading.Broken):
            raise Refused(messages.broken_state(found.found, found.needed))
        return states.checked(found)

    def snapshot(self, state: Record) -> snapshot.Snapshot:
        return snapshot.take(self.folder, self.task, states.statuses(state))

    # --- writing

    def prepare(self) -> None:
        """Makes the folder of a new task, for the owner alone."""
        prepare(self.root)
        make_folders(f"{self.root}/{HOME}", f"{TASKS}/{self.task}")

    def lock(self) -> Lock:
        """What will be needed under it is loaded before: many may wait for their turn."""
        if any(os.path.lexists(f"{self.folder}/{path}") for path in phases.SCHEMAS.values()):
            from rcs_hooks.tasks import artifacts as _  # noqa: F401
        return Lock(self.folder, LOCK_SECONDS)

    def recover(self) -> None:
        archive.recover(self.folder)

    def begin(self) -> Record:
        made = states.new(self.task, self.at)
        self._say("transition", None, phases.PLANNING, None)
        commit(self.folder, [Write(phases.STATE_FILE, made)])
        return made

    def move(self, state: Record, move: flow.Move) -> archive.Aside:
        source, target = move.source, move.target
        try:
            aside = archive.put_aside(self.folder, target) if phases.is_back(source, target) else archive.Aside()
            self._say(move.kind, source, target, move.reason, move.failed)
            after = {"task_id": self.task} | states.moved(state, source, target, self.at)
            commit(self.folder, [Write(phases.STATE_FILE, after)])
        except BaseException:  # nothing has moved, so nothing stays aside; it is raised again
            archive.recover(self.folder)
            raise
        archive.done(self.folder)
        return aside

    def refuse(self, source: str, target: str | None, reason: str | None, failed: Iterable[Failure]) -> None:
        """A refusal is told even where it cannot be noted."""
        with suppress(OSError, Refused):
            self._say("refused", source, target, reason, failed)

    def _say(self, kind: str, source: str | None, target: str | None, reason: str | None,
             failed: Iterable[Failure] = ()) -> None:  # fmt: skip
        told = [failure.as_json for failure in failed]
        line = {"ts": self.at, "kind": kind, "from": source, "to": target, "reason": reason, "failed": told}
        transcript.append(self.folder, line)

    # --- what a person records

    def check_recordable(self, path: str) -> Record:
        """What stands there already. Raises Refused and UnsafePath."""
        reading.check_inside(self.folder, os.path.dirname(path))
        found = reading.record(self.folder, path)
        if isinstance(found, reading.Broken):
            raise Refused(messages.broken_file(path, found.found))
        return found or {}

    def record(
        self, path: str, said: Record, signed: Record, unless_said: Record | None = None, instead_of: Iterable[str] = ()
    ) -> bool:
        """Beside what else stands there. The same once more changes nothing, and so the signature stays."""
        before = self.check_recordable(path)
        kept = (unless_said or {}) | {key: value for key, value in before.items() if key not in instead_of}
        if before == kept | said:
            return False
        commit(self.folder, [Write(path, kept | said | signed)])
        return True

    def note(self, phase: str, text: str) -> None:
        self._say("note", phase, phase, text)
