"""What each edge of the lifecycle asks for: one function an edge, from a snapshot to all that does not hold. Pure.

The keys are the edges of `lifecycle.md`, in its order; a test holds that neither has one that the other lacks.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rcs_hooks.tasks import fixes, messages, phases, plan, scope, verdict
from rcs_hooks.tasks.failure import MISSING, Failure
from rcs_hooks.tasks.phases import (
    ACCEPT,
    CODEGEN,
    DONE,
    PLAN_REVIEW,
    PLANNING,
    REVERT,
    REVIEW,
    TEST,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from rcs_hooks.tasks.snapshot import Snapshot

Failures = tuple[Failure, ...]
Edge = tuple[str, str, str | None]
HEAVY = ("blocking", "major")
JUDGED = ("test", "lint", "static")
NEED_BACK = "needs_changes, blocked or a flawed plan"


def always(snap: Snapshot) -> Failures:
    """Only asked for, by redo."""
    return ()


def one(artifact: str, field: str, found: str, needed: str, fix: str) -> Failures:
    return (Failure(artifact, field, found, needed, fix),)


# --- out of planning and plan_review


def planning_succeeded(snap: Snapshot) -> Failures:
    read = snap.read(phases.PLAN)
    questions = plan.open_questions(read.value) if read.value else []
    found = f"{len(questions)} open ({messages.some(questions)})"
    still_open = one(phases.PLAN, "blocking_questions", found, "none", fixes.answer(snap.task)) if questions else ()
    return (*read.failures, *still_open, *plan.planned(snap).failures)


def review_ok(snap: Snapshot) -> Failures:
    read = snap.read(phases.PLAN_VERDICT)
    if read.value is None:
        return read.failures
    return verdict.against(snap, read.value)


def review_needs_changes(snap: Snapshot) -> Failures:
    if plan.flaws(snap):
        return ()
    return _verdict_is(snap, verdict.NEEDS_CHANGES)


def review_blocked(snap: Snapshot) -> Failures:
    return _verdict_is(snap, verdict.BLOCKED)


def _verdict_is(snap: Snapshot, word: str) -> Failures:
    read = snap.read(phases.PLAN_VERDICT)
    if read.value is None:
        return read.failures
    found = verdict.of(read.value)
    if found == word:
        return ()
    return one(phases.PLAN_VERDICT, "", f"verdict {found}", NEED_BACK, fixes.no_way_back(snap.task))


# --- out of codegen


def codegen_completed(snap: Snapshot) -> Failures:
    failures = [*snap.diff_failures]
    write = fixes.write(snap.task, phases.DIFF)
    if snap.diff is None and not failures:
        failures.append(Failure(phases.DIFF, "", MISSING, "", write))
    if snap.diff is not None and not snap.diff.strip():
        failures.append(Failure(phases.DIFF, "", "empty", "", write))
    if not (snap.files or snap.files_failures):
        place = fixes.write(snap.task, f"{phases.CODE_FILES}/")
        failures.append(Failure(f"{phases.CODE_FILES}/", "", "no files", "", place))
    return (*failures, *snap.files_failures)


def scope_mismatch(snap: Snapshot) -> Failures:
    if scope.has_signal(snap, "blocked") or plan.is_unreadable(snap):
        return ()
    outside, fix = scope.outside(snap), fixes.override(snap.task, PLANNING)
    if outside and codegen_completed(snap):
        return one(phases.CODE, "", f"{messages.NOT_WHOLE}; {messages.NO_SCOPE_MISMATCH}", "", fix)
    found = messages.all_planned(len(scope.generated(snap)))
    return () if outside else one(phases.CODE, "", found, "", fix)


def plan_unclear(snap: Snapshot) -> Failures:
    if scope.has_signal(snap, "needs_changes") or plan.is_unreadable(snap):
        return ()
    lacks, fix = plan.lacking_essentials(snap) or scope.lacking(snap), fixes.override(snap.task, PLAN_REVIEW)
    if lacks and codegen_completed(snap):
        return one(phases.CODE, "", f"{messages.NOT_WHOLE}; {messages.NOTHING_ESSENTIAL}", "", fix)
    return () if lacks else one(phases.PLAN, "", messages.NOTHING_ESSENTIAL, "", fix)


# --- out of review


def review_passes(snap: Snapshot) -> Failures:
    read = snap.read(phases.CODE_VERDICT)
    if read.value is None:
        return read.failures
    heavy = [each for each in read.value.issues if each.severity == "blocking"]
    back = PLANNING if any(each.target == "plan" for each in heavy) else CODEGEN
    failures: Failures = ()
    if heavy:
        found = messages.issues([(each.id, each.path, each.message) for each in heavy])
        failures = one(phases.CODE_VERDICT, "issues", found, "0", fixes.blocking(snap.task, back))
    if read.value.decision == "blocked":
        back = PLANNING if any(each.target == "plan" for each in read.value.issues) else CODEGEN
        fix = fixes.blocking(snap.task, back)
        failures += one(phases.CODE_VERDICT, "decision", "blocked", "accepted or needs_changes", fix)
    return failures


def needs_code_changes(snap: Snapshot) -> Failures:
    read = snap.read(phases.CODE_VERDICT)
    if read.value is None:
        return read.failures
    review = read.value
    heavy = any(each.target == "code" and each.severity in HEAVY for each in review.issues)
    blames_plan = any(each.target == "plan" for each in review.issues)
    if heavy or review.decision == "needs_changes" or (review.decision == "blocked" and not blames_plan):
        return ()
    return one(phases.CODE_VERDICT, "", messages.NO_CODE_ISSUE, "", f"rcs task next {snap.task}")


def plan_flawed(snap: Snapshot) -> Failures:
    read = snap.read(phases.CODE_VERDICT)
    if read.value is None:
        return read.failures
    of_plan = [each for each in read.value.issues if each.target == "plan"]
    if any(each.severity in HEAVY for each in of_plan) or (of_plan and read.value.decision == "blocked"):
        return ()
    found = messages.NO_HEAVY_PLAN_ISSUE if of_plan else messages.NO_PLAN_ISSUE
    return one(phases.CODE_VERDICT, "", found, "", fixes.aim_at_plan(snap.task))


# --- out of test


def tests_complete(snap: Snapshot) -> Failures:
    read = snap.read(phases.REPORT)
    if read.value is None:
        return read.failures
    failures: Failures = ()
    if read.value.status != "completed":
        failures = one(phases.REPORT, "status", read.value.status, "completed", fixes.run_tests(snap.task))
    if read.value.overall_pass is None:
        fix = fixes.write(snap.task, phases.REPORT)
        failures += one(phases.REPORT, "overall_pass", MISSING, "true or false", fix)
    return failures


def tests_failed(snap: Snapshot) -> Failures:
    read = snap.read(phases.REPORT)
    if read.value is None:
        return read.failures
    report = read.value
    if report.status not in ("completed", "failed"):
        return one(phases.REPORT, "status", report.status, "completed or failed", fixes.run_tests(snap.task))
    failing = [each for each in report.suites if not each.overall_pass]
    judged = any(each.kind in JUDGED for each in failing)
    if report.status == "failed" or report.overall_pass is False or judged:
        return ()
    if report.overall_pass is None:
        return one(phases.REPORT, "overall_pass", MISSING, "false", fixes.write(snap.task, phases.REPORT))
    found = messages.only_custom(len(report.suites)) if failing else messages.all_pass(len(report.suites))
    return one(phases.REPORT, "", found, "", fixes.go(snap.task, ACCEPT))


# --- out of accept and revert


def decided(word: str) -> Callable[[Snapshot], Failures]:
    def guard(snap: Snapshot) -> Failures:
        fix = fixes.record_it(snap.task, word)
        read = snap.read(phases.DECISION)
        if read.is_missing:
            return tuple(failure._replace(fix=fix) for failure in read.failures)
        if read.value is None:
            return read.failures
        return () if read.value.word == word else one(phases.DECISION, "decision", read.value.word, word, fix)

    return guard


def accepted(snap: Snapshot) -> Failures:
    failures = decided("accepted")(snap)
    if failures:
        return tuple(
            each._replace(fix=fixes.decide(snap.task, "accepted")) if "--decision" in each.fix else each
            for each in failures
        )
    report, decision = snap.read(phases.REPORT).value, snap.read(phases.DECISION).value
    if report is None or report.overall_pass is not False or any(each.strip() for each in decision.reasons):
        return ()
    fix = fixes.decide(snap.task, "accepted", "...")
    return one(phases.DECISION, "reasons", "empty although tests failed", "", fix)


def revert_requested(snap: Snapshot) -> Failures:
    decision, record = snap.read(phases.DECISION), snap.read(phases.RECORD)
    asked = decision.value and (decision.value.word == "revert" or decision.value.regression_found)
    if asked or (record.value and plan.is_said(record.value.reason)):
        return ()
    broken = [
        failure
        for read in (decision, record)
        if read.value is None and not read.is_missing
        for failure in read.failures
    ]
    if broken:
        return tuple(broken)
    return one(phases.DECISION, "", messages.NO_REVERT, "", fixes.ask_for_revert(snap.task))


def reverted(snap: Snapshot) -> Failures:
    read = snap.read(phases.RECORD)
    if read.value is None:
        return read.failures
    record = read.value
    failures: Failures = ()
    if not plan.is_said(record.reason):
        found = MISSING if record.reason is None else "empty"
        failures = one(phases.RECORD, "reason", found, "", fixes.say_why(snap.task))
    if record.status != "completed":
        failures += one(phases.RECORD, "status", record.status or MISSING, "completed", fixes.finish_revert(snap.task))
    return failures


GUARDS: dict[Edge, Callable[[Snapshot], Failures]] = {
    (PLANNING, PLAN_REVIEW, "planning succeeded"): planning_succeeded,
    (PLANNING, PLANNING, "re-plan (redo)"): always,
    (PLAN_REVIEW, CODEGEN, "review ok"): review_ok,
    (PLAN_REVIEW, PLANNING, "review needs changes"): review_needs_changes,
    (PLAN_REVIEW, PLANNING, "review blocked"): review_blocked,
    (CODEGEN, REVIEW, "codegen completed"): codegen_completed,
    (CODEGEN, PLANNING, "scope mismatch"): scope_mismatch,
    (CODEGEN, PLAN_REVIEW, "plan unclear"): plan_unclear,
    (CODEGEN, CODEGEN, "re-run codegen"): always,
    (REVIEW, TEST, "review passes"): review_passes,
    (REVIEW, CODEGEN, "needs code changes"): needs_code_changes,
    (REVIEW, PLANNING, "plan flawed"): plan_flawed,
    (TEST, ACCEPT, "tests complete"): tests_complete,
    (TEST, CODEGEN, "test failures"): tests_failed,
    (ACCEPT, DONE, "accepted"): accepted,
    (ACCEPT, CODEGEN, "requires further changes"): decided("needs_changes"),
    (ACCEPT, REVIEW, "unclear / needs review"): decided("unclear"),
    (ACCEPT, PLANNING, "upstream problem"): decided("upstream_problem"),
    (ACCEPT, REVERT, "revert requested"): revert_requested,
    (REVERT, DONE, None): reverted,
}
