"""What the dashboard's server answers, and takes: the one description of it. `/api/schema` is made from this file.

Reading (GET; every moment is UTC, ISO 8601 with milliseconds; what is not known is null, never left out):
- `/api/runs?project=&workflow=&status=&feature=&since=&until=&before=&limit=` → `Runs`. `since` and `until` are a
  length of time before now (45m, 12h, 30d, 2w) or a moment. `before` is the cursor: the `next` of the page before.
- `/api/runs/ID?after=&limit=` → `RunDetail`; its events are the last 200, or, with `after`, those behind that sequence.
- `/api/runs/ID/events?after=&limit=` → `Events`: the page behind a sequence.
- `/api/runs/ID/artifact?path=` → `ArtifactText`: the text of a file that the run has registered.
- `/api/sessions?project=&active=true&limit=` → `Sessions`; `/api/tasks?project=` → `Tasks`; `/api/attention` →
  `Attention`.
- `/api/token` → `Token`, for what is sent; `/api/schema` → this, as OpenAPI.

Live: the WebSocket `/ws?after=SEQ` (the `seq` of an answer above, or of the last message; without it, from now on).
The server sends JSON texts, one `Message` each; it takes none. Events come in the order of their `id`, each once.
- `hello` first: `seq` is where the stream goes on from, `state` the present version of the state folders. A page
  whose own `/api/sessions` had another `state` asks again.
- `events`: the next ones, and the runs that they belong to, as they stand in a list now.
- `runs`: a list of runs has changed apart from events (some were deleted). `state`: something in the state folders or
  the tasks of `roots` has changed.
- `reset`: the store is another one; ask for everything again and go on from `seq`.
After a break, come again with `after` = the last `seq` that was seen. Closed with 1013: later; with 4008: the page did
not take what it was sent; with 4400: `after` is no number.

Acting (POST, `Content-Type: application/json`, header `X-RCS-Token` with the `token` of `/api/token`, asked just
before; another start of the server has another one):
- `/api/questions/ID/answer` takes `Answer` → `Answered`; `/api/runs/ID/end` takes `End` → `Ended`;
  `/api/modes/clear` takes `Clear` → `Cleared`.

Whatever is refused, or goes wrong, answers with a status of 400 or more and `Error`: one sentence for the person.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

StepStatus = Literal["not_started", "running", "waiting", "completed", "failed", "skipped"]
RunStatus = Literal["running", "waiting", "failed", "completed", "skipped", "idle", "inactive"]
Moment = Annotated[str, Field(description="ISO 8601, UTC, milliseconds")]


class Shape(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Error(Shape):
    error: str = Field(description="one sentence: what was asked, what was found, what to do next")


# --- runs


class Run(Shape):
    """A run as it stands in a list."""

    run_id: str
    workflow: str
    project: str = Field(description="the folder")
    feature: str | None
    machine: str | None = Field(description="the file that the state machine was read from")
    status: RunStatus = Field(description="inactive: nothing has been heard of it for 24 h, though it has not ended")
    current: str | None = Field(description="the step that it is at")
    event_count: int
    artifact_count: int
    started_at: Moment
    last_at: Moment
    last_event: int = Field(description="the id of its last event; of two copies of a run the higher is the newer")


class Runs(Shape):
    runs: list[Run] = Field(description="those last heard of first")
    next: int | None = Field(description="give it as `before` to have the page behind this one; null: there is none")
    seq: int = Field(description="the last event that this answer is sure to know: follow `/ws?after=` it")
    projects: list[str] = Field(description="what may be filtered by")
    workflows: list[str]


class Step(Shape):
    """A step, or a unit in it, or a step of an agent."""

    step: str
    unit: str | None
    agent: str | None
    parent: str | None = Field(description="of a unit or an agent: the step of the workflow that it belongs to")
    status: StepStatus | None = Field(description="null: the run has not come to it")
    started_at: Moment | None
    ended_at: Moment | None
    seconds: float | None = Field(description="in all its visits; it grows while the step runs or waits")
    visits: int | None


class Agent(Shape):
    """An agent, or one unit of it, under the step that it belongs to."""

    agent: str
    unit: str | None
    step: str = Field(description="where it is now, as AGENT:STEP")
    status: StepStatus
    started_at: Moment | None
    ended_at: Moment | None
    steps: list[Step]


class TimelineStep(Shape):
    """A step of the workflow, in the order of its machine."""

    step: str = Field(description="empty: agents that were heard of before the first step")
    unit: None = None
    agent: None = None
    parent: None = None
    status: StepStatus | None
    started_at: Moment | None
    ended_at: Moment | None
    seconds: float | None
    visits: int | None
    label: str | None
    units: list[Step]
    agents: list[Agent]


class Event(Shape):
    id: int = Field(description="over all runs, in the order in which they were stored; numbers may be missing")
    seq: int = Field(description="in its run: 1, 2, 3 and so on")
    run_id: str
    workflow: str
    project: str
    at: Moment
    type: str = Field(description="status_change, artifact_registered or run_ended")
    step: str | None
    unit: str | None
    status: StepStatus | None
    data: Any
    automatic: bool = Field(description="not reported, but a consequence of another event")


class Events(Shape):
    run_id: str
    events: list[Event]
    after: int = Field(description="the sequence that they come behind")
    more: bool = Field(description="whether there are others behind them")


class Artifact(Shape):
    path: str = Field(description="in the project")
    type: str | None
    feature: str | None
    step: str | None
    subflow: bool
    at: Moment
    seq: int
    missing: bool


class Graph(Shape):
    svg: str | None = Field(description="the state graph, with the path taken and the current step marked")
    problem: str | None = Field(description="why there is none")


class Stay(Shape):
    """One stay at a step of the workflow: a loop makes several of one step."""

    step: str
    status: StepStatus = Field(description="where it ended, or is now")
    started_at: Moment
    ended_at: Moment | None = Field(description="null: it runs or waits")


class RunDetail(Run):
    seconds: float = Field(description="from its first event to its last one, or to now while it goes on")
    timeline: list[TimelineStep] = Field(description="every step of the machine, units and agents nested in theirs")
    visits: list[Stay] = Field(description="the last 500, in the order in which they began")
    artifacts: list[Artifact]
    events: list[Event]
    after: int = Field(description="the sequence that the events come behind")
    more: bool = Field(description="whether there are others behind them")
    graph: Graph
    seq: int = Field(description="the last event that this answer is sure to know: follow `/ws?after=` it")


class ArtifactText(Shape):
    run_id: str
    path: str
    kind: Literal["markdown", "diff", "json", "text"]
    text: str
    bytes: int = Field(description="of the whole file")
    truncated: bool = Field(description="whether the text is only the beginning")
    modified_at: Moment
    diagram: Graph | None = Field(description="of an artifact that is a subflow: its diagram, drawn")


# --- sessions


class Mode(Shape):
    mode: str
    active: bool
    waiting: bool = Field(description="active, and it is the person's turn")
    phase: str | None
    outcome: str | None = Field(description="finished, blocked, failed, userinterlude or askuserQuestion")
    iteration: int | None
    max_iterations: int | None
    error: str | None
    started_at: str | None
    updated_at: str | None
    completed_at: str | None
    session: str | None = Field(description="whose record it is; null: the root's, which stands in for the session's")


class Question(Shape):
    question_id: str
    mode: str | None
    question: str
    options: list[str]
    created_at: str | None


class Blocks(Shape):
    """How often Stop was blocked, from the ledger of the hooks."""

    in_a_row: int = Field(description="with nothing changed in between")
    of_prompt: int
    limit: int = Field(description="of those in a row; then the turn may end")


class Broken(Shape):
    path: str
    why: str
    clear_as: str = Field(description="the `mode` that `/api/modes/clear` takes for it")


class Session(Shape):
    root: str = Field(description="the folder of the workspace")
    session: str | None = Field(description="null: what is kept for no session")
    status: Literal["active", "waiting", "closed", "ended", "broken"]
    modes: list[Mode] = Field(description="the active ones first")
    questions: list[Question] = Field(description="those without an answer, the oldest first")
    blocks: Blocks
    unreadable: list[Broken]
    updated_at: Moment | None


class Sessions(Shape):
    sessions: list[Session] = Field(description="those last touched first")
    more: bool = Field(description="whether some were left out; ask with a higher limit")
    projects: list[str] = Field(description="the workspaces that were looked at")
    state: str = Field(description="the version of all of it, as in the messages")


# --- tasks


class Gate(Shape):
    """A way out of the phase that a task is in."""

    to: str
    label: str | None
    open: bool
    reasons: list[str] = Field(description="why it is closed, or what opened it")
    suggested: bool = Field(description="the one that `rcs task next` takes")


class Task(Shape):
    task_id: str
    root: str
    phase: str | None
    round: int | None
    done: bool
    created_at: str | None
    updated_at: str | None
    gates: list[Gate]
    problem: str | None = Field(description="why nothing more can be said of it")


class Tasks(Shape):
    tasks: list[Task] = Field(description="those last touched first")
    state: str


# --- what needs a person


class Need(Shape):
    kind: Literal["waiting", "failed", "stalled"]
    what: Literal["run", "session", "task"]
    id: str = Field(description="of the run, the session (empty: root) or the task")
    project: str
    title: str = Field(description="the workflow or the mode")
    detail: str = Field(description="one sentence")
    since: Moment | None
    question: Question | None


class Working(Shape):
    """What goes on and needs nobody."""

    runs: int
    sessions: int
    tasks: int


class Attention(Shape):
    """Of runs the last hundred of each status."""

    waiting: list[Need] = Field(description="for an answer, or for the next prompt")
    failed: list[Need] = Field(description="failed or blocked, in the last seven days")
    stalled: list[Need] = Field(description="called running, and silent")
    working: Working
    seq: int
    state: str


# --- live


class Hello(Shape):
    type: Literal["hello"]
    seq: int
    state: str


class NewEvents(Shape):
    type: Literal["events"]
    seq: int = Field(description="of the last one")
    events: list[Event]
    runs: list[Run]


class RunsChanged(Shape):
    type: Literal["runs"]


class StateChanged(Shape):
    type: Literal["state"]
    state: str
    roots: list[str]


class Reset(Shape):
    type: Literal["reset"]
    seq: int


Message = Annotated[Hello | NewEvents | RunsChanged | StateChanged | Reset, Field(discriminator="type")]


# --- acting


class Token(Shape):
    token: str


class Answer(Shape):
    root: str
    session: str | None = Field(default=None, description="as in the session that asks")
    answer: str = Field(min_length=1, max_length=4000)


class Answered(Shape):
    success: bool
    question_id: str
    session_id: str | None
    goes_on: list[str] = Field(description="the modes that go on")


class End(Shape):
    status: Literal["completed", "failed", "skipped"] = "skipped"


class Ended(Shape):
    ended: bool
    run_id: str
    status: str
    seq: int
    steps: list[str] = Field(description="that were open, and have been ended with it")


class Clear(Shape):
    root: str
    session: str | None = None
    mode: str


class Cleared(Shape):
    cleared: bool = Field(description="false: there was nothing to clear")
    mode: str
    path: str
