"""What happens while the shared database cannot be used: nothing is lost, it is said, and sharing goes on by itself."""

from __future__ import annotations

import os
import signal
import threading
import time
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from rcs_hooks.share.backoff import FIRST, LONGEST, Backoff
from tests.share.proxy import PASSES, REFUSES, SWALLOWS, Proxy
from tests.share.support import Home, Sharing, shared_events, table, wait_for

if TYPE_CHECKING:
    from tests.share.conftest import Database

Outage = Callable[["Database", Proxy], AbstractContextManager[object]]
ENDS_OTHERS = (
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'rcs share' AND datname = %s"
)


@contextmanager
def refusing(_: Database, proxy: Proxy) -> Iterator[None]:
    proxy.mode = REFUSES
    proxy.cut()
    yield
    proxy.mode = PASSES


@contextmanager
def swallowing(_: Database, proxy: Proxy) -> Iterator[None]:
    proxy.mode = SWALLOWS
    yield
    proxy.mode = PASSES
    proxy.cut()


@contextmanager
def read_only(database: Database, _: Proxy) -> Iterator[None]:
    with database.connect() as sql:
        sql.execute(f"ALTER DATABASE {database.name} SET default_transaction_read_only = on".encode())
        sql.execute(ENDS_OTHERS, (database.name,))
        yield
        sql.execute("SET default_transaction_read_only = off")
        sql.execute(f"ALTER DATABASE {database.name} RESET default_transaction_read_only".encode())


@contextmanager
def full(database: Database, _: Proxy) -> Iterator[None]:
    with database.connect() as sql:
        sql.execute(
            "CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS"
            " $$ BEGIN RAISE EXCEPTION 'full' USING ERRCODE = 'disk_full'; END $$"
        )
        sql.execute("CREATE TRIGGER full_disk BEFORE INSERT ON rcs.run_events EXECUTE FUNCTION full_disk()")
        yield
        sql.execute("DROP TRIGGER full_disk ON rcs.run_events")


@contextmanager
def crowded(database: Database, _: Proxy) -> Iterator[None]:
    with database.connect() as sql:
        sql.execute(f"ALTER ROLE {MIA}_{database.name} CONNECTION LIMIT 0".encode())
        sql.execute(ENDS_OTHERS, (database.name,))
        yield
        sql.execute(f"ALTER ROLE {MIA}_{database.name} CONNECTION LIMIT -1".encode())


@contextmanager
def stopped(database: Database, _: Proxy) -> Iterator[None]:
    with database.connect() as sql:
        query = "SELECT pid FROM pg_stat_activity WHERE application_name = 'rcs share' AND datname = %s"
        ((pid,),) = sql.execute(query, (database.name,)).fetchall()
    os.kill(pid, signal.SIGSTOP)
    yield
    os.kill(pid, signal.SIGCONT)


MIA = "mia"
OUTAGES: list[tuple[Outage, set[str]]] = [
    (refusing, {"lost", "unreachable"}), (swallowing, {"silent"}), (read_only, {"read_only", "lost"}), (full, {"full"}),
    (crowded, {"busy", "lost"}), (stopped, {"silent"}),
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize(("outage", "kinds"), OUTAGES, ids=[outage.__name__ for outage, _ in OUTAGES])
def test_an_outage_is_said_and_sharing_goes_on(
    outage: Outage, kinds: set[str], database: Database, tmp_path: Path
) -> None:
    proxy = Proxy(database.server.port)
    role = database.role(MIA, "rcs_writer")
    home = Home(tmp_path, f"postgresql://{role}@127.0.0.1:{proxy.port}/{database.name}")
    home.emit(1_200)
    try:
        with Sharing(home, seconds=1.0):
            wait_for(lambda: shared_events(database) == home.event_ids())
            wait_for(lambda: home.status().get("state") == "current")
            with outage(database, proxy):
                home.emit(1_500)
                wait_for(lambda: home.status()["state"] == "waiting" and home.status()["error"]["kind"] in kinds)
                said = home.status()
                assert said["behind"]["events"] >= 1_500 - 1_000  # a batch may have got through
                assert said["behind"]["since"] is not None
                assert said["error"]["since"] <= said["error"]["at"] < said["error"]["next_at"]
                assert "password" not in said["error"]["message"]
                home.emit(10)
            wait_for(lambda: shared_events(database) == home.event_ids())
            wait_for(lambda: home.status()["state"] == "current")
            assert home.status()["error"] is None
            assert home.status()["behind"] == {"events": 0, "since": None}
    finally:
        proxy.close()


def test_the_pauses_grow_and_are_bounded_and_not_the_same() -> None:
    many = [[backoff.next() for _ in range(40)] for backoff in (Backoff() for _ in range(50))]
    for pauses in many:
        for number, pause in enumerate(pauses):
            most = min(LONGEST, FIRST * 2**number)
            assert most / 2 <= pause <= most
    assert len({pauses[0] for pauses in many}) > 40
    again = Backoff()
    again.next()
    again.next()
    again.reset()
    assert again.next() <= FIRST


@pytest.mark.slow
def test_the_memory_does_not_grow_with_what_waits_to_be_sent(database: Database, tmp_path: Path) -> None:
    peaks: list[int] = []
    for count in (3_000, 3_000, 15_000):  # the first one loads what is loaded once
        home = Home(tmp_path / str(len(peaks)), database.url(), f"m-{len(peaks)}", texts=True)
        home.emit(count, data='{"message":"' + "x" * 400 + '"}')
        tracemalloc.start()
        home.share()
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[2] < peaks[1] + 1_000_000


def test_a_batch_is_bounded_in_bytes(database: Database, tmp_path: Path) -> None:
    home = Home(tmp_path, database.url())
    home.emit(40, data='{"message":"' + "x" * 100_000 + '"}')
    home.share()
    assert shared_events(database) == list(range(1, 41))
    ((most,),) = table(database, "SELECT max(upto - after) FROM rcs.batches WHERE source > 0")
    assert most == 10


def test_a_reader_of_what_came_after_misses_nothing_while_many_write(database: Database, tmp_path: Path) -> None:
    homes = [Home(tmp_path / str(number), database.url(), f"m-{number}") for number in range(8)]
    for home in homes:
        home.emit(2_500)
    found: list[tuple[int, int, int]] = []
    done = threading.Event()
    query = (
        "SELECT b.id, b.machine, e.position FROM rcs.batches b"
        " JOIN rcs.run_events e ON e.source = b.source AND e.position > b.after AND e.position <= b.upto"
        " WHERE b.id > %s ORDER BY b.id, e.position"
    )

    def read() -> None:
        last = 0
        with database.connect() as sql:
            while True:
                is_last = done.is_set()
                rows = sql.execute(query, (last,)).fetchall()
                found.extend(rows)
                last = rows[-1][0] if rows else last
                if is_last:
                    return
                time.sleep(0.002)

    reader = threading.Thread(target=read)
    writers = [threading.Thread(target=home.share) for home in homes]
    for each in (reader, *writers):
        each.start()
    for each in writers:
        each.join()
    done.set()
    reader.join()
    assert [batch for batch, _, _ in found] == sorted(batch for batch, _, _ in found)
    machines = {machine for _, machine, _ in found}
    assert len(machines) == 8
    for machine in machines:
        assert [position for _, each, position in found if each == machine] == list(range(1, 2_501))
