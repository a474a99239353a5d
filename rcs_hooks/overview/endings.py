"""Find the modes of a session that have ended in the last day, in their records and in the history."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rcs_hooks.files.clock import seconds
from rcs_hooks.overview.entries import ENDED, LATELY, MODE, Entry
from rcs_hooks.overview.records import moment, of_record, title_of
from rcs_hooks.state import history
from rcs_hooks.text import clean, word
from rcs_hooks.workflow.lifecycle import FINISHED, is_active, outcome_of
from rcs_hooks.workflow.messages.steps import why_early

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rcs_hooks.catalog import ModeDef
    from rcs_hooks.state.history import Event
    from rcs_hooks.state.session import Session

MOST_EVENTS = 100
"""How many events of a session are read, the last ones, for runs that ended before others of the same mode."""
LONGEST_REASON = 200


def entries(root: str, view: Session) -> Iterator[Entry]:
    """Yield the modes that have ended in the last day."""
    since = view.now - LATELY
    for mode, record in (view.own if view.session else view.root).items():
        outcome = outcome_of(record)
        if is_active(record) or not outcome.ends or record.is_tombstone:
            continue
        ended = moment(record.completed_at) or moment(record.updated_at)
        if ended is None or (seconds(ended) or 0.0) < since:
            continue
        entry = of_record(root, view, mode, record)
        is_early = outcome.word == FINISHED and record.is_early
        entry = entry._replace(group=ENDED, since=ended, outcome=outcome.public, is_early=is_early)
        target, why = record.get("transition_target_mode"), record.reason or record.get("error")
        yield entry._replace(detail=_how_it_ended(entry, target, why, view.modes.get(mode)))
    if view.session:
        yield from _ended_before(root, view, view.session, since)


def _ended_before(root: str, view: Session, session: str, since: float) -> Iterator[Entry]:
    """Yield the ended runs of which only the history tells: a later run of the mode has their record now."""
    ends: dict[str, Event] = {}
    for event in history.read(view.folder, session, MOST_EVENTS):
        if event.event in (history.OUTCOME, history.HANDOFF):
            ends[event.mode] = event
        elif event.event == history.RESUMED:
            ends.pop(event.mode, None)
        elif event.event == history.STARTED and (end := ends.pop(event.mode, None)):
            at = moment(end.at)
            if at and (seconds(at) or 0.0) >= since and end.to not in (history.CLEARED, history.OFF):
                yield _of_event(root, view, end, at)


def _of_event(root: str, view: Session, end: Event, at: str) -> Entry:
    name = clean(end.mode)
    title, has_title = title_of(name, view.session, end.title)
    is_handoff = end.event == history.HANDOFF
    entry = Entry(
        MODE, name, title, ENDED, view.session, str(end.n), has_title=has_title, project=root, since=at,
        phase=word(end.from_) if end.from_ else None, outcome=FINISHED if is_handoff else clean(end.to),
    )  # fmt: skip
    why = end.data.get("reason")
    entry = entry._replace(is_early=end.data.get("early") is True)
    return entry._replace(detail=_how_it_ended(entry, end.to if is_handoff else None, why, view.modes.get(name)))


def _how_it_ended(entry: Entry, target: object, reason: object, mode: ModeDef | None) -> str:
    """Return how a run has ended. `target`: the mode that it handed over to; None if it did not."""
    if entry.outcome == FINISHED:
        if isinstance(target, str):
            return f"finished, handed over to {clean(target)}"
        return f"finished early, {why_early(mode, entry.phase or '')}" if entry.is_early else "finished"
    why = clean(reason, LONGEST_REASON)
    phase = f" in phase {entry.phase}" if entry.phase and entry.phase != entry.outcome else ""
    return f"{entry.outcome}{phase}{f': {why}' if why else ''}"
