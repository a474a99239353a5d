"""One connection to the shared database for whoever reads it, and what all its readers know: the machines and projects.

Nothing is written. A connection is opened with the first question, and again whenever it is lost.
"""

from __future__ import annotations

import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rcs_hooks.errors import StoreError
from rcs_hooks.share import sql
from rcs_hooks.share.errors import ShareError
from rcs_hooks.share.places import Place, Places, SharedMachine

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from psycopg.rows import TupleRow

    from rcs_hooks.share.connecting import Link

MOST_NOT_SHOWN = 100_000
LEAST_PAUSE = 0.5
"""Seconds between two attempts to open a connection; a question that comes in between is refused at once."""


class Reading:
    """A connection, and the machines and projects as they were read last."""

    def __init__(self, connect: Callable[[], Link]) -> None:
        """Create the reading half. Nothing is asked yet."""
        self._connect = connect
        self._link: Link | None = None
        self._refused_at = 0.0
        self._refused = ""
        self._places = Places()
        self._not_shown: set[int] = set()
        """The projects that were looked for in vain: a machine may have more of them than anybody is shown."""

    def close(self) -> None:
        if self._link is not None:
            self._link.close()
        self._link = None

    # --- machines and projects

    def places(self) -> Places:
        """Read the machines and projects, as they are now."""
        machines = [
            SharedMachine(number, str(name), str(person), str(program), seen)
            for number, name, person, program, seen in self.rows(sql.MACHINES)
        ]
        self._places = Places(machines, self.rows(sql.PROJECTS))
        self._not_shown.difference_update(self._places.projects)
        return self._places

    def place(self, project: int) -> Place | None:
        """Return a project; None where it was never read, as of a machine that was taken out meanwhile."""
        found = self._places.projects.get(project)
        if found is None and project not in self._not_shown:
            found = self.places().projects.get(project)
            if found is None and len(self._not_shown) < MOST_NOT_SHOWN:
                self._not_shown.add(project)
        return found

    def not_shown(self) -> list[int]:
        """Return the numbers of the projects that were looked for in vain."""
        return [*self._not_shown]

    def machine_named(self, name: str) -> SharedMachine | None:
        return self._places.machine_named(name) or self.places().machine_named(name)

    def ids_of(self, address: str | None) -> list[int] | None:
        """Return the numbers of the projects at an address; None where all are meant."""
        return self._places.ids_of(address) or self.places().ids_of(address) if address is not None else None

    def all_ids_of(self, address: str | None) -> list[int]:
        """Return the numbers of the projects at an address, or of all."""
        found = self.ids_of(address)
        return found if found is not None else [*(self._places.projects or self.places().projects)]

    # --- SQL

    def one(self, text: str, *values: object) -> TupleRow:
        return self.rows(text, *values)[0]

    def rows(self, text: str, *values: object) -> Sequence[TupleRow]:
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
    def transaction(self) -> Iterator[None]:
        with self._linked() as link, link.transaction() as connection:
            connection.execute(sql.ONE_MOMENT)
            yield

    @contextmanager
    def _linked(self) -> Iterator[Link]:
        """Give the connection, which is opened if there is none. Raises StoreError, and closes one that was lost."""
        self._close_lost()
        try:
            link = self._link or self._open()
            yield link
        except ShareError as error:
            self._close_lost()
            raise StoreError(str(error)) from None

    def _close_lost(self) -> None:
        """Close a connection that was lost."""
        if self._link is not None and self._link.connection.closed:
            self.close()

    def _open(self) -> Link:
        if time.monotonic() - self._refused_at < LEAST_PAUSE:
            raise StoreError(self._refused)
        try:
            link = self._connect()
        except ShareError as error:
            self._refused_at, self._refused = time.monotonic(), str(error)
            raise StoreError(self._refused) from None
        self._link = link
        self._not_shown.clear()
        return link
