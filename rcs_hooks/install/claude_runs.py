"""Whether Claude Code would run our hooks: switches in four files, the server's approval, and its rules."""

from __future__ import annotations

import shlex
import sys
from typing import TYPE_CHECKING, Any

from rcs_hooks.errors import Refused
from rcs_hooks.install import clients, merge
from rcs_hooks.install.check import BROKEN, NOTE, OK, WARN, Check
from rcs_hooks.install.clients import PROJECT, USER
from rcs_hooks.install.codex_runs import projects
from rcs_hooks.install.settings import known_project, value_of
from rcs_hooks.workflow.text import clean

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from rcs_hooks.install.clients import Machine
    from rcs_hooks.install.settings import Settings

MANAGED = (
    "/Library/Application Support/ClaudeCode/managed-settings.json"
    if sys.platform == "darwin"
    else "/etc/claude-code/managed-settings.json"
)
PLUGIN = "rcs@"
SHOWN = 200


def checks(machine: Machine, found: Sequence[Settings], managed_file: str = MANAGED) -> Iterator[Check]:
    try:
        managed = value_of(managed_file, None) or {}
    except Refused as error:
        managed = {}
        yield Check("Claude Code file", WARN, f"{managed_file}: {error}", "ask who manages it")
    values = [(managed_file, managed), *((each.path, each.value) for each in found)]
    yield from _switches(values)
    having = [each for each in found if each.ours]
    if asking := [each for each in having if any(h.get("type") == "mcp_tool" for _, h in each.ours)]:
        yield from _server_approved(machine, values, asking)
    yield _rules_there(machine, values, having)
    for each in found:
        yield from _status_line(machine, each)
    if any(each.place.scope != USER for each in having):
        yield _folder_trusted(machine)


def plugin(found: Sequence[Settings]) -> str | None:
    """The file that switches our plugin on. What comes first counts for more."""
    for each in found:
        enabled = each.value.get("enabledPlugins")
        named = [on for name, on in enabled.items() if name.startswith(PLUGIN)] if isinstance(enabled, dict) else []
        if named:
            return each.path if True in named else None
    return None


def _switches(values: Sequence[tuple[str, Mapping[str, Any]]]) -> Iterator[Check]:
    """The first file that names disableAllHooks decides."""
    path, value = next(((p, v) for p, v in values if isinstance(v.get("disableAllHooks"), bool)), ("", {}))
    if value.get("disableAllHooks"):
        yield Check(
            "Claude Code hooks", BROKEN, f"{path} has disableAllHooks, so none runs", "take disableAllHooks out"
        )
    managed_file, managed = values[0]
    if managed.get("allowManagedHooksOnly") is True:
        yield Check("Claude Code hooks", BROKEN, f"{managed_file} allows only managed hooks", "ask who manages it")


def _server_approved(
    machine: Machine, values: Sequence[tuple[str, Mapping[str, Any]]], asking: Sequence[Settings]
) -> Iterator[Check]:
    """A server of `.mcp.json` wants approval; one of the person's own does not. `asking`: the files whose hooks are
    tools of it."""
    said = [*(value for _, value in values), known_project(machine, projects(machine.root))]

    def names(key: str) -> bool:
        return any(isinstance(each.get(key), list) and merge.SERVER in each[key] for each in said)

    title = "Claude Code server"
    if names("disabledMcpjsonServers"):
        yield Check(title, BROKEN, f"{merge.SERVER} stands in disabledMcpjsonServers", "take it out")
    elif not any(each.place.scope == PROJECT for each in asking):
        return
    elif names(merge.ENABLED) or any(each.get("enableAllProjectMcpServers") is True for each in said):
        yield Check(title, OK, f"{merge.SERVER} is approved")
    else:
        found = f"{merge.SERVER} is not approved in {asking[0].path}"
        yield Check(title, WARN, found, "start `claude` here and approve it")


def _rules_there(
    machine: Machine, values: Sequence[tuple[str, Mapping[str, Any]]], having: Sequence[Settings]
) -> Check:
    """The agent is told to run one program, by one name."""
    told = clients.told(machine)
    allowed = {rule for _, value in values for rule in _rules(value)}
    wanted = merge.rules_for([told], server=False)
    if allowed & {"Bash", "Bash(*)", f"Bash({told}:*)"} or allowed.issuperset(wanted):
        return Check("Claude Code rules", OK, "the agent may run what it is told to")
    scope = having[0].place.scope if having else USER
    todo = f"rcs setup --client claude --scope {scope}"
    return Check("Claude Code rules", WARN, "it asks you before each `rcs` command of the agent", todo)


def _status_line(machine: Machine, settings: Settings) -> Iterator[Check]:
    """Ours, and one that came with a repository and runs something else under our name."""
    title, line = "Claude Code statusLine", settings.value.get("statusLine")
    words = merge.words_of(line) if isinstance(line, dict) else []
    if words in [[*shlex.split(told), *merge.STATUS_LINE] for told in clients.names(machine)]:
        yield Check(title, OK, f"{settings.path} has it show what runs")
    elif settings.is_mine and merge.is_our_status_line(line):
        todo = "rcs setup --client claude --scope user --statusline"
        yield Check(title, WARN, f"{settings.path} calls {clean(words[0], SHOWN)}, which is not this program", todo)
    elif not settings.is_mine and any(word.rpartition("/")[2] == "rcs" or "rcs_hooks" in word for word in words):
        found = f"statusLine of {settings.path} does more than `rcs hud --statusline`: {clean(' '.join(words), SHOWN)}"
        yield Check(title, WARN, found, "look at it before you trust this project, or take it out")


def _rules(value: Mapping[str, Any]) -> list[str]:
    permissions = value.get("permissions")
    allow = permissions.get("allow") if isinstance(permissions, dict) else None
    return [rule for rule in allow if isinstance(rule, str)] if isinstance(allow, list) else []


def _folder_trusted(machine: Machine) -> Check:
    folders = projects(machine.root)
    if known_project(machine, folders).get("hasTrustDialogAccepted") is True:
        return Check("Claude Code project", OK, f"{machine.root} is trusted")
    found = f"{machine.root} is not trusted yet, so the rules of its settings do not count"
    return Check("Claude Code project", NOTE, found, "start `claude` in it once, and say that you trust it")
