"""A model on loopback that says what its script says, in both clients' streaming forms.

A script is a list of turns, one for each request of the agent; the last one is said again and again. Subagents have a
script of their own. Requests that a client makes beside those (a title for the session, a count of tokens, a list of
models) get an answer of their own and use up no turn. Every request is appended to a file, so that tests can count
them and search them.
"""

from __future__ import annotations

import html
import itertools
import json
import re
import threading
import time
from dataclasses import asdict, dataclass, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

Json = dict[str, Any]

SHELLS = ("Bash", "exec_command", "shell_command", "shell")
"""How the clients name the tool that runs a command, the one to be taken first."""
CODEX_AGENTS = {"namespace": "multi_agent_v1", "name": "spawn_agent"}
CLAUDE_AGENTS = {"name": "Agent"}
SUBAGENT_HEADERS = ("x-openai-subagent", "x-claude-code-agent-id")
"""Each client marks a subagent's request by one of these."""
PATIENCE = 60
"""Seconds that a turn waits for its file."""


@dataclass(frozen=True)
class Turn:
    """What the model does once: it says something, runs a command, or calls a tool of our MCP server."""

    text: str = ""
    command: str = ""
    """Where there is a pattern, what becomes of its match: `\\g<0>` is all of it, `\\1` a group."""
    find: str = ""
    """A pattern, searched in what the model was sent, from the last text backwards."""
    task: str = ""
    """What a subagent is told to do."""
    in_background: bool = False
    """The command runs while the agent goes on; in Claude Code a subagent, too."""
    after: str = ""
    """A file: the model answers once it is there."""
    tool: str = ""
    """Codex: a tool of our MCP server; `command` then holds its arguments as JSON."""

    @property
    def uses_tool(self) -> bool:
        return bool(self.command or self.task)


def say(text: str, *, after: str = "") -> Turn:
    return Turn(text=text, after=after)


def delegate(task: str, *, in_background: bool = False) -> Turn:
    """Starts a subagent. Codex always goes on meanwhile; Claude Code waits for it unless told otherwise."""
    return Turn(task=task, in_background=in_background)


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
    subagent: str = ""
    """How the client marks the request of a subagent; empty for any other."""

    @property
    def of_agent(self) -> bool:
        """Whether the agent asks here, and not a subagent, nor the client for purposes of its own."""
        return self._of_any_agent and not self.subagent

    @property
    def of_subagent(self) -> bool:
        return self._of_any_agent and bool(self.subagent)

    @property
    def _of_any_agent(self) -> bool:
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


def _arguments(shell: str, turn: Turn) -> Json:
    if shell == "exec_command":
        return {"cmd": turn.command} | ({"yield_time_ms": 250} if turn.in_background else {})
    if shell == "shell":
        return {"command": ["bash", "-lc", turn.command]}
    described = {"description": "Runs a command"} if shell == "Bash" else {}
    return {"command": turn.command} | described | ({"run_in_background": True} if turn.in_background else {})


# --- the two forms of an answer


def _events_openai(number: int, turn: Turn, shell: str) -> list[Json]:
    if turn.uses_tool:
        arguments = {"message": turn.task} if turn.task else _arguments(shell, turn)
        item: Json = {
            "type": "function_call",
            "id": f"fc_{number}",
            "call_id": f"call_{number}",
            **(CODEX_AGENTS if turn.task else {"name": shell}),
            "arguments": json.dumps(arguments),
        }
        if turn.tool:
            item |= {"namespace": "mcp__rcs_state", "name": turn.tool, "arguments": turn.command}
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
    if turn.task:
        given: Json = {"description": "A task", "prompt": turn.task, "subagent_type": "general-purpose"}
        given |= {"run_in_background": turn.in_background}
        return {"type": "tool_use", "id": f"toolu_{number}", **CLAUDE_AGENTS, "input": given}
    if turn.command:
        return {"type": "tool_use", "id": f"toolu_{number}", "name": shell, "input": _arguments(shell, turn)}
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
        "stop_reason": "tool_use" if turn.uses_tool else "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": 10, "output_tokens": 1},
    }


def _stream(events: Iterable[Json]) -> bytes:
    return "".join(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events).encode()


# --- the server


class ModelServer(ThreadingHTTPServer):
    """Listens on loopback, on a port of its own; what it was asked is in the file `record`."""

    daemon_threads = True

    def __init__(
        self, script: Sequence[Turn], record: Path, first: int = 0, subagents: Sequence[Turn] = (Turn(text="mock"),)
    ) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.scripts = {False: list(script), True: list(subagents)}
        self.said = {False: 0, True: 0}
        self.record = record
        self.number = first
        self.lock = threading.Lock()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def take(self, method: str, path: str, body: Json, headers: Mapping[str, str]) -> tuple[int, Turn]:
        """Keeps the request; the number of the answer, and what it says. Returns when it may be said."""
        subagent = next((headers[name] for name in SUBAGENT_HEADERS if name in headers), "")
        request = Request(method, path, body, subagent=subagent)
        with self.lock:
            self.number += 1
            number, turn, missed = self.number, Turn(text="mock"), ""
            if request.of_agent or request.of_subagent:
                turn, missed = _filled(self._next(of_subagent=request.of_subagent), request.texts())
            with self.record.open("a") as file:
                file.write(json.dumps(asdict(request) | {"missed": missed}) + "\n")
        wait_for(turn.after)
        return number, turn

    def _next(self, *, of_subagent: bool) -> Turn:
        script, said = self.scripts[of_subagent], self.said[of_subagent]
        self.said[of_subagent] += 1
        return script[min(said, len(script) - 1)]


def wait_for(file: str) -> None:
    """Returns when the file is there, at once where none is named."""
    ends = time.monotonic() + PATIENCE
    while file and not Path(file).exists() and time.monotonic() < ends:
        time.sleep(0.02)


def _filled(turn: Turn, texts: Sequence[str]) -> tuple[Turn, str]:
    if not turn.find:
        return turn, ""
    pattern = re.compile(turn.find, re.MULTILINE)
    match = next((match for text in reversed(texts) if (match := pattern.search(text))), None)
    if match is None:
        return say("There was nothing to run."), turn.find
    return replace(turn, command=match.expand(turn.command)), ""


def recorded(file: Path) -> list[Request]:
    lines = file.read_text().splitlines() if file.exists() else []
    return [Request(**json.loads(line)) for line in lines]


class _Handler(BaseHTTPRequestHandler):
    server: ModelServer
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        body = self._body()
        number, turn = self.server.take(self.command, self.path, body, self._headers())
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
        self.server.take(self.command, self.path, {}, {})
        self._send_json({"data": [], "models": []})

    def do_HEAD(self) -> None:
        self.do_GET()

    def log_message(self, format: str, *args: object) -> None:
        """Says nothing: what was asked is in the record."""

    def _headers(self) -> dict[str, str]:
        return {name.lower(): value for name, value in self.headers.items()}

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
