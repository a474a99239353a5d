"""The store of runs: what every store can do, and the functions that open the one that is configured.

Rules of this file:
- Outside this room nobody names a database: the rest of the package knows `RunStore`, opened here.
- `RCS_DB` is the path of an SQLite file. A value `NAME://...` is opened by the module `NAME_store` of this room, which
  has the functions of `Backend`; so a new kind of store is one new module.
- A write is one transaction: all of it is stored, or nothing. Writers take turns.
"""

import os

from rcs_hooks.errors import StoreError
from rcs_hooks.runs.records import ALL_RUNS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from contextlib import AbstractContextManager
    from typing import Protocol

    from rcs_hooks.environment import Environment
    from rcs_hooks.runs.log_records import RunLog
    from rcs_hooks.runs.records import ArtifactRecord, EventRecord, NewEvent, RunFilter, RunRecord, StepRecord
else:
    Protocol = object


class RunStore(Protocol):
    """One open connection to a store of runs. Each method raises StoreError if the store cannot be used.

    An argument `run` that is a number is the `id` of a RunRecord.
    """

    def close(self) -> None:
        """Release the connection."""

    def read_transaction(self) -> "AbstractContextManager[object]":
        """Return a context in which all reads show the same moment, even if others write meanwhile."""

    def write_transaction(self) -> "AbstractContextManager[object]":
        """Return a context whose writes are stored together at its end, or not at all if the block raises."""

    def change_token(self) -> int:
        """Return a number that changes whenever another connection has written.

        This takes microseconds, so that a program can ask several times a second.
        """

    def is_replaced(self) -> bool:
        """Tell whether the location no longer holds the open database but another or none: all ids then begin again."""

    # --- reading

    def run(self, run_id: str) -> "RunRecord | None":
        """Return the run with that id; None if there is none."""

    def runs(
        self, now_ms: int, filters: "RunFilter" = ALL_RUNS, *, before: int | None = None, limit: int | None = None
    ) -> "list[RunRecord]":
        """Return the runs that meet the conditions, the one with the newest event first; `limit` None means all.

        `before` is the `last_event` of the last run on the previous page. For `filters.status`, a run that is
        running is stalled after an hour without an event, and one that has not ended is inactive after a day; then it
        has none of its other statuses.
        """

    def counts(self, now_ms: int, filters: "RunFilter" = ALL_RUNS, *, most: int) -> "dict[str, int]":
        """Return how many runs with a state machine there are of each status that people see.

        The filters are those of `runs`, without `status`; `most` of the runs are counted, those with the newest events.
        """

    def steps(self, run: int) -> "list[StepRecord]":
        """Return all steps, units and agents of a run, in any order."""

    def events(self, run: int, *, after: int = 0, limit: int | None = None) -> "Iterator[EventRecord]":
        """Yield the events of a run whose sequence is above `after`, in order, at most `limit` of them."""

    def events_after(
        self, event: int, *, workflow: str | None = None, project: str | None = None, limit: int = 1000
    ) -> "list[EventRecord]":
        """Return the events of all runs whose id is above `event`, in order, at most `limit` of them."""

    def artifacts(self, run: int) -> "list[ArtifactRecord]":
        """Return the artifacts of a run, the one registered last at the end."""

    # --- writing, in a write transaction

    def add_run(self, run: "RunRecord") -> int:
        """Store a new run, and return the number that becomes its `id`."""

    def update_run(self, run: "RunRecord") -> None:
        """Store a new version of a run that is already stored."""

    def add_event(self, run: int, event: "NewEvent") -> int:
        """Store an event, and return its id, which no event of this store ever had."""

    def put_step(self, run: int, step: "StepRecord") -> None:
        """Store a step; it replaces a stored one with the same step and unit."""

    def put_artifact(self, run: int, artifact: "ArtifactRecord") -> int:
        """Store an artifact, which replaces one with the same path. Return how many artifacts the run has now."""

    def delete(self, runs: "list[int]") -> None:
        """Delete runs by their numbers, with their steps, events and artifacts."""


class Backend(Protocol):
    """The functions of a module that provides a kind of store."""

    def exists(self, location: str) -> bool:
        """Tell whether anything was ever stored at a location."""

    def open_readonly(self, location: str) -> "RunStore | None":
        """Open a store to read from; None if nothing was ever stored there."""

    def open_readwrite(self, location: str) -> "RunStore":
        """Open a store to write into; create what is missing."""


def location_of(environment: "Environment") -> str:
    """Return where the runs are stored: `RCS_DB`, or a file in the home. Raises StoreError if neither is known."""
    if named := environment.env.get("RCS_DB", "").strip():
        return named if _scheme(named) else os.path.join(environment.cwd, named)
    if not environment.home:
        raise StoreError("HOME is not an absolute path, so there is no place for .rcs/rcs.db; set RCS_DB to a file")
    return os.path.join(environment.home, ".rcs", "rcs.db")


def exists(location: str) -> bool:
    """Tell whether anything was ever stored at a location."""
    return _backend(location).exists(location)


def open_readonly(location: str) -> "RunStore | None":
    """Open a store to read from; None if nothing was ever stored at the location. Raises StoreError."""
    return _backend(location).open_readonly(location)


def open_readwrite(location: str) -> "RunStore":
    """Open a store to write into; it is created if it does not exist. Raises StoreError."""
    return _backend(location).open_readwrite(location)


def open_log(location: str) -> "RunLog | None":
    """Open a store to read its events in order without changing a byte of it; None if nothing was ever stored there.

    Raises StoreError, also for a store that is no SQLite file.
    """
    if _scheme(location):
        raise StoreError(f"RCS_DB: {_scheme(location)}:// is not an SQLite file, and only runs in one are shared")
    from rcs_hooks.runs.sqlite_log import SqliteLog

    try:
        return SqliteLog(location)
    except FileNotFoundError:
        return None


def _backend(location: str) -> "Backend":
    scheme = _scheme(location)
    if not scheme:
        from rcs_hooks.runs import sqlite_store

        return sqlite_store
    import importlib  # not on the path of an emit into a file

    try:
        backend: Backend = importlib.import_module(f"{__package__}.{scheme}_store")
    except ModuleNotFoundError as error:
        raise StoreError(f"RCS_DB: {scheme}:// needs the module {error.name}, which is not installed") from None
    return backend


def _scheme(location: str) -> str:
    """Return the part of a location before `://`; empty for a path."""
    name, separator, _ = location.partition("://")
    return name if separator and name.isidentifier() else ""
