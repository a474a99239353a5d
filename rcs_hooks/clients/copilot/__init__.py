"""GitHub's Copilot CLI, as a hook sees it.

It also runs the hooks that `rcs setup` writes for Claude Code in a project.
"""

from __future__ import annotations

from rcs_hooks.clients.client import Client, text_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from rcs_hooks.clients.client import Fields
    from rcs_hooks.clients.installer import Installer

MARK = "COPILOT_CLI"
HOME = "COPILOT_HOME"
OF_OTHERS = ("prompt_id", "turn_id")
CAP = 8
NEW = "new"


class CopilotCli(Client):
    """Copilot CLI, which sends Claude Code's fields without an id of the turn, and the last message in a file.

    It reads a context at the top level of an answer, shows no message to the person, and follows eight blocks in a row.
    A Stop's reason comes back as a prompt.
    """

    name = "copilot"
    title = "Copilot CLI"
    resume_command = "copilot --resume={}"
    session_variable = "COPILOT_AGENT_SESSION_ID"
    agent_variables = (MARK, session_variable)
    skill_folders = ((".copilot", HOME), (".agents", ""), (".github", ""))
    call_variables = (MARK,)

    @property
    def installer(self) -> Installer:
        from rcs_hooks.clients.copilot.setup import INSTALLER

        return INSTALLER

    def recognizes(self, fields: Fields, env: Mapping[str, str]) -> bool:
        """Tell whether a call has Copilot's variable, a time and no turn: so that of no other client in its shell."""
        is_timed = bool(text_in(fields, "timestamp"))
        return env.get(MARK) == "1" and is_timed and not any(text_in(fields, name) for name in OF_OTHERS)

    def hands_back(self, fields: Fields, env: Mapping[str, str]) -> bool:
        """Tell whether the transcript has this prompt as the reason of a held Stop that is not handed back yet."""
        import os

        from rcs_hooks.clients.copilot import transcript

        home = env.get(HOME) or os.path.join(env.get("HOME", ""), ".copilot")
        path = os.path.join(home, "session-state", text_in(fields, "session_id"), "events.jsonl")
        return transcript.is_reason(path, text_in(fields, "prompt"))

    def last_message(self, fields: Fields) -> str:
        """Return the agent's last message, which the transcript alone holds."""
        from rcs_hooks.clients.copilot import transcript

        return super().last_message(fields) or transcript.last_message(text_in(fields, "transcript_path"))

    def describes_start(self, fields: Fields) -> bool:
        """Tell whether a session is resumed: a new one starts with its first prompt, whose own context comes beside."""
        return fields.get("source") != NEW

    def block_cap(self, env: Mapping[str, str]) -> int:
        return CAP

    def rendered(self, output: dict[str, Any]) -> dict[str, Any]:
        """Return the answer with a context at the top level too, the only place where Copilot CLI reads it."""
        context = output.get("hookSpecificOutput", {}).get("additionalContext")
        return output | ({"additionalContext": context} if context else {})


COPILOT = CopilotCli()
