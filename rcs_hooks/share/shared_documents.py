"""What machines show in the shared database beside their runs: documents of the overview, and histories of modes.

Rows are what other machines wrote: names are bounded and cleaned, and what has another type than it should is passed
over.
"""

from __future__ import annotations

import heapq
from typing import TYPE_CHECKING, NamedTuple

from rcs_hooks import jsontext
from rcs_hooks.files.clock import seconds
from rcs_hooks.share import sql
from rcs_hooks.share.cleaning import LONGEST_TEXT, LONGEST_WORD, text, word
from rcs_hooks.state.history import EVENTS, Event, text_of
from rcs_hooks.state.history_listing import LoggedEvent
from rcs_hooks.text import clean

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rcs_hooks.share.places import Place
    from rcs_hooks.share.reading import Reading

LARGEST_DATA = 32_768
LARGEST_DOCUMENTS = {"session": (32_768, 300), "task": (32_768, 200), "entry": (16_384, 300), "passage": (4_096, 2_000)}
"""How many bytes a document may have, and how many of a project are shown."""
BATCHES_AT_ONCE = 20


class SharedDocument(NamedTuple):
    """One document that a machine shows of a project."""

    place: Place
    key: str
    at: str | None
    record: str
    """Its JSON, as it was stored."""


class Documents:
    """The documents and histories that one connection reads."""

    def __init__(self, reading: Reading) -> None:
        """Create the half that reads what is no run."""
        self._reading = reading

    # --- documents

    def newest(self, kind: str, project: str | None, most: int) -> list[SharedDocument]:
        """Return what machines show, the newest of each project first; what is too large is passed over."""
        ids, (largest, of_project) = self._reading.all_ids_of(project), LARGEST_DOCUMENTS[kind]
        found = self._reading.rows(sql.SHOWN_DOCUMENTS, ids, kind, largest, of_project, most)
        return [
            SharedDocument(place, text_of(key, LONGEST_WORD), text(at), record)
            for owner, key, at, record in found
            if (place := self._reading.place(owner))
        ]

    def of_key(self, kind: str, project: str | None, key: str) -> list[SharedDocument]:
        """Return the documents with a key of the projects at an address, or of all."""
        return self.with_key(kind, self._reading.all_ids_of(project), key)

    def with_key(self, kind: str, projects: list[int], key: str) -> list[SharedDocument]:
        """Return the documents of these projects with a key."""
        found = self._reading.rows(sql.SHOWN_DOCUMENT, kind, projects, key, LARGEST_DOCUMENTS[kind][0])
        return [
            SharedDocument(place, key, text(at), record)
            for owner, at, record in found
            if (place := self._reading.place(owner))
        ]

    def heard(self, project: str | None, most: int) -> dict[tuple[int, str], str]:
        """Return when each session was heard of last, by the number of its project and its id."""
        found = self._reading.rows(sql.HEARD, self._reading.all_ids_of(project), most)
        return {(owner, str(key)): str(at) for owner, key, at in found}

    def runs_of_sessions(self) -> dict[tuple[str, str], int]:
        """Return how many runs with a machine each session has reported last, by its project and its id."""
        found: dict[tuple[str, str], int] = {}
        for owner, session, count in self._reading.rows(sql.RUNS_OF_SESSIONS):
            if place := self._reading.place(owner):
                key = place.address, word(session)
                found[key] = found.get(key, 0) + int(count)
        return found

    # --- events of modes

    def events_of_mode(self, projects: list[int], session: str, mode: str, most: int) -> list[tuple[int, Event]]:
        """Return the last events of a mode in a session, the oldest first, each behind the number of its project."""
        rows = self._reading.rows(sql.MODE_EVENTS_OF_SESSION, projects, session, mode, most)
        found = [(project, event) for project, *row in rows if (event := _mode_event(row))]
        return found[::-1]

    def latest_events(
        self, most: int, *, project: str | None, session: str | None, mode: str, after: int = 0
    ) -> list[tuple[int, Place, LoggedEvent]]:
        """Return the events of modes that came last by their time, each behind its batch and its project."""
        found: list[tuple[int, Place, LoggedEvent]] = []
        ids, upto = self._reading.ids_of(project), None
        if ids is None:  # those that are shown, as they are now: what others have would take the place of theirs
            ids = [*self._reading.places().projects]
        while len(found) < most:
            batches = [
                number
                for (number,) in self._reading.rows(sql.BATCHES_BEFORE, "history", after, upto, upto, BATCHES_AT_ONCE)
            ]
            if not batches:
                break
            left = most - len(found)
            which = (batches, ids, session, session)
            rows = self._reading.rows(sql.MODE_EVENTS_OF_BATCHES, [*EVENTS], mode, mode, left, *which, left)
            for batch, owner, name, *row in rows:
                place, event = self._reading.place(owner), _mode_event(row)
                if place and event:
                    found.append((batch, place, LoggedEvent(word(name), event)))
            upto = batches[-1]
        return in_time(found[:most][::-1])


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
    """Return events by their time, and those of each in its own order."""
    of_machines: dict[int, list[tuple[float, LoggedRow]]] = {}
    for row in found:
        _, place, entry = row
        mine = of_machines.setdefault(place.machine.id, [])
        at = seconds(entry.event.at) or 0.0
        mine.append((max(at, mine[-1][0] if mine else at), row))
    return [row for _, row in heapq.merge(*of_machines.values(), key=lambda each: each[0])]
