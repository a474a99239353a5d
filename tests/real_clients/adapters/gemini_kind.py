"""What Gemini CLI and Qwen Code, which was made from it, have in common for the harness."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from tests.real_clients.adapters.adapter import Adapter

if TYPE_CHECKING:
    from tests.real_clients.driver import Person


class OfGeminiKind(Adapter):
    """Takes one prompt by `-p`, several in a terminal."""

    screen: ClassVar = {"ready": "Type your message", "busy": "esc to cancel", "quit": "/quit", "stop": ["Escape"]}
    has_comments = True

    def words(self, person: Person, prompt: str, resume: str) -> list[str]:
        session = ["--resume", resume] if resume else []
        return [*self.options(person), *session, "--output-format=stream-json", "-p", prompt]

    def open_words(self, person: Person, session: str, *, resumes: bool) -> list[str]:
        return [*self.options(person), "--resume" if resumes else "--session-id", session]

    def options(self, person: Person) -> list[str]:
        """Return the options with which it is always started."""
        return [] if person.asks else ["--yolo"]
