"""The schema of the database, and how one that is new or older gets it.

Rules of this file:
- One that is not ours, or newer than this package, is refused and not touched.
- All migrations that are due are one transaction; two that bring up the same database wait for each other.
"""

import time

try:
    # The package sqlite3 is this and adapters for dates that nobody here stores: 1.2 ms of an emit of 25.
    from _sqlite3 import OperationalError
except ImportError:  # pragma: no cover - an interpreter other than CPython
    from sqlite3 import OperationalError

from rcs_hooks.errors import StoreError
from rcs_hooks.runs import faults

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sqlite3 import Connection

BUSY_SECONDS = 5.0
PAUSE = 0.005
APPLICATION = 0x72637372  # "rcsr"
MIGRATIONS = (
    """
    CREATE TABLE runs (
        id INTEGER PRIMARY KEY, run_id TEXT NOT NULL UNIQUE, workflow TEXT NOT NULL, project TEXT NOT NULL,
        feature TEXT, file TEXT, status TEXT NOT NULL, current TEXT, events INTEGER NOT NULL,
        artifacts INTEGER NOT NULL, started_at TEXT NOT NULL, last_at TEXT NOT NULL, last_ms INTEGER NOT NULL,
        last_event INTEGER NOT NULL
    );
    CREATE INDEX runs_by_last_event ON runs (last_event);
    CREATE TABLE events (
        id INTEGER PRIMARY KEY AUTOINCREMENT, run INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
        seq INTEGER NOT NULL, at TEXT NOT NULL, type TEXT NOT NULL, step TEXT, unit TEXT, status TEXT,
        data TEXT NOT NULL, automatic INTEGER NOT NULL, UNIQUE (run, seq)
    );
    CREATE TABLE steps (
        run INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE, step TEXT NOT NULL, unit TEXT NOT NULL,
        agent TEXT NOT NULL, parent TEXT NOT NULL, status TEXT NOT NULL, entered INTEGER NOT NULL,
        last INTEGER NOT NULL, visits INTEGER NOT NULL, started_at TEXT, ended_at TEXT,
        open_ms INTEGER, spent_ms INTEGER NOT NULL, PRIMARY KEY (run, step, unit)
    ) WITHOUT ROWID;
    CREATE TABLE artifacts (
        id INTEGER PRIMARY KEY, run INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE, seq INTEGER NOT NULL,
        path TEXT NOT NULL, type TEXT, feature TEXT, step TEXT, subflow INTEGER NOT NULL, at TEXT NOT NULL,
        UNIQUE (run, path)
    );
    """,
)
"""From nothing to version 1, from 1 to 2, and so on; one that was released is never changed."""
VERSION = len(MIGRATIONS)
ADDITION = (
    "ALTER TABLE runs ADD COLUMN ended TEXT",
    """UPDATE runs SET ended = CASE
           WHEN (SELECT type FROM events WHERE events.id = runs.last_event) = 'run_ended' THEN 'person'
           WHEN status = 'completed' THEN 'machine'
       END""",
)
"""A column that an older program passes over. It raises no version: a server of that program may still run."""


def bring_up(path: str, sql: "Connection") -> None:
    """Raises StoreError."""
    if _version_at_one_moment(path, sql) == VERSION and _has_addition(sql):
        return
    patiently(sql, "PRAGMA journal_mode = WAL")
    patiently(sql, "BEGIN IMMEDIATE")
    try:
        for number in range(_version(path, sql), VERSION):
            for statement in MIGRATIONS[number].split(";"):
                sql.execute(statement)
            sql.execute(f"PRAGMA user_version = {number + 1}")
        for statement in () if _has_addition(sql) else ADDITION:
            sql.execute(statement)
        sql.execute(f"PRAGMA application_id = {APPLICATION}")
        sql.execute("COMMIT")
    except BaseException:  # half a migration is none; it is raised again
        if sql.in_transaction:
            sql.execute("ROLLBACK")
        raise


def _has_addition(sql: "Connection") -> bool:
    return bool(sql.execute("SELECT 1 FROM pragma_table_info('runs') WHERE name = 'ended'").fetchall())


def _version_at_one_moment(path: str, sql: "Connection") -> int:
    """While somebody else makes the database, its parts would not fit together."""
    sql.execute("BEGIN")
    try:
        return _version(path, sql)
    finally:
        if sql.in_transaction:
            sql.execute("ROLLBACK")


def _version(path: str, sql: "Connection") -> int:
    (version,) = sql.execute("PRAGMA user_version").fetchone()
    (application,) = sql.execute("PRAGMA application_id").fetchone()
    (pages,) = sql.execute("PRAGMA page_count").fetchone() if application != APPLICATION else (0,)
    if application != APPLICATION and (application or version or pages > 1):
        raise StoreError(faults.another(path))
    if version > VERSION:
        raise StoreError(faults.newer(path, version, VERSION))
    return int(version)


def patiently(sql: "Connection", statement: str) -> None:
    """What waits for other processes, looking again at even intervals.

    SQLite by itself looks ever less often, so that where many write, those who came later go first, for longer than
    anybody waits. And for `PRAGMA journal_mode` it does not wait at all.
    """
    deadline = time.monotonic() + BUSY_SECONDS
    sql.execute("PRAGMA busy_timeout = 0")
    try:
        while not _is_done(sql, statement, deadline):
            time.sleep(PAUSE)
    finally:
        sql.execute(f"PRAGMA busy_timeout = {BUSY_SECONDS * 1000:.0f}")


def _is_done(sql: "Connection", statement: str, deadline: float) -> bool:
    try:
        sql.execute(statement)
    except OperationalError as error:
        if faults.is_busy(error) and time.monotonic() < deadline:
            return False
        raise
    return True
