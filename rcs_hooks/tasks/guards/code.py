"""Guard the edges out of codegen and review. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rcs_hooks.tasks import messages
from rcs_hooks.tasks.diff_paths import paths_in
from rcs_hooks.tasks.failures import Failures, enter, fails, override, path_of, write_and_collect
from rcs_hooks.tasks.guards.edge import Edge
from rcs_hooks.tasks.guards.findings import of_code_review
from rcs_hooks.tasks.phases import (
    CODE,
    CODE_FILES,
    CODE_VERDICT,
    CODEGEN,
    DIFF,
    PLAN,
    PLAN_REVIEW,
    PLANNING,
    REVIEW,
    TEST,
)
from rcs_hooks.tasks.plan_contents import (
    DELETE,
    file_failures,
    is_unreadable,
    lacking_essentials,
    normal,
    planned,
)

if TYPE_CHECKING:
    from rcs_hooks.tasks.forms import Issue
    from rcs_hooks.tasks.snapshot import Snapshot

HEAVY = ("blocking", "major")
BACK_TO_PLANNING, BACK_TO_PLAN_REVIEW = "blocked", "needs_changes"
"""What `actors.codegen.status` in state.json may say, so that the task goes back."""
SIGNALS = {PLANNING: BACK_TO_PLANNING, PLAN_REVIEW: BACK_TO_PLAN_REVIEW}
NOT_JUDGED = "diff.patch and files are not both there, so the scope is not judged"
NO_SCOPE_MISMATCH = "no scope mismatch to justify going back"
NOTHING_ESSENTIAL = "nothing essential is missing"


def check_codegen_completed(snap: Snapshot) -> Failures:
    """Check that there is a diff with its files, that both agree with the work tree, and that the diff is a new one."""
    return check_generated(snap) or (*_not_in_diff(snap), *_not_in_tree(snap), *_sent_back(snap))


def check_generated(snap: Snapshot) -> Failures:
    """Check that there is a diff, and a file of code."""
    failures = snap.diff_failures
    if snap.diff is not None and not snap.diff.strip():
        failures = (*failures, *fails(DIFF, "empty", write_and_collect(snap.task)))
    if not (snap.files or snap.files_failures):
        failures = (*failures, *fails(f"{CODE_FILES}/", "no files", write_and_collect(snap.task)))
    return (*failures, *snap.files_failures)


def _not_in_diff(snap: Snapshot) -> Failures:
    names = sorted({normal(path) for path in snap.files} - {normal(path) for path in paths_in(snap.diff or "")})
    if not names:
        return ()
    return fails(f"{CODE_FILES}/", f"not in {DIFF}: {messages.first_of(names)}", write_and_collect(snap.task))


def _not_in_tree(snap: Snapshot) -> Failures:
    if not snap.absent:
        return ()
    return fails(CODE, f"not in the work tree: {messages.first_of(snap.absent)}", write_and_collect(snap.task))


def _sent_back(snap: Snapshot) -> Failures:
    if not snap.refused_by:
        return ()
    fix = f"do what it asks for, or {override(snap.task, why='why')}"
    return fails(DIFF, f"the same changes were sent back by {snap.refused_by}", fix, needed="other changes")


def warn_out_of_scope(snap: Snapshot) -> str | None:
    """Return a warning that names the generated files that nobody planned; None if there are none."""
    words = _outside_words(snap)
    return f"{words[0]}; to plan again: {enter(snap.task, PLANNING)}" if words else None


def check_scope_mismatch(snap: Snapshot) -> Failures:
    if _has_signal(snap, BACK_TO_PLANNING) or is_unreadable(snap):
        return ()
    fix = override(snap.task, PLANNING)
    if not outside_plan(snap):
        count = len(generated(snap))
        return fails(CODE, f"every generated file is planned ({count} of {count}); {NO_SCOPE_MISMATCH}", fix)
    return fails(CODE, f"{NOT_JUDGED}; {NO_SCOPE_MISMATCH}", fix) if check_generated(snap) else ()


def check_plan_unclear(snap: Snapshot) -> Failures:
    if _has_signal(snap, BACK_TO_PLAN_REVIEW) or is_unreadable(snap):
        return ()
    fix = override(snap.task, PLAN_REVIEW)
    if not (lacking_essentials(snap) or not_generated(snap)):
        return fails(PLAN, NOTHING_ESSENTIAL, fix)
    return fails(CODE, f"{NOT_JUDGED}; {NOTHING_ESSENTIAL}", fix) if check_generated(snap) else ()


def why_out_of_scope(snap: Snapshot) -> list[str]:
    """Return the reasons that send a task back to planning; empty if there are none."""
    return [*_why_back(snap, PLANNING), *_outside_words(snap)]


def why_unclear(snap: Snapshot) -> list[str]:
    """Return the reasons that send a task back to the review of its plan; empty if there are none."""
    names = not_generated(snap)
    words = [f"planned, and not generated: {messages.first_of(names)}"] if names else []
    return [*_why_back(snap, PLAN_REVIEW), *lacking_essentials(snap), *words]


def _why_back(snap: Snapshot, target: str) -> list[str]:
    signal = SIGNALS[target]
    signalled = [f"state.json: actors.codegen.status: {signal}"] if _has_signal(snap, signal) else []
    return [*signalled, *(failure.words for failure in file_failures(snap))]


def _has_signal(snap: Snapshot, word: str) -> bool:
    return snap.statuses.get(CODEGEN) == word


def _outside_words(snap: Snapshot) -> list[str]:
    names = outside_plan(snap)
    return [f"not in the plan: {messages.first_of(names)}"] if names else []


# --- generated files against planned ones


def generated(snap: Snapshot) -> set[str]:
    """Return the normal paths of the files in code/files and of those in the headers of the diff."""
    return {normal(path) for path in (*snap.files, *paths_in(snap.diff or ""))}


def outside_plan(snap: Snapshot) -> list[str]:
    """Return the generated files that the plan does not name, sorted."""
    return sorted(generated(snap) - set(planned(snap).intents))


def not_generated(snap: Snapshot) -> list[str]:
    """Return the planned files that are neither generated nor planned to be deleted, sorted."""
    wanted = {path for path, intent in planned(snap).intents.items() if intent != DELETE}
    return sorted(wanted - generated(snap))


# --- out of review


def check_review_passes(snap: Snapshot) -> Failures:
    read = snap.read(CODE_VERDICT)
    if read.value is None:
        return read.failures
    review = read.value
    failures: Failures = ()
    blocking = [each for each in review.issues if each.severity == "blocking"]
    if blocking:
        failures = fails(CODE_VERDICT, _blocking_words(blocking), _go_back(snap, blocking), field="issues", needed="0")
    if review.decision == "blocked":
        fix = _go_back(snap, review.issues)
        needed = "accepted or needs_changes"
        failures += fails(CODE_VERDICT, "blocked", fix, field="decision", needed=needed)
    return failures


def _go_back(snap: Snapshot, issues: list[Issue]) -> str:
    """Return the fix that leads back: to planning if an issue targets the plan, otherwise to codegen."""
    back = PLANNING if any(each.target == "plan" for each in issues) else CODEGEN
    return f"{enter(snap.task, back)}, or {override(snap.task, why='why')}"


def _blocking_words(issues: list[Issue]) -> str:
    """Return the number and the first of the blocking issues, as in `1 blocking (C2 src/a.py: it hangs)`."""
    most = messages.MOST_NAMED
    named = "; ".join(messages.issue_line(each.id, each.path, each.message) for each in issues[:most])
    more = f", and {len(issues) - most} more" if len(issues) > most else ""
    return f"{len(issues)} blocking ({named}{more})"


def check_needs_code_changes(snap: Snapshot) -> Failures:
    read = snap.read(CODE_VERDICT)
    if read.value is None:
        return read.failures
    review = read.value
    heavy = any(each.target == "code" and each.severity in HEAVY for each in review.issues)
    blames_plan = any(each.target == "plan" for each in review.issues)
    if heavy or review.decision == "needs_changes" or (review.decision == "blocked" and not blames_plan):
        return ()
    return fails(CODE_VERDICT, "no code issue at major or above", f"rcs task next {snap.task}")


def check_plan_flawed(snap: Snapshot) -> Failures:
    read = snap.read(CODE_VERDICT)
    if read.value is None:
        return read.failures
    of_plan = [each for each in read.value.issues if each.target == "plan"]
    if any(each.severity in HEAVY for each in of_plan) or (of_plan and read.value.decision == "blocked"):
        return ()
    found = "no issue at major or above targets the plan" if of_plan else "no issue targets the plan"
    where = path_of(snap.task, CODE_VERDICT)
    return fails(CODE_VERDICT, found, f"add it with target plan to {where}, or {override(snap.task, PLANNING)}")


EDGES = (
    Edge(CODEGEN, REVIEW, "codegen completed", check_codegen_completed, tried=3, warning=warn_out_of_scope),
    Edge(CODEGEN, PLANNING, "scope mismatch", check_scope_mismatch, tried=1, why=why_out_of_scope),
    Edge(CODEGEN, PLAN_REVIEW, "plan unclear", check_plan_unclear, tried=2, why=why_unclear),
    Edge(CODEGEN, CODEGEN, "re-run codegen"),
    Edge(REVIEW, TEST, "review passes", check_review_passes, tried=3),
    Edge(REVIEW, CODEGEN, "needs code changes", check_needs_code_changes, tried=2, why=of_code_review(CODEGEN)),
    Edge(REVIEW, PLANNING, "plan flawed", check_plan_flawed, tried=1, why=of_code_review(PLANNING)),
)
