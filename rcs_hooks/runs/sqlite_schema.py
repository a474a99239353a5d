"""The schema of the SQLite database, and how a new file gets it.

Rules of this file:
- A database of another program, or of a newer version of this package, is refused and not changed.
- The schema is made in one transaction; of two processes that begin the same file the second one waits.
"""

import time

from rcs_hooks.errors import StoreError
from rcs_hooks.runs import sqlite_errors

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sqlite3 import Connection

BUSY_SECONDS = 5.0
PAUSE = 0.005
APPLICATION = 0x72637372  # "rcsr"
VERSION = 1
SCHEMA = (
    """CREATE TABLE runs (
        id INTEGER PRIMARY KEY, run_id TEXT NOT NULL UNIQUE, workflow TEXT NOT NULL, project TEXT NOT NULL,
        feature TEXT, file TEXT, status TEXT NOT NULL, current TEXT, events INTEGER NOT NULL,
        artifacts INTEGER NOT NULL, started_at TEXT NOT NULL, last_at TEXT NOT NULL, last_ms INTEGER NOT NULL,
        last_event INTEGER NOT NULL, ended TEXT, session TEXT, client TEXT, workspace TEXT, open_steps TEXT
    )""",
    "CREATE INDEX runs_by_last_event ON runs (last_event)",
    """CREATE TABLE events (
        id INTEGER PRIMARY KEY AUTOINCREMENT, run INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
        seq INTEGER NOT NULL, at TEXT NOT NULL, type TEXT NOT NULL, step TEXT, unit TEXT, status TEXT,
        data TEXT NOT NULL, automatic INTEGER NOT NULL, UNIQUE (run, seq)
    )""",
    """CREATE TABLE steps (
        run INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE, step TEXT NOT NULL, unit TEXT NOT NULL,
        agent TEXT NOT NULL, parent TEXT NOT NULL, status TEXT NOT NULL, entered INTEGER NOT NULL,
        last INTEGER NOT NULL, visits INTEGER NOT NULL, started_at TEXT, ended_at TEXT,
        open_ms INTEGER, spent_ms INTEGER NOT NULL, PRIMARY KEY (run, step, unit)
    ) WITHOUT ROWID""",
    """CREATE TABLE artifacts (
        id INTEGER PRIMARY KEY, run INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE, seq INTEGER NOT NULL,
        path TEXT NOT NULL, type TEXT, feature TEXT, step TEXT, subflow INTEGER NOT NULL, at TEXT NOT NULL,
        UNIQUE (run, path)
    )""",
    # A random id, by which the database is known wherever its file lies.
    "CREATE TABLE source (id TEXT NOT NULL)",
    "INSERT INTO source SELECT lower(hex(randomblob(16)))",
    f"PRAGMA user_version = {VERSION}",
    f"PRAGMA application_id = {APPLICATION}",
)


def bring_up(path: str, sql: "Connection") -> None:
    """Make the tables of a new database.

    Raises StoreError for a database of another program or of a newer version.
    """
    if _version_in_one_transaction(path, sql) == VERSION:
        return
    execute_when_free(sql, "PRAGMA journal_mode = WAL")
    execute_when_free(sql, "BEGIN IMMEDIATE")
    try:
        if _version(path, sql) != VERSION:
            for statement in SCHEMA:
                sql.execute(statement)
        sql.execute("COMMIT")
    except BaseException:  # no half of the schema may stay; the error is raised again
        if sql.in_transaction:
            sql.execute("ROLLBACK")
        raise


def _version_in_one_transaction(path: str, sql: "Connection") -> int:
    """Return the version of the schema, read in one transaction so that nobody can change a part of it meanwhile."""
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
        raise StoreError(sqlite_errors.another(path))
    if version > VERSION:
        raise StoreError(sqlite_errors.newer(path, version, VERSION))
    return int(version)


def execute_when_free(sql: "Connection", statement: str) -> None:
    """Execute a statement, and try again at even intervals for BUSY_SECONDS while other processes hold the lock.

    SQLite's own busy handler tries less and less often: with many writers a latecomer goes first, and another one waits
    longer than its timeout. For `PRAGMA journal_mode` SQLite does not wait at all.
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
    except sql.OperationalError as error:
        if sqlite_errors.is_busy(error) and time.monotonic() < deadline:
            return False
        raise
    return True
