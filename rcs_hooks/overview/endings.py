"""Find the modes of a session that have ended in the last day, in their records and in the history."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rcs_hooks.files.clock import seconds
from rcs_hooks.overview import proofs
from rcs_hooks.overview.entries import ENDED, LATELY, MODE, Entry
from rcs_hooks.overview.records import moment, of_record, title_of
from rcs_hooks.state import history
from rcs_hooks.text import clean, word
from rcs_hooks.workflow.lifecycle import FINISHED, in_words, is_active, outcome_of, spelled
from rcs_hooks.workflow.messages.steps import why_early
from rcs_hooks.workflow.proof import UNPROVEN, ProofStatus

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rcs_hooks.catalog import ModeDef
    from rcs_hooks.state.history import Event
    from rcs_hooks.state.session import Session

MOST_EVENTS = 100
"""How many events of a session are read, the last ones, for runs that ended before others of the same mode."""
LONGEST_REASON = 200
NO_PROOF = ProofStatus(UNPROVEN)


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
        definition = view.modes.get(mode)
        entry = entry._replace(verdict=proofs.verdict_of(definition, record))
        target, why = record.get("transition_target_mode"), record.reason or record.get("error")
        yield entry._replace(detail=_how_it_ended(entry, target, why, definition))
    if view.session:
        yield from _ended_before(root, view, view.session, since)


def _ended_before(root: str, view: Session, session: str, since: float) -> Iterator[Entry]:
    """Yield the ended runs of which only the history tells: a later run of the mode has their record now."""
    ends: dict[str, Event] = {}
    newest: dict[str, Event] = {}
    """The last proof of each mode's run."""
    for event in history.read(view.folder, session, MOST_EVENTS):
        if event.event in (history.OUTCOME, history.HANDOFF):
            ends[event.mode] = event
        elif event.event == history.PROOF:
            newest[event.mode] = event
        elif event.event == history.RESUMED:
            ends.pop(event.mode, None)
        elif event.event == history.STARTED:
            end, proof = ends.pop(event.mode, None), newest.pop(event.mode, None)
            at = moment(end.at) if end else None
            if end and at and (seconds(at) or 0.0) >= since and end.to not in (history.CLEARED, history.OFF):
                yield _of_event(root, view, end, at, proof)


def _of_event(root: str, view: Session, end: Event, at: str, newest: Event | None) -> Entry:
    name = clean(end.mode)
    title, has_title = title_of(name, view.session, end.title)
    is_handoff = end.event == history.HANDOFF
    entry = Entry(
        MODE, name, title, ENDED, view.session, str(end.n), has_title=has_title, project=root, since=at,
        phase=word(end.from_) if end.from_ and not spelled(end.from_) else None,
        outcome=FINISHED if is_handoff else clean(end.to),
    )  # fmt: skip
    why, mode = end.data.get("reason"), view.modes.get(name)
    proof = proofs.status_in(mode, end, newest)
    entry = entry._replace(is_early=end.data.get("early") is True, proof=proof or NO_PROOF)
    entry = entry._replace(verdict=proof.state if proof else "")
    return entry._replace(detail=_how_it_ended(entry, end.to if is_handoff else None, why, mode))


def _how_it_ended(entry: Entry, target: object, reason: object, mode: ModeDef | None) -> str:
    """Return how a run has ended. `target`: the mode that it handed over to; None if it did not."""
    if entry.outcome == FINISHED:
        if isinstance(target, str):
            return f"finished, handed over to {clean(target)}"
        proof = proofs.words(entry.proof) if entry.proof and entry.verdict else ""
        if entry.is_early:
            why = f", {why_early(mode, entry.phase)}" if entry.phase else ""
            return f"finished early{why}{f'; {proof}' if proof else ''}"
        return f"finished{f', {proof}' if proof else ''}"
    why = clean(reason, LONGEST_REASON)
    phase = f" in phase {entry.phase}" if entry.phase else ""
    return f"{in_words(entry.outcome or '')}{phase}{f': {why}' if why else ''}"
