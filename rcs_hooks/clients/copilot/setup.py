"""What of ours belongs in Copilot CLI's files, and where they are."""

from __future__ import annotations

import os
import shlex
from typing import TYPE_CHECKING

from rcs_hooks.clients import status_line
from rcs_hooks.clients.claude import CLAUDE
from rcs_hooks.clients.client_file import HooksFile
from rcs_hooks.clients.copilot import COPILOT, checks
from rcs_hooks.clients.formats import HookFormat
from rcs_hooks.clients.handlers import COMMAND, program
from rcs_hooks.clients.installer import PROJECT, USER, Installer, InstallTarget
from rcs_hooks.clients.reading import is_from_project, servers_in, value_quietly

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rcs_hooks.clients.check import Check
    from rcs_hooks.clients.client_file import ClientFile
    from rcs_hooks.clients.installer import Host, SetupOptions
    from rcs_hooks.clients.reading import Server, Settings

NAME = "rcs-hooks.json"
SETTINGS = "settings.json"
FORMAT = HookFormat(timeout="timeoutSec", is_flat=True)


class CopilotHooksFile(HooksFile):
    """The file of hooks that is ours: Copilot CLI reads every file of its folder."""

    empty = '{\n  "version": 1\n}\n'
    diff_context = 3  # it holds hooks only, no secrets


class CopilotSettingsFile(HooksFile):
    """The person's `settings.json`, for the status line; hooks of ours in it are the person's own doing."""

    has_comments = True

    def with_ours(self, text: str, options: SetupOptions) -> str:
        return status_line.put(text, status_line.entry(program("rcs")), add=options.statusline)

    def without_ours(self, text: str) -> str:
        return status_line.take(text)

    def with_ours_of(self, present: str, text: str) -> str:
        return status_line.copy(present, text)

    def with_all_ours(self) -> str:
        return status_line.put(self.empty, status_line.entry("rcs"), add=True)


class CopilotServersFile(CopilotSettingsFile):
    """A file of MCP servers, which is only looked at."""


class CopilotInstaller(Installer):
    """Copilot CLI's hooks in a project and in the home; it also runs those of Claude Code in a project."""

    client = COPILOT
    home_variable = "COPILOT_HOME"
    home_folder = ".copilot"
    status_line_scopes = (USER,)
    format = FORMAT
    transports = (COMMAND,)
    reads_hooks_of = (CLAUDE.name,)

    def folder(self, target: InstallTarget) -> str:
        return self.home(target.host) if target.scope == USER else os.path.join(target.host.root, ".github", "hooks")

    def files(self, target: InstallTarget) -> list[ClientFile]:
        folder = self.folder(target)
        if target.scope == PROJECT:
            return [CopilotHooksFile(target, os.path.join(folder, NAME))]
        settings = CopilotSettingsFile(target, os.path.join(folder, SETTINGS))
        return [CopilotHooksFile(target, os.path.join(folder, "hooks", NAME)), settings]

    def files_with_hooks(self, target: InstallTarget) -> list[ClientFile]:
        return self.files(target)

    def other_skills_folders(self, target: InstallTarget) -> list[str]:
        if target.scope == PROJECT:
            return [os.path.join(target.host.root, name, "skills") for name in (".claude", ".github")]
        return [os.path.join(self.home(target.host), "skills")]

    def next_steps(self, target: InstallTarget, *, changed: bool, renewed: bool, writable: bool) -> list[str]:
        if not changed:
            return []
        trust = (
            []
            if target.scope == USER
            else ["start `copilot` in this folder, and say that you trust it; with -p it wants --trust-folder."]
        )
        asks = (
            f"it asks you before each `rcs` command of the agent; only `copilot {self._allowing(target.host)}` changes"
        )
        return [*trust, f"{asks} that, and then lets it run `rcs prove` unasked too, which runs any command."]

    def _allowing(self, host: Host) -> str:
        """Return the options by which a person allows `rcs` by the words that the agent is told to use.

        To Copilot CLI a path in them is also a file outside the project, which it asks about too.
        """
        rcs = self.rcs_command(host)
        rule = f"--allow-tool {shlex.quote(f'shell({rcs}:*)')}"
        return rule if rcs == "rcs" else f"{rule} --add-dir {shlex.quote(os.path.dirname(program('rcs')))}"

    def servers(self, host: Host, settings: Sequence[Settings]) -> list[Server]:
        user, project = (InstallTarget(host, self.client.name, scope) for scope in (USER, PROJECT))
        places = [
            CopilotServersFile(project, os.path.join(host.root, ".github", "mcp.json")),
            CopilotServersFile(user, os.path.join(self.home(host), "mcp-config.json")),
        ]
        return servers_in(
            (value_quietly(each).get("mcpServers"), each.path, not is_from_project(host, each.path)) for each in places
        )

    def checks(self, host: Host, settings: Sequence[Settings]) -> Iterator[Check]:
        own = CopilotServersFile(
            InstallTarget(host, self.client.name, USER), os.path.join(self.home(host), "config.json")
        )
        yield from checks.checks(host, settings, value_quietly(own), self.names_of_rcs(host))


INSTALLER = CopilotInstaller()
