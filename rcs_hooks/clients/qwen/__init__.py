"""Qwen Code, as a hook sees it."""

from __future__ import annotations

from rcs_hooks.clients.client import Client, text_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from rcs_hooks.clients.client import Fields
    from rcs_hooks.clients.installer import Installer

CAP = "QWEN_CODE_STOP_HOOK_BLOCK_CAP"
DEFAULT_CAP, MOST_CAP = 8, 100
TYPED = "submitted_prompt"
ATTACHED = "\n--- Content from referenced files ---"


class QwenCode(Client):
    """Qwen Code, which speaks Claude Code's dialect, and calls for prompts that nobody typed.

    Those come after each batch of tools, and with a Stop's reason.
    """

    name = "qwen"
    title = "Qwen Code"
    resume_command = "qwen --resume {}"
    session_variable = "QWEN_CODE_SESSION_ID"
    agent_variables = ("QWEN_CODE", "QWEN_CODE_PROMPT_ID", session_variable)
    skill_folders = ((".qwen", "QWEN_HOME"), (".agents", ""))
    call_variables = (CAP, session_variable)
    crons = "crons"
    loads_env_files = True

    @property
    def installer(self) -> Installer:
        from rcs_hooks.clients.qwen.setup import INSTALLER

        return INSTALLER

    def recognizes(self, fields: Fields, env: Mapping[str, str]) -> bool:
        """Tell whether a call has the session that Qwen Code's own variable names."""
        session = text_in(fields, "session_id")
        return bool(session) and env.get(self.session_variable) == session

    def typed_prompt(self, fields: Fields) -> str | None:
        """Return what the person typed, without what a command or an `@file` in it stands for.

        What is typed while a tool runs comes without `submitted_prompt`. So does the reason of a Stop, which is known
        by its words; and the prompt after each batch of tools, which has none.
        """
        if TYPED in fields:
            return text_in(fields, TYPED)
        return text_in(fields, "prompt").partition(ATTACHED)[0] or None

    def begins_turn(self, fields: Fields) -> bool:
        """Tell whether a prompt begins a turn: what is typed into one that goes on has no `submitted_prompt`.

        Nor has the reason of another program's Stop, which must not start the counts over either.
        """
        return TYPED in fields

    def runs_subagent(self, fields: Fields) -> bool:
        """Tell whether a background task is running: Qwen Code names subagents alone."""
        return bool(self.running_tasks(fields))

    def block_cap(self, env: Mapping[str, str]) -> int:
        """Return the person's limit from 1 to 100, otherwise Qwen Code's own."""
        text = env.get(CAP, "").strip()
        cap = int(text) if text.isascii() and text.isdigit() and len(text) <= len(str(MOST_CAP)) else 0
        return cap if 0 < cap <= MOST_CAP else DEFAULT_CAP


QWEN = QwenCode()
