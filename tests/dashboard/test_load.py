"""What the server bears: many runs, a burst before three pages, and its memory after it."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from rcs_hooks.dashboard.data import STORE_EVERY
from rcs_hooks.environment import Environment
from rcs_hooks.runs.emit import emit
from tests.dashboard.support import Listener, Record, Server, fetch, filled, served
from tests.runs.support import Project
from tests.support import least

RUNS, EVENTS = 2_000, 100
FIRST_PAGE_SECONDS = 0.1
"""Of the processor, for the server."""
MEMORY_MB = 120
LATEST = 3.0
"""Seconds from the last event to its arrival in every page: the server may not fall behind."""


@pytest.fixture(scope="module")
def crowded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Project, Server]]:
    project = Project(Path(tmp_path_factory.mktemp("crowded")))
    project.now = time.time()
    filled(project, RUNS, EVENTS)
    with served(project) as server:
        yield project, server


PAGES = [
    "api/runs", "api/attention", "api/sessions", "api/overview", "api/all", "api/all?q=run-00", "api/runs?sort=name",
    "api/runs?status=failed", "api/runs?workflow=build&since=30m",
    "api/runs?before=100000", f"api/runs/run-{RUNS - 1:05}", f"api/runs/run-{RUNS - 1:05}/events?after=50",
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.alone
@pytest.mark.parametrize("address", PAGES)
def test_every_page_is_there_at_once(crowded: tuple[Project, Server], address: str) -> None:
    """By what the server does for it; the first that is asked is the first after the start."""
    _, server = crowded

    def taken() -> float:
        begun = server.processor()
        answer = fetch(f"{server.url}{address}")
        assert answer.status_code == 200
        assert answer.json().get("runs", [1])
        return server.processor() - begun

    assert least(taken, FIRST_PAGE_SECONDS) <= FIRST_PAGE_SECONDS


def burst(project: Project, count: int, seconds: float) -> None:
    """As many runs as there are tenths of a second, evenly."""
    environment = Environment({"HOME": str(project.home)}, str(project.root), time.time())
    begun = time.monotonic()
    for number in range(count):
        given: Record = {
            "type": "status_change", "workflow": "build", "run_id": f"burst-{number % 10}", "step": "requirements",
            "data": {"status": "running"},
        }  # fmt: skip
        emit(given, environment)
        time.sleep(max(0.0, begun + seconds * (number + 1) / count - time.monotonic()))


def bursts(project: Project, server: Server, count: int, seconds: float) -> tuple[list[Listener], float]:
    """Return three pages that listened meanwhile, which are closed, and the seconds until they had the last event."""
    first = fetch(f"{server.url}api/runs").json()["seq"]
    pages = [Listener(server.url, first) for _ in range(3)]
    emitter = threading.Thread(target=burst, args=(project, count, seconds))
    readers = [threading.Thread(target=page.until_id, args=(first + count,)) for page in pages]
    for thread in (emitter, *readers):
        thread.start()
    emitter.join()
    emitted = time.monotonic()
    for reader in readers:
        reader.join()
    late = time.monotonic() - emitted
    for page in pages:
        page.close()
        assert page.ids == list(range(first + 1, first + count + 1))
    return pages, late


@pytest.mark.slow
@pytest.mark.alone
def test_a_burst_arrives_complete_and_in_order_in_three_pages(crowded: tuple[Project, Server]) -> None:
    begun = time.monotonic()
    pages, _ = bursts(*crowded, count=200, seconds=1)
    most = 50 + (time.monotonic() - begun) / STORE_EVERY
    assert all(len(page.told) < most for page in pages), "what comes together is told together"


@pytest.mark.alone
@pytest.mark.slow
def test_a_thousand_events_in_ten_seconds_and_the_memory_after_them(crowded: tuple[Project, Server]) -> None:
    project, server = crowded
    for address in PAGES:
        fetch(f"{server.url}{address}")
    late = least(lambda: bursts(project, server, count=1000, seconds=10)[1], LATEST)
    assert late <= LATEST
    with Listener(server.url, 0) as page:
        page.until_id(RUNS * EVENTS)
        assert page.ids == list(range(1, RUNS * EVENTS + 1))
    assert server.memory() <= MEMORY_MB


@pytest.mark.alone
@pytest.mark.slow
def test_nothing_grows_with_the_pages_that_come_and_go(crowded: tuple[Project, Server]) -> None:
    project, server = crowded

    def one_round() -> None:
        for _ in range(40):
            with Listener(server.url) as page:
                page.next()
            fetch(f"{server.url}api/runs/run-00001")
        burst(project, 50, 0.5)

    def growth() -> float:
        before = server.memory()
        for _ in range(4):
            one_round()
        return server.memory() - before

    one_round()
    assert least(growth, 6) <= 6, "what is kept for good grows each time"
