"""What to do about a refusal, and what is to be done in a phase: a file to write, or a command to type. Pure."""

from __future__ import annotations

from rcs_hooks.tasks import phases
from rcs_hooks.tasks.phases import COMMANDS

TASKS = ".rcs/tasks"
TAKE_AWAY = "take it away"


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
