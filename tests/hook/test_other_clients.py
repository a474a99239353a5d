"""Each client's own ways, played with what it really sends: no loop, and nothing moves by what nobody typed."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest

from rcs_hooks.catalog import CANCEL, SKILLS
from rcs_hooks.clients import CLIENTS
from rcs_hooks.state.session_notes import title_of_client
from tests.hook.sitting import Scene
from tests.table import each_row

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.support import Record, Workspace
from pathlib import Path
from typing import TYPE_CHECKING

from rcs_hooks.files.clock import iso
from tests.hook.sitting import SECONDS
from tests.support import Record

COMMAND = re.compile(r"(?<!`)\brcs (state|question|prove|emit|task)\b")


@pytest.fixture
def sit(tmp_path: Path) -> Callable[[str], Scene]:
    """A workspace at which a person sits with this client."""

    def start(client: str) -> Scene:
        root = tmp_path / client
        root.mkdir()
        return Scene(root, client)

    return start


def notes(scene: Scene) -> Record:
    record: Record = json.loads((scene.folder(scene.session) / "hook-ledger.json").read_text())
    return record


def holds(scene: Scene, message: str | None) -> bool:
    """Let the agent end its turn; return whether it has to go on. If so, the client it may hand back the reason."""
    scene.end_turn(message)
    is_held = bool(scene.reason)
    if is_held and scene.wire.hands_back:
        scene.get_reason_back()
    return is_held


@pytest.mark.parametrize(
    ("client", "most"), [("copilot", 7), ("qwen", 7), ("claude", 7), ("codex", 50), ("gemini", 50)]
)
def test_an_agent_that_records_something_each_time_goes_on_until_the_limit(
    client: str, most: int, sit: Callable[[str], Scene]
) -> None:
    scene = sit(client)
    scene.say("$forge go")
    for number in range(most):
        scene.edit("forge", scene.session, state={"step": number})
        assert holds(scene, f"Step {number}."), number
    scene.edit("forge", scene.session, state={"step": "last"})
    assert not holds(scene, "One more.")
    assert notes(scene)["client"] == client
    assert title_of_client(notes(scene)) == CLIENTS[client].title


# --- Gemini CLI: no limit of its own, and Stops at which nothing was said


def test_a_stop_without_an_answer_is_not_held(sit: Callable[[str], Scene]) -> None:
    """As after Esc, after an error of the model, and where the client's own loop detection asked nobody."""
    scene = sit("gemini")
    scene.say("$forge go")
    assert not holds(scene, None)
    scene.say("go on")
    assert holds(scene, "Half done.")
    assert not holds(scene, None)
    assert not holds(scene, None)
    scene.say("go on")
    assert holds(scene, "Half done.")


FIRST_LINE = {"sessionId": "s1", "kind": "main"}
UPDATE = {"$set": {"messages": [{"type": "gemini", "content": "First."}]}}
CANCELLED = {"id": "1", "type": "info", "content": "Request cancelled."}
SAID = {"id": "2", "type": "gemini", "content": "Half of it"}


def in_lines(*messages: Record) -> str:
    return "".join(json.dumps(message) + "\n" for message in messages)


@pytest.mark.parametrize(
    ("transcript", "is_held"),
    [
        (in_lines(FIRST_LINE, SAID, UPDATE), True),
        (in_lines(FIRST_LINE, CANCELLED, UPDATE), False),
        (in_lines(FIRST_LINE, SAID, CANCELLED), False),
        (in_lines(FIRST_LINE, CANCELLED, UPDATE, SAID, UPDATE), True),
        (in_lines(FIRST_LINE, CANCELLED) + '{"id": "3", "ty', True),
        (in_lines(FIRST_LINE, SAID | {"content": CANCELLED["content"]}), True),
        ("[]\n", True),
        (None, True),
    ],
)
def test_an_agent_that_the_person_has_stopped_while_it_spoke_is_not_held(
    transcript: str | None, is_held: bool, sit: Callable[[str], Scene]
) -> None:
    """Gemini CLI tells the words before Esc as an answer."""
    scene = sit("gemini")
    path = scene.root / "chat.jsonl"
    if transcript is not None:
        path.write_text(transcript)
    scene.say("$forge go")
    scene.end_turn("Half of it", transcript_path=str(path))
    assert bool(scene.reason) == is_held
    scene.say("go on")
    assert holds(scene, "Here it is.")


OTHERS = "The linter has findings."


@pytest.mark.parametrize(("client", "is_joined"), [("qwen", True), ("gemini", False)])
def test_the_reason_of_another_program_starts_no_count_over(
    client: str, is_joined: bool, sit: Callable[[str], Scene]
) -> None:
    """Another program's hook blocks every Stop, and the client goes on with both reasons, or with that one."""
    scene = sit(client)
    scene.say("$forge go")
    held = []
    for number in range(60):
        scene.end_turn(f"Still at it, {number}.")
        held.append(bool(scene.reason))
        scene.go_on_for(f"{scene.reason}\n{OTHERS}".strip() if is_joined else OTHERS)
    assert held == [True] * 5 + [False] * 55
    scene.say("And mind the tests.")
    assert holds(scene, "I see.")


def test_what_is_typed_into_a_turn_that_goes_on_starts_no_count_over(sit: Callable[[str], Scene]) -> None:
    """Qwen Code's own count of blocks goes on, too."""
    scene = sit("qwen")
    scene.say("$forge go")
    assert holds(scene, "Half done.")
    scene.go_on_for("Mind the tests.")
    assert notes(scene)["stops"]["of_prompt"] == 1
    scene.go_on_for("$cancel")
    assert not holds(scene, "I stop.")


# --- Qwen Code: prompts between the batches of tools


def test_an_older_one_that_names_no_turn_and_nobody_starts_no_count_over_between_tools(workspace: Workspace) -> None:
    """Version 0.15 sends neither `submitted_prompt` nor an id of the turn, and has no limit of its own."""
    workspace.prompt("$forge go", turn_id=None, timestamp="2026-11-18T22:58:00.000Z")
    held = []
    for number in range(7):
        workspace.prompt("", turn_id=None, timestamp=f"2026-11-18T22:58:0{number}.500Z")
        answer = workspace.stop(message=f"Still at it, {number}.", turn_id=None)
        held.append("decision" in answer.output)
    assert held == [True] * 5 + [False] * 2


def test_a_command_that_expands_to_a_skill_starts_nothing(sit: Callable[[str], Scene]) -> None:
    scene = sit("qwen")
    scene.turns += 1
    scene.send("UserPromptSubmit", scene.raw("UserPromptSubmit", {"prompt": "$forge go", "submitted_prompt": "/go"}))
    assert not (scene.root / ".rcs").exists()


# --- Copilot CLI: the last message is in the transcript


OFFER = {"type": "assistant.message", "data": {"content": "Would you like me to continue?"}}
LATER = {"type": "assistant.turn_start", "data": {"turnId": "1"}}


@each_row(("events", "is_named"), [([OFFER, {"type": "turn_end", "data": {}}], True), ([OFFER, LATER], False)])
def test_an_offer_of_the_last_request_is_read_from_the_transcript(
    events: list[Record], is_named: bool, tmp_path: Path
) -> None:
    """It is written late: at the Stop, the answer to the last request may not be there yet."""
    scene = Scene(tmp_path, "copilot")
    transcript = scene.root / "events.jsonl"
    transcript.write_text("".join(json.dumps(each, separators=(",", ":")) + "\n" for each in events))
    scene.say("$forge go")
    scene.end_turn(transcript_path=str(transcript))
    assert scene.reason
    assert ('offers "Would you like me to"' in scene.reason) is is_named


def test_a_new_session_is_described_by_its_first_prompt_alone(sit: Callable[[str], Scene]) -> None:
    """Its start comes at the same time as the prompt, in either order."""
    scene = sit("copilot")
    scene.say("$forge go")
    start = {"hook_event_name": "SessionStart", "source": "new"}
    scene.send("SessionStart", scene.raw("SessionStart", start))
    assert scene.context == ""
    scene.send("SessionStart", scene.raw("SessionStart", start | {"source": "resume"}))
    assert "active in this session: forge" in scene.context


@pytest.mark.parametrize("skill", [skill for skill in SKILLS if skill != CANCEL])
def test_each_command_that_an_agent_is_told_names_the_session(skill: str, sit: Callable[[str], Scene]) -> None:
    """The shell of Gemini CLI's agent has no id of the session."""
    scene = sit("gemini")
    scene.say(f"${skill} go")
    context = scene.context
    scene.end_turn("Half done.")
    lines = [line for text in (context, scene.reason) for line in text.splitlines() if COMMAND.search(line)]
    assert lines
    assert [line for line in lines if f"--session {scene.session}" not in line] == []


# --- the reason of another program's Stop, handed back as a prompt, is no answer

LINT = "The linter has findings."
HELD = {"type": "warning", "content": f"Agent execution blocked: {LINT}"}
INFO = {"type": "info", "content": "This request failed. Press F12 for diagnostics."}
CANCELLED = {"type": "info", "content": "Request cancelled."}
TYPED = {"type": "user", "content": [{"text": "hello"}]}


def status_of(scene: Scene) -> str:
    path = scene.folder(scene.session) / "questions" / "q1.json"
    return str(json.loads(path.read_text())["status"])


def waiting(root: Path, client: str) -> Scene:
    """Return a scene in which the agent has asked, and its Stop has ended long before the next prompt."""
    root.mkdir()
    scene = Scene(root, client)
    scene.say("$forge go")
    scene.ask("forge", asked_in_turn=None)
    scene.end_turn("Which database?")
    assert scene.reason == ""
    return scene


def lines(events: list[Record]) -> str:
    return "".join(json.dumps(event, separators=(",", ":")) + "\n" for event in events)


def in_gemini(scene: Scene, prompt: str, messages: list[Record], *, before: float = 0.1) -> None:
    """Send a prompt when the transcript has these messages, written so many seconds before it."""
    path = scene.root.parent / "chat.jsonl"
    at = iso(scene.now + SECONDS - before)
    path.write_text(lines([{"sessionId": "s1"}, *({"timestamp": at, **each} for each in messages)]))
    scene.say(prompt, transcript_path=str(path))


@each_row(
    ("messages", "before", "status"),
    [
        pytest.param([TYPED, HELD], 0.1, "pending", id="a Stop was held just now"),
        pytest.param([TYPED, HELD, INFO], 0.1, "pending", id="and the client says more of it"),
        pytest.param([TYPED, HELD], 30, "answered", id="it was held long ago"),
        pytest.param([HELD, TYPED], 0.1, "answered", id="a prompt has come since"),
        pytest.param([HELD, CANCELLED], 0.1, "answered", id="the person has stopped the agent since"),
        pytest.param([TYPED], 0.1, "answered", id="no Stop was held"),
        pytest.param([TYPED, HELD | {"type": "gemini"}], 0.1, "answered", id="the agent has said so"),
        pytest.param([TYPED, HELD | {"timestamp": 5}], 0.1, "answered", id="nobody knows when"),
    ],
)
def test_in_gemini_a_prompt_right_after_a_held_stop_is_no_answer(
    tmp_path: Path, messages: list[Record], before: float, status: str
) -> None:
    scene = waiting(tmp_path / f"row{len(list(tmp_path.iterdir()))}", "gemini")
    in_gemini(scene, LINT, messages, before=before)
    assert status_of(scene) == status


def test_in_gemini_the_persons_next_prompt_is_the_answer(tmp_path: Path) -> None:
    scene = waiting(tmp_path / "scene", "gemini")
    in_gemini(scene, LINT, [TYPED, HELD])
    in_gemini(scene, "Postgres", [TYPED, HELD, TYPED])
    assert status_of(scene) == "answered"


def hook(kind: str, name: str, **data: object) -> Record:
    return {"type": kind, "data": {"hookInvocationId": "h1", "hookType": name, **data}}


BLOCKED = hook("hook.end", "agentStop", success=True, output={"decision": "block", "reason": LINT})
ENDED = hook("hook.end", "agentStop", success=True, output={})
HANDED_BACK = {"type": "user.message", "data": {"content": LINT}}
OTHER = {"type": "user.message", "data": {"content": "Use tabs"}}


@each_row(
    ("events", "prompt", "status"),
    [
        pytest.param([BLOCKED], LINT, "pending", id="its reason"),
        pytest.param([BLOCKED, OTHER], LINT, "pending", id="its reason, behind a prompt that waited"),
        pytest.param([BLOCKED], "Postgres", "answered", id="another text after it"),
        pytest.param([BLOCKED, HANDED_BACK], LINT, "answered", id="the same words, when it was handed back before"),
        pytest.param([ENDED], LINT, "answered", id="no Stop was held"),
        pytest.param([BLOCKED | {"type": "tool.end"}], LINT, "answered", id="an event of another kind"),
        pytest.param([{"type": "hook.end", "data": ["agentStop"]}], LINT, "answered", id="another shape"),
    ],
)
def test_in_copilot_the_reason_of_a_held_stop_is_no_answer(
    tmp_path: Path, events: list[Record], prompt: str, status: str
) -> None:
    number = len(list(tmp_path.iterdir()))
    scene = waiting(tmp_path / f"row{number}", "copilot")
    home = tmp_path / f"row{number}" / "home"
    scene.env |= {"COPILOT_HOME": str(home)}
    transcript = home / "session-state" / scene.session / "events.jsonl"
    transcript.parent.mkdir(parents=True)
    transcript.write_text(lines([*events, hook("hook.start", "userPromptSubmitted", input={"prompt": prompt})]))
    scene.say(prompt)
    assert status_of(scene) == status


@pytest.mark.parametrize("client", ["gemini", "copilot"])
@pytest.mark.parametrize("content", [b"", b"\xff\n", b'{"type": "warning"}\n{"type": "wa'])
def test_a_transcript_that_cannot_be_read_keeps_no_answer_back(tmp_path: Path, client: str, content: bytes) -> None:
    scene = waiting(tmp_path / "scene", client)
    transcript = tmp_path / "home" / "session-state" / scene.session / "events.jsonl"
    transcript.parent.mkdir(parents=True)
    transcript.write_bytes(content)
    scene.env |= {"COPILOT_HOME": str(tmp_path / "home")}
    scene.say("Postgres", transcript_path=str(transcript))
    assert status_of(scene) == "answered"
