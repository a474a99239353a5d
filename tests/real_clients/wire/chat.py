"""OpenAI's chat completions, which Copilot CLI and Qwen Code speak."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from tests.real_clients.wire.form import Answer, Form, in_json, streamed
from tests.real_clients.wire.tools import call

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tests.real_clients.model_server import Turn

Json = dict[str, Any]

SUBAGENTS = ("As a sub-agent, ", "subagent working for a parent agent")
"""What Copilot CLI and Qwen Code say to a subagent."""
ASIDES = ("managed memory extraction subagent", "[SUGGESTION MODE:")
"""What Qwen Code says to a model that is to remember something, or to guess what is typed next."""


class Chat(Form):
    """Streams where it is asked to."""

    def answers(self, path: str) -> bool:
        return path.endswith("/chat/completions")

    def tools(self, body: Json) -> list[str]:
        return [str(tool["function"]["name"]) for tool in body.get("tools") or () if "function" in tool]

    def is_aside(self, body: Json) -> bool:
        return any(mark in text for text in _outer(body) for mark in ASIDES)

    def subagent(self, body: Json, headers: Mapping[str, str]) -> str:
        return next((mark for text in _outer(body)[:1] for mark in SUBAGENTS if mark in text), "")

    def answer(self, number: int, turn: Turn, body: Json, path: str) -> Answer:
        said = self._message(number, turn, body)
        ends = "tool_calls" if turn.uses_tool else "stop"
        used = {"prompt_tokens": 10, "completion_tokens": 1, "total_tokens": 11}
        base = {"id": f"chatcmpl-{number}", "created": 0, "model": body.get("model", "mock")}
        if not body.get("stream"):
            choice = {"index": 0, "message": said, "finish_reason": ends}
            return in_json(base | {"object": "chat.completion", "choices": [choice], "usage": used})
        base["object"] = "chat.completion.chunk"
        chunks = [
            base | {"choices": [{"index": 0, "delta": said, "finish_reason": None}]},
            base | {"choices": [{"index": 0, "delta": {}, "finish_reason": ends}]},
            base | {"choices": [], "usage": used},
        ]
        return streamed(chunks, "data: [DONE]\n\n")

    def _message(self, number: int, turn: Turn, body: Json) -> Json:
        if not turn.uses_tool:
            return {"role": "assistant", "content": turn.text}
        name, arguments = call(turn, self.tools(body))
        function = {"name": name, "arguments": json.dumps(arguments)}
        called = {"index": 0, "id": f"call_{number}", "type": "function", "function": function}
        return {"role": "assistant", "content": None, "tool_calls": [called]}


def _outer(body: Json) -> list[str]:
    """Return what the client itself says: the first message and the last one."""
    messages = body.get("messages") or []
    return [json.dumps(message["content"]) for message in (*messages[:1], *messages[-1:])]
