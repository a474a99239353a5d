"""The JSON that the dashboard's server answers and takes; `/api/schema` is made from the models in `json_*.py`.

Reading (GET; every time is UTC, ISO 8601 with milliseconds; what is not known is null, never left out):
- `/api/overview?project=` → `Overview`: everything in one list, each thing once.
- `/api/all?q=&kind=&project=&state=&sort=&limit=` → `All`: runs, all passages of modes, and tasks, searched by words.
- `/api/runs?project=&workflow=&status=&feature=&session=&since=&until=&before=&limit=&sort=` → `Runs`. `since` and
  `until` are a length of time before now (45m, 12h, 30d, 2w) or a time. `before` is the cursor: the `next` of the page
  before.
- `/api/runs/ID?after=&limit=` → `RunDetail`; its events are the last 200, or, with `after`, those above that sequence.
- `/api/runs/ID/events?after=&limit=` → `Events`: the page above a sequence.
- `/api/runs/ID/artifact?path=` → `ArtifactText`: the text of a file that the run has registered.
- `/api/runs/ID/file?path=&download=true`: that file as it is, a picture to be shown and any other to be stored.
- `/api/modes/MODE?project=&session=&run=` → `ModeRun`: the last run of a mode in a session, or the one that the event
  numbered `run` of the session's history belongs to. Without `session`: the record of the workspace itself.
- `/api/sessions?project=&active=true&limit=` → `Sessions`; `/api/tasks?project=` → `Tasks`; `/api/attention` →
  `Attention`.
- `/shared/api/machines` → `Machines`, where the dashboard shows the machines of a team: there each address above, and
  the WebSocket, has a twin that begins with `/shared`. A project is called `//MACHINE/NAME`, a run `RUN@MACHINE`; the
  parameter `project` may also be `//MACHINE` or `~PERSON`; nothing can be acted on.
- `/api/token` → `Token`, for the actions below; `/api/schema` → this, as OpenAPI.

Live: the WebSocket `/ws?after=SEQ` (the `seq` of an answer above, or of the last message; without it, from now on).
The server sends JSON texts, one `Message` each, and ignores what a page sends. Events come in the order of their `id`,
each once.
- `hello` comes first: the stream goes on after `seq`; `state` is the version of the state folders now. A page whose
  `/api/sessions` had another `state` asks again.
- `events`: the next events, and the runs that they belong to, as a list shows them now.
- `runs`: a list of runs has changed apart from events (some were deleted). `state`: something in the state folders or
  the tasks of `roots` has changed.
- `reset`: the store is another one; ask for everything again, and go on after `seq`.
After a break, connect again with `after` = the last `seq` that was seen. Closed with 1013: try again later; with 4008:
the page did not take what it was sent; with 4400: `after` is not a number.

Acting (POST, `Content-Type: application/json`, header `X-RCS-Token` with the `token` of `/api/token`, read just
before, because each start of the server has another one):
- `/api/questions/ID/answer` takes `Answer` → `Answered`; `/api/runs/ID/end` takes `End` → `Ended`;
  `/api/modes/clear` takes `Clear` → `Cleared`.

Whatever is refused, or fails, is answered with a status of 400 or more and `Error`: one sentence for the person.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from rcs_hooks.workflow.lifecycle import PUBLIC, any_of

Timestamp = Annotated[str, Field(description="ISO 8601, UTC, milliseconds")]


Verdict = Literal["proven", "stale", "unproven"]
"""Whether a command proves that a run has done its work."""


class JsonModel(BaseModel):
    """A JSON object that the server answers or takes; no other keys than these."""

    model_config = ConfigDict(extra="forbid")


class ErrorJson(JsonModel):
    ok: Literal[False]
    code: str = Field(description="a short word that does not change, such as refused, not_found, lock_timeout, store")
    message: str = Field(description="one sentence: what was asked, what was found, what to do next")
    details: dict[str, Any] = Field(description="facts beyond the sentence; often none")
    error: str = Field(description="the same as message")


# --- sessions


class ModeJson(JsonModel):
    mode: str
    title: str | None = Field(description="the first words of the prompt that started its run")
    active: bool
    waiting: bool = Field(description="active, and it is the person's turn")
    phase: str | None
    outcome: str | None = Field(description=any_of(PUBLIC))
    early: bool = Field(description="finished where its machine does not end, or with no review that said clean")
    verdict: Verdict | None = Field(description="null: it has not finished, or is a plan")
    iteration: int | None
    max_iterations: int | None
    reason: str | None = Field(description="why it ended so, or waits")
    started_at: str | None
    updated_at: str | None
    completed_at: str | None
    session: str | None = Field(
        description="the session of the record; null: the root record, which counts where the session has none"
    )


class QuestionJson(JsonModel):
    question_id: str
    mode: str | None
    question: str
    options: list[str]
    created_at: str | None


class BlocksJson(JsonModel):
    """How often Stop was blocked, from the notes of the hooks."""

    in_a_row: int = Field(description="with nothing changed in between")
    of_prompt: int
    limit: int = Field(description="of those in a row; then the turn may end")


class BrokenJson(JsonModel):
    path: str
    why: str
    clear_as: str = Field(description="the `mode` that `/api/modes/clear` takes for this file")


class ResumeJson(JsonModel):
    """A command that resumes a session; of a session of which nobody knows the client, one for each likely client."""

    client: str
    command: str


class SessionJson(JsonModel):
    root: str = Field(description="the folder of the workspace")
    session: str | None = Field(description="null: the records of the root")
    client: str | None = Field(description="what people call the client; null: nobody knows which one it is")
    resume: list[ResumeJson]
    status: str = Field(
        description="running, waiting, stalled, inactive, closed, unreadable, or how its last mode ended"
    )
    early: bool = Field(description="whether its status is `finished`, and its last mode finished early")
    quiet_because: str | None = Field(description="why its active modes are stalled or inactive; null: they are not")
    quiet_since: Timestamp | None = Field(description="when they had their last activity; null: as before")
    deferred: list[str] = Field(description="the modes that waited for planning, which has ended")
    deferred_source: str | None = Field(description="that planning mode")
    modes: list[ModeJson] = Field(description="the active ones first")
    questions: list[QuestionJson] = Field(description="the questions without an answer, the oldest first")
    blocks: BlocksJson
    unreadable: list[BrokenJson]
    updated_at: Timestamp | None
    runs: int = Field(description="how many runs with a machine `rcs emit` has reported in it last")


class SessionsJson(JsonModel):
    sessions: list[SessionJson] = Field(
        description="what waits, what runs, the rest; in each the one that changed last first"
    )
    more: bool = Field(description="whether some were left out; ask with a higher limit")
    projects: list[str] = Field(description="the workspaces that were read")
    state: str = Field(description="the version of the state folders, as in the messages")


# --- tasks


class GateJson(JsonModel):
    """A way out of the phase that a task is in."""

    to: str
    label: str | None
    open: bool
    reasons: list[str] = Field(description="why it is closed, or what opened it")
    suggested: bool = Field(description="the one that `rcs task next` takes")


class TaskDecisionJson(JsonModel):
    """What was decided in accept."""

    decision: str
    by: str = Field(description="who gave it, as words: in a terminal, by an agent, by a script; or as the file says")
    at: Timestamp | None
    reasons: list[str]


class TaskProofJson(JsonModel):
    """The verdict on the tests of a task that has come to acceptance."""

    verdict: Verdict
    says: str = Field(description="the verdict in words")


class TaskJson(JsonModel):
    task_id: str
    root: str
    phase: str | None
    round: int | None
    done: bool
    created_at: str | None
    updated_at: str | None
    why: list[str] = Field(description="what sent it back to its phase, or the override by which it is done")
    proof: TaskProofJson | None = Field(description="null: it has not come to acceptance")
    decision: TaskDecisionJson | None
    gates: list[GateJson]
    problem: str | None = Field(description="why the task cannot be shown")


class TasksJson(JsonModel):
    tasks: list[TaskJson] = Field(description="the one that changed last first")
    phases: list[str] = Field(description="the phases that a task can be in")
    path: list[str] = Field(description="the phases from planning to done where nothing goes wrong")
    state: str


# --- what needs a person


class NeedJson(JsonModel):
    kind: Literal["waiting", "failed", "stalled", "inactive"]
    state: str = Field(description="the word for its state: its kind, but `inactive` for what has waited for a day")
    what: Literal["run", "session", "task"]
    id: str = Field(description="of the run, the session (empty: root) or the task")
    short: str = Field(description="the first letters of the id, as many as tell the needs apart")
    project: str
    title: str = Field(description="the workflow, the mode or the task")
    about: str | None = Field(description="what the person asked for, or the feature of a run")
    detail: str = Field(description="one sentence: what it waits for, or how it stands")
    reason: str | None = Field(description="why it waits or failed, in the words of whoever said so")
    command: str | None = Field(description="what to type where nothing on the page does it")
    client: str | None = Field(description="what people call the client of the session")
    resume: list[ResumeJson]
    page: str = Field(description="the address of its page")
    since: Timestamp | None
    question: QuestionJson | None


class WorkingJson(JsonModel):
    """How much goes on and needs nobody."""

    runs: int
    sessions: int
    tasks: int


class AttentionJson(JsonModel):
    """What needs a person, and how much goes on; of the runs, the last hundred of each status are looked at."""

    waiting: list[NeedJson] = Field(description="for an answer, or for the next prompt")
    failed: list[NeedJson] = Field(description="failed or blocked, in the last seven days")
    stalled: list[NeedJson] = Field(description="running, but silent for an hour, or let go on Stop")
    inactive: list[NeedJson] = Field(description="running, but silent for a day; of the last seven days")
    working: WorkingJson
    seq: int
    state: str


# --- acting


class TokenJson(JsonModel):
    token: str


class AnswerJson(JsonModel):
    root: str
    session: str | None = Field(default=None, description="as in the session that asks")
    answer: str = Field(min_length=1, max_length=4000)


class AnsweredJson(JsonModel):
    success: bool
    question_id: str
    session_id: str | None
    goes_on: list[str] = Field(description="the modes that go on with the next prompt")
    says: str = Field(description="what the person does next, in words")


class EndJson(JsonModel):
    status: Literal["completed", "failed", "skipped"] = "skipped"


class EndedJson(JsonModel):
    ended: bool
    run_id: str
    status: str
    seq: int
    steps: list[str] = Field(description="the steps that were open, and ended with the run")


class ClearJson(JsonModel):
    root: str
    session: str | None = None
    mode: str


class ClearedJson(JsonModel):
    cleared: bool = Field(description="false: there was nothing to clear")
    mode: str
    path: str
