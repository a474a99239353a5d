"""What happens to the record of one mode: it starts, resumes, waits, is answered, ends.

Every function takes a record and returns another one. Fields that nobody here knows survive in all of them.
"""

from __future__ import annotations

from rcs_hooks.workflow.lifecycle import (
    ASK,
    BLOCKED_ON_USER,
    CANCELLED,
    FINISHED,
    INTERLUDE,
    OUTCOME_FIELDS,
    OUTCOMES,
    REASON,
    VERDICT,
    is_active,
    outcome_of,
    spelled,
)
from rcs_hooks.workflow.mode_record import CLEARED, ModeRecord

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from rcs_hooks.catalog import ModeDef
    from rcs_hooks.jsontext import JsonObject

AUDIT_FIELDS = (
    "auto_completed_reason",
    "completion_note",
    "transition_source",
    "transition_target_mode",
)
RUN_FIELDS = (
    VERDICT,
    REASON,
    *OUTCOME_FIELDS,
    *AUDIT_FIELDS,
    "completed_at",
    "error",
    "question_enforcement",
    "resumed_from",
    "review_cycle",
    *("title", "visited", "reason", "evidence", "plan", "brief", "finding", "reviewed", "early", "proof"),
    "proof_named",
)
"""The fields that belong to one run, so that the next run starts without them."""
NOTHING: Mapping[str, object] = {}


def transition_message(source: str, target: str) -> str:
    return f"mode transiting: {source} -> {target}"


def started(
    mode: ModeDef,
    old: ModeRecord | None,
    *,
    session: str | None,
    turn: str | None,
    now: str,
    given: Mapping[str, object] = NOTHING,
) -> ModeRecord:
    """Return the record of a mode that is to run: as it is if active, resumed where it stopped, or a fresh run.

    `old`: the record so far; None if there is none. `given`: title, plan, brief and finding, as far as the prompt or an
    earlier run gives them (`state/handover.py`).
    """
    if old is not None and is_active(old):
        return old
    if old is not None and outcome_of(old).resumes and old.phase != CLEARED:
        return _resumed(mode, old, session=session, turn=turn, now=now, given=given)
    return fresh(mode, old, session=session, turn=turn, now=now, given=given)


def fresh(
    mode: ModeDef,
    old: ModeRecord | None,
    *,
    session: str | None,
    turn: str | None,
    now: str,
    given: Mapping[str, object] = NOTHING,
) -> ModeRecord:
    """Return the record of a run that begins anew; of the record so far, only fields that belong to no run stay."""
    begun: JsonObject = {
        "active": True,
        "mode": mode.name,
        "current_phase": mode.first_phase,
        "started_at": now,
        "updated_at": now,
        "run": now,
    }
    record = (old or ModeRecord({})).without((*RUN_FIELDS, "iteration"))
    record = record.with_fields({**begun, **given, **_owner(session, turn)})
    if mode.max_iterations is not None:
        record = record.with_fields({"iteration": mode.iteration, "max_iterations": mode.max_iterations})
    return record.with_fields({"state": {}}).with_fields(mode.first_fields())


def _owner(session: str | None, turn: str | None) -> JsonObject:
    owner: JsonObject = {}
    if session:
        owner["session_id"] = session
    if turn:
        owner["turn_id"] = turn
    return owner


def _resumed(
    mode: ModeDef,
    old: ModeRecord,
    *,
    session: str | None,
    turn: str | None,
    now: str,
    given: Mapping[str, object],
) -> ModeRecord:
    record = without_outcome(mode, old, now=now)
    record = _enforcement(record, CLEARED, {"cleared_at": now, "clear_reason": "the run was taken up again"})
    earlier: JsonObject = {
        "outcome": outcome_of(old).public,
        "completed_at": old.get("completed_at"),
        "error": old.get("error"),
    }
    earlier |= {"reason": old.reason} if old.reason else {}
    if title := given.get("title"):
        earlier["title"] = title
    record = record.with_fields({**given, "title": old.title} if old.title else given)
    started_again: JsonObject = {"resumed_from": earlier, "active": True, "mode": mode.name, "run": now}
    record = record.without((*AUDIT_FIELDS, "reason", "evidence"))
    return _with_iterations_left(mode, record.with_fields(started_again | _owner(session, turn)))


def _with_iterations_left(mode: ModeDef, record: ModeRecord) -> ModeRecord:
    """Return the record with its iterations counted anew if they are used up: otherwise the next Stop ends the turn."""
    if not record.is_exhausted:
        return record
    return record.without(("visited",)).with_fields({"iteration": mode.iteration or 0})


def continued(mode: ModeDef, old: ModeRecord, *, now: str) -> ModeRecord:
    """Return the record of a run that goes on because the person has just said so."""
    return _with_iterations_left(mode, old.with_fields({"updated_at": now}))


def without_outcome(mode: ModeDef, old: ModeRecord, *, now: str) -> ModeRecord:
    """Return the record without its outcome, whatever field states it."""
    record = old.without((*OUTCOME_FIELDS, "completed_at", "error"))
    if spelled(record.phase):
        record = record.with_fields({"current_phase": mode.first_phase})
    return record.with_fields({"updated_at": now})


def answered(mode: ModeDef, old: ModeRecord, *, now: str) -> ModeRecord:
    """Return the record of a mode whose wait has ended, because the person has answered."""
    record = without_outcome(mode, old, now=now) if outcome_of(old).waits else old.with_fields({"updated_at": now})
    return _enforcement(record, "satisfied", {"satisfied_at": now})


def waiting(mode: str, old: ModeRecord, *, question: str, now: str) -> ModeRecord:
    """Return the record of a mode that waits for the answer to a question; it stays active. `question`: its id."""
    enforcement = {
        "obligation_id": f"obligation-{question}",
        "source": mode,
        "status": "pending",
        "lifecycle_outcome": ASK,
        "requested_at": now,
        "question_id": question,
    }
    return with_outcome(old, ASK, now=now).with_fields({"question_enforcement": enforcement})


def _enforcement(record: ModeRecord, status: str, fields: Mapping[str, object]) -> ModeRecord:
    if not record.has_question_pending:
        return record
    return record.with_fields({"question_enforcement": {**record.question_enforcement, "status": status, **fields}})


def with_outcome(old: ModeRecord, word: str, *, now: str, legacy: str | None = None) -> ModeRecord:
    """Return the record with an outcome in the canonical field and the legacy one.

    An outcome that ends the run switches the mode off. `legacy`: the word for the legacy field, if it is not the usual
    one.
    """
    stated = {"lifecycle_outcome": word, "run_outcome": legacy or OUTCOMES[word].legacy, "updated_at": now}
    record = old.without(("terminal_outcome",)).with_fields(stated)
    if not outcome_of(record).ends:
        return record
    record = record.with_fields({"active": False, "completed_at": now})
    return _enforcement(record, CLEARED, {"cleared_at": now, "clear_reason": f"the run ended: {word}"})


def completed(source: str, old: ModeRecord, target: str, *, now: str, path: str) -> ModeRecord:
    """Return the record of a mode that ends because it hands over to the mode `target`.

    `source`: the mode that ends. `path`: the file of its record `old`, which the record names as the transition's
    source. The fields that say why it ended are those that other tools read.
    """
    return with_outcome(old, FINISHED, now=now).with_fields(
        {
            "mode": source,
            "current_phase": "completed",
            "auto_completed_reason": transition_message(source, target),
            "completion_note": f"{source} was completed because {target} was requested",
            "transition_source": path,
            "transition_target_mode": target,
        }
    )


def interrupted(mode: str, old: ModeRecord, *, now: str) -> ModeRecord:
    """Return the record of a run that the person ended: its outcome is userinterlude, for old readers cancelled."""
    return with_outcome(old, INTERLUDE, now=now, legacy=CANCELLED).with_fields({"mode": mode})


def survivor_ended(mode: str, old: ModeRecord, *, session: str, now: str) -> ModeRecord:
    """Return the ended form of a root record that would otherwise become active again for the session."""
    note = f"ended by session {session}, which keeps this mode's record now"
    return old.with_fields(
        {
            "active": False,
            "mode": mode,
            "current_phase": CLEARED,
            "completed_at": now,
            "updated_at": now,
            "completion_note": note,
        }
    )


def keeping_outcome(record: ModeRecord, old: ModeRecord) -> ModeRecord:
    """Return `record`, written over `old`, with the outcome of `old` stated again if the write has covered it up.

    A mode that was off stays off: only a write that sets `active` removes an outcome.
    """
    before = outcome_of(old)
    if before.word and outcome_of(record).word is None:
        if before.word == BLOCKED_ON_USER:
            record = record.with_fields({"run_outcome": BLOCKED_ON_USER})
        else:
            legacy = OUTCOMES[str(before.public)].legacy
            record = record.with_fields({"lifecycle_outcome": before.public, "run_outcome": legacy})
    if not old.is_empty and not is_active(old) and is_active(record):
        return record.with_fields({"active": False})
    return record


def tombstone(mode: str, *, session: str, now: str) -> ModeRecord:
    """Return a record that keeps the root record of a mode from counting for the session again."""
    return ModeRecord(
        {
            "active": False,
            "mode": mode,
            "current_phase": CLEARED,
            "completed_at": now,
            "updated_at": now,
            "session_id": session,
        }
    )


def merged(mode: str, old: ModeRecord, fields: Mapping[str, object], *, session: str | None, now: str) -> ModeRecord:
    """Return the record with checked fields written into it; `state` is merged key by key.

    An outcome that ends the run switches the mode off. A new field gets its place in the file here, so the order of
    these lines is the order on disk.
    """
    record = old.with_fields({"mode": mode}).with_fields(fields)
    if isinstance(state := fields.get("state"), dict):
        record = record.with_fields({"state": {**old.state, **state}})
    if session:
        record = record.with_fields({"session_id": session})
    record = record.with_fields({"updated_at": fields.get("updated_at") or now})
    if not record.has("active"):
        record = record.with_fields({"active": False})
    record = record.with_fields(_outcome_fields(fields))
    if outcome_of(record).ends:
        record = record.with_fields({"active": False})
        record = record.with_fields({"completed_at": record.get("completed_at") or now})
    if not record.is_switched_on:
        outcome = outcome_of(record)
        reason = f"the run ended: {outcome.public if outcome.ends else 'switched off'}"
        record = _enforcement(record, CLEARED, {"cleared_at": now, "clear_reason": reason})
    return record


def _outcome_fields(fields: Mapping[str, object]) -> JsonObject:
    """Return the canonical and the legacy field for the outcome that the written fields state, if any."""
    legacy = fields.get("run_outcome")
    if word := fields.get("lifecycle_outcome") or fields.get("terminal_outcome"):
        return {"lifecycle_outcome": word, "run_outcome": legacy or OUTCOMES[str(word)].legacy}
    if (meant := spelled(legacy)) and OUTCOMES[meant].ends:
        return {"lifecycle_outcome": OUTCOMES[meant].shown}
    return {}
