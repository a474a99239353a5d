"""What the tests of the writer share: a home with a project, events in it, and what the database then holds."""

from __future__ import annotations

import contextlib
import json
import sqlite3
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any

from rcs_hooks.files.clock import iso
from rcs_hooks.runs.sqlite_store import open_readwrite
from rcs_hooks.share import loop
from tests.support import NOW, clean_env

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.share.conftest import Database

SERIES = "WITH RECURSIVE n (i) AS (SELECT ? UNION ALL SELECT i + 1 FROM n WHERE i < ?)"


class Home:
    """A home that shares a project, with its own machine id."""

    def __init__(self, folder: Path, url: str, name: str = "laptop", *, texts: bool = False) -> None:
        self.path = folder / "home"
        self.project = folder / "project"
        self.project.mkdir(parents=True)
        (self.path / ".rcs").mkdir(parents=True)
        self.name = name
        self.url = url
        self.env = clean_env(HOME=str(self.path))
        self.database = self.path / ".rcs" / "rcs.db"
        self.configure([(self.project, "pay", texts)])

    def configure(self, projects: list[tuple[Path, str, bool]]) -> None:
        """Write what is shared into the person's own file."""
        lines = ["[share]", f'url = "{self.url}"', 'person = "mia"', f'machine = "{self.name}"']
        for path, name, texts in projects:
            lines += ["[[share.projects]]", f'path = "{path}"', f'name = "{name}"', f"texts = {str(texts).lower()}"]
        (self.path / ".rcs" / "config.toml").write_text("\n".join(lines) + "\n")

    # --- what is shared

    def emit(self, count: int, *, runs: int = 1, project: Path | None = None, data: str = "{}") -> None:
        """Add events to the database of runs, as an emit would, but many at once."""
        open_readwrite(str(self.database)).close()
        where = str(project or self.project)
        with sqlite3.connect(self.database) as sql:
            (last,) = sql.execute("SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'events'").fetchone()
            (first,) = sql.execute("SELECT coalesce(max(id), 0) FROM runs").fetchone()
            at = iso(NOW + last)
            sql.execute(
                f"{SERIES} INSERT INTO runs (id, run_id, workflow, project, status, current, events, artifacts,"
                " started_at, last_at, last_ms, last_event)"
                " SELECT i, 'run-' || i, 'forge', ?, 'running', 'build', 0, 0, ?, ?, 0, 0 FROM n",
                (first + 1, first + runs, where, at, at),
            )
            sql.execute(
                f"{SERIES} INSERT INTO events (id, run, seq, at, type, step, unit, status, data, automatic)"
                " SELECT i, ? + 1 + i % ?, i, ?, 'status_change', 'build', NULL, 'running', ?, 0 FROM n",
                (last + 1, last + count, first, runs, at, data),
            )
            sql.execute(
                "UPDATE runs SET events = (SELECT count(*) FROM events WHERE run = runs.id),"
                " last_event = (SELECT max(id) FROM events WHERE run = runs.id) WHERE id > ?",
                (first,),
            )
            sql.execute(
                "INSERT OR REPLACE INTO steps SELECT id, 'build', '', '', '', 'running', 1, events, 1, started_at,"
                " NULL, 0, 0 FROM runs WHERE id > ?",
                (first,),
            )
        sql.close()

    def event_ids(self) -> list[int]:
        """The numbers of all events of the project."""
        with sqlite3.connect(self.database) as sql:
            rows = sql.execute(
                "SELECT events.id FROM events JOIN runs ON runs.id = run WHERE project = ? ORDER BY events.id",
                (str(self.project),),
            ).fetchall()
        sql.close()
        return [number for (number,) in rows]

    def log(self, session: str, *events: dict[str, Any], project: Path | None = None) -> Path:
        """Append events to the history of a session, each with a title that may not leave."""
        path = (project or self.project) / ".rcs" / "state" / "sessions" / session / "history.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        before = path.read_bytes().count(b"\n") if path.exists() else 0
        with path.open("a") as to:
            for number, event in enumerate(events, before + 1):
                base = {"v": 1, "n": number, "at": iso(NOW + number), "mode": "forge", "event": "phase", "from": "",
                        "to": f"phase-{number}", "iteration": 1, "title": "PLANTED title", "data": {}}  # fmt: skip
                to.write(json.dumps(base | event) + "\n")
        return path

    def task(self, name: str, moves: int) -> Path:
        """Append moves to the transcript of a task."""
        folder = self.project / ".rcs" / "tasks" / name
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "state.json").write_text("{}")
        path = folder / "transcript.jsonl"
        before = path.read_bytes().count(b"\n") if path.exists() else 0
        with path.open("a") as to:
            for number in range(before + 1, before + moves + 1):
                line = {"ts": iso(NOW + number), "kind": "transition", "from": "planning", "to": "review",
                        "reason": "PLANTED", "failed": []}  # fmt: skip
                to.write(json.dumps(line) + "\n")
        return path

    # --- sharing

    def share(self) -> int:
        """Share everything that is there now, in this process; return how many events were sent."""
        return loop.run(self.env, str(self.project), once=True)

    def program(self, *, once: bool = False) -> subprocess.Popen[bytes]:
        """Share in a process of its own, until it is killed."""
        code = f"import os; from rcs_hooks.share import loop; loop.run(os.environ, os.getcwd(), once={once})"
        return subprocess.Popen([sys.executable, "-c", code], cwd=self.project, env=self.env, stderr=subprocess.PIPE)

    def status(self) -> dict[str, Any]:
        path = self.path / ".rcs" / "share" / "status.json"
        found: dict[str, Any] = json.loads(path.read_text()) if path.exists() else {}
        return found

    def local_bytes(self) -> dict[str, bytes]:
        """Every byte of the local stores: the database with its log, and the folders of state and tasks."""
        files = [self.database, self.database.with_name("rcs.db-wal"), *sorted(self.project.rglob("*"))]
        return {str(path): path.read_bytes() for path in files if path.is_file() and path.stat().st_size}


@contextlib.contextmanager
def sharing(home: Home) -> Iterator[None]:
    """Share from a home until the block ends."""
    program = home.program()
    try:
        yield
    finally:
        kill(program)


def kill(program: subprocess.Popen[bytes]) -> None:
    """Kill a program that shares, in whatever it does."""
    program.kill()
    program.communicate(timeout=60)


def wait_for(is_so: Callable[[], object], seconds: float = 60.0) -> None:
    """Wait until something is so; fail if it does not become so."""
    deadline = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def shared_events(database: Database, name: str = "laptop") -> list[int]:
    """The positions of all events of a machine, in the order in which they came."""
    with database.connect() as sql:
        rows = sql.execute(
            "SELECT e.position FROM rcs.batches b JOIN rcs.sources s ON s.id = b.source AND NOT s.is_replaced"
            " JOIN rcs.run_events e ON e.source = s.id AND e.position > b.after AND e.position <= b.upto"
            " JOIN rcs.machines m ON m.id = s.machine WHERE m.name = %s ORDER BY b.id, e.position",
            (name,),
        ).fetchall()
    return [int(position) for (position,) in rows]


def table(database: Database, query: str) -> list[tuple[Any, ...]]:
    with database.connect() as sql:
        return sql.execute(query.encode()).fetchall()
