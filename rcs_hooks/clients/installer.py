"""How our hooks get into the files of a client: what `rcs setup`, `rcs uninstall` and `rcs doctor` ask.

`Installer` describes a client, `ClientFile` one of its files. A subclass has what is abstract here, and
what its client does differently.
"""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from rcs_hooks import jsontext
from rcs_hooks.clients import entries, handlers
from rcs_hooks.clients.handlers import MCP
from rcs_hooks.editing import jsonedit
from rcs_hooks.editing.files import backup_path

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from rcs_hooks.clients.check import Check
    from rcs_hooks.clients.client import Client
    from rcs_hooks.clients.entries import Record
    from rcs_hooks.clients.reading import Server, Settings

LOCAL, PROJECT, USER = "local", "project", "user"
SCOPES = (LOCAL, PROJECT, USER)
"""The scopes, the one that overrides the others first. Local: the person's own settings in one project."""


class Host(NamedTuple):
    """The surroundings of a setup: the environment, the person's home and the workspace, read once."""

    env: Mapping[str, str]
    home: str
    root: str
    """The folder of the workspace, that is the project."""


class InstallTarget(NamedTuple):
    """One client in one scope, to set up or to check: LOCAL, PROJECT or USER."""

    host: Host
    client: str
    scope: str

    @property
    def installer(self) -> Installer:
        from rcs_hooks.clients import installers

        return installers()[self.client]

    @property
    def boundary(self) -> str | None:
        """The project's folder, which links in it must not lead out of; None in the user scope."""
        return None if self.scope == USER else self.host.root

    @property
    def folder(self) -> str:
        """The client's folder for this scope."""
        return self.installer.folder(self)

    @property
    def files(self) -> list[ClientFile]:
        """The files that setup may change; the first holds the hooks."""
        return self.installer.files(self)

    @property
    def hooks_file(self) -> ClientFile:
        """The file to which setup writes the hooks."""
        return self.files[0]

    def file(self, path: str) -> ClientFile | None:
        """Return the client's file whose path or backup's path this is; None for any other path, such as a skill's."""
        return next((file for file in self.files if path in (file.path, backup_path(file.path))), None)

    def boundary_of(self, path: str) -> str | None:
        """Return the folder that no link at this path may lead out of; None where links may lead anywhere.

        A client may keep what belongs to a project in a file of the home, so the file decides.
        """
        file = self.file(path)
        return file.boundary if file else self.boundary


class SetupOptions(NamedTuple):
    """The options of `rcs setup`: the transport, writable folders for the sandbox, and a status line."""

    transport: str
    writable: bool = False
    statusline: bool = False


class ClientFile(ABC):
    """A file of a client that may hold entries of ours. Every method takes and returns the file's whole text."""

    kind = "JSON"
    empty = "{}\n"
    """The text that stands for a file that is missing or blank."""
    diff_context = 0
    """The number of lines shown around a change; 0 because they may hold a secret."""

    def __init__(self, target: InstallTarget, path: str) -> None:
        self.target = target
        self.path = path

    @property
    def boundary(self) -> str | None:
        """The folder that no link on the path of this file may lead out of; None if links may lead anywhere."""
        return self.target.boundary

    @property
    def created_folder(self) -> str | None:
        """The folder that setup may have created for an entry in this file; None if it creates none."""
        return None

    def filled(self, text: str | None) -> str:
        """Return the text; if it is None or blank, the text that stands for an empty file."""
        return text if text and text.strip() else self.empty or text or ""

    def parse(self, text: str) -> Any:
        """Parse the text before a change.

        Raises ValueError, also for a duplicate key, one of which a change would lose.
        """
        return jsonedit.parse(text).value

    def load(self, text: str) -> Any:
        """Parse the text as the client itself reads it. Raises ValueError."""
        return jsontext.loads(text)

    @abstractmethod
    def with_ours(self, text: str, options: SetupOptions) -> str:
        """Return the text with our entries as setup writes them for these options."""

    @abstractmethod
    def without_ours(self, text: str) -> str:
        """Return the text without our entries of any scope; two scopes may share a file."""

    def without_target(self, text: str) -> str:
        """Return the text without our entries of this target; those of another scope stay."""
        return self.without_ours(text)

    @abstractmethod
    def with_ours_of(self, present: str, text: str) -> str:
        """Return the text with our entries that the text `present` has, each where setup would put it."""

    @abstractmethod
    def with_all_ours(self) -> str:
        """Return a text with one of each entry that setup can write to this file, and nothing else."""


class HooksFile(ClientFile):
    """A JSON file of a client that holds hooks."""

    def with_ours(self, text: str, options: SetupOptions) -> str:
        from rcs_hooks.clients import scripts
        from rcs_hooks.clients.reading import is_from_project

        host = self.target.host
        return entries.with_handlers(
            text,
            self.target.installer.handlers(options.transport),
            is_shared=is_from_project(host, self.path),
            tells=partial(scripts.is_ours, host),
        )

    def without_ours(self, text: str) -> str:
        return entries.without_handlers(text)

    def with_ours_of(self, present: str, text: str) -> str:
        ours = entries.ours(jsonedit.parse(present).value)
        return entries.with_handlers(text, {event: handler for (event, *_), handler in ours})

    def with_all_ours(self) -> str:
        return entries.with_handlers("", {event: {"command": entries.PROGRAM} for event in handlers.EVENTS})


class Installer(ABC):
    """The way in which our hooks get into the files of one client, and the checks that they would run."""

    client: Client
    home_variable: str
    """The environment variable that names the folder of the person's own files of this client."""
    home_folder: str
    """The default name of the client's folder in the home, and its name in a project."""
    scopes: tuple[str, ...] = (PROJECT, USER)
    has_status_line = False
    has_sandbox = False
    """Whether the client's sandbox keeps an agent from files outside its project."""
    how_to_approve = ""
    """What a person does to approve hooks; empty unless the client wants each new, changed or moved hook approved."""
    refuses_twin_skills = False
    """Whether the client ignores both of two skills with the same name."""
    tool_fields: Mapping[str, tuple[str, ...]] = {}
    """The further fields that this client passes to a hook which is a tool, by event."""

    # --- files

    def home(self, host: Host) -> str:
        """Return the folder of the person's own files of this client, which an environment variable may move."""
        return host.env.get(self.home_variable, "").strip() or os.path.join(host.home, self.home_folder)

    def folder(self, target: InstallTarget) -> str:
        """Return the client's folder for the scope of a target: in the home for USER, otherwise in the project."""
        return self.home(target.host) if target.scope == USER else os.path.join(target.host.root, self.home_folder)

    @abstractmethod
    def files(self, target: InstallTarget) -> list[ClientFile]:
        """List the files that setup may change; the first holds the hooks."""

    def files_with_hooks(self, target: InstallTarget) -> list[ClientFile]:
        """List the files of this scope from which the client reads hooks."""
        return self.files(target)[:1]

    @abstractmethod
    def skills_folder(self, target: InstallTarget) -> str:
        """Return the folder in which the client looks for skills; the local scope has none."""

    def writable_folders(self, host: Host) -> list[str]:
        """List the folders that `--writable` lets a sandboxed agent write, the run store's first."""
        return []

    # --- entries

    def handlers(self, transport: str) -> dict[str, Record]:
        """Return our hook for each event. Raises Refused if `rcs-hook` is not beside this Python."""
        return handlers.hook_handlers(transport, self.tool_fields)

    def server_entry(self, host: Host) -> Record:
        """Return the entry of our MCP server."""
        return handlers.server_entry(host.env)

    def rcs_command(self, host: Host) -> str:
        """Return the words with which the agent is told to run this program."""
        return self.client.rcs_command(host.env)

    # --- words for the person

    def next_steps(self, target: InstallTarget, *, changed: bool, renewed: bool, writable: bool) -> list[str]:
        """List what the person still has to do after setup, as lines to print.

        `changed`: setup changed a file. `renewed`: setup changed our hooks that were there before. `writable`: it was
        called with `--writable`.
        """
        return []

    # --- doctor

    def hooks_in(self, value: Record) -> Record:
        """Return the object whose `hooks` the client reads. `value`: the parsed file."""
        return value

    @abstractmethod
    def servers(self, host: Host, settings: Sequence[Settings]) -> list[Server]:
        """List the entries of our server in all files, the one that the client would start first.

        `settings`: the client's files with hooks, as `settings_of` yields them.
        """

    def server(self, host: Host, settings: Sequence[Settings]) -> Server | None:
        """Return the entry of our server that the client would start; None if there is none."""
        return next(iter(self.servers(host, settings)), None)

    def variables_in(self, value: Record) -> object:
        """Return the environment variables that a file sets for hooks and servers, unchecked.

        `value`: the parsed file.
        """
        return {}

    def plugin_file(self, settings: Sequence[Settings]) -> str | None:
        """Return the path of the file that switches our plugin on; None if none does."""
        return None

    @abstractmethod
    def checks(self, host: Host, settings: Sequence[Settings]) -> Iterator[Check]:
        """Yield the checks of whether this client would run the hooks that are set up."""


def setup_command(client: str, scope: str, transport: str = "") -> str:
    """Return the `rcs setup` command for this client and scope; `transport` is named only if it is MCP."""
    over_mcp = f" --transport {MCP}" if transport == MCP else ""
    return f"rcs setup --client {client} --scope {scope}{over_mcp}"
