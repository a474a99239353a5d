"""Whether Claude Code would run our hooks: switches in four files, the server's approval, and its rules."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any

from rcs_hooks.clients import status_line
from rcs_hooks.clients.check import BROKEN, NOTE, OK, TODO, WARN, Check
from rcs_hooks.clients.claude import CLAUDE
from rcs_hooks.clients.claude.settings import ENABLED, is_too_wide, rules_for
from rcs_hooks.clients.entries import SERVER, TOOL_TYPE
from rcs_hooks.clients.installer import PROJECT, USER, setup_command
from rcs_hooks.clients.reading import project_names, value_at
from rcs_hooks.errors import Refused
from rcs_hooks.text import clean

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from rcs_hooks.clients.entries import Record
    from rcs_hooks.clients.installer import Host
    from rcs_hooks.clients.reading import Settings

MANAGED = (
    "/Library/Application Support/ClaudeCode/managed-settings.json"
    if sys.platform == "darwin"
    else "/etc/claude-code/managed-settings.json"
)
PLUGIN = "rcs@"
SHOWN = 200
TRUSTED = "hasTrustDialogAccepted"


def checks(
    host: Host, settings: Sequence[Settings], own: Record, names: Sequence[str], managed_file: str = MANAGED
) -> Iterator[Check]:
    """Yield checks of what would keep Claude Code from running our hooks, or make it ask the person each time.

    `own`: the person's `.claude.json`. `names`: the words by which the agent may call `rcs`.
    """
    try:
        managed = value_at(managed_file, None) or {}
    except Refused as error:
        managed = {}
        yield Check("Claude Code file", WARN, f"{managed_file}: {error}", "ask who manages it")
    values = [(managed_file, managed), *((each.path, each.value) for each in settings)]
    project = known_project(own, project_names(host.root))
    yield from _switches(values)
    with_ours = [each for each in settings if each.ours]
    if over_mcp := [each for each in with_ours if any(h.get("type") == TOOL_TYPE for _, h in each.ours)]:
        yield from _server_approved([*(value for _, value in values), project], over_mcp)
    yield _rules_allow(CLAUDE.rcs_command(host.env), values, with_ours)
    for each in settings:
        yield from status_line.checks(CLAUDE, each, names)
    if any(each.target.scope != USER for each in with_ours):
        yield _folder_trusted(host, own, project)


def known_project(own: Record, folders: Sequence[str]) -> Record:
    """Return what `.claude.json` (`own`) records for the first folder that it knows; empty if it knows none."""
    projects = own.get("projects")
    known = [projects.get(folder) for folder in folders] if isinstance(projects, dict) else []
    return next((each for each in known if isinstance(each, dict)), {})


def plugin_file(settings: Sequence[Settings]) -> str | None:
    """Return the path of the file that switches our plugin on; None if none does.

    The first file that names it decides.
    """
    for each in settings:
        enabled = each.value.get("enabledPlugins")
        switches = [on for name, on in enabled.items() if name.startswith(PLUGIN)] if isinstance(enabled, dict) else []
        if switches:
            return each.path if True in switches else None
    return None


def _switches(values: Sequence[tuple[str, Mapping[str, Any]]]) -> Iterator[Check]:
    # The first file that names disableAllHooks decides.
    path, value = next(((p, v) for p, v in values if isinstance(v.get("disableAllHooks"), bool)), ("", {}))
    if value.get("disableAllHooks"):
        yield Check("Claude Code hooks", BROKEN, f"{path} has disableAllHooks, so none runs", "remove disableAllHooks")
    managed_file, managed = values[0]
    if managed.get("allowManagedHooksOnly") is True:
        yield Check("Claude Code hooks", BROKEN, f"{managed_file} allows only managed hooks", "ask who manages it")


def _server_approved(values: Sequence[Mapping[str, Any]], over_mcp: Sequence[Settings]) -> Iterator[Check]:
    """Yield checks of whether our server is approved, which Claude Code wants of a server in `.mcp.json` only.

    `over_mcp`: the files whose hooks ask our server.
    """

    def is_listed(key: str) -> bool:
        return any(isinstance(each.get(key), list) and SERVER in each[key] for each in values)

    title = "Claude Code server"
    if is_listed("disabledMcpjsonServers"):
        yield Check(title, BROKEN, f"{SERVER} is listed in disabledMcpjsonServers", "remove it there")
    elif not any(each.target.scope == PROJECT for each in over_mcp):
        return
    elif is_listed(ENABLED) or any(each.get("enableAllProjectMcpServers") is True for each in values):
        yield Check(title, OK, f"{SERVER} is approved")
    else:
        found = f"{SERVER} is not approved in {over_mcp[0].path}"
        yield Check(title, TODO, found, "start `claude` here and approve it")


def _rules_allow(rcs: str, values: Sequence[tuple[str, Mapping[str, Any]]], with_ours: Sequence[Settings]) -> Check:
    """Check whether the permission rules let the agent run `rcs` by the words that it is told to use."""
    allowed = {rule for _, value in values for rule in _rules(value)}
    wide = sorted(rule for rule in allowed if is_too_wide(rule, rcs))
    todo = setup_command(CLAUDE.name, with_ours[0].target.scope if with_ours else USER)
    if allowed & {"Bash", "Bash(*)"}:
        return Check("Claude Code rules", OK, "the agent may run what it is told to, and all else")
    if wide:
        by = "`rcs prove`, `rcs task test` or `rcs watch`"
        found = f"{clean(wide[0], SHOWN)} lets the agent run any command by {by}, unasked"
        return Check("Claude Code rules", WARN, found, f"{todo}; or remove it, if you wrote it")
    if allowed.issuperset(rules_for([rcs], server=False)):
        return Check("Claude Code rules", OK, "the agent may run what it is told to")
    return Check("Claude Code rules", WARN, "it asks you before each `rcs` command of the agent", todo)


def _rules(value: Mapping[str, Any]) -> list[str]:
    permissions = value.get("permissions")
    allow = permissions.get("allow") if isinstance(permissions, dict) else None
    return [rule for rule in allow if isinstance(rule, str)] if isinstance(allow, list) else []


def _folder_trusted(host: Host, own: Record, project: Record) -> Check:
    title = "Claude Code project"
    if project.get(TRUSTED) is True:
        return Check(title, OK, f"{host.root} is trusted")
    above = os.path.dirname(os.path.realpath(host.root))
    while known_project(own, [above]).get(TRUSTED) is not True:
        above, below = os.path.dirname(above), above
        if above == below:
            found = f"{host.root} is not trusted yet, so neither its hooks nor the rules of its settings count"
            return Check(title, TODO, found, "start `claude` in this folder once, and say that you trust it")
    found = f"its hooks run, for {above} is trusted; the rules of its settings may not count before {host.root} is"
    return Check(title, NOTE, found)
