"""Sends what the shared database takes of a batch: what it refuses for its data is found by halves, and left out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rcs_hooks.share.errors import DATA, ShareError

if TYPE_CHECKING:
    from collections.abc import Callable

    from rcs_hooks.share.leaving_documents import Document
    from rcs_hooks.share.outbox import Batch, LocalSource
    from rcs_hooks.share.writer import RemoteSource, Writer

    Deliver = Callable[[RemoteSource, Batch], RemoteSource]
    LeftOut = Callable[[str, str, ShareError], None]
    """Takes what was left out, such as "event", of what or of which kind it is, and why."""


def send(deliver: Deliver, source: LocalSource, remote: RemoteSource, batch: Batch, left_out: LeftOut) -> RemoteSource:
    """Add a batch without the records that are refused, and return the source as it is then.

    `deliver`: adds a batch as a whole, or nothing of it.
    Raises Moved, and ShareError for everything but the data: then what was added before is there once, too.
    """
    try:
        return deliver(remote, batch)
    except ShareError as error:
        if error.kind != DATA:
            raise
        if batch.size > 1:
            for half in halves(batch):
                remote = send(deliver, source, remote, half, left_out)
            return remote
        remote = deliver(remote, type(batch)(batch.after, batch.upto, batch.last_at))
        left_out("event", f"of {_owner(source, batch)}", error)
        return remote


def halves(batch: Batch) -> tuple[Batch, Batch]:
    """Return the first and the second half of a batch, each with what belongs to its events."""
    middle = batch.size // 2
    names = ("run_events", "mode_events", "task_moves")
    events = {name: getattr(batch, name)[:middle] for name in names}
    last = next(rows[-1] for rows in events.values() if rows)
    first = batch._replace(upto=last.position, last_at=last.at, **events)
    second = batch._replace(after=last.position, **{name: getattr(batch, name)[middle:] for name in names})
    return _only_its_runs(first), _only_its_runs(second)


def _only_its_runs(batch: Batch) -> Batch:
    last = {event.run: event.position for event in batch.run_events}
    return batch._replace(
        runs=tuple(run._replace(local_last_event=last[run.id]) for run in batch.runs if run.id in last),
        steps=tuple(each for each in batch.steps if each.run in last),
        artifacts=tuple(each for each in batch.artifacts if each.run in last),
    )


def _owner(source: LocalSource, batch: Batch) -> str:
    if batch.runs:
        return f"run {batch.runs[0].run_id}"
    return f"session {source.name}" if batch.mode_events else f"task {source.name}"


def send_documents(
    writer: Writer, project: int, changed: list[Document], gone: list[tuple[str, str]], left_out: LeftOut
) -> None:
    """Store documents without those that are refused, and delete those that are gone. Raises ShareError."""
    try:
        writer.send_documents(project, changed, gone)
    except ShareError as error:
        if error.kind != DATA or not changed:
            raise
        if len(changed) > 1:
            middle = len(changed) // 2
            send_documents(writer, project, changed[:middle], gone, left_out)
            send_documents(writer, project, changed[middle:], [], left_out)
            return
        if gone:
            writer.send_documents(project, [], gone)
        left_out("document", f"of kind {changed[0].kind}", error)
