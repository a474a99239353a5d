"""The JSON of the runs, their steps, events and artifacts, as models."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from rcs_hooks.dashboard.json_models import JsonModel, Timestamp

StepStatus = Literal["not_started", "running", "waiting", "completed", "failed", "skipped"]
RunStatus = Literal["running", "waiting", "failed", "completed", "skipped", "idle", "inactive"]


class RunJson(JsonModel):
    """A run as a list shows it."""

    run_id: str
    workflow: str
    project: str = Field(description="the folder")
    feature: str | None
    machine: str | None = Field(description="the file that the state machine was read from")
    status: RunStatus = Field(description="inactive: no event for 24 h, though the run has not ended")
    current: str | None = Field(description="the step where the run is")
    event_count: int
    artifact_count: int
    started_at: Timestamp
    last_at: Timestamp
    last_event: int = Field(description="the id of its last event; of two copies of a run the higher is the newer")


class RunsJson(JsonModel):
    runs: list[RunJson] = Field(description="the run with the newest event first")
    next: int | None = Field(description="the `before` of the next page; null: there is none")
    seq: int = Field(description="the newest event that this answer surely contains: follow with `/ws?after=`")
    projects: list[str] = Field(description="the projects that a filter can name")
    workflows: list[str]


class StepJson(JsonModel):
    """A step, or a unit in it, or a step of an agent."""

    step: str
    unit: str | None
    agent: str | None
    parent: str | None = Field(description="of a unit or an agent: the step of the workflow that it belongs to")
    status: StepStatus | None = Field(description="null: the run has not reached it")
    started_at: Timestamp | None
    ended_at: Timestamp | None
    seconds: float | None = Field(description="in all its visits; it grows while the step runs or waits")
    visits: int | None


class AgentJson(JsonModel):
    """An agent, or one unit of it, under the step that it belongs to."""

    agent: str
    unit: str | None
    step: str = Field(description="where it is now, as AGENT:STEP")
    status: StepStatus
    started_at: Timestamp | None
    ended_at: Timestamp | None
    steps: list[StepJson]


class TimelineStepJson(JsonModel):
    """A step of the workflow, in the order of its machine."""

    step: str = Field(description="empty: agents that reported before the first step")
    unit: None = None
    agent: None = None
    parent: None = None
    status: StepStatus | None
    started_at: Timestamp | None
    ended_at: Timestamp | None
    seconds: float | None
    visits: int | None
    label: str | None
    units: list[StepJson]
    agents: list[AgentJson]


class EventJson(JsonModel):
    id: int = Field(description="over all runs, in the order in which they were stored; numbers may be missing")
    seq: int = Field(description="in its run: 1, 2, 3 and so on")
    run_id: str
    workflow: str
    project: str
    at: Timestamp
    type: str = Field(description="status_change, artifact_registered or run_ended")
    step: str | None
    unit: str | None
    status: StepStatus | None
    data: Any
    automatic: bool = Field(description="not reported, but a consequence of another event")


class EventsJson(JsonModel):
    run_id: str
    events: list[EventJson]
    after: int = Field(description="the sequence that the events are above")
    more: bool = Field(description="whether more events follow")


class ArtifactJson(JsonModel):
    path: str = Field(description="relative to the project")
    type: str | None
    feature: str | None
    step: str | None
    subflow: bool
    at: Timestamp
    seq: int
    missing: bool


class GraphJson(JsonModel):
    svg: str | None = Field(description="the state graph, with the path taken and the current step marked")
    problem: str | None = Field(description="why there is none")


class StepVisitJson(JsonModel):
    """One visit to a step of the workflow; a loop makes several visits to one step."""

    step: str
    status: StepStatus = Field(description="the status at its end, or now")
    started_at: Timestamp
    ended_at: Timestamp | None = Field(description="null: the step runs or waits")


class RunDetailJson(RunJson):
    seconds: float = Field(description="from its first event to its last one, or to now while it goes on")
    timeline: list[TimelineStepJson] = Field(description="every step of the machine, units and agents nested in theirs")
    visits: list[StepVisitJson] = Field(description="the last 500, in the order in which they began")
    artifacts: list[ArtifactJson]
    events: list[EventJson]
    after: int = Field(description="the sequence that the events are above")
    more: bool = Field(description="whether more events follow")
    graph: GraphJson
    seq: int = Field(description="the newest event that this answer surely contains: follow with `/ws?after=`")


class ArtifactTextJson(JsonModel):
    run_id: str
    path: str
    kind: Literal["markdown", "diff", "json", "text"]
    text: str
    bytes: int = Field(description="of the whole file")
    truncated: bool = Field(description="whether the text is only the beginning")
    modified_at: Timestamp
    diagram: GraphJson | None = Field(description="of an artifact that is a subflow: its diagram, drawn")
