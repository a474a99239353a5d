"""Define the form of each JSON artifact. Loaded only to read one or to show its schema, as pydantic is slow to import.

Keys that a form does not name are allowed, and ignored.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Discriminator, Field, Tag, ValidationError

from rcs_hooks import jsontext
from rcs_hooks.tasks import phases
from rcs_hooks.tasks.failures import MISSING
from rcs_hooks.text import clean

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

    from rcs_hooks.jsontext import JsonObject

Fault = tuple[str, str, str]
"""The field, what is found there, and what is needed."""

MOST_FAULTS = 10
PLAIN, OBJECT = "<text>", "<object>"


class ArtifactForm(BaseModel):
    """What every form has in common: values are taken as they are, without conversion."""

    model_config = ConfigDict(strict=True, extra="ignore", frozen=True)

    refused: ClassVar[Mapping[str, str]] = {}
    """The names that other tools use for a field, each with what is needed in its place."""


def _kind(value: object) -> str:
    return PLAIN if isinstance(value, str) else OBJECT


class PlannedFile(ArtifactForm):
    path: str = Field(description="relative to the repository, without ..")
    intent: Literal["create", "update", "delete"] | None = None
    summary: str | None = None


class PlanQuestion(ArtifactForm, title="Question"):
    id: str | int | None = None
    text: str | None = None
    question: str | None = None
    status: str | None = Field(None, description="open where it is missing; any other word, as answered, closes it")


PathOrFile = Annotated[Annotated[str, Tag(PLAIN)] | Annotated[PlannedFile, Tag(OBJECT)], Discriminator(_kind)]
TextOrQuestion = Annotated[Annotated[str, Tag(PLAIN)] | Annotated[PlanQuestion, Tag(OBJECT)], Discriminator(_kind)]


class PlanForm(ArtifactForm, title="Plan"):
    """planning/planning.ai.json: what is to be done, and in which files."""

    refused = {
        "meta.title": "id, title and brief",
        "draft_files": "file_plan",
        "acceptance": "acceptance_criteria",
        "blocking_open_questions": "blocking_questions",
    }

    id: str | int | None = Field(None, description="id, title and brief are needed")
    title: str | None = None
    brief: str | None = None
    file_plan: list[PlannedFile] = Field([], description="read where there is no plan.files.json; each path once")
    acceptance_criteria: list[object] = Field([], description="needed: without any, codegen goes back to plan_review")
    blocking_questions: list[TextOrQuestion] = Field([], description="an open one keeps the plan from its review")
    open_questions: list[object] = Field([], description="these never block")


class PlanFilesForm(ArtifactForm, title="PlanFiles"):
    """planning/plan.files.json: every file that the work may touch."""

    files: list[PathOrFile] = Field(min_length=1)


ReviewWord = Literal["ok", "accepted", "approved", "needs_changes", "blocked", "defer", "deferred"]
"""What a review of a plan may decide. Another word is refused: `rejected` would otherwise count as ok."""


class Reviewer(ArtifactForm):
    id: str = ""
    ok: bool | None = None
    severity: str | None = Field(None, description="blocking, with ok false, blocks")
    decision: ReviewWord | None = Field(None, description="blocked blocks; needs_changes and defer ask for changes")
    blocking_issues: list[object] = []
    reasons: list[str] = Field([], description="what is to be changed, where nothing blocks")


class ReviewMeta(ArtifactForm):
    plan_hash: str | None = Field(None, description="SHA-256, in hex, of the planning.ai.json that was reviewed")


class PlanReviewForm(ArtifactForm, title="PlanReview"):
    """review/plan-review.json: what the reviewers say of the plan."""

    refused = {"aggregate": "ok, blocked and reviewers"}

    ok: bool
    blocked: bool | None = None
    reviewers: list[Reviewer] = []
    meta: ReviewMeta | None = None


class Issue(ArtifactForm):
    id: str
    severity: Literal["blocking", "major", "minor", "info"]
    target: Literal["code", "plan"] = "code"
    path: str | None = None
    message: str = ""


class CodeReviewForm(ArtifactForm, title="CodeReview"):
    """review/code-review.json: what the review says of the code."""

    ok: bool
    decision: Literal["accepted", "needs_changes", "blocked"]
    issues: list[Issue] = []


class Suite(ArtifactForm):
    id: str
    kind: Literal["test", "lint", "static", "custom"]
    overall_pass: bool
    exit: object = Field(None, description="the exit status, where a command was run")
    timed_out: object = Field(None, description="true where the command ran out of time")
    changed: object = Field(None, description="the tracked files that the command has changed")


class EvalReportForm(ArtifactForm, title="EvalReport"):
    """eval/eval-report.json: completed says that it ran to its end, failed that the run itself broke."""

    status: Literal["pending", "running", "completed", "failed"]
    overall_pass: bool | None = Field(None, description="needed once it is completed")
    suites: list[Suite] = []


class DecisionForm(ArtifactForm, title="Decision"):
    """accept/decision.json: what the person has decided; after `deferred` the task stays in accept."""

    refused = {"verdict": "decision"}

    decision: Literal["accepted", "needs_changes", "unclear", "upstream_problem", "revert", "deferred"]
    reasons: list[str] = Field([], description="needed to accept where tests have failed")
    regression_found: bool = False
    decided_by: str | None = None
    decided_at: str | None = None


class RevertRecordForm(ArtifactForm, title="RevertRecord"):
    """revert/record.json: why the work is undone, and whether that is done."""

    reason: str | None = Field(None, description="needed, and not blank")
    status: Literal["requested", "completed"] | None = Field(None, description="completed once the work is undone")
    by: str | None = None
    at: str | None = None

    @property
    def has_reason(self) -> bool:
        return bool(self.reason and self.reason.strip())


class AnyObject(ArtifactForm):
    """An artifact without a form of its own: any JSON object, its keys as attributes."""

    model_config = ConfigDict(extra="allow")


FORMS: dict[str, type[ArtifactForm]] = {
    phases.PLAN: PlanForm,
    phases.PLAN_FILES: PlanFilesForm,
    phases.PLAN_VERDICT: PlanReviewForm,
    phases.CODE_VERDICT: CodeReviewForm,
    phases.REPORT: EvalReportForm,
    phases.DECISION: DecisionForm,
    phases.REVERT_RECORD: RevertRecordForm,
}


def read(path: str, value: JsonObject) -> ArtifactForm | list[Fault]:
    """Return an artifact with the fields of its form, or what is wrong with it: one fault for each field."""
    form = _form(path)
    if refused := [(name, "not read", needed) for name, needed in form.refused.items() if _has(value, name)]:
        return refused
    try:
        return form.model_validate(value)
    except ValidationError as error:
        faults = [_fault(each) for each in error.errors(include_url=False)]
        first_of_field = {fault[0]: fault for fault in reversed(faults)}
        return list(first_of_field.values())[::-1][:MOST_FAULTS]


def _has(value: object, name: str) -> bool:
    """Tell whether a JSON object has a name, such as `meta.title`."""
    first, _, rest = name.partition(".")
    return isinstance(value, dict) and first in value and (not rest or _has(value[first], rest))


def schema(path: str) -> JsonObject:
    """Return the JSON Schema by which an agent writes the artifact."""
    return {"$schema": "https://json-schema.org/draft/2020-12/schema"} | _form(path).model_json_schema()


def _form(path: str) -> type[ArtifactForm]:
    return FORMS.get(path, AnyObject)


NEEDED = {
    "string_type": "a string",
    "bool_type": "true or false",
    "list_type": "a list",
    "int_type": "a whole number",
    "model_type": "an object",
    "model_attributes_type": "an object",
    "dict_type": "an object",
}


def _fault(error: ErrorDetails) -> Fault:
    loc = [part for part in error["loc"] if part not in (PLAIN, OBJECT, "str", "int")]
    field = "".join(f"[{part}]" if isinstance(part, int) else f".{clean(part)}" for part in loc).lstrip(".")
    kind = error["type"]
    if kind == "missing":
        return field, MISSING, "a value"
    if kind in ("model_type", "model_attributes_type") and error["loc"][-1:] == (OBJECT,):
        return field, _shown(error["input"]), "a string or an object"
    if kind == "too_short":
        return field, "empty", "at least one"
    if kind == "literal_error":
        return field, _shown(error["input"]), str(error["ctx"]["expected"]).replace("'", "")
    return field, _shown(error["input"]), NEEDED.get(kind, clean(error["msg"]))


def _shown(value: object) -> str:
    """Show a value of an artifact, cut short: a word as it is, other strings in quotes, the rest as JSON."""
    if isinstance(value, dict | list):
        return "an object" if isinstance(value, dict) else "a list"
    if isinstance(value, str):
        return clean(value) if value.replace("_", "").isalnum() else f"'{clean(value)}'"
    return jsontext.dumps_line(value)[:40]
