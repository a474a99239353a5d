"""What a call takes from outside its arguments: variables, working directory and time.

On the path of every hook call: no `__future__`, no `typing`.
"""

import os
import time

from rcs_hooks.files.workspaces import ROOT_VARIABLES, home_of, working_folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


AGENT, TERMINAL, SCRIPT = "agent", "terminal", "script"


def is_of_agent(env: "Mapping[str, str]") -> bool:
    """Tell whether this is the environment of an agent's shell. An agent that hides its variables is not noticed."""
    from rcs_hooks.client_names import AGENT_VARIABLES

    return any(env.get(name, "") for name in AGENT_VARIABLES)


def typed_by(env: "Mapping[str, str]", is_terminal: bool) -> str:
    """Return who typed a command: AGENT, TERMINAL for a person, or SCRIPT. `is_terminal`: whether stdin is one."""
    if is_of_agent(env):
        return AGENT
    return TERMINAL if is_terminal else SCRIPT


def session_of(env: "Mapping[str, str]") -> tuple[str, str]:
    """Return the id of the session in whose shell this is the environment, and the name of its client.

    Each is empty if it is not known; the id is as the variable says it, so it may be any text.
    """
    from rcs_hooks.client_names import SESSION_VARIABLES

    known = [(env[name], client) for name, client in SESSION_VARIABLES.items() if env.get(name)]
    named = env.get("RCS_SESSION_ID") or (known[0][0] if known else "")
    return named, next((client for session, client in known if session == named), "")


class Environment:
    """What a call takes from outside its arguments: read once at the edge, and passed down.

    `env`: the environment variables. `cwd`: the working directory. `now`: the time, in seconds since the epoch.
    """

    __slots__ = ("cwd", "env", "has_changed", "is_answer", "mcp", "now", "rcs")

    def __init__(
        self,
        env: "Mapping[str, str]",
        cwd: str,
        now: float,
        rcs: str | None = None,
        *,
        mcp: bool = False,
    ) -> None:
        self.env = env
        self.cwd = cwd
        self.now = now
        self.rcs = rcs
        """How the agent's shell calls `rcs`; None if that is to be found out where it is needed."""
        self.mcp = mcp
        """Whether the call came over MCP, so that the agent has the server's tools."""
        self.has_changed = False
        """Whether this call has changed a workflow, so that the message of a later failure must not deny it."""
        self.is_answer = False
        """Whether the prompt of this call is the answer to an open question, so that a failure names what is lost."""

    @property
    def home(self) -> "str | None":
        """Return the home folder; None if HOME is not set or is a relative path."""
        return home_of(self.env)


def drop_settings() -> None:
    """Remove our variables, but for RCS_DISABLE, from a process in a client that loads a workspace's `.env`.

    A repository may have set them there: one could move the state, or have every call written to a file.
    """
    names = [name for name in os.environ if name.startswith("RCS_") or name in ROOT_VARIABLES]
    if not names:
        return
    from rcs_hooks.client_names import ENV_LOADERS

    if any(os.environ.get(mark) for mark in ENV_LOADERS):
        for name in names:
            if name != "RCS_DISABLE":
                del os.environ[name]


def real_environment() -> Environment:
    """Return the environment of this process."""
    return Environment(os.environ, working_folder(), time.time())
