"""The WebSocket of a real server: in order, without gaps and twice nothing, over breaks, restarts and slow clients."""

from __future__ import annotations

import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect

from rcs_hooks.dashboard.guard import AccessRules
from rcs_hooks.environment import Environment
from rcs_hooks.runs.emit import emit
from tests.dashboard.support import KEY, PATIENCE, Listener, Record, Server, fetch, served
from tests.runs.support import Project
from tests.support import Workspace

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def project(tmp_path: Path) -> Project:
    made = Project(tmp_path)
    made.now = time.time()
    return made


@pytest.fixture
def server(project: Project) -> Iterator[Server]:
    with served(project) as found:
        yield found


def emitted(project: Project, run: str, count: int) -> None:
    """By another connection each, as programs do it."""
    environment = Environment({"HOME": str(project.home)}, str(project.root), time.time())
    given: Record = {"type": "status_change", "workflow": "build", "run_id": run, "step": "requirements"}
    for _ in range(count):
        emit(given | {"data": {"status": "running"}}, environment)


def test_messages_say_what_is_new(project: Project, server: Server) -> None:
    with Listener(server.url, 0) as page:
        assert page.next() == {"type": "hello", "seq": 0, "state": page.told[0]["state"]}
        project.emit("requirements")
        message = page.next()
        assert [run["current"] for run in message["runs"]] == ["requirements"]
        Workspace(project.root).prompt("$forge go")
        assert page.until("state")["roots"] == [str(project.root)]


@pytest.mark.slow
def test_breaks_under_concurrent_emits_leave_no_gap_and_nothing_twice(project: Project, server: Server) -> None:
    enough = threading.Event()

    def emits(run: str) -> None:
        while not enough.is_set():
            emitted(project, run, 1)

    threads = [threading.Thread(target=emits, args=(f"r{number}",)) for number in range(4)]
    seen: list[int] = []
    with Listener(server.url, 0) as steady:
        for thread in threads:
            thread.start()
        breaks = 0
        while breaks < 8 or len(seen) <= 20:
            with Listener(server.url, seen[-1] if seen else 0) as page:
                page.until("events")
                seen += page.ids
            breaks += 1
        enough.set()
        for thread in threads:
            thread.join()
        total = fetch(f"{server.url}api/runs").json()["seq"]
        with Listener(server.url, seen[-1]) as last:
            last.until_id(total)
            seen += last.ids
        steady.until_id(total)
    assert total > 20
    assert seen == list(range(1, total + 1))
    assert steady.ids == list(range(1, total + 1))
    assert {message["type"] for message in steady.told} == {"hello", "events"}


@pytest.mark.slow
def test_a_socket_needs_the_key_too(project: Project) -> None:
    with served(project, "--token", RCS_DASHBOARD_TOKEN=KEY) as server:
        name, content = AccessRules("127.0.0.1", key=KEY).cookie({"host": f"127.0.0.1:{server.port}"})
        for cookie in ("", f"{name}=wrong", f"{name}={KEY}"):
            with pytest.raises(InvalidStatus) as refused:
                Listener(server.url, None, Cookie=cookie)
            assert refused.value.response.status_code == 401
        with Listener(server.url, Cookie=f"{name}={content}") as page:
            assert page.next()["type"] == "hello"


@pytest.mark.slow
def test_a_start_that_is_not_a_number_is_refused(server: Server) -> None:
    origin: Any = server.url.rstrip("/")
    for after in ("x", "-1", "1" * 30, "1.5", "٣"):
        url = f"ws://127.0.0.1:{server.port}/ws?after={after}"
        with connect(url, origin=origin, proxy=None, open_timeout=PATIENCE) as page:
            with pytest.raises(ConnectionClosed) as closed:
                page.recv(PATIENCE)
            assert closed.value.rcvd
            assert closed.value.rcvd.code == 4400
            assert closed.value.rcvd.reason.endswith(": the number of an event is needed")
