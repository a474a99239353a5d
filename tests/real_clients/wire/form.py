"""What every form of speaking to a model has."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from tests.real_clients.model_server import Turn

Json = dict[str, Any]

JSON, EVENTS = "application/json", "text/event-stream"


class Answer(NamedTuple):
    """An answer over HTTP."""

    data: bytes
    kind: str = JSON
    status: int = 200


def in_json(answer: object, status: int = 200) -> Answer:
    return Answer(json.dumps(answer).encode(), JSON, status)


def streamed(events: Iterable[Json], last: str = "", *, named: bool = False) -> Answer:
    """Send each event as server-sent data, then the last words. `named` says each event's type before it."""
    said = ""
    for event in events:
        said += f"event: {event['type']}\n" if named else ""
        said += f"data: {json.dumps(event)}\n\n"
    return Answer((said + last).encode(), EVENTS)


class Form(ABC):
    """One API of models."""

    subagent_headers: tuple[str, ...] = ()
    """A request that has one of these is a subagent's."""

    @abstractmethod
    def answers(self, path: str) -> bool:
        """Say whether requests to this path are in this form."""

    @abstractmethod
    def answer(self, number: int, turn: Turn, body: Json, path: str) -> Answer:
        """Put what the model does into this form."""

    def counts(self, path: str) -> bool:
        """Say whether this path only counts tokens."""
        return path.endswith(("/count_tokens", ":countTokens"))

    def tools(self, body: Json) -> list[str]:
        """List the names of the tools that a request offers."""
        return [str(tool.get("name")) for tool in body.get("tools") or () if isinstance(tool, dict)]

    def is_aside(self, body: Json) -> bool:
        """Say whether the client asks for purposes of its own, though it offers a shell."""
        return False

    def subagent(self, body: Json, headers: Mapping[str, str]) -> str:
        """Return what marks the request as a subagent's; empty for any other."""
        return next((headers[name] for name in self.subagent_headers if name in headers), "")

    def error(self, status: int) -> Answer:
        """Answer that the request failed."""
        error = {
            "type": "invalid_request_error",
            "code": status,
            "message": "The script wants an error",
            "status": "MOCK",
        }
        return in_json({"type": "error", "error": error}, status)
