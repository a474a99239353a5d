"""What a local source is: a file or database whose records are read in batches that were not sent yet.

Rules of this file:
- Nothing local is written.
- A source is a file or database whose records have growing positions; what was sent is everything up to a position.
- A position is a number of the record itself (of an event in its database or history, of a line in a transcript), so it
  stays the same when the file is moved.
- A source whose record at the last position is another one than was sent, or that ends before it, was restored from a
  backup.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rcs_hooks.share.rows import ArtifactRow, ModeEventRow, RunEventRow, RunRow, StepRow, TaskMoveRow

RUNS, HISTORY, TASK = "runs", "history", "task"
MOST_EVENTS = 1_000
"""The most events of one batch."""
MOST_BYTES = 1_000_000


class Batch(NamedTuple):
    """Some records of one source, in order, which are sent in one transaction. `last_at`: the moment of the last."""

    after: int
    upto: int
    last_at: str | None
    run_events: tuple[RunEventRow, ...] = ()
    runs: tuple[RunRow, ...] = ()
    steps: tuple[StepRow, ...] = ()
    artifacts: tuple[ArtifactRow, ...] = ()
    mode_events: tuple[ModeEventRow, ...] = ()
    task_moves: tuple[TaskMoveRow, ...] = ()

    @property
    def size(self) -> int:
        return len(self.run_events) + len(self.mode_events) + len(self.task_moves)


class LocalSource(Protocol):
    """One file, or one project's part of a database."""

    kind: str
    path: str
    """What it is called in the notes of what was sent: the session, the task or the database."""

    @property
    def keys(self) -> tuple[str, ...]:
        """Return what identifies the source; the first counts, the others may have been in use before."""

    @property
    def name(self) -> str:
        """Return the name under which others know it; empty for a database."""

    def stamp(self) -> object:
        """Return what differs as soon as something was written; None if the source is no longer there."""

    def is_restored(self, position: int, at: str | None) -> bool:
        """Tell whether another record than the one of that moment is at a position, or the source ends before it."""

    def batches(self, after: int) -> Iterator[Batch]:
        """Yield everything above a position."""

    def unread(self, after: int, most: int) -> tuple[int, str | None]:
        """Return how many records are above a position, at most `most`, and the moment of the first."""
