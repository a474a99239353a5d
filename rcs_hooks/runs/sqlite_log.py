"""Reads the events of an SQLite database in the order in which they were stored, with their runs, and writes nothing.

Rules of this file:
- The file is opened for reading alone.
- The events of one reading, their runs, steps and artifacts are of one moment.
"""

import os
import sqlite3
from functools import partial

from rcs_hooks.errors import StoreError
from rcs_hooks.runs import sqlite_errors
from rcs_hooks.runs.log_records import LoggedArtifact, LoggedRun, LoggedRunEvent, LoggedStep, LogPart
from rcs_hooks.runs.records import FAILED, WAITING
from rcs_hooks.runs.request import ARTIFACT
from rcs_hooks.runs.sqlite_errors import translate_errors
from rcs_hooks.runs.sqlite_schema import APPLICATION, BUSY_SECONDS, VERSION

WINDOW = 20_000
"""So many events of all projects are looked at in one query, so that no reading takes long."""
ROW_BYTES = 200
AS_TEXT = partial(str, encoding="utf-8", errors="replace")
"""Reads a text that is no UTF-8 as far as it is one: it must not keep the others from being read."""


COLUMNS = {
    "runs": ("id, run_id, workflow, feature, file, status, current, events, artifacts, started_at, last_at, last_ms,"
             " last_event, ended, session, client, open_steps"),
    "events": "events.id, run, seq, at, type, step, unit, events.status, data, automatic",
    "steps": "run, step, unit, agent, parent, status, entered, last, visits, started_at, ended_at, open_ms, spent_ms",
    "artifacts": "run, path, type, feature, step, subflow, at, seq",
}  # fmt: skip
REASON = "SELECT data FROM events WHERE run = ? AND seq > ? AND status = ? ORDER BY seq DESC LIMIT 1"
LATEST = 40


class SqliteLog:
    """One open database of runs, to read from."""

    def __init__(self, path: str) -> None:
        """Open a file. Raises StoreError; FileNotFoundError if there is none."""
        self.path = path
        self._file = _file_of(path)
        if self._file is None:
            raise FileNotFoundError(path)
        from urllib.parse import quote

        with translate_errors(path):
            address = f"file:{quote(os.fsencode(os.path.abspath(path)))}?mode=ro"
            self._sql = sqlite3.connect(address, timeout=BUSY_SECONDS, isolation_level=None, uri=True)
            self._sql.text_factory = AS_TEXT
            try:
                self._check()
            except BaseException:  # nobody else would close the connection; the error is raised again
                self._sql.close()
                raise

    def _check(self) -> None:
        self._sql.execute("PRAGMA query_only = ON")
        (application,) = self._sql.execute("PRAGMA application_id").fetchone()
        (version,) = self._sql.execute("PRAGMA user_version").fetchone()
        if application != APPLICATION:
            raise StoreError(sqlite_errors.another(self.path))
        if version > VERSION:
            raise StoreError(sqlite_errors.newer(self.path, version, VERSION))

    def close(self) -> None:
        self._sql.close()

    def change_token(self) -> int:
        """Return a number that changes whenever somebody has written."""
        with translate_errors(self.path):
            return int(self._sql.execute("PRAGMA data_version").fetchone()[0])

    def is_replaced(self) -> bool:
        """Tell whether the path no longer leads to the open file."""
        return _file_of(self.path) != self._file

    @property
    def keys(self) -> tuple[str, ...]:
        """Return what identifies the database: its random id, then its device and inode."""
        device, inode = self._file or (0, 0)
        with translate_errors(self.path):
            (source,) = self._sql.execute("SELECT id FROM source").fetchone()
        return (str(source), f"file:{device}:{inode}")

    def end(self) -> int:
        """Return the number of the newest event that the database ever had."""
        with translate_errors(self.path):
            found = self._sql.execute("SELECT seq FROM sqlite_sequence WHERE name = 'events'").fetchone()
        return int(found[0]) if found else 0

    def at(self, position: int) -> str | None:
        """Return the moment of an event; None if there is no such event."""
        with translate_errors(self.path):
            found = self._sql.execute("SELECT at FROM events WHERE id = ?", (position,)).fetchone()
        return str(found[0]) if found else None

    def unread(self, project: str, after: int, most: int) -> tuple[int, str | None]:
        """Return how many events of a project have a number above `after`, at most `most`, and when the first was."""
        query = (
            "SELECT count(*), min(at) FROM (SELECT events.at FROM events CROSS JOIN runs ON runs.id = events.run"
            " WHERE events.id > ? AND project = ? ORDER BY events.id LIMIT ?)"
        )
        with translate_errors(self.path):
            count, first = self._sql.execute(query, (after, project, most)).fetchone()
        return int(count), first

    def part(self, project: str, after: int, most: int, most_bytes: int) -> LogPart:
        """Return the next events of a project whose number is above `after`, at most `most`, and of bounded size.

        A part without events has an `upto` that lies above `after` as long as there is more to look at.
        """
        with translate_errors(self.path):
            self._sql.execute("BEGIN")
            try:
                upto, events = self._events(project, after, most, most_bytes)
                if not events:
                    return LogPart(upto)
                runs = self._runs(events)
                return LogPart(upto, tuple(events), runs, self._steps(events), self._artifacts(events))
            finally:
                self._sql.execute("ROLLBACK")

    def _events(self, project: str, after: int, most: int, most_bytes: int) -> tuple[int, list[LoggedRunEvent]]:
        query = (
            f"SELECT {COLUMNS['events']} FROM events CROSS JOIN runs ON runs.id = events.run"  # noqa: S608 - names of this file
            " WHERE events.id > ? AND events.id <= ? AND project = ? ORDER BY events.id LIMIT ?"
        )
        last = self.end()
        upto = min(after + WINDOW, last)
        found: list[LoggedRunEvent] = []
        size = 0
        for row in self._sql.execute(query, (after, upto, project, most)):
            found.append(LoggedRunEvent._make(row))
            size += ROW_BYTES + len(row[8])
            if size >= most_bytes:
                return found[-1].position, found
        return (found[-1].position if len(found) == most else max(after, upto)), found

    def _runs(self, events: list[LoggedRunEvent]) -> tuple[LoggedRun, ...]:
        query = f"SELECT {COLUMNS['runs']} FROM runs WHERE id = ?"  # noqa: S608 - as above
        found = []
        for number in dict.fromkeys(event.run for event in events):
            row = self._sql.execute(query, (number,)).fetchone()
            run = LoggedRun._make((*row, None))
            if run.status in (WAITING, FAILED):
                said = self._sql.execute(REASON, (number, run.events - LATEST, run.status)).fetchone()
                run = run._replace(reason=said[0] if said else None)
            found.append(run)
        return tuple(found)

    def _steps(self, events: list[LoggedRunEvent]) -> tuple[LoggedStep, ...]:
        query = f"SELECT {COLUMNS['steps']} FROM steps WHERE run = ? AND step = ? AND unit = ?"  # noqa: S608 - as above
        keys = dict.fromkeys((event.run, event.step, event.unit or "") for event in events if event.step is not None)
        rows = (self._sql.execute(query, key).fetchone() for key in keys)
        return tuple(LoggedStep._make(row) for row in rows if row)

    def _artifacts(self, events: list[LoggedRunEvent]) -> tuple[LoggedArtifact, ...]:
        query = f"SELECT {COLUMNS['artifacts']} FROM artifacts WHERE run = ? AND seq BETWEEN ? AND ?"  # noqa: S608 - as above
        seqs: dict[int, list[int]] = {}
        for event in events:
            if event.type == ARTIFACT:
                seqs.setdefault(event.run, []).append(event.seq)
        rows = (row for run, found in seqs.items() for row in self._sql.execute(query, (run, min(found), max(found))))
        return tuple(map(LoggedArtifact._make, rows))


def _file_of(path: str) -> tuple[int, int] | None:
    try:
        status = os.stat(path)
    except (FileNotFoundError, NotADirectoryError):
        return None
    return status.st_dev, status.st_ino
