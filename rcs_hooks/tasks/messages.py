"""Word what a task refuses or reports, but for the guards, which word their own failures. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rcs_hooks.tasks.failures import enter, path_of
from rcs_hooks.tasks.phases import ACCEPT, CODEGEN, PHASES, REVERT_RECORD, STATE_FILE, TEST
from rcs_hooks.text import clean

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rcs_hooks.tasks.failures import GuardFailure
    from rcs_hooks.workflow.proof import Proof

MOST_NAMED = 5

NO_REASON = "--override needs a reason"
NO_REVERT_REASON = "--reason is empty; say why the work is undone"
REASON_ALONE = "--reason needs --decision: rcs task accept --decision WORD --reason WHY"
VERDICT_ALONE = "--reason and --about need --verdict: rcs task review plan|code --verdict WORD --reason WHY"
NO_REVIEW_REASON = "--reason is missing; say what has to change, once for each thing"
NO_TASK_AT_ALL = "there is no task here; begin one with: rcs task new NAME"


# --- other people's words, cut short and without control characters


def short(text: str) -> str:
    return clean(text, 40)


def short_path(text: str) -> str:
    return clean(text, 120)


def first_of(names: Sequence[str]) -> str:
    """Return the first MOST_NAMED names, and how many more there are."""
    more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
    return ", ".join(short_path(name) for name in names[:MOST_NAMED]) + more


def issue(value: object) -> str:
    """Return the text of an issue, which is a string, or an object that has a text under any of the usual names."""
    if isinstance(value, dict):
        value = next((value[key] for key in ("message", "text", "summary", "title", "id") if key in value), "")
    return clean(value, 80)


def issue_name(name: str, path: str | None) -> str:
    """Return what an issue is called, as in `C2 src/a.py`."""
    return " ".join(filter(None, (short(name), short_path(path or ""))))


def issue_line(name: str, path: str | None, message: str) -> str:
    """Return an issue on one line, as in `C2 src/a.py: it hangs`."""
    where = issue_name(name, path)
    return f"{where}: {clean(message, 80)}" if message else where


def finding(where: str, what: str) -> str:
    """Return on one line what has to be changed, as in `C2 src/a.py: it hangs`."""
    return f"{where}: {clean(what, 200)}" if where else clean(what, 200)


# --- what is refused


def cannot_move(
    task: str, source: str, target: str, failed: Sequence[GuardFailure], allowed: Sequence[tuple[str, str]]
) -> str:
    """Return the refusal of a move, with each failure and its fix, and the phases `allowed` with what opens them.

    A fix that several failures in a row share is shown once, after the last of them.
    """
    lines = [f"task {task}: cannot move {source} -> {target}"]
    for number, failure in enumerate(failed):
        lines.append(f"  - {failure.words}")
        after = failed[number + 1].fix if number + 1 < len(failed) else None
        if failure.fix != after:
            lines.append(f"  fix: {failure.fix}")
    gates = ", ".join(f"{to} ({why})" for to, why in allowed)
    return "\n".join([*lines, f"Allowed from {source}: {gates}"])


def exists(phase: str) -> str:
    return f"task already exists in phase {phase}"


def no_transition(task: str, source: str, target: str, targets: Iterable[str]) -> str:
    what = f"task {task}: {source} -> {target} is not a transition."
    return f"{what} A phase cannot be skipped. From {source}: {', '.join(targets)}."


def no_override(task: str, source: str, target: str) -> str:
    return f"task {task}: {source} -> {target} is not a transition; an override cannot skip a phase"


def no_override_by_agent(task: str, source: str, reason: str) -> str:
    """Return the refusal of an agent's override into done, with what it can type, and what the person can."""
    asked = f'an override into done was asked for, "{clean(reason, 80)}", and nothing was changed'
    accept = f'rcs task accept {task} --decision WORD --reason "...", which the client asks the person about'
    status = f"rcs task status {task}, which says what the end of the revert still needs"
    fix = f"{accept if source == ACCEPT else status}; or the person types the override in a terminal of their own"
    return f"task {task}: {asked}: the acceptance is the person's.\n  fix: {fix}"


def is_done(task: str) -> str:
    return f"task {task} is done. Re-open it with rcs task redo {task} --phase <phase>."


def never_reached(task: str, phase: str) -> str:
    return f"task {task} never reached {phase}; redo cannot jump ahead"


def redo_elsewhere(task: str, source: str, target: str) -> str:
    return f"task {task} is in {source}, and redo does that phase again; to go to {target}: {enter(task, target)}"


def no_review_now(task: str, phase: str, review: str) -> str:
    what = f"task {task} is in {phase}, and this verdict is given in {review}; nothing was recorded"
    return f"{what}. Where it can go: rcs task status {task}"


def reverting(task: str) -> str:
    where = path_of(task, REVERT_RECORD)
    return f"task {task}: already in revert; change the reason in {where} (nothing was changed)"


def unknown_phase(phase: str) -> str:
    fix = f"is not one of {', '.join(PHASES)}; fix the file by hand (nothing was changed)"
    return f'{STATE_FILE}: phase "{phase}" {fix}'


def broken_state(found: str, needed: str) -> str:
    need = "" if found.startswith("not JSON") else f", need {needed}"
    return f"{STATE_FILE}: {found}{need}; nothing was changed"


def wrong_state(field: str, found: str, needed: str) -> str:
    return f"{STATE_FILE}: {field}: {found}, need {needed}; fix the file by hand (nothing was changed)"


def broken_file(name: str, found: str) -> str:
    return f"{name}: {found}; correct it or remove it (nothing was changed)"


def no_task(task: str) -> str:
    return f"there is no task {short_path(task)}; begin it with: rcs task new {short_path(task)}"


def which_task(tasks: Sequence[str]) -> str:
    return f"there are several tasks ({first_of(tasks)}); name one"


def bad_name(name: str) -> str:
    return (
        f"{short_path(name)!r} cannot be the name of a task; use letters, digits, - and _, begin with a letter or a "
        "digit, and use at most 128 characters"
    )


def no_start(task: str) -> str:
    return f"task {task} does not say at which commit it began; name one: rcs task collect {task} --base REF"


def nothing_changed(base: str) -> str:
    since = f"since commit {base[:12]}" if base else "since the repository is there"
    return f"no file has changed {since}; write the code in the work tree first, or name another commit by --base"


def no_collecting_now(task: str, phase: str) -> str:
    return f"task {task} is in {phase}, and code is collected in codegen; see: rcs task status {task}"


def no_testing_now(task: str, phase: str) -> str:
    return f"task {task} is in {phase}, and tests are run in test or accept; see: rcs task status {task}"


INTERRUPTED = "it was interrupted"


def came_of(proof: Proof) -> str:
    """Return a command and what came of it, as in: `pytest -q` failed (exit 1)."""
    return f"`{clean(proof.command, 80)}` {proof.result}"


def gone_on(task: str, phase: str) -> str:
    return f"task {task} has gone on to {phase} meanwhile, so the result of the command is not recorded"


# --- what was done


def already(task: str, phase: str) -> str:
    return f"task {task}: already in {phase}"


def begun(task: str) -> str:
    return f"task {task}: planning, round 1"


def moved(task: str, source: str, target: str, number: int, why: str | None) -> str:
    reason = f" ({clean(why, 200)})" if why else ""
    path = f"{source} -> {target}" if source != target else f"{target} again"
    counted = f", round {number}" if number > 1 else ""
    return f"task {task}: {path}{counted}{reason}"


def recorded(task: str, what: str, artifact: str) -> str:
    return f"task {task}: {what} is recorded in {path_of(task, artifact)}"


def to_next(task: str, target: str, why: Sequence[str] = ()) -> str:
    """Return what to do where all that a phase asks for is there. `why`: what sends the task back, if anything does."""
    reasons = f": {clean('; '.join(why), 200)}" if why else ""
    return f"rcs task next {task}; it goes {'back ' if why else ''}to {target}{reasons}"


def instead(task: str, source: str) -> str:
    """Return what can be done where the task would go back from `source`, codegen or test; empty elsewhere."""
    if source == CODEGEN:
        return f"to keep the plan: let the work agree with it, then again: rcs task collect {task} [--base REF]"
    if source != TEST:
        return ""
    mistyped = f"if a command was mistyped: rcs task test {task} --fresh -- COMMAND"
    return f"{mistyped}; to have it decided as it is: {enter(task, ACCEPT)}"


def decided(word: str, by: str, at: object, reasons: Sequence[str]) -> str:
    """Return a decision on one line: why, when, and who gave it, as words."""
    said = decision(word, [clean(each, 200) for each in reasons])
    return f"{said} ({', '.join(filter(None, (clean(at), by)))})"


def decision(word: str, reasons: Sequence[str]) -> str:
    return f"{word}: {'; '.join(reasons)}" if reasons else word


def collected(base: str, count: int) -> str:
    files = f"{count} changed file{'s' if count != 1 else ''}"
    return f"collected {files} against {f'commit {base[:12]}' if base else 'nothing'}"


def tested(proof: Proof) -> str:
    also = proof.changed and (proof.exit or proof.timed_out)
    return f"{came_of(proof)}{f', and changed tracked files ({len(proof.changed)})' if also else ''}"
