"""The proof of a mode's run as its page shows it: the verdict, the command, what came of it, the end of its output."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rcs_hooks.dashboard import proof_text
from rcs_hooks.overview import proofs
from rcs_hooks.overview.records import moment
from rcs_hooks.state import history
from rcs_hooks.text import clean
from rcs_hooks.workflow.proof import NAME_LENGTH, is_judged, status_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rcs_hooks.catalog import ModeDef
    from rcs_hooks.state.history import Event
    from rcs_hooks.state.session import Session
    from rcs_hooks.workflow.mode_record import ModeRecord
    from rcs_hooks.workflow.proof import Proof, ProofStatus

Record = dict[str, Any]

LONGEST_COMMAND = 1_000


def of_record(view: Session, mode: ModeDef | None, record: ModeRecord) -> Record | None:
    """Return the proof of a run that has a record, as JSON; None where there is nothing to say."""
    proof, status = record.proof, status_of(record)
    is_due = mode is not None and is_judged(mode, record)
    if proof is None and not is_due:
        return None
    shown = _shown(status, proof, is_due=is_due) | {"is_named": record.has_named_proof}
    if proof is None:
        return shown
    output = proof_text.read(view.folder, view.session, proof.output)
    return shown | {
        "output": output.text if not output.problem else None,
        "output_is_cut": output.is_cut,
        "output_problem": output.problem or None,
    }


def of_history(mode: ModeDef | None, events: Sequence[Event]) -> Record | None:
    """Return the proof of a run that its history alone tells of, as JSON; None where there is nothing to say."""
    newest = next((event for event in reversed(events) if event.event == history.PROOF), None)
    end = next((event for event in reversed(events) if event.event == history.OUTCOME), None)
    status, proof = end and proofs.status_in(mode, end, newest), proofs.proof_in(newest)
    if status is None and (proof is None or newest is None):
        return None
    shown = _shown(status or proofs.newest_in(newest), proof, is_due=status is not None)
    return shown | ({"passed": newest.data.get("passed") is True} if proof and newest else {})


def _shown(status: ProofStatus, proof: Proof | None, *, is_due: bool) -> Record:
    """Return a proof as JSON, without its output. `is_due`: whether the run has finished, so that it has a verdict."""
    return {
        "verdict": status.state if is_due else None,
        "says": proofs.words(status) if is_due else proofs.newest(status),
        "command": clean(proof.command, LONGEST_COMMAND) if proof else None,
        "passed": proof.passed if proof else None,
        "exit": proof.exit if proof else None,
        "timed_out": proof.timed_out if proof else False,
        "at": moment(proof.at) if proof else None,
        "seconds": proof.seconds if proof else None,
        "changed": [clean(name, NAME_LENGTH) for name in proof.changed] if proof else [],
        "judged_at": moment(status.judged_at),
        "output": None,
        "output_is_cut": False,
        "output_problem": None,
        "is_named": False,
    }
