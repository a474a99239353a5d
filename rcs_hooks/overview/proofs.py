"""Tell what people are shown of a run's proof, from its record or, for a run without one, from its history."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rcs_hooks.state import history
from rcs_hooks.workflow.lifecycle import FINISHED
from rcs_hooks.workflow.mode_record import ModeRecord
from rcs_hooks.workflow.proof import (
    FIELD,
    PROVEN,
    STALE,
    UNPROVEN,
    VERDICTS,
    Proof,
    ProofStatus,
    is_judged,
    status_of,
    words_of,
)

if TYPE_CHECKING:
    from rcs_hooks.catalog import ModeDef
    from rcs_hooks.state.history import Event

NO_TREE = "git:"


def verdict_of(mode: ModeDef | None, record: ModeRecord) -> str:
    """Return the stored verdict on a run that has finished and is more than a plan; empty for any other run."""
    return status_of(record).state if mode and is_judged(mode, record) else ""


def proof_in(event: Event | None) -> Proof | None:
    """Return the proof that an event of a history tells of; None if it tells of none."""
    if event is None or event.event != history.PROOF:
        return None
    return Proof.from_json({**event.data, "at": event.at})


def status_in(mode: ModeDef | None, end: Event, newest: Event | None) -> ProofStatus | None:
    """Return the verdict on a run that its history alone tells of; None where no word is due.

    `end`: the event that ended the run. `newest`: the last event of the run that tells of a proof; None if there is
    none.
    """
    if end.event != history.OUTCOME or end.to != FINISHED or (mode and mode.is_planning):
        return None
    stored = end.data.get("proof")
    if newest and newest.n > end.n:
        stored = PROVEN if newest.data.get("passed") is True else UNPROVEN
    if stored not in VERDICTS:
        return None
    return _status(str(stored), newest, end.at)


def newest_in(event: Event | None) -> ProofStatus:
    """Return what came of the proof that an event tells of: of a run that goes on, or has no verdict."""
    has_passed = event is not None and event.data.get("passed") is True
    return _status(PROVEN if has_passed else UNPROVEN, event, event.at if event else "")


def _status(state: str, newest: Event | None, judged_at: str) -> ProofStatus:
    proof = proof_in(newest)
    if proof is None:
        return ProofStatus(state)
    # A history has no fingerprints: its verdict was decided with them.
    return status_of(ModeRecord({FIELD: {**proof.to_json(), "state": state, "judged_at": judged_at, "tree": NO_TREE}}))


def words(status: ProofStatus) -> str:
    """Return a verdict in words; one word if the command is not known."""
    return words_of(status) if status.command else status.state


def newest(status: ProofStatus) -> str:
    """Return what came of the newest proof of a run that goes on, without the time; empty if there is none."""
    if not status.command:
        return ""
    came = f"{status.ran} {status.result}"
    return f"files have changed since {came}" if status.state == STALE else came
