"""What of ours belongs in Claude Code's files, and where they are."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from rcs_hooks.clients import status_line
from rcs_hooks.clients.claude import CLAUDE, checks, settings
from rcs_hooks.clients.client_file import ClientFile, HooksFile
from rcs_hooks.clients.formats import HookFormat
from rcs_hooks.clients.handlers import MCP, program
from rcs_hooks.clients.installer import LOCAL, PROJECT, USER, Installer, InstallTarget
from rcs_hooks.clients.reading import is_from_project, servers_in, value_quietly

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rcs_hooks.clients.check import Check
    from rcs_hooks.clients.entries import Record
    from rcs_hooks.clients.installer import Host, SetupOptions
    from rcs_hooks.clients.reading import Server, Settings


class SettingsFile(HooksFile):
    """Claude Code's `settings.json`: hooks, permission rules, approved servers and the status line."""

    def with_ours(self, text: str, options: SetupOptions) -> str:
        target = self.target
        is_over_mcp = options.transport == MCP
        text = super().with_ours(text, options)
        text = settings.RULES.put(
            text, settings.rules_for(target.installer.names_of_rcs(target.host), server=is_over_mcp)
        )
        if is_over_mcp and target.scope == PROJECT:
            text = settings.with_enabled_server(text)
        else:
            text = settings.without_enabled_server(text)
        return status_line.put(text, status_line.entry(program("rcs")), add=options.statusline)

    def without_ours(self, text: str) -> str:
        return settings.without_settings(super().without_ours(text))

    def with_ours_of(self, present: str, text: str) -> str:
        return settings.with_settings_of(present, super().with_ours_of(present, text))

    def with_all_ours(self) -> str:
        text = settings.RULES.put(super().with_all_ours(), settings.rules_for(["rcs"], server=True))
        return status_line.put(settings.with_enabled_server(text), status_line.entry("rcs"), add=True)


class ServersFile(ClientFile):
    """A project's `.mcp.json`, or the person's `.claude.json` with the servers of the user and the local scope."""

    @property
    def boundary(self) -> str | None:
        return self.target.boundary if self.target.scope == PROJECT else None

    @property
    def _keys(self) -> tuple[str, ...]:
        """The keys of the object that holds `mcpServers`, from the outermost; empty if that is the whole file."""
        return ("projects", self.target.host.root) if self.target.scope == LOCAL else ()

    def with_ours(self, text: str, options: SetupOptions) -> str:
        if options.transport != MCP:
            return self.without_target(text)
        is_shared = self.target.scope == PROJECT or is_from_project(self.target.host, self.path)
        entry = self.target.installer.server_entry(self.target.host)
        return settings.with_server(text, entry, is_shared=is_shared, path=self._keys)

    def without_target(self, text: str) -> str:
        return settings.without_server(text, self._keys)

    def without_ours(self, text: str) -> str:
        for keys, _ in settings.servers(text):
            text = settings.without_server(text, keys)
        return text

    def with_ours_of(self, present: str, text: str) -> str:
        for keys, entry in settings.servers(present):
            text = settings.with_server(text, entry, path=keys)
        return text

    def with_all_ours(self) -> str:
        return settings.with_server(settings.with_server("", {}), {}, path=self._keys)


FORMAT = HookFormat(
    tool_fields={
        "UserPromptSubmit": ("prompt_id", "agent_id"),
        "Stop": ("prompt_id", "agent_id", "background_tasks", "session_crons"),
    }
)


class ClaudeInstaller(Installer):
    """Claude Code's settings and its files of servers, in three scopes."""

    client = CLAUDE
    home_variable = "CLAUDE_CONFIG_DIR"
    home_folder = ".claude"
    scopes = (LOCAL, PROJECT, USER)
    status_line_scopes = scopes
    format = FORMAT

    def files(self, target: InstallTarget) -> list[ClientFile]:
        name = "settings.local.json" if target.scope == LOCAL else "settings.json"
        return [
            SettingsFile(target, os.path.join(self.folder(target), name)),
            ServersFile(target, self._servers_path(target)),
        ]

    def _servers_path(self, target: InstallTarget) -> str:
        if target.scope == PROJECT:
            return os.path.join(target.host.root, ".mcp.json")
        return os.path.join(target.host.env.get(self.home_variable, "").strip() or target.host.home, ".claude.json")

    def skills_folder(self, target: InstallTarget) -> str:
        return os.path.join(self.folder(target), "skills")

    def next_steps(self, target: InstallTarget, *, changed: bool, renewed: bool, writable: bool) -> list[str]:
        trust = "" if target.scope == USER else "say that you trust this folder when it asks; "
        return [f"{trust}open sessions use it after they are started again."] if changed else []

    def servers(self, host: Host, settings: Sequence[Settings]) -> list[Server]:
        own, shared = (self.files(InstallTarget(host, self.client.name, scope))[1] for scope in (USER, PROJECT))
        is_mine = not is_from_project(host, own.path)
        own_value = value_quietly(own)
        return servers_in(
            [
                (checks.known_project(own_value, [host.root]).get("mcpServers"), own.path, is_mine),
                (value_quietly(shared).get("mcpServers"), shared.path, False),
                (own_value.get("mcpServers"), own.path, is_mine),
            ]
        )

    def variables_in(self, value: Record) -> object:
        return value.get("env")

    def plugin_file(self, settings: Sequence[Settings]) -> str | None:
        return checks.plugin_file(settings)

    def checks(self, host: Host, settings: Sequence[Settings]) -> Iterator[Check]:
        own = self.files(InstallTarget(host, self.client.name, USER))[1]
        return checks.checks(host, settings, value_quietly(own), self.names_of_rcs(host))


INSTALLER = ClaudeInstaller()
