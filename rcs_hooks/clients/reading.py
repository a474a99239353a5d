"""A client's files, read as the client reads them: the hooks and the server of ours that are there."""

from __future__ import annotations

import os
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple

from rcs_hooks import jsontext
from rcs_hooks.clients import CLIENTS, entries
from rcs_hooks.clients.check import BROKEN, Check
from rcs_hooks.clients.formats import COMMON
from rcs_hooks.clients.handlers import interpreter
from rcs_hooks.clients.installer import PROJECT, USER, Host, InstallTarget
from rcs_hooks.editing import files
from rcs_hooks.errors import Refused, reason_of
from rcs_hooks.files.paths import inside

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from rcs_hooks.clients.client_file import ClientFile
    from rcs_hooks.clients.entries import Record, Spot
    from rcs_hooks.clients.formats import HookFormat

LARGEST = 1024 * 1024
"""In bytes: far more than a settings file has; a larger one would take minutes to read."""
BOM = "\ufeff"
GIT_LINK_LENGTH = 4096


class Settings(NamedTuple):
    """One file of a client that may hold hooks, as it was read."""

    target: InstallTarget
    path: str
    value: Record
    ours: list[tuple[Spot, Record]]
    foreign: list[tuple[Spot, Record]]
    """The hooks that carry our name, but run a program of the project."""
    format: HookFormat = COMMON
    """How the file holds hooks."""

    @property
    def command_events(self) -> list[str]:
        """The events for which the file has a command of ours, which another client may run too."""
        return list(dict.fromkeys(spot[0] for spot, hook in self.ours if hook.get("type") != entries.TOOL_TYPE))

    @property
    def is_shared(self) -> bool:
        """Whether a repository may have brought the file: it lies in the project, as files of the local scope do."""
        return is_from_project(self.target.host, self.path)

    @property
    def is_mine(self) -> bool:
        """Whether the file is the person's own: of the user scope, and not from a repository."""
        return self.target.scope == USER and not self.is_shared


class Server(NamedTuple):
    """An entry of our server, the file that holds it, and whether that is the person's own."""

    entry: Record
    path: str
    is_mine: bool


def is_from_project(host: Host, path: str) -> bool:
    """Tell whether a repository may have brought a file: it lies in the project, and the home is not in the project."""
    root = os.path.realpath(host.root)
    return inside(os.path.realpath(path), root) and not inside(os.path.realpath(host.home), root)


def value_at(
    path: str,
    boundary: str | None,
    load: Callable[[str], Any] = jsontext.loads,
    kind: str = "JSON",
    largest: int = LARGEST,
) -> Record | None:
    """Return the object in a file; None if the file is missing or blank. Raises Refused if it cannot be read.

    `boundary`: the folder that no link may lead out of. `load`, `kind`: the parser and its format. `largest`: in bytes.
    """
    try:
        text = files.read(path, boundary, largest)
    except OSError as error:
        raise Refused(reason_of(error)) from None
    except Refused as error:
        raise Refused(str(error).removeprefix(f"{path}: ").removesuffix(files.UNCHANGED)) from None
    if text is None or not text.strip():
        return None
    try:
        value = load(text.removeprefix(BOM))
    except RecursionError:
        raise Refused("it is nested too deep") from None
    except ValueError as error:
        raise Refused(f"it is not {kind}: {error}") from None
    if not isinstance(value, dict):
        raise Refused("the file is not an object")
    return value


def value_quietly(file: ClientFile) -> Record:
    """Return the object in a file of servers, which may have megabytes; empty if it is missing or cannot be read."""
    largest = files.LARGEST if file.boundary is None else LARGEST
    try:
        return value_at(file.path, file.boundary, file.load, file.kind, largest) or {}
    except Refused:
        return {}


# --- hooks


def settings_of(host: Host, client: str) -> Iterator[Settings | Check]:
    """Yield the files from which a client reads hooks, the one that counts most first.

    For a file that cannot be read, a check that says so is yielded instead; a missing file is left out.
    """
    user_files = InstallTarget(host, client, USER).installer.files_with_hooks(InstallTarget(host, client, USER))
    user_paths = {os.path.realpath(file.path) for file in user_files}
    for scope in InstallTarget(host, client, USER).installer.scopes:
        target = InstallTarget(host, client, scope)
        for file in target.installer.files_with_hooks(target):
            if scope != USER and os.path.realpath(file.path) in user_paths:
                continue  # the home is the project
            try:
                value = value_at(file.path, target.boundary, file.load, file.kind)
                if value is not None:
                    yield _settings(target, file, value)
            except Refused as error:
                yield Check(f"{CLIENTS[client].title} file", BROKEN, f"{file.path}: {error}", "fix the file by hand")


def serving(host: Host, client: str) -> Iterator[Settings]:
    """Yield the files of other clients in the project with hooks of ours that this client runs too."""
    target = InstallTarget(host, client, PROJECT)
    for file in target.installer.serving(target):
        with suppress(Refused):  # the other client's own check says so
            found = _settings(file.target, file, value_at(file.path, file.boundary, file.load, file.kind) or {})
            if found.ours:
                yield found


def _settings(target: InstallTarget, file: ClientFile, value: Record) -> Settings:
    ours: list[tuple[Spot, Record]] = []
    foreign: list[tuple[Spot, Record]] = []
    for spot, handler in entries.ours(target.installer.hooks_in(value)):
        if not file.format.reads(is_flat=spot[2] == entries.FLAT):
            continue
        (foreign if runs_program_of_project(target.host, handler) else ours).append((spot, handler))
    return Settings(target, file.path, value, ours, foreign, file.format)


def runs_program_of_project(host: Host, handler: Record) -> bool:
    """Tell whether a hook with our name runs a program that lies in the project, and not beside this Python."""
    return any(_is_program_of_project(host, word) for word in entries.programs_of(handler) if "/" in word)


def path_in_project(host: Host, word: str) -> str:
    """Return the absolute path that a word of a hook names, relative to the project or to a variable that names it."""
    for variable in (client.project_variable for client in CLIENTS.values() if client.project_variable):
        for prefix in (f"${variable}", f"${{{variable}}}"):
            if word.startswith(f"{prefix}/"):
                word = host.root + word.removeprefix(prefix)
    return os.path.abspath(os.path.join(host.root, word))


def _is_program_of_project(host: Host, word: str) -> bool:
    path = path_in_project(host, word)
    try:
        is_from_there = any(is_from_project(host, each) for each in (path, os.path.dirname(path)))
    except ValueError:  # not a name that a file can have
        return False
    return is_from_there and os.path.dirname(path) != os.path.dirname(interpreter())


# --- the server, and the project


def servers_in(maps: Iterable[tuple[object, str, bool]]) -> list[Server]:
    """List our server's entry in each map of servers that has one.

    `maps`: each map of servers, the path of its file, and whether that file is the person's own.
    """
    present = []
    for servers, path, is_mine in maps:
        entry = servers.get(entries.SERVER) if isinstance(servers, dict) else None
        if isinstance(entry, dict):
            present.append(Server(entry, path, is_mine))
    return present


def project_names(root: str) -> list[str]:
    """List the folders by which a client may know a project: its own, its repository's, and its worktree's main one."""
    top = root
    while not os.path.lexists(os.path.join(top, ".git")) and top != os.path.dirname(top):
        top = os.path.dirname(top)
    names = [root, os.path.realpath(root)]
    link = os.path.join(top, ".git")
    if os.path.lexists(link):
        names += [top, os.path.realpath(top)]
    if os.path.isfile(link):
        main, mark, _ = os.path.join(top, _git_folder(link)).partition(f"{os.sep}.git{os.sep}worktrees{os.sep}")
        names += [os.path.realpath(main)] if mark and "\0" not in main else []
    return list(dict.fromkeys(names))


def _git_folder(link: str) -> str:
    try:
        with open(link, "rb") as file:
            return os.fsdecode(file.read(GIT_LINK_LENGTH)).removeprefix("gitdir:").strip()
    except OSError:
        return ""
