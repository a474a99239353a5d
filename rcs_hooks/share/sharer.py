"""Sends what is new on this machine over one connection, and notes how far it has got.

Rules of this file:
- Whatever the database does, nothing local waits for it, nothing is lost, and it is tried again.
- What cannot be read here keeps nothing else from being sent.
"""

from __future__ import annotations

import threading
import time
from contextlib import suppress
from typing import TYPE_CHECKING

from rcs_hooks.environment import Environment
from rcs_hooks.errors import RcsError
from rcs_hooks.files.clock import iso
from rcs_hooks.runs import store as stores
from rcs_hooks.share import connecting, identity, progress, sent, settings
from rcs_hooks.share.errors import ShareError
from rcs_hooks.share.local_project import LocalProject
from rcs_hooks.share.progress import Behind, Progress
from rcs_hooks.share.writer import Moved, Writer

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from rcs_hooks.runs.log_records import RunLog
    from rcs_hooks.share.leaving_documents import Document
    from rcs_hooks.share.outbox import LocalSource
    from rcs_hooks.share.settings import ShareSettings
    from rcs_hooks.share.writer import RemoteSource

SEEN_EVERY = 60.0
NOTED_EVERY = 2.0
COUNTED_EVERY = 10.0
AGAIN_AFTER = 5.0
"""Seconds until a database of runs is opened again that could not be read."""
MOST_COUNTED = 100_000
DOCUMENTS_AT_ONCE = 300


class Sharer:
    """What shares from one home: its projects, the connection, and how far it has got."""

    def __init__(self, env: Mapping[str, str], cwd: str, *, seconds: float = connecting.ANSWER_SECONDS) -> None:
        """Read the settings. Raises Refused where no database is named. `seconds`: how long it may not answer."""
        self._env = env
        self._seconds = seconds
        self.home = settings.home_in(env)
        self._uuid = identity.machine_id(self.home)
        self._settings: ShareSettings = settings.load(env)
        self.address = self._settings.needed_address()
        self._location = stores.location_of(Environment(env, cwd, time.time()))
        self.progress = Progress(self.home, self.address.shown)
        self.projects: list[LocalProject] = []
        self._link: connecting.Link | None = None
        self._writer: Writer | None = None
        self._log: RunLog | None = None
        self._seen_at = self._noted_at = self._counted_at = 0.0
        self._open_at = 0.0
        self._has_news = False
        self._use_projects()

    def close(self) -> None:
        """Release the connection and the database of runs."""
        self._disconnect()
        if self._log is not None:
            self._log.close()
        self._log = None

    # --- settings

    def _is_over(self, stop: threading.Event) -> bool:
        """Tell whether a pass is to end early: a folder that is no longer named is not sent to its end."""
        return stop.is_set() or settings.stamp_of(self.home) != self._settings.stamp

    def _read_settings(self) -> None:
        """Read the settings again if they have changed. Raises Refused as long as no database is named."""
        if settings.stamp_of(self.home) == self._settings.stamp:
            self._settings.needed_address()
            return
        before, self._settings = self._settings, settings.load(self._env)
        if self._settings.address != before.address:
            self._disconnect()
            self.projects = []  # what was sent was sent elsewhere
            self.address = self._settings.needed_address()
            self.progress = Progress(self.home, self.address.shown)
        elif (self._settings.machine, self._settings.person) != (before.machine, before.person):
            self._disconnect()
        self._use_projects()

    def _use_projects(self) -> None:
        known = {each.project: each for each in self.projects}
        wanted = self._settings.projects
        self.projects = [known.get(each) or LocalProject(each, self._env, self._uuid) for each in wanted]
        for each in self.projects:
            if each.project not in known:
                each.use_log(self._log)
        self.progress.projects = [each.name for each in wanted]

    # --- the connection

    def _connect(self) -> Writer:
        if self._writer is None:
            self._link = connecting.open_link(self.address, seconds=self._seconds)
            writer = Writer(self._link, self._uuid)
            writer.begin(self._settings.machine, self._settings.person)
            self.progress.machine = writer.machine.name
            self._seen_at = time.monotonic()
            self._writer = writer
        for each in self.projects:
            if each.number is None:
                each.connected(self._writer.project(each.project))
        return self._writer

    def _disconnect(self) -> None:
        if self._link is not None:
            self._link.close()
        self._link = self._writer = None
        for each in self.projects:
            each.number = None

    # --- one pass

    def send_news(self, stop: threading.Event) -> bool:
        """Send everything that is new, and tell whether that is done. Raises ShareError.

        It ends early, between two batches, where `stop` is set, or the settings have changed.
        """
        self._read_settings()
        if self.progress.local_error is None or time.monotonic() >= self._open_at:
            self.progress.local_error = None
            self._open_log()
        try:
            writer = self._connect()
            for each in self.projects:
                self._send_project(writer, each, stop)
            for each in self.projects:
                self._send_documents(writer, each, stop)
            if time.monotonic() - self._seen_at > SEEN_EVERY:
                writer.seen()
                self._seen_at = time.monotonic()
        except ShareError:
            self._disconnect()
            raise
        faults = (each.fault for each in self.projects)
        self.progress.local_error = self.progress.local_error or next(filter(None, faults), None)
        is_done = not self._is_over(stop)
        if is_done:
            self.progress.state, self.progress.behind, self.progress.error = progress.CURRENT, Behind(), None
        self.note()
        return is_done

    def _open_log(self) -> None:
        """Open the database of runs where there is one now, or another one than before."""
        try:
            if self._log is not None and self._log.is_replaced():
                self._log.close()
                self._log = None
                self._use_log()
            if self._log is None:
                self._log = stores.open_log(self._location)
                if self._log is not None:
                    self._use_log()
        except (RcsError, OSError) as error:
            self._failed_here(error)

    def _failed_here(self, error: Exception) -> None:
        """Note why something on this machine cannot be read; the database of runs is opened again in a while."""
        self.progress.local_error = str(error)
        self._open_at = time.monotonic() + AGAIN_AFTER
        if self._log is not None:
            self._log.close()
            self._log = None
            self._use_log()

    def _use_log(self) -> None:
        for each in self.projects:
            each.use_log(self._log)

    def _send_project(self, writer: Writer, each: LocalProject, stop: threading.Event) -> None:
        try:
            for source, stamp in each.changed(time.monotonic(), len(self.projects)):
                position = self._send_source(writer, each, source, stop)
                if self._is_over(stop):
                    each.look_again()
                    return
                each.was_sent(source, stamp, position)
                self._has_news = True
        except ShareError:
            raise
        except (RcsError, OSError) as error:  # of the local stores
            self._failed_here(error)

    def _send_source(self, writer: Writer, each: LocalProject, source: LocalSource, stop: threading.Event) -> int:
        """Send what is new of one source; return up to where it was sent."""
        remote = writer.source(each.number or 0, source)
        while True:
            try:
                for then in self._sent(writer, source, remote):
                    remote = then
                    each.positions[source.kind, source.path] = remote.position
                    if self._is_over(stop):
                        break
                return remote.position
            except Moved:  # by whom, only the database knows
                remote = writer.read_again(source, remote)

    def _sent(self, writer: Writer, source: LocalSource, remote: RemoteSource) -> Iterator[RemoteSource]:
        for batch in source.batches(remote.position):
            self.progress.state = progress.SENDING
            remote = writer.send(source, remote, batch)
            self.progress.sent += batch.size
            self.progress.last_sent_at = iso(time.time())
            self._has_news = True
            self.note()
            yield remote

    def _send_documents(self, writer: Writer, each: LocalProject, stop: threading.Event) -> None:
        clock = time.monotonic()
        if each.number is None or self._is_over(stop) or not each.documents_are_due(clock):
            return
        there = None if each.has_asked else writer.documents(each.number)
        try:
            changed, gone = each.documents(clock, there)
        except (RcsError, OSError) as error:
            self.progress.local_error = str(error)
            return
        parts: list[list[Document]] = [
            changed[at : at + DOCUMENTS_AT_ONCE] for at in range(0, len(changed), DOCUMENTS_AT_ONCE)
        ]
        for part in parts or ([[]] if gone else []):
            writer.send_documents(each.number, part, gone)
            gone = []
        each.documents_sent()

    # --- what others are told

    def note(self, *, now: bool = False) -> None:
        """Write how far it has got, though not each time; with `now`, at once."""
        clock = time.monotonic()
        if self._has_news and (now or clock - self._noted_at > NOTED_EVERY):
            self._noted_at = clock
            with suppress(OSError):
                of_each = {each.project.path: each.as_sent() for each in self.projects}
                sent.note(self.home, self.address.shown, of_each)
                self._has_news = False
        self.progress.write(now=now)

    def failed(self, error: RcsError, pause: float) -> None:
        """Note an error, and how much waits to be sent."""
        self.progress.failed(error, pause)
        if time.monotonic() - self._counted_at > COUNTED_EVERY:
            self._counted_at = time.monotonic()
            with suppress(RcsError, OSError):
                self.progress.behind = self._behind()
        self.note(now=True)

    def _behind(self) -> Behind:
        self._open_log()
        known = sent.load(self.home, self.address.shown)
        count, since = 0, []
        for each in self.projects:
            each.look(known)
            for more, first in each.unread(MOST_COUNTED):
                count += more
                since += [first] if first else []
        return Behind(count, min(since, default=None))
