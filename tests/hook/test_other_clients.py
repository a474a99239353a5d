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

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.support import Record, Workspace

WITHOUT_TURN = ("copilot", "gemini")
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


@pytest.mark.parametrize("client", CLIENTS)
def test_an_agent_that_records_nothing_goes_on_five_times_and_is_let_go_with_words(
    client: str, sit: Callable[[str], Scene]
) -> None:
    scene = sit(client)
    scene.say("$forge go")
    held = [holds(scene, f"Still at it, {number}.") for number in range(7)]
    assert held == [True] * 5 + [False] * 2
    scene.say("Anything new?")
    assert [holds(scene, f"No, {number}.") for number in range(2)] == [True, False]


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


@pytest.mark.parametrize("client", CLIENTS)
def test_a_prompt_of_the_person_starts_the_count_over(client: str, sit: Callable[[str], Scene]) -> None:
    scene = sit(client)
    scene.say("$forge go")
    for number in range(3):
        assert holds(scene, f"Still at it, {number}.")
    scene.edit("forge", scene.session, state={"step": 1})
    scene.say("And mind the tests.")
    assert (notes(scene)["stops"].get("of_prompt", 0), notes(scene)["stops"].get("in_a_row", 0)) == (0, 0)


@pytest.mark.parametrize("client", CLIENTS)
def test_what_nobody_typed_answers_no_question(client: str, sit: Callable[[str], Scene]) -> None:
    scene = sit(client)
    scene.say("$forge go")
    scene.end_turn("Half done.")
    reason = scene.reason
    scene.ask("forge")
    scene.go_on_unasked()
    scene.reason = reason
    scene.get_reason_back()
    assert json.loads(scene.mode_path("forge", scene.session).read_text())["lifecycle_outcome"] == "askuserQuestion"


@pytest.mark.parametrize("client", CLIENTS)
def test_the_notes_name_the_client(client: str, sit: Callable[[str], Scene]) -> None:
    scene = sit(client)
    scene.say("$forge go")
    holds(scene, "Half done.")
    assert notes(scene)["client"] == client
    assert title_of_client(notes(scene)) == CLIENTS[client].title


@pytest.mark.parametrize("client", [{}, {"client": ""}, {"client": 5}, {"client": "<b>"}, {"client": ["codex"]}])
def test_only_a_known_client_has_a_title(client: Record) -> None:
    assert title_of_client(client) == ""


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
        (in_lines(FIRST_LINE, SAID, CANCELLED, UPDATE, UPDATE), False),
        (in_lines(FIRST_LINE, CANCELLED, UPDATE, SAID, UPDATE), True),
        (in_lines(FIRST_LINE, CANCELLED).rstrip(), False),
        (in_lines(FIRST_LINE, CANCELLED) + '{"id": "3", "ty', True),
        (in_lines(FIRST_LINE, SAID | {"content": CANCELLED["content"]}), True),
        (in_lines(UPDATE, UPDATE), True),
        ("[]\n", True),
        ("\n\n", True),
        ("", True),
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


@pytest.mark.parametrize("client", ["qwen", "gemini"])
@pytest.mark.parametrize("is_joined", [True, False], ids=["joined with ours", "alone"])
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


def test_an_answer_that_another_program_did_not_change_is_still_none(sit: Callable[[str], Scene]) -> None:
    scene = sit("gemini")
    scene.say("$forge go")
    assert holds(scene, "Half done.")
    scene.go_on_for(OTHERS)
    assert not holds(scene, None)


def test_the_same_prompt_typed_again_starts_the_counts_over(sit: Callable[[str], Scene]) -> None:
    scene = sit("gemini")
    scene.say("$forge go")
    for number in range(3):
        assert holds(scene, f"Still at it, {number}.")
    scene.say("$forge go")
    assert holds(scene, "Half done.")
    assert notes(scene)["stops"]["in_a_row"] == 1


def test_a_prompt_after_a_reason_that_never_reached_the_client_is_the_persons(sit: Callable[[str], Scene]) -> None:
    """The client had ended the hook at its time-out, and the turn too."""
    scene = sit("gemini")
    scene.say("$forge go")
    scene.end_turn("Done.")
    assert scene.reason
    scene.say("Go on.")
    assert "in_a_row" not in notes(scene)["stops"]
    assert holds(scene, "Done.")
    assert notes(scene)["stops"]["in_a_row"] == 1


def test_what_is_typed_into_a_turn_that_goes_on_starts_no_count_over(sit: Callable[[str], Scene]) -> None:
    """Qwen Code's own count of blocks goes on, too."""
    scene = sit("qwen")
    scene.say("$forge go")
    assert holds(scene, "Half done.")
    scene.go_on_for("Mind the tests.")
    assert notes(scene)["stops"]["of_prompt"] == 1
    scene.go_on_for("$cancel")
    assert not holds(scene, "I stop.")


@pytest.mark.parametrize("client", [name for name in CLIENTS if name != "gemini"])
def test_no_other_client_waits_for_a_stop_to_tell_its_prompt(client: str, sit: Callable[[str], Scene]) -> None:
    scene = sit(client)
    scene.say("$forge go")
    scene.end_turn("Half done.")
    scene.say("Go on.")
    assert "before" not in notes(scene)["stops"]


def test_an_offer_in_an_earlier_message_of_the_turn_is_not_held_against_a_later_one(
    sit: Callable[[str], Scene],
) -> None:
    scene = sit("gemini")
    scene.say("$forge go")
    scene.end_turn("Half done. If you want, I can go on.")
    assert 'offers "If you want' in scene.reason
    scene.get_reason_back()
    scene.end_turn("The parser works now.")
    assert scene.reason
    assert "offers" not in scene.reason


# --- Qwen Code: prompts between the batches of tools


def test_what_comes_between_tools_moves_nothing(sit: Callable[[str], Scene]) -> None:
    scene = sit("qwen")
    scene.say("$forge go")
    before = scene.snapshot()
    scene.go_on_unasked()
    assert scene.snapshot() == before
    assert holds(scene, "Half done.")
    scene.go_on_unasked()
    assert notes(scene)["stops"]["in_a_row"] == 1


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


def test_an_offer_is_read_from_the_transcript(sit: Callable[[str], Scene]) -> None:
    scene = sit("copilot")
    events = scene.root / "events.jsonl"
    lines = [
        ("Fixed it.", "assistant.message"),
        ("Would you like me to continue?", "assistant.message"),
        ("", "turn_end"),
    ]
    events.write_text("".join(json.dumps({"type": kind, "data": {"content": text}}) + "\n" for text, kind in lines))
    scene.say("$forge go")
    scene.end_turn(transcript_path=str(events))
    assert 'offers "Would you like me to"' in scene.reason


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b'{"type":"assistant.message"}',
        b'{"type":"assistant.message","data":{"content":5}}\n["assistant.message"]\n',
        b'{"type":"assistant.message","data":{"content":"Would you like me',
        b'\xff"assistant.message"\n',
    ],
)
def test_a_transcript_that_says_nothing_holds_nothing_up(content: bytes, sit: Callable[[str], Scene]) -> None:
    scene = sit("copilot")
    events = scene.root / "events.jsonl"
    events.write_bytes(content)
    scene.say("$forge go")
    scene.end_turn(transcript_path=str(events))
    assert scene.reason
    assert "offers" not in scene.reason


def test_a_message_of_an_earlier_request_is_not_the_last_one(sit: Callable[[str], Scene]) -> None:
    """The transcript is written late: at the Stop, the answer to the last request may not be there yet."""
    scene = sit("copilot")
    events = scene.root / "events.jsonl"
    message = {"type": "assistant.message", "data": {"content": "Would you like me to continue?"}}
    started = {"type": "assistant.turn_start", "data": {"turnId": "1"}}
    events.write_text("".join(json.dumps(each, separators=(",", ":")) + "\n" for each in (message, started)))
    scene.say("$forge go")
    scene.end_turn(transcript_path=str(events))
    assert scene.reason
    assert "offers" not in scene.reason


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
