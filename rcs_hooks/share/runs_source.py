"""The events of one project in a database of runs, as a source of what leaves."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rcs_hooks.share.leaving import moment
from rcs_hooks.share.outbox import MOST_BYTES, MOST_EVENTS, RUNS, Batch

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rcs_hooks.runs.log_records import RunLog
    from rcs_hooks.share.leaving import Leaving


def is_restored(log: RunLog, position: int, at: str | None) -> bool:
    """Tell whether a database ends before a position, or has another event there than the one of that moment."""
    if log.end() < position:
        return True
    now = log.at(position) if position and at else None
    return now is not None and moment(now) != at


class RunsSource:
    """The events of one project in a database of runs."""

    kind = RUNS
    name = ""

    def __init__(self, log: RunLog, project: str, leaving: Leaving) -> None:
        self.path = log.path
        self._log = log
        self._project = project
        self._leaving = leaving
        self._keys = log.keys
        self._looked = 0, 0
        """A position, and up to where there is no event of this project above it."""

    @property
    def keys(self) -> tuple[str, ...]:
        if len(self._keys) == 1:  # it may have got an id
            self._keys = self._log.keys
        return self._keys

    def stamp(self) -> object:
        return self._log.change_token()

    def is_restored(self, position: int, at: str | None) -> bool:
        return is_restored(self._log, position, at)

    def batches(self, after: int) -> Iterator[Batch]:
        begin = self._from(after)
        while True:
            part = self._log.part(self._project, begin, MOST_EVENTS, MOST_BYTES)
            if part.events:
                leaving = self._leaving
                upto = part.events[-1].position
                events = tuple(map(leaving.run_event, part.events))
                last = {event.run: event.position for event in part.events}
                runs = tuple(leaving.run(run)._replace(local_last_event=last[run.id]) for run in part.runs)
                artifacts = tuple(row for each in part.artifacts if (row := leaving.artifact(each)))
                yield Batch(after, upto, events[-1].at, events, runs, tuple(map(leaving.step, part.steps)), artifacts)
                after = upto
            elif part.upto == begin:
                return
            begin = part.upto
            self._looked = after, begin

    def _from(self, after: int) -> int:
        """Return where to look for what is above a position: behind what has no event of this project."""
        position, upto = self._looked
        return max(after, upto) if after == position else after

    def unread(self, after: int, most: int) -> tuple[int, str | None]:
        return self._log.unread(self._project, self._from(after), most)
