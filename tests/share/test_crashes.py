"""Exactly once: writers killed at any moment, a server that crashes, and connections that are cut."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.share.support import Home, shared_events, table, wait_for
from tests.support import CHECKOUT

if TYPE_CHECKING:
    from types import TracebackType

    from tests.share.conftest import Database


class Writers:
    """Writers of many homes, each a process that can be killed and started again."""

    def __init__(self, homes: list[Home]) -> None:
        self.homes = homes
        self._forker = subprocess.Popen(
            [sys.executable, "-m", "tests.share.forker"], cwd=CHECKOUT, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, text=True,
        )  # fmt: skip
        self._running: dict[int, int] = {}

    def start(self, number: int) -> None:
        home = self.homes[number]
        assert self._forker.stdin is not None
        assert self._forker.stdout is not None
        self._forker.stdin.write(f"{home.path}\t{home.project}\n")
        self._forker.stdin.flush()
        self._running[number] = int(self._forker.stdout.readline())

    def kill(self, number: int) -> None:
        """Kill a writer, in whatever it does, and wait until its lock is free."""
        process = self._running.pop(number)
        os.kill(process, signal.SIGKILL)
        wait_for(lambda: not Path(f"/proc/{process}").exists())

    def __enter__(self) -> Writers:
        for number in range(len(self.homes)):
            self.start(number)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for number in list(self._running):
            self.kill(number)
        assert self._forker.stdin is not None
        assert self._forker.stdout is not None
        self._forker.stdin.close()
        self._forker.wait(60)
        self._forker.stdout.close()


def are_sent(database: Database, homes: list[Home]) -> bool:
    """Tell whether the position of each machine's runs is that of its last event."""
    query = "SELECT m.name, s.position FROM rcs.sources s JOIN rcs.machines m ON m.id = s.machine WHERE s.kind = 'runs'"
    positions = dict(table(database, query))
    return all(positions.get(home.name, 0) == home.event_ids()[-1] for home in homes)


def check_all_is_there_once(database: Database, homes: list[Home]) -> None:
    for home in homes:
        assert shared_events(database, home.name) == home.event_ids()
    assert table(database, "SELECT count(*) FROM rcs.sources WHERE is_replaced") == [(0,)]
    for kind, rows in (("history", "mode_events"), ("task", "task_moves")):
        query = (
            f"SELECT s.position, count(*), min(e.position), max(e.position) FROM rcs.sources s"
            f" JOIN rcs.{rows} e ON e.source = s.id WHERE s.kind = '{kind}' GROUP BY s.id"
        )
        found = table(database, query)
        assert len(found) == len(homes)
        assert all((count, first, last) == (position, 1, position) for position, count, first, last in found)


@pytest.mark.slow
def test_a_writer_that_is_killed_at_any_moment_sends_everything_once(database: Database, tmp_path: Path) -> None:
    chance = random.Random(7)
    homes = [Home(tmp_path / str(number), database.url(), f"m-{number}") for number in range(3)]
    for home in homes:
        home.emit(4_000)
        home.log("s-1", *[{}] * 30)
        home.task("pay", 3)
    before = [home.local_bytes() for home in homes]
    with Writers(homes) as writers:
        for kill in range(9):
            time.sleep(chance.uniform(0.0, 0.25))  # not to wait for anything, but to kill at another moment each time
            writers.kill(kill % 3)
            writers.start(kill % 3)
        wait_for(lambda: are_sent(database, homes))
        wait_for(lambda: table(database, "SELECT sum(position) FROM rcs.sources WHERE kind <> 'runs'") == [(99,)])
    check_all_is_there_once(database, homes)
    assert [home.local_bytes() for home in homes] == before
