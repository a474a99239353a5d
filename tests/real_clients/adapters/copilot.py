"""GitHub Copilot CLI."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from tests.real_clients.adapters.adapter import OURS, SECONDS, Adapter, add_entry, write_settings
from tests.real_clients.install import Package

if TYPE_CHECKING:
    from pathlib import Path

    from tests.real_clients.driver import Person

Json = dict[str, Any]


class Copilot(Adapter):
    """Takes one prompt by `-p`, several in a terminal. Its hooks have Claude Code's names of events where asked to."""

    name = "copilot"
    package = Package(
        "copilot",
        "@github/copilot",
        "1.0.102",
        "node_modules/@github/copilot-*/copilot",
        env="COPILOT_PKG_CACHE_HOME",
    )
    screen: ClassVar = {
        "ready": r"\? help",
        "busy": r"esc esc |Loading:",
        "quit": "/exit",
        "stop": ["Escape", "Escape"],
    }
    hooks_file = ".github/hooks/hooks.json"
    persons_hooks_file = ".copilot/hooks/hooks.json"
    joins_contexts = False
    shows = ("held",)
    most_holds = 7
    notice = "<system_notification>\n"
    wakes_agent = True
    subagent_end = ""

    def words(self, person: Person, prompt: str, resume: str) -> list[str]:
        session = [f"--resume={resume}"] if resume else []
        return [*_allowed(person), *session, "--output-format=json", "-p", prompt]

    def open_words(self, person: Person, session: str, *, resumes: bool) -> list[str]:
        return [*_allowed(person), f"--resume={session}" if resumes else f"--session-id={session}"]

    def env(self, person: Person) -> dict[str, str]:
        model = {"COPILOT_PROVIDER_BASE_URL": "{url}/v1", "COPILOT_PROVIDER_API_KEY": "dummy", "COPILOT_MODEL": "mock"}
        return model | {"COPILOT_OFFLINE": "true", "COPILOT_AUTO_UPDATE": "false"}

    def trust(self, person: Person, projects: tuple[Path, ...], approved: Path | None, writable: Path | None) -> None:
        write_settings(person.home / ".copilot/config.json", {"trusted_folders": [str(each) for each in projects]})

    def shown(self, events: list[Json], err: str) -> list[str]:
        """List the reasons, which it shows as if the person had typed them, and nothing else."""
        said = (event["data"]["content"] for event in events if event.get("type") == "user.message")
        return [text for text in said if text.startswith(OURS)]

    def with_context(self, text: str) -> Json:
        return {"additionalContext": text}

    def add_hook(self, file: Path, event: str, command: str) -> None:
        add_entry(file, event, {"type": "command", "command": command, "timeoutSec": SECONDS})


def _allowed(person: Person) -> list[str]:
    return [] if person.asks else ["--allow-all-tools", "--allow-all-paths"]
