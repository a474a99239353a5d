"""Whether Codex trusts a project, and has approved a hook as it is now. PURE."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rcs_hooks.clients.entries import Spot

TRUSTED, UNTRUSTED, MODIFIED, OFF = "trusted", "untrusted", "modified", "switched off"
LONGEST_END = 3
"""The longest time-out of a hook at the end of a session, in seconds; without a time-out, Codex gives it one second."""
FIELDS = {
    "command": ("type", "command", "timeout", "async", "statusMessage", "additionalContextLimit"),
    "mcp_tool": ("type", "server", "tool", "timeout", "input", "statusMessage"),
}
DEFAULTS: dict[str, dict[str, object]] = {
    "command": {"async": False, "timeout": 600},
    "mcp_tool": {"input": {}, "timeout": 600},
}


def snake(event: str) -> str:
    """Return the name of an event in snake case, as Codex writes it in a key."""
    return "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in event).lstrip("_")


def key(file: str, spot: Spot) -> str:
    """Return the key under which Codex keeps the approval of the hook at this place in a file."""
    event, group, handler = spot
    return f"{file}:{snake(event)}:{group}:{handler}"


def hash_of(event: str, handler: Mapping[str, Any], matcher: object = None) -> str:
    """Return the hash by which Codex recognizes a hook that the person has approved.

    Codex fills in missing fields and ignores unknown ones. It also ignores the length limit of a Stop, and a matcher
    except at the start and the end of a session.
    """
    kind = "mcp_tool" if handler.get("type") == "mcp_tool" else "command"
    said = {name: handler[name] for name in FIELDS[kind] if handler.get(name) is not None}
    seen = DEFAULTS[kind] | said
    if event == "SessionEnd":
        seen["timeout"] = said.get("timeout", 1)
        if isinstance(seen["timeout"], int):
            seen["timeout"] = min(seen["timeout"], LONGEST_END)
    if seen["timeout"] == 0:
        seen["timeout"] = 1
    if event == "Stop":
        seen.pop("additionalContextLimit", None)
    hashed: dict[str, object] = {"event_name": snake(event), "hooks": [seen]}
    if event in ("SessionStart", "SessionEnd") and matcher is not None:
        hashed["matcher"] = matcher
    text = json.dumps(hashed, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return "sha256:" + hashlib.sha256(text.encode(errors="replace")).hexdigest()


def of_hook(
    config: Mapping[str, Any], file: str, spot: Spot, handler: Mapping[str, Any], matcher: object = None
) -> str:
    """Return how a config judges a hook: TRUSTED, UNTRUSTED, MODIFIED since its approval, or OFF.

    `file`, `spot`: where the hook is. `matcher`: that of its group.
    """
    state = _table(_table(config, "hooks"), "state").get(key(file, spot))
    if not isinstance(state, dict) or not state.get("trusted_hash"):
        return UNTRUSTED
    if state.get("enabled") is False:
        return OFF
    return TRUSTED if state["trusted_hash"] == hash_of(spot[0], handler, matcher) else MODIFIED


def of_project(config: Mapping[str, Any], folders: list[str]) -> bool:
    """Tell whether a config trusts a project.

    `folders`: those by which Codex may know the project; any of them will do.
    """
    projects = _table(config, "projects")
    return any(_table(projects, folder).get("trust_level") == "trusted" for folder in folders)


def _table(config: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    table = config.get(name)
    return table if isinstance(table, dict) else {}
