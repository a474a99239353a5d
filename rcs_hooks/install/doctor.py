"""Looks whether our hooks stand in each client's files, answer, and would run. Changes nothing."""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING, Any

from rcs_hooks.install import answers, claude_runs, clients, codex_runs, merge, skills
from rcs_hooks.install.check import BROKEN, OK, WARN, Check, guarded
from rcs_hooks.install.clients import CODEX, EVENTS, MCP, PROJECT, SCOPES, TITLES, USER, Machine, Place
from rcs_hooks.install.settings import Settings, read_all, server
from rcs_hooks.workflow.text import clean

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

SETUP = "rcs setup --client"
LATEST = "SessionEnd"
"""The event that older versions do not know."""
MOST = 4
"""Programs that one file may name as ours, and are looked at."""


def checks(machine: Machine) -> Iterator[Check]:
    present = [client for client in clients.CLIENTS if _is_used(machine, client)]
    if not present:
        yield Check("clients", WARN, "neither codex nor claude is on PATH, and neither has a folder in your home")
    for client in present:
        yield from guarded(TITLES[client], _client(machine, client))


def _is_used(machine: Machine, client: str) -> bool:
    folders = (Place(machine, client, scope).folder for scope in SCOPES)
    on_path = shutil.which(client, path=machine.env.get("PATH", os.defpath))
    return on_path is not None or any(os.path.isdir(folder) for folder in folders)


def _client(machine: Machine, client: str) -> Iterator[Check]:
    title = TITLES[client]
    yield answers.of_version(machine, client)
    read = list(read_all(machine, client))
    yield from (each for each in read if isinstance(each, Check))
    found = [each for each in read if isinstance(each, Settings)]
    having = [each for each in found if each.ours]
    yield from guarded(f"{title} skills", _skills(machine, client, having))
    plugin = claude_runs.plugin(found) if client != CODEX else None
    if plugin:
        yield Check(f"{title} plugin", OK, f"switched on in {plugin}")
    if not having and not plugin:
        todo = f"rcs setup --client {client}"
        yield Check(f"{title} hooks", WARN, "none of ours in the files of this project or of yours", todo)
        return
    yield from _once(client, having, plugin)
    for settings in having:
        yield from _complete(settings)
    yield from _answering(machine, client, found, having)
    yield from (codex_runs if client == CODEX else claude_runs).checks(machine, found)


def _skills(machine: Machine, client: str, having: Sequence[Settings]) -> Iterator[Check]:
    """Whether the command in the skills that setup has written runs, as the agent's shell would find it."""
    words = clients.agents_words(machine, client)
    title = f"{TITLES[client]} skills"
    folders: dict[str, Place] = {}
    for scope in (PROJECT, USER):
        place = Place(machine, client, scope)
        folders.setdefault(os.path.realpath(place.skills_folder), place)
    for place in folders.values():
        there = skills.installed(place, words)
        again = next(
            (_again(each) for each in having if each.place == place), f"{SETUP} {client} --scope {place.scope}"
        )
        if there.older:
            found = f"in {place.skills_folder} {_these(there.older)} of another version, or of another place"
            yield Check(title, WARN, found, f"{again} --skills")
        if there.astray:
            found = f"in {place.skills_folder} {_these(there.astray)} changed by you, and not told to run this program"
            yield Check(title, WARN, found, f"write `{words}` in place of the command there")
        if there.current:
            yield answers.of_words(machine, client, words, f"{place.skills_folder}: {', '.join(there.current)}")


def _these(names: Sequence[str]) -> str:
    return f"{', '.join(names)} {'is' if len(names) == 1 else 'are'}"


def _again(settings: Settings) -> str:
    place = settings.place
    over_mcp = f" --transport {MCP}" if any(_is_tool(handler) for _, handler in settings.ours) else ""
    return f"{SETUP} {place.client} --scope {place.scope}{over_mcp}"


def _once(client: str, having: Sequence[Settings], plugin: str | None) -> Iterator[Check]:
    title = f"{TITLES[client]} hooks"
    if len(having) + bool(plugin) > 1:
        places = " and ".join([*(each.path for each in having), *(["the plugin"] if plugin else [])])
        by_hand = [each.path for each in having if each.path != each.place.hooks_file]
        scope = having[0].place.scope
        todo = f"take ours out of {by_hand[0]}" if by_hand else f"rcs uninstall --client {client} --scope {scope}"
        yield Check(title, WARN, f"they stand in {places}: each Stop may count twice", todo)
    for each in having:
        events = [spot[0] for spot, _ in each.ours]
        if twice := [event for event in EVENTS if events.count(event) > 1]:
            found = f"{each.path} has ours twice for {', '.join(twice)}: each Stop may count twice"
            yield Check(title, WARN, found, _again(each))


def _complete(settings: Settings) -> Iterator[Check]:
    """Whether all events are there, and as `rcs setup` writes them."""
    client = settings.place.client
    title = f"{TITLES[client]} hooks"
    todo = _again(settings) + (", then approve the hooks again: start `codex`, then /hooks" if client == CODEX else "")
    there = {spot[0] for spot, _ in settings.ours}
    forms: dict[str, list[str]] = {clients.OLDER: [], clients.OTHER: []}
    for (event, *_), handler in settings.ours:
        forms.setdefault(clients.form(client, event, handler), []).append(event)
    missing = [event for event in EVENTS if event not in there]
    if missing == [LATEST]:
        forms[clients.OLDER].append(f"{LATEST} is missing")
    if other := _named(forms[clients.OTHER]):
        yield Check(title, WARN, f"{settings.path} says more than rcs setup writes ({other}): look at it", todo)
    if older := _named(forms[clients.OLDER]):
        yield Check(title, WARN, f"{settings.path} was written by an older version ({older})", todo)
    if missing and missing != [LATEST]:
        yield Check(title, BROKEN, f"{settings.path} lacks {', '.join(missing)}", todo)
    elif not (other or older):
        how = "MCP server" if any(_is_tool(handler) for _, handler in settings.ours) else "command"
        yield Check(title, OK, f"{', '.join(EVENTS)} in {settings.path} ({how})")


def _named(events: Sequence[str]) -> str:
    return clean(", ".join(dict.fromkeys(events)), 120)


def _is_tool(handler: Mapping[str, Any]) -> bool:
    return handler.get("type") == "mcp_tool"


def _words(settings: Settings) -> list[tuple[str, ...]]:
    """Each command of ours in a file, once."""
    return list(dict.fromkeys(tuple(merge.words_of(handler)) for _, handler in settings.ours if not _is_tool(handler)))


def _answering(machine: Machine, client: str, found: Sequence[Settings], having: Sequence[Settings]) -> Iterator[Check]:
    """A command that stands in several files is tried once; one that the person's own file names is theirs."""
    mine = {words for each in having if each.is_mine for words in _words(each)}
    tried: set[tuple[str, ...]] = set()
    for each in having:
        fresh = [words for words in _words(each) if words not in tried]
        tried.update(fresh)
        for words in fresh[:MOST]:
            yield answers.of_hook(machine, client, words, _again(each), is_mine=words in mine)
        if rest := fresh[MOST:]:
            found_there = f"{each.path} names {len(rest)} more programs as ours, which were not tried"
            yield Check(f"{TITLES[client]} hook", WARN, found_there, "look at that file")
    entry = server(machine, client, found)
    asking = [each for each in having if any(_is_tool(handler) for _, handler in each.ours)]
    if not asking:
        if entry is not None and not entry.is_mine:
            said = f"a file of this project has a server {merge.SERVER}, and no hook here asks it"
            todo = f"look at it before you trust this project; `rcs uninstall --client {client}` takes it out"
            yield Check(f"{TITLES[client]} server", WARN, said, todo)
        return
    again = _again(asking[0])
    if entry is None:
        lost = f"they ask the server {merge.SERVER}, which stands in no file"
        yield Check(f"{TITLES[client]} hooks", BROKEN, lost, again)
    else:
        yield answers.of_server(machine, client, entry, again)
