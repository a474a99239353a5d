"""Words of `rcs setup` about what some clients have and others do not, from the table of the clients."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rcs_hooks.clients import CLIENTS, installers
from rcs_hooks.clients.handlers import MCP
from rcs_hooks.clients.installer import LOCAL

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from rcs_hooks.clients.installer import Installer, InstallTarget


def has_local(installer: Installer) -> bool:
    return LOCAL in installer.scopes


def has_status_line(installer: Installer) -> bool:
    return bool(installer.status_line_scopes)


def has_sandbox(installer: Installer) -> bool:
    return installer.has_sandbox


def titles(has: Callable[[Installer], bool], *, without: bool = False) -> str:
    """Return the titles of the clients whose installer `has` something; with `without`, of the others."""
    return joined([each.client.title for each in installers().values() if has(each) is not without])


def joined(words: Sequence[str]) -> str:
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def no_local() -> str:
    others, only = titles(has_local, without=True), titles(has_local)
    return f"{others} cannot keep settings of yours alone in a project, so --scope local is for {only}"


def no_mcp(targets: Sequence[InstallTarget]) -> str:
    without = [CLIENTS[target.client].title for target in targets if MCP not in target.installer.transports]
    return f"{joined(without)} cannot ask an MCP server in place of a hook"


def no_status_line(targets: Sequence[InstallTarget]) -> list[str]:
    """Say of the clients for which `--statusline` does nothing why that is so."""
    without = [target for target in targets if target.scope not in target.installer.status_line_scopes]
    lines = []
    if any(not has_status_line(target.installer) for target in without):
        others, only = titles(has_status_line, without=True), titles(has_status_line)
        lines.append(f"{others} cannot run a command in the status line, so --statusline is for {only}")
    if elsewhere := [target for target in without if has_status_line(target.installer)]:
        named = joined([target.installer.client.title for target in elsewhere])
        lines.append(f"{named} reads a status line from --scope {elsewhere[0].installer.status_line_scopes[0]} alone")
    return lines
