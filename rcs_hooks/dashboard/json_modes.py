"""The JSON of a run of a mode and of the one list, as models; what they share with others is in `json_models.py`."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from rcs_hooks.dashboard.everything import STATES
from rcs_hooks.dashboard.json_models import JsonModel, QuestionJson, ResumeJson, Timestamp, Verdict
from rcs_hooks.dashboard.json_runs import GraphJson, StepVisitJson, TimelineStepJson
from rcs_hooks.state.history import EVENTS
from rcs_hooks.workflow.lifecycle import PUBLIC, any_of

# --- a run of a mode


class ModeStepJson(TimelineStepJson):
    """A state of the mode's machine, or a phase that the machine does not know."""

    asks: str | None = Field(description="what the machine says of the state")


class RoundJson(JsonModel):
    iteration: int | None
    started_at: Timestamp | None
    ended_at: Timestamp | None
    phases: list[str] = Field(description="in the order in which the run was in them, 40 at most")


class AskedJson(JsonModel):
    """A question that the run has waited for, as its history tells."""

    question: str | None = Field(description="null: the person's next prompt was waited for")
    asked_at: Timestamp | None
    answer: str | None
    answered_at: Timestamp | None


class ProofJson(JsonModel):
    """The newest proof of a run, and the verdict on the run."""

    verdict: Verdict | None = Field(description="null: the run has not finished, or is a plan")
    says: str = Field(description="the verdict in words; where there is none, what came of the newest proof")
    command: str | None = Field(description="null, as every field of the proof: there is no proof")
    passed: bool | None = Field(description="ended with 0, in time, and changed no tracked file")
    exit: int | None
    timed_out: bool
    at: Timestamp | None = Field(description="when the command ended")
    seconds: float | None
    changed: list[str] = Field(description="the tracked files that the command changed, 20 at most")
    judged_at: Timestamp | None = Field(description="when the verdict was decided")
    output: str | None = Field(description="the end of the output as text, 4 kB at most; null: see output_problem")
    output_is_cut: bool = Field(description="whether there was more before it")
    output_problem: str | None = Field(description="why the output is not shown; null also where nobody looks for it")
    is_named: bool = Field(description="whether the settings name the command that proves the run")


class HistoryEventJson(JsonModel):
    n: int = Field(description="in its session; numbers may be missing")
    at: Timestamp | None
    event: str = Field(description=any_of(EVENTS))
    before: str | None = Field(description="the phase before; of resumed, the outcome before")
    after: str | None = Field(description="the phase after; of outcome, the outcome; of handoff, the mode that goes on")
    iteration: int | None
    passed: bool | None = Field(description="of proof: whether the command passed")
    verdict: Verdict | None = Field(description="of outcome: the verdict on the run")
    note: str | None = Field(description="the question, the answer, the proof, the reason, the evidence or the plan")
    early: bool


ModeRunStatus = Literal[
    "running", "waiting", "stalled", "inactive", "closed", "completed", "failed", "skipped", "unknown"
]


class ModeRunLineJson(JsonModel):
    """One of the runs that a mode has had in a session."""

    n: int = Field(description="the `run` of its page")
    title: str | None
    started_at: Timestamp | None
    status: str
    outcome: str | None
    early: bool


class ModeRunJson(JsonModel):
    mode: str
    project: str
    session: str | None = Field(description="null: the record of the workspace itself, which has no history")
    title: str
    has_title: bool = Field(description="whether the title is what the person asked for")
    status: ModeRunStatus = Field(description="closed: its client has closed the session with the run open")
    outcome: str | None = Field(description="null while it goes on; " + any_of(PUBLIC))
    early: bool = Field(description="finished where its machine does not end, or with no review that said clean")
    early_because: str | None = Field(description="why that was early; null: it was not")
    handed_over_to: str | None
    phase: str | None
    asks: str | None = Field(description="what the present phase asks of the agent")
    iteration: int | None
    max_iterations: int | None
    reason: str | None
    evidence: str | None
    proof: ProofJson | None = Field(description="null: nothing was run to prove it, and it has no verdict")
    plan: str | None
    brief: str | None
    started_at: Timestamp | None
    last_at: Timestamp | None
    seconds: float | None
    kind: Literal["planning", "execution"] | None = Field(description="null: nothing declares the mode any more")
    client: str | None = Field(description="what people call the client of the session; null: nobody knows it")
    resume: list[ResumeJson]
    quiet_because: str | None = Field(description="why it is stalled or inactive; null: it is neither")
    source: Literal["", "home", "project"] = Field(description="who declares the mode; empty: it ships")
    file: str | None = Field(description="the SKILL.md of a mode that does not ship")
    is_last: bool = Field(description="whether it is the last run of the mode in this session")
    timeline: list[ModeStepJson] = Field(description="every state of the machine, then phases that it does not know")
    visits: list[StepVisitJson] = Field(description="the last 500, in the order in which they began")
    graph: GraphJson
    rounds: list[RoundJson] = Field(description="the last 50")
    asked: list[AskedJson] = Field(description="the last 50")
    questions: list[QuestionJson] = Field(description="those without an answer")
    events: list[HistoryEventJson] = Field(description="the last 200")
    event_count: int
    runs: list[ModeRunLineJson] = Field(description="the last 20 of the mode in this session, the newest first")
    run: int | None = Field(description="the `n` of this run; null: it has no history")
    problem: str | None = Field(description="what of it cannot be read")
    state: str


# --- everything


class AllEntryJson(JsonModel):
    """A run, a passage of a mode, or a task."""

    key: str = Field(description="identifies the entry among all others")
    kind: Literal["mode", "run", "task"]
    name: str = Field(description="the mode, the workflow or the task")
    title: str
    has_title: bool
    project: str
    state: str = Field(description=any_of(STATES))
    outcome: str | None = Field(description="of a mode that has ended: " + any_of(PUBLIC))
    early: bool = Field(description="a mode that finished where its machine does not end, or with no clean review")
    phase: str | None
    session: str | None
    id: str | None
    short: str = Field(description="the first letters of its session or id")
    client: str | None
    started_at: str | None
    last_at: str | None
    seconds: float | None
    says: str | None
    verdict: Verdict | None
    page: str | None


class AllJson(JsonModel):
    """What there is of everything, as it is searched, filtered and sorted."""

    entries: list[AllEntryJson]
    total: int = Field(description="how many there are, with those that are not in this answer")
    totals: dict[str, int] = Field(description="how many there are of each state, whatever the filter by state")
    last_runs: int | None = Field(
        description="only so many runs are among them, those with the newest events; null: all are"
    )
    projects: list[str]
    seq: int
    state: str


# --- the one list


class OverviewQuestionJson(JsonModel):
    id: str
    text: str
    options: list[str]


class LastStopJson(JsonModel):
    held: bool = Field(description="false: it was let go, because nothing had changed")
    at: Timestamp | None


class ProofStatusJson(JsonModel):
    """The verdict on a run that is stored, also for one that goes on; `verdict` says whether people are shown it."""

    state: Verdict
    command: str = Field(description="of the newest proof; empty if there is none")
    exit: int | None
    at: str = Field(description="when the command ended; empty if there is no proof")


class OverviewEntryJson(JsonModel):
    """A mode of a session, a run that `rcs emit` reports, or a task."""

    v: int
    kind: Literal["mode", "run", "task"]
    name: str = Field(description="the mode, the workflow or the task")
    title: str
    session: str | None = Field(description="of a mode; null for a record of the workspace itself, a run or a task")
    id: str | None = Field(description="of a run or a task; null for a mode")
    client: str | None = Field(description="what people call the session's client; null where it is not known")
    phase: str | None
    since: str | None = Field(description="when it began to wait, to run, to be in its phase, or when it ended")
    started_at: str | None = Field(description="when a run or a mode's run began; null: nobody knows, or a task")
    last_at: str | None = Field(description="when there was the last activity; null: nobody knows, or a task")
    says: str = Field(description="one sentence for people, with the command to type")
    key: str = Field(description="the same in each answer, also when the entry moves to another list")
    project: str
    detail: str = Field(description="`says` without the command")
    command: str
    has_title: bool
    short: str = Field(description="the first letters of its session or id, as many as tell the entries apart")
    iteration: int | None
    max_iterations: int | None
    outcome: str | None
    early: bool
    proof: ProofStatusJson | None = Field(description="null: a run, or a task that has not come to acceptance")
    verdict: Verdict | None = Field(description="null: it has not finished, or come to acceptance, or is a plan")
    proof_says: str | None = Field(
        description="what came of the newest proof where there is no verdict, without the time"
    )
    event: int | None = Field(description="the `run` of its page, where another run of the mode has followed it")
    question: OverviewQuestionJson | None
    quiet: Literal["stalled", "inactive"] | None = Field(
        description="stalled: it runs, but silent for an hour, or its Stop was let go as nothing had changed; "
        "inactive: it has not ended, and was silent for a day"
    )
    resume: list[ResumeJson] = Field(description="the commands that resume the session")
    stop: LastStopJson | None
    page: str | None = Field(description="the address of its page; null: it has none")


class OverviewJson(JsonModel):
    """Everything in all workspaces, each thing once, the newest first in each list; at most 300 in each."""

    waiting: list[OverviewEntryJson] = Field(description="for the person; and what cannot be read")
    running: list[OverviewEntryJson]
    ended: list[OverviewEntryJson] = Field(description="in the last day")
    tasks: list[OverviewEntryJson]
    closed: list[OverviewEntryJson] = Field(description="of sessions that their client has closed with a run open")
    more: bool = Field(description="whether some were left out")
    projects: list[str] = Field(description="the projects that a filter can name")
    seq: int
    state: str
