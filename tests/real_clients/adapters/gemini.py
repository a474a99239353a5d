"""Gemini CLI."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, ClassVar

from tests.real_clients.adapters.adapter import SECONDS, add_entry, write_settings
from tests.real_clients.adapters.gemini_kind import OfGeminiKind
from tests.real_clients.install import Package

if TYPE_CHECKING:
    from pathlib import Path

    from tests.real_clients.driver import Person

Json = dict[str, Any]

SETTINGS: Json = {
    "security": {"auth": {"selectedType": "gemini-api-key"}},
    "general": {"enableAutoUpdate": False},
    "privacy": {"usageStatisticsEnabled": False},
}
TOLD = r"(?m)^Hook system message: (.*(?:\nrcs: .*)*)"
SEEN = r"(?s)ℹ ((?:(?!ℹ).)*) \[rcs\]"
MODEL = "gemini-2.5-flash"
"""A fixed one: for `auto` each prompt is first classified."""


class Gemini(OfGeminiKind):
    """Has events with names of its own, and no limit on blocked Stops."""

    name = "gemini"
    package = Package(
        "gemini", "@google/gemini-cli", "0.61.0", "node_modules/@google/gemini-cli/bundle/gemini.js", node=20
    )
    hooks_file = ".gemini/settings.json"
    shows = ("started", "held", "let go")
    most_holds = 50
    subagent_end = ""
    events: ClassVar = {"UserPromptSubmit": "BeforeAgent", "Stop": "AfterAgent", "PreCompact": "PreCompress"}

    def options(self, person: Person) -> list[str]:
        return [f"--model={MODEL}", *super().options(person)]

    def env(self, person: Person) -> dict[str, str]:
        # Not by a system file, which it does not read from /tmp: that folder is everybody's.
        file = person.home / self.hooks_file
        settings = json.loads(file.read_text()) if file.exists() else {}
        if SETTINGS.keys() - settings.keys():
            write_settings(file, SETTINGS | settings)
        return {"GOOGLE_GEMINI_BASE_URL": "{url}", "GEMINI_API_KEY": "dummy"}

    def trust(self, person: Person, projects: tuple[Path, ...], approved: Path | None, writable: Path | None) -> None:
        trusted = {str(each): "TRUST_FOLDER" for each in projects}
        write_settings(person.home / ".gemini/trustedFolders.json", trusted)

    def shown(self, events: list[Json], err: str) -> list[str]:
        """List what it printed, or what the last screen of a terminal shows, as words without their marks."""
        screens = [event["text"] for event in events if event.get("type") == "screen"]
        seen = re.findall(SEEN, screens[-1]) if screens else []
        return re.findall(TOLD, err) + [" ".join(text.split()) for text in seen]

    def add_hook(self, file: Path, event: str, command: str) -> None:
        handler = {"type": "command", "command": command, "name": "listening", "timeout": SECONDS * 1000}
        add_entry(file, event, {"hooks": [handler]})
