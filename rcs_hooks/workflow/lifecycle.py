"""Outcomes: the table of them, which one the record of a mode states, and what that means for the run.

Rules of this file:
- To add an outcome is to add its entry to `OUTCOMES`.
- The first field that states an outcome decides: a canonical field, the legacy field, then what the rest of the
  record implies. A word that is no spelling of an outcome is skipped.
"""

from __future__ import annotations

from rcs_hooks.text import clean
from rcs_hooks.tuples import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from rcs_hooks.workflow.mode_record import ModeRecord

FINISHED, BLOCKED, FAILED = "finished", "blocked", "failed"
INTERLUDE, ASK = "userinterlude", "askuserQuestion"
CANCELLED, BLOCKED_ON_USER, PROGRESS = "cancelled", "blocked_on_user", "progress"


class OutcomeDef:
    """The definition of one outcome, whose name is `word`: how it is written, what it means, which word people read."""

    __slots__ = ("ends", "is_failure", "legacy", "resumes", "shown", "shown_pending", "spellings", "waits", "word")

    def __init__(
        self,
        word: str,
        spellings: str,
        *,
        legacy: str = "",
        shown: str | None = None,
        shown_pending: str | None = None,
        ends: bool = False,
        waits: bool = False,
        resumes: bool = False,
        is_failure: bool = False,
    ) -> None:
        self.word = word
        self.spellings = spellings.split()
        """Every way to write it, folded: lower case, without hyphens and underscores."""
        self.legacy = legacy
        """What `run_outcome` says where this outcome is written, for readers that know only that field. Empty for an
        outcome that people may not write: it is only read, and written as the outcome in `shown`."""
        self.shown = word if legacy else shown
        """The word that people read for this outcome; None if the run goes on."""
        self.shown_pending = shown_pending or self.shown
        """The word that people read for this outcome while a question of the mode is pending."""
        self.ends = ends
        self.waits = waits
        """Whether the run stays active and waits for the person."""
        self.resumes = resumes
        """Whether naming the skill again takes the run up where it stopped."""
        self.is_failure = is_failure
        """Whether somebody has to look at the run."""

    @property
    def is_public(self) -> bool:
        """Tell whether people may write this outcome."""
        return bool(self.legacy)


OUTCOMES = {
    outcome.word: outcome
    for outcome in (
        OutcomeDef(FINISHED, "finish finished complete completed done", legacy="finish", ends=True),
        OutcomeDef(BLOCKED, "blocked", legacy="blocked", ends=True, resumes=True, is_failure=True),
        OutcomeDef(FAILED, "fail failed error", legacy="failed", ends=True, resumes=True, is_failure=True),
        OutcomeDef(INTERLUDE, "userinterlude interrupt interrupted", legacy="cancelled", ends=True, resumes=True),
        OutcomeDef(ASK, "askuserquestion askuser question", legacy="blocked_on_user", waits=True),
        OutcomeDef(CANCELLED, "cancelled canceled cancel aborted abort", shown=INTERLUDE, ends=True, resumes=True),
        OutcomeDef(BLOCKED_ON_USER, "blockedonuser", shown=INTERLUDE, shown_pending=ASK, waits=True),
        OutcomeDef(PROGRESS, "progress continue continued", shown_pending=ASK),
    )
}
"""The one table of outcomes; everything else about them is derived from it."""

SPELLINGS = {spelling: outcome.word for outcome in OUTCOMES.values() for spelling in outcome.spellings}
PUBLIC = tuple(outcome.word for outcome in OUTCOMES.values() if outcome.is_public)
FAILURES = tuple(outcome.word for outcome in OUTCOMES.values() if outcome.is_failure)

CANONICAL_FIELDS = ("lifecycle_outcome", "terminal_outcome")
OUTCOME_FIELDS = (*CANONICAL_FIELDS, "run_outcome")
IN_WORDS = {INTERLUDE: "stopped by the user"}
"""What sentences for people say in place of an outcome whose name is no word of English."""


def in_words(outcome: str) -> str:
    """Return how sentences for people tell an outcome: most by its name."""
    return IN_WORDS.get(outcome, outcome)


class Outcome(NamedTuple):
    """The outcome that a record states; both fields are None while the run goes on."""

    definition: OutcomeDef | None
    public: str | None
    """The word that people read for the outcome."""

    @property
    def word(self) -> str | None:
        """Return the name of the outcome in `OUTCOMES`; None while the run goes on."""
        return self.definition.word if self.definition else None

    @property
    def ends(self) -> bool:
        return self.definition is not None and self.definition.ends

    @property
    def waits(self) -> bool:
        return self.definition is not None and self.definition.waits

    @property
    def resumes(self) -> bool:
        return self.definition is not None and self.definition.resumes


def any_of(words: Sequence[str]) -> str:
    """Return the words as a choice: `finished, blocked or failed`; one word alone as it is."""
    return " or ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def spelled(value: object) -> str | None:
    """Return the name of the outcome that a value spells, in any of its spellings; None if it spells none."""
    if not isinstance(value, str):
        return None
    return SPELLINGS.get(value.strip().lower().replace("-", "").replace("_", ""))


def last_phase(record: ModeRecord) -> str:
    """Return the phase that a run is in, or was in when it ended; empty if nothing says so.

    Some writers put the outcome's word in its place, which is no phase.
    """
    return next((phase for phase in (record.phase, *reversed(record.visited)) if phase and not spelled(phase)), "")


def outcome_of(record: ModeRecord) -> Outcome:
    """Return the outcome that a mode's record states; the first field that states one decides."""
    word = None
    for field in OUTCOME_FIELDS:
        if word := spelled(record.get(field)):
            break
    is_pending = record.has_question_pending
    if word is None:
        word = _inferred(record, is_pending=is_pending)
    if word == PROGRESS:
        word = ASK if is_pending else None
    if word is None:
        return Outcome(None, None)
    outcome = OUTCOMES[word]
    return Outcome(outcome, outcome.shown_pending if is_pending else outcome.shown)


def _inferred(record: ModeRecord, *, is_pending: bool) -> str | None:
    if word := spelled(record.phase):
        return word
    if is_pending:
        return ASK
    if _says_something(record.get("error")):
        return FAILED
    return FINISHED if _says_something(record.get("completed_at")) else None


def _says_something(value: object) -> bool:
    return bool(value.strip()) if isinstance(value, str) else bool(value)


def is_active(record: ModeRecord) -> bool:
    """Tell whether a mode is active: switched on, and without an outcome or waiting for the person.

    No other function decides whether a mode is active.
    """
    return record.is_switched_on and not outcome_of(record).ends


VERDICT, REASON = "review_verdict", "return_to_blueprint_reason"
"""The fields of a review: its verdict, and why the work has to go back."""
CLEAN_VERDICTS = frozenset({"clean", "approve", "approved", "pass", "passed"})
UNCLEAN = "not clean"
"""The verdict that skills write for any other one; alone it says nothing of what was found."""


class Review(NamedTuple):
    """What one place of a record says of a review; the fields may hold any type."""

    verdict: object
    reason: object


def reviews_of(record: ModeRecord) -> tuple[Review, Review]:
    """Return what a record says of its review: in `state`, where the skill writes, and then in the record itself."""
    return (
        Review(record.state.get(VERDICT), record.state.get(REASON)),
        Review(record.get(VERDICT), record.get(REASON)),
    )


def review_is_open(record: ModeRecord) -> bool:
    """Tell whether Autopilot's review is not clean, so that the run may go back to the blueprint.

    One unclean verdict is enough, or one reason to go back.
    """
    return any(_asks_for_changes(each) for each in reviews_of(record))


def review_is_clean(record: ModeRecord) -> bool:
    """Tell whether a review has said that all is well: it gave a verdict, and none that is unclean."""
    return not review_is_open(record) and any(_says_something(each.verdict) for each in reviews_of(record))


def verdict_note(record: ModeRecord) -> list[object]:
    """Return what a record notes of its verdict when the run comes to another review; empty if it has no verdict."""
    reviews = reviews_of(record)
    return [list(each) for each in reviews] if any(map(_says_something, sum(reviews, ()))) else []


def review_is_due(record: ModeRecord) -> bool:
    """Tell whether a run has come to another review since its last verdict, which does not count for this one."""
    noted = record.get("reviewed")
    return bool(noted) and noted == verdict_note(record)


def review_finding(record: ModeRecord, length: int) -> str:
    """Return in words what a review has found against a run: the reason to go back, else the verdict; empty if nothing.

    `length`: how much of it at most.
    """
    reviews = reviews_of(record)
    found = [each.reason for each in reviews] + [each.verdict for each in reviews if not is_clean(each.verdict)]
    return next((shown for each in found if (shown := clean(each, length))), "")


def _asks_for_changes(review: Review) -> bool:
    verdict, reason = review
    if isinstance(reason, str) and reason.strip():
        return True
    return (_says_something(verdict) or verdict is False) and not is_clean(verdict)


def is_clean(verdict: object) -> bool:
    """Tell whether the verdict of a review, in any form that a skill or another tool writes, is clean."""
    if isinstance(verdict, dict):
        return verdict.get("clean") is True
    return isinstance(verdict, str) and verdict.strip().lower() in CLEAN_VERDICTS
