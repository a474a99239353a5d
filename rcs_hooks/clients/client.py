"""What a hook has to know of a client, and how an agent's shell calls `rcs`.

`Client` reads the fields that clients have in common; a known client overrides what it does differently.
"""

from __future__ import annotations

import os
import sys

from rcs_hooks import jsontext
from rcs_hooks.text import quoted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from rcs_hooks.clients.installer import Installer

    Fields = Mapping[str, Any]

LONGEST_LIST = 1 << 20
MOST_TASKS = 1_000


class Client:
    """A client as a hook sees it; an instance of this base class stands for an unknown client.

    What a call says is read through its methods: a client may name events and fields in words of its own, and send
    prompts that nobody typed.
    """

    name = ""
    """The client's name on the command line and in file names."""
    title = "the client"
    resume_command = ""
    """The command that resumes a session, with `{}` for its id; empty if there is none."""
    sends_commands = True
    """Whether a prompt that begins with `/` may be a command of the client itself."""
    session_variable: str | None = None
    """The environment variable that tells the agent's shell the id of its session; None if the client sets none."""
    agent_variables: tuple[str, ...] = ()
    """The environment variables that the client sets in its agent's shell, and that no person sets for other ends."""
    project_variable: str | None = None
    """The environment variable that tells a hook's shell the folder of the project; None if the client sets none."""
    plugin_variable: str | None = None
    """The environment variable that tells a hook of a plugin where the plugin is; None if the client has no plugins."""
    skill_folders: tuple[tuple[str, str], ...] = ()
    """The folders, in the home and in a project, that have a folder `skills` in which the client looks for skills: each
    with the variable that moves the one in the home, empty if none does."""
    crons = "session_crons"
    """The field of a Stop that lists the times at which the client wakes the agent."""
    loads_env_files = False
    """Whether the client takes environment variables from files of the workspace, which a repository may bring."""
    typing_hint = ""
    """A hint for the person about typing a prompt with a `$skill`; empty if there is nothing to know."""
    call_variables: tuple[str, ...] = ()
    """The environment variables that change how a hook answers this client."""

    @property
    def event_names(self) -> Mapping[str, str]:
        """The client's names of the events, by ours, where they differ."""
        return {}

    @property
    def installer(self) -> Installer | None:
        """The installer that setup, uninstall and doctor use; None if setup changes no file of this client."""
        return None

    # --- reading a call: the fields are those that the client has sent, of whatever type

    def recognizes(self, fields: Fields, env: Mapping[str, str]) -> bool:
        """Tell whether a call with these fields comes from this client."""
        return False

    def typed_prompt(self, fields: Fields) -> str | None:
        """Return the prompt as the person typed it; None if the client calls for a prompt that nobody typed.

        A prompt that can be told by its words alone is told for all clients, see `rcs_hooks/workflow/origin.py`.
        """
        return text_in(fields, "prompt")

    def begins_turn(self, fields: Fields) -> bool:
        """Tell whether a prompt begins a turn; what a person types into one that goes on resets no count of Stops."""
        return True

    def hands_back(self, fields: Fields, env: Mapping[str, str]) -> bool:
        """Tell whether the client's own transcript says that a prompt is the reason of a held Stop, of any program.

        Asked only in a session in which something of ours ran. False where the transcript cannot be read.
        """
        return False

    def last_message(self, fields: Fields) -> str:
        """Return what the agent said last, before its Stop; empty if it said nothing or the client does not tell."""
        return text_in(fields, "last_assistant_message")

    def is_from_subagent(self, fields: Fields) -> bool:
        """Tell whether a call whose fields name no agent was made by a subagent."""
        return False

    def runs_subagent(self, fields: Fields) -> bool:
        """Tell whether a subagent is working in the background; the client wakes the agent when it is done."""
        return any(task.get("type") == "subagent" for task in self.running_tasks(fields))

    def wakes_agent_later(self, fields: Fields) -> bool:
        """Tell whether the client will wake the agent: a background task is running, or a time to wake it is set."""
        return bool(self.running_tasks(fields) or _list_in(fields.get(self.crons)))

    def running_tasks(self, fields: Fields) -> list[dict[str, Any]]:
        """List the background tasks that a Stop names and that are running."""
        tasks = _list_in(fields.get("background_tasks"))
        return [task for task in tasks if isinstance(task, dict) and task.get("status") == "running"]

    def keeps_state_from_agent(self, fields: Fields, root: str, env: Mapping[str, str]) -> bool:
        """Tell whether a sandbox keeps the agent from writing the state in `root`, and no person can allow it."""
        return False

    # --- answering

    stops_without_answer = False
    """Whether the client calls for a Stop too where its agent has answered nothing: after an interruption, an error, or
    a continuation that was not sent. Such a Stop is never held."""
    tells_prompt_at_stop = False
    """Whether a Stop has the prompt that began its turn. Only by it is a prompt of the person told from one by which
    the client goes on for another program's reason."""

    def block_cap(self, env: Mapping[str, str]) -> int:
        """Return how many blocked Stops in a row the client accepts before it ends the turn; 0 for no limit."""
        return 0

    def describes_start(self, fields: Fields) -> bool:
        """Tell whether the agent is told at this start of a session what is active in it."""
        return True

    def notice_at_start(self, env: Mapping[str, str], root: str, rcs: str) -> str:
        """Return a line to show the person when a session starts; empty for none.

        `rcs`: the words that run this program.
        """
        return ""

    def rendered(self, output: dict[str, Any]) -> dict[str, Any]:
        """Return a hook's answer in the shape that this client reads.

        `output`: the answer as Codex and Claude Code read it.
        """
        return output

    def shell_path(self, env: Mapping[str, str]) -> str:
        """Return the PATH of the agent's shell. `env`: the environment of a hook."""
        return env.get("PATH", "")

    def rcs_command(self, env: Mapping[str, str]) -> str:
        """Return the words with which the agent's shell runs this program: `rcs`, or words that work in any folder."""
        return rcs_command(self.shell_path(env))


def text_in(fields: Fields, name: str) -> str:
    """Return the text in an optional field of a call; empty if it is missing or is not text."""
    value = fields.get(name)
    return value if isinstance(value, str) else ""


def _list_in(value: object) -> list[Any]:
    """Return a list that a client sent as JSON or, over `mcp_tool`, as text; empty for anything else."""
    if isinstance(value, str) and len(value) <= LONGEST_LIST:
        try:
            value = jsontext.loads(value)
        except ValueError:
            return []
    return value[:MOST_TASKS] if isinstance(value, list) else []


def rcs_command(path: str) -> str:
    """Return the words with which a shell that has this PATH runs this program: `rcs` if the first `rcs` there is ours.

    A GNU program has the same name. If that or none comes first, the words hold absolute paths and work in any folder.
    """
    ours = os.path.join(os.path.dirname(sys.executable), "rcs")
    is_ours = _is_our_script(ours)
    for folder in path.split(os.pathsep) if is_ours else ():
        candidate = os.path.join(folder, "rcs")
        if folder and os.access(candidate, os.X_OK) and os.path.isfile(candidate):
            if os.path.realpath(candidate) == os.path.realpath(ours):
                return "rcs"
            break
    if is_ours:
        return quoted(ours)
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    checkout, name = os.path.split(package)
    return f"PYTHONPATH={quoted(checkout)} {quoted(sys.executable)} -P -m {name}"


def _is_our_script(path: str) -> bool:
    try:
        with open(path, "rb", buffering=0) as file:
            return os.access(path, os.X_OK) and b"rcs_hooks" in file.read(1000)
    except OSError:
        return False
