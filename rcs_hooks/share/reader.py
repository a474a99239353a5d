"""The reading half of a `RunStore` over the shared database, and the documents and events that it holds beside runs.

Rules of this file:
- Nothing is written. A number of a run is made of its source and its own number; `RUN@MACHINE` is its id for people.
- An event's id over all machines is its batch and its rank in it, so that a reader of all events after N misses none.
- Rows are what other machines wrote: names are bounded and cleaned where they are made into addresses, and what has
  another type than it should is passed over.
"""

from __future__ import annotations

import heapq
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple, NoReturn

from rcs_hooks import jsontext
from rcs_hooks.errors import StoreError
from rcs_hooks.files.clock import seconds
from rcs_hooks.runs.records import ALL_RUNS, RUNNING, ArtifactRecord, EventRecord, RunFilter, RunRecord, StepRecord
from rcs_hooks.share import sql
from rcs_hooks.share.cleaning import LONGEST_TEXT, LONGEST_WORD, exact, is_plain, lines, text, word
from rcs_hooks.share.errors import ShareError
from rcs_hooks.share.places import Place, Places, SharedMachine
from rcs_hooks.state.history import EVENTS, Event, text_of
from rcs_hooks.state.history_listing import LoggedEvent
from rcs_hooks.text import clean
from rcs_hooks.workflow.silence import GOES_QUIET, INACTIVE, INACTIVE_AFTER_MS, STALLED, STALLED_AFTER_MS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from contextlib import AbstractContextManager

    from psycopg.rows import TupleRow

    from rcs_hooks.runs.records import NewEvent
    from rcs_hooks.share.connecting import Link

IN_A_BATCH = 10_000
"""How far apart the numbers of two batches are as parts of an event's number."""
BATCHES_AT_ONCE = 20
OF_SOURCE = 1 << 48
"""How far apart the numbers of runs of two sources are."""
LARGEST_DATA = 32_768
LARGEST_DOCUMENTS = {"session": (32_768, 300), "task": (32_768, 200), "entry": (16_384, 300), "passage": (4_096, 2_000)}
"""How many bytes a document may have, and how many of a project are shown."""
LEAST_PAUSE = 0.5
"""Seconds between two attempts to open a connection; a question that comes in between is refused at once."""
MOST_REASONS = 10_000
MOST_WORKFLOWS = 500


class SharedDocument(NamedTuple):
    """One document that a machine shows of a project."""

    place: Place
    key: str
    at: str | None
    record: str
    """Its JSON, as it was stored."""


class PostgresStore:
    """One connection to the shared database, with the reading methods of `RunStore`, which documents them."""

    def __init__(self, connect: Callable[[], Link]) -> None:
        """Create a store that connects with the first question, and again whenever the connection is lost."""
        self._connect = connect
        self._link: Link | None = None
        self._refused_at = 0.0
        self._refused = ""
        self._made_at: object = None
        self._is_replaced = False
        self._places = Places()
        self._reasons: dict[int, str] = {}
        self._workflows: set[str] = set()
        self._seen = 0
        """The newest event of the runs whose workflows are known."""

    def close(self) -> None:
        if self._link is not None:
            self._link.close()
        self._link = None

    def read_transaction(self) -> AbstractContextManager[object]:
        return self._transaction()

    def write_transaction(self) -> AbstractContextManager[object]:
        _refuse()

    def change_token(self) -> int:
        return int(self._one(sql.NEWEST_BATCH)[0] or 0)

    def is_replaced(self) -> bool:
        return self._is_replaced

    # --- machines and projects

    def places(self) -> Places:
        """Read the machines and projects, as they are now."""
        rows = self._rows(sql.MACHINES)
        machines = [
            SharedMachine(number, str(name), str(person), str(program), seen, int(clock or 0))
            for number, name, person, program, seen, clock, _ in rows
        ]
        server_ms = rows[0][-1] - round(time.time() * 1000) if rows else 0
        self._places = Places(machines, self._rows(sql.PROJECTS), server_ms)
        return self._places

    def _place(self, project: int) -> Place | None:
        return self._places.projects.get(project) or self.places().projects.get(project)

    # --- runs

    def run(self, run_id: str) -> RunRecord | None:
        name, _, machine_name = run_id.rpartition("@")
        machine = self._places.machine_named(machine_name) or self.places().machine_named(machine_name)
        if machine is None or not name:
            return None
        found = self._rows(sql.RUN, machine.id, name)
        return next((run for row in found if (run := self._run(row))), None)

    def runs(
        self, now_ms: int, filters: RunFilter = ALL_RUNS, *, before: int | None = None, limit: int | None = None
    ) -> list[RunRecord]:
        conditions = [*self._of_filters(filters), ("r.last_event < %s", before)]
        now_ms += self._server_ms()
        quiet = now_ms - INACTIVE_AFTER_MS
        if filters.status == INACTIVE:
            conditions += [("r.status = ANY(%s)", list(GOES_QUIET)), (f"{sql.HEARD_MS} <= %s", quiet)]
        elif filters.status == STALLED:
            silent = now_ms - STALLED_AFTER_MS
            conditions += [
                ("r.status = %s", RUNNING),
                (f"{sql.HEARD_MS} > %s", quiet),
                (f"{sql.HEARD_MS} <= %s", silent),
            ]
        elif filters.status is not None:
            conditions += [("r.status = %s", filters.status)]
            quiet = now_ms - STALLED_AFTER_MS if filters.status == RUNNING else quiet
            conditions += [(f"{sql.HEARD_MS} > %s", quiet)] if filters.status in GOES_QUIET else []
        where, values = _joined(conditions)
        rows = self._rows(sql.RUNS.format(where=where), *values, limit)
        return [run for row in rows if (run := self._run(row))]

    def counts(self, now_ms: int, filters: RunFilter = ALL_RUNS, *, most: int) -> dict[str, int]:
        where, values = _joined(self._of_filters(filters))
        now_ms += self._server_ms()
        shown = list(GOES_QUIET), now_ms - INACTIVE_AFTER_MS, INACTIVE, RUNNING, now_ms - STALLED_AFTER_MS, STALLED
        return {
            str(status): count for status, count in self._rows(sql.COUNTS.format(where=where), *shown, *values, most)
        }

    def _of_filters(self, filters: RunFilter) -> list[tuple[str, object]]:
        """Return the conditions of filters, without that for the status."""
        return [
            ("r.project = ANY(%s)", self._ids_of(filters.project)),
            ("r.workflow = %s", filters.workflow),
            ("r.feature = %s", filters.feature),
            (f"{sql.HEARD_MS} >= %s", self._by_server(filters.since_ms)),
            (f"{sql.HEARD_MS} < %s", self._by_server(filters.until_ms)),
            ("r.session = %s", filters.session),
        ]

    def _server_ms(self) -> int:
        """Return the server's clock minus ours."""
        return (self._places if self._places.machines else self.places()).server_ms

    def _by_server(self, ms: int | None) -> int | None:
        return ms + self._server_ms() if ms is not None else None

    def ahead_ms(self, run_id: str) -> int:
        """Return the clock of the machine in the id of a run minus ours."""
        machine = self._places.machine_named(run_id.rpartition("@")[2])
        return machine.ahead_ms if machine else 0

    def _all_ids_of(self, address: str | None) -> list[int]:
        found = self._ids_of(address)
        return found if found is not None else [*(self._places.projects or self.places().projects)]

    def _ids_of(self, address: str | None) -> list[int] | None:
        return self._places.ids_of(address) or self.places().ids_of(address) if address is not None else None

    def _run(self, row: TupleRow) -> RunRecord | None:
        """Return a run; None where its project was never read, as of a machine that was taken out meanwhile."""
        source, number, project, *fields, reason, session, client, open_steps = row
        place = self._place(project)
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
            current or None, events, artifacts, exact(started_at), exact(last_at), last_ms - place.machine.ahead_ms,
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
        found = self._rows(sql.STEPS, source, number)
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
        found = self._rows(sql.ARTIFACTS, source, number)
        return [
            ArtifactRecord(word(path), text(kind), text(feature), text(step), subflow, exact(at), seq)
            for path, kind, feature, step, subflow, at, seq in found
        ]

    # --- events of runs

    def events(self, run: int, *, after: int = 0, limit: int | None = None) -> Iterator[EventRecord]:
        source, number = divmod(run, OF_SOURCE)
        return self._events(self._rows(sql.EVENTS_OF_RUN, source, number, after, limit))

    def events_after(
        self, event: int, *, workflow: str | None = None, project: str | None = None, limit: int = 1000
    ) -> list[EventRecord]:
        found: list[EventRecord] = []
        ids = self._ids_of(project)
        batch = event // IN_A_BATCH
        while len(found) < limit:
            batches = [number for (number,) in self._rows(sql.BATCHES_FROM, "runs", batch, BATCHES_AT_ONCE)]
            if not batches:
                break
            rows = self._rows(sql.EVENTS_OF_BATCHES, batches, event, workflow, workflow, ids, ids, limit - len(found))
            found += self._events(rows)
            if len(batches) < BATCHES_AT_ONCE:
                break
            batch = batches[-1] + 1
        return found

    def _events(self, rows: Sequence[TupleRow]) -> Iterator[EventRecord]:
        for number, seq, at, kind, step, unit, status, data, automatic, name, workflow, project in rows:
            place = self._place(project)
            if place is not None:
                run_id = f"{word(name)}@{place.machine.name}"
                yield EventRecord(
                    number, seq, exact(at), word(kind), text(step), text(unit), text(status), data, automatic,
                    run_id, word(workflow), place.address,
                )  # fmt: skip

    # --- events of modes

    def mode_events(self, projects: list[int], session: str, mode: str, most: int) -> list[tuple[int, Event]]:
        """Return the last events of a mode in a session, the oldest first, each behind the number of its project."""
        rows = self._rows(sql.MODE_EVENTS_OF_SESSION, projects, session, mode, most)
        found = [(project, event) for project, *row in rows if (event := _mode_event(row))]
        return found[::-1]

    def latest_mode_events(
        self, most: int, *, project: str | None, session: str | None, mode: str, after: int = 0
    ) -> list[tuple[int, Place, LoggedEvent]]:
        """Return the events of modes that came last by their time, each behind its batch and its project."""
        found: list[tuple[int, Place, LoggedEvent]] = []
        ids, upto = self._ids_of(project), None
        while len(found) < most:
            batches = [
                number for (number,) in self._rows(sql.BATCHES_BEFORE, "history", after, upto, upto, BATCHES_AT_ONCE)
            ]
            if not batches:
                break
            rows = self._rows(sql.MODE_EVENTS_OF_BATCHES, batches, ids, ids, session, session, mode, mode)
            for batch, owner, name, *row in rows:
                place, event = self._place(owner), _mode_event(row)
                if place and event:
                    found.append((batch, place, LoggedEvent(word(name), event)))
            upto = batches[-1]
        return in_time(found[:most][::-1])

    # --- documents

    def documents(self, kind: str, project: str | None, most: int) -> list[SharedDocument]:
        """Return what machines show, the newest of each project first; what is too large is passed over."""
        ids, (largest, of_project) = self._all_ids_of(project), LARGEST_DOCUMENTS[kind]
        found = self._rows(sql.SHOWN_DOCUMENTS, ids, kind, largest, of_project, most)
        return [
            SharedDocument(place, text_of(key, LONGEST_WORD), text(at), record)
            for owner, key, at, record in found
            if (place := self._place(owner))
        ]

    def document(self, kind: str, projects: list[int], key: str) -> list[SharedDocument]:
        """Return the documents of these projects with a key."""
        found = self._rows(sql.SHOWN_DOCUMENT, kind, projects, key, LARGEST_DOCUMENTS[kind][0])
        return [
            SharedDocument(place, key, text(at), record) for owner, at, record in found if (place := self._place(owner))
        ]

    def heard(self, project: str | None, most: int) -> dict[tuple[int, str], str]:
        """Return when each session was heard of last, by the number of its project and its id."""
        found = self._rows(sql.HEARD, self._all_ids_of(project), most)
        return {(owner, str(key)): str(at) for owner, key, at in found}

    def runs_of_sessions(self) -> dict[tuple[str, str], int]:
        """Return how many runs with a machine each session has reported last, by its project and its id."""
        found: dict[tuple[str, str], int] = {}
        for owner, session, count in self._rows(sql.RUNS_OF_SESSIONS):
            if place := self._place(owner):
                key = place.address, word(session)
                found[key] = found.get(key, 0) + int(count)
        return found

    def workflows(self) -> list[str]:
        """Return the names of all workflows that a run has or had; only runs that have changed are looked at."""
        for newest, name in self._rows(sql.WORKFLOWS, self._seen, MOST_WORKFLOWS):
            self._seen = max(self._seen, newest)
            if len(self._workflows) < MOST_WORKFLOWS and (known := word(name)):
                self._workflows.add(known)
        return sorted(self._workflows)

    # --- writing: not here

    def add_run(self, run: RunRecord) -> int:
        _refuse()

    def update_run(self, run: RunRecord) -> None:
        _refuse()

    def add_event(self, run: int, event: NewEvent) -> int:
        _refuse()

    def put_step(self, run: int, step: StepRecord) -> None:
        _refuse()

    def put_artifact(self, run: int, artifact: ArtifactRecord) -> int:
        _refuse()

    def delete(self, runs: list[int]) -> None:
        _refuse()

    # --- SQL

    def _one(self, text: str, *values: object) -> TupleRow:
        return self._rows(text, *values)[0]

    def _rows(self, text: str, *values: object) -> Sequence[TupleRow]:
        was_open = self._link is not None
        try:
            with self._linked() as link:
                return link.rows(text, values)
        except StoreError:
            if not was_open or self._link is not None:
                raise
        with self._linked() as link:  # an open connection was lost, as one that was idle for long: once more
            return link.rows(text, values)

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        with self._linked() as link, link.transaction() as connection:
            connection.execute(sql.ONE_MOMENT)
            yield

    @contextmanager
    def _linked(self) -> Iterator[Link]:
        """Give the connection, which is opened if there is none. Raises StoreError, and drops one that was lost."""
        if self._link is not None and self._link.connection.closed:
            self._link = None
        try:
            link = self._link or self._open()
            yield link
        except ShareError as error:
            if self._link is not None and self._link.connection.closed:
                self._link = None
            raise StoreError(str(error)) from None

    def _open(self) -> Link:
        if time.monotonic() - self._refused_at < LEAST_PAUSE:
            raise StoreError(self._refused)
        try:
            link = self._connect()
            made_at = link.rows(sql.MADE_AT)[0][0]
        except ShareError as error:
            self._refused_at, self._refused = time.monotonic(), str(error)
            raise StoreError(self._refused) from None
        self._is_replaced = self._made_at not in (None, made_at)
        self._made_at = self._made_at or made_at
        self._link = link
        return link


def _mode_event(row: Sequence[object]) -> Event | None:
    """Return an event of a history; None for one of a kind that this version does not know."""
    position, at, mode, kind, before, after, iteration, title, data = row
    if kind not in EVENTS or not isinstance(position, int):
        return None
    try:
        found = jsontext.loads(data) if isinstance(data, str) and len(data) <= LARGEST_DATA else {}
    except (ValueError, RecursionError):
        found = {}
    return Event(
        position, word(at), clean(mode), str(kind), clean(before), clean(after),
        iteration if isinstance(iteration, int) else None, clean(title, LONGEST_TEXT),
        found if isinstance(found, dict) else {},
    )  # fmt: skip


LoggedRow = tuple[int, "Place", LoggedEvent]


def in_time(found: list[LoggedRow]) -> list[LoggedRow]:
    """Return events by their time, with the clocks of their machines corrected, and those of each in its own order."""
    of_machines: dict[int, list[tuple[float, LoggedRow]]] = {}
    for row in found:
        _, place, entry = row
        mine = of_machines.setdefault(place.machine.id, [])
        at = (seconds(entry.event.at) or 0.0) - place.machine.ahead_ms / 1000
        mine.append((max(at, mine[-1][0] if mine else at), row))
    return [row for _, row in heapq.merge(*of_machines.values(), key=lambda each: each[0])]


def _joined(conditions: list[tuple[str, object]]) -> tuple[str, list[object]]:
    """Join the conditions whose value is not None by AND, and return the text and the values."""
    known = [(condition, value) for condition, value in conditions if value is not None]
    return " AND ".join(["TRUE", *(condition for condition, _ in known)]), [value for _, value in known]


def _refuse() -> NoReturn:
    raise StoreError("the shared database is only read here; what changes it is the writer of each machine")
