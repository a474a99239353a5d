"""Tells a person with the Claude Code plugin how to allow `rcs`: a plugin cannot bring permission rules."""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING

from rcs_hooks import jsontext
from rcs_hooks.state.files import READ_FLAGS

if TYPE_CHECKING:
    from collections.abc import Mapping

LARGEST = 1024 * 1024


def are_missing(env: Mapping[str, str], root: str, words: str) -> bool:
    """Tell whether the hook runs as a plugin, and no settings file lets the agent run `words state`."""
    if not env.get("CLAUDE_PLUGIN_ROOT"):
        return False
    home = env.get("CLAUDE_CONFIG_DIR") or os.path.join(env.get("HOME", ""), ".claude")
    project = os.path.join(root, ".claude")
    paths = (f"{home}/settings.json", f"{project}/settings.json", f"{project}/settings.local.json")
    enough = {"Bash", "Bash(*)", f"Bash({words}:*)", f"Bash({words} state:*)"}
    # A person may keep their settings elsewhere, behind a link.
    return not any(enough.intersection(_allowed(os.path.realpath(path))) for path in paths)


def _allowed(path: str) -> list[str]:
    """The rules of one file; none where it cannot be read."""
    try:
        settings = jsontext.loads(_read(path).decode())
        allow = settings["permissions"]["allow"]
    except (OSError, ValueError, KeyError, TypeError):
        return []
    return [rule for rule in allow if isinstance(rule, str)] if isinstance(allow, list) else []


def _read(path: str) -> bytes:
    """Raises OSError. Never waits."""
    fd = os.open(path, READ_FLAGS)
    try:
        return os.read(fd, LARGEST) if stat.S_ISREG(os.fstat(fd).st_mode) else b""
    finally:
        os.close(fd)
