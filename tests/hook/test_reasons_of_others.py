"""The reason of another program's Stop, which a client hands back as a prompt, is told from the person's answer."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from rcs_hooks.files.clock import iso
from tests.hook.sitting import SECONDS, Scene
from tests.table import each_row

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support import Record

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
@pytest.mark.parametrize("content", [b"", b"\n\n", b"{", b"\xff\n", b"[]\n", b'{"type": "warning"}\n{"type": "wa'])
def test_a_transcript_that_cannot_be_read_keeps_no_answer_back(tmp_path: Path, client: str, content: bytes) -> None:
    scene = waiting(tmp_path / "scene", client)
    transcript = tmp_path / "home" / "session-state" / scene.session / "events.jsonl"
    transcript.parent.mkdir(parents=True)
    transcript.write_bytes(content)
    scene.env |= {"COPILOT_HOME": str(tmp_path / "home")}
    scene.say("Postgres", transcript_path=str(transcript))
    assert status_of(scene) == "answered"
