"""All words of the lifecycle: what is found, what to do about it, what was done. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rcs_hooks.tasks import phases
from rcs_hooks.tasks.phases import COMMANDS, PHASES
from rcs_hooks.workflow.text import clean

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rcs_hooks.tasks.failure import Failure

TASKS = ".rcs/tasks"
TAKE_AWAY = "take it away"
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


# --- what to do


def place(task: str, artifact: str) -> str:
    return f"{TASKS}/{task}/{artifact}"


def write(task: str, artifact: str) -> str:
    """The file to write, and the command that shows its form."""
    form = f"; its form: rcs task schema {phases.NAMES[artifact]}" if artifact in phases.NAMES else ""
    return f"write {place(task, artifact)}{form}"


def mend(task: str, artifact: str) -> str:
    return f"mend {place(task, artifact)}; its form: rcs task schema {phases.NAMES[artifact]}"


def answer(task: str) -> str:
    return f"answer them, and set the status of each to answered in {place(task, phases.PLAN)}"


def override(task: str, target: str | None = None, why: str = "reason") -> str:
    to = f" --to {target}" if target else ""
    return f'rcs task next {task} --override "<{why}>"{to}'


def go(task: str, target: str) -> str:
    return f"rcs task {COMMANDS[target]} {task}"


def decide(task: str, word: str, reason: str = "") -> str:
    given = f' --reason "{reason}"' if reason else ""
    return f"rcs task accept {task} --decision {word}{given}"


def new_verdict(task: str) -> str:
    return f"review it again and write {place(task, phases.PLAN_VERDICT)}, or go back: {go(task, phases.PLANNING)}"


def newer_verdict(task: str) -> str:
    return f"review the plan as it is now, and write {place(task, phases.PLAN_VERDICT)}"


def no_way_back(task: str) -> str:
    return f"rcs task next {task} moves on, or {override(task, phases.PLANNING)}"


def blocking(task: str, target: str) -> str:
    return f"{go(task, target)}, or {override(task, why='why')}"


def aim_at_plan(task: str) -> str:
    return f"add it with target plan to {place(task, phases.CODE_VERDICT)}, or {override(task, phases.PLANNING)}"


def run_tests(task: str) -> str:
    return f"let the run end, and write {place(task, phases.REPORT)}"


def record_it(task: str, word: str) -> str:
    return f"record it: {decide(task, word, '...')}"


def ask_for_revert(task: str) -> str:
    return f'rcs task revert {task} --reason "..."'


def finish_revert(task: str) -> str:
    return f"take the work back, then set status completed in {place(task, phases.RECORD)}"


def say_why(task: str) -> str:
    return f"say in {place(task, phases.RECORD)} why the work is taken back"


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
    return f"not in the plan: {some(names)}; to plan anew: {go(task, phases.PLANNING)}"


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
    return f"task {task} is in {source}, and redo does that phase again; to go to {target}: {go(task, target)}"


def reverting(task: str) -> str:
    return f"task {task}: already in revert; the reason stands in {place(task, phases.RECORD)} (nothing was changed)"


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
    return f"task {task}: {what} is recorded in {place(task, artifact)}"


def decision(word: str, reasons: Sequence[str]) -> str:
    return f"{word}: {'; '.join(reasons)}" if reasons else word


def no_run(why: str) -> str:
    return f"not among the runs: {clean(why, 300)}"


HINTS = {
    phases.PLANNING: "write {plan}; its form: rcs task schema planning.ai",
    phases.PLAN_REVIEW: "review the plan, and write {verdict}; its form: rcs task schema plan-review",
    phases.CODEGEN: "write the code under {code}, and {diff}",
    phases.REVIEW: "review the code, and write {review}; its form: rcs task schema code-review",
    phases.TEST: "run the tests, and write {report}; its form: rcs task schema eval-report",
    phases.ACCEPT: 'rcs task accept {task} --decision WORD --reason "..."; the words: rcs task accept --help',
    phases.REVERT: "take the work back, and set status completed in {record}; its form: rcs task schema record",
}


def hint(task: str, phase: str) -> str | None:
    """What is to be done in a phase."""
    names = {
        "plan": phases.PLAN, "verdict": phases.PLAN_VERDICT, "code": phases.CODE_FILES, "diff": phases.DIFF,
        "review": phases.CODE_VERDICT, "report": phases.REPORT, "record": phases.RECORD,
    }  # fmt: skip
    places = {name: place(task, artifact) for name, artifact in names.items()}
    return HINTS[phase].format(task=task, **places) if phase in HINTS else None
