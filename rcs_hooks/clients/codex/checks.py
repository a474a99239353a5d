"""Whether Codex would run our hooks: it wants the project trusted, and each hook approved as it is."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from rcs_hooks.clients import entries
from rcs_hooks.clients.check import BROKEN, OK, TODO, WARN, Check
from rcs_hooks.clients.codex import config, trust
from rcs_hooks.clients.codex.config import APPROVAL, APPROVED
from rcs_hooks.clients.entries import SERVER
from rcs_hooks.clients.installer import PROJECT, USER, setup_command
from rcs_hooks.clients.reading import project_names
from rcs_hooks.errors import Refused
from rcs_hooks.files.paths import inside
from rcs_hooks.text import clean

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from rcs_hooks.clients.installer import Host, Installer
    from rcs_hooks.clients.reading import Settings

KNOWN_KEYS = frozenset({"description", "hooks"})
KNOWN_TYPES = frozenset({"command", "prompt", "agent", entries.TOOL_TYPE})


def checks(host: Host, settings: Sequence[Settings], installer: Installer) -> Iterator[Check]:
    """Yield checks of what would keep Codex from running our hooks, or its agent from recording an outcome."""
    with_ours = [each for each in settings if each.ours]
    configs = {each.target.scope: each for each in settings if each.path != each.target.hooks_file.path}
    person = configs[USER].value if USER in configs else {}
    for each in configs.values():
        if isinstance(features := each.value.get("features"), dict) and features.get("hooks") is False:
            yield Check("Codex hooks", BROKEN, f"{each.path} switches them off", "remove features.hooks = false")
    for each in with_ours:
        yield from _is_known(each)
    if any(each.target.scope == PROJECT for each in with_ours):
        yield _project_trusted(host, person)
    for each in with_ours:
        yield from _approved(each, person)
    yield from _tools_approved(host, settings, installer)
    yield _sandbox(host, settings, configs, installer)


def _is_known(settings: Settings) -> Iterator[Check]:
    """Yield a check if an unknown key, or an unknown type of hook, makes Codex ignore a whole `hooks.json`."""
    if settings.path != settings.target.hooks_file.path:
        return
    if unknown := sorted(set(settings.value) - KNOWN_KEYS):
        found = f"{settings.path} has the key '{clean(unknown[0])}', so Codex ignores the whole file"
        yield Check("Codex hooks", BROKEN, found, "remove that key")
    types = [h.get("type") if isinstance(h, dict) else None for _, h in entries.handlers(settings.value)]
    if any(not isinstance(kind, str) or kind not in KNOWN_TYPES for kind in types):
        found = f"{settings.path} has a hook of a type that Codex does not know, so Codex ignores the whole file"
        yield Check("Codex hooks", BROKEN, found, "remove that hook")


def _project_trusted(host: Host, person: Mapping[str, Any]) -> Check:
    if trust.of_project(person, project_names(host.root)):
        return Check("Codex project", OK, f"{host.root} is trusted")
    todo = "start `codex` in this folder once, and say that you trust it"
    return Check("Codex project", TODO, f"{host.root} is not trusted, so its hooks do not run", todo)


def _approved(settings: Settings, person: Mapping[str, Any]) -> Iterator[Check]:
    folder, name = os.path.split(settings.path)
    path = os.path.join(os.path.realpath(folder), name)
    by_state: dict[str, list[str]] = {}
    for spot, handler in settings.ours:
        matcher = settings.value["hooks"][spot[0]][spot[1]].get("matcher")
        by_state.setdefault(trust.of_hook(person, path, spot, handler, matcher), []).append(spot[0])
    for state, events in by_state.items():
        names = clean(", ".join(dict.fromkeys(events)), 80)
        if state == trust.TRUSTED:
            yield Check("Codex trust", OK, f"{names}: approved")
        else:
            verb = {trust.MODIFIED: "approve them again", trust.OFF: "switch them on"}.get(state, "approve them")
            found = f"{names}: {state}, so Codex skips them"
            yield Check("Codex trust", TODO, found, f"start `codex` and {verb}: /hooks")


def _tools_approved(host: Host, settings: Sequence[Settings], installer: Installer) -> Iterator[Check]:
    """Yield a check of whether the agent may call our tools unasked; if Codex asks, a call without an answer fails."""
    server = installer.server(host, settings)
    if server is None or not any(each.ours for each in settings):
        return
    if server.entry.get(APPROVAL) == APPROVED:
        yield Check("Codex tools", OK, f"the agent may call the tools of {SERVER}")
        return
    todo = f'set {APPROVAL} = "{APPROVED}" in [{config.TABLE}], as rcs setup --transport mcp does'
    yield Check("Codex tools", WARN, f"it asks you before the agent calls a tool of {SERVER}", todo)


def _sandbox(host: Host, settings: Sequence[Settings], configs: Mapping[str, Settings], installer: Installer) -> Check:
    """Check whether the agent's sandbox lets it report to the run store."""
    # The project's own config takes precedence over the person's.
    values = [configs[scope].value for scope in (PROJECT, USER) if scope in configs]
    mode = next((value["sandbox_mode"] for value in values if "sandbox_mode" in value), "workspace-write")
    if mode == "danger-full-access":
        return Check("Codex sandbox", OK, "an agent may write everywhere")
    server = installer.server(host, settings)
    if mode == "read-only" and server is not None and server.entry.get(APPROVAL) == APPROVED:
        return Check("Codex sandbox", OK, f"sandbox_mode is read-only: an agent records through {SERVER}")
    if mode == "read-only":
        found = "sandbox_mode is read-only: an agent cannot record an outcome, so each run is held once, then let go"
        return Check("Codex sandbox", WARN, found, "use workspace-write, or rcs setup --client codex --transport mcp")
    store = os.path.dirname(host.env.get("RCS_DB", "")) or installer.writable_folders(host)[0]
    try:
        roots = [host.root, *(root for value in values for root in config.writable_roots(value))]
    except Refused as error:
        return Check("Codex sandbox", BROKEN, str(error), "fix config.toml by hand")
    if any(inside(os.path.realpath(store), os.path.realpath(root)) for root in roots if "\0" not in root):
        return Check("Codex sandbox", OK, f"an agent may write the run store in {store}")
    if server is not None:
        return Check("Codex sandbox", OK, f"an agent reaches the run store in {store} through {SERVER}")
    scope = next((each.target.scope for each in settings if each.ours), USER)
    todo = f"{setup_command(installer.client.name, scope)} --writable"
    return Check("Codex sandbox", WARN, f"an agent may not write the run store in {store}", todo)
