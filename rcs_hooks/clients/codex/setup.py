"""What of ours belongs in Codex' files, and where they are."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from rcs_hooks.clients.client_file import ClientFile, HooksFile
from rcs_hooks.clients.codex import CODEX, checks, config
from rcs_hooks.clients.entries import SERVER
from rcs_hooks.clients.formats import HookFormat
from rcs_hooks.clients.handlers import MCP
from rcs_hooks.clients.installer import PROJECT, Installer
from rcs_hooks.clients.reading import is_from_project, servers_in

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rcs_hooks.clients.check import Check
    from rcs_hooks.clients.entries import Record
    from rcs_hooks.clients.installer import Host, InstallTarget, SetupOptions
    from rcs_hooks.clients.reading import Server, Settings


class CodexHooksFile(HooksFile):
    """Codex' `hooks.json`, which holds nothing but hooks."""

    diff_context = 3  # it holds hooks only, no secrets


class ConfigFile(ClientFile):
    """Codex' `config.toml`: our MCP server, and the folders that the agent's sandbox may write."""

    kind = "TOML"
    empty = ""

    def parse(self, text: str) -> Record:
        return config.parse(text)

    load = parse

    @property
    def created_folder(self) -> str:
        return self.target.installer.writable_folders(self.target.host)[0]

    @property
    def _roots(self) -> list[str]:
        store, state = self.target.installer.writable_folders(self.target.host)
        return [store, state] if self.target.scope == PROJECT else [store]

    def with_ours(self, text: str, options: SetupOptions) -> str:
        if options.transport == MCP:
            is_shared = self.target.scope == PROJECT or is_from_project(self.target.host, self.path)
            text = config.with_server(text, self.target.installer.server_entry(self.target.host), is_shared=is_shared)
        else:
            text = config.without_server(text)
        return config.with_roots(text, self._roots) if options.writable else text

    def without_ours(self, text: str) -> str:
        return config.without_roots(config.without_server(text), self._roots)

    def with_ours_of(self, present: str, text: str) -> str:
        old = config.parse(present)
        entry = old.get(config.SERVERS, {}).get(SERVER)
        text = config.with_server(text, entry) if isinstance(entry, dict) else text
        roots = config.writable_roots(old)
        return config.with_roots(text, [root for root in self._roots if root in roots])

    def with_all_ours(self) -> str:
        return config.with_roots(config.with_server("", {"command": ""}), self._roots)


FORMAT = HookFormat(tool_fields={"UserPromptSubmit": ("turn_id",), "Stop": ("turn_id",)})
"""With the further fields that Codex passes to a tool.

Without `agent_id`: Codex fails a hook if a named field is missing.
"""


class CodexInstaller(Installer):
    """Codex' `hooks.json` and `config.toml`, in a project and in the home."""

    client = CODEX
    home_variable = "CODEX_HOME"
    home_folder = ".codex"
    has_sandbox = True
    how_to_approve = "start `codex`, then /hooks"
    refuses_twin_skills = True
    format = FORMAT

    def files(self, target: InstallTarget) -> list[ClientFile]:
        folder = self.folder(target)
        return [
            CodexHooksFile(target, os.path.join(folder, "hooks.json")),
            ConfigFile(target, os.path.join(folder, "config.toml")),
        ]

    def files_with_hooks(self, target: InstallTarget) -> list[ClientFile]:
        return self.files(target)

    def writable_folders(self, host: Host) -> list[str]:
        """List the folders of the run store and of the state; an agent in a subfolder needs the second too."""
        return [os.path.join(host.home, ".rcs"), os.path.join(host.root, ".rcs")]

    def server_entry(self, host: Host) -> Record:
        """Return our server's entry with its tools approved, so that Codex does not ask the person before a call."""
        return super().server_entry(host) | {config.APPROVAL: config.APPROVED}

    def next_steps(self, target: InstallTarget, *, changed: bool, renewed: bool, writable: bool) -> list[str]:
        steps = []
        if renewed:
            steps.append(
                f"the hooks have changed, so none of them runs until you approve again: {self.how_to_approve}."
            )
        elif changed:
            trust = " here, trust the project" if target.scope == PROJECT else ""
            steps.append(f"start `codex`{trust}, and approve the hooks with /hooks.")
        if not writable:
            steps.append(
                f"its sandbox lets an agent write neither to the runs in {self.writable_folders(target.host)[0]} nor,"
                " if you start it in a subfolder, to the project's .rcs; `rcs setup --writable` allows both."
            )
        return steps

    def hooks_in(self, value: Record) -> Record:
        """Return the object with the hooks, without what Codex records among them about trust."""
        hooks = value.get("hooks")
        if not isinstance(hooks, dict):
            return value
        return {"hooks": {event: groups for event, groups in hooks.items() if event != "state"}}

    def servers(self, host: Host, settings: Sequence[Settings]) -> list[Server]:
        return servers_in((each.value.get(config.SERVERS), each.path, each.is_mine) for each in settings)

    def variables_in(self, value: Record) -> object:
        policy = value.get("shell_environment_policy")
        return policy.get("set") if isinstance(policy, dict) else {}

    def checks(self, host: Host, settings: Sequence[Settings]) -> Iterator[Check]:
        return checks.checks(host, settings, self)


INSTALLER = CodexInstaller()
