"""One shared project on this machine: its sources, what of them is new, and its documents."""

from __future__ import annotations

import os
import time
from contextlib import suppress
from hashlib import blake2b
from typing import TYPE_CHECKING

import rcs_hooks
from rcs_hooks.errors import RcsError
from rcs_hooks.overview import state_version
from rcs_hooks.share import file_sources, outbox, sent
from rcs_hooks.share.documents import ProjectDocuments
from rcs_hooks.share.leaving import Leaving
from rcs_hooks.share.runs_source import RunsSource

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from uuid import UUID

    from rcs_hooks.config.share_table import SharedProject
    from rcs_hooks.runs.log_records import RunLog
    from rcs_hooks.share.leaving_documents import Document
    from rcs_hooks.share.outbox import LocalSource

    Listed = Callable[[str, str, Leaving], Sequence[LocalSource]]

LEAST_PAUSE, LONGEST_PAUSE = 0.1, 30.0
SHARE = 0.005
"""How much of one processor looking into the folders of all projects may take."""
SHARE_OF_READING = 0.1
"""How much of one processor reading the documents may take while one change follows another."""
ANYWAY = 300.0
"""After so many seconds everything is looked at again though nothing seems to be written: things grow old, and of a
folder with very many entries not all are seen."""
RECENT = 60.0
MOST_RECENT = 8
"""So many sources are looked at every time for a minute after they were written: a look at all may be seldom."""
IN_SENT = {outbox.RUNS: sent.RUNS, outbox.HISTORY: sent.HISTORIES, outbox.TASK: sent.TASKS}
LISTED: dict[str, Listed] = {outbox.HISTORY: file_sources.histories, outbox.TASK: file_sources.transcripts}
PACKAGE = os.path.dirname(os.path.abspath(rcs_hooks.__file__))
Key = tuple[str, str]


class LocalProject:
    """What is known of one project's files, and which of it was sent."""

    def __init__(self, project: SharedProject, env: Mapping[str, str], machine: UUID) -> None:
        self.project = project
        self.number: int | None = None
        """The project in the database; None until it was looked up over this connection."""
        self.positions: dict[Key, int] = {}
        """Up to where each source was sent, by its kind and path."""
        self._machine = str(machine)
        self._leaving = Leaving(self._machine, texts=project.texts, shipped=PACKAGE)
        self._documents = ProjectDocuments(project.path, env, self._leaving)
        self._runs: RunsSource | None = None
        self._done: dict[Key, object] = {}
        self._version: int | None = None
        self._seen_version = 0
        self._look_at = 0.0
        self._read_documents_at = 0.0
        self._documents_of: tuple[int, float] | None = None
        self._hashes: dict[Key, bytes] | None = None
        """By its kind and key each document that the database holds; None if that was not asked yet."""
        self._pending: tuple[tuple[int, float], dict[Key, bytes]] = (0, 0.0), {}
        self._folders: list[LocalSource] = []
        self._recent: dict[Key, tuple[LocalSource, float]] = {}
        """The sources that were written a moment ago, each with the time until which it is looked at every time."""
        self._found_at = 0.0
        self.fault: str | None = None
        """Why no file of the project is read; None if they are."""

    def connected(self, number: int) -> None:
        """Note the number of the project; what the database holds is to be asked again."""
        self.number = number
        self._hashes = None
        self._done.clear()
        self._version = None
        self.look_again()

    def look_again(self) -> None:
        """Note that not all was sent which the last look has found, so that the next one does not wait."""
        self._look_at = 0.0

    def use_log(self, log: RunLog | None) -> None:
        """Read the runs from this database from now on."""
        self._runs = RunsSource(log, self.project.path, self._leaving) if log else None
        self._done = {key: stamp for key, stamp in self._done.items() if key[0] != outbox.RUNS}

    def changed(self, clock: float, projects: int) -> Iterator[tuple[LocalSource, object]]:
        """Yield the sources that have changed since they were sent, each with its stamp.

        `clock`: a monotonic time in seconds. `projects`: how many share the time that looking may take.
        """
        if self._runs is not None:
            yield from self._if_changed(self._runs)
        if clock < self._look_at:
            yield from self._of_recent(clock)
            return
        begun = time.thread_time()
        self.fault = _fault_of(self.project.path)
        self._seen_version = 0 if self.fault else state_version.version(self.project.path)
        is_new = not self.fault and (self._seen_version != self._version or clock - self._found_at > ANYWAY)
        if is_new:
            self._folders, self._found_at = self._found(), clock
        cost = time.thread_time() - begun
        self._look_at = clock + min(LONGEST_PAUSE, max(LEAST_PAUSE, cost * projects / SHARE))
        if is_new:
            for source in self._folders:
                for changed in self._if_changed(source):
                    self._recent[source.kind, source.path] = source, clock + RECENT
                    yield changed
            self._version = self._seen_version  # only once all of them were sent

    def _of_recent(self, clock: float) -> Iterator[tuple[LocalSource, object]]:
        self._recent = {key: each for key, each in self._recent.items() if each[1] > clock}
        for key, (source, _) in list(self._recent.items())[-MOST_RECENT:]:
            for changed in self._if_changed(source):
                self._recent[key] = source, clock + RECENT
                yield changed

    def _if_changed(self, source: LocalSource) -> Iterator[tuple[LocalSource, object]]:
        stamp = source.stamp()
        if stamp is not None and self._done.get((source.kind, source.path), ()) != stamp:
            yield source, stamp

    def was_sent(self, source: LocalSource, stamp: object, position: int) -> None:
        """Note that everything of a source was sent that was there when it had this stamp."""
        self._done[source.kind, source.path] = stamp
        self.positions[source.kind, source.path] = position

    def look(self, known: sent.Sent) -> None:
        """Find the sources while there is no connection; `known`: what was sent before this program was started."""
        self._folders = self._found()
        for source in (*self._folders, *([self._runs] if self._runs else [])):
            upto = known.upto(self.project.path, IN_SENT[source.kind], source.path)
            self.positions.setdefault((source.kind, source.path), upto)

    def _found(self) -> list[LocalSource]:
        found: list[LocalSource] = []
        for listed in LISTED.values():
            with suppress(RcsError, OSError):
                found += listed(self.project.path, self._machine, self._leaving)
        return found

    def unread(self, most: int) -> Iterator[tuple[int, str | None]]:
        """Yield for each source how many records were not sent yet, and the moment of the first."""
        sources = [*self._folders, *([self._runs] if self._runs else [])]
        for source in sources:
            yield source.unread(self.positions.get((source.kind, source.path), 0), most)

    def as_sent(self) -> dict[str, dict[str, int]]:
        """Return up to where everything was sent, as `sent` notes it."""
        found: dict[str, dict[str, int]] = {}
        for (kind, path), position in self.positions.items():
            found.setdefault(IN_SENT[kind], {})[path] = position
        return found

    # --- documents

    def documents_are_due(self, clock: float) -> bool:
        """Tell whether the documents may have changed, and may be read again."""
        if clock < self._read_documents_at:
            return False
        if self._hashes is None or self._documents_of is None:
            return True
        version, read_at = self._documents_of
        return version != self._seen_version or clock - read_at > ANYWAY

    def documents(self, clock: float, there: set[Key] | None) -> tuple[list[Document], list[Key]]:
        """Return the documents that have changed, and the kinds and keys of those that are gone.

        `there`: what the database has; None where it was asked before over the same connection.
        """
        # What is written meanwhile is newer than this.
        version = 0 if self.fault else state_version.version(self.project.path)
        begun = time.thread_time()
        found = {} if self.fault else self._documents.read(time.time())
        cost = time.thread_time() - begun
        self._read_documents_at = clock + max(LEAST_PAUSE, cost / SHARE_OF_READING)
        hashes = {key: _digest(each) for key, each in found.items()}
        before = self._hashes or {}
        changed = [found[key] for key in found if before.get(key) != hashes[key]]
        gone = sorted((set(before) if there is None else there) - set(hashes))
        self._pending = (version, clock), hashes
        return changed, gone

    def documents_sent(self) -> None:
        """Note that the documents which were read last are in the database."""
        self._documents_of, self._hashes = self._pending

    @property
    def has_asked(self) -> bool:
        """Tell whether the database was asked over this connection which documents it has."""
        return self._hashes is not None


def _fault_of(path: str) -> str | None:
    """Return why no file of a project may be read; None if they may: it must be the folder that a person has named."""
    if not os.path.isdir(path):
        return f"{path} is not there, so no session and task of it is shared"
    if os.path.realpath(path) != path:
        return f"{path} is or lies in a link now, so no session and task of it is shared; to share it: rcs share add"
    return None


def _digest(document: Document) -> bytes:
    return blake2b(f"{document.at}\n{document.record}".encode(), digest_size=16).digest()
