"""All words of the lifecycle: what is found, what to do about it, what was done. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rcs_hooks.tasks import fixes, phases
from rcs_hooks.tasks.phases import PHASES
from rcs_hooks.workflow.text import clean

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rcs_hooks.tasks.failure import Failure

MOST_NAMED = 5

NOT_INFERABLE = "missing, and planning.ai.json has no file_plan or draft_files to infer it from"
NO_SCOPE_MISMATCH = "no scope mismatch to justify going back"
NOT_WHOLE = "diff.patch and files are not both there, so the scope is not judged"
NOTHING_ESSENTIAL = "nothing essential is missing"
NO_CODE_ISSUE = "no code issue at major or above"
NO_PLAN_ISSUE = "no issue targets the plan"
NO_HEAVY_PLAN_ISSUE = "no issue at major or above targets the plan"
NO_REVERT = "no revert requested and no regression recorded"
OLDER_PLAN = "reviews an older plan"
SAME_HASH = "its SHA-256"
NO_REASON = "--override needs a reason"
NO_REVERT_REASON = "--reason needs words: why is the work taken back?"
REASON_ALONE = "--reason is for --decision: rcs task accept --decision WORD --reason WHY"


def short(text: str) -> str:
    """A few words of somebody else's."""
    return clean(text, 40)


def path(text: str) -> str:
    return clean(text, 120)


def some(names: Sequence[str]) -> str:
    """The first few of them."""
    more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
    return ", ".join(path(name) for name in names[:MOST_NAMED]) + more


# --- what is found


def all_planned(count: int) -> str:
    return f"every generated file is planned ({count} of {count}); {NO_SCOPE_MISMATCH}"


def all_pass(count: int) -> str:
    return f"all {count} suites pass; no failure to justify going back"


def only_custom(count: int) -> str:
    return f"no test, lint or static suite of {count} fails; no failure to justify going back"


def blockers(found: Sequence[tuple[str, object]]) -> str:
    """`(RiskPlanner: <first issue>)`"""
    if not found:
        return ""
    name, issue = found[0]
    said = issue_words(issue)
    return f" ({short(name)}: {said})" if said else f" ({short(name)})"


def issue_words(issue: object) -> str:
    if isinstance(issue, dict):
        issue = next((issue[key] for key in ("message", "text", "summary", "title", "id") if key in issue), "")
    return clean(issue, 80)


def issues(found: Sequence[tuple[str, str | None, str]]) -> str:
    """`1 blocking (C2 src/a.py: it hangs)`"""
    named = [
        " ".join(filter(None, (short(id_), path(where or "")))) + (f": {clean(message, 80)}" if message else "")
        for id_, where, message in found[:MOST_NAMED]
    ]
    more = f", and {len(found) - MOST_NAMED} more" if len(found) > MOST_NAMED else ""
    return f"{len(found)} blocking ({'; '.join(named)}{more})"


def out_of_scope(task: str, names: Sequence[str]) -> str:
    return f"{not_planned(names)}; to plan anew: {fixes.go(task, phases.PLANNING)}"


def unnamed(lacks: Sequence[str]) -> str:
    return f"the plan has no {', no '.join(lacks)}, and no meta.title instead"


def twice(name: str) -> str:
    return f"file_plan names {path(name)} twice"


def dangling(name: str) -> str:
    return f"a milestone names {short(name)}, which is no task"


def not_planned(names: Sequence[str]) -> str:
    return f"not in the plan: {some(names)}"


def not_generated(names: Sequence[str]) -> str:
    return f"planned, and not generated: {some(names)}"


def signalled(word: str) -> str:
    return f"state.json: actors.codegen.status: {word}"


# --- what is refused


def cannot_move(
    task: str, source: str, target: str, failed: Sequence[Failure], allowed: Sequence[tuple[str, str]]
) -> str:
    lines = [f"task {task}: cannot move {source} -> {target}"]
    for number, failure in enumerate(failed):
        lines.append(f"  - {failure.words}")
        after = failed[number + 1].fix if number + 1 < len(failed) else None
        if failure.fix != after:
            lines.append(f"  fix: {failure.fix}")
    ways = ", ".join(f"{to} ({why})" for to, why in allowed)
    return "\n".join([*lines, f"Allowed from {source}: {ways}"])


def exists(phase: str) -> str:
    return f"task already exists in phase {phase}"


def no_transition(task: str, source: str, target: str, ways: Iterable[str]) -> str:
    where = f"task {task}: {source} -> {target} is not a transition."
    return f"{where} A phase cannot be skipped. From {source}: {', '.join(ways)}."


def no_override(task: str, source: str, target: str) -> str:
    return f"task {task}: {source} -> {target} is not a transition; an override cannot skip a phase"


def is_done(task: str) -> str:
    return f"task {task} is done. Re-open it with rcs task redo {task} --phase <phase>."


def never_reached(task: str, phase: str) -> str:
    return f"task {task} never reached {phase}; redo cannot jump ahead"


def redo_elsewhere(task: str, source: str, target: str) -> str:
    return f"task {task} is in {source}, and redo does that phase again; to go to {target}: {fixes.go(task, target)}"


def reverting(task: str) -> str:
    return (
        f"task {task}: already in revert; the reason stands in {fixes.place(task, phases.RECORD)} (nothing was changed)"
    )


def unknown_phase(found: str) -> str:
    known = f"is not one of {', '.join(PHASES)}; fix the file by hand (nothing was changed)"
    return f'{phases.STATE_FILE}: phase "{found}" {known}'


def broken_state(found: str, needed: str) -> str:
    need = "" if found.startswith("not JSON") else f", need {needed}"
    return f"{phases.STATE_FILE}: {found}{need}; nothing was changed"


def wrong_state(field: str, found: str, needed: str) -> str:
    return f"{phases.STATE_FILE}: {field}: {found}, need {needed}; fix the file by hand (nothing was changed)"


def broken_file(name: str, found: str) -> str:
    return f"{name}: {found}; mend it, or take it away (nothing was changed)"


def no_task(task: str) -> str:
    return f"there is no task {path(task)}; begin it with: rcs task new {path(task)}"


def no_task_at_all() -> str:
    return "there is no task here; begin one with: rcs task new NAME"


def which_task(tasks: Sequence[str]) -> str:
    return f"there are several tasks ({some(tasks)}); name the one that is meant"


def no_name(found: str) -> str:
    return f"{path(found)!r} cannot name a task; letters, digits, - and _ behind a letter or digit do, 128 at most"


# --- what was done


def already(task: str, phase: str) -> str:
    return f"task {task}: already in {phase}"


def begun(task: str) -> str:
    return f"task {task}: planning, round 1"


def moved(task: str, source: str, target: str, number: int, why: str | None) -> str:
    said = f" ({clean(why, 200)})" if why else ""
    way = f"{source} -> {target}" if source != target else f"{target} again"
    counted = f", round {number}" if number > 1 else ""
    return f"task {task}: {way}{counted}{said}"


def recorded(task: str, what: str, artifact: str) -> str:
    return f"task {task}: {what} is recorded in {fixes.place(task, artifact)}"


def decision(word: str, reasons: Sequence[str]) -> str:
    return f"{word}: {'; '.join(reasons)}" if reasons else word


def no_run(why: str) -> str:
    return f"not among the runs: {clean(why, 300)}"
