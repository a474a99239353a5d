"""Gemini CLI."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, ClassVar

from tests.real_clients.adapters.adapter import SECONDS, Adapter, add_entry, write_settings
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


class Gemini(Adapter):
    """Takes one prompt by `-p`, several in a terminal."""

    name = "gemini"
    package = Package(
        "gemini", "@google/gemini-cli", "0.61.0", "node_modules/@google/gemini-cli/bundle/gemini.js", node=20
    )
    screen: ClassVar = {"ready": "Type your message", "busy": "esc to cancel", "quit": "/quit", "stop": ["Escape"]}
    hooks_file = ".gemini/settings.json"
    has_comments = True
    shows = ("started", "held", "let go")
    most_holds = 50
    subagent_end = ""
    events: ClassVar = {"UserPromptSubmit": "BeforeAgent", "Stop": "AfterAgent", "PreCompact": "PreCompress"}

    def words(self, person: Person, prompt: str, resume: str) -> list[str]:
        session = ["--resume", resume] if resume else []
        return [*_words(person), *session, "--output-format=stream-json", "-p", prompt]

    def open_words(self, person: Person, session: str, *, resumes: bool) -> list[str]:
        return [*_words(person), "--resume" if resumes else "--session-id", session]

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


def _words(person: Person) -> list[str]:
    return [f"--model={MODEL}", *([] if person.asks else ["--yolo"])]
