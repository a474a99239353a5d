"""List what sends a task back, as a review, a test run or a decision puts it. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rcs_hooks.tasks import messages
from rcs_hooks.tasks.phases import CODE_VERDICT, CODEGEN, DECISION, PLANNING, REPORT, REVERT_RECORD
from rcs_hooks.workflow.proof import result_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from rcs_hooks.tasks.forms import Issue, Suite
    from rcs_hooks.tasks.snapshot import Snapshot

TARGETS = {PLANNING: "plan", CODEGEN: "code"}
"""Which issues of a code review concern whom: those of the plan go to planning."""
WEIGHTS = ("blocking", "major", "minor")
"""The severities of issues that have to be corrected, the heaviest first; `info` asks for nothing."""


def has_words(text: str) -> bool:
    """Tell whether a reason says anything; the dots of a command that was pasted as it is do not."""
    return any(char.isalnum() for char in text)


def of_code_review(target: str) -> Callable[[Snapshot], Sequence[str]]:
    """Return the function that lists the issues of a code review for the phase `target`, the heaviest first."""

    def issues(snap: Snapshot) -> Sequence[str]:
        review = snap.read(CODE_VERDICT).value
        if review is None:
            return ()
        found = [each for each in review.issues if each.target == TARGETS[target] and each.severity in WEIGHTS]
        found.sort(key=lambda each: WEIGHTS.index(each.severity))
        return [_issue(each) for each in found] or [f"decision: {review.decision}"]

    return issues


def _issue(issue: Issue) -> str:
    return messages.finding(messages.issue_name(issue.id, issue.path), issue.message or issue.severity)


def of_tests(snap: Snapshot) -> Sequence[str]:
    """List the suites that did not pass; where the report names none, what it says of the whole run."""
    report = snap.read(REPORT).value
    if report is None:
        return ()
    failed = [
        messages.finding(messages.short_path(each.id), _fault(each)) for each in report.suites if not each.overall_pass
    ]
    if failed:
        return failed
    return ["the test run broke off"] if report.status == "failed" else ["overall_pass: false"]


def _fault(suite: Suite) -> str:
    """Return why a suite did not pass, as far as the report says so."""
    code = suite.exit if isinstance(suite.exit, int) and suite.exit != 0 else None
    changed = [each for each in suite.changed if isinstance(each, str)] if isinstance(suite.changed, list) else []
    return result_of(code, changed, timed_out=suite.timed_out is True)


def of_decision(snap: Snapshot) -> Sequence[str]:
    """List the reasons of the decision in accept."""
    decision = snap.read(DECISION).value
    return [messages.finding("", each) for each in decision.reasons if has_words(each)] if decision else ()


def of_revert(snap: Snapshot) -> Sequence[str]:
    """List the reasons for which the work is undone."""
    record = snap.read(REVERT_RECORD).value
    reason = [messages.finding("", record.reason)] if record and record.reason and record.has_reason else []
    return [*reason, *of_decision(snap)]
