"""A machine with rows in every table of the shared database, as its writer would make them."""

from __future__ import annotations

from typing import Any, NamedTuple
from uuid import UUID, uuid4

import psycopg
from psycopg.sql import SQL, Identifier, Placeholder
from psycopg.types.json import Jsonb

AT = "2023-11-14T22:13:20.000Z"
Values = dict[str, Any]


class Owned(NamedTuple):
    """One machine with a project and a source."""

    machine: int
    name: str
    project: int
    source: int

    def values(self, table: str) -> Values:
        """What one row of a table holds; a second one would clash."""
        found: dict[str, Values] = {
            "projects": {"key": uuid4(), "name": "shop", "path": "/w/shop", "texts": True},
            "sources": {"project": self.project, "kind": "runs", "key": str(uuid4()), "name": ""},
            "batches": {"id": 0, "source": self.source, "after": 0, "upto": 1},
            "runs": {"source": self.source, "id": 1, "project": self.project, "run_id": "build-1", "workflow": "build",
                     "feature": "login", "file": "build.md", "status": "running", "current": "test", "events": 1,
                     "artifacts": 1, "started_at": AT, "last_at": AT, "last_ms": 1, "last_event": 1,
                     "local_last_event": 1, "ended": None, "reason": "why", "session": "s1"},
            "run_events": {"source": self.source, "position": 1, "run": 1, "seq": 1, "at": AT, "type": "status_change",
                           "step": "test", "unit": "u", "status": "running", "data": "{}", "automatic": False},
            "run_steps": {"source": self.source, "run": 1, "step": "test", "unit": "u", "agent": "a", "parent": "p",
                          "status": "running", "entered": 1, "last": 1, "visits": 1, "started_at": AT,
                          "ended_at": AT, "open_ms": 1, "spent_ms": 1},
            "run_artifacts": {"source": self.source, "run": 1, "path": "a.md", "type": "t", "feature": "f",
                              "step": "test", "subflow": False, "at": AT, "seq": 1},
            "mode_events": {"source": self.source, "position": 1, "at": AT, "mode": "forge", "event": "phase",
                            "before": "a", "after": "b", "iteration": 1, "title": "fix it", "data": "{}"},
            "task_moves": {"source": self.source, "position": 1, "at": AT, "kind": "next", "before": "a", "after": "b",
                           "data": "{}"},
            "present": {"project": self.project, "kind": "session", "key": "s1", "at": AT, "record": Jsonb({"a": 1})},
        }  # fmt: skip
        return found[table] | {"machine": self.machine}


TABLES = (
    *("projects", "sources", "batches", "runs", "run_events", "run_steps", "run_artifacts", "mode_events"),
    *("task_moves", "present"),
)


def insert(connection: psycopg.Connection, table: str, values: Values) -> Any:
    """Insert one row; return its number, where the table counts."""
    names = SQL(", ").join(map(Identifier, values))
    places = SQL(", ").join(map(Placeholder, values))
    returning = SQL(" RETURNING id" if table in ("projects", "sources") else "")
    statement = SQL("INSERT INTO {} ({}) VALUES ({}){}").format(Identifier("rcs", table), names, places, returning)
    cursor = connection.execute(statement, values)
    return cursor.fetchone()[0] if cursor.description else None  # type: ignore[index]  # it returns one row


def register(connection: psycopg.Connection, name: str, uuid: UUID | None = None) -> tuple[int, str]:
    """Register a machine; return its number and the name that it got."""
    found = connection.execute(
        "SELECT id, name FROM rcs.register(%s, %s, %s, %s)", (uuid or uuid4(), name, "Ada", "rcs-hooks 1")
    ).fetchone()
    assert found is not None
    return int(found[0]), str(found[1])


def owned(connection: psycopg.Connection, name: str) -> Owned:
    """Register a machine with a project and a source, as a writer does before its first batch."""
    machine, shown = register(connection, name)
    first = Owned(machine, shown, 0, 0)
    project = insert(connection, "projects", first.values("projects"))
    source = insert(connection, "sources", first._replace(project=project).values("sources"))
    return Owned(machine, shown, project, source)


def fill(connection: psycopg.Connection, of: Owned) -> None:
    """Insert a row into each further table, in one transaction, as one batch."""
    with connection.transaction():
        for table in TABLES[3:]:
            insert(connection, table, of.values(table))
        add_batch(connection, of)


def add_batch(connection: psycopg.Connection, of: Owned, **other: Any) -> int:
    """Insert the row of the next batch; return its number. To be called in a transaction."""
    found = connection.execute("SELECT rcs.next_batch()").fetchone()
    assert found is not None
    insert(connection, "batches", of.values("batches") | {"id": found[0]} | other)
    return int(found[0])
