"""A server in a process of its own, called by JSON-RPC written by hand."""

from __future__ import annotations

import json
import queue
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any, Self

from tests.support import RCS_HOOK, clean_env

RCS = RCS_HOOK.with_name("rcs")
COMMAND = [sys.executable, str(RCS), "mcp"]
PATIENCE = 60.0

Arguments = dict[str, Any]


class Pipes:
    """A server, and the lines that it writes.

    A thread reads them: so a missing line costs no more than PATIENCE, and an unexpected one is noticed.
    """

    def __init__(self, root: Path, command: list[str] | None = None, **env: str) -> None:
        self.process = subprocess.Popen(
            command or COMMAND,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=root,
            env=clean_env(**env),
        )
        self.lines: queue.Queue[bytes] = queue.Queue()
        self.complaints: list[bytes] = []
        self.readers = [
            threading.Thread(target=self._each, args=(self.process.stdout, self.lines.put)),
            threading.Thread(target=self._each, args=(self.process.stderr, self.complaints.append)),
        ]
        for reader in self.readers:
            reader.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @staticmethod
    def _each(pipe: IO[bytes], take: Callable[[bytes], object]) -> None:
        for line in pipe:
            take(line)

    def write(self, *lines: bytes) -> None:
        assert self.process.stdin
        self.process.stdin.write(b"".join(line + b"\n" for line in lines))
        self.process.stdin.flush()

    def send(self, message: Arguments) -> None:
        self.write(json.dumps({"jsonrpc": "2.0"} | message).encode())

    def answer(self) -> Arguments:
        """Return the next line of stdout, which is a JSON-RPC message."""
        message: Arguments = json.loads(self.lines.get(timeout=PATIENCE))
        assert message["jsonrpc"] == "2.0"
        return message

    def ask(self, number: int | str, method: str, params: object = None) -> Arguments:
        """Send a request, and return its answer; nothing else may come before it."""
        self.send({"id": number, "method": method} | ({} if params is None else {"params": params}))
        message = self.answer()
        assert message["id"] == number
        return message

    def call(self, number: int | str, tool: str, arguments: object) -> tuple[Any, bool]:
        result = self.ask(number, "tools/call", {"name": tool, "arguments": arguments})["result"]
        assert [block["type"] for block in result["content"]] == ["text"]
        return json.loads(result["content"][0]["text"]), result["isError"]

    def begin(self) -> Arguments:
        params = {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "by hand", "version": "0"},
        }
        greeting: Arguments = self.ask(0, "initialize", params)["result"]
        self.send({"method": "notifications/initialized"})
        return greeting

    def end(self) -> int:
        """Close its stdin, and return its exit status; it may have printed nothing more."""
        assert self.process.stdin
        self.process.stdin.close()
        status = self.process.wait(timeout=PATIENCE)
        for reader in self.readers:
            reader.join(timeout=PATIENCE)
        assert self.lines.empty(), self.lines.get()
        return status

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait(timeout=PATIENCE)
        for reader in self.readers:
            reader.join(timeout=PATIENCE)
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            assert pipe
            pipe.close()
