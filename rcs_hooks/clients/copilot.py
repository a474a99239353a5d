"""GitHub's Copilot CLI, which runs the hooks that `rcs setup` writes for Claude Code."""

from __future__ import annotations

from rcs_hooks.clients.client import Client, text_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from rcs_hooks.clients.client import Fields

MARK = "COPILOT_CLI"


class CopilotCli(Client):
    """Copilot CLI, which sends the fields of Claude Code, but no id of the turn."""

    name = "copilot"
    title = "Copilot CLI"
    agent_variables = (MARK,)
    call_variables = (MARK,)

    def recognizes(self, fields: Fields, env: Mapping[str, str]) -> bool:
        """Tell whether a call has Copilot's variable and no turn; another client in Copilot's shell has both."""
        return env.get(MARK) == "1" and not text_in(fields, "prompt_id")

    def rendered(self, output: dict[str, Any]) -> dict[str, Any]:
        """Return the answer with a prompt's context at the top level too, the only place where Copilot CLI reads it."""
        specific = output.get("hookSpecificOutput", {})
        if specific.get("hookEventName") != "UserPromptSubmit":
            return output
        return output | {"additionalContext": specific["additionalContext"]}


COPILOT = CopilotCli()
