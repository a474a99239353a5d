"""The JSON of the runs, their steps, events and artifacts, as models."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from rcs_hooks.dashboard.json_models import JsonModel, Timestamp

StepStatus = Literal["not_started", "running", "waiting", "completed", "failed", "skipped"]
RunStatus = Literal["running", "waiting", "stalled", "failed", "completed", "skipped", "idle", "inactive"]


class RunJson(JsonModel):
    """A run as a list shows it."""

    run_id: str
    workflow: str
    project: str = Field(description="the folder")
    feature: str | None
    machine: str | None = Field(description="the file that the state machine was read from")
    status: RunStatus = Field(description="stalled: running, but without an event for an hour; inactive: for a day")
    current: str | None = Field(description="the step that was reported last")
    current_steps: list[str] = Field(description="the steps where it is: several where branches run side by side")
    session: str | None = Field(description="the session of a client that reported it last; null: none did")
    client: str | None = Field(description="what people call the client of that session")
    workspace: str | None = Field(description="the folder whose state has that session")
    event_count: int
    artifact_count: int
    started_at: Timestamp
    last_at: Timestamp
    last_event: int = Field(description="the id of its last event; of two copies of a run the higher is the newer")


class RunsJson(JsonModel):
    runs: list[RunJson] = Field(description="the run with the newest event first")
    next: int | None = Field(description="the `before` of the next page; null: there is none")
    total: int = Field(description="how many there are, with those on other pages")
    totals: dict[str, int] = Field(description="how many there are of each status, whatever the filter by status")
    last_runs: int | None = Field(
        description="only so many runs are counted, those with the newest events; null: all are"
    )
    seq: int = Field(description="the newest event that this answer surely contains: follow with `/ws?after=`")
    projects: list[str] = Field(description="the projects that a filter can name")
    workflows: list[str]


class StayJson(JsonModel):
    """One time in which an agent or a unit was in a state."""

    step: str
    status: StepStatus = Field(description="the status at its end, or now")
    started_at: Timestamp
    ended_at: Timestamp | None = Field(description="null: it is still there")


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
    stays: list[StayJson] = Field(description="of a unit or an agent: the last 50 times in which it was there")


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
    """A step of the workflow: in the order of their first entry, then those to come, as in the machine."""

    step: str = Field(description="empty: agents that reported before the first step")
    unit: None = None
    agent: None = None
    parent: None = None
    status: StepStatus | None
    started_at: Timestamp | None
    ended_at: Timestamp | None
    seconds: float | None
    visits: int | None
    stays: list[StayJson] = Field(description="always empty; its times are in `visits` of the run")
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


class DiagramJson(GraphJson):
    """A Mermaid fence of a Markdown text."""

    source: str


class StepVisitJson(JsonModel):
    """One visit to a step of the workflow; a loop makes several visits to one step."""

    step: str
    status: StepStatus = Field(description="the status at its end, or now")
    started_at: Timestamp
    ended_at: Timestamp | None = Field(description="null: the step runs or waits")


class RunModeJson(JsonModel):
    """The run of a mode in the session that reported a run."""

    mode: str
    title: str
    page: str = Field(description="the address of its page")


class RunDetailJson(RunJson):
    seconds: float = Field(description="from its first event to its last one, or to now while it goes on")
    timeline: list[TimelineStepJson] = Field(description="every step of the machine, units and agents nested in theirs")
    visits: list[StepVisitJson] = Field(description="the last 500, in the order in which they began")
    artifacts: list[ArtifactJson]
    events: list[EventJson]
    after: int = Field(description="the sequence that the events are above")
    more: bool = Field(description="whether more events follow")
    graph: GraphJson
    reason: str | None = Field(description="why it waits or has failed, as an event said")
    session_page: str | None = Field(description="the address of its session; null: that has no state here")
    mode: RunModeJson | None = Field(description="what is active in its session, or ended there last")
    seq: int = Field(description="the newest event that this answer surely contains: follow with `/ws?after=`")


class ArtifactTextJson(JsonModel):
    run_id: str
    path: str
    kind: Literal["markdown", "diff", "json", "text", "picture", "binary"]
    text: str = Field(description="empty for a picture, and for any other file that is no text")
    bytes: int = Field(description="of the whole file")
    truncated: bool = Field(description="whether the text is only the beginning")
    modified_at: Timestamp
    diagram: GraphJson | None = Field(description="of an artifact that is a subflow: its diagram, drawn")
    diagrams: list[DiagramJson] = Field(description="of Markdown: its state diagrams in their order, 20 at most, drawn")
