"""One hook call: the bytes on stdin, and the fields that every client sends in the same form.

What only some clients send is read by their definitions in `rcs_hooks/clients`. This module is loaded by every call:
no `__future__`, no `typing`.
"""

from rcs_hooks import jsontext
from rcs_hooks.files.paths import fault_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from rcs_hooks.clients.client import Client

PROMPT, STOP = "UserPromptSubmit", "Stop"
SESSION_START, SESSION_END = "SessionStart", "SessionEnd"
EVENTS = (PROMPT, STOP, SESSION_START, SESSION_END)


class Payload:
    """The fields of one hook call. Unknown fields are ignored: clients add some between versions."""

    __slots__ = (
        "_client",
        "_message",
        "cwd",
        "env",
        "event",
        "fields",
        "is_subagent",
        "sent_prompt",
        "session",
        "timestamp",
        "transcript",
        "turn",
    )

    def __init__(self, fields: "dict[str, Any]", env: "Mapping[str, str]") -> None:
        self.fields = fields
        self.env = env
        self._client: Client | None = None
        self._message: str | None = None
        self.event = _our_name(_text(fields, "hook_event_name"))
        """The event, by our name: clients have names of their own for some."""
        self.session = _text(fields, "session_id")
        self.cwd = _path(fields, "cwd")
        self.sent_prompt = _text(fields, "prompt")
        """The prompt as the client sends it to the model, with more in it than the person typed; it has each `$` that
        was typed."""
        self.turn = _optional_text(fields, "turn_id") or _optional_text(fields, "prompt_id") or None
        self.timestamp = _optional_text(fields, "timestamp") or None
        """When the event happened, in the client's own words: the same for each program that it calls for the event."""
        self.is_subagent = bool(fields.get("agent_id") or fields.get("parent_agent_id"))
        """Not by `agent_type`: Claude Code may name one in the main session too, as `claude --agent` starts it."""
        self.transcript = str(fields.get("transcript_path") or "")
        if not self.event:
            raise _error("the call has no hook_event_name")
        if self.event == PROMPT and fields.get("prompt") is None:
            raise _error("the UserPromptSubmit call has no prompt")

    @property
    def prompt(self) -> str | None:
        """Return the prompt as the person typed it; None if the client says that nobody did."""
        return self.client.typed_prompt(self.fields)

    @property
    def message(self) -> str:
        """Return the agent's last message; empty if there is none."""
        if self._message is None:
            self._message = self.client.last_message(self.fields)
        return self._message

    @property
    def client(self) -> "Client":
        """Return the client that sent the call, looked up on first use: a call without work loads no client."""
        if self._client is None:
            from rcs_hooks.clients import client_of

            self._client = client_of(self.fields, self.env)
        return self._client


def _our_name(event: str) -> str:
    if not event or event in EVENTS:
        return event
    from rcs_hooks.client_names import EVENT_NAMES

    return EVENT_NAMES.get(event, event)


def _optional_text(fields: "dict[str, Any]", name: str) -> str:
    """Return a field that a call can do without; empty if it is missing or not a text."""
    value = fields.get(name)
    return value if isinstance(value, str) else ""


def _text(fields: "dict[str, Any]", name: str) -> str:
    value = fields.get(name)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise _error(f"the field {name} of the call is not a string")
    return value


def _path(fields: "dict[str, Any]", name: str) -> str:
    value = _text(fields, name)
    if fault := fault_of(value):
        raise _error(f"the field {name} of the call is not a path: {fault}")
    return value


def _error(why: str) -> Exception:
    from rcs_hooks.errors import PayloadError

    return PayloadError(why)


def parse(raw: bytes, env: "Mapping[str, str]") -> Payload:
    """Return the call in the bytes of stdin; `env` helps to tell its client. Raises PayloadError with the reason."""
    return Payload(fields_of(raw), env)


def fields_of(raw: bytes) -> "dict[str, Any]":
    """Return the JSON object in the bytes of a call. Raises PayloadError."""
    try:
        text = raw.removeprefix(jsontext.BOM).decode()
    except UnicodeDecodeError:
        raise _error("the call is not UTF-8") from None
    if not text.strip():
        raise _error("the call is empty")
    try:
        fields = jsontext.loads(text)
    except ValueError as error:
        raise _error(f"the call is not JSON: {error}") from None
    if not isinstance(fields, dict):
        raise _error("the call is not a JSON object")
    return fields
