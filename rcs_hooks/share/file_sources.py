"""The histories of sessions and the transcripts of tasks of one project, as sources of what leaves."""

from __future__ import annotations

import itertools
import os
from hashlib import sha256
from typing import TYPE_CHECKING

from rcs_hooks import jsontext
from rcs_hooks.files import paths, workspaces
from rcs_hooks.files.bounded import open_regular, read_bytes
from rcs_hooks.share.leaving import moment
from rcs_hooks.share.outbox import HISTORY, MOST_BYTES, MOST_EVENTS, TASK, Batch
from rcs_hooks.state import history
from rcs_hooks.state.session_listing import known_sessions
from rcs_hooks.tasks import phases
from rcs_hooks.tasks.store import names as task_names
from rcs_hooks.tasks.store import tasks_folder

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rcs_hooks.share.leaving import Leaving
    from rcs_hooks.share.rows import TaskMoveRow
    from rcs_hooks.state.history import Event

MOST_LINES = 20_000
"""The most events that are read from the end of a history; where more wait, it is read from its beginning."""
LONGEST_LINE = 65_536
HEAD = 65_536
"""So many bytes of its beginning say when a history began."""


class HistorySource:
    """The history of one session."""

    kind = HISTORY

    def __init__(self, folder: str, session: str, machine: str, leaving: Leaving) -> None:
        """`folder`: the state folder. `machine`: the id of this machine."""
        self.path = session
        self._folder = folder
        self._machine = machine
        self._leaving = leaving
        self._keys: tuple[str, ...] = ()
        self._has_begun = True
        """Whether there was an event when it was asked for its keys: else they become others with the first one."""

    @property
    def name(self) -> str:
        return self.path

    @property
    def keys(self) -> tuple[str, ...]:
        if not self._keys:
            since = self._since()
            self._has_begun = since is not None
            found = (_digest(self._machine, self.path, since or ""),)
            if since is None:
                return found
            self._keys = found
        return self._keys

    def _file(self) -> str:
        return f"{self._folder}/{paths.history_file(self.path)}"

    def _since(self) -> str | None:
        """Return when the first event of the history was; empty if none is in a long beginning, None without any."""
        try:
            head = read_bytes(self._file(), HEAD) or b""
        except OSError:
            return None
        first = next((event for line in head.split(b"\n") if (event := history.event_of(line))), None)
        if first is None and len(head) == HEAD:
            return ""
        # The commit of the first ones may be under way, or was cut short.
        first = first or next(iter(history.read(self._folder, self.path, MOST_LINES)), None)
        return first.at if first else None

    def stamp(self) -> object:
        return _stamp(self._file())

    def is_restored(self, position: int, at: str | None) -> bool:
        if not position:
            return False
        found = history.read(self._folder, self.path, MOST_LINES, after=position - 1)
        if not found:
            return not history.fault(self._folder, self.path)
        first = found[0]
        return first.n == position and at is not None and moment(first.at) != at

    def _events(self, after: int) -> Iterator[Event]:
        """Yield the events with a higher number than `after`, oldest first, however many wait."""
        tail = history.read(self._folder, self.path, MOST_LINES, after=after)
        if len(tail) == MOST_LINES or (tail and tail[0].n > after + 1 and self._is_long()):
            for event in self._from_the_beginning(after):
                after = event.n
                yield event
        for event in tail:
            if event.n > after and _is_sent(event):  # whoever edits it may have repeated a number
                after = event.n
                yield event

    def _is_long(self) -> bool:
        try:
            return os.lstat(self._file()).st_size > history.MOST_READ
        except OSError:
            return False

    def _from_the_beginning(self, after: int) -> Iterator[Event]:
        try:
            fd = open_regular(self._file())
        except OSError:
            return
        if fd is None:
            return
        with open(fd, "rb") as lines:
            while line := lines.readline(LONGEST_LINE):
                event = history.event_of(line.rstrip(b"\n"))
                if event and event.n > after and _is_sent(event):
                    after = event.n
                    yield event

    def batches(self, after: int) -> Iterator[Batch]:
        events = self._events(after) if self._has_begun else iter(())
        while some := list(itertools.islice(events, MOST_EVENTS)):
            rows = tuple(map(self._leaving.mode_event, some))
            yield Batch(after, rows[-1].position, rows[-1].at, mode_events=rows)
            after = rows[-1].position

    def unread(self, after: int, most: int) -> tuple[int, str | None]:
        first, count = None, 0
        for event in itertools.islice(self._events(after), most):
            first, count = first or event.at, count + 1
        return count, first


class TaskSource:
    """The transcript of one task."""

    kind = TASK

    def __init__(self, folder: str, task: str, machine: str, leaving: Leaving) -> None:
        """`folder`: the folder of all tasks. `machine`: the id of this machine."""
        self.path = task
        self._file = f"{folder}/{task}/{phases.TRANSCRIPT}"
        self._machine = machine
        self._leaving = leaving
        self._has_begun = True

    @property
    def name(self) -> str:
        return self._leaving.task(self.path)

    @property
    def keys(self) -> tuple[str, ...]:
        first = next(self._lines(), None)
        self._has_begun = first is not None
        return (_digest(self._machine, self.path, str(first[1].get("ts")) if first else ""),)

    def stamp(self) -> object:
        return _stamp(self._file)

    def _lines(self) -> Iterator[tuple[int, dict[str, object]]]:
        """Yield the whole lines that hold an object, each with its number; nothing of a file that is not ours."""
        try:
            fd = open_regular(self._file)
        except OSError:
            return
        if fd is None:
            return
        with open(fd, "rb") as lines:
            number = 0
            is_whole = True
            while line := lines.readline(LONGEST_LINE):
                ends = line.endswith(b"\n")
                if is_whole and ends and (found := _object(line)):
                    yield number + 1, found
                number += ends
                is_whole = ends

    def is_restored(self, position: int, at: str | None) -> bool:
        if not position:
            return False
        last = 0
        for number, line in self._lines():
            if number == position:
                return at is not None and moment(line.get("ts")) != at
            last = number
        return last < position

    def batches(self, after: int) -> Iterator[Batch]:
        rows: list[TaskMoveRow] = []
        size = 0
        for number, line in self._lines() if self._has_begun else ():
            if number <= after:
                continue
            rows.append(self._leaving.task_move(number, line))
            size += len(rows[-1].data)
            if len(rows) == MOST_EVENTS or size > MOST_BYTES:
                yield Batch(after, number, rows[-1].at, task_moves=tuple(rows))
                after, rows, size = number, [], 0
        if rows:
            yield Batch(after, rows[-1].position, rows[-1].at, task_moves=tuple(rows))

    def unread(self, after: int, most: int) -> tuple[int, str | None]:
        found = [line for number, line in self._lines() if number > after][:most]
        return len(found), (moment(found[0].get("ts")) if found else None)


def histories(root: str, machine: str, leaving: Leaving) -> list[HistorySource]:
    """Return a source for each session of a workspace that has a history. Raises RcsError and OSError."""
    folder = workspaces.state_folder(root)
    found = (HistorySource(folder, name, machine, leaving) for name in known_sessions(folder))
    return [each for each in found if each.stamp() is not None]


def transcripts(root: str, machine: str, leaving: Leaving) -> list[TaskSource]:
    """Return a source for each task of a workspace that has a transcript. Raises RcsError and OSError."""
    folder, names = tasks_folder(root), task_names(root)
    found = (TaskSource(folder, name, machine, leaving) for name in names)
    return [each for each in found if each.stamp() is not None]


def _is_sent(event: Event) -> bool:
    """Tell whether an event is one to send: the ones after a number from which nobody counts on have lower ones."""
    return event.n < history.LARGEST_LAST


def _digest(*parts: str) -> str:
    return sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:32]


def _stamp(path: str) -> object:
    try:
        status = os.lstat(path)
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size, status.st_ino


def _object(line: bytes) -> dict[str, object] | None:
    try:
        found = jsontext.loads(line.decode())
    except ValueError:
        return None
    return found if isinstance(found, dict) else None
