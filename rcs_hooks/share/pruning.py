"""Deletes what is old from the shared database, in steps that block no writer for long; the schema's owner does it.

A run is old when its last event is, and goes with all its events; the events of modes, the moves of tasks and the
passages go one by one, and so does what else is shown of a machine that has been gone for so long. What a machine sends
is known by its position, which stays, so no event that was pruned comes again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from rcs_hooks.files.clock import iso
from rcs_hooks.share import sql
from rcs_hooks.share.errors import DENIED, ShareError

if TYPE_CHECKING:
    from rcs_hooks.share.connecting import Link

RUNS_AT_ONCE = 200
ROWS_AT_ONCE = 5000
SOURCES_AT_ONCE = 500
BATCHES_AT_ONCE = 10_000


class Pruned(NamedTuple):
    """How much was deleted, or would be."""

    runs: int = 0
    events: int = 0
    moves: int = 0
    documents: int = 0


def prune(link: Link, before: float, *, dry_run: bool = False) -> Pruned:
    """Delete what is older than a moment, and return how much that was; with `dry_run`, how much it would be.

    Raises ShareError for anybody but the schema's owner. If it is interrupted, what was deleted stays deleted.
    """
    check_owner(link)
    values: dict[str, object] = {"before": iso(before)}
    if dry_run:
        return Pruned(*map(int, link.rows(sql.COUNT_PRUNABLE, values)[0]))
    with link.transaction() as connection:  # first: a machine may send at any moment
        connection.execute(sql.REMEMBER_PRUNED, values)
    runs, events = _runs(link, values)
    events += _by_source(link, sql.PRUNE_MODE_EVENTS, values)
    moves = _by_source(link, sql.PRUNE_TASK_MOVES, values)
    documents = _repeated(link, sql.PRUNE_DOCUMENTS, values)
    _batches(link, values)
    link.rows(sql.SAY_PRUNED)
    return Pruned(runs, events, moves, documents)


def now(link: Link) -> float:
    """Return what time the server has: a clock here that is ahead must not delete what is new."""
    return float(link.rows(sql.NOW)[0][0])


def check_owner(link: Link) -> None:
    """Raise ShareError unless this user owns the schema's tables, or is a member of the role that does."""
    ((may, owner),) = link.rows(sql.MAY_PRUNE)
    if not may:
        raise ShareError(
            f"only the owner of the shared schema may prune it, which is the database's user {owner}; a person who may "
            "connect as that user types it",
            DENIED,
        )


def _runs(link: Link, values: dict[str, object]) -> tuple[int, int]:
    runs = events = 0
    while True:
        with link.transaction() as connection:
            ((gone, of_these),) = connection.execute(sql.PRUNE_RUNS, values | {"most": RUNS_AT_ONCE}).fetchall()
        runs, events = runs + gone, events + of_these
        if gone < RUNS_AT_ONCE:
            return runs, events


def _by_source(link: Link, statement: str, values: dict[str, object]) -> int:
    ((last,),) = link.rows(sql.LAST_SOURCE)
    return _in_ranges(link, statement, values, 0, last, SOURCES_AT_ONCE)


def _batches(link: Link, values: dict[str, object]) -> None:
    ((first, last),) = link.rows(sql.BATCHES)
    _in_ranges(link, sql.PRUNE_BATCHES, values, first - 1, last - 1, BATCHES_AT_ONCE)  # the last one stays


def _in_ranges(link: Link, statement: str, values: dict[str, object], start: int, end: int, at_once: int) -> int:
    """Execute a statement for the numbers after `start` up to `end`, some at a time; return how many rows went."""
    deleted = 0
    for after in range(start, end, at_once):
        with link.transaction() as connection:
            some = {"after": after, "upto": min(after + at_once, end)}
            deleted += connection.execute(statement.encode(), values | some).rowcount
    return deleted


def _repeated(link: Link, statement: str, values: dict[str, object]) -> int:
    deleted = 0
    while True:
        with link.transaction() as connection:
            gone = connection.execute(statement.encode(), values | {"most": ROWS_AT_ONCE}).rowcount
        deleted += gone
        if gone < ROWS_AT_ONCE:
            return deleted
