"""Measure sharing with a real PostgreSQL on this machine: `python -m tests.bench.bench_share [--smoke]`.

Throughput: writers, each a process with a home of its own, send what their databases of runs hold, all at once. Beside
it, in the same run, COPY of the same rows into the same table, whose server is the same; goal: 10,000 events/s or half
of COPY, whichever is less. Then what the program costs while nothing happens, and how long an event takes from the
commit of its emit to the commit of its row. Status 1 where a goal is missed.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING

from rcs_hooks.share import schema
from tests.share.conftest import binaries, running
from tests.share.support import Home, shared_events, sharing, wait_for
from tests.support import run_rcs

if TYPE_CHECKING:
    from tests.share.conftest import Database

GOAL, TO_COPY = 10_000.0, 0.5
IDLE_SHARE, IDLE_SECONDS = 0.01, 20.0
LATENCY = 0.3
EMITS = 40
SERVER = ("max_connections=200",)
"""The server flushes each commit to the disk, as it is by default."""
COLUMNS = "machine, source, position, run, seq, at, type, step, unit, status, data, automatic"


def throughput(database: Database, folder: Path, writers: int, events: int) -> tuple[float, float]:
    """Return how many events a second were sent, and how many COPY stores of the same rows."""
    homes = [Home(folder / str(number), database.url(), f"m-{number}") for number in range(writers)]
    for home in homes:
        home.emit(events // writers, runs=20)
    begun = time.monotonic()
    programs = [home.program(once=True) for home in homes]
    for program in programs:
        _, error = program.communicate()
        assert program.returncode == 0, error.decode()
    sent = time.monotonic() - begun
    for home in homes:
        assert shared_events(database, home.name) == home.event_ids()
    return events / sent, events / copied(database)


def copied(database: Database) -> float:
    """Return the seconds in which two connections store the same rows by COPY, in a table like theirs."""
    parts = []
    with database.connect() as sql:
        sql.execute("CREATE TABLE rcs.copied (LIKE rcs.run_events INCLUDING ALL)")
        sql.execute("ALTER TABLE rcs.copied ADD FOREIGN KEY (source, machine) REFERENCES rcs.sources (id, machine)")
        for rest in (0, 1):
            query = f"COPY (SELECT {COLUMNS} FROM rcs.run_events WHERE source % 2 = {rest}) TO STDOUT"
            with sql.cursor().copy(query.encode()) as copy:
                parts.append(b"".join(bytes(part) for part in copy))
    threads = [threading.Thread(target=_copy, args=(database, part)) for part in parts]
    begun = time.monotonic()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return time.monotonic() - begun


def _copy(database: Database, rows: bytes) -> None:
    with database.connect() as sql, sql.cursor().copy(f"COPY rcs.copied ({COLUMNS}) FROM STDIN".encode()) as copy:
        for start in range(0, len(rows), 1 << 20):
            copy.write(rows[start : start + (1 << 20)])


def idle(database: Database, folder: Path) -> float:
    """Return the share of a processor that the program takes while nothing happens, with 20 sessions there."""
    home = Home(folder / "idle", database.url(), "idle")
    home.emit(1_000, runs=10)
    for number in range(20):
        home.log(f"s-{number}", *[{}] * 50)
    program = home.program()
    try:
        wait_for(lambda: home.status().get("state") == "current")
        time.sleep(2.0)
        before = _processor(program)
        time.sleep(IDLE_SECONDS)
        return (_processor(program) - before) / IDLE_SECONDS
    finally:
        program.terminate()
        program.communicate()


def _processor(program: subprocess.Popen[bytes]) -> float:
    """Return the seconds of the processor that a program has taken."""
    words = Path(f"/proc/{program.pid}/schedstat").read_text().split()
    threads = Path(f"/proc/{program.pid}/task").glob("*/schedstat")
    return max(int(words[0]), sum(int(each.read_text().split()[0]) for each in threads)) / 1e9


def latency(database: Database, folder: Path) -> float:
    """Return the median seconds from the commit of an emit to the commit of its row in the shared database."""
    home = Home(folder / "latency", database.url(), "latency")
    home.emit(1)
    found = []
    with sharing(home), database.connect() as sql:
        wait_for(lambda: home.status().get("state") == "current")
        sql.execute("LISTEN rcs")
        list(sql.notifies(timeout=0.5))
        for number in range(EMITS):
            words = ["emit", "--run-id", f"r-{number}", "--type", "status_change", "--workflow", "w", "--step", "a"]
            words += ["--data", '{"status": "running"}']
            said = run_rcs(*words, cwd=home.project, env=home.env)
            committed = time.monotonic()
            assert said.returncode == 0, said.stderr
            next(sql.notifies(timeout=60))
            found.append(time.monotonic() - committed)
            time.sleep(0.03 * (number % 7))
            list(sql.notifies(timeout=0))
    return statistics.median(found)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--smoke", action="store_true", help="few events and writers")
    parser.add_argument("--events", type=int, default=1_000_000)
    parser.add_argument("--writers", type=int, default=50)
    args = parser.parse_args()
    if args.smoke:
        args.events, args.writers = 20_000, 4
    programs = binaries()
    if programs is None:
        print("no PostgreSQL server is installed")
        return 1
    with running(programs, SERVER) as server, tempfile.TemporaryDirectory() as folder:
        database = server.make()
        schema.init(database.address, roles=True)
        sent, copy = throughput(database, Path(folder), args.writers, args.events)
        print(f"{args.writers} writers, {args.events:,} events: {sent:,.0f} events/s; COPY of the same rows: "
              f"{copy:,.0f}/s; {sent / copy:.2f} of it")  # fmt: skip
        quiet = idle(database, Path(folder))
        print(f"idle: {quiet:.2%} of a processor over {IDLE_SECONDS:.0f} s")
        median = latency(database, Path(folder))
        print(f"latency from the commit of an emit to that of its row: {median * 1000:.0f} ms at the median")
    is_right = sent >= min(GOAL, TO_COPY * copy) and quiet <= IDLE_SHARE and median <= LATENCY
    return 0 if is_right or args.smoke else 1


if __name__ == "__main__":
    sys.exit(main())
