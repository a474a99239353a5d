"""The forms of the artifacts. Only where one is read, or its schema asked for, is this loaded: pydantic takes its time.

What is not named here may stand in an artifact as well, and is passed over.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Discriminator, Field, Tag, ValidationError

from rcs_hooks import jsontext
from rcs_hooks.tasks import phases
from rcs_hooks.tasks.failure import MISSING
from rcs_hooks.workflow.text import clean

Fault = tuple[str, str, str]
"""Field, found, needed."""

MOST_FAULTS = 10
PLAIN, OBJECT = "<text>", "<object>"


class Form(BaseModel):
    model_config = ConfigDict(strict=True, extra="ignore", frozen=True)

    def faults(self) -> list[Fault]:
        """What no single field can say."""
        return []


def _kind(value: object) -> str:
    return PLAIN if isinstance(value, str) else OBJECT


class PlannedFile(Form):
    path: str = Field(description="relative to the repository, without ..")
    intent: Literal["create", "update", "delete"] | None = None
    summary: str | None = None


class Question(Form):
    id: str | int | None = None
    text: str | None = None
    question: str | None = None
    status: str | None = Field(None, description="open where it is missing; any other word, as answered, closes it")


PathOrFile = Annotated[Annotated[str, Tag(PLAIN)] | Annotated[PlannedFile, Tag(OBJECT)], Discriminator(_kind)]
TextOrQuestion = Annotated[Annotated[str, Tag(PLAIN)] | Annotated[Question, Tag(OBJECT)], Discriminator(_kind)]


class PlanMeta(Form):
    title: str | None = None


class WorkTask(Form):
    id: str | int


class Milestone(Form):
    tasks: list[str | int] = []


class Work(Form):
    tasks: list[WorkTask] = []
    milestones: list[Milestone] = []


class Plan(Form):
    """planning/planning.ai.json: what is to be done, and in which files."""

    id: str | int | None = Field(None, description="id, title and brief are needed, or meta.title instead")
    title: str | None = None
    brief: str | None = None
    meta: PlanMeta | None = Field(None, description="its title stands for id, title and brief")
    file_plan: list[PlannedFile] = Field([], description="read where there is no plan.files.json; each path once")
    draft_files: list[PathOrFile] = Field([], description="read where file_plan has nothing")
    acceptance_criteria: list[Any] = Field([], description="needed: without any, codegen goes back to plan_review")
    acceptance: list[Any] = Field([], description="another name of acceptance_criteria")
    work: Work | None = None
    blocking_questions: list[TextOrQuestion] = Field([], description="an open one keeps the plan from its review")
    blocking_open_questions: list[TextOrQuestion] = Field([], description="another name of blocking_questions")
    open_questions: list[Any] = Field([], description="these never block")


class PlanFiles(Form):
    """planning/plan.files.json: every file that the work may touch."""

    files: list[PathOrFile] = Field(min_length=1)


class Reviewer(Form):
    id: str = ""
    ok: bool | None = None
    severity: str | None = Field(None, description="blocking, with ok false, blocks")
    decision: str | None = Field(None, description="blocked, needs_changes and defer are read; any other word is ok")
    blocking_issues: list[Any] = []


class Aggregate(Form):
    ok: bool | None = None
    decision: str | None = None
    blocking_issues: list[Any] = []


class ReviewMeta(Form):
    plan_hash: str | None = Field(None, description="SHA-256, in hex, of the planning.ai.json that was reviewed")


class PlanReview(Form):
    """review/plan-review.json: what the reviewers say of the plan."""

    ok: bool | None = Field(None, description="needed here, or in aggregate")
    blocked: bool | None = None
    reviewers: list[Reviewer] = []
    aggregate: Aggregate | None = None
    meta: ReviewMeta | None = None

    @property
    def is_ok(self) -> bool:
        """Its own word; the aggregate's where it has none."""
        return bool(self.aggregate and self.aggregate.ok) if self.ok is None else self.ok

    def faults(self) -> list[Fault]:
        beside = self.aggregate.ok if self.aggregate else None
        if self.ok is None and beside is None:
            return [("ok", MISSING, "true or false")]
        if self.ok is not None and beside is not None and self.ok != beside:
            return [("ok", f"{_shown(self.ok)} and aggregate.ok {_shown(beside)}", "the same")]
        return []


class Issue(Form):
    id: str
    severity: Literal["blocking", "major", "minor", "info"]
    target: Literal["code", "plan"] = "code"
    path: str | None = None
    message: str = ""


class CodeReview(Form):
    """review/code-review.json: what the review says of the code."""

    ok: bool
    decision: Literal["accepted", "needs_changes", "blocked"]
    issues: list[Issue] = []


class Suite(Form):
    id: str
    kind: Literal["test", "lint", "static", "custom"]
    overall_pass: bool


class EvalReport(Form):
    """eval/eval-report.json: completed says that it ran to its end, failed that the run itself broke."""

    status: Literal["pending", "running", "completed", "failed"]
    overall_pass: bool | None = Field(None, description="needed once it is completed")
    suites: list[Suite] = []


class Decision(Form):
    """accept/decision.json: deferred stays."""

    decision: Literal["accepted", "needs_changes", "unclear", "upstream_problem", "revert", "deferred"] | None = Field(
        None, description="needed here, or as verdict"
    )
    verdict: Literal["accepted", "deferred"] | None = Field(None, description="another name of decision")
    reasons: list[str] = Field([], description="needed to accept where tests have failed")
    regression_found: bool = False
    decided_by: str | None = None
    decided_at: str | None = None

    @property
    def word(self) -> str:
        return str(self.decision or self.verdict)

    def faults(self) -> list[Fault]:
        if self.decision is None and self.verdict is None:
            return [("decision", MISSING, "the decision")]
        if self.decision and self.verdict and self.decision != self.verdict:
            return [("decision", f"{self.decision} and verdict {self.verdict}", "the same")]
        return []


class RevertRecord(Form):
    """revert/record.json: why the work is taken back, and whether that is done."""

    reason: str | None = Field(None, description="needed, and not blank")
    status: Literal["requested", "completed"] | None = Field(None, description="completed once the work is taken back")
    by: str | None = None
    at: str | None = None


FORMS: dict[str, type[Form]] = {
    phases.PLAN: Plan,
    phases.PLAN_FILES: PlanFiles,
    phases.PLAN_VERDICT: PlanReview,
    phases.CODE_VERDICT: CodeReview,
    phases.REPORT: EvalReport,
    phases.DECISION: Decision,
    phases.RECORD: RevertRecord,
}


def read(path: str, value: dict[str, Any]) -> Form | list[Fault]:
    """The artifact, whole; or everything that is wrong with it."""
    try:
        found = FORMS[path].model_validate(value)
    except ValidationError as error:
        faults = [_fault(each) for each in error.errors(include_url=False)]
        return list({field: fault for fault in reversed(faults) for field in fault[:1]}.values())[::-1][:MOST_FAULTS]
    return found.faults() or found


def schema(path: str) -> dict[str, Any]:
    """JSON Schema, as whoever writes the artifact is to hold to it."""
    return {"$schema": "https://json-schema.org/draft/2020-12/schema"} | FORMS[path].model_json_schema()


NEEDED = {
    "string_type": "a string",
    "bool_type": "true or false",
    "list_type": "a list",
    "int_type": "a whole number",
    "model_type": "an object",
    "model_attributes_type": "an object",
    "dict_type": "an object",
}


def _fault(error: Any) -> Fault:
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


def _shown(value: Any) -> str:
    """A word as it is; what else there may be as JSON would have it, and short."""
    if isinstance(value, dict | list):
        return "an object" if isinstance(value, dict) else "a list"
    if isinstance(value, str):
        return clean(value) if value.replace("_", "").isalnum() else f"'{clean(value)}'"
    return jsontext.dumps_line(value)[:40]
