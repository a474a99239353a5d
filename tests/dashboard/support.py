"""What the tests of the dashboard share: an application over a project, and whole servers."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
from starlette.testclient import TestClient

from rcs_hooks.dashboard import app
from rcs_hooks.dashboard.data import DashboardData
from rcs_hooks.dashboard.guard import AccessRules
from tests.runs.support import RCS, Project
from tests.support import Workspace

Record = dict[str, Any]

PORT = 8727
HERE = f"http://127.0.0.1:{PORT}"
KEY = "a-key-of-enough-letters"
PATIENCE = 60.0
"""Seconds for whatever is waited for: only what never comes takes so long, also on a busy machine."""


class Board:
    """The application in this process, over a project with its own clock."""

    def __init__(self, tmp_path: Path, *, host: str = "127.0.0.1", key: str | None = None) -> None:
        self.project = Project(tmp_path)
        self.workspace = Workspace(self.project.root, now=self.project.now)
        self.rules = AccessRules(host, key=key)
        self.env: dict[str, str] = {"HOME": str(self.project.home), "PATH": os.defpath}
        self.data = DashboardData(str(self.project.database), str(self.project.root), self.env, lambda: self.now)
        self._client: TestClient | None = None

    @property
    def now(self) -> float:
        return max(self.project.now, self.workspace.now)

    @property
    def root(self) -> str:
        return str(self.project.root)

    @property
    def client(self) -> TestClient:
        if self._client is None:
            made = app.build_app(self.data, self.rules)
            self._client = TestClient(made, base_url=HERE, follow_redirects=False, raise_server_exceptions=False)
            self._client.__enter__()
        return self._client

    def close(self) -> None:
        if self._client:
            self._client.__exit__(None, None, None)

    def get(self, address: str, **query: Any) -> Record:
        """Return an answer, which must be a success."""
        answer = self.client.get(address, params=query)
        assert answer.status_code == 200, answer.text
        found: Record = answer.json()
        return found

    def refused(self, address: str, **query: Any) -> tuple[int, str]:
        answer = self.client.get(address, params=query)
        assert answer.headers["content-type"] == "application/json"
        return answer.status_code, answer.json()["error"]

    def post(self, address: str, body: object, **headers: str) -> Any:
        """Send a request as the page does."""
        own = {"Origin": HERE, "X-RCS-Token": self.rules.token, "Content-Type": "application/json"}
        text = body if isinstance(body, str) else json.dumps(body)
        return self.client.post(address, content=text, headers=own | headers)


def fetch(url: str, **options: Any) -> httpx.Response:
    """Ask once, without cookies, and patiently."""
    return httpx.get(url, timeout=PATIENCE, **options)


class Server:
    """`rcs dashboard` in a process of its own."""

    def __init__(self, project: Project, *words: str, port: int = 0, **env: str) -> None:
        self.process = subprocess.Popen(
            [*RCS, "dashboard", "--port", str(port), *words],
            cwd=project.root,
            env=project.env(**env),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert self.process.stdout
        self.said = self.process.stdout.readline()
        found = re.search(r"http://\S+?:(\d+)/", self.said)
        if found is None:
            self.process.wait(PATIENCE)
            raise AssertionError(f"it did not start: {self.said!r} {self.errors()!r}")
        self.port = int(found[1])
        self.url = found[0]

    def errors(self) -> str:
        assert self.process.stderr
        return self.process.stderr.read()

    def ended(self, by: signal.Signals = signal.SIGINT) -> tuple[int, str, str]:
        """End the server, and return its status and its output after the first line."""
        self.process.send_signal(by)
        out, errors = self.process.communicate(timeout=PATIENCE)
        return self.process.returncode, out, errors


@contextmanager
def served(project: Project, *words: str, port: int = 0, **env: str) -> Iterator[Server]:
    server = Server(project, *words, port=port, **env)
    try:
        yield server
    finally:
        if server.process.poll() is None:
            server.process.kill()
        server.process.communicate(timeout=PATIENCE)


class Listener:
    """The WebSocket of a page, and the messages that it has received."""

    def __init__(self, url: str, after: int | None = None, **headers: str) -> None:
        from websockets.sync.client import connect

        origin = headers.pop("Origin", url.rstrip("/"))
        address = url.replace("http://", "ws://") + "ws" + ("" if after is None else f"?after={after}")
        self._context = connect(
            address,
            origin=origin or None,  # type: ignore[arg-type]  # its own type for a text
            additional_headers=headers,
            compression=None,
            proxy=None,
            max_size=None,
            open_timeout=PATIENCE,
            ping_interval=None,
        )
        self.socket = self._context.__enter__()
        self.told: list[Record] = []
        self.ids: list[int] = []
        self.seq = after or 0

    def next(self, timeout: float = PATIENCE) -> Record:
        message: Record = json.loads(self.socket.recv(timeout))
        self.told.append(message)
        if "seq" in message:
            self.seq = message["seq"]
        self.ids += [event["id"] for event in message.get("events", ())]
        return message

    def until(self, kind: str) -> Record:
        """Return the next message of that type; those before it are received too."""
        while (message := self.next())["type"] != kind:
            pass
        return message

    def until_id(self, last: int) -> None:
        while self.seq < last:
            self.next()

    def close(self) -> None:
        self._context.__exit__(None, None, None)

    def __enter__(self) -> Listener:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
