"""Writes what leaves this machine into the shared database: one transaction for each batch, with its position in it.

Rules of this file:
- The position of a source in the database is the only cursor. It is locked before a batch is added, and moved in the
  same transaction: a batch that was sent twice is there once.
- What the database is believed to hold is read again after every connection.
- The order of the locks is always source, project, clock. For the clock all others wait, and for the lock of those that
  register: each is taken by a message that ends the transaction, too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple
from uuid import UUID, uuid5

from rcs_hooks import __version__
from rcs_hooks.share import connecting, sql
from rcs_hooks.share.errors import DENIED, ShareError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from psycopg import Connection
    from psycopg.rows import TupleRow

    from rcs_hooks.config.share_table import SharedProject
    from rcs_hooks.share.leaving_documents import Document
    from rcs_hooks.share.outbox import Batch, LocalSource

NOTHING = 0
"""The source of a batch of documents."""
Statements = list[tuple[str, tuple[object, ...]]]
"""Statements with their values."""


class Moved(Exception):
    """Raised when the position of a source is not what the batch begins at."""


class RemoteSource(NamedTuple):
    """What the database knows of a source. `at`: the moment of the record at the position; None if it is not there."""

    id: int
    project: int
    position: int
    at: str | None


class Registered(NamedTuple):
    """This machine, as the database knows it. `name`: what others are shown."""

    id: int
    name: str


def project_key(machine: UUID, path: str) -> UUID:
    """Return what identifies a project. Without the machine's own id, which stays there, no path is guessed from it."""
    return uuid5(machine, path)


def shown_id(machine: UUID) -> UUID:
    """Return the id by which others know a machine. Its own, by which digests are keyed, stays in its home."""
    return uuid5(machine, "machine")


class Writer:
    """One connection, and what the database holds of this machine."""

    def __init__(self, link: connecting.Link, machine: UUID) -> None:
        self._link = link
        self._uuid = machine
        self.machine = Registered(0, "")
        self._sources: dict[tuple[str, str], list[RemoteSource]] = {}
        """By kind and key; one for each project in which there is such a source."""

    def begin(self, name: str, person: str) -> None:
        """Check the versions, register the machine, and read which sources are known. Raises ShareError."""
        connecting.check_writer(self._link)  # first: an older schema may have nothing to register with
        self._link.rows(sql.LEAVE_WHO_IS_GONE)
        values = (shown_id(self._uuid), name, person, f"rcs-hooks {__version__}")
        with self._link.ended_at_once([(sql.REGISTER, values)]):
            pass
        found = self._link.rows(sql.REGISTERED, values[:1])
        if not found:
            raise ShareError(
                f"{self._link.address.shown} knows this machine under the user who logs in, and this session has"
                " another role set, as by ALTER ROLE … SET role; connect without it",
                DENIED,
            )
        ((number, shown),) = found
        self.machine = Registered(int(number), str(shown))
        self._note_seen()
        self._sources = {}
        for number, project, kind, key, position, at in self._link.rows(sql.KNOWN_SOURCES, (self.machine.id,)):
            self._know(kind, key, RemoteSource(number, project, position, at))

    def seen(self) -> None:
        """Say that this machine is there.

        Raises ShareError, also as soon as the schema was changed meanwhile and wants a newer program.
        """
        connecting.check_writer(self._link)
        self._note_seen()

    def _note_seen(self) -> None:
        with self._link.quick() as connection:
            connection.execute(sql.SEEN, (self.machine.id,))

    def project(self, project: SharedProject) -> int:
        """Return the number of a project, and store what it is called now."""
        path = project.path if project.texts else None
        values = (self.machine.id, project_key(self._uuid, project.path), project.name, path, project.texts)
        ((number,),) = self._link.rows(sql.PUT_PROJECT, values)
        return int(number)

    # --- sources

    def source(self, project: int, local: LocalSource) -> RemoteSource:
        """Return the source in the database that a local one is; make it if there is none."""
        keys = local.keys
        for key in keys:
            for remote in self._sources.get((local.kind, key), []):
                if remote.project == project:
                    if key != keys[0]:
                        self._rename(local.kind, key, keys[0], remote)
                    return self._unless_restored(project, local, remote)
        return self._add(project, local)

    def _unless_restored(self, project: int, local: LocalSource, remote: RemoteSource) -> RemoteSource:
        if not local.is_restored(remote.position, remote.at):
            return remote
        with self._link.quick() as connection:
            connection.execute(sql.REPLACE_SOURCE, (remote.id,))
            connection.execute(sql.SAY_PRUNED)
        self._forget(local.kind, local.keys[0], remote)
        return self._add(project, local)

    def _add(self, project: int, local: LocalSource) -> RemoteSource:
        key = local.keys[0]
        values = (self.machine.id, project, local.kind, key, local.name)
        ((number, position),) = self._link.rows(sql.ADD_SOURCE, values)
        remote = RemoteSource(int(number), project, int(position), None)
        self._know(local.kind, key, remote)
        return remote

    def _rename(self, kind: str, old: str, key: str, remote: RemoteSource) -> None:
        with self._link.quick() as connection:
            connection.execute(sql.RENAME_SOURCE, (key, remote.id))
        self._forget(kind, old, remote)
        self._know(kind, key, remote)

    def _know(self, kind: str, key: str, remote: RemoteSource) -> None:
        self._sources.setdefault((kind, key), []).append(remote)

    def _forget(self, kind: str, key: str, remote: RemoteSource) -> None:
        known = self._sources.get((kind, key), [])  # a file that has gone meanwhile has another key
        self._sources[kind, key] = [each for each in known if each.id != remote.id]

    # --- batches

    def send(self, local: LocalSource, remote: RemoteSource, batch: Batch) -> RemoteSource:
        """Add a batch, and return the source as it is then. Raises Moved, with nothing added, and ShareError."""
        last: Statements = []
        with self._link.ended_at_once(last) as connection:
            found = connection.execute(sql.TAKE_SOURCE, (remote.id,)).fetchone()
            if found is None or found[0] != batch.after:
                raise Moved
            kept = since(batch, str(found[1]))
            self._add_rows(connection, remote, kept)
            last += [
                (sql.NEXT_BATCH, ()),
                *self._runs(remote, kept),
                (sql.ADD_BATCH, (self.machine.id, remote.id, batch.after, batch.upto)),
                (sql.MOVE_POSITION, (batch.upto, remote.id)),
                (sql.PROJECT_CHANGED, (remote.project,)),
                (sql.SAY_NEWS, ()),
            ]
        key = local.keys[0]
        self._forget(local.kind, key, remote)
        sent = remote._replace(position=batch.upto, at=batch.last_at)
        self._know(local.kind, key, sent)
        return sent

    def read_again(self, local: LocalSource, remote: RemoteSource) -> RemoteSource:
        """Return a source as it is now: an earlier connection of this machine may have moved it late.

        Raises ShareError where the source is gone.
        """
        found = self._link.rows(sql.SOURCE_NOW, (remote.id,))
        if not found:
            raise ShareError("the shared database no longer knows a source of this machine; try again")
        ((position, at),) = found
        key = local.keys[0]
        self._forget(local.kind, key, remote)
        moved = remote._replace(position=position, at=at)
        self._know(local.kind, key, moved)
        return moved

    def _add_rows(self, connection: Connection[TupleRow], remote: RemoteSource, batch: Batch) -> None:
        where = (self.machine.id, remote.id)
        for statement, rows in (
            (sql.ADD_RUN_EVENTS, batch.run_events),
            (sql.ADD_MODE_EVENTS, batch.mode_events),
            (sql.ADD_TASK_MOVES, batch.task_moves),
            (sql.PUT_STEPS, _newest((each[:3], each) for each in batch.steps)),
            (sql.PUT_ARTIFACTS, _newest((each[:2], each) for each in batch.artifacts)),
        ):
            if rows:
                connection.execute(statement, (*where, *columns(rows)))

    def _runs(self, remote: RemoteSource, batch: Batch) -> Statements:
        if not batch.runs:
            return []
        place = {event.run: number for number, event in enumerate(batch.run_events, 1)}
        given = [(*run, place[run.id]) for run in batch.runs]
        return [(sql.PUT_RUNS, (self.machine.id, remote.id, remote.project, *columns(given)))]

    # --- documents

    def documents(self, project: int) -> set[tuple[str, str]]:
        """Return the kind and key of all documents of a project."""
        return {(str(kind), str(key)) for kind, key in self._link.rows(sql.DOCUMENTS, (project,))}

    def send_documents(self, project: int, changed: Sequence[Document], gone: Sequence[tuple[str, str]]) -> None:
        """Store documents, and delete those that are gone, in one batch of their own."""
        last: Statements = [
            (sql.NEXT_BATCH, ()),
            (sql.ADD_BATCH, (self.machine.id, NOTHING, 0, 0)),
            (sql.PROJECT_CHANGED, (project,)),
            (sql.SAY_NEWS, ()),
        ]
        with self._link.ended_at_once(last) as connection:
            if changed:
                connection.execute(sql.PUT_DOCUMENTS, (self.machine.id, project, *columns(changed)))
            if gone:
                connection.execute(sql.DELETE_DOCUMENTS, (project, *columns(gone)))


def since(batch: Batch, moment: str) -> Batch:
    """Return what of a batch is not older than what was pruned from the shared database."""
    if not moment:
        return batch
    runs = {each.id for each in batch.runs if each.last_at >= moment}  # a run is pruned as a whole
    return batch._replace(
        run_events=tuple(each for each in batch.run_events if each.run in runs),
        runs=tuple(each for each in batch.runs if each.id in runs),
        steps=tuple(each for each in batch.steps if each.run in runs),
        artifacts=tuple(each for each in batch.artifacts if each.run in runs),
        mode_events=tuple(each for each in batch.mode_events if each.at is None or each.at >= moment),
        task_moves=tuple(each for each in batch.task_moves if each.at is None or each.at >= moment),
    )


def columns(rows: Iterable[Sequence[object]]) -> list[str]:
    """Return the columns of rows, each as the text of an array: the driver's own takes three times as long."""
    return [f"{{{','.join(map(_element, column))}}}" for column in zip(*rows, strict=True)]


def _element(value: object) -> str:
    if isinstance(value, str):
        if value.isalnum() and value.upper() != "NULL":
            return value
        return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
    return "NULL" if value is None else str(value)


def _newest(rows: Iterable[tuple[object, Sequence[object]]]) -> list[Sequence[object]]:
    """Return the last of the rows with the same key: cleaning may make two names one."""
    found: Mapping[object, Sequence[object]] = dict(rows)
    return list(found.values())
