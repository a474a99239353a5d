"""Define every phase of a task: what a person types to enter it, what to do in it, and which files belong to it. Pure.

To add a phase, add a `PhaseDef` to `DEFINITIONS`, draw its edges in `lifecycle.md`, and give each edge its guard in
`guards/`. Commands, completion, hints, schemas, the dashboard, and which files become stale follow from these.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, NamedTuple, TypeVar

if TYPE_CHECKING:
    from rcs_hooks.tasks import forms

PLANNING, PLAN_REVIEW, CODEGEN, REVIEW = "planning", "plan_review", "codegen", "review"
TEST, ACCEPT, REVERT, DONE = "test", "accept", "revert", "done"
START = "[*]"
WORKFLOW = "task"
"""The name of the machine that tasks go through."""

STATE_FILE, TRANSCRIPT, HISTORY = "state.json", "transcript.jsonl", "history"
CODE = "code/"
REASONS_FOLLOW = "see the reasons below; then "

FormT = TypeVar("FormT")


class JsonPath(str, Generic[FormT]):
    """The path of a JSON artifact, with the form of the file as a type, so that the type checker knows its fields."""

    __slots__ = ()


PLAN: JsonPath[forms.PlanForm] = JsonPath("planning/planning.ai.json")
PLAN_FILES: JsonPath[forms.PlanFilesForm] = JsonPath("planning/plan.files.json")
PLAN_VERDICT: JsonPath[forms.PlanReviewForm] = JsonPath("review/plan-review.json")
DIFF, CODE_FILES = "code/diff.patch", "code/files"
CODE_VERDICT: JsonPath[forms.CodeReviewForm] = JsonPath("review/code-review.json")
REPORT: JsonPath[forms.EvalReportForm] = JsonPath("eval/eval-report.json")
DECISION: JsonPath[forms.DecisionForm] = JsonPath("accept/decision.json")
REVERT_RECORD: JsonPath[forms.RevertRecordForm] = JsonPath("revert/record.json")


class Artifact(NamedTuple):
    """A file, or a folder of files, that a phase produces. Its path is relative to the folder of the task."""

    path: str
    schema: str = ""
    """The name of its schema in `rcs task schema NAME`; empty for what is not JSON."""
    is_edited_in_place: bool = False
    """Whether the next round goes on with the file. Then a copy is archived; otherwise the file itself is moved."""


class PhaseDef(NamedTuple):
    """One phase. In `to_do`, `{task}` becomes the name of the task, and `{folder}` its folder."""

    name: str
    command: str = ""
    """What follows `rcs task` to enter the phase; empty where no command leads there."""
    outputs: tuple[Artifact, ...] = ()
    to_do: str = ""
    also: str = ""
    """What its command can do besides entering the phase, for the help."""


DEFINITIONS = (
    PhaseDef(
        PLANNING,
        command="plan",
        outputs=(
            Artifact(PLAN, "planning.ai", is_edited_in_place=True),
            Artifact(PLAN_FILES, "plan.files", is_edited_in_place=True),
        ),
        to_do=f"write {{folder}}/{PLAN}; an example: rcs task schema planning.ai --example",
    ),
    PhaseDef(
        PLAN_REVIEW,
        command="review plan",
        outputs=(Artifact(PLAN_VERDICT, "plan-review"),),
        to_do='review the plan, then: rcs task review plan {task} --verdict WORD --reason "..."; the words: rcs task '
        "review plan --help",
        also="with a verdict: record it, and go where it leads",
    ),
    PhaseDef(
        CODEGEN,
        command="codegen",
        outputs=(Artifact(DIFF), Artifact(CODE_FILES, is_edited_in_place=True)),
        to_do="write the code in the work tree, then: rcs task collect {task}",
    ),
    PhaseDef(
        REVIEW,
        command="review code",
        outputs=(Artifact(CODE_VERDICT, "code-review"),),
        to_do='review the code, then: rcs task review code {task} --verdict WORD --reason "..."; the words: rcs task '
        "review code --help",
        also="with a verdict: record it, and go where it leads",
    ),
    PhaseDef(
        TEST,
        command="test",
        outputs=(Artifact(REPORT, "eval-report"),),
        to_do="rcs task test {task} -- COMMAND, for each command that has to pass",
        also="with a command: run it, and write the report",
    ),
    PhaseDef(
        ACCEPT,
        command="accept",
        outputs=(Artifact(DECISION, "decision"),),
        to_do='rcs task accept {task} --decision WORD --reason "..."; the words: rcs task accept --help',
        also="with a decision: record it, and go where it leads",
    ),
    PhaseDef(
        REVERT,
        command="revert",
        outputs=(Artifact(REVERT_RECORD, "record"),),
        to_do="undo the work, and set status to completed in "
        f"{{folder}}/{REVERT_RECORD}; its schema: rcs task schema record",
        also="with a reason: record it first",
    ),
    PhaseDef(DONE),
)
"""The phases in their order: an edge to an earlier one goes back, and makes what later ones produced stale."""

PHASES = tuple(each.name for each in DEFINITIONS)
COMMANDS = {each.name: each.command for each in DEFINITIONS if each.command}
OUTPUTS = {each.name: tuple(output.path for output in each.outputs) for each in DEFINITIONS if each.outputs}
EDITED_IN_PLACE = tuple(output.path for each in DEFINITIONS for output in each.outputs if output.is_edited_in_place)
SCHEMAS = {output.schema: output.path for each in DEFINITIONS for output in each.outputs if output.schema}
SCHEMA_NAMES = {path: name for name, path in SCHEMAS.items()}


def is_back(source: str, target: str) -> bool:
    """Tell whether a move leads to an earlier phase, or into the same phase again."""
    return PHASES.index(target) <= PHASES.index(source)


def later(phase: str) -> tuple[str, ...]:
    return PHASES[PHASES.index(phase) + 1 :]


def stale_outputs(target: str) -> list[str]:
    """Return the outputs of a phase and of every later one: what a task that goes back to it must produce again."""
    return [path for phase in (target, *later(target)) for path in OUTPUTS.get(phase, ())]


def to_do(task: str, phase: str, *, is_back: bool = False) -> str:
    """Return what to do in a phase; empty if there is nothing to do. `is_back`: whether reasons follow the text."""
    words = DEFINITIONS[PHASES.index(phase)].to_do.format(task=task, folder=folder_of(task))
    return f"{REASONS_FOLLOW}{words}" if words and is_back and phase != REVERT else words


def folder_of(task: str) -> str:
    """Return the folder of a task as messages show it, relative to the workspace."""
    return f".rcs/tasks/{task}"
