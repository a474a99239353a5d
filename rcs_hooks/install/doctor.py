"""Checks that each client has our hooks in its files, that they answer, and that it would run them. Changes nothing."""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING

from rcs_hooks.clients import CLIENTS, entries, handlers, installers
from rcs_hooks.clients.check import BROKEN, OK, UNSET, WARN, Check
from rcs_hooks.clients.entries import SERVER, TOOL_TYPE
from rcs_hooks.clients.handlers import COMMAND, MCP
from rcs_hooks.clients.installer import PROJECT, USER, Host, InstallTarget, setup_command
from rcs_hooks.clients.reading import Settings, serving, settings_of
from rcs_hooks.install import brought, config_checks, mode_checks, program_checks, served_hooks, skills
from rcs_hooks.install.check import guarded
from rcs_hooks.text import clean

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence
    from typing import Any

    from rcs_hooks.clients.entries import Record

MOST = 4
"""The most programs of one file that are tried."""


def checks(host: Host) -> Iterator[Check]:
    """Yield the checks of each client that this person uses, and of what the project brings for the others."""
    present = used(host)
    if not present:
        titles = " or ".join(CLIENTS[client].title for client in installers())
        found = f"none of {', '.join(installers())} is on PATH, and none has a folder in your home"
        yield Check("clients", UNSET, found, f"install {titles}, then type: rcs setup --skills")
    for client in installers():
        title = CLIENTS[client].title
        if client in present:
            yield from (check._replace(client=client) for check in guarded(title, _client(host, client)))
        else:
            yield from guarded(title, _brought(host, client))
    yield from guarded(mode_checks.TITLE, mode_checks.checks(host))
    yield from guarded(config_checks.TITLE, config_checks.checks(host))


def used(host: Host) -> list[str]:
    """List the clients that this person uses, by their programs and folders."""
    return [client for client in installers() if _is_used(host, client)]


def _is_used(host: Host, client: str) -> bool:
    folders = (InstallTarget(host, client, scope).folder for scope in installers()[client].scopes)
    on_path = shutil.which(client, path=host.env.get("PATH", os.defpath))
    return on_path is not None or any(os.path.isdir(folder) for folder in folders)


def _brought(host: Host, client: str) -> Iterator[Check]:
    """Yield checks of what a repository brings for a client that this person does not use yet."""
    settings = [each for each in settings_of(host, client) if isinstance(each, Settings)]
    yield from brought.servers(host, client, settings, is_asked=False)
    yield from brought.variables(host, client, settings)


def _client(host: Host, client: str) -> Iterator[Check]:
    title, installer = CLIENTS[client].title, installers()[client]
    read = list(settings_of(host, client))
    yield from (each for each in read if isinstance(each, Check))
    settings = [each for each in read if isinstance(each, Settings)]
    with_ours = [each for each in settings if each.ours]
    for each in settings:
        yield from _foreign(each)
    yield from brought.servers(host, client, settings, is_asked=bool(_over_mcp(with_ours)))
    yield from brought.variables(host, client, settings)
    yield from guarded(f"{title} skills", _skills(host, client, with_ours))
    plugin = installer.plugin_file(settings)
    if plugin:
        yield Check(f"{title} plugin", OK, f"switched on in {plugin}")
    others = list(serving(host, client))
    served = {event for each in others for event in each.command_events}
    if not with_ours and not plugin and not served:
        todo = f"rcs setup --client {client} --skills"
        yield Check(f"{title} hooks", UNSET, "none of ours in the files of this project or of yours", todo)
        return
    yield from _only_once(client, with_ours, plugin)
    yield from served_hooks.checks(client, others, with_ours)
    for each in with_ours:
        yield from _complete(each, served)
    yield from _answering(host, client, settings, with_ours)
    yield from installer.checks(host, [*settings, *others])


def _skills(host: Host, client: str, with_ours: Sequence[Settings]) -> Iterator[Check]:
    """Yield checks of whether the command in our skills runs, as the agent's shell would find it."""
    installer = installers()[client]
    title = f"{CLIENTS[client].title} skills"
    folders: dict[str, InstallTarget] = {}
    for scope in (PROJECT, USER):
        target = InstallTarget(host, client, scope)
        folders.setdefault(os.path.realpath(installer.skills_folder(target)), target)
    for target in folders.values():
        folder = installer.skills_folder(target)
        words = skills.words(target)
        present = skills.installed(target, words)
        again = next(
            (_setup_again(each) for each in with_ours if each.target == target), setup_command(client, target.scope)
        )
        if present.older:
            found = f"in {folder} {_are(present.older)} of another version, or call another `rcs`"
            yield Check(title, WARN, found, f"{again} --skills")
        if present.astray:
            found = f"in {folder} {_are(present.astray)} changed by you, and not told to run this program"
            yield Check(title, WARN, found, f"write `{words}` in place of the command there")
        if present.current:
            yield program_checks.of_words(host, client, words, f"{folder}: {', '.join(present.current)}")


def _are(names: Sequence[str]) -> str:
    return f"{', '.join(names)} {'is' if len(names) == 1 else 'are'}"


def _setup_again(settings: Settings) -> str:
    transport = MCP if any(_is_tool(handler) for _, handler in settings.ours) else COMMAND
    return setup_command(settings.target.client, settings.target.scope, transport)


def _only_once(client: str, with_ours: Sequence[Settings], plugin: str | None) -> Iterator[Check]:
    """Yield checks of whether our hooks are set up twice. `plugin`: the file that switches our plugin on, if any."""
    title = f"{CLIENTS[client].title} hooks"
    if len(with_ours) + bool(plugin) > 1:
        places = " and ".join([*(each.path for each in with_ours), *(["the plugin"] if plugin else [])])
        by_hand = [each.path for each in with_ours if each.path != each.target.hooks_file.path]
        scope = with_ours[0].target.scope
        todo = f"remove ours from {by_hand[0]}" if by_hand else f"rcs uninstall --client {client} --scope {scope}"
        yield Check(title, WARN, f"they are in {places}: each Stop may count twice", todo)
    for each in with_ours:
        events = [spot[0] for spot, _ in each.ours]
        if twice := [event for event in each.format.events if events.count(event) > 1]:
            found = f"{each.path} has ours twice for {', '.join(twice)}: each Stop may count twice"
            yield Check(title, WARN, found, _setup_again(each))


def _foreign(settings: Settings) -> Iterator[Check]:
    """Yield the hooks with our name that run a program of the project, such as one that a repository brings."""
    target = settings.target
    runs: dict[str, list[str]] = {}
    for (event, *_), handler in settings.foreign:
        runs.setdefault(" ".join(entries.words_of(handler)), []).append(event)
    for line, events in list(runs.items())[:MOST]:
        what = f"the hook for {_named(events)} runs a program of this project, not ours"
        found = f"{settings.path}: {what}: {clean(line, 200)}"
        todo = (
            f"look at it before you trust this project; `{_setup_again(settings)}` puts ours in its place,"
            f" `rcs uninstall --client {target.client} --scope {target.scope}` removes it"
        )
        yield Check(f"{CLIENTS[target.client].title} hooks", BROKEN, found, todo)


def _complete(settings: Settings, served: Collection[str]) -> Iterator[Check]:
    """Yield checks of whether a file has our hook for each event, as setup writes it now.

    `served`: the events for which the client runs our hook from another client's file.
    """
    installer = settings.target.installer
    title = f"{installer.client.title} hooks"
    todo = _set_up_and_approve(settings)
    ours = {spot[0] for spot, _ in settings.ours}
    present = [event for event in settings.format.events if event in ours]
    missing = [event for event in settings.format.events if event not in present and event not in served]
    problems = []
    other = [
        event
        for (event, *_), handler in settings.ours
        if not handlers.is_as_written(event, handler, settings.format, is_shared=settings.is_shared)
    ]
    if other:
        found = f"{settings.path} has other than rcs setup writes ({_named(other)}): look at it"
        problems.append(Check(title, WARN, found, todo))
    problems += _hampered(settings, title)
    if missing:
        problems.append(Check(title, BROKEN, f"{settings.path} lacks {', '.join(missing)}", todo))
    how = "MCP server" if any(_is_tool(handler) for _, handler in settings.ours) else "command"
    yield from problems or [Check(title, OK, f"{', '.join(present)} in {settings.path} ({how})")]


def _hampered(settings: Settings, title: str) -> Iterator[Check]:
    """Yield checks of our hooks that do not run at every event, or not for as long as they need."""
    todo = _set_up_and_approve(settings)
    if narrowed := _named([spot[0] for spot, _ in settings.ours if entries.is_narrowed(_hooks(settings), spot)]):
        found = f"{settings.path} has the hook for {narrowed} in a group with a matcher, which may keep it from running"
        yield Check(title, WARN, found, todo if settings.is_shared else "remove the matcher, unless you want that")
    field = settings.format.timeout
    times = [(spot[0], hook[field]) for spot, hook in settings.ours if field in hook]
    none = [event for event, time in times if settings.format.is_no_time(time)]
    if named := _named(none):
        found = f"{settings.path} ends the hook for {named} before it can answer: its time-out is not"
        yield Check(title, BROKEN, f"{found} {settings.format.bounds}", todo)
    odd = [event for event, time in times if not settings.format.is_time_out(time) and event not in none]
    if named := _named(odd):
        found = f"{settings.path} gives the hook for {named} a time-out that is not {settings.format.bounds}"
        yield Check(title, WARN, found, todo)


def _hooks(settings: Settings) -> Record:
    return settings.target.installer.hooks_in(settings.value)


def _set_up_and_approve(settings: Settings) -> str:
    how = settings.target.installer.how_to_approve
    return _setup_again(settings) + (f", then approve the hooks again: {how}" if how else "")


def _named(events: Sequence[str]) -> str:
    return clean(", ".join(dict.fromkeys(events)), 120)


def _is_tool(handler: Mapping[str, Any]) -> bool:
    return handler.get("type") == TOOL_TYPE


def _over_mcp(with_ours: Sequence[Settings]) -> list[Settings]:
    return [each for each in with_ours if any(_is_tool(handler) for _, handler in each.ours)]


def _commands(settings: Settings) -> list[tuple[str, ...]]:
    """List the words of each command of ours in a file, without duplicates."""
    return list(
        dict.fromkeys(tuple(entries.words_of(handler)) for _, handler in settings.ours if not _is_tool(handler))
    )


def _answering(host: Host, client: str, settings: Sequence[Settings], with_ours: Sequence[Settings]) -> Iterator[Check]:
    """Yield checks of whether our hooks and our server answer. A command that several files name is tried once.

    `settings`: all files with hooks. `with_ours`: those that have hooks of ours.
    """
    title = CLIENTS[client].title
    mine = {words for each in with_ours if each.is_mine for words in _commands(each)}
    tried: set[tuple[str, ...]] = set()
    for each in with_ours:
        fresh = [words for words in _commands(each) if words not in tried]
        tried.update(fresh)
        for words in fresh[:MOST]:
            yield program_checks.of_hook(host, client, words, _setup_again(each), is_mine=words in mine)
        if rest := fresh[MOST:]:
            found = f"{each.path} names {len(rest)} more programs as ours, which were not tried"
            yield Check(f"{title} hook", WARN, found, "look at that file")
    over_mcp = _over_mcp(with_ours)
    if not over_mcp:
        return
    server = installers()[client].server(host, settings)
    again = _setup_again(over_mcp[0])
    if server is None:
        yield Check(f"{title} hooks", BROKEN, f"they ask the server {SERVER}, which no file defines", again)
    else:
        yield program_checks.of_server(host, client, server, again)
