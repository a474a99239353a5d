"""Claude Code."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.real_clients.adapters.adapter import Adapter
from tests.real_clients.install import Package

if TYPE_CHECKING:
    from tests.real_clients.driver import Person

Json = dict[str, Any]

WORDS = ("-p", "--output-format", "stream-json", "--verbose")
TYPED = "--input-format=stream-json"
ASKS = "--permission-prompt-tool=stdio"
QUIET = {
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    "DISABLE_AUTOUPDATER": "1",
    "DISABLE_TELEMETRY": "1",
    "DISABLE_ERROR_REPORTING": "1",
}


class Claude(Adapter):
    """Takes one prompt as an argument, several as lines of JSON."""

    name = "claude"
    package = Package(
        "claude", "@anthropic-ai/claude-code", "2.1.326", "node_modules/@anthropic-ai/claude-code-*/claude"
    )
    hooks_file = ".claude/settings.json"
    conversation = "conversation.py"
    needs = ()
    most_holds = 7
    notice = "<task-notification>\n"
    wakes_agent = True

    def words(self, person: Person, prompt: str, resume: str) -> list[str]:
        return [*_words(person, resume), prompt]

    def open_words(self, person: Person, session: str, *, resumes: bool) -> list[str]:
        return [*_words(person, session if resumes else ""), TYPED, *([ASKS] if person.asks else [])]

    def env(self, person: Person) -> dict[str, str]:
        ours = {"CLAUDE_CONFIG_DIR": str(person.home / ".claude"), "ANTHROPIC_API_KEY": "dummy"}
        return ours | {"ANTHROPIC_BASE_URL": "{url}"} | QUIET

    def shown(self, events: list[Json], err: str) -> list[str]:
        said = (event["content"] for event in events if event.get("subtype") == "informational")
        return [text.replace("Stop says: ", "").replace("UserPromptSubmit says: ", "") for text in said]


def _words(person: Person, resume: str) -> list[str]:
    allowed = [] if person.asks else ["--allowedTools=Bash"]
    return [*WORDS, *allowed, *(["--resume", resume] if resume else [])]
