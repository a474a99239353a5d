"""Anthropic's messages, which Claude Code speaks."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from tests.real_clients.wire.form import Answer, Form, in_json, streamed
from tests.real_clients.wire.tools import call

if TYPE_CHECKING:
    from tests.real_clients.model_server import Turn

Json = dict[str, Any]


class Messages(Form):
    """Streams where it is asked to."""

    subagent_headers = ("x-claude-code-agent-id",)

    def answers(self, path: str) -> bool:
        return path.endswith(("/messages", "/messages/count_tokens"))

    def answer(self, number: int, turn: Turn, body: Json, path: str) -> Answer:
        if self.counts(path):
            return in_json({"input_tokens": 10})
        message = {
            "id": f"msg_{number}",
            "type": "message",
            "role": "assistant",
            "model": body.get("model", "mock"),
            "content": [self._content(number, turn, body)],
            "stop_reason": "tool_use" if turn.uses_tool else "end_turn",
            "stop_sequence": None,
            "usage": {"input_tokens": 10, "output_tokens": 1},
        }
        return streamed(_events(message), named=True) if body.get("stream") else in_json(message)

    def _content(self, number: int, turn: Turn, body: Json) -> Json:
        if not turn.uses_tool:
            return {"type": "text", "text": turn.text}
        name, arguments = call(turn, self.tools(body))
        return {"type": "tool_use", "id": f"toolu_{number}", "name": name, "input": arguments}


def _events(message: Json) -> list[Json]:
    (block,) = message["content"]
    if block["type"] == "text":
        empty, delta = block | {"text": ""}, {"type": "text_delta", "text": block["text"]}
    else:
        empty = block | {"input": {}}
        delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
    return [
        {"type": "message_start", "message": message | {"content": [], "stop_reason": None}},
        {"type": "content_block_start", "index": 0, "content_block": empty},
        {"type": "content_block_delta", "index": 0, "delta": delta},
        {"type": "content_block_stop", "index": 0},
        {
            "type": "message_delta",
            "delta": {"stop_reason": message["stop_reason"], "stop_sequence": None},
            "usage": {"output_tokens": 1},
        },
        {"type": "message_stop"},
    ]
