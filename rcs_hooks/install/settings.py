"""The files of a client in which our hooks and our server may stand, read as the client reads them."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, NamedTuple

from rcs_hooks import jsontext
from rcs_hooks.errors import Refused
from rcs_hooks.install import edit, merge, tomledit
from rcs_hooks.install.check import BROKEN, Check
from rcs_hooks.install.clients import CLAUDE, CODEX, LOCAL, PROJECT, SCOPES, TITLES, USER, Machine, Place
from rcs_hooks.state.paths import inside

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

Record = dict[str, Any]

LARGEST = 1024 * 1024
"""Far more than such a file has; a larger one would be minutes of reading."""
BOM = "\ufeff"


class Settings(NamedTuple):
    """One file in which hooks may stand."""

    place: Place
    path: str
    value: Record
    ours: list[tuple[merge.Place, Record]]

    @property
    def is_mine(self) -> bool:
        """Whether the person's own hand wrote it, and no repository."""
        return self.place.scope == USER and not in_project(self.place.machine, self.path)


class Server(NamedTuple):
    """An entry of our server, and whether the person's own file holds it."""

    entry: Record
    is_mine: bool


def in_project(machine: Machine, path: str) -> bool:
    """Whether a repository may have brought it. One that holds the person's home is the person's own."""
    root = os.path.realpath(machine.root)
    return inside(os.path.realpath(path), root) and not inside(os.path.realpath(machine.home), root)


def value_of(path: str, within: str | None, largest: int = LARGEST) -> Record | None:
    """What a file says; None where there is none. Raises Refused."""
    try:
        text = edit.read(path, within, largest)
    except OSError as error:
        raise Refused((error.strerror or str(error)).lower()) from None
    except Refused as error:
        raise Refused(str(error).removeprefix(f"{path}: ").removesuffix(", so it was left as it is")) from None
    if text is None or not text.strip():
        return None
    kind, parse = ("JSON", jsontext.loads) if path.endswith(".json") else ("TOML", tomledit.parse)
    try:
        value = parse(text.removeprefix(BOM))
    except RecursionError:
        raise Refused("it is nested too deep") from None
    except ValueError as error:
        raise Refused(f"it is not {kind}: {error}") from None
    if not isinstance(value, dict):
        raise Refused("the whole of it is no object")
    return value


def quietly(path: str, within: str | None, largest: int = LARGEST) -> Record:
    """For a file that another check complains about."""
    try:
        return value_of(path, within, largest) or {}
    except Refused:
        return {}


# --- hooks


def read_all(machine: Machine, client: str) -> Iterator[Settings | Check]:
    """What the client asks first comes first; a check in its place where the client cannot read a file either."""
    done: set[str] = {os.path.realpath(path) for _, path in _paths(machine, client, USER)}
    for scope in SCOPES:
        for place, path in _paths(machine, client, scope):
            if scope != USER and os.path.realpath(path) in done:
                continue  # the home is the project
            try:
                value = value_of(path, place.within)
                if value is not None:
                    yield Settings(place, path, value, merge.ours(_hooks_part(client, value)))
            except Refused as error:
                yield Check(f"{TITLES[client]} file", BROKEN, f"{path}: {error}", "mend the file by hand")


def _paths(machine: Machine, client: str, scope: str) -> list[tuple[Place, str]]:
    place = Place(machine, client, scope)
    if client == CODEX:
        return [] if scope == LOCAL else [(place, place.hooks_file), (place, place.config_file)]
    return [(place, place.hooks_file)]


def _hooks_part(client: str, value: Record) -> Record:
    """Codex keeps what it has been told of trust among the hooks of config.toml."""
    hooks = value.get("hooks")
    if client == CODEX and isinstance(hooks, dict):
        return {"hooks": {event: groups for event, groups in hooks.items() if event != "state"}}
    return value


# --- the server


def server(machine: Machine, client: str, found: Sequence[Settings]) -> Server | None:
    """The entry that the client would start, wherever it may stand."""
    if client == CODEX:
        named = [(each.value.get("mcp_servers"), each.is_mine) for each in found]
    else:
        project, user = (Place(machine, CLAUDE, scope) for scope in (PROJECT, USER))
        own = quietly(user.servers_file, None, edit.LARGEST)
        is_mine = not in_project(machine, user.servers_file)
        shared = quietly(project.servers_file, project.within)
        named = [
            (known_project(machine).get("mcpServers"), is_mine),
            (shared.get("mcpServers"), False),
            (own.get("mcpServers"), is_mine),
        ]
    for servers, is_mine in named:
        entry = servers.get(merge.SERVER) if isinstance(servers, dict) else None
        if isinstance(entry, dict):
            return Server(entry, is_mine)
    return None


def known_project(machine: Machine, folders: Sequence[str] = ()) -> Record:
    """What Claude Code keeps of this project in the person's own file."""
    projects = quietly(Place(machine, CLAUDE, USER).servers_file, None, edit.LARGEST).get("projects")
    known = [projects.get(folder) for folder in folders or [machine.root]] if isinstance(projects, dict) else []
    return next((each for each in known if isinstance(each, dict)), {})
