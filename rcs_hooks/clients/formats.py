"""How a client wants a hook of its file written: the events' names, the time-out's unit, the shape. PURE."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from rcs_hooks.clients.lines import hook_command

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    ToolFields = Mapping[str, tuple[str, ...]]

EVENTS = ("UserPromptSubmit", "Stop", "SessionStart", "SessionEnd")
"""Our events, by the names that most clients give them."""
TIMEOUT = 10
"""The time-out of our hooks, in seconds. A hook gives up by itself after two."""
TIMEOUTS = {"SessionEnd": 3}
"""The time-outs of single events: Codex grants `SessionEnd` no more, and approves the hook with this number."""
SHORTEST_TIMEOUT, LONGEST_TIMEOUT = 1, 600
"""In seconds. Our hook needs the shorter one; clients use the longer one if an entry names no time-out."""
NO_TIME = 0.1
"""In seconds: a time-out that ends any hook before it can answer."""


class HookFormat(NamedTuple):
    """The way in which one client's files hold hooks."""

    names: Mapping[str, str] = {}
    """The client's names of our events, where they differ."""
    command: Callable[[str], str] = hook_command
    """Makes the shell line of a hook from the Python that runs it."""
    timeout: str = "timeout"
    """The field with the time-out."""
    per_second: int = 1
    """How many of the time-out's units are a second."""
    fields: Mapping[str, str] = {}
    """Further fields of a command."""
    is_flat: bool = False
    """Whether the hooks of an event are listed without groups."""
    tool_fields: ToolFields = {}  # noqa: RUF012 - a default of a tuple's field, which nobody changes
    """The further fields that this client passes to a hook which is a tool, by event."""

    @property
    def events(self) -> list[str]:
        """The client's names of our events."""
        return [self.names.get(event, event) for event in EVENTS]

    def ours(self, event: str) -> str:
        """Return our name of an event of the client."""
        return next((ours for ours, theirs in self.names.items() if theirs == event), event)

    def reads(self, *, is_flat: bool) -> bool:
        """Tell whether the client reads a hook in this shape: one that lists hooks without groups reads groups too."""
        return self.is_flat or not is_flat

    def time_out(self, event: str) -> int:
        """Return the time-out of the hook for one of our events, in the client's unit."""
        return TIMEOUTS.get(event, TIMEOUT) * self.per_second

    def is_time_out(self, value: object) -> bool:
        """Tell whether a value may be the time-out of one of our hooks."""
        return self._is_from(value, SHORTEST_TIMEOUT) and not self._is_from(value, LONGEST_TIMEOUT, beyond=True)

    def is_no_time(self, value: object) -> bool:
        """Tell whether a value is a time-out that ends our hook before it can answer, as one meant as seconds does."""
        is_short = self._is_from(value, 0) and not self._is_from(value, NO_TIME)
        return is_short and self.per_second > 1  # a client that counts seconds takes 0 as its default, or as a second

    def _is_from(self, value: object, seconds: float, *, beyond: bool = False) -> bool:
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            return False
        bound = seconds * self.per_second
        return value > bound if beyond else value >= bound

    @property
    def bounds(self) -> str:
        """The words for the time-outs that are allowed."""
        unit = "seconds" if self.per_second == 1 else "milliseconds"
        return f"from {SHORTEST_TIMEOUT * self.per_second} to {LONGEST_TIMEOUT * self.per_second} {unit}"


COMMON = HookFormat()
