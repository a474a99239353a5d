"""Guard the edges out of planning and plan_review. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rcs_hooks.tasks import messages
from rcs_hooks.tasks.failures import Failures, enter, fails, give_verdict, override, path_of
from rcs_hooks.tasks.guards.edge import Edge
from rcs_hooks.tasks.phases import CODEGEN, PLAN, PLAN_REVIEW, PLAN_VERDICT, PLANNING
from rcs_hooks.tasks.plan_contents import flaws, open_questions, planned

if TYPE_CHECKING:
    from rcs_hooks.tasks.forms import PlanReviewForm, Reviewer
    from rcs_hooks.tasks.snapshot import Snapshot

OK, NEEDS_CHANGES, BLOCKED = "ok", "needs_changes", "blocked"


def check_planning_succeeded(snap: Snapshot) -> Failures:
    read = snap.read(PLAN)
    questions = open_questions(read.value) if read.value else []
    still_open: Failures = ()
    if questions:
        found = f"{len(questions)} open ({messages.first_of(questions)})"
        fix = f"answer them, and set the status of each to answered in {path_of(snap.task, PLAN)}"
        still_open = fails(PLAN, found, fix, field="blocking_questions", needed="none")
    return (*read.failures, *still_open, *planned(snap).failures)


# --- out of plan_review


def check_review_ok(snap: Snapshot) -> Failures:
    read = snap.read(PLAN_VERDICT)
    if read.value is None:
        return read.failures
    return (*_not_ok(snap, read.value), *_blocked(snap, read.value), *_older_plan(snap, read.value))


def _not_ok(snap: Snapshot, review: PlanReviewForm) -> Failures:
    return () if review.ok else fails(PLAN_VERDICT, "false", _review_again(snap), field="ok", needed="true")


def _blocked(snap: Snapshot, review: PlanReviewForm) -> Failures:
    """Return the failure of the first part that blocks: the file itself or one reviewer; else none."""
    fix, blocking = _review_again(snap), _blocking_reviewers(review)
    if review.blocked:
        return fails(PLAN_VERDICT, f"true{_first_issue(blocking)}", fix, field="blocked", needed="false")
    if blocking:
        field, value = ("ok", "true") if review.ok else ("blocked", "false")
        found = f"{value} but reviewer {messages.short(blocking[0][0])} is blocking"
        return fails(PLAN_VERDICT, found, fix, field=field)
    return ()


def _older_plan(snap: Snapshot, review: PlanReviewForm) -> Failures:
    reviewed = review.meta.plan_hash if review.meta else None
    if reviewed is None or reviewed == snap.plan_hash:
        return ()
    return fails(PLAN_VERDICT, "reviews an older plan", give_verdict(snap.task, "plan"), field="meta.plan_hash")


def _review_again(snap: Snapshot) -> str:
    return f"review it again and write {path_of(snap.task, PLAN_VERDICT)}, or go back: {enter(snap.task, PLANNING)}"


def _first_issue(blocking: list[tuple[str, object]]) -> str:
    """Return ` (RiskPlanner: <first issue>)` for the first reviewer that blocks; empty if none does."""
    if not blocking:
        return ""
    name, first = blocking[0]
    issue = messages.issue(first)
    return f" ({messages.short(name)}: {issue})" if issue else f" ({messages.short(name)})"


def check_review_needs_changes(snap: Snapshot) -> Failures:
    return () if flaws(snap) else _verdict_is(snap, NEEDS_CHANGES)


def check_review_blocked(snap: Snapshot) -> Failures:
    return _verdict_is(snap, BLOCKED)


def _verdict_is(snap: Snapshot, word: str) -> Failures:
    read = snap.read(PLAN_VERDICT)
    if read.value is None:
        return read.failures
    verdict = verdict_of(read.value)
    if verdict == word:
        return ()
    fix = f"rcs task next {snap.task} moves on, or {override(snap.task, PLANNING)}"
    return fails(PLAN_VERDICT, f"verdict {verdict}", fix, needed="needs_changes, blocked or a flawed plan")


# --- the verdict of a plan's review


def verdict_of(review: PlanReviewForm) -> str:
    """Return the verdict of a whole review: blocked if anything in it blocks, else what the file itself says."""
    if review.blocked or _blocking_reviewers(review):
        return BLOCKED
    return OK if review.ok else NEEDS_CHANGES


def _blocking_reviewers(review: PlanReviewForm) -> list[tuple[str, object]]:
    """Return the name of each reviewer that blocks, with the first blocking issue of that reviewer or None."""
    return [
        (each.id or f"reviewer {number}", next(iter(each.blocking_issues), None))
        for number, each in enumerate(review.reviewers, 1)
        if verdict_of_reviewer(each) == BLOCKED
    ]


def verdict_of_reviewer(reviewer: Reviewer) -> str:
    """Return the verdict of one reviewer: OK, NEEDS_CHANGES or BLOCKED."""
    if reviewer.decision == BLOCKED or reviewer.blocking_issues:
        return BLOCKED
    if reviewer.ok is False:
        return BLOCKED if reviewer.severity == "blocking" else NEEDS_CHANGES
    return NEEDS_CHANGES if reviewer.decision in (NEEDS_CHANGES, "defer", "deferred") else OK


def why_planned_again(snap: Snapshot) -> list[str]:
    """Return what each reviewer who does not agree says, and the flaws of the plan; empty if there are neither."""
    review = snap.read(PLAN_VERDICT).value
    if review is None:
        return flaws(snap)
    found = [
        messages.finding(messages.short(each.id or f"reviewer {number}"), what)
        for number, each in enumerate(review.reviewers, 1)
        for what in _said(each)
    ]
    return [*found, *flaws(snap)]


def _said(reviewer: Reviewer) -> list[str]:
    """Return the issues of a reviewer who does not agree, then the reasons; the verdict itself if there are neither."""
    verdict = verdict_of_reviewer(reviewer)
    if verdict == OK:
        return []
    return [*(messages.issue(each) for each in reviewer.blocking_issues), *reviewer.reasons] or [verdict]


EDGES = (
    Edge(PLANNING, PLAN_REVIEW, "planning succeeded", check_planning_succeeded, tried=1),
    Edge(PLANNING, PLANNING, "re-plan (redo)"),
    Edge(PLAN_REVIEW, CODEGEN, "review ok", check_review_ok, tried=3),
    Edge(PLAN_REVIEW, PLANNING, "review needs changes", check_review_needs_changes, tried=2, why=why_planned_again),
    Edge(PLAN_REVIEW, PLANNING, "review blocked", check_review_blocked, tried=1, why=why_planned_again),
)
