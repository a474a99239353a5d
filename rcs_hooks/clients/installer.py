"""How our hooks get into the files of a client: what `rcs setup`, `rcs uninstall` and `rcs doctor` ask.

`Installer` describes a client, `ClientFile` one of its files. A subclass has what is abstract there, and
what its client does differently.
"""

from __future__ import annotations

import os
import shlex
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, NamedTuple

from rcs_hooks.clients import handlers
from rcs_hooks.clients.formats import COMMON
from rcs_hooks.clients.handlers import MCP, TRANSPORTS
from rcs_hooks.editing.files import backup_path

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from rcs_hooks.clients.check import Check
    from rcs_hooks.clients.client import Client
    from rcs_hooks.clients.client_file import ClientFile
    from rcs_hooks.clients.entries import Record
    from rcs_hooks.clients.formats import HookFormat
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
    """The options of `rcs setup`: the transport, writable folders for the sandbox, and a status line.

    `served`: the events for which the client runs our hooks from another client's file, so that it needs none here.
    """

    transport: str
    writable: bool = False
    statusline: bool = False
    served: frozenset[str] = frozenset()


class Installer(ABC):
    """The way in which our hooks get into the files of one client, and the checks that they would run."""

    client: Client
    home_variable: str
    """The environment variable that names the folder of the person's own files of this client."""
    home_folder: str
    """The default name of the client's folder in the home, and its name in a project."""
    scopes: tuple[str, ...] = (PROJECT, USER)
    status_line_scopes: tuple[str, ...] = ()
    """The scopes in whose settings the client looks for the command of a status line."""
    has_sandbox = False
    """Whether the client's sandbox keeps an agent from files outside its project."""
    how_to_approve = ""
    """What a person does to approve hooks; empty unless the client wants each new, changed or moved hook approved."""
    refuses_twin_skills = False
    """Whether the client ignores both of two skills with the same name."""
    format: HookFormat = COMMON
    """How the client's files hold hooks."""
    transports: tuple[str, ...] = TRANSPORTS
    """The ways in which the client can call our hooks."""
    reads_hooks_of: tuple[str, ...] = ()
    """The names of other clients whose hooks in a project this client runs too."""

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

    def serving(self, target: InstallTarget) -> list[ClientFile]:
        """List the files of other clients in the project from which this client reads hooks too."""
        from rcs_hooks.clients import installers

        return [
            InstallTarget(target.host, name, scope).hooks_file
            for name in (self.reads_hooks_of if target.scope == PROJECT else ())
            for scope in installers()[name].scopes
            if scope != USER
        ]

    def skills_folder(self, target: InstallTarget) -> str:
        """Return the folder to which setup copies skills, one that most clients share; the local scope has none."""
        base = target.host.root if target.scope == PROJECT else target.host.home
        return os.path.join(base, ".agents", "skills")

    def other_skills_folders(self, target: InstallTarget) -> list[str]:
        """List the further folders of this scope in which the client looks for skills, and setup may have copied some.

        In one of them a skill of ours is not copied a second time.
        """
        return []

    def writable_folders(self, host: Host) -> list[str]:
        """List the folders that `--writable` lets a sandboxed agent write, the run store's first."""
        return []

    # --- entries

    def handlers(self, transport: str) -> dict[str, Record]:
        """Return our hook for each event. Raises Refused if `rcs-hook` is not beside this Python."""
        return handlers.hook_handlers(transport, self.format)

    def server_entry(self, host: Host) -> Record:
        """Return the entry of our MCP server."""
        return handlers.server_entry(host.env)

    def rcs_command(self, host: Host) -> str:
        """Return the words with which the agent is told to run this program."""
        return self.client.rcs_command(host.env)

    def names_of_rcs(self, host: Host) -> list[str]:
        """List the words by which the agent may call `rcs`: its path, and what our messages tell the agent to type."""
        return list(dict.fromkeys((shlex.quote(handlers.program("rcs")), self.rcs_command(host))))

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
