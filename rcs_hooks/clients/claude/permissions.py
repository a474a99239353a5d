"""Whether Claude Code's settings let the agent run `rcs` without asking, and what to tell the person if not."""

from __future__ import annotations

import os

from rcs_hooks import jsontext
from rcs_hooks.files.bounded import read_bytes
from rcs_hooks.workflow.messages.shared import SYSTEM_LENGTH, fit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

LARGEST = 1024 * 1024


def allow(env: Mapping[str, str], root: str, rcs: str) -> bool:
    """Tell whether a settings file lets the agent run `rcs state` unasked. `rcs`: the words that run this program."""
    home = env.get("CLAUDE_CONFIG_DIR") or os.path.join(env.get("HOME", ""), ".claude")
    project = os.path.join(root, ".claude")
    paths = (f"{home}/settings.json", f"{project}/settings.json", f"{project}/settings.local.json")
    enough = {"Bash", "Bash(*)", f"Bash({rcs}:*)", f"Bash({rcs} state:*)"}
    return any(enough.intersection(_rules_in(path)) for path in paths)


def _rules_in(path: str) -> list[str]:
    """List the rules in one settings file that allow something; empty if it cannot be read."""
    try:
        settings = jsontext.loads((read_bytes(path, LARGEST, through_links=True) or b"").decode())
        rules = settings["permissions"]["allow"]
    except (OSError, ValueError, KeyError, TypeError):
        return []
    return [rule for rule in rules if isinstance(rule, str)] if isinstance(rules, list) else []


def notice(rcs: str) -> str:
    """Return a line that tells the person how to let the agent run `rcs`. `rcs`: the words that run this program."""
    rule = f"Bash({rcs} state:*)"
    line = f"rcs: Claude Code asks you before each command that records state. To allow them: /permissions, add {rule}"
    return fit([f"{line}, and the same with question, emit and task next."], SYSTEM_LENGTH)
