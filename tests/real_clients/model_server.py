"""A model on loopback that says what its script says, in each client's form (`wire/`).

A script is a list of turns, one for each request of the agent; the last one is said again and again. Subagents have a
script of their own. Requests that a client makes beside those (a title for the session, a count of tokens, a list of
models, what to remember) get an answer of their own and use up no turn. Every request is appended to a file, so that
tests can count them and search them.
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

from tests.real_clients.wire import form_of
from tests.real_clients.wire.form import Answer, in_json
from tests.real_clients.wire.tools import shell

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

Json = dict[str, Any]

TEXTS = ("instructions", "system", "systemInstruction", "input", "messages", "contents")
"""Where the forms have the conversation."""
ESCAPED = ("<hook_prompt", "<hook_context>", "<qwen:user-prompt-submit-context>")
"""What a text begins with in which Codex, Gemini CLI or Qwen Code hands on what a hook says."""
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
    reached: str = ""
    """A file that is made once the model is asked."""
    tool: str = ""
    """Codex: a tool of our MCP server; `command` then holds its arguments as JSON."""
    status: int = 0
    """Of HTTP, where the request fails."""
    first: str = ""
    """Text that is sent at once, before the turn waits for its file. Gemini CLI."""

    @property
    def uses_tool(self) -> bool:
        return bool(self.command or self.task)


def say(text: str, *, after: str = "", reached: str = "") -> Turn:
    return Turn(text=text, after=after, reached=reached)


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
        form = form_of(self.path)
        if form is None or form.counts(self.path.partition("?")[0]) or form.is_aside(self.body):
            return False
        return bool(shell(form.tools(self.body)))

    def texts(self) -> list[str]:
        """All that the conversation holds, in order. Some clients escape what a hook says; models read over it."""
        held = [self.body.get(name) for name in TEXTS]
        return [html.unescape(text) if any(mark in text for mark in ESCAPED) else text for text in _leaves(held)]

    def count(self, words: str) -> int:
        return sum(text.count(words) for text in self.texts())


def _leaves(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        yield from itertools.chain.from_iterable(map(_leaves, value.values()))
    elif isinstance(value, list):
        yield from itertools.chain.from_iterable(map(_leaves, value))


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
        form = form_of(path)
        request = Request(method, path, body, subagent=form.subagent(body, headers) if form else "")
        with self.lock:
            self.number += 1
            number, turn, missed = self.number, Turn(text="mock"), ""
            if request.of_agent or request.of_subagent:
                turn, missed = _filled(self._next(of_subagent=request.of_subagent), request.texts())
            with self.record.open("a") as file:
                file.write(json.dumps(asdict(request) | {"missed": missed}) + "\n")
        if turn.reached:
            Path(turn.reached).touch()
        if not turn.first:
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
        rest = _answer(number, turn, body, self.path)
        if turn.first:
            self._send(rest, _answer(number, replace(turn, text=turn.first), body, self.path), turn.after)
        else:
            self._send(rest)

    def do_GET(self) -> None:
        self.server.take(self.command, self.path, {}, {})
        self._send(in_json({"data": [], "models": []}))

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

    def _send(self, answer: Answer, first: Answer | None = None, after: str = "") -> None:
        """Send an answer; `first` is sent before it, and the rest once the file `after` is there."""
        try:
            before = first.data if first else b""
            self._write_head(answer, len(before) + len(answer.data))
            if first:
                self.wfile.write(before)
                self.wfile.flush()
                wait_for(after)
            if self.command != "HEAD":
                self.wfile.write(answer.data)
        except ConnectionError:
            # A person who presses Esc does not wait for the answer: their client has hung up.
            self.close_connection = True

    def _write_head(self, answer: Answer, length: int) -> None:
        self.send_response(answer.status)
        self.send_header("Content-Type", answer.kind)
        self.send_header("Content-Length", str(length))
        self.end_headers()


def _answer(number: int, turn: Turn, body: Json, path: str) -> Answer:
    form = form_of(path)
    if form is None:
        return in_json({})
    return form.error(turn.status) if turn.status else form.answer(number, turn, body, path.partition("?")[0])
