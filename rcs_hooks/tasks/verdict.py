"""The verdict of a review of the plan: any that blocks, blocks; else the file's own word decides. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rcs_hooks.tasks import fixes, messages, phases
from rcs_hooks.tasks.failure import Failure

if TYPE_CHECKING:
    from rcs_hooks.tasks.snapshot import Snapshot

OK, NEEDS_CHANGES, BLOCKED = "ok", "needs_changes", "blocked"


def of(review: Any) -> str:
    if is_blocked(review) or blockers(review):
        return BLOCKED
    return OK if review.is_ok else NEEDS_CHANGES


def is_blocked(review: Any) -> bool:
    """By the file's own word, or that of its aggregate."""
    beside = review.aggregate
    return bool(review.blocked) or bool(beside and (beside.decision == BLOCKED or beside.blocking_issues))


def blockers(review: Any) -> list[tuple[str, Any]]:
    """The reviewers that block, each with its first issue."""
    return [
        (each.id or f"reviewer {number}", next(iter(each.blocking_issues), None))
        for number, each in enumerate(review.reviewers, 1)
        if of_reviewer(each) == BLOCKED
    ]


def of_reviewer(reviewer: Any) -> str:
    if reviewer.decision == BLOCKED or reviewer.blocking_issues:
        return BLOCKED
    if reviewer.ok is False:
        return BLOCKED if reviewer.severity == "blocking" else NEEDS_CHANGES
    return NEEDS_CHANGES if reviewer.decision in (NEEDS_CHANGES, "defer") else OK


def against(snap: Snapshot, review: Any) -> tuple[Failure, ...]:
    """What in it keeps the plan from being carried out."""
    return (*_not_ok(snap, review), *_older_plan(snap, review))


def _not_ok(snap: Snapshot, review: Any) -> tuple[Failure, ...]:
    fix, failures = fixes.new_verdict(snap.task), []
    by = blockers(review)
    if not review.is_ok:
        field = "aggregate.ok" if review.ok is None else "ok"
        failures.append(Failure(phases.PLAN_VERDICT, field, "false", "true", fix))
    if review.blocked:
        failures.append(Failure(phases.PLAN_VERDICT, "blocked", f"true{messages.blockers(by)}", "false", fix))
    elif is_blocked(review):
        failures.append(Failure(phases.PLAN_VERDICT, "aggregate", _aggregate(review), "ok", fix))
    elif by:
        field, word = ("ok", "true") if review.is_ok else ("blocked", "false")
        said = f"{word} but reviewer {messages.short(by[0][0])} is blocking"
        failures.append(Failure(phases.PLAN_VERDICT, field, said, "", fix))
    return tuple(failures)


def _aggregate(review: Any) -> str:
    first = next(iter(review.aggregate.blocking_issues), None)
    said = messages.issue_words(first)
    return f"{BLOCKED} ({said})" if said else BLOCKED


def _older_plan(snap: Snapshot, review: Any) -> tuple[Failure, ...]:
    told = review.meta.plan_hash if review.meta else None
    if told is None or told == snap.plan_hash:
        return ()
    fix = fixes.newer_verdict(snap.task)
    return (Failure(phases.PLAN_VERDICT, "meta.plan_hash", messages.OLDER_PLAN, "", fix),)
