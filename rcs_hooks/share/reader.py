"""A `RunStore` over the shared database.

Rules of this file:
- Nothing is written. A number of a run is made of its source and its own number; `RUN@MACHINE` is its id for people.
- An event's id over all machines is its batch and its rank in it, so that a reader of all events after N misses none.
- Rows are what other machines wrote: names are bounded and cleaned where they are made into addresses, and what has
  another type than it should is passed over.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rcs_hooks.runs.records import ALL_RUNS, RUNNING, ArtifactRecord, EventRecord, RunFilter, RunRecord, StepRecord
from rcs_hooks.share import sql
from rcs_hooks.share.cleaning import LONGEST_TEXT, exact, is_plain, lines, text, word
from rcs_hooks.share.reading import Reading
from rcs_hooks.share.shared_documents import Documents
from rcs_hooks.text import clean
from rcs_hooks.workflow.silence import GOES_QUIET, INACTIVE, INACTIVE_AFTER_MS, STALLED, STALLED_AFTER_MS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from contextlib import AbstractContextManager

    from psycopg.rows import TupleRow

    from rcs_hooks.share.connecting import Link
    from rcs_hooks.share.places import Places

IN_A_BATCH = 10_000
"""How far apart the numbers of two batches are as parts of an event's number."""
BATCHES_AT_ONCE = 20
OF_SOURCE = 1 << 48
"""How far apart the numbers of runs of two sources are."""
MOST_REASONS = 10_000
MOST_WORKFLOWS = 500


class PostgresStore:
    """One connection to the shared database, with the methods of `RunStore`, which documents them."""

    def __init__(self, connect: Callable[[], Link]) -> None:
        """Create a store that connects with the first question, and again whenever the connection is lost."""
        self._reading = Reading(connect)
        self.shown = Documents(self._reading)
        self._reasons: dict[int, str] = {}
        self._workflows: set[str] = set()
        self._seen = 0
        """The newest event of the runs whose workflows are known."""

    def close(self) -> None:
        self._reading.close()

    def read_transaction(self) -> AbstractContextManager[object]:
        return self._reading.transaction()

    def change_token(self) -> int:
        return int(self._reading.one(sql.NEWEST_BATCH)[0] or 0)

    def is_replaced(self) -> bool:
        return False

    def places(self) -> Places:
        """Read the machines and projects, as they are now."""
        return self._reading.places()

    # --- runs

    def run(self, run_id: str) -> RunRecord | None:
        name, _, machine_name = run_id.rpartition("@")
        machine = self._reading.machine_named(machine_name)
        if machine is None or not name:
            return None
        found = self._reading.rows(sql.RUN, machine.id, name)
        return next((run for row in found if (run := self._run(row))), None)

    def runs(
        self, now_ms: int, filters: RunFilter = ALL_RUNS, *, before: int | None = None, limit: int | None = None
    ) -> list[RunRecord]:
        conditions = [*self._of_filters(filters), ("r.last_event < %s", before)]
        quiet = now_ms - INACTIVE_AFTER_MS
        if filters.status == INACTIVE:
            conditions += [("r.status = ANY(%s)", list(GOES_QUIET)), ("r.last_ms <= %s", quiet)]
        elif filters.status == STALLED:
            silent = now_ms - STALLED_AFTER_MS
            conditions += [
                ("r.status = %s", RUNNING),
                ("r.last_ms > %s", quiet),
                ("r.last_ms <= %s", silent),
            ]
        elif filters.status is not None:
            conditions += [("r.status = %s", filters.status)]
            quiet = now_ms - STALLED_AFTER_MS if filters.status == RUNNING else quiet
            conditions += [("r.last_ms > %s", quiet)] if filters.status in GOES_QUIET else []
        where, values = _joined(conditions)
        rows = self._reading.rows(sql.RUNS.format(where=where), *values, limit)
        return [run for row in rows if (run := self._run(row))]

    def counts(self, now_ms: int, filters: RunFilter = ALL_RUNS, *, most: int) -> dict[str, int]:
        where, values = _joined(self._of_filters(filters))
        shown = list(GOES_QUIET), now_ms - INACTIVE_AFTER_MS, INACTIVE, RUNNING, now_ms - STALLED_AFTER_MS, STALLED
        return {
            str(status): count
            for status, count in self._reading.rows(sql.COUNTS.format(where=where), *shown, *values, most)
        }

    def _of_filters(self, filters: RunFilter) -> list[tuple[str, object]]:
        """Return the conditions of filters, without that for the status."""
        return [
            ("r.project = ANY(%s)", self._reading.ids_of(filters.project)),
            ("r.workflow = %s", filters.workflow),
            ("r.feature = %s", filters.feature),
            ("r.last_ms >= %s", filters.since_ms),
            ("r.last_ms < %s", filters.until_ms),
            ("r.session = %s", filters.session),
        ]

    def _run(self, row: TupleRow) -> RunRecord | None:
        """Return a run; None where its project was never read, as of a machine that was taken out meanwhile."""
        source, number, project, *fields, reason, session, client, open_steps = row
        place = self._reading.place(project)
        if place is None:
            return None
        (
            name, workflow, feature, file, status, current, events, artifacts, started_at, last_at, last_ms, last_event,
            ended,
        ) = fields  # fmt: skip
        if not is_plain(name, workflow, feature, file, status, current, ended, session, client):
            name, workflow, status = word(name), word(workflow), word(status)
            feature, file, current, ended, session, client = map(text, (feature, file, current, ended, session, client))
        number += source * OF_SOURCE
        if reason is not None:
            self._remember(number, clean(reason, LONGEST_TEXT))
        return RunRecord(
            number, f"{name}@{place.machine.name}", workflow, place.address, feature or None, file or None, status,
            current or None, events, artifacts, exact(started_at), exact(last_at), last_ms,
            last_event,
            ended or None, session or None, client or None, place.address if session else None,
            lines(open_steps) if open_steps else open_steps,
        )  # fmt: skip

    def _remember(self, run: int, reason: str) -> None:
        while len(self._reasons) >= MOST_REASONS:
            del self._reasons[next(iter(self._reasons))]
        self._reasons[run] = reason

    def reason(self, run: RunRecord) -> str:
        """Return why a run that was just read waits or has failed; empty if nobody said so."""
        return self._reasons.get(run.id, "")

    def steps(self, run: int) -> list[StepRecord]:
        source, number = divmod(run, OF_SOURCE)
        found = self._reading.rows(sql.STEPS, source, number)
        return [
            StepRecord(
                word(step),
                word(unit),
                word(agent),
                word(parent),
                word(status),
                entered,
                last,
                visits,
                text(started),
                text(ended),
                open_ms,
                spent_ms,
            )
            for step, unit, agent, parent, status, entered, last, visits, started, ended, open_ms, spent_ms in found
        ]

    def artifacts(self, run: int) -> list[ArtifactRecord]:
        source, number = divmod(run, OF_SOURCE)
        found = self._reading.rows(sql.ARTIFACTS, source, number)
        return [
            ArtifactRecord(word(path), text(kind), text(feature), text(step), subflow, exact(at), seq)
            for path, kind, feature, step, subflow, at, seq in found
        ]

    # --- events of runs

    def events(self, run: int, *, after: int = 0, limit: int | None = None) -> Iterator[EventRecord]:
        source, number = divmod(run, OF_SOURCE)
        return self._events(self._reading.rows(sql.EVENTS_OF_RUN, source, number, after, limit))

    def events_after(
        self, event: int, *, workflow: str | None = None, project: str | None = None, limit: int = 1000
    ) -> list[EventRecord]:
        found: list[EventRecord] = []
        ids = self._reading.ids_of(project)
        batch = event // IN_A_BATCH
        while len(found) < limit:
            batches = [number for (number,) in self._reading.rows(sql.BATCHES_FROM, "runs", batch, BATCHES_AT_ONCE)]
            if not batches:
                break
            which = (batches, event, workflow, workflow, ids, ids, self._reading.not_shown())
            rows = self._reading.rows(sql.EVENTS_OF_BATCHES, *which, limit)
            found += self._events(rows)
            if len(rows) == limit:  # some may be of projects that nobody is shown; they are not asked for again
                event = int(rows[-1][0])
                batch = event // IN_A_BATCH
                continue
            if len(batches) < BATCHES_AT_ONCE:
                break
            batch = batches[-1] + 1
        return found[:limit]

    def _events(self, rows: Sequence[TupleRow]) -> Iterator[EventRecord]:
        for number, seq, at, kind, step, unit, status, data, automatic, name, workflow, project in rows:
            place = self._reading.place(project)
            if place is not None:
                run_id = f"{word(name)}@{place.machine.name}"
                yield EventRecord(
                    number, seq, exact(at), word(kind), text(step), text(unit), text(status), data, automatic,
                    run_id, word(workflow), place.address,
                )  # fmt: skip

    def workflows(self) -> list[str]:
        """Return the names of all workflows that a run has or had; only runs that have changed are looked at."""
        for newest, name in self._reading.rows(sql.WORKFLOWS, self._seen, MOST_WORKFLOWS):
            self._seen = max(self._seen, newest)
            if len(self._workflows) < MOST_WORKFLOWS and (known := word(name)):
                self._workflows.add(known)
        return sorted(self._workflows)


def _joined(conditions: list[tuple[str, object]]) -> tuple[str, list[object]]:
    """Join the conditions whose value is not None by AND, and return the text and the values."""
    known = [(condition, value) for condition, value in conditions if value is not None]
    return " AND ".join(["TRUE", *(condition for condition, _ in known)]), [value for _, value in known]
