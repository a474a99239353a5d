"""Looks at sharing on this machine: whether it goes on, how far behind it is, and what is wrong. Changes nothing.

Loads no driver but to ask the server, which may take a few seconds at most, whatever becomes of it.
"""

from __future__ import annotations

import fcntl
import os
import threading
import time
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple
from uuid import UUID

from rcs_hooks.environment import Environment
from rcs_hooks.errors import RcsError
from rcs_hooks.files.clock import seconds
from rcs_hooks.files.lock import LOCK
from rcs_hooks.files.paths import HOME
from rcs_hooks.runs import store as stores
from rcs_hooks.share import identity, progress, sent
from rcs_hooks.share.progress import Behind
from rcs_hooks.text import clean, quoted

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from rcs_hooks.config.database_url import DatabaseAddress
    from rcs_hooks.config.share_table import SharedProject
    from rcs_hooks.jsontext import JsonObject
    from rcs_hooks.share.settings import ShareSettings

SERVER_SECONDS = 3.0
"""How long the server may take, from its name to its answer."""
MOST_COUNTED = 100_000
LONGEST = 400
ONCE_LASTS = 2 * 3600.0
"""For so many seconds after `rcs share run --once` nothing has to be at work: cron may call it each hour."""
START, WHY = "rcs share start", "rcs share run --once"
"""What starts a service where there is none, and what says why it does not go on."""


class SharedServer(NamedTuple):
    """What the shared database says of itself, or why it says nothing."""

    shown: str
    version: int | None = None
    error: str = ""


class Program(NamedTuple):
    """The `rcs share run` of this home, as it was when it last said something."""

    is_at_work: bool
    said: JsonObject

    @property
    def pid(self) -> int | None:
        pid = self.said.get("pid")
        return pid if isinstance(pid, int) else None

    @property
    def machine(self) -> str:
        """Return what the shared database calls this machine; empty if that is not known."""
        return clean(str(self.said.get("machine") or ""), LONGEST)

    @property
    def error(self) -> str:
        """Return why it cannot go on; empty if it can."""
        error = self.said.get("error")
        return clean(str(error.get("message") or ""), LONGEST) if isinstance(error, dict) else ""

    def of_error(self, name: str) -> str:
        """Return another field of its error, as a text."""
        error = self.said.get("error")
        return clean(str(error.get(name) or ""), LONGEST) if isinstance(error, dict) else ""

    @property
    def local_error(self) -> str:
        """Return what of this machine it cannot read; empty if it can read everything."""
        return clean(str(self.said.get("local_error") or ""), LONGEST)


class ProjectHealth(NamedTuple):
    """One folder that may leave the machine, and what of it was not sent yet."""

    project: SharedProject
    is_there: bool
    behind: Behind
    """At most `MOST_COUNTED` records are counted of each source."""


def server(address: DatabaseAddress, seconds: float = SERVER_SECONDS) -> SharedServer:
    """Ask the server for the version of the schema, for so many seconds at most."""
    answer: list[SharedServer] = []

    def ask() -> None:
        try:
            from rcs_hooks.share import connecting

            with connecting.connection(address, seconds=seconds) as link:
                answer.append(SharedServer(address.shown, connecting.check_writer(link).version))
        except (RcsError, OSError) as error:
            answer.append(SharedServer(address.shown, None, clean(str(error), LONGEST)))

    # The search for its name has no time limit of its own. A thread that is late ends with the program.
    asking = threading.Thread(target=ask, daemon=True)
    asking.start()
    asking.join(seconds)
    return (
        answer[0]
        if answer
        else SharedServer(address.shown, None, f"{address.shown} has not answered for {seconds:g} s")
    )


def program(home: str) -> Program:
    """Return what `rcs share run` has said last, and whether it is still at work."""
    said = progress.read(home) or {}
    pid = said.get("pid")
    is_known = isinstance(pid, int) and said.get("state") != progress.STOPPED and _is_alive(pid)
    return Program(is_known and _is_locked(home), said)


def _is_alive(pid: int) -> bool:
    return os.path.exists(f"/proc/{pid}") if os.path.isdir("/proc/self") else _can_be_signalled(pid)


def _can_be_signalled(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _is_locked(home: str) -> bool:
    """Tell whether a process has the lock of the one that shares: its number may be another program's by now."""
    path = os.path.join(home, HOME, identity.FOLDER, progress.RUNNING, LOCK)
    try:
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return False
    try:
        fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        return True
    finally:
        os.close(fd)
    return False


def projects(settings: ShareSettings, env: Mapping[str, str], cwd: str) -> list[ProjectHealth]:
    """Return each folder that may leave the machine, with what of it was not sent yet."""
    from rcs_hooks.share.local_project import LocalProject

    known = sent.load(settings.home, settings.server)
    log = None
    with suppress(RcsError, OSError):  # what cannot be read is what the program that shares says
        log = stores.open_log(stores.location_of(Environment(env, cwd, time.time())))
    found = []
    try:
        for project in settings.projects:
            local = LocalProject(project, env, UUID(int=0))  # counting needs no machine
            local.use_log(log)
            local.look(known)
            parts = list(local.unread(MOST_COUNTED))
            since = min((first for _, first in parts if first), default=None)
            behind = Behind(sum(count for count, _ in parts), since)
            found.append(ProjectHealth(project, os.path.isdir(project.path), behind))
    finally:
        if log is not None:
            log.close()
    return found


def problems(
    settings: ShareSettings, there: SharedServer | None, at_work: Program, *, has_service: bool
) -> Iterator[tuple[str, str]]:
    """Yield what is wrong, and what to do about it (empty where the sentence says it).

    `has_service`: whether a service is to run `rcs share run`.
    """
    for fault in settings.faults:
        yield clean(fault.sentence, LONGEST), ""
    if there is not None and there.error:
        yield there.error, ""
    for project in settings.projects:
        if not os.path.isdir(project.path):
            yield f"{clean(project.path, LONGEST)} is not there any more", f"rcs share remove {quoted(project.path)}"
    if settings.address is None or not settings.projects:
        return
    if not at_work.is_at_work and (has_service or not _is_done(settings, at_work.said)):
        was_cut = at_work.said.get("state") not in (None, progress.STOPPED)
        how = f"`rcs share run` (process {at_work.pid}) has ended" if was_cut else "no `rcs share run` is at work"
        then = "and nothing was sent since the last `--once`" if at_work.said.get("done_at") else "so nothing is sent"
        yield f"{how}, {then}", WHY if has_service else START
        return
    if at_work.error and at_work.error != (there.error if there else ""):
        yield f"since {at_work.of_error('since')} nothing can be sent: {at_work.error}", ""
    if at_work.local_error:
        yield f"something on this machine cannot be read, and is not sent: {at_work.local_error}", ""


def _is_done(settings: ShareSettings, said: JsonObject) -> bool:
    """Tell whether `rcs share run --once` has sent a while ago at most what the settings name now."""
    done_at = seconds(said.get("done_at"))
    if settings.address is None or done_at is None or abs(time.time() - done_at) > ONCE_LASTS:
        return False
    named = settings.address.shown, [each.name for each in settings.projects]
    return (said.get("server"), said.get("projects")) == named
