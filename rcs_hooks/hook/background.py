"""What Claude Code's Stop says about work that goes on without the agent, and will wake it.

The fields come as JSON, or, over `mcp_tool`, as the text of it; whatever cannot be understood says nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rcs_hooks import jsontext

if TYPE_CHECKING:
    from rcs_hooks.hook.call import Payload

LONGEST = 1 << 20
MOST = 1_000


def runs_subagent(payload: Payload) -> bool:
    """Tell whether a subagent works in the background: the client wakes the agent when it is done."""
    return any(task.get("type") == "subagent" for task in _running(payload))


def wakes_later(payload: Payload) -> bool:
    """Tell whether a command runs in the background, or a time is set at which the client wakes the agent."""
    return bool(_running(payload) or _entries(payload.crons))


def _running(payload: Payload) -> list[dict[str, Any]]:
    tasks = _entries(payload.background)
    return [task for task in tasks if isinstance(task, dict) and task.get("status") == "running"]


def _entries(value: object) -> list[Any]:
    if isinstance(value, str) and len(value) <= LONGEST:
        try:
            value = jsontext.loads(value)
        except ValueError:
            return []
    return value[:MOST] if isinstance(value, list) else []
