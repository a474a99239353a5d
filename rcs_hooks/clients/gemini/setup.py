"""What of ours belongs in Gemini CLI's files, and where they are."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from rcs_hooks.clients.client_file import ClientFile, HooksFile
from rcs_hooks.clients.folder_trust import FILE
from rcs_hooks.clients.formats import HookFormat
from rcs_hooks.clients.gemini import GEMINI, checks, policies
from rcs_hooks.clients.handlers import COMMAND
from rcs_hooks.clients.installer import USER, Installer, InstallTarget, setup_command
from rcs_hooks.clients.lines import quiet_command
from rcs_hooks.clients.reading import servers_in, value_quietly

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rcs_hooks.clients.check import Check
    from rcs_hooks.clients.entries import Record
    from rcs_hooks.clients.installer import Host, SetupOptions
    from rcs_hooks.clients.reading import Server, Settings

TRUSTED_FOLDERS = "GEMINI_CLI_TRUSTED_FOLDERS_PATH"
MILLISECONDS = 1000
FORMAT = HookFormat(GEMINI.event_names, quiet_command, per_second=MILLISECONDS, fields={"name": "rcs"})


class GeminiSettingsFile(HooksFile):
    """Gemini CLI's `settings.json`, for the hooks."""

    has_comments = True


class PolicyFile(ClientFile):
    """A file of policies that is ours: Gemini CLI reads every file of that folder in the home."""

    kind = "TOML"
    empty = ""
    diff_context = 3  # it holds rules only, no secrets

    def parse(self, text: str) -> Record:
        return policies.parse(text)

    load = parse

    def with_ours(self, text: str, options: SetupOptions) -> str:
        return policies.with_rule(text, policies.rule(self.target.installer.names_of_rcs(self.target.host)))

    def without_ours(self, text: str) -> str:
        return policies.without_rule(text)

    def with_ours_of(self, present: str, text: str) -> str:
        ours = policies.rule_in(present)
        return policies.with_rule(text, ours) if ours else text

    def with_all_ours(self) -> str:
        return policies.rule(["rcs"])


class GeminiInstaller(Installer):
    """Gemini CLI's settings in a project and in the home, and the person's policies."""

    client = GEMINI
    home_variable = "GEMINI_CLI_HOME"
    home_folder = ".gemini"
    format = FORMAT
    transports = (COMMAND,)

    def home(self, host: Host) -> str:
        return os.path.join(host.env.get(self.home_variable, "").strip() or host.home, self.home_folder)

    def files(self, target: InstallTarget) -> list[ClientFile]:
        settings = GeminiSettingsFile(target, os.path.join(self.folder(target), "settings.json"))
        return [settings, *([self._policies(target)] if target.scope == USER else [])]

    def _policies(self, target: InstallTarget) -> PolicyFile:
        return PolicyFile(target, os.path.join(self.home(target.host), "policies", "rcs-hooks.toml"))

    def other_skills_folders(self, target: InstallTarget) -> list[str]:
        return [os.path.join(self.folder(target), "skills")]

    def next_steps(self, target: InstallTarget, *, changed: bool, renewed: bool, writable: bool) -> list[str]:
        if not changed:
            return []
        if target.scope == USER:
            return ["it runs hooks only in folders that you trust: say so when it asks."]
        again = setup_command(self.client.name, USER)
        return [
            "start `gemini` in this folder, and say that you trust it: in any other, no hook runs.",
            "it asks you before each `rcs` command of the agent, and has no shell with -p: only your own policies"
            f" can allow them, and {again} writes those, with the hooks for all that you do.",
        ]

    def servers(self, host: Host, settings: Sequence[Settings]) -> list[Server]:
        return servers_in((each.value.get("mcpServers"), each.path, each.is_mine) for each in settings)

    def checks(self, host: Host, settings: Sequence[Settings]) -> Iterator[Check]:
        user = InstallTarget(host, self.client.name, USER)
        path = host.env.get(TRUSTED_FOLDERS, "").strip() or os.path.join(self.home(host), FILE)
        trusted = value_quietly(GeminiSettingsFile(user, path))
        return checks.checks(host, settings, trusted, self._policies(user))


INSTALLER = GeminiInstaller()
