"""The database of runs: all that is asked of it and written into it, behind a few calls.

Rules of this file:
- A write is one `BEGIN IMMEDIATE`: a deferred one fails where many write at once. So events get their ids, over all
  runs, in the order in which they appear, and who asks for all after N misses none.
- What a list of runs shows stands in the run's own row, and what a judge asks in the rows of its steps: neither
  reads events, however many there are.
- A reader never makes a file.
"""

import os

try:
    # The package sqlite3 is this and adapters for dates that nobody here stores: 1.2 ms of an emit of 25.
    from _sqlite3 import Connection, OperationalError, connect
except ImportError:  # pragma: no cover - an interpreter other than CPython
    from sqlite3 import Connection, OperationalError, connect

from rcs_hooks.errors import StoreError
from rcs_hooks.runs import faults, schema
from rcs_hooks.runs.progress import GOES_QUIET, INACTIVE, INACTIVE_AFTER_MS, Row

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from types import TracebackType
    from typing import Any, Self

RUN = (
    "id", "run_id", "workflow", "project", "feature", "file", "status", "current", "events", "artifacts", "started_at",
    "last_at", "last_ms", "last_event", "ended",
)  # fmt: skip
STEP = (
    "step", "unit", "agent", "parent", "status", "entered", "last", "visits", "started_at", "ended_at", "open_ms",
    "spent_ms",
)  # fmt: skip
EVENT = ("id", "seq", "at", "type", "step", "unit", "status", "data", "automatic")
ARTIFACTS = ("path", "type", "feature", "step", "subflow", "at", "seq")
SELECT_RUN = f"SELECT {', '.join(RUN)} FROM runs"  # noqa: S608 - names of this file
SELECT_EVENT = (
    f"SELECT {', '.join(f'events.{name}' for name in EVENT)}, run_id, workflow, project"  # noqa: S608
    " FROM events JOIN runs ON runs.id = events.run"
)


class Moment:
    """What is read in this context belongs together, whoever writes meanwhile."""

    def __init__(self, path: str, connection: "Connection") -> None:
        self.path = path
        self._sql = connection

    def __enter__(self) -> None:
        with faults.told(self.path):
            self._sql.execute("BEGIN")

    def __exit__(self, *_: object) -> None:
        if self._sql.in_transaction:
            self._sql.execute("ROLLBACK")


class Store:
    """One connection. As a context it is one write: all of it, or nothing."""

    def __init__(self, path: str, connection: "Connection") -> None:
        self.path = path
        self._sql = connection

    # --- writing

    def __enter__(self) -> "Self":
        with faults.told(self.path):
            schema.patiently(self._sql, "BEGIN IMMEDIATE")
        return self

    def __exit__(
        self, kind: "type[BaseException] | None", error: "BaseException | None", trace: "TracebackType | None"
    ) -> None:
        with faults.told(self.path):
            if kind is None:
                self._sql.execute("COMMIT")
            elif self._sql.in_transaction:  # a full disk has ended it by itself
                self._sql.execute("ROLLBACK")

    def add_run(self, values: "Mapping[str, Any]") -> int:
        names = RUN[1:]
        marks = ", ".join("?" * len(names))
        with faults.told(self.path):
            added = self._sql.execute(
                f"INSERT INTO runs ({', '.join(names)}) VALUES ({marks})",  # noqa: S608
                tuple(values[name] for name in names),
            )
        return added.lastrowid or 0

    def update_run(self, run: "Mapping[str, Any]") -> None:
        names = (
            "feature",
            "file",
            "status",
            "current",
            "events",
            "artifacts",
            "last_at",
            "last_ms",
            "last_event",
            "ended",
        )
        with faults.told(self.path):
            self._sql.execute(
                f"UPDATE runs SET {', '.join(f'{name} = ?' for name in names)} WHERE id = ?",  # noqa: S608
                (*(run[name] for name in names), run["id"]),
            )

    def add_event(self, run: int, event: "Mapping[str, Any]") -> int:
        names = EVENT[1:]
        with faults.told(self.path):
            added = self._sql.execute(
                f"INSERT INTO events (run, {', '.join(names)}) VALUES (?, {', '.join('?' * len(names))})",  # noqa: S608
                (run, *(event[name] for name in names)),
            )
        return added.lastrowid or 0

    def put_step(self, run: int, row: Row) -> None:
        with faults.told(self.path):
            self._sql.execute(
                f"INSERT OR REPLACE INTO steps (run, {', '.join(STEP)}) VALUES ({', '.join('?' * (len(STEP) + 1))})",  # noqa: S608
                (run, *row.values()),
            )

    def put_artifact(self, run: int, artifact: "Mapping[str, Any]") -> int:
        """A path that is registered again is the same artifact. How many the run has now."""
        marks = ", ".join("?" * (len(ARTIFACTS) + 1))
        with faults.told(self.path):
            self._sql.execute(
                f"INSERT OR REPLACE INTO artifacts (run, {', '.join(ARTIFACTS)}) VALUES ({marks})",  # noqa: S608
                (run, *(artifact[name] for name in ARTIFACTS)),
            )
        (count,) = self._row("SELECT count(*) FROM artifacts WHERE run = ?", run)
        return int(count)

    def delete(self, runs: "list[int]") -> None:
        with faults.told(self.path):
            self._sql.executemany("DELETE FROM runs WHERE id = ?", [(run,) for run in runs])

    # --- reading

    def at_one_moment(self) -> Moment:
        return Moment(self.path, self._sql)

    def run(self, run_id: str) -> "dict[str, Any] | None":
        found = self._row(f"{SELECT_RUN} WHERE run_id = ?", run_id)
        return dict(zip(RUN, found, strict=True)) if found else None

    def runs(
        self,
        now_ms: int,
        *,
        project: str | None = None,
        workflow: str | None = None,
        status: str | None = None,
        feature: str | None = None,
        since_ms: int | None = None,
        until_ms: int | None = None,
        before: int | None = None,
        limit: int = 50,
    ) -> "list[dict[str, Any]]":
        """Those last heard of first. `before`: the `last_event` of the last one of the page before."""
        asked: list[tuple[str, Any]] = [
            ("project = ?", project),
            ("workflow = ?", workflow),
            ("feature = ?", feature),
            ("last_ms >= ?", since_ms),
            ("last_ms < ?", until_ms),
            ("last_event < ?", before),
        ]
        quiet = now_ms - INACTIVE_AFTER_MS
        if status == INACTIVE:
            asked += [(f"status IN {GOES_QUIET!r}", ()), ("last_ms <= ?", quiet)]
        elif status is not None:
            asked += [("status = ?", status)]
            asked += [("last_ms > ?", quiet)] if status in GOES_QUIET else []
        given = [(condition, value) for condition, value in asked if value is not None]
        where = " AND ".join(condition for condition, _ in given) or "1"
        values = [value for _, value in given if value != ()]
        sql = f"{SELECT_RUN} WHERE {where} ORDER BY last_event DESC LIMIT ?"
        return [dict(zip(RUN, found, strict=True)) for found in self._rows(sql, *values, limit)]

    def steps(self, run: int) -> list[Row]:
        return [Row(*found) for found in self._rows(f"SELECT {', '.join(STEP)} FROM steps WHERE run = ?", run)]  # noqa: S608

    def events(self, run: int, *, after: int = 0, limit: int = -1) -> "Iterator[dict[str, Any]]":
        """Those of one run behind a sequence."""
        sql = f"{SELECT_EVENT} WHERE events.run = ? AND events.seq > ? ORDER BY events.seq LIMIT ?"
        return map(_event, self._rows(sql, run, after, limit))

    def events_after(
        self, event: int, *, workflow: str | None = None, project: str | None = None, limit: int = 1000
    ) -> "list[dict[str, Any]]":
        """Those of all runs behind an id."""
        asked = [("workflow = ?", workflow), ("project = ?", project)]
        given = [(condition, value) for condition, value in asked if value is not None]
        where = "".join(f" AND {condition}" for condition, _ in given)
        sql = f"{SELECT_EVENT} WHERE events.id > ?{where} ORDER BY events.id LIMIT ?"
        return [_event(found) for found in self._rows(sql, event, *(value for _, value in given), limit)]

    def artifacts(self, run: int) -> "list[dict[str, Any]]":
        sql = f"SELECT {', '.join(ARTIFACTS)} FROM artifacts WHERE run = ? ORDER BY seq"  # noqa: S608
        found = [dict(zip(ARTIFACTS, each, strict=True)) for each in self._rows(sql, run)]
        return [each | {"subflow": bool(each["subflow"])} for each in found]

    def data_version(self) -> int:
        """Another number whenever somebody else has written; it costs microseconds."""
        return int(self._row("PRAGMA data_version")[0])

    def _row(self, sql: str, *values: object) -> "tuple[Any, ...]":
        with faults.told(self.path):
            found = self._sql.execute(sql, values).fetchone()
        return tuple(found) if found else ()

    def _rows(self, sql: str, *values: object) -> "Iterator[tuple[Any, ...]]":
        """One by one, so that a long answer takes no room."""
        with faults.told(self.path):
            yield from self._sql.execute(sql, values)

    def close(self) -> None:
        self._sql.close()


def _event(found: "tuple[Any, ...]") -> "dict[str, Any]":
    event = dict(zip((*EVENT, "run_id", "workflow", "project"), found, strict=True))
    return event | {"automatic": bool(event["automatic"])}


# --- opening


def opened(path: str) -> Store | None:
    """For reading; None where nothing was ever stored. Raises StoreError."""
    with faults.told(path):
        if not os.path.exists(path):
            return None
        try:
            return _connected(path)
        except OperationalError as error:
            if not faults.is_closed_to_writing(error) or os.path.exists(f"{path}-wal"):
                raise
            return _connected(path, is_still=True)


def made(path: str) -> Store:
    """For writing; makes what is not there, for nobody but its owner. Raises StoreError."""
    with faults.told(path):
        if not os.path.exists(path):
            os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
            os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))
        return _connected(path)


def _connected(path: str, *, is_still: bool = False) -> Store:
    """`is_still`: as it lies there, in a folder where a reader can make no file either; later writes are not seen."""
    if not os.path.isfile(path):
        raise StoreError(faults.no_file(path))
    name = _address(path) if is_still else path
    connection = connect(name, timeout=schema.BUSY_SECONDS, isolation_level=None, uri=is_still)
    try:
        connection.execute("PRAGMA foreign_keys = ON")
        schema.bring_up(path, connection)
    except BaseException:  # nobody else would close it; it is raised again
        connection.close()
        raise
    return Store(path, connection)


def _address(path: str) -> str:
    from urllib.parse import quote  # heavy, and seldom needed

    return f"file:{quote(os.fsencode(os.path.abspath(path)))}?immutable=1"
