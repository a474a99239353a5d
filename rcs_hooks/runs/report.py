"""How a refused emit is told to a program: one object, the same on every surface. Pure."""

from rcs_hooks.errors import RcsError, Rejected

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

NO_REASON = Rejected("")
"""For what went wrong apart from any rule."""


def error_of(error: RcsError, given: "Mapping[str, Any]") -> "dict[str, Any]":
    why = error if isinstance(error, Rejected) else NO_REASON
    return {
        "message": f"Error: {error}",
        "step": given.get("step") or None,
        "workflow": given.get("workflow") or None,
        "valid_states": list(why.valid_states),
        "current": why.current,
        "valid_next": list(why.valid_next),
        "did_you_mean": why.did_you_mean,
    }
