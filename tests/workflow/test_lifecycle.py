"""Outcomes of mode files: every spelling found in the wild, by every field that may state it.

The expectations are written out by hand from the contract and the table of spellings found in the wild; none is
taken from the code.
"""

from __future__ import annotations

from itertools import product
from typing import Any, NamedTuple

import pytest

from rcs_hooks.workflow.lifecycle import (
    FAILURES,
    OUTCOMES,
    PUBLIC,
    any_of,
    is_active,
    outcome_of,
    review_finding,
    review_is_open,
)
from rcs_hooks.workflow.mode_record import ModeRecord
from tests import contract
from tests.table import each_row

Record = dict[str, Any]


class Means(NamedTuple):
    """What people are told (None: nothing, the run goes on), and what becomes of the run."""

    public: str | None
    ends: bool
    waits: bool


FINISHED, FAILED, BLOCKED, INTERLUDE, ASKS, _, WAITS, GOES_ON = (Means(*row[:3]) for row in contract.OUTCOMES.values())

SPELLINGS: list[tuple[str, Means, Means]] = [
    (spelling, means, ASKS if means in (WAITS, GOES_ON) else means)
    for row in contract.OUTCOMES.values()
    for means in [Means(*row[:3])]
    for word in row.spellings.split()
    for spelling in dict.fromkeys(
        [word, word.upper(), word.capitalize(), word.replace("-", "_"), word.replace("_", "-")]
    )
] + [(word, ASKS, ASKS) for word in ("AskUserQuestion", "askuserQuestion", "ask_user-question", "ask_user")]
"""What is written, what it means, and what it means while a question of this mode is pending."""
ONE_OF_EACH = [
    next(row for row in SPELLINGS if row[1] == means) for means in dict.fromkeys(row[1] for row in SPELLINGS)
]
"""For the layers above, which ask this one what a word means."""


def cases(spellings: list[tuple[str, Means, Means]]) -> list[Any]:
    return [
        pytest.param(spelling, means, pending, id=f"{spelling}-{'asked' if pending else 'plain'}")
        for spelling, plain, asked in spellings
        for means, pending in ((plain, False), (asked, True))
    ]


CASES = cases(SPELLINGS)
FIELDS = ("lifecycle_outcome", "terminal_outcome", "run_outcome", "current_phase")
CONTRADICTIONS = ("finished", "failed", "userinterlude", "askuserQuestion", "blocked_on_user", "progress")
MEANINGLESS = (None, "", "  ", "-", "banana", "executing", "cleared", 7, True, False, ["failed"], {"is": "failed"})


def a_run(*, pending: bool = False, **fields: object) -> Record:
    """A mode file of a run that goes on, but for `fields`."""
    record: Record = {"active": True, "mode": "forge", "current_phase": "executing"} | fields
    return record | ({"question_enforcement": {"status": "pending"}} if pending else {})


def meaning(record: Record) -> Means:
    outcome = outcome_of(ModeRecord.from_json(record))
    return Means(outcome.public, outcome.ends, outcome.waits)


@each_row(("spelling", "means", "pending"), CASES)
def test_the_canonical_field_wins_over_all(spelling: str, means: Means, pending: bool) -> None:
    for field, other in product(("lifecycle_outcome", "terminal_outcome"), CONTRADICTIONS):
        record = a_run(pending=pending, run_outcome=other, current_phase=other, error="no", completed_at="x")
        assert meaning(record | {field: spelling}) == means, (field, other)


@each_row(("spelling", "means", "pending"), CASES)
def test_the_legacy_field_wins_over_inference(spelling: str, means: Means, pending: bool) -> None:
    for other in CONTRADICTIONS:
        record = a_run(pending=pending, current_phase=other, error="no", completed_at="x")
        assert meaning(record | {"run_outcome": spelling}) == means, other


@each_row(("spelling", "means", "pending"), CASES)
def test_the_phase_speaks_where_no_outcome_does(spelling: str, means: Means, pending: bool) -> None:
    assert meaning(a_run(pending=pending, current_phase=spelling)) == means
    assert meaning(a_run(pending=pending, current_phase=spelling, error="no", completed_at="x")) == means


@each_row("other", CONTRADICTIONS)
def test_of_two_canonical_fields_lifecycle_outcome_is_read_first(other: str) -> None:
    assert meaning(a_run(lifecycle_outcome="blocked", terminal_outcome=other)) == BLOCKED


@each_row(("spelling", "means", "pending"), CASES)
def test_a_word_that_means_nothing_is_passed_over(spelling: str, means: Means, pending: bool) -> None:
    for (at, field), nothing in product(enumerate(FIELDS), MEANINGLESS):
        before = dict.fromkeys(FIELDS[:at], nothing)
        assert meaning(a_run(pending=pending) | before | {field: spelling}) == means, (field, nothing)


@each_row("nothing", MEANINGLESS, ids=repr)
def test_a_run_without_a_word_that_means_something_goes_on(nothing: object) -> None:
    record = a_run() | dict.fromkeys(FIELDS, nothing)
    assert meaning(record) == GOES_ON
    assert is_active(ModeRecord.from_json(record))


ASKED = {"question_enforcement": {"status": "pending"}}
INFERENCES = [
    pytest.param({}, GOES_ON, id="nothing"),
    pytest.param({"error": "the build broke"}, FAILED, id="error"),
    pytest.param({"completed_at": "2023-11-14T22:13:20Z"}, FINISHED, id="completed_at"),
    pytest.param({"error": "no", "completed_at": "x"}, FAILED, id="error-before-completed_at"),
    pytest.param(ASKED, ASKS, id="question"),
    pytest.param(ASKED | {"error": "no"}, ASKS, id="question-before-error"),
    pytest.param(ASKED | {"completed_at": "x"}, ASKS, id="question-before-completed_at"),
    pytest.param({"question_enforcement": {"status": "satisfied"}}, GOES_ON, id="question-satisfied"),
    pytest.param(
        {"run_outcome": "blocked_on_user", "question_enforcement": {"status": "satisfied"}},
        WAITS,
        id="wait-beside-a-satisfied-question",
    ),
    pytest.param({"question_enforcement": "pending"}, GOES_ON, id="question-no-object"),
    pytest.param({"error": None, "completed_at": None}, GOES_ON, id="nulls"),
    pytest.param({"error": " ", "completed_at": ""}, GOES_ON, id="blanks"),
    pytest.param({"error": False, "completed_at": False}, GOES_ON, id="false"),
    pytest.param({"current_phase": "fixing", "error": "no"}, FAILED, id="a-phase-that-is-no-outcome"),
]


@each_row(("fields", "means"), INFERENCES)
def test_the_rest_of_the_record_speaks_last(fields: Record, means: Means) -> None:
    assert meaning(a_run(**fields)) == means


def test_what_people_may_write_is_five_words_each_with_one_for_old_readers() -> None:
    assert {word: OUTCOMES[word].legacy for word in PUBLIC} == {
        row.public: row.legacy for row in contract.OUTCOMES.values() if row.legacy
    }
    assert FAILURES == ("blocked", "failed")


@each_row(("spelling", "plain", "_"), SPELLINGS)
def test_every_end_but_a_finish_is_taken_up_again(spelling: str, plain: Means, _: Means) -> None:
    outcome = outcome_of(ModeRecord.from_json(a_run(run_outcome=spelling)))
    assert outcome.resumes is (plain.ends and plain.public != "finished")


@each_row(
    ("spelling", "word"),
    [("Done", "finished"), ("abort", "cancelled"), ("ask_user", "askuserQuestion"),
     ("blocked-on-user", "blocked_on_user"), ("banana", None)],
)  # fmt: skip
def test_an_outcome_knows_the_word_that_was_meant(spelling: str, word: str | None) -> None:
    """It can be another one than people read: `cancelled` is shown as `userinterlude`."""
    assert outcome_of(ModeRecord.from_json(a_run(run_outcome=spelling))).word == word


def test_cancelled_is_never_what_people_are_told() -> None:
    for field in FIELDS:
        records = [a_run(pending=pending) | {field: word} for word, _, _ in SPELLINGS for pending in (False, True)]
        told = {outcome_of(ModeRecord.from_json(record)).public for record in records}
        assert told == {None, "finished", "failed", "blocked", "userinterlude", "askuserQuestion"}


ACTIVE = [
    pytest.param({"active": True}, True, id="switched-on"),
    pytest.param({"active": True, "run_outcome": "progress"}, True, id="goes-on"),
    pytest.param({"active": True, "lifecycle_outcome": "askuserQuestion"}, True, id="asks"),
    pytest.param({"active": True, "run_outcome": "blocked_on_user"}, True, id="waits"),
    pytest.param(ASKED | {"active": True}, True, id="waits-for-an-answer"),
    pytest.param({"active": True, "lifecycle_outcome": "finished"}, False, id="finished"),
    pytest.param({"active": True, "terminal_outcome": "failed"}, False, id="failed"),
    pytest.param({"active": True, "run_outcome": "cancelled"}, False, id="cancelled"),
    pytest.param({"active": True, "current_phase": "complete"}, False, id="complete-by-its-phase"),
    pytest.param({"active": True, "error": "no"}, False, id="an-error"),
    pytest.param({"active": True, "completed_at": "then"}, False, id="completed"),
    pytest.param({"active": False}, False, id="switched-off"),
    pytest.param({"active": False, "lifecycle_outcome": "askuserQuestion"}, False, id="off-and-asks"),
    pytest.param({}, False, id="empty"),
    pytest.param({"active": "true"}, False, id="a-text"),
    pytest.param({"active": 1}, False, id="a-number"),
]


@each_row(("record", "active"), ACTIVE)
def test_active_is_switched_on_and_without_an_outcome_or_waiting(record: Record, active: bool) -> None:
    assert is_active(ModeRecord.from_json(record)) is active


REASON = "return_to_blueprint_reason"
REVIEWS = [
    pytest.param({}, False, id="neither"),
    pytest.param({"review_verdict": {"clean": True}}, False, id="clean-object"),
    pytest.param({"review_verdict": "clean"}, False, id="clean"),
    pytest.param({"review_verdict": "approve"}, False, id="approve"),
    pytest.param({"review_verdict": "approved"}, False, id="approved"),
    pytest.param({"review_verdict": "pass"}, False, id="pass"),
    pytest.param({"review_verdict": "passed"}, False, id="passed"),
    pytest.param({"review_verdict": {"clean": False}}, True, id="unclean-object"),
    pytest.param({"review_verdict": {"clean": "yes"}}, True, id="clean-is-no-boolean"),
    pytest.param({"review_verdict": {"issues": 2}}, True, id="object-without-clean"),
    pytest.param({"review_verdict": "needs_changes"}, True, id="needs-changes"),
    pytest.param({"review_verdict": "not clean"}, True, id="not-clean"),
    pytest.param({"review_verdict": False}, True, id="false"),
    pytest.param({"review_verdict": ["clean"]}, True, id="list"),
    pytest.param({REASON: "the tests are red"}, True, id="reason"),
    pytest.param({REASON: " \n\t"}, False, id="blank-reason"),
    pytest.param({REASON: "red", "review_verdict": "clean"}, True, id="reason-beside-a-clean-verdict"),
]


@each_row(("fields", "is_open"), REVIEWS)
def test_a_review_is_open_by_an_unclean_verdict_or_a_reason(fields: Record, is_open: bool) -> None:
    assert review_is_open(ModeRecord.from_json({"state": fields})) is is_open
    assert review_is_open(ModeRecord.from_json(fields)) is is_open
    assert review_is_open(ModeRecord.from_json(fields | {"state": None})) is is_open
    assert review_is_open(ModeRecord.from_json(fields | {"state": "clean"})) is is_open


def test_one_open_place_is_enough_for_an_open_review() -> None:
    for one, other in (("clean", "rejected"), ("rejected", "clean")):
        assert review_is_open(ModeRecord.from_json({"review_verdict": one, "state": {"review_verdict": other}}))


@each_row(
    ("record", "finding"),
    [
        ({}, ""),
        ({"state": {"review_verdict": "not clean"}}, "not clean"),
        ({"state": {"review_verdict": {"clean": False}}}, ""),
        ({"state": {"review_verdict": "not clean", REASON: "two\nwriters"}}, "two writers"),
        ({"state": {"review_verdict": "changes: no tests"}, REASON: " "}, "changes: no tests"),
        # the finding is what stands against the run, wherever it was written
        ({"state": {"review_verdict": "clean"}, "review_verdict": "no tests"}, "no tests"),
        ({"state": {"review_verdict": "no tests"}, REASON: "red"}, "red"),
        ({"state": {REASON: "\x1b"}, REASON: "red"}, "red"),
        ({"state": {REASON: "x" * 50}}, "x" * 29 + "…"),
    ],
)
def test_what_a_review_has_found_is_its_reason_or_its_verdict(record: Record, finding: str) -> None:
    assert review_finding(ModeRecord.from_json(record), 30) == finding


@each_row(
    ("words", "said"),
    [(["a"], "a"), (["a", "b"], "a or b"), (["a", "b", "c"], "a, b or c")],
    ids=["one", "two", "three"],
)
def test_a_choice_is_written_as_people_say_it(words: list[str], said: str) -> None:
    assert any_of(words) == said
