"""Gemini CLI, as a hook sees it."""

from __future__ import annotations

from rcs_hooks.clients.client import Client, text_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from rcs_hooks.clients.client import Fields
    from rcs_hooks.clients.installer import Installer

SESSION = "GEMINI_SESSION_ID"
NO_ANSWER = "[no response text]"
ATTACHED = "\n--- Content from referenced files ---"
CONTEXT, END_OF_CONTEXT = "<hook_context>", "</hook_context>"
OF_CLIENT = "[System: You "
OURS, FOR_PERSON = "[rcs] ", "rcs: "


class GeminiCli(Client):
    """Gemini CLI, which has names of its own for the events, no id of the turn, and no limit on blocked Stops.

    Its Stop comes also where the agent has said nothing new, and holding it then would spin for ever. The shell of its
    agent has no id of the session.
    """

    name = "gemini"
    title = "Gemini CLI"
    resume_command = "gemini --resume {}"
    agent_variables = ("GEMINI_CLI", SESSION)
    skill_folders = ((".gemini", ""), (".agents", ""))
    call_variables = (SESSION,)
    loads_env_files = True
    stops_without_answer = True
    tells_prompt_at_stop = True

    @property
    def installer(self) -> Installer:
        from rcs_hooks.clients.gemini.setup import INSTALLER

        return INSTALLER

    @property
    def event_names(self) -> Mapping[str, str]:
        return {"UserPromptSubmit": "BeforeAgent", "Stop": "AfterAgent"}

    def recognizes(self, fields: Fields, env: Mapping[str, str]) -> bool:
        """Tell whether a call has the session that Gemini CLI's own variable names, or an event that is its alone."""
        session = text_in(fields, "session_id")
        return fields.get("hook_event_name") in self.event_names.values() or (
            bool(session) and env.get(SESSION) == session
        )

    def typed_prompt(self, fields: Fields) -> str | None:
        """Return the prompt without the text of files that it names, and without a context that a hook has added.

        None for the prompt by which Gemini CLI itself asks its agent for a last message.
        """
        prompt = text_in(fields, "prompt").partition(ATTACHED)[0]
        before, end, after = prompt.partition(END_OF_CONTEXT)
        prompt = after.lstrip("\n") if end and before.startswith(CONTEXT) else prompt
        is_own = prompt.startswith(OF_CLIENT) and prompt.endswith("]") and "\n" not in prompt
        return None if is_own else prompt

    def hands_back(self, fields: Fields, env: Mapping[str, str]) -> bool:
        """Tell whether a held Stop is the last thing that the transcript of a terminal tells, and was just now."""
        from rcs_hooks.clients.gemini import transcript

        return transcript.was_held(text_in(fields, "transcript_path"), text_in(fields, "timestamp"))

    def last_message(self, fields: Fields) -> str:
        """Return all that the agent has said since the prompt, the newest last.

        Empty if it has said nothing, or was stopped by the person while it spoke.
        """
        said = text_in(fields, "prompt_response")
        if not said or said == NO_ANSWER:
            return ""
        from rcs_hooks.clients.gemini import transcript

        return "" if transcript.was_cancelled(text_in(fields, "transcript_path")) else said

    def rendered(self, output: dict[str, Any]) -> dict[str, Any]:
        """Return the answer with the first line of a reason for the person, who would be shown all of it otherwise."""
        if output.get("decision") != "block" or "systemMessage" in output:
            return output
        first = str(output["reason"]).partition("\n")[0]
        return output | {"systemMessage": FOR_PERSON + first.removeprefix(OURS)}


GEMINI = GeminiCli()
