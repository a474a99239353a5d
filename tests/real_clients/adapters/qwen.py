"""Qwen Code."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from tests.real_clients.adapters.adapter import write_settings
from tests.real_clients.adapters.gemini_kind import OfGeminiKind
from tests.real_clients.install import Package

if TYPE_CHECKING:
    from tests.real_clients.driver import Person

Json = dict[str, Any]

SAID = r"(?:Stop hook error: |Stop says:\n)(.*)"
SETTINGS: Json = {
    "security": {"auth": {"selectedType": "openai"}},
    "general": {"enableAutoUpdate": False},
    # With -p it takes a pipe otherwise, and what a command says just before it ends may be lost.
    "tools": {"shell": {"enableInteractiveShell": True}},
    "privacy": {"usageStatisticsEnabled": False},
    "memory": {"enableManagedAutoMemory": False},
}


class Qwen(OfGeminiKind):
    """Is configured by a file of defaults, and asks a model of OpenAI's form."""

    name = "qwen"
    package = Package(
        "qwen", "@qwen-code/qwen-code", "0.24.4", "node_modules/@qwen-code/qwen-code/cli-entry.js", node=22
    )
    hooks_file = ".qwen/settings.json"
    edits_settings = True
    shows = ("held", "let go")
    most_holds = 7
    wakes_agent = True

    def env(self, person: Person) -> dict[str, str]:
        defaults = person.home / "qwen-defaults.json"
        write_settings(defaults, SETTINGS)
        model = {"OPENAI_BASE_URL": "{url}/v1", "OPENAI_API_KEY": "dummy", "OPENAI_MODEL": "mock"}
        return model | {"QWEN_CODE_SYSTEM_DEFAULTS_PATH": str(defaults), "QWEN_CODE_SUPPRESS_YOLO_WARNING": "1"}

    def is_typed(self, prompt: Json) -> bool:
        return "submitted_prompt" in prompt

    def shows_hooks(self) -> bool:
        return False

    def shown(self, events: list[Json], err: str) -> list[str]:
        """List what the last screen shows, of a reason the first line, as words without their marks."""
        (*_, screen) = (event["text"] for event in events if event.get("type") == "screen")
        return [" ".join(text.split()) for text in re.findall(SAID, screen)]
