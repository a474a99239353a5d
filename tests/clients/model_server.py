"""A model on loopback that says what its script says, in both clients' streaming forms.

A script is a list of turns, one for each request of the agent; the last one is said again and again. Requests that a
client makes beside those (a title for the session, a count of tokens, a list of models) get an answer of their own and
use up no turn. Every request is appended to a file, so that tests can count them and search them.
"""

from __future__ import annotations

import html
import itertools
import json
import re
import threading
from dataclasses import asdict, dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

Json = dict[str, Any]

SHELLS = ("Bash", "exec_command", "shell_command", "shell")
"""How the clients name the tool that runs a command, the one to be taken first."""


@dataclass(frozen=True)
class Turn:
    """What the model does once: it says something, or it runs a command."""

    text: str = ""
    command: str = ""
    """Where there is a pattern, what becomes of its match: `\\g<0>` is all of it, `\\1` a group."""
    find: str = ""
    """A pattern, searched in what the model was sent, from the last text backwards."""


def say(text: str) -> Turn:
    return Turn(text=text)


def run(command: str, find: str = "") -> Turn:
    return Turn(command=command, find=find)


def run_found(find: str) -> Turn:
    """Runs the command line that the model was shown, as a person would paste it."""
    return Turn(command=r"\g<0>", find=find)


@dataclass(frozen=True)
class Request:
    """One request, as it came; `missed` names a pattern of its turn that it did not hold."""

    method: str
    path: str
    body: Json
    missed: str = ""

    @property
    def of_agent(self) -> bool:
        """Whether the agent asks here, and not the client for purposes of its own."""
        return bool(_shell_of(self.body)) and not self.path.partition("?")[0].endswith("/count_tokens")

    def texts(self) -> list[str]:
        """All that the conversation holds, in order. Codex escapes < > & in a Stop's reason; models read over it."""
        held = [self.body.get(name) for name in ("instructions", "system", "input", "messages")]
        return [html.unescape(text) if "<hook_prompt" in text else text for text in _leaves(held)]

    def count(self, words: str) -> int:
        return sum(text.count(words) for text in self.texts())


def _leaves(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        yield from itertools.chain.from_iterable(map(_leaves, value.values()))
    elif isinstance(value, list):
        yield from itertools.chain.from_iterable(map(_leaves, value))


def _shell_of(body: Json) -> str:
    """The tool that runs a command, as this request names it; empty where it offers none."""
    names = {tool.get("name") for tool in body.get("tools") or () if isinstance(tool, dict)}
    return next((name for name in SHELLS if name in names), "")


def _arguments(shell: str, command: str) -> Json:
    if shell == "exec_command":
        return {"cmd": command}
    if shell == "shell":
        return {"command": ["bash", "-lc", command]}
    return {"command": command}


# --- the two forms of an answer


def _events_openai(number: int, turn: Turn, shell: str) -> list[Json]:
    if turn.command:
        item: Json = {
            "type": "function_call",
            "id": f"fc_{number}",
            "call_id": f"call_{number}",
            "name": shell,
            "arguments": json.dumps(_arguments(shell, turn.command)),
        }
    else:
        item = {
            "type": "message",
            "id": f"msg_{number}",
            "role": "assistant",
            "content": [{"type": "output_text", "text": turn.text, "annotations": []}],
        }
    used = {
        "input_tokens": 10,
        "input_tokens_details": {"cached_tokens": 0},
        "output_tokens": 1,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": 11,
    }
    answer = {"id": f"resp_{number}", "object": "response", "created_at": 0, "model": "mock", "output": [item]}
    return [
        {"type": "response.created", "response": answer | {"status": "in_progress", "output": []}},
        {"type": "response.output_item.done", "output_index": 0, "item": item},
        {"type": "response.completed", "response": answer | {"status": "completed", "usage": used}},
    ]


def _content_anthropic(number: int, turn: Turn, shell: str) -> Json:
    if turn.command:
        given = _arguments(shell, turn.command) | {"description": "Runs a command"}
        return {"type": "tool_use", "id": f"toolu_{number}", "name": shell, "input": given}
    return {"type": "text", "text": turn.text}


def _events_anthropic(message: Json) -> list[Json]:
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


def _message_anthropic(number: int, turn: Turn, body: Json) -> Json:
    return {
        "id": f"msg_{number}",
        "type": "message",
        "role": "assistant",
        "model": body.get("model", "mock"),
        "content": [_content_anthropic(number, turn, _shell_of(body))],
        "stop_reason": "tool_use" if turn.command else "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": 10, "output_tokens": 1},
    }


def _stream(events: Iterable[Json]) -> bytes:
    return "".join(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events).encode()


# --- the server


class ModelServer(ThreadingHTTPServer):
    """Listens on loopback, on a port of its own; what it was asked is in the file `record`."""

    daemon_threads = True

    def __init__(self, script: Sequence[Turn], record: Path, first: int = 0) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.script = list(script)
        self.record = record
        self.number = first
        self.said = 0
        self.lock = threading.Lock()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def take(self, method: str, path: str, body: Json) -> tuple[int, Turn]:
        """Keeps the request; the number of the answer, and what it says."""
        with self.lock:
            self.number += 1
            turn, missed = Turn(text="mock"), ""
            if Request(method, path, body).of_agent:
                turn = self.script[min(self.said, len(self.script) - 1)]
                self.said += 1
                turn, missed = _filled(turn, Request(method, path, body).texts())
            with self.record.open("a") as file:
                file.write(json.dumps(asdict(Request(method, path, body, missed))) + "\n")
            return self.number, turn


def _filled(turn: Turn, texts: Sequence[str]) -> tuple[Turn, str]:
    if not turn.find:
        return turn, ""
    pattern = re.compile(turn.find, re.MULTILINE)
    match = next((match for text in reversed(texts) if (match := pattern.search(text))), None)
    if match is None:
        return say("There was nothing to run."), turn.find
    return run(match.expand(turn.command)), ""


def recorded(file: Path) -> list[Request]:
    lines = file.read_text().splitlines() if file.exists() else []
    return [Request(**json.loads(line)) for line in lines]


class _Handler(BaseHTTPRequestHandler):
    server: ModelServer
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        body = self._body()
        number, turn = self.server.take(self.command, self.path, body)
        path = self.path.partition("?")[0]
        if path.endswith("/responses"):
            self._send(_stream(_events_openai(number, turn, _shell_of(body))), "text/event-stream")
        elif path.endswith("/count_tokens"):
            self._send_json({"input_tokens": 10})
        elif path.endswith("/messages"):
            message = _message_anthropic(number, turn, body)
            if body.get("stream"):
                self._send(_stream(_events_anthropic(message)), "text/event-stream")
            else:
                self._send_json(message)
        else:
            self._send_json({})

    def do_GET(self) -> None:
        self.server.take(self.command, self.path, {})
        self._send_json({"data": [], "models": []})

    def do_HEAD(self) -> None:
        self.do_GET()

    def log_message(self, format: str, *args: object) -> None:
        """Says nothing: what was asked is in the record."""

    def _body(self) -> Json:
        raw = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        try:
            body = json.loads(raw)
        except ValueError:
            return {"raw": raw.decode(errors="replace")}
        return body if isinstance(body, dict) else {"raw": body}

    def _send_json(self, answer: Json) -> None:
        self._send(json.dumps(answer).encode(), "application/json")

    def _send(self, data: bytes, kind: str) -> None:
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)
