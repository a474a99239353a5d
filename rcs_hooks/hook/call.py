"""One hook call: what the client writes on stdin, and what comes from around the process.

Read by plain code, five fields of a dict, and this is their only reader. On the path of every call: no
`__future__`, no `typing`, one file for both classes.
"""

import os
import sys
import time

from rcs_hooks import jsontext
from rcs_hooks.state.paths import fault_of, working_folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

PROMPT, STOP = "UserPromptSubmit", "Stop"
SESSION_START, SESSION_END = "SessionStart", "SessionEnd"


class Surroundings:
    """What a call takes from outside its payload."""

    __slots__ = ("began", "cwd", "env", "mcp", "now", "program", "rcs")

    def __init__(
        self,
        env: "Mapping[str, str]",
        cwd: str,
        now: float,
        rcs: str | None = None,
        *,
        mcp: bool = False,
        program: str = "",
        began: float | None = None,
    ) -> None:
        self.env = env
        self.cwd = cwd
        self.now = now
        self.rcs = rcs
        """How the agent's shell calls `rcs`; None: to be found out where it is needed."""
        self.mcp = mcp
        """Whether the call came over MCP, so that the agent has the server's tools."""
        self.program = program
        """Tells two programs apart that a client calls for the same event."""
        self.began = began
        """When this call began by the clock that also stamps files; None where that clock is not the real one."""


def real_surroundings() -> Surroundings:
    now = time.time()
    # All its words: of two that begin with `python -c`, one is the plugin's.
    return Surroundings(os.environ, working_folder(), now, program="\0".join(sys.orig_argv), began=_began(now))


def _began(now: float) -> float:
    """Tell when this process was started, or, where only its use of the processor is known, at the latest."""
    try:
        with open("/proc/self/stat", "rb") as file:
            ticks = int(file.read().rpartition(b") ")[2].split()[19])
        # The kernel rounds down to a tick, and a call that began after the last answer must not seem older than that.
        return now - (time.clock_gettime(time.CLOCK_BOOTTIME) - (ticks + 1) / os.sysconf("SC_CLK_TCK"))
    except (OSError, AttributeError, ValueError, IndexError):
        return now - time.process_time()


class Payload:
    """Fields that we do not know are left alone: both clients add some between versions."""

    __slots__ = (
        "background",
        "crons",
        "cwd",
        "event",
        "is_claude",
        "is_codex",
        "is_subagent",
        "message",
        "prompt",
        "session",
        "transcript",
        "turn",
    )

    def __init__(self, fields: "dict[str, Any]") -> None:
        self.event = _text(fields, "hook_event_name")
        self.session = _text(fields, "session_id")
        self.cwd = _path(fields, "cwd")
        self.prompt = _text(fields, "prompt")
        self.message = _text_if_any(fields, "last_assistant_message")
        prompt_id = _text_if_any(fields, "prompt_id")
        self.turn = _text_if_any(fields, "turn_id") or prompt_id or None
        self.is_claude = bool(prompt_id) and "turn_id" not in fields
        self.is_codex = "turn_id" in fields or "model" in fields
        self.background = fields.get("background_tasks")
        self.crons = fields.get("session_crons")
        """Both as they came: what still runs for the agent in the background, and what will wake it."""
        self.is_subagent = bool(fields.get("agent_id") or fields.get("parent_agent_id"))
        """Not by `agent_type`: Claude Code may name one in the main session too, as `claude --agent` starts it."""
        self.transcript = str(fields.get("transcript_path") or "")
        if not self.event:
            raise _bad("the call has no hook_event_name")
        if self.event == PROMPT and fields.get("prompt") is None:
            raise _bad("the UserPromptSubmit call has no prompt")

    def is_copilot(self, env: "Mapping[str, str]") -> bool:
        """Copilot CLI runs what setup writes for Claude Code. Another client in its shell names its turns."""
        return env.get("COPILOT_CLI") == "1" and self.turn is None and not self.is_codex


def _text_if_any(fields: "dict[str, Any]", name: str) -> str:
    """Read a field that a call can do without: one of another type counts as missing."""
    value = fields.get(name)
    return value if isinstance(value, str) else ""


def _text(fields: "dict[str, Any]", name: str) -> str:
    value = fields.get(name)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise _bad(f"the field {name} of the call is no text")
    return value


def _path(fields: "dict[str, Any]", name: str) -> str:
    value = _text(fields, name)
    if fault := fault_of(value):
        raise _bad(f"the field {name} of the call is no path: {fault}")
    return value


def _bad(why: str) -> Exception:
    from rcs_hooks.errors import PayloadError

    return PayloadError(why)


def parse(raw: bytes) -> Payload:
    """Raises PayloadError with the reason."""
    return Payload(fields_of(raw))


def fields_of(raw: bytes) -> "dict[str, Any]":
    """Raises PayloadError where there is no JSON object."""
    try:
        text = raw.removeprefix(jsontext.BOM).decode()
    except UnicodeDecodeError:
        raise _bad("the call is not UTF-8") from None
    if not text.strip():
        raise _bad("the call is empty")
    try:
        fields = jsontext.loads(text)
    except ValueError as error:
        raise _bad(f"the call is not JSON: {error}") from None
    if not isinstance(fields, dict):
        raise _bad("the call is not a JSON object")
    return fields
