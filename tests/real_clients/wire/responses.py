"""OpenAI's responses, which Codex speaks."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from tests.real_clients.wire.form import Answer, Form, streamed
from tests.real_clients.wire.tools import call

if TYPE_CHECKING:
    from tests.real_clients.model_server import Turn

Json = dict[str, Any]

AGENTS = {"namespace": "multi_agent_v1", "name": "spawn_agent"}


class Responses(Form):
    """Streams, always."""

    subagent_headers = ("x-openai-subagent",)

    def answers(self, path: str) -> bool:
        return path.endswith("/responses")

    def answer(self, number: int, turn: Turn, body: Json, path: str) -> Answer:
        item = self._call(number, turn, body) if turn.uses_tool else _message(number, turn)
        used = {
            "input_tokens": 10,
            "input_tokens_details": {"cached_tokens": 0},
            "output_tokens": 1,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": 11,
        }
        answer = {"id": f"resp_{number}", "object": "response", "created_at": 0, "model": "mock", "output": [item]}
        events: list[Json] = [
            {"type": "response.created", "response": answer | {"status": "in_progress", "output": []}},
            {"type": "response.output_item.done", "output_index": 0, "item": item},
            {"type": "response.completed", "response": answer | {"status": "completed", "usage": used}},
        ]
        return streamed(events, named=True)

    def _call(self, number: int, turn: Turn, body: Json) -> Json:
        item: Json = {"type": "function_call", "id": f"fc_{number}", "call_id": f"call_{number}"}
        if turn.task:
            return item | AGENTS | {"arguments": json.dumps({"message": turn.task})}
        if turn.tool:
            return item | {"namespace": "mcp__rcs_state", "name": turn.tool, "arguments": turn.command}
        name, arguments = call(turn, self.tools(body))
        return item | {"name": name, "arguments": json.dumps(arguments)}


def _message(number: int, turn: Turn) -> Json:
    content = [{"type": "output_text", "text": turn.text, "annotations": []}]
    return {"type": "message", "id": f"msg_{number}", "role": "assistant", "content": content}
