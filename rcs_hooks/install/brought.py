"""Names what a repository may have brought under our name besides hooks: MCP servers, and variables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rcs_hooks.clients import CLIENTS, entries, handlers, installers
from rcs_hooks.clients.check import BROKEN, NOTE, WARN, Check
from rcs_hooks.clients.entries import SERVER
from rcs_hooks.clients.installer import LOCAL, setup_command
from rcs_hooks.errors import Refused
from rcs_hooks.files import workspaces
from rcs_hooks.install import program_checks
from rcs_hooks.install.check import at_most
from rcs_hooks.text import clean

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from rcs_hooks.clients.installer import Host
    from rcs_hooks.clients.reading import Server, Settings

MOST = 10
"""The most variables of one client that are shown."""
SHOWN = 80
WHAT_IT_DOES = {
    "RCS_DASHBOARD_TOKEN": "sets the dashboard's token",
    "RCS_DB": "moves the run store there",
    "RCS_DISABLE": "switches the hooks off",
    "RCS_PYTHON": "has the plugin run that program",
    "RCS_RECORD": "writes each hook call there, with your prompt",
    "RCS_ROOT": "moves the workspace there",
    "RCS_SESSION_ID": "makes `rcs` act on that session",
    "RCS_STOP_MAX_BLOCKS": "decides how often a Stop is blocked",
}


def servers(host: Host, client: str, settings: Sequence[Settings], *, is_asked: bool) -> Iterator[Check]:
    """Yield a check for each server under our name that no hook asks.

    `is_asked`: whether hooks ask the first server.
    """
    for server in installers()[client].servers(host, settings)[is_asked:]:
        if server.is_mine:
            is_named = [_name(server.entry), server.entry.get("args")] != ["rcs", ["mcp"]]
        else:
            is_named = not is_asked or not _is_as_written(server.entry)
        if is_named:
            yield _unasked(client, server)


def _name(entry: Mapping[str, Any]) -> str:
    return str(entry.get("command")).rpartition("/")[2]


def _is_as_written(entry: Mapping[str, Any]) -> bool:
    try:
        command = handlers.program("rcs")
    except Refused:
        return False
    return [entry.get("command"), entry.get("args")] == [command, ["mcp"]] and not program_checks.unknown_fields(entry)


def _unasked(client: str, server: Server) -> Check:
    args = server.entry.get("args")
    runs = clean(" ".join(map(str, [server.entry.get("command"), *(args if isinstance(args, list) else [])])), 200)
    more = program_checks.unknown_fields(server.entry)
    found = f"{server.path} has a server {SERVER} that no hook here asks: it runs {runs}{more and f', with {more}'}"
    title = f"{CLIENTS[client].title} server"
    if server.is_mine:
        return Check(title, NOTE, found, "remove it, unless it is yours")
    removes = setup_command(client, "project").replace("setup", "uninstall", 1)
    todo = "look at it before you trust this project"
    is_written = handlers.MCP in installers()[client].transports
    return Check(title, WARN, found, f"{todo}; `{removes}` removes it" if is_written else f"{todo}, or remove it")


def variables(host: Host, client: str, settings: Sequence[Settings]) -> Iterator[Check]:
    """Yield a check for each `RCS_…` variable that a file of the project sets: a client passes it to our hooks."""
    installer = installers()[client]
    title = f"{CLIENTS[client].title} env"
    found = []
    for each in settings:
        if not each.is_mine:
            status = WARN if each.target.scope == LOCAL else BROKEN
            for setting in _ours(installer.variables_in(each.value)):
                found.append(_variable(title, status, f"{each.path} sets", setting))
    for server in installer.servers(host, settings):
        if not server.is_mine:
            for name, value in _ours(server.entry.get("env")):
                if host.env.get(name) != value:  # else it may be from setup, which writes what is set
                    said = f"{server.path}: the server {SERVER} sets"
                    found.append(_variable(title, WARN, said, (name, value)))
    yield from at_most(MOST, found)


def _ours(values: object) -> list[tuple[str, Any]]:
    named = values.items() if isinstance(values, dict) else ()
    return sorted((name, value) for name, value in named if name.startswith(entries.OUR_VARIABLES))


def _variable(title: str, status: str, said: str, setting: tuple[str, Any]) -> Check:
    name, value = setting
    shown = "..." if name == "RCS_DASHBOARD_TOKEN" else clean(str(value), SHOWN)
    does = WHAT_IT_DOES.get(name, "this version does not know")
    if name == "RCS_DISABLE" and not workspaces.is_disabled({name: str(value)}):
        does = "leaves the hooks on"
    todo = "remove it from that file before you trust this project, unless it is yours"
    return Check(title, status, f"{said} {clean(name, SHOWN)}={shown}, which {does}", todo)
