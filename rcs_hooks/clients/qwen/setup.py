"""What of ours belongs in Qwen Code's settings, and where they are."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from rcs_hooks.clients import status_line
from rcs_hooks.clients.client_file import ClientFile, HooksFile
from rcs_hooks.clients.folder_trust import FILE
from rcs_hooks.clients.formats import HookFormat
from rcs_hooks.clients.handlers import COMMAND, program
from rcs_hooks.clients.installer import PROJECT, USER, Installer, InstallTarget
from rcs_hooks.clients.lines import quiet_command
from rcs_hooks.clients.qwen import QWEN, checks
from rcs_hooks.clients.reading import servers_in, value_quietly
from rcs_hooks.clients.rules import RuleForm

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rcs_hooks.clients.check import Check
    from rcs_hooks.clients.entries import Record
    from rcs_hooks.clients.installer import Host, SetupOptions
    from rcs_hooks.clients.reading import Server, Settings

RULES = RuleForm("run_shell_command(", " *)")
"""Not `Bash(…)`: Qwen Code knows that name too, but not where it runs without a terminal."""
STATUS_LINE = ("ui", "statusLine")
TRUSTED_FOLDERS = "QWEN_CODE_TRUSTED_FOLDERS_PATH"
FORMAT = HookFormat(command=quiet_command, fields={"name": "rcs"})


class QwenSettingsFile(HooksFile):
    """Qwen Code's `settings.json`: hooks, permission rules and the status line."""

    has_comments = True

    def with_ours(self, text: str, options: SetupOptions) -> str:
        installer = self.target.installer
        text = RULES.put(super().with_ours(text, options), RULES.allows(installer.names_of_rcs(self.target.host)))
        return status_line.put(text, status_line.entry(program("rcs")), add=options.statusline, path=STATUS_LINE)

    def without_ours(self, text: str) -> str:
        return status_line.take(RULES.take(super().without_ours(text)), STATUS_LINE)

    def with_ours_of(self, present: str, text: str) -> str:
        return status_line.copy(present, RULES.copy(present, super().with_ours_of(present, text)), STATUS_LINE)

    def with_all_ours(self) -> str:
        text = RULES.put(super().with_all_ours(), RULES.allows(["rcs"]))
        return status_line.put(text, status_line.entry("rcs"), add=True, path=STATUS_LINE)


class QwenInstaller(Installer):
    """Qwen Code's settings, in a project and in the home."""

    client = QWEN
    home_variable = "QWEN_HOME"
    home_folder = ".qwen"
    status_line_scopes = (PROJECT, USER)
    format = FORMAT
    transports = (COMMAND,)

    def files(self, target: InstallTarget) -> list[ClientFile]:
        return [QwenSettingsFile(target, os.path.join(self.folder(target), "settings.json"))]

    def other_skills_folders(self, target: InstallTarget) -> list[str]:
        return [os.path.join(self.folder(target), "skills")]

    def next_steps(self, target: InstallTarget, *, changed: bool, renewed: bool, writable: bool) -> list[str]:
        where = "" if target.scope == USER else " in this folder: it reads a project's settings from there alone"
        return [f"open sessions use it after they are started again{where}."] if changed else []

    def servers(self, host: Host, settings: Sequence[Settings]) -> list[Server]:
        return servers_in((each.value.get("mcpServers"), each.path, each.is_mine) for each in settings)

    def variables_in(self, value: Record) -> object:
        return value.get("env")

    def checks(self, host: Host, settings: Sequence[Settings]) -> Iterator[Check]:
        path = host.env.get(TRUSTED_FOLDERS, "").strip() or os.path.join(self.home(host), FILE)
        trusted = value_quietly(QwenSettingsFile(InstallTarget(host, self.client.name, USER), path))
        return checks.checks(host, settings, trusted, self.names_of_rcs(host))


INSTALLER = QwenInstaller()
