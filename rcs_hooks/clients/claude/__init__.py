"""Claude Code, as a hook sees it."""

from __future__ import annotations

from rcs_hooks.clients.client import Client, text_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from rcs_hooks.clients.client import Fields
    from rcs_hooks.clients.installer import Installer

PLUGIN = "CLAUDE_PLUGIN_ROOT"
CAP = "CLAUDE_CODE_STOP_HOOK_BLOCK_CAP"
DEFAULT_CAP = 8
LONGEST_CAP = 10


class ClaudeCode(Client):
    """Claude Code, which ends a turn itself after several blocked Stops in a row, and has plugins."""

    name = "claude"
    title = "Claude Code"
    resume_command = "claude --resume {}"
    session_variable: str = "CLAUDE_CODE_SESSION_ID"
    agent_variables = ("CLAUDECODE", "CLAUDE_CODE_CHILD_SESSION", session_variable)
    project_variable = "CLAUDE_PROJECT_DIR"
    plugin_variable = PLUGIN
    skill_folders = ((".claude", "CLAUDE_CONFIG_DIR"),)
    call_variables = (project_variable, CAP, session_variable)

    @property
    def installer(self) -> Installer:
        from rcs_hooks.clients.claude.setup import INSTALLER

        return INSTALLER

    def recognizes(self, fields: Fields, env: Mapping[str, str]) -> bool:
        if "turn_id" in fields:
            return False
        session = text_in(fields, "session_id")  # the start and the end of a session have no prompt
        return bool(text_in(fields, "prompt_id") or (session and env.get(self.session_variable) == session))

    def block_cap(self, env: Mapping[str, str]) -> int:
        text = env.get(CAP, "").strip()
        return int(text) if text.isascii() and text.isdigit() and len(text) < LONGEST_CAP else DEFAULT_CAP

    def notice_at_start(self, env: Mapping[str, str], root: str, rcs: str) -> str:
        """Return a line on how to allow `rcs`, if the hooks came as a plugin, which cannot bring permission rules."""
        if not env.get(PLUGIN):
            return ""
        from rcs_hooks.clients.claude import permissions

        return "" if permissions.allow(env, root, rcs) else permissions.notice(rcs)


CLAUDE = ClaudeCode()
