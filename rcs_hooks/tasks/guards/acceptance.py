"""Guard the edges out of test, accept and revert. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rcs_hooks.tasks.failures import MISSING, Failures, enter, fails, path_of, run_tests, write
from rcs_hooks.tasks.guards.edge import Edge
from rcs_hooks.tasks.guards.findings import has_words, of_decision, of_revert, of_tests
from rcs_hooks.tasks.phases import (
    ACCEPT,
    CODEGEN,
    DECISION,
    DONE,
    PLANNING,
    REPORT,
    REVERT,
    REVERT_RECORD,
    REVIEW,
    TEST,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from rcs_hooks.tasks.forms import EvalReportForm
    from rcs_hooks.tasks.snapshot import Snapshot

JUDGED = ("test", "lint", "static")
"""The kinds of suites whose failure sends a task back even where the report says that all passed."""
ACCEPTED, NEEDS_CHANGES, UNCLEAR, UPSTREAM_PROBLEM = "accepted", "needs_changes", "unclear", "upstream_problem"
WORD, THE_WORDS = "WORD", "the words: rcs task accept --help"
"""What the fix says in place of `accepted`: nobody may accept by pasting a line."""
DECISIONS: dict[str, str | None] = {
    ACCEPTED: DONE,
    NEEDS_CHANGES: CODEGEN,
    UNCLEAR: REVIEW,
    UPSTREAM_PROBLEM: PLANNING,
    "revert": REVERT,
    "deferred": None,
}
"""Where each decision leads; a deferred task stays in accept."""


# --- out of test


def check_tests_complete(snap: Snapshot) -> Failures:
    read = snap.read(REPORT)
    if read.is_missing:
        return tuple(failure._replace(fix=run_tests(snap.task)) for failure in read.failures)
    if read.value is None:
        return read.failures
    failures: Failures = ()
    if read.value.status != "completed":
        failures = _status_is(snap, read.value.status, needed="completed")
    if read.value.overall_pass is None:
        failures += _no_result(snap, needed="true or false")
    if not read.value.suites:
        failures += fails(REPORT, "empty", run_tests(snap.task), field="suites", needed="at least one")
    return failures


def check_tests_failed(snap: Snapshot) -> Failures:
    read = snap.read(REPORT)
    if read.value is None:
        return read.failures
    report = read.value
    if report.status not in ("completed", "failed"):
        return _status_is(snap, report.status, needed="completed or failed")
    failing = [each for each in report.suites if not each.overall_pass]
    judged = any(each.kind in JUDGED for each in failing)
    if report.status == "failed" or report.overall_pass is False or judged:
        return ()
    if report.overall_pass is None:
        return _no_result(snap, needed="false")
    count = len(report.suites)
    passed = f"no test, lint or static suite of {count} fails" if failing else f"all {count} suites pass"
    return fails(REPORT, f"{passed}; no failure to justify going back", enter(snap.task, ACCEPT))


def _status_is(snap: Snapshot, status: str, *, needed: str) -> Failures:
    fix = f"let the run end, and write {path_of(snap.task, REPORT)}"
    return fails(REPORT, status, fix, field="status", needed=needed)


def _no_result(snap: Snapshot, *, needed: str) -> Failures:
    return fails(REPORT, MISSING, write(snap.task, REPORT), field="overall_pass", needed=needed)


# --- out of accept


def check_accepted(snap: Snapshot) -> Failures:
    undecided = _decision_is(snap, ACCEPTED, f"decide: {_decide(snap, WORD)}; {THE_WORDS}")
    failures = (*undecided, *_lacking_proof(snap))
    if failures:
        return failures
    report, decision = snap.read(REPORT).value, snap.read(DECISION).value
    has_reasons = decision is not None and any(map(has_words, decision.reasons))
    if report is None or has_reasons or not _has_failed(report):
        return ()
    fix = f"decide again, with the reason: {_decide(snap, WORD)}; {THE_WORDS}"
    return fails(DECISION, "empty although tests failed", fix, field="reasons")


def _has_failed(report: EvalReportForm) -> bool:
    """Tell whether a report says that tests have failed, be it only in one of its suites."""
    return report.overall_pass is False or any(not each.overall_pass for each in report.suites if each.kind in JUDGED)


def _lacking_proof(snap: Snapshot) -> Failures:
    lacks = snap.lacking_proof
    if lacks is None:
        return ()
    fix = run_tests(snap.task, lacks.command)
    return fails(REPORT, lacks.found, fix, needed=f"proven, as {lacks.required_by} requires")


def check_decided(word: str) -> Callable[[Snapshot], Failures]:
    """Return the guard that is open once a person has decided `word`."""

    def guard(snap: Snapshot) -> Failures:
        return _decision_is(snap, word, f"record it: {_decide(snap, word)}")

    return guard


def _decision_is(snap: Snapshot, word: str, fix: str) -> Failures:
    read = snap.read(DECISION)
    if read.is_missing:
        return tuple(failure._replace(fix=fix) for failure in read.failures)
    if read.value is None:
        return read.failures
    return (
        () if read.value.decision == word else fails(DECISION, read.value.decision, fix, field="decision", needed=word)
    )


def _decide(snap: Snapshot, word: str) -> str:
    return f'rcs task accept {snap.task} --decision {word} --reason "..."'


def check_revert_requested(snap: Snapshot) -> Failures:
    decision, record = snap.read(DECISION), snap.read(REVERT_RECORD)
    is_decided = decision.value and (decision.value.decision == "revert" or decision.value.regression_found)
    if is_decided or (record.value and record.value.has_reason):
        return ()
    unreadable = [read for read in (decision, record) if read.value is None and not read.is_missing]
    if unreadable:
        return tuple(failure for read in unreadable for failure in read.failures)
    fix = f'rcs task revert {snap.task} --reason "..."'
    return fails(DECISION, "no revert requested and no regression recorded", fix)


# --- out of revert


def check_reverted(snap: Snapshot) -> Failures:
    read = snap.read(REVERT_RECORD)
    if read.value is None:
        return read.failures
    record, where = read.value, path_of(snap.task, REVERT_RECORD)
    failures: Failures = ()
    if not record.has_reason:
        found = MISSING if record.reason is None else "empty"
        failures = fails(REVERT_RECORD, found, f"say in {where} why the work is undone", field="reason")
    if record.status != "completed":
        fix = f"undo the work, then set status to completed in {where}"
        failures += fails(REVERT_RECORD, record.status or MISSING, fix, field="status", needed="completed")
    return failures


EDGES = (
    Edge(TEST, ACCEPT, "tests complete", check_tests_complete, tried=2),
    Edge(TEST, CODEGEN, "test failures", check_tests_failed, tried=1, why=of_tests),
    Edge(ACCEPT, DONE, "accepted", check_accepted, tried=5),
    Edge(ACCEPT, CODEGEN, "requires further changes", check_decided(NEEDS_CHANGES), tried=4, why=of_decision),
    Edge(ACCEPT, REVIEW, "unclear / needs review", check_decided(UNCLEAR), tried=3, why=of_decision),
    Edge(ACCEPT, PLANNING, "upstream problem", check_decided(UPSTREAM_PROBLEM), tried=2, why=of_decision),
    Edge(ACCEPT, REVERT, "revert requested", check_revert_requested, tried=1, why=of_revert),
    Edge(REVERT, DONE, None, check_reverted, tried=1),
)
