"""Looks whether the hooks would run in each client, and says what to do. Changes nothing."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import time
from typing import TYPE_CHECKING, Any, NamedTuple

from rcs_hooks import jsontext
from rcs_hooks.errors import Refused
from rcs_hooks.install import clients, edit, jsonedit, merge, tomledit, trust
from rcs_hooks.install.clients import CLAUDE, CODEX, EVENTS, MCP, PROJECT, SCOPES, TITLES, USER, Machine, Place
from rcs_hooks.state.paths import inside

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

OK, NOTE, WARN, BROKEN = "ok", "note", "warn", "broken"
SLOW = 0.3
SECONDS = 20
TRIES = 3
MANAGED = "/etc/claude-code/managed-settings.json"
PLUGIN = "rcs@"
CODEX_KEYS = frozenset({"description", "hooks", "$schema"})


class Check(NamedTuple):
    what: str
    status: str
    found: str
    todo: str = ""


class Settings(NamedTuple):
    """One file of a client in which hooks may stand."""

    place: Place
    path: str
    value: Any
    ours: list[tuple[merge.Place, dict[str, Any]]]


def checks(machine: Machine) -> Iterator[Check]:
    present = [client for client in clients.CLIENTS if _is_used(machine, client)]
    if not present:
        yield Check("clients", WARN, "neither codex nor claude is on PATH, and neither has a folder in your home")
    for client in present:
        yield from _client(machine, client)


def _is_used(machine: Machine, client: str) -> bool:
    folders = (Place(machine, client, scope).folder for scope in SCOPES)
    return _program(machine, client) is not None or any(os.path.isdir(folder) for folder in folders)


def _program(machine: Machine, client: str) -> str | None:
    return shutil.which(client, path=machine.env.get("PATH", os.defpath))


def _client(machine: Machine, client: str) -> Iterator[Check]:
    title = TITLES[client]
    yield _version(machine, client)
    found: list[Settings] = []
    for settings in _settings_of(machine, client):
        if isinstance(settings, Check):
            yield settings
        else:
            found.append(settings)
    having = [settings for settings in found if settings.ours]
    plugin = next((settings.path for settings in found if _has_plugin(settings.value)), None)
    if plugin:
        yield Check(f"{title} plugin", OK, f"switched on in {plugin}")
    if not having and plugin:
        return
    if not having:
        todo = f"rcs setup --client {client}"
        yield Check(f"{title} hooks", WARN, "none of ours in the files of this project or of yours", todo)
        return
    if len(having) + bool(plugin) > 1:
        places = " and ".join([*(settings.path for settings in having), *(["the plugin"] if plugin else [])])
        todo = f"rcs uninstall --client {client} --scope {having[0].place.scope}"
        yield Check(f"{title} hooks", WARN, f"they stand in {places}: each Stop may count twice", todo)
    for settings in having:
        yield from _entries(settings)
        yield from (_codex if client == CODEX else _claude)(settings, found)


def _has_plugin(settings: Any) -> bool:
    enabled = settings.get("enabledPlugins") if isinstance(settings, dict) else None
    return isinstance(enabled, dict) and any(name.startswith(PLUGIN) and on is True for name, on in enabled.items())


def _version(machine: Machine, client: str) -> Check:
    title, path = TITLES[client], _program(machine, client)
    if path is None:
        return Check(title, NOTE, f"`{client}` is not on PATH here, so its version is not known")
    try:
        done = subprocess.run(
            [path, "--version"], capture_output=True, text=True, timeout=SECONDS, check=False, stdin=subprocess.DEVNULL
        )
    except (OSError, subprocess.SubprocessError, UnicodeDecodeError) as error:
        return Check(title, WARN, f"{path} --version fails: {type(error).__name__}", f"run `{client} --version`")
    said = " ".join(done.stdout.split())[:60]
    if done.returncode:
        return Check(title, WARN, f"{path} --version fails with status {done.returncode}", f"run `{client} --version`")
    return Check(title, OK, f"{said} ({path})")


# --- the files


def _settings_of(machine: Machine, client: str) -> Iterator[Settings | Check]:
    for scope in SCOPES:
        place = Place(machine, client, scope)
        paths = [place.hooks_file]
        if client == CLAUDE and scope == PROJECT:
            paths.append(os.path.join(place.folder, "settings.local.json"))
        for path in paths:
            yield from _settings(place, path)


def _settings(place: Place, path: str) -> Iterator[Settings | Check]:
    """A check in its place where the client cannot read the file either."""
    try:
        text = edit.read(path, place.within)
        if text is None or not text.strip():
            return
        value = jsonedit.parse(text).value
        yield Settings(place, path, value, merge.ours(value))
    except Refused as error:
        yield Check(path, BROKEN, str(error).removeprefix(f"{path}: "), "mend the file by hand")
    except ValueError as error:
        yield Check(path, BROKEN, f"it is not JSON: {error}", "mend the file by hand")
    except OSError as error:
        yield Check(path, BROKEN, (error.strerror or str(error)).lower(), "mend the file by hand")


def _entries(settings: Settings) -> Iterator[Check]:
    """Whether all events are there, and whether what they call is."""
    place = settings.place
    title = f"{TITLES[place.client]} hooks"
    again = f"rcs setup --client {place.client} --scope {place.scope}"
    there = {spot[0] for spot, _ in settings.ours}
    missing = [event for event in EVENTS if event not in there]
    if missing:
        yield Check(title, BROKEN, f"{settings.path} lacks {', '.join(missing)}", again)
    else:
        how = "MCP server" if any(_is_tool(handler) for _, handler in settings.ours) else "command"
        yield Check(title, OK, f"{', '.join(EVENTS)} in {settings.path} ({how})")
    for words in {tuple(merge.words_of(handler)) for _, handler in settings.ours if not _is_tool(handler)}:
        yield _answers(place.client, words, again)
    if any(_is_tool(handler) for _, handler in settings.ours):
        entry = _server(place)
        if entry is None:
            todo = f"{again} --transport {MCP}"
            yield Check(title, BROKEN, f"they ask the server {merge.SERVER}, which stands in no file", todo)
        else:
            yield _server_answers(place, entry, f"{again} --transport {MCP}")


def _is_tool(handler: Mapping[str, Any]) -> bool:
    return handler.get("type") == "mcp_tool"


def _server(place: Place) -> dict[str, Any] | None:
    """The entry that the client would start, wherever it may stand."""
    for scope in SCOPES:
        other = Place(place.machine, place.client, scope)
        path = other.config_file if place.client == CODEX else other.servers_file
        value = config(path, other.within)
        servers = value.get("mcp_servers" if place.client == CODEX else "mcpServers")
        entry = servers.get(merge.SERVER) if isinstance(servers, dict) else None
        if isinstance(entry, dict):
            return entry
    return None


def config(path: str, within: str | None) -> dict[str, Any]:
    """A file that others than the hooks' checks complain about: empty where it cannot be read."""
    try:
        text = edit.read(path, within) or ""
        value = jsonedit.parse(text or "{}").value if path.endswith(".json") else tomledit.parse(text)
    except (Refused, ValueError, OSError):
        return {}
    return value if isinstance(value, dict) else {}


# --- does it answer, and how fast


def _answers(client: str, words: Sequence[str], again: str) -> Check:
    title = f"{TITLES[client]} hook"
    if not (os.path.isabs(words[0]) and os.access(words[0], os.X_OK)):
        return Check(title, BROKEN, f"{words[0]} is no program that can be run", again)
    best = None
    with tempfile.TemporaryDirectory(prefix="rcs-doctor-") as folder:
        call = {"hook_event_name": "Stop", "session_id": "doctor", "cwd": folder, "last_assistant_message": None}
        for _ in range(TRIES):
            started = time.monotonic()
            try:
                done = subprocess.run(
                    list(words),
                    input=jsontext.dumps_line(call).encode(),
                    capture_output=True,
                    cwd=folder,
                    env=_bare_env(),
                    timeout=SECONDS,
                    check=False,
                )
            except (OSError, subprocess.SubprocessError) as error:
                return Check(title, BROKEN, f"{words[0]} does not answer: {type(error).__name__}", again)
            if (done.returncode, done.stdout) != (0, b"{}\n"):
                said = (done.stderr or done.stdout).decode(errors="replace").strip()[-200:]
                return Check(title, BROKEN, f"{words[0]} answers with status {done.returncode}: {said}", again)
            took = time.monotonic() - started
            best = took if best is None else min(best, took)
    return _quick(title, f"{words[0]} answers", best or 0.0)


def _quick(title: str, what: str, seconds: float) -> Check:
    found = f"{what} in {seconds * 1000:.0f} ms"
    if seconds > SLOW:
        return Check(
            title, WARN, found, "it is on a slow disk or behind a version manager; set it up from a plain venv"
        )
    return Check(title, OK, found)


def _bare_env() -> dict[str, str]:
    """Of a client: nothing that would lead the call to real state."""
    return {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}


def _server_answers(place: Place, entry: Mapping[str, Any], again: str) -> Check:
    title = f"{TITLES[place.client]} server"
    command, args, env = entry.get("command"), entry.get("args", []), entry.get("env", {})
    if not isinstance(command, str) or not isinstance(args, list) or not isinstance(env, dict):
        return Check(title, BROKEN, f"the entry of {merge.SERVER} has no command", again)
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "doctor", "version": "0"}}
    asked = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/list"},
    ]
    started = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="rcs-doctor-") as folder:
        try:
            done = subprocess.run(
                [command, *map(str, args)],
                input="".join(jsontext.dumps_line(message) + "\n" for message in asked).encode(),
                capture_output=True,
                cwd=folder,
                env=_bare_env() | {str(name): str(value) for name, value in env.items()},
                timeout=SECONDS,
                check=False,
            )
        except (OSError, subprocess.SubprocessError) as error:
            return Check(title, BROKEN, f"{command} does not answer: {type(error).__name__}", again)
    if b'"hook_stop"' not in done.stdout:
        said = (done.stderr or done.stdout).decode(errors="replace").strip()[-200:]
        return Check(title, BROKEN, f"{command} offers no hook_stop: {said}", again)
    return Check(
        title, OK, f"{merge.SERVER} starts and names its tools in {(time.monotonic() - started) * 1000:.0f} ms"
    )


# --- would the client run it


def _codex(settings: Settings, _: Sequence[Settings]) -> Iterator[Check]:
    place = settings.place
    home = Place(place.machine, CODEX, USER)
    person = config(home.config_file, None)
    unknown = sorted(set(settings.value) - CODEX_KEYS)
    if unknown:
        found = f"{settings.path} has the key {unknown[0]!r}, so Codex takes none of it"
        yield Check("Codex hooks", BROKEN, found, "take that key out")
    if isinstance(features := person.get("features"), dict) and features.get("hooks") is False:
        yield Check("Codex hooks", BROKEN, f"{home.config_file} switches them off", "take out features.hooks = false")
    if place.scope == PROJECT:
        folders = projects(place.machine.root)
        if trust.of_project(person, folders):
            yield Check("Codex project", OK, f"{folders[0]} is trusted")
        else:
            todo = "start `codex` in it once, and say that you trust it"
            yield Check("Codex project", BROKEN, f"{folders[0]} is not trusted, so its hooks do not run", todo)
    by_state: dict[str, list[str]] = {}
    for spot, handler in settings.ours:
        by_state.setdefault(trust.of_hook(person, _real(settings.path), spot, handler), []).append(spot[0])
    for state, events in by_state.items():
        if state == trust.TRUSTED:
            yield Check("Codex trust", OK, f"{', '.join(events)}: approved as they stand")
        else:
            todo = "start `codex` and approve them with /hooks"
            yield Check("Codex trust", BROKEN, f"{', '.join(events)}: {state}, so Codex passes them over", todo)
    yield _sandbox(place, person)


def _real(path: str) -> str:
    return os.path.join(os.path.realpath(os.path.dirname(path)), os.path.basename(path))


def projects(root: str) -> list[str]:
    """The names under which a project may be trusted."""
    names = [root, os.path.realpath(root)]
    link = os.path.join(root, ".git")
    if os.path.isfile(link):
        with open(link, encoding="utf-8", errors="replace") as file:
            inside = file.read(4096).removeprefix("gitdir:").strip()
        main, found, _ = os.path.join(root, inside).partition(f"{os.sep}.git{os.sep}worktrees{os.sep}")
        names += [os.path.realpath(main)] if found else []
    return list(dict.fromkeys(names))


def _sandbox(place: Place, person: Mapping[str, Any]) -> Check:
    project = config(Place(place.machine, CODEX, PROJECT).config_file, place.machine.root)
    mode = project.get("sandbox_mode", person.get("sandbox_mode", "workspace-write"))
    if mode == "danger-full-access":
        return Check("Codex sandbox", OK, "an agent may write everywhere")
    if mode == "read-only":
        found = "sandbox_mode is read-only: an agent cannot record an outcome, so each run is held, then let go"
        return Check("Codex sandbox", WARN, found, "use workspace-write, or the tools of the MCP server")
    store = os.path.dirname(place.machine.env.get("RCS_DB", "")) or clients.writable(place.machine)[0]
    try:
        roots = [*tomledit.writable_roots(person), *tomledit.writable_roots(project)]
    except Refused as error:
        return Check("Codex sandbox", BROKEN, str(error), "mend config.toml by hand")
    if any(inside(os.path.realpath(store), os.path.realpath(root)) for root in roots):
        return Check("Codex sandbox", OK, f"an agent may write the run store in {store}")
    if _server(place) is not None:
        return Check("Codex sandbox", OK, f"an agent reaches the run store in {store} through {merge.SERVER}")
    todo = f"rcs setup --client codex --scope {place.scope} --writable"
    return Check("Codex sandbox", WARN, f"an agent may not write the run store in {store}", todo)


def _claude(settings: Settings, found: Sequence[Settings]) -> Iterator[Check]:
    place = settings.place
    managed = config(MANAGED, None)
    for path, value in [(each.path, each.value) for each in found] + [(MANAGED, managed)]:
        if isinstance(value, dict) and value.get("disableAllHooks") is True:
            found_there = f"{path} has disableAllHooks, so none runs"
            yield Check("Claude Code hooks", BROKEN, found_there, "take disableAllHooks out")
    if managed.get("allowManagedHooksOnly") is True:
        yield Check("Claude Code hooks", BROKEN, f"{MANAGED} allows only managed hooks", "ask who manages it")
    values = [each.value for each in found] + [managed]
    if any(_is_tool(handler) for _, handler in settings.ours) and place.scope == PROJECT:
        yield _server_approved(values, settings.path)
    allowed = [rule for value in values for rule in _rules(value)]
    told = clients.rules(place.machine, clients.COMMAND)
    if not any(rule in allowed for rule in told):
        todo = f"rcs setup --client claude --scope {place.scope}"
        yield Check("Claude Code rules", WARN, "it asks you before each `rcs` command of the agent", todo)
    else:
        yield Check("Claude Code rules", OK, "the agent may run what it is told to")
    if place.scope == PROJECT:
        yield _folder_trusted(place)


def _rules(value: Any) -> list[str]:
    permissions = value.get("permissions") if isinstance(value, dict) else None
    allow = permissions.get("allow") if isinstance(permissions, dict) else None
    return [rule for rule in allow if isinstance(rule, str)] if isinstance(allow, list) else []


def _server_approved(values: Sequence[Any], path: str) -> Check:
    def names(key: str) -> bool:
        return any(isinstance(v, dict) and isinstance(v.get(key), list) and merge.SERVER in v[key] for v in values)

    title = "Claude Code server"
    if names("disabledMcpjsonServers"):
        return Check(title, BROKEN, f"{merge.SERVER} stands in disabledMcpjsonServers", "take it out")
    if names(merge.ENABLED) or any(isinstance(v, dict) and v.get("enableAllProjectMcpServers") is True for v in values):
        return Check(title, OK, f"{merge.SERVER} is approved")
    return Check(title, WARN, f"{merge.SERVER} is not approved in {path}", "start `claude` here and approve it")


def _folder_trusted(place: Place) -> Check:
    home = Place(place.machine, CLAUDE, USER)
    known = config(home.servers_file, None).get("projects")
    folders = projects(place.machine.root)
    if isinstance(known, dict) and any(
        isinstance(known.get(f), dict) and known[f].get("hasTrustDialogAccepted") is True for f in folders
    ):
        return Check("Claude Code project", OK, f"{folders[0]} is trusted")
    found = f"{folders[0]} is not trusted yet, so the rules of its settings do not count"
    return Check("Claude Code project", NOTE, found, "start `claude` in it once, and say that you trust it")
