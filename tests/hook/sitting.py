"""A workspace at which a person sits with one client, for the tests of what clients do differently."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from rcs_hooks.environment import Environment
from rcs_hooks.hook.entry import respond
from tests.support import NOW, Record, Workspace, check_output
from tests.wire import wires

if TYPE_CHECKING:
    from pathlib import Path

SECONDS = 60
"""What passes between two calls."""


class Scene(Workspace):
    """A workspace that is called as one client calls, and that can record a call."""

    def __init__(self, root: Path, client: str) -> None:
        super().__init__(root, now=NOW)
        self.in_git()
        self.wire = wires()[client]
        self.session = self.wire.session
        self.env |= self.wire.env
        self.reason = self.context = ""
        """What the last answer said to the agent."""

    def raw(self, event: str, fields: Record) -> bytes:
        call = self.wire.call(event, str(self.root), self.turns, self.now + SECONDS) | fields
        return json.dumps(call, separators=(",", ":"), ensure_ascii=False).encode()

    def say(self, text: str, file: str = "", **fields: object) -> None:
        self.turns += 1
        self.send("UserPromptSubmit", self.raw("UserPromptSubmit", self.wire.prompt(text, file) | fields))

    def go_on_unasked(self) -> None:
        self.turns += bool(self.wire.unasked)
        self.send("UserPromptSubmit", self.raw("UserPromptSubmit", self.wire.unasked_prompt()))

    def get_reason_back(self) -> None:
        self.go_on_for(self.reason)

    def go_on_for(self, reason: str) -> None:
        """Let the client go on in the same turn, with words that are not the person's prompt."""
        self.send("UserPromptSubmit", self.raw("UserPromptSubmit", self.wire.handed_back(reason)))

    def end_turn(self, message: str | None = "Use make ship.", **fields: object) -> None:
        self.send("Stop", self.raw("Stop", self.wire.stop(message) | fields))

    def send(self, event: str, raw: bytes) -> None:
        self.now += SECONDS
        environment = Environment(self.env, str(self.root), self.now, "rcs")
        line = respond(raw, environment)
        answer = json.loads(line)
        check_output(event, json.dumps(self.wire.in_common_form(answer)))
        self.reason = answer.get("reason", "")
        self.context = answer.get("hookSpecificOutput", {}).get("additionalContext", "")

    def put(self, mode: str, *, root: bool = False, **fields: object) -> None:
        """A mode file as another tool has written it."""
        self.write(mode, None if root else self.session, **fields)

    def question(self, mode: str, **fields: object) -> None:
        record = {
            "kind": "rcs.question/v1", "question_id": "q1", "session_id": self.session, "source": mode,
            "status": "pending", "created_at": "2023-11-14T22:13:20.000Z", "question": "Which database?",
        }  # fmt: skip
        path = self.folder(self.session) / "questions" / "q1.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(record | fields, indent=2) + "\n")

    def ask(self, mode: str, **fields: object) -> None:
        enforcement = {"obligation_id": "o1", "source": mode, "status": "pending", "question_id": "q1"}
        self.put(mode, lifecycle_outcome="askuserQuestion", question_enforcement=enforcement)
        self.question(mode, **fields)

    def say_in_the_same_turn(self, text: str) -> None:
        self.send("UserPromptSubmit", self.raw("UserPromptSubmit", self.wire.prompt(text)))
