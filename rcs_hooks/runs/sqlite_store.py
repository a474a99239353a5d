"""The store of runs in an SQLite file.

Rules of this file:
- A write is one `BEGIN IMMEDIATE`: a deferred one fails where many write at once. So events get their ids, over all
  runs, in the order in which readers see them.
- All SQL goes through `_execute` and `_rows`, which turn what SQLite raises into the errors of this package.
- Opening a file to read it never makes one.
"""

import os

try:
    # The package `sqlite3` is this module and adapters for dates, which cost every emit a tenth of starting Python.
    from _sqlite3 import Connection, Cursor, OperationalError, connect
except ImportError:  # pragma: no cover - an interpreter other than CPython
    from sqlite3 import Connection, Cursor, OperationalError, connect

from rcs_hooks.errors import StoreError
from rcs_hooks.runs import sqlite_errors, sqlite_schema
from rcs_hooks.runs.records import (
    ALL_RUNS,
    RUNNING,
    ArtifactRecord,
    EventRecord,
    NewEvent,
    RunFilter,
    RunRecord,
    StepRecord,
)
from rcs_hooks.runs.sqlite_errors import translate_errors

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import TracebackType

RUN, STEP, EVENT, ARTIFACT = RunRecord._fields, StepRecord._fields, NewEvent._fields, ArtifactRecord._fields
CHANGES = (
    "feature", "file", "status", "current", "events", "artifacts", "last_at", "last_ms", "last_event", "ended",
    "session", "client", "workspace", "open_steps",
)  # fmt: skip
SELECT_RUN = f"SELECT {', '.join(RUN)} FROM runs"  # noqa: S608 - names of this package
SELECT_EVENT = (
    f"SELECT events.id, {', '.join(f'events.{name}' for name in EVENT)}, run_id, workflow, project"  # noqa: S608 - as above
    " FROM events JOIN runs ON runs.id = events.run"
)


class Transaction:
    """A context that is one transaction: committed at its end, or rolled back if the block raises."""

    __slots__ = ("_begin", "_path", "_sql")

    def __init__(self, path: str, connection: Connection, begin: "Callable[[], object]") -> None:
        self._path = path
        self._sql = connection
        self._begin = begin

    def __enter__(self) -> None:
        with translate_errors(self._path):
            self._begin()

    def __exit__(
        self, kind: "type[BaseException] | None", error: "BaseException | None", trace: "TracebackType | None"
    ) -> None:
        with translate_errors(self._path):
            if kind is None:
                self._sql.execute("COMMIT")
            elif self._sql.in_transaction:  # a full disk ends the transaction by itself
                self._sql.execute("ROLLBACK")


class SqliteStore:
    """One connection to an SQLite file. `RunStore` documents the methods that read.

    An argument `run` is the number of a run, its `id`.
    """

    def __init__(self, path: str, connection: Connection, file: tuple[int, int] | None) -> None:
        self._path = path
        self._sql = connection
        self._file = file

    def close(self) -> None:
        self._sql.close()

    def read_transaction(self) -> Transaction:
        return Transaction(self._path, self._sql, lambda: self._sql.execute("BEGIN"))

    def write_transaction(self) -> Transaction:
        """Return a context whose writes are stored together at its end, or not at all if the block raises."""
        return Transaction(self._path, self._sql, lambda: sqlite_schema.execute_when_free(self._sql, "BEGIN IMMEDIATE"))

    def change_token(self) -> int:
        return int(self._execute("PRAGMA data_version").fetchone()[0])

    def is_replaced(self) -> bool:
        with translate_errors(self._path):
            return _file_of(self._path) != self._file

    # --- reading

    def run(self, run_id: str) -> RunRecord | None:
        found = self._execute(f"{SELECT_RUN} WHERE run_id = ?", run_id).fetchone()
        return RunRecord._make(found) if found else None

    def runs(
        self, now_ms: int, filters: RunFilter = ALL_RUNS, *, before: int | None = None, limit: int | None = None
    ) -> list[RunRecord]:
        conditions = [*_of_filters(filters), ("last_event < ?", before)]
        conditions += _of_status(filters.status, now_ms) if filters.status is not None else []
        where, values = _where(conditions)
        sql = f"{SELECT_RUN} WHERE {where} ORDER BY last_event DESC LIMIT ?"
        return [RunRecord._make(row) for row in self._rows(sql, *values, _limit(limit))]

    def counts(self, now_ms: int, filters: RunFilter = ALL_RUNS, *, most: int) -> dict[str, int]:
        from rcs_hooks.workflow.silence import GOES_QUIET, INACTIVE, INACTIVE_AFTER_MS, STALLED, STALLED_AFTER_MS

        where, values = _where(_of_filters(filters))
        inner = f"SELECT status, last_ms FROM runs WHERE file <> '' AND {where} ORDER BY last_event DESC LIMIT ?"  # noqa: S608 - as above
        sql = (
            f"SELECT CASE WHEN status IN {GOES_QUIET!r} AND last_ms <= ? THEN ?"  # noqa: S608 - as above
            f" WHEN status = ? AND last_ms <= ? THEN ? ELSE status END, count(*) FROM ({inner}) GROUP BY 1"
        )
        shown = now_ms - INACTIVE_AFTER_MS, INACTIVE, RUNNING, now_ms - STALLED_AFTER_MS, STALLED
        return {str(status): int(str(count)) for status, count in self._rows(sql, *shown, *values, most)}

    def steps(self, run: int) -> list[StepRecord]:
        return [StepRecord._make(row) for row in self._rows(f"SELECT {', '.join(STEP)} FROM steps WHERE run = ?", run)]  # noqa: S608 - as above

    def events(self, run: int, *, after: int = 0, limit: int | None = None) -> "Iterator[EventRecord]":
        sql = f"{SELECT_EVENT} WHERE events.run = ? AND events.seq > ? ORDER BY events.seq LIMIT ?"
        return map(_event, self._rows(sql, run, after, _limit(limit)))

    def events_after(
        self, event: int, *, workflow: str | None = None, project: str | None = None, limit: int = 1000
    ) -> list[EventRecord]:
        where, values = _where([("events.id > ?", event), ("workflow = ?", workflow), ("project = ?", project)])
        sql = f"{SELECT_EVENT} WHERE {where} ORDER BY events.id LIMIT ?"
        return list(map(_event, self._rows(sql, *values, limit)))

    def artifacts(self, run: int) -> list[ArtifactRecord]:
        sql = f"SELECT {', '.join(ARTIFACT)} FROM artifacts WHERE run = ? ORDER BY seq"  # noqa: S608 - as above
        found = [ArtifactRecord._make(row) for row in self._rows(sql, run)]
        return [artifact._replace(subflow=bool(artifact.subflow)) for artifact in found]

    # --- writing

    def add_run(self, run: RunRecord) -> int:
        """Store a new run, and return the number that becomes its `id`."""
        return self._insert("INSERT INTO runs", RUN[1:], run[1:])

    def update_run(self, run: RunRecord) -> None:
        """Store a new version of a run that is already stored."""
        changes = ", ".join(f"{name} = ?" for name in CHANGES)
        self._execute(f"UPDATE runs SET {changes} WHERE id = ?", *(getattr(run, name) for name in CHANGES), run.id)  # noqa: S608 - as above

    def add_event(self, run: int, event: NewEvent) -> int:
        """Store an event, and return its id, which no event of this store ever had."""
        return self._insert("INSERT INTO events", ("run", *EVENT), (run, *event))

    def put_step(self, run: int, step: StepRecord) -> None:
        """Store a step; it replaces a stored one with the same step and unit."""
        self._insert("INSERT OR REPLACE INTO steps", ("run", *STEP), (run, *step))

    def put_artifact(self, run: int, artifact: ArtifactRecord) -> int:
        """Store an artifact, which replaces one with the same path. Return how many artifacts the run has now."""
        self._insert("INSERT OR REPLACE INTO artifacts", ("run", *ARTIFACT), (run, *artifact))
        return int(self._execute("SELECT count(*) FROM artifacts WHERE run = ?", run).fetchone()[0])

    def delete(self, runs: list[int]) -> None:
        """Delete runs by their numbers, with their steps, events and artifacts."""
        for run in runs:
            self._execute("DELETE FROM runs WHERE id = ?", run)

    # --- SQL

    def _insert(self, into: str, names: tuple[str, ...], values: tuple[object, ...]) -> int:
        marks = ", ".join("?" * len(names))
        return self._execute(f"{into} ({', '.join(names)}) VALUES ({marks})", *values).lastrowid or 0

    def _execute(self, sql: str, *values: object) -> Cursor:
        with translate_errors(self._path):
            return self._sql.execute(sql, values)

    def _rows(self, sql: str, *values: object) -> "Iterator[tuple[object, ...]]":
        """Run a query and yield its rows one by one, so that a long result takes little memory."""
        with translate_errors(self._path):
            yield from self._sql.execute(sql, values)


def _of_filters(filters: RunFilter) -> "list[tuple[str, object]]":
    """Return the conditions of filters, without that for the status."""
    return [
        ("project = ?", filters.project),
        ("workflow = ?", filters.workflow),
        ("feature = ?", filters.feature),
        ("session = ?", filters.session),
        ("last_ms >= ?", filters.since_ms),
        ("last_ms < ?", filters.until_ms),
    ]


def _of_status(status: str, now_ms: int) -> "list[tuple[str, object]]":
    """Return the conditions for the runs that `shown_status` gives this status."""
    from rcs_hooks.workflow.silence import GOES_QUIET, INACTIVE, INACTIVE_AFTER_MS, STALLED, STALLED_AFTER_MS

    quiet, stalled = now_ms - INACTIVE_AFTER_MS, now_ms - STALLED_AFTER_MS
    if status == INACTIVE:
        return [(f"status IN {GOES_QUIET!r} AND last_ms <= ?", quiet)]
    if status == STALLED:
        return [("status = ?", RUNNING), ("last_ms > ?", quiet), ("last_ms <= ?", stalled)]
    lately = ("last_ms > ?", stalled if status == RUNNING else quiet)
    return [("status = ?", status), *([lately] if status in GOES_QUIET else [])]


def _event(row: "tuple[object, ...]") -> EventRecord:
    event = EventRecord._make(row)
    return event._replace(automatic=bool(event.automatic))


def _where(conditions: "list[tuple[str, object]]") -> "tuple[str, list[object]]":
    """Join the conditions whose value is not None by AND, and return the text and the values."""
    known = [(condition, value) for condition, value in conditions if value is not None]
    return " AND ".join(condition for condition, _ in known) or "1", [value for _, value in known]


def _limit(limit: int | None) -> int:
    return -1 if limit is None else limit


# --- opening


def open_readonly(path: str) -> SqliteStore | None:
    """Open a file to read from; None if there is none. Raises StoreError."""
    with translate_errors(path):
        if not os.path.exists(path):
            return None
        try:
            return _open(path, is_readonly=True)
        except OperationalError as error:
            if not sqlite_errors.is_closed_to_writing(error) or os.path.exists(f"{path}-wal"):
                raise
            return _open(path, is_readonly=True, is_still=True)


def open_readwrite(path: str) -> SqliteStore:
    """Open a file to write into; a file that is missing is created, readable by its owner alone. Raises StoreError."""
    with translate_errors(path):
        if not os.path.exists(path):
            os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
            os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))
        return _open(path)


def _open(path: str, *, is_readonly: bool = False, is_still: bool = False) -> SqliteStore:
    """Connect to a file, and bring its schema up to date.

    `is_still` opens a file in a folder where even a reader cannot create files; writes of others are then not seen.
    """
    if not os.path.isfile(path):
        raise StoreError(sqlite_errors.no_file(path))
    file = _file_of(path)
    name = _address(path) if is_still else path
    connection = connect(name, timeout=sqlite_schema.BUSY_SECONDS, isolation_level=None, uri=is_still)
    try:
        connection.execute("PRAGMA foreign_keys = ON")
        sqlite_schema.bring_up(path, connection)
        if is_readonly:
            connection.execute("PRAGMA query_only = ON")
    except BaseException:  # nobody else would close the connection; the error is raised again
        connection.close()
        raise
    return SqliteStore(path, connection, file)


def _file_of(path: str) -> tuple[int, int] | None:
    """Return what identifies the file at a path now, to notice when another takes its place; None if there is none."""
    try:
        status = os.stat(path)
    except (FileNotFoundError, NotADirectoryError):
        return None
    return status.st_dev, status.st_ino


def _address(path: str) -> str:
    from urllib.parse import quote  # heavy, and seldom needed

    return f"file:{quote(os.fsencode(os.path.abspath(path)))}?immutable=1"
