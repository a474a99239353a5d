"""What happens to the record of one mode: started, taken up, completed, ended, waiting, answered.

Every function takes a record and gives a new one; fields that we do not know survive in all of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rcs_hooks.catalog import MODES
from rcs_hooks.workflow.lifecycle import (
    ASK,
    BLOCKED_ON_USER,
    CANCELLED,
    FINISHED,
    INTERLUDE,
    LEGACY,
    OUTCOME_FIELDS,
    RESUMABLE,
    WAITING,
    Outcome,
    is_active,
    outcome_of,
    question_pending,
    spelled,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

Record = dict[str, Any]

AUDIT_FIELDS = (
    "auto_completed_reason",
    "completion_note",
    "transition_source",
    "transition_target_mode",
)
RUN_FIELDS = (
    "review_verdict",
    "return_to_blueprint_reason",
    *OUTCOME_FIELDS,
    *AUDIT_FIELDS,
    "completed_at",
    "error",
    "question_enforcement",
    "resumed_from",
    "review_cycle",
)
CLEARED = "cleared"


def transition_message(source: str, target: str) -> str:
    return f"mode transiting: {source} -> {target}"


def started(mode: str, old: Mapping[str, Any] | None, *, session: str | None, turn: str | None, now: str) -> Record:
    """The mode runs. After a stop that can be taken up again it goes on where it was; else it starts afresh."""
    if old and is_active(old):
        return dict(old)
    if old and outcome_of(old).word in RESUMABLE and old.get("current_phase") != CLEARED:
        return _resumed(mode, old, session=session, turn=turn, now=now)
    entry = MODES[mode]
    record: Record = {key: value for key, value in (old or {}).items() if key not in RUN_FIELDS}
    record |= {
        "active": True,
        "mode": mode,
        "current_phase": entry.first_phase,
        "started_at": now,
        "updated_at": now,
    }
    record |= _owner(session, turn)
    record.pop("iteration", None)
    if entry.max_iterations is not None:
        record |= {"iteration": entry.iteration, "max_iterations": entry.max_iterations}
    record["state"] = {}
    if mode == "autopilot":
        record["review_cycle"] = 0
        record["state"] = {
            "phase_cycle": ["blueprint", "forge", "code-review"],
            "handoff_artifacts": {"blueprint": None, "forge": None, "code_review": None},
            "review_verdict": None,
            "return_to_blueprint_reason": None,
        }
    return record


def _owner(session: str | None, turn: str | None) -> Record:
    owner: Record = {}
    if session:
        owner["session_id"] = session
    if turn:
        owner["turn_id"] = turn
    return owner


def _resumed(mode: str, old: Mapping[str, Any], *, session: str | None, turn: str | None, now: str) -> Record:
    record = lifted(mode, old, now=now)
    record = _enforcement(record, CLEARED, {"cleared_at": now, "clear_reason": "the run was taken up again"})
    for field in AUDIT_FIELDS:
        record.pop(field, None)
    record["resumed_from"] = {
        "outcome": outcome_of(old).public,
        "completed_at": old.get("completed_at"),
        "error": old.get("error"),
    }
    record |= {"active": True, "mode": mode} | _owner(session, turn)
    iteration, most = record.get("iteration"), record.get("max_iterations")
    if isinstance(iteration, int) and isinstance(most, int) and iteration >= most:
        record["iteration"] = MODES[mode].iteration or 0
    return record


def lifted(mode: str, old: Mapping[str, Any], *, now: str) -> Record:
    """Without its outcome, whatever field stated it."""
    record = {key: value for key, value in old.items() if key not in (*OUTCOME_FIELDS, "completed_at", "error")}
    if spelled(record.get("current_phase")):
        record["current_phase"] = MODES[mode].first_phase
    record["updated_at"] = now
    return record


def answered(mode: str, old: Mapping[str, Any], *, now: str) -> Record:
    """The person has spoken: the wait is lifted and the run goes on."""
    was_waiting = outcome_of(old).word in WAITING
    record = lifted(mode, old, now=now) if was_waiting else dict(old)
    record["updated_at"] = now
    return _enforcement(record, "satisfied", {"satisfied_at": now})


def waiting(mode: str, old: Mapping[str, Any], *, question: str, now: str) -> Record:
    """A blocking question was asked: the mode stays active and waits for the person."""
    enforcement = {
        "obligation_id": f"obligation-{question}",
        "source": mode,
        "status": "pending",
        "lifecycle_outcome": ASK,
        "requested_at": now,
        "question_id": question,
    }
    return with_outcome(old, ASK, now=now) | {"question_enforcement": enforcement}


def _enforcement(record: Record, status: str, fields: Mapping[str, Any]) -> Record:
    if question_pending(record):
        record["question_enforcement"] = {**record["question_enforcement"], "status": status, **fields}
    return record


def with_outcome(old: Mapping[str, Any], word: str, *, now: str, legacy: str | None = None) -> Record:
    """The canonical field, and the legacy one beside it; an outcome that ends the run switches it off."""
    record = dict(old)
    record.pop("terminal_outcome", None)
    record |= {"lifecycle_outcome": word, "run_outcome": legacy or LEGACY[word], "updated_at": now}
    if outcome_of(record).ends:
        record |= {"active": False, "completed_at": now}
        record = _enforcement(record, CLEARED, {"cleared_at": now, "clear_reason": f"the run ended: {word}"})
    return record


def completed(source: str, old: Mapping[str, Any], target: str, *, now: str, path: str) -> Record:
    """Handed over to `target`, with the audit fields of the contract."""
    record = with_outcome(old, FINISHED, now=now)
    return record | {
        "mode": source,
        "current_phase": "completed",
        "auto_completed_reason": transition_message(source, target),
        "completion_note": f"{source} was completed because {target} was requested",
        "transition_source": path,
        "transition_target_mode": target,
    }


def interrupted(mode: str, old: Mapping[str, Any], *, now: str) -> Record:
    """Ended by the person: people read userinterlude, old readers cancelled."""
    return with_outcome(old, INTERLUDE, now=now, legacy=CANCELLED) | {"mode": mode}


def survivor_ended(mode: str, old: Mapping[str, Any], *, session: str, now: str) -> Record:
    """A root record that would otherwise come back after its session has moved on."""
    note = f"ended by session {session}, which keeps this mode's record now"
    return dict(old) | {
        "active": False,
        "mode": mode,
        "current_phase": CLEARED,
        "completed_at": now,
        "updated_at": now,
        "completion_note": note,
    }


def keeping_outcome(record: Mapping[str, Any], old: Mapping[str, Any]) -> Record:
    """Only what sets `active` lifts an outcome: one that a write has covered up is stated again."""
    before, kept = outcome_of(old), dict(record)
    if before.word and outcome_of(record).word is None:
        if before.word == BLOCKED_ON_USER:
            kept["run_outcome"] = BLOCKED_ON_USER
        else:
            kept |= {"lifecycle_outcome": before.public, "run_outcome": LEGACY[str(before.public)]}
    if old and not is_active(old) and is_active(kept):
        kept["active"] = False
    return kept


def tombstone(mode: str, *, session: str, now: str) -> Record:
    """Keeps a root record of the mode from standing in for the session again."""
    return {
        "active": False,
        "mode": mode,
        "current_phase": CLEARED,
        "completed_at": now,
        "updated_at": now,
        "session_id": session,
    }


def is_tombstone(record: Mapping[str, Any]) -> bool:
    return record.get("current_phase") == CLEARED and record.get("active") is not True


def merged(mode: str, old: Mapping[str, Any], given: Mapping[str, Any], *, session: str | None, now: str) -> Record:
    """The record, then the given fields; `state` key by key. An outcome that ends the run switches it off."""
    record = dict(old) | {"mode": mode} | dict(given)
    if "state" in given:
        kept = old.get("state")
        record["state"] = {**(kept if isinstance(kept, dict) else {}), **given["state"]}
    if session:
        record["session_id"] = session
    record["updated_at"] = given.get("updated_at") or now
    record.setdefault("active", False)
    word = given.get("lifecycle_outcome") or given.get("terminal_outcome")
    if word:
        record["lifecycle_outcome"] = word
        record["run_outcome"] = given.get("run_outcome") or LEGACY[word]
    elif (legacy := Outcome(spelled(given.get("run_outcome")), None)).ends:
        record["lifecycle_outcome"] = INTERLUDE if legacy.word == CANCELLED else legacy.word
    if outcome_of(record).ends:
        record["active"] = False
        record["completed_at"] = record.get("completed_at") or now
    if record["active"] is not True:
        reason = f"the run ended: {outcome_of(record).public or 'switched off'}"
        record = _enforcement(record, CLEARED, {"cleared_at": now, "clear_reason": reason})
    return record
