"""Outcomes: which one a mode file states, and what it means for the run.

Rules of this file:
- The first that speaks: the canonical field, the legacy field, inference from the rest of the record.
- A word that means nothing is passed over.
- `finished`, `failed`, `blocked`, `userinterlude` and the internal `cancelled` end the run; `askuserQuestion`
  and the compatibility signal `blocked_on_user` leave it active and waiting.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

FINISHED, BLOCKED, FAILED = "finished", "blocked", "failed"
INTERLUDE, ASK = "userinterlude", "askuserQuestion"
CANCELLED, BLOCKED_ON_USER, GOES_ON = "cancelled", "blocked_on_user", "progress"

PUBLIC = (FINISHED, BLOCKED, FAILED, INTERLUDE, ASK)
ENDING = frozenset({FINISHED, BLOCKED, FAILED, INTERLUDE, CANCELLED})
WAITING = frozenset({ASK, BLOCKED_ON_USER})
RESUMABLE = frozenset({BLOCKED, FAILED, INTERLUDE, CANCELLED})
"""Naming the skill again takes such a run up where it was."""

# Folded: lower case, hyphens and underscores gone.
SPELLINGS = {
    spelling: word
    for word, spellings in {
        FINISHED: "finish finished complete completed done",
        FAILED: "fail failed error",
        BLOCKED: "blocked",
        INTERLUDE: "userinterlude interrupt interrupted",
        ASK: "askuserquestion askuser question",
        CANCELLED: "cancelled canceled cancel aborted abort",
        BLOCKED_ON_USER: "blockedonuser",
        GOES_ON: "progress continue continued",
    }.items()
    for spelling in spellings.split()
}

LEGACY = {
    FINISHED: "finish",
    FAILED: "failed",
    BLOCKED: "blocked",
    INTERLUDE: "cancelled",
    ASK: "blocked_on_user",
}
"""What `run_outcome` says beside each canonical outcome, for readers that know only that field."""

CANONICAL_FIELDS = ("lifecycle_outcome", "terminal_outcome")
OUTCOME_FIELDS = (*CANONICAL_FIELDS, "run_outcome")


class Outcome(NamedTuple):
    word: str | None
    """The internal word; None while the run goes on."""
    public: str | None
    """What people are told."""

    @property
    def ends(self) -> bool:
        return self.word in ENDING

    @property
    def waits(self) -> bool:
        return self.word in WAITING


def spelled(value: object) -> str | None:
    """The word that a value means, in any of its spellings; None if it means nothing."""
    if not isinstance(value, str):
        return None
    return SPELLINGS.get(value.strip().lower().replace("-", "").replace("_", ""))


def question_pending(record: Mapping[str, Any]) -> bool:
    enforcement = record.get("question_enforcement")
    return isinstance(enforcement, dict) and enforcement.get("status") == "pending"


def outcome_of(record: Mapping[str, Any]) -> Outcome:
    """The outcome of one mode file, by the order of precedence."""
    word = next((word for field in OUTCOME_FIELDS if (word := spelled(record.get(field)))), None)
    pending = question_pending(record)
    if word is None:
        word = _inferred(record, pending=pending)
    if word == GOES_ON:
        word = ASK if pending else None
    return Outcome(word, _public(word, pending=pending))


def _inferred(record: Mapping[str, Any], *, pending: bool) -> str | None:
    if word := spelled(record.get("current_phase")):
        return word
    if pending:
        return ASK
    if _says_something(record.get("error")):
        return FAILED
    return FINISHED if _says_something(record.get("completed_at")) else None


def _says_something(value: object) -> bool:
    return bool(value.strip()) if isinstance(value, str) else bool(value)


def _public(word: str | None, *, pending: bool) -> str | None:
    if word == BLOCKED_ON_USER:
        return ASK if pending else INTERLUDE
    return INTERLUDE if word == CANCELLED else word


def is_active(record: Mapping[str, Any]) -> bool:
    """The one answer to "is this mode active": switched on, and without an outcome or waiting for the person."""
    return record.get("active") is True and not outcome_of(record).ends


CLEAN_VERDICTS = frozenset({"clean", "approve", "approved", "pass", "passed"})


def review_is_open(record: Mapping[str, Any]) -> bool:
    """Whether Autopilot's review is not clean, so that it may go back to the blueprint."""
    state = record.get("state")
    for place in (state if isinstance(state, dict) else {}, record):
        reason, verdict = place.get("return_to_blueprint_reason"), place.get("review_verdict")
        if isinstance(reason, str) and reason.strip():
            return True
        if (_says_something(verdict) or verdict is False) and not _is_clean(verdict):
            return True
    return False


def _is_clean(verdict: object) -> bool:
    if isinstance(verdict, dict):
        return verdict.get("clean") is True
    return isinstance(verdict, str) and verdict.strip().lower() in CLEAN_VERDICTS
