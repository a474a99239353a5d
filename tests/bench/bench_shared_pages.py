"""How long pages take on PostgreSQL beside SQLite with the same rows: `python -m tests.bench.bench_shared_pages`.

A server of its own is filled by COPY; the database is asked as `rcs_reader`. The sessions, modes and their earlier
runs are in workspaces here, and documents there. Each answer is asked for by turns, in another order each round; the
fastest of each counts, because others use the machine too. `--smoke` uses few rows, and fails what is far over its
limit; without it, what is over is only marked.
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
import statistics
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import uuid4

from psycopg.sql import SQL, Identifier
from starlette.testclient import TestClient

from rcs_hooks.dashboard import app
from rcs_hooks.dashboard.data import DashboardData
from rcs_hooks.dashboard.guard import AccessRules
from rcs_hooks.files import transaction
from rcs_hooks.runs.records import NewEvent, RunRecord
from rcs_hooks.runs.sqlite_store import open_readwrite
from rcs_hooks.runs.update import iso_ms
from rcs_hooks.share import connecting, schema
from rcs_hooks.share.shared_data import SharedData
from rcs_hooks.state import history
from rcs_hooks.state.history import Event
from tests.share.conftest import binaries, running
from tests.share.machine_rows import entry_record, now, passage_record, session_record
from tests.support import Workspace

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.share.conftest import Server

LIMIT, SMOKE_LIMIT = 1.5, 4.0
OF_A_RUN = 100
IN_A_BATCH = 500
WEEK_MS = 7 * 86_400_000
STATUSES = ("running", "waiting", "failed", "completed", "completed", "completed")
SESSIONS, PASSAGES = 20, 10
"""Of a machine, and of a session; two modes of each session go on."""
MODES = ("forge", "blueprint")
ADDRESSES = (
    "/overview", "/attention", "/sessions", "/runs", "/runs?sort=name", "/runs?status=failed", "/all",
    "/all?sort=title", "/all?q=run-0000",
)  # fmt: skip


def runs_of(machines: int, events: int) -> Iterator[tuple[int, RunRecord]]:
    """Each run behind the number of its machine, the one that was heard of first first."""
    count, now_ms = events // OF_A_RUN, round(time.time() * 1000)
    for number in range(count):
        ms = now_ms - WEEK_MS + (number + 1) * (WEEK_MS // count)
        yield number % machines, RunRecord(
            id=number // machines + 1, run_id=f"run-{number:06}", workflow="build-fast", project="",
            feature=f"feature {number}", file="rcs:build-fast", status=STATUSES[number % len(STATUSES)],
            current="build", events=OF_A_RUN, artifacts=0, started_at=iso_ms(ms - 60_000), last_at=iso_ms(ms),
            last_ms=ms, last_event=0, ended=None,
        )  # fmt: skip


def event_of(run: RunRecord, seq: int) -> NewEvent:
    data = '{"status": "running", "message": "step by step"}'
    return NewEvent(
        seq, run.last_at, "status_change", ("plan", "build")[seq % 2], None, "running", data, automatic=False
    )


def fill_file(path: str, machines: int, events: int, folder: Path) -> None:
    store = open_readwrite(path)
    with store.write_transaction():
        for machine, run in runs_of(machines, events):
            stored = run._replace(project=str(folder / f"m{machine}"))
            stored = stored._replace(id=store.add_run(stored))
            for seq in range(1, OF_A_RUN + 1):
                stored = stored._replace(last_event=store.add_event(stored.id, event_of(run, seq)))
            store.update_run(stored)
    store.close()


def fill_workspaces(folder: Path, machines: int) -> None:
    """Make a workspace with sessions for each machine: one is written, and copied."""
    first = Workspace(folder / "m0", now=time.time())
    for session in (f"session-{number:02}" for number in range(SESSIONS)):
        for mode in MODES:
            first.write(mode, session, started_at=now(600), updated_at=now(5), current_phase="executing")
        events = []
        for number in range(PASSAGES):
            mode = MODES[number % len(MODES)]
            events += [
                Event(0, now(9_000 - number), mode, history.STARTED, "", "starting", title=f"thing {number}"),
                Event(0, now(9_000 - number), mode, history.PHASE, "starting", "executing"),
                Event(0, now(9_000 - number), mode, history.OUTCOME, "executing", "finished"),
            ]
        events += [Event(0, now(600), mode, history.STARTED, "", "executing", title="a new thing") for mode in MODES]
        written = history.append(str(first.state), session, events)
        assert written
        transaction.commit(str(first.state), [written])
    for number in range(1, machines):
        shutil.copytree(first.root, folder / f"m{number}")


def documents() -> Iterator[tuple[str, str, str, str]]:
    """The documents of one project: kind, key, moment and record."""
    for session in (f"session-{number:02}" for number in range(SESSIONS)):
        (mode,) = session_record()["modes"]
        modes = [mode | {"mode": name, "session": session} for name in MODES]
        yield "session", session, now(5), json.dumps(session_record(session=session, modes=modes))
        for name in MODES:
            yield "entry", f"{session}:{name}", now(5), json.dumps(entry_record(name, session=session))
        for number in range(PASSAGES):
            name = MODES[number % len(MODES)]
            record = passage_record(name, n=1 + 3 * number, session=session, title=f"thing {number}", is_last=False)
            yield "passage", f"{session}:{name}:{number}", now(9_000 - number), json.dumps(record)


def fill_server(server: Server, database: str, machines: int, events: int) -> None:
    with server.connect(database) as sql:
        sources = []
        for number in range(machines):
            (machine,) = sql.execute(
                "SELECT id FROM rcs.register(%s::uuid, %s, %s, '0.0')", (uuid4(), f"m{number}", f"p{number % 9}")
            ).fetchone() or (0,)
            (project,) = sql.execute(
                "INSERT INTO rcs.projects (machine, key, name, texts) VALUES (%s, %s, 'app', true) RETURNING id",
                (machine, uuid4()),
            ).fetchone() or (0,)
            (source,) = sql.execute(
                "INSERT INTO rcs.sources (machine, project, kind, key, name) VALUES (%s, %s, 'runs', %s, '')"
                " RETURNING id",
                (machine, project, str(uuid4())),
            ).fetchone() or (0,)
            sources.append((machine, project, source))
        _copy(sql, sources, machines, events)
        with sql.cursor() as cursor, cursor.copy(INTO_PRESENT) as copy:
            for machine, project, _ in sources:
                for document in documents():
                    copy.write_row((machine, project, *document))
        sql.execute("ANALYZE")


INTO_PRESENT = "COPY rcs.present (machine, project, kind, key, at, record) FROM STDIN"


def _copy(sql: object, sources: list[tuple[int, int, int]], machines: int, events: int) -> None:
    import psycopg

    assert isinstance(sql, psycopg.Connection)
    positions = [0] * machines
    rows, batches = [], []
    into_events = (
        "COPY rcs.run_events (machine, source, position, run, seq, at, type, step, unit, status, data, automatic)"
        " FROM STDIN"
    )
    with sql.cursor() as cursor, cursor.copy(into_events) as copy:
        for batch, (number, run) in enumerate(runs_of(machines, events), 1):
            machine, project, source = sources[number]
            after = positions[number]
            for seq in range(1, OF_A_RUN + 1):
                positions[number] += 1
                copy.write_row((machine, source, positions[number], run.id, *event_of(run, seq)))
            batches.append((batch, machine, source, after, positions[number]))
            rows.append((
                machine, source, run.id, project, run.run_id, run.workflow, run.feature, run.file, run.status,
                run.current, run.events, 0, run.started_at, run.last_at, run.last_ms, batch * 10_000 + OF_A_RUN,
                positions[number],
            ))  # fmt: skip
    with sql.cursor() as cursor, cursor.copy("COPY rcs.batches (id, machine, source, after, upto) FROM STDIN") as copy:
        for each in batches:
            copy.write_row(each)
    with (
        sql.cursor() as cursor,
        cursor.copy(
            "COPY rcs.runs (machine, source, id, project, run_id, workflow, feature, file, status, current, events,"
            " artifacts, started_at, last_at, last_ms, last_event, local_last_event) FROM STDIN"
        ) as copy,
    ):
        for row in rows:
            copy.write_row(row)
    sql.execute("UPDATE rcs.clock SET batch = %s", (len(batches),))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--events", type=int, default=1_000_000)
    parser.add_argument("--machines", type=int, default=50)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--smoke", action="store_true", help="few rows, and fail what is far over its limit")
    args = parser.parse_args()
    if args.smoke:
        args.events, args.machines, args.rounds = 50_000, 5, 5
    programs = binaries()
    if programs is None:
        raise SystemExit("no PostgreSQL server is installed")
    with tempfile.TemporaryDirectory() as made, running(programs, "max_connections=50", "fsync=off") as server:
        folder = Path(made)
        with server.connect() as admin:
            admin.execute(SQL("CREATE DATABASE {}").format(Identifier("bench")))
        schema.init(server.address("bench"), roles=True)
        with server.connect() as admin:
            admin.execute("CREATE ROLE looks LOGIN IN ROLE rcs_reader")
        begun = time.monotonic()
        fill_server(server, "bench", args.machines, args.events)
        print(f"PostgreSQL filled in {time.monotonic() - begun:.0f} s", flush=True)
        begun = time.monotonic()
        fill_workspaces(folder, args.machines)
        fill_file(str(folder / "runs.db"), args.machines, args.events, folder)
        print(f"SQLite and workspaces filled in {time.monotonic() - begun:.0f} s", flush=True)
        local = DashboardData(str(folder / "runs.db"), str(folder), {"HOME": str(folder)})
        address = server.address("bench", "looks")
        shared = SharedData(lambda: connecting.open_link(address))
        rules = AccessRules("127.0.0.1", key=None)
        with TestClient(app.build_app(local, rules, shared=shared), base_url="http://127.0.0.1:8727") as client:
            over = report(client, args.rounds, SMOKE_LIMIT if args.smoke else LIMIT)
    return 1 if over and args.smoke else 0


def report(client: TestClient, rounds: int, limit: float) -> list[str]:
    """Print how long each answer took, and return the addresses of those that are over the limit."""
    over = []
    calls = [(prefix, address) for address in ADDRESSES for prefix in ("", "/shared")]
    spent: dict[tuple[str, str], list[float]] = {call: [] for call in calls}
    first: dict[tuple[str, str], float] = {}
    for number in range(rounds + 1):
        random.shuffle(calls)
        for prefix, address in calls:
            begun = time.perf_counter()
            answer = client.get(f"{prefix}/api{address}")
            took = time.perf_counter() - begun
            assert answer.status_code == 200, answer.text
            if number:
                spent[prefix, address].append(took)
            else:
                first[prefix, address] = took
    for address in ADDRESSES:
        local, shared = (min(spent[prefix, address]) for prefix in ("", "/shared"))
        over += [address] if shared > limit * local else []
        mark = "  OVER" if shared > limit * local else ""
        others = [statistics.median(spent[prefix, address]) for prefix in ("", "/shared")]
        medians = "median {:.0f} and {:.0f}".format(*(each * 1000 for each in others))
        opened = f"first call {first['', address] * 1000:.0f} and {first['/shared', address] * 1000:.0f} ms"
        both = f"SQLite {local * 1000:7.1f} ms   PostgreSQL {shared * 1000:7.1f} ms   {shared / local:.2f}{mark}"
        print(f"{address:20} {both}   ({medians}, {opened})", flush=True)
    return over


if __name__ == "__main__":
    raise SystemExit(main())
