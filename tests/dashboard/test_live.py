"""The WebSocket of a real server: in order, without gaps and twice nothing, over breaks, restarts and slow clients."""

from __future__ import annotations

import asyncio
import json
import os
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import uvicorn
from websockets.exceptions import ConnectionClosed, InvalidStatus

from rcs_hooks.dashboard import app, serve
from rcs_hooks.dashboard.data import DashboardData
from rcs_hooks.dashboard.follow import Follower
from rcs_hooks.dashboard.guard import AccessRules
from rcs_hooks.dashboard.live import LiveFeed
from rcs_hooks.environment import Environment
from rcs_hooks.runs import queries
from rcs_hooks.runs.emit import emit
from rcs_hooks.state import writing
from rcs_hooks.state.scopes import Scope
from rcs_hooks.workflow.commands import Commands
from tests.dashboard.support import KEY, PATIENCE, Listener, Record, Server, fetch, filled, served
from tests.runs.support import Project
from tests.support import Workspace
from tests.table import each_row


@pytest.fixture
def project(tmp_path: Path) -> Project:
    made = Project(tmp_path)
    made.now = time.time()
    return made


@pytest.fixture(scope="module")
def lasting(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """For what leaves no trace."""
    with served(Project(Path(tmp_path_factory.mktemp("lasting")))) as found:
        yield found


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


def test_a_phase_of_a_mode_is_told_with_the_version_that_the_list_and_the_page_then_have(
    project: Project, server: Server
) -> None:
    workspace = Workspace(project.root)
    workspace.prompt("$forge go")
    with Listener(server.url, 0) as page:
        before = page.next()["state"]
        addresses = (f"{server.url}api/overview", f"{server.url}api/modes/forge?session=s1")
        assert {fetch(each).json()["state"] for each in addresses} == {before}
        scope = Scope(str(project.root), "s1", workspace.now + 1, Commands("rcs", "s1"))
        writing.write(scope, "forge", {"current_phase": "executing"})
        while (told := page.until("state")["state"]) != fetch(addresses[0]).json()["state"]:
            pass
        assert told != before
        assert fetch(addresses[1]).json()["phase"] == "executing"


@pytest.mark.slow
def test_a_page_that_asks_first_and_listens_then_misses_nothing(project: Project, server: Server) -> None:
    project.walk("requirements", "design")
    seq = fetch(f"{server.url}api/runs").json()["seq"]
    assert seq == 3
    project.emit("tasks")
    with Listener(server.url, seq) as page:
        assert page.next()["seq"] == 3
        page.until_id(5)
        project.emit("build")
        page.until_id(7)
        assert page.ids == [4, 5, 6, 7]
        steps = [event["step"] for message in page.told for event in message.get("events", ())]
        assert steps == ["design", "tasks", "tasks", "build"]


@pytest.mark.slow
def test_without_a_place_a_page_hears_from_now_on(project: Project, server: Server) -> None:
    project.walk("requirements", "design")
    with Listener(server.url) as page:
        assert page.next()["seq"] == 3
        project.emit("tasks")
        page.until_id(5)
        assert page.ids == [4, 5]


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
def test_a_server_that_is_started_again_goes_on_where_each_page_was(project: Project) -> None:
    with served(project) as first:
        pages = [Listener(first.url, 0) for _ in range(3)]
        project.walk("requirements", "design")
        for page in pages:
            page.until_id(3)
        status, _, errors = first.ended()
        assert (status, errors) == (0, "")
        for page in pages:
            with pytest.raises(ConnectionClosed):
                page.next()
    project.walk("tasks", "build")
    with served(project, port=first.port) as second:
        assert second.port == first.port
        for page in pages:
            with Listener(second.url, page.seq) as again:
                again.until_id(7)
                assert page.ids + again.ids == [1, 2, 3, 4, 5, 6, 7]


@pytest.mark.slow
def test_events_of_a_workflow_without_a_machine_are_not_sent(project: Project, server: Server) -> None:
    with Listener(server.url, 0) as page:
        project.emit("x", run="plain", workflow="plain")
        project.emit("requirements")
        page.until_id(2)
        assert page.ids == [2]


@pytest.mark.slow
def test_a_page_that_was_away_for_long_gets_all_of_it_in_parts(project: Project, server: Server) -> None:
    filled(project, 3, 400)
    with Listener(server.url, 0) as page:
        page.until_id(1200)
        assert page.ids == list(range(1, 1201))
        assert [len(message.get("events", ())) for message in page.told] == [0, 500, 500, 200]


@pytest.mark.slow
def test_a_change_of_state_is_sent_with_its_workspace(project: Project, server: Server, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    other = Workspace(tmp_path / "other")
    other.prompt("$team go")
    project.emit("requirements", project=str(other.root), file=str(project.root / ".claude/skills/build/SKILL.md"))
    with Listener(server.url) as page:
        hello = page.next()
        known = fetch(f"{server.url}api/sessions").json()
        assert hello["state"] == known["state"]
        Workspace(project.root).prompt("$forge go")
        message = of_now(page, server)
        assert message["roots"] == [str(project.root)]
        assert message["state"] != hello["state"]
        other.prompt("$cancel")
        assert of_now(page, server)["roots"] == [str(other.root)]


def of_now(page: Listener, server: Server) -> Record:
    """The message of the state as it is now. A look in the middle of a commit may have told of a part of it."""
    now = fetch(f"{server.url}api/sessions").json()["state"]
    while (message := page.until("state"))["state"] != now:
        pass
    return message


@pytest.mark.slow
def test_deleted_runs_are_announced(project: Project, server: Server) -> None:
    project.now -= 3600
    project.walk("requirements", "design")
    with Listener(server.url) as page:
        page.next()
        store = project.writable_store()
        try:
            assert queries.prune(store, queries.prunable_runs(store, round(time.time() * 1000), "1m")) == 1
        finally:
            store.close()
        assert page.next() == {"type": "runs"}
        project.emit("requirements", run="r2")
        page.until_id(4)
        assert page.ids == [4]


@pytest.mark.slow
def test_another_database_in_its_place_starts_every_page_over(project: Project, server: Server) -> None:
    project.walk("requirements", "design", "tasks")
    with Listener(server.url) as page:
        assert page.next()["seq"] == 5
        for name in ("rcs.db", "rcs.db-wal", "rcs.db-shm"):
            project.database.with_name(name).unlink(missing_ok=True)
        project.emit("requirements", run="r2")
        reset = page.until("reset")
        if reset["seq"] == 0:  # looked at between the two
            page.until_id(1)
        project.emit("design", run="r2")
        page.until_id(3)
        assert page.ids in ([2, 3], [1, 2, 3])
    with Listener(server.url, 1000) as late:
        assert [late.next()["type"], late.next()] == ["hello", {"type": "reset", "seq": 3}]


def test_no_page_meets_a_new_database_with_the_newest_id_of_the_old_one(project: Project) -> None:
    """A page that wakes up while the new one is read would begin after events that are yet to come."""
    project.walk("requirements", "design")
    data = DashboardData(str(project.database), str(project.root), dict(os.environ))
    follower = Follower(data)

    async def seen_while_checking() -> set[tuple[int, int]]:
        await follower.join()
        for name in ("rcs.db", "rcs.db-wal", "rcs.db-shm"):
            project.database.with_name(name).unlink(missing_ok=True)
        project.emit("requirements", run="r2")
        seen = set()
        check = asyncio.create_task(follower.join())
        while not check.done():
            seen.add((follower.generation, follower.newest))
            await asyncio.sleep(0)
        await data.store.close()
        return seen | {(follower.generation, follower.newest)}

    assert asyncio.run(seen_while_checking()) == {(0, 3), (1, 1)}


def test_whatever_page_comes_at_the_same_time_each_one_begins_with_the_state_as_it_is(project: Project) -> None:
    """One that began with less would hear of a change that there was not."""
    data = DashboardData(str(project.database), str(project.root), dict(os.environ))

    async def joined(follower: Follower) -> list[str]:
        await follower.join()
        return list(follower.folders)

    async def all_joined() -> list[list[str]]:
        known = []
        for _ in range(40):
            follower = Follower(data)
            known += await asyncio.gather(*(joined(follower) for _ in range(10)))
        await data.store.close()
        return known

    assert asyncio.run(all_joined()) == [[str(project.root)]] * 400


REFUSED = [
    ("a foreign origin", {"Origin": "http://evil.example"}, 403),
    ("no origin", {"Origin": ""}, 403),
    ("another port of this machine", {"Origin": "http://127.0.0.1:3000"}, 403),
    ("an origin without a name", {"Origin": "null"}, 403),
]


@pytest.mark.parametrize(("headers", "status"), [pytest.param(*row[1:], id=row[0]) for row in REFUSED])
def test_a_socket_of_a_foreign_page_is_refused(lasting: Server, headers: dict[str, str], status: int) -> None:
    with pytest.raises(InvalidStatus) as refused:
        Listener(lasting.url, None, **headers)
    assert refused.value.response.status_code == status
    assert "may neither read nor act here" in json.loads(refused.value.response.body)["error"]


def test_a_socket_to_a_foreign_host_is_refused(lasting: Server) -> None:
    """As after DNS rebinding: Host and Origin agree, and are somebody else's."""
    with socket.create_connection(("127.0.0.1", lasting.port)) as raw:
        lines = ["GET /ws HTTP/1.1", f"Host: evil.example:{lasting.port}", f"Origin: http://evil.example:{lasting.port}",
                 "Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Version: 13",
                 "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", "", ""]  # fmt: skip
        raw.sendall("\r\n".join(lines).encode())
        assert raw.recv(4096).startswith(b"HTTP/1.1 403 ")


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


@each_row("after", ["x", "-1", "1" * 30, "1.5", "٣"])
def test_a_start_that_is_not_a_number_is_refused(lasting: Server, after: str) -> None:
    from websockets.sync.client import connect

    url = f"ws://127.0.0.1:{lasting.port}/ws?after={after}"
    origin: Any = lasting.url.rstrip("/")
    with (
        connect(url, origin=origin, proxy=None, open_timeout=PATIENCE) as page,
        pytest.raises(ConnectionClosed) as closed,
    ):
        page.recv(PATIENCE)
    assert closed.value.rcvd
    assert closed.value.rcvd.code == 4400
    assert closed.value.rcvd.reason.endswith(": the number of an event is needed")


@contextmanager
def in_a_thread(project: Project, patience: float) -> Iterator[tuple[str, LiveFeed]]:
    """A server of less patience than the one that people have, and what it keeps of its clients."""
    listening = serve.listen("127.0.0.1", 0)
    data = DashboardData(str(project.database), str(project.root), dict(os.environ))
    ready = threading.Event()
    made = app.build_app(data, AccessRules("127.0.0.1", key=None), started=ready.set, patience=patience)
    running = uvicorn.Server(uvicorn.Config(made, log_level="critical", ws="websockets-sansio"))
    thread = threading.Thread(target=running.run, kwargs={"sockets": [listening]})
    thread.start()
    try:
        assert ready.wait(PATIENCE)
        inner: Any = made.app
        (live,) = [route.endpoint.__self__ for route in inner.routes if route.path == "/ws"]
        yield f"http://127.0.0.1:{listening.getsockname()[1]}/", live
    finally:
        running.should_exit = True
        thread.join(PATIENCE)


@pytest.mark.slow
def test_a_client_that_takes_nothing_is_dropped_and_the_others_get_all(project: Project) -> None:
    count, note = 400, 30_000
    filled(project, 1, count, note=note)
    with in_a_thread(project, 8) as (url, live), socket.socket() as stuck:
        stuck.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        stuck.connect(("127.0.0.1", int(url.rstrip("/").rpartition(":")[2])))
        lines = ["GET /ws?after=0 HTTP/1.1", f"Host: {url[7:-1]}", f"Origin: {url[:-1]}", "Upgrade: websocket",
                 "Connection: Upgrade", "Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
                 "", ""]  # fmt: skip
        stuck.sendall("\r\n".join(lines).encode())
        with Listener(url, 0) as page:
            page.until_id(count)
            assert page.ids == list(range(1, count + 1))
        deadline = time.monotonic() + PATIENCE
        while live.clients and time.monotonic() < deadline:
            time.sleep(0.01)
        assert live.clients == 0
        stuck.settimeout(PATIENCE)
        read = 0
        while part := stuck.recv(65536):  # ends when the server has closed it
            read += len(part)
        assert read < count * note / 2
