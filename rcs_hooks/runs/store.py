"""What can be read of runs, in the file of this machine as in the shared database, and where the file is."""

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
    from rcs_hooks.runs.records import ArtifactRecord, EventRecord, RunFilter, RunRecord, StepRecord
else:
    Protocol = object


class RunStore(Protocol):
    """One open connection to read runs from. Each method raises StoreError if the store cannot be used.

    An argument `run` that is a number is the `id` of a RunRecord.
    """

    def close(self) -> None:
        """Release the connection."""

    def read_transaction(self) -> "AbstractContextManager[object]":
        """Return a context in which all reads show the same moment, even if others write meanwhile."""

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


def location_of(environment: "Environment") -> str:
    """Return where the runs are stored: `RCS_DB`, or a file in the home. Raises StoreError if there is none."""
    if named := environment.env.get("RCS_DB", "").strip():
        if "://" in named:
            raise StoreError("RCS_DB: it has to be the path of an SQLite file")
        return os.path.join(environment.cwd, named)
    if not environment.home:
        raise StoreError("HOME is not an absolute path, so there is no place for .rcs/rcs.db; set RCS_DB to a file")
    return os.path.join(environment.home, ".rcs", "rcs.db")


def open_log(location: str) -> "RunLog | None":
    """Open a store to read its events in order without changing a byte of it; None if nothing was ever stored there.

    Raises StoreError.
    """
    from rcs_hooks.runs.sqlite_log import SqliteLog

    try:
        return SqliteLog(location)
    except FileNotFoundError:
        return None
