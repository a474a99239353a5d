"""What the person has said of sharing: `[share]` of `~/.rcs/config.toml`, and RCS_SHARE where it names the same host.

A workspace cannot say anything of it: neither by an `rcs.toml`, nor by a variable that its `.env` has brought.
"""

from __future__ import annotations

import getpass
import os
import socket
from typing import TYPE_CHECKING, NamedTuple

from rcs_hooks.config import database_url, reading, share_table
from rcs_hooks.config.loading import HOME_FILE, HOME_SHOWN
from rcs_hooks.config.share_table import LONGEST_NAME, NOT_IN_NAMES, SharedProject, Sharing
from rcs_hooks.errors import Refused
from rcs_hooks.fault import Fault
from rcs_hooks.files.paths import HOME
from rcs_hooks.files.workspaces import home_of, is_foreign

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rcs_hooks.config.database_url import DatabaseAddress

__all__ = ["ShareSettings", "SharedProject", "load", "plain_name", "project_of", "read_address"]

VARIABLE = "RCS_SHARE"
INIT = "rcs share init postgresql://user@host/database"


class ShareSettings(NamedTuple):
    """What counts for sharing on this machine."""

    home: str
    address: DatabaseAddress | None
    """Where to share; None if nothing says it."""
    person: str
    machine: str
    """What this machine is called; the database may add a number to it."""
    projects: tuple[SharedProject, ...]
    stamp: str
    """What tells this state of the person's own file from another one."""
    faults: tuple[Fault, ...] = ()

    def needed_address(self) -> DatabaseAddress:
        """Return where to share. Raises Refused if nothing says it."""
        if self.address is not None:
            return self.address
        if self.faults:
            raise Refused(f"nothing is shared: {self.faults[0].sentence}")
        raise Refused(f"no shared database is named; to name one: {INIT}")

    @property
    def server(self) -> str:
        """Return the shared database as it is shown; empty if nothing names one."""
        return self.address.shown if self.address else ""


def config_path(home: str) -> str:
    """Return the path of the person's own settings."""
    return os.path.join(home, HOME, HOME_FILE)


def stamp_of(home: str) -> str:
    """Return what tells one state of the person's own settings from another; empty if there are none."""
    try:
        status = os.stat(config_path(home))
    except OSError:
        return ""
    return f"{status.st_mtime_ns}:{status.st_size}:{status.st_ino}"


def home_in(env: Mapping[str, str]) -> str:
    """Return the person's home. Raises Refused if there is none, or another user owns its `.rcs`."""
    home = home_of(env)
    if home is None:
        raise Refused("HOME is not set, so nothing can be shared; set HOME and try again")
    if is_foreign(home):
        raise Refused(f"{os.path.join(home, HOME)} belongs to another user, so nothing in it counts")
    return home


def load(env: Mapping[str, str]) -> ShareSettings:
    """Return what counts for sharing. Raises Refused where there is no home."""
    home = home_in(env)
    stamp = stamp_of(home)  # before the file is read: what is written meanwhile is newer
    said, faults = _in_file(home)
    address, wrong = _address(said.address, env.get(VARIABLE, "").strip())
    return ShareSettings(
        home,
        address,
        said.person or plain_name(_user()) or "somebody",
        said.machine or plain_name(socket.gethostname().partition(".")[0]) or "machine",
        said.projects,
        stamp,
        (*faults, *wrong),
    )


def _in_file(home: str) -> tuple[Sharing, list[Fault]]:
    source = reading.read(config_path(home), through_links=True)
    if source is None:
        return Sharing(), []
    return (Sharing(), [source.fault]) if source.fault else share_table.in_file(source)


def _address(own: DatabaseAddress | None, variable: str) -> tuple[DatabaseAddress | None, list[Fault]]:
    """Return the address that counts. A variable may name another database and user, but never another server.

    Options stay those of the file: one of them could lead to another server, or do without its certificate.
    """
    if not variable:
        return own, []
    try:
        other = database_url.parse(variable)
    except ValueError as error:
        return own, [Fault(VARIABLE, 0, f"it counts for nothing: {error}")]
    if own is None or own.hosts != other.hosts:
        why = f"it counts only for the host and port of the url in {HOME_SHOWN}; to write one: rcs share init URL"
        return own, [Fault(VARIABLE, 0, why)]
    if other.options not in ((), own.options):
        why = f"it may name no options but those of the url in {HOME_SHOWN}"
        return own, [Fault(VARIABLE, 0, why)]
    return own._replace(database=other.database, user=other.user or own.user), []


def read_address(text: str) -> DatabaseAddress:
    """Read an address that a person has typed. Raises Refused, which repeats nothing of it."""
    try:
        return database_url.parse(text.strip())
    except ValueError as error:
        raise Refused(f"the address counts for nothing: {error}") from None


def project_of(projects: tuple[SharedProject, ...], path: str) -> SharedProject | None:
    """Return the shared project that a workspace is; None if it is none. What lies in one was not named."""
    return next((each for each in projects if each.path == path), None)


def plain_name(text: str) -> str:
    """Return a text as a name that others are shown; empty if nothing of it is left."""
    plain = "".join("-" if char in NOT_IN_NAMES or not char.isprintable() else char for char in text)
    return " ".join(plain.split())[:LONGEST_NAME].strip(" .")


def _user() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError):  # KeyError before Python 3.13: a user without a name
        return ""
