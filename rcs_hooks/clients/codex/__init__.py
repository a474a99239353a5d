"""Codex CLI, as a hook sees it."""

from __future__ import annotations

import os

from rcs_hooks.clients.client import Client, text_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from rcs_hooks.clients.client import Fields
    from rcs_hooks.clients.installer import Installer

LOGIN_PATH = os.pathsep.join(("/usr/local/bin", "/usr/bin", "/bin"))


class Codex(Client):
    """Codex CLI, which runs commands in a login shell and a sandbox, and says some things only in its transcript."""

    name = "codex"
    title = "Codex"
    resume_command = "codex resume {}"
    sends_commands = False  # it runs its slash commands itself
    session_variable = "CODEX_SESSION_ID"
    agent_variables = ("CODEX_SANDBOX", "CODEX_THREAD_ID", "CODEX_TOOL_CALL_ID", session_variable)
    skill_folders = ((".codex", "CODEX_HOME"), (".agents", ""))
    typing_hint = "type a space after a $skill that ends your prompt, or Enter will not send it."

    @property
    def installer(self) -> Installer:
        from rcs_hooks.clients.codex.setup import INSTALLER

        return INSTALLER

    def recognizes(self, fields: Fields, env: Mapping[str, str]) -> bool:
        return "turn_id" in fields or ("model" in fields and not text_in(fields, "prompt_id"))

    def is_from_subagent(self, fields: Fields) -> bool:
        """Tell by its transcript whether a call is a subagent's: Codex names no agent to a hook that is an MCP tool."""
        transcript, session = text_in(fields, "transcript_path"), text_in(fields, "session_id")
        if not transcript or transcript.endswith(f"{session}.jsonl"):
            return False  # the session's own: no need to read it
        from rcs_hooks.clients.codex.transcript import is_of_subagent

        return is_of_subagent(transcript, session)

    def keeps_state_from_agent(self, fields: Fields, root: str, env: Mapping[str, str]) -> bool:
        from rcs_hooks.clients.codex import transcript

        return transcript.sandbox_excludes(fields, root, env)

    def shell_path(self, env: Mapping[str, str]) -> str:
        """Return the PATH of a login shell: Codex starts one, which does not inherit the caller's PATH."""
        return LOGIN_PATH


CODEX = Codex()
