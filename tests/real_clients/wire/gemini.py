"""Google's Gemini API, which Gemini CLI speaks."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from tests.real_clients.wire.form import Answer, Form, in_json, streamed
from tests.real_clients.wire.tools import call

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tests.real_clients.model_server import Turn

Json = dict[str, Any]


ENDS = "complete_task"
"""The tool by which a subagent, and nobody else, gives its result."""


class Gemini(Form):
    """Streams where the path says so."""

    def answers(self, path: str) -> bool:
        return path.endswith((":generateContent", ":streamGenerateContent", ":countTokens"))

    def tools(self, body: Json) -> list[str]:
        held = (tool.get("functionDeclarations") or () for tool in body.get("tools") or ())
        return [str(tool["name"]) for declared in held for tool in declared]

    def subagent(self, body: Json, headers: Mapping[str, str]) -> str:
        return ENDS if ENDS in self.tools(body) else ""

    def answer(self, number: int, turn: Turn, body: Json, path: str) -> Answer:
        if self.counts(path):
            return in_json({"totalTokens": 10})
        answer = {
            "candidates": [
                {"content": {"role": "model", "parts": [self._part(turn, body)]}, "finishReason": "STOP", "index": 0}
            ],
            "usageMetadata": {"promptTokenCount": 10, "candidatesTokenCount": 1, "totalTokenCount": 11},
            "modelVersion": "mock",
            "responseId": f"resp_{number}",
        }
        return streamed([answer]) if path.endswith(":streamGenerateContent") else in_json(answer)

    def _part(self, turn: Turn, body: Json) -> Json:
        if turn.uses_tool:
            name, arguments = call(turn, self.tools(body))
            return {"functionCall": {"name": name, "args": arguments}}
        if self.subagent(body, {}):
            return {"functionCall": {"name": ENDS, "args": {"result": {"response": turn.text}}}}
        config = body.get("generationConfig") or {}
        schema = config.get("responseJsonSchema") or config.get("responseSchema")
        return {"text": json.dumps(_example(schema)) if schema else turn.text}


def _example(schema: Json) -> object:
    """Make up an answer that has the form which the client wants."""
    if "enum" in schema:
        return schema["enum"][0]
    kind = str(schema.get("type", "string")).lower()
    if kind == "object":
        return {name: _example(of) for name, of in (schema.get("properties") or {}).items()}
    # A number is how sure the model is that the agent goes round in circles: not at all.
    made: dict[str, object] = {"array": [], "boolean": False, "integer": 1, "number": 0}
    return made.get(kind, "mock")
