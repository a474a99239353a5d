"""What each client sends to a hook, in the form in which the real one sends it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from rcs_hooks.files.clock import iso

Record = dict[str, Any]

TASK_NOTIFICATION = "<task-notification>\n<status>completed</status>\n</task-notification>"
SYSTEM_NOTIFICATION = '<system_notification>\nShell command "d" (shellId: 0) has completed.\n</system_notification>'
ATTACHED = "\n--- Content from referenced files ---\nContent from @note.txt:\n{}\n--- End of content ---"


@dataclass
class Wire:
    """One client in one session. The fields that every call has are in `base`, in the client's order."""

    base: Record
    turn: str = ""
    """The field with the id of the turn; empty if the client sends none."""
    turn_id: str = ""
    env: dict[str, str] = field(default_factory=dict)
    start: Record = field(default_factory=dict)
    not_at_start: tuple[str, ...] = ()
    unasked: str = TASK_NOTIFICATION
    """A prompt that the client sends although nobody typed it."""
    attaches_files = False
    hands_back = False
    """Whether it calls for the reason of a Stop as if that were a prompt."""

    @property
    def session(self) -> str:
        return str(self.base["session_id"])

    def turn_of(self, number: int) -> str:
        return f"{self.turn_id[:-2]}{number:02d}"

    def call(self, event: str, cwd: str, turn: int, now: float) -> Record:
        """Return the fields that each call of an event has; `turn`: the number of the person's prompt."""
        call = self.base | {"cwd": cwd, "hook_event_name": event}
        call |= {self.turn: self.turn_of(turn)} if self.turn else {}
        return call | ({"timestamp": iso(now)} if "timestamp" in self.base else {})

    def prompt(self, text: str, file: str = "") -> Record:
        """Return the fields of a prompt that a person typed. `file`: the text of a file that the prompt names."""
        return {"prompt": text + (ATTACHED.format(file) if file else "")}

    def unasked_prompt(self) -> Record:
        return {"prompt": self.unasked}

    def handed_back(self, reason: str) -> Record:
        """Return the fields of the prompt by which the client goes on after a blocked Stop."""
        return {"prompt": reason}

    def stop(self, message: str | None) -> Record:
        """Return the fields of a Stop. `message`: what the agent said last."""
        return {"stop_hook_active": False, "last_assistant_message": message}

    def started(self, cwd: str, now: float) -> Record:
        """Return the call for a session that is resumed."""
        call = self.call("SessionStart", cwd, 0, now)
        return {name: value for name, value in call.items() if name not in self.not_at_start} | self.start

    def in_common_form(self, answer: Record) -> Record:
        """Return an answer without what this client alone reads, having checked that."""
        return answer


class Claude(Wire):
    def stop(self, message: str | None) -> Record:
        more = {"effort": {"level": "medium"}, "background_tasks": [], "session_crons": []}
        return more | super().stop(message)


class Copilot(Wire):
    """Tells the last message in its transcript alone."""

    hands_back = True

    def stop(self, message: str | None) -> Record:
        path = f"/home/user/.copilot/session-state/{self.session}/events.jsonl"
        return {"transcript_path": path, "stop_reason": "end_turn", "stop_hook_active": False}

    def in_common_form(self, answer: Record) -> Record:
        context = answer.get("hookSpecificOutput", {}).get("additionalContext")
        assert answer.get("additionalContext") == context
        return {name: value for name, value in answer.items() if name != "additionalContext"}


class Qwen(Wire):
    """Sends what was typed beside what goes to the model, and calls after each batch of tools with an empty prompt."""

    attaches_files = True
    hands_back = True

    def prompt(self, text: str, file: str = "") -> Record:
        return super().prompt(text, file) | {"submitted_prompt": text}

    def stop(self, message: str | None) -> Record:
        more: Record = {"background_tasks": [], "crons": [], "context_usage": 0.0005, "context_limit": 200000}
        return super().stop(message) | more | {"input_tokens": 100}


@dataclass
class Gemini(Wire):
    """Tells at a Stop the prompt, and all that was said since."""

    attaches_files = True
    hands_back = True
    typed: str = ""
    said: list[str] = field(default_factory=list)

    def call(self, event: str, cwd: str, turn: int, now: float) -> Record:
        name = {"UserPromptSubmit": "BeforeAgent", "Stop": "AfterAgent"}.get(event, event)
        return super().call(event, cwd, turn, now) | {"hook_event_name": name}

    def prompt(self, text: str, file: str = "") -> Record:
        self.typed, self.said = text, []
        return super().prompt(text, file)

    def stop(self, message: str | None) -> Record:
        self.said += [message] if message else []
        said = "\n".join(self.said) or "[no response text]"
        return {"prompt": self.typed, "prompt_response": said, "stop_hook_active": False}


def wires() -> dict[str, Wire]:
    """Return each client as it is at the start of a session, by its name."""
    claude_session = "dca95343-d73e-4c6d-b62b-f65dbe80d5a5"
    copilot_session = "e1ab4040-c8dd-48ec-bdb0-933dcd195ea8"
    qwen_session = "fc3847d4-01ae-4320-a99e-e49300d898f6"
    gemini_session = "9b5e615f-1e48-4de0-8fa3-a59517ac9790"
    return {
        "codex": Wire(
            {
                "session_id": "01a1edd5-d041-7843-9e62-3e218ca1fb5f",
                "turn_id": "",
                "transcript_path": "/home/user/.codex/sessions/rollout.jsonl",
                "cwd": "",
                "hook_event_name": "",
                "model": "mock-model",
                "permission_mode": "bypassPermissions",
            },
            turn="turn_id",
            turn_id="01a1edd5-d04e-7883-8345-833897517ddd",
            start={"source": "resume"},
            not_at_start=("turn_id",),
        ),
        "claude": Claude(
            {
                "session_id": claude_session,
                "transcript_path": "/home/user/.claude/projects/-workspace/session.jsonl",
                "cwd": "",
                "prompt_id": "",
                "permission_mode": "default",
                "hook_event_name": "",
            },
            turn="prompt_id",
            turn_id="9fa00d51-bde4-4053-acf3-43b4fb104290",
            start={"source": "resume"},
            not_at_start=("prompt_id", "permission_mode"),
        ),
        "copilot": Copilot(
            {"hook_event_name": "", "session_id": copilot_session, "timestamp": "", "cwd": ""},
            env={"COPILOT_CLI": "1"},
            start={"source": "resume", "initial_prompt": "go on"},
            unasked=SYSTEM_NOTIFICATION,
        ),
        "qwen": Qwen(
            {
                "session_id": qwen_session,
                "transcript_path": f"/home/user/.qwen/projects/-workspace/chats/{qwen_session}.jsonl",
                "cwd": "",
                "hook_event_name": "",
                "timestamp": "",
                "permission_mode": "yolo",
                "prompt_id": "",
            },
            turn="prompt_id",
            turn_id=f"{qwen_session}########00",
            env={"QWEN_CODE_SESSION_ID": qwen_session},
            start={"source": "resume", "model": "mock-model"},
            not_at_start=("prompt_id",),
            unasked="",
        ),
        "gemini": Gemini(
            {
                "session_id": gemini_session,
                "transcript_path": "/home/user/.gemini/tmp/workspace/chats/session-2026-11-18T18-28-9b5e615f.jsonl",
                "cwd": "",
                "hook_event_name": "",
                "timestamp": "",
            },
            env={"GEMINI_SESSION_ID": gemini_session},
            start={"source": "resume"},
        ),
    }
