"""The two clients: where each keeps its files, and what of ours belongs in them."""

from __future__ import annotations

import os
import shlex
import sys
from typing import TYPE_CHECKING, Any, NamedTuple

from rcs_hooks.errors import Refused
from rcs_hooks.hook.place import SYSTEM_PATH, rcs_command
from rcs_hooks.install import merge
from rcs_hooks.install.merge import PROGRAM, SERVER, rules_for

if TYPE_CHECKING:
    from collections.abc import Mapping

Record = dict[str, Any]

CODEX, CLAUDE = "codex", "claude"
CLIENTS = (CODEX, CLAUDE)
TITLES = {CODEX: "Codex", CLAUDE: "Claude Code"}
LOCAL, PROJECT, USER = "local", "project", "user"
SCOPES = (LOCAL, PROJECT, USER)
"""Local: the person's own settings in one project, which Claude Code alone has. What counts for more comes first."""
COMMAND, MCP = "command", "mcp"
TRANSPORTS = (COMMAND, MCP)
EVENTS = ("UserPromptSubmit", "Stop", "SessionStart", "SessionEnd")
TIMEOUT = 10
"""Seconds, as both clients count. A hook gives up by itself after two."""
TIMEOUTS = {"SessionEnd": 3}
"""Codex grants it no more, and approves it by that number."""

TOOLS = {"UserPromptSubmit": "hook_user_prompt_submit", "Stop": "hook_stop"}
FIELDS = {
    "UserPromptSubmit": ("session_id", "transcript_path", "cwd", "prompt"),
    "Stop": ("session_id", "transcript_path", "cwd", "stop_hook_active", "last_assistant_message"),
}
OWN_FIELDS = {
    (CODEX, "UserPromptSubmit"): ("turn_id",),
    (CODEX, "Stop"): ("turn_id",),
    (CLAUDE, "UserPromptSubmit"): ("prompt_id", "agent_id"),
    (CLAUDE, "Stop"): ("prompt_id", "agent_id", "background_tasks", "session_crons"),
}
"""Codex fails a hook that names a field which is missing now and then, as agent_id is."""
CURRENT, OLDER, OTHER = "current", "older", "other"
NOT_FOR_THE_SERVER = frozenset({"RCS_SESSION_ID", "RCS_RECORD", "RCS_DB"})


class Machine(NamedTuple):
    """What all of this depends on, taken once at the edge."""

    env: Mapping[str, str]
    home: str
    root: str
    """Of the workspace."""

    def config_home(self, client: str) -> str:
        """Where a client keeps what is the person's."""
        variable, folder = {CODEX: ("CODEX_HOME", ".codex"), CLAUDE: ("CLAUDE_CONFIG_DIR", ".claude")}[client]
        return self.env.get(variable, "").strip() or os.path.join(self.home, folder)


class Place(NamedTuple):
    """One client, for one project or for everything the person does."""

    machine: Machine
    client: str
    scope: str

    @property
    def within(self) -> str | None:
        """The folder that a repository may have filled."""
        return None if self.scope == USER else self.machine.root

    def within_of(self, path: str) -> str | None:
        """The same for one of its files: the servers of the local scope stand in the home."""
        return None if self.scope == LOCAL and path.startswith(self.servers_file) else self.within

    @property
    def folder(self) -> str:
        if self.scope == USER:
            return self.machine.config_home(self.client)
        return os.path.join(self.machine.root, f".{self.client}")

    @property
    def hooks_file(self) -> str:
        name = "settings.local.json" if self.scope == LOCAL else "settings.json"
        return os.path.join(self.folder, "hooks.json" if self.client == CODEX else name)

    @property
    def config_file(self) -> str:
        """Of Codex alone."""
        return os.path.join(self.folder, "config.toml")

    @property
    def servers_file(self) -> str:
        """Where Claude Code looks for MCP servers."""
        if self.scope == PROJECT:
            return os.path.join(self.machine.root, ".mcp.json")
        own = self.machine.env.get("CLAUDE_CONFIG_DIR", "").strip()
        return os.path.join(own or self.machine.home, ".claude.json")

    @property
    def servers_path(self) -> tuple[str, ...]:
        """The keys that lead to the servers in that file: those of one project stand in the person's own."""
        return ("projects", self.machine.root) if self.scope == LOCAL else ()

    @property
    def skills_folder(self) -> str:
        """For no local scope: a client looks for skills in the project and in the home."""
        base = self.machine.root if self.scope == PROJECT else self.machine.home
        if self.client == CODEX:
            return os.path.join(base, ".agents", "skills")
        return os.path.join(self.folder, "skills")


# --- what belongs there


def program(name: str = PROGRAM) -> str:
    """The absolute path of one of our commands, beside the interpreter that runs now. Raises Refused."""
    path = os.path.join(os.path.dirname(sys.executable), name)
    if not os.access(path, os.X_OK):
        raise Refused(f"{path} is not there: `pip install .` in a checkout puts it beside this Python; then try again")
    return path


def interpreter() -> str:
    """The Python that runs now: in an environment by its plain name, so that an entry does not change with the way in
    which `rcs` was started."""
    plain = os.path.join(os.path.dirname(sys.executable), "python3")
    is_plain = sys.prefix != sys.base_prefix and os.path.exists(plain)
    return os.path.abspath(plain if is_plain else sys.executable)


def hook_handlers(client: str, transport: str) -> dict[str, Record]:
    """Raises Refused where the hooks are not installed with this Python."""
    program()
    return {event: _handler(client, event, transport) for event in EVENTS}


def _handler(client: str, event: str, transport: str) -> Record:
    """A command is a line for the shell, never `args`: other clients read Claude Code's files, and one that does not
    know `args` would run the first word alone, with the call as its script."""
    if transport == MCP and event in TOOLS:
        return {
            "type": "mcp_tool",
            "server": SERVER,
            "tool": TOOLS[event],
            "timeout": TIMEOUT,
            "input": _input(client, event),
        }
    return {"type": "command", "command": merge.hook_command(interpreter()), "timeout": TIMEOUTS.get(event, TIMEOUT)}


def _input(client: str, event: str) -> dict[str, str]:
    return {name: f"${{{name}}}" for name in (*FIELDS[event], *OWN_FIELDS[client, event])}


def form(client: str, event: str, handler: Record) -> str:
    """Whether a hook of ours is as it is written now, as an older version wrote it, or says something else."""
    said = merge.without_personal(handler)
    if said.get("type") == "mcp_tool":
        return _form_of_tool(client, event, said)
    words = merge.words_of(said)
    if set(said) == {"type", "command"} and words and said["command"] == merge.hook_command(words[0]):
        return CURRENT
    is_alone = len(words) == 1 and words[0].rpartition("/")[2] == PROGRAM
    return OLDER if is_alone and set(said) <= {"type", "command", "args"} else OTHER


def _form_of_tool(client: str, event: str, said: Record) -> str:
    given = said.get("input")
    if (
        set(said) != {"type", "server", "tool", "input"}
        or said["tool"] != TOOLS.get(event)
        or not isinstance(given, dict)
    ):
        return OTHER
    wanted = _input(client, event)
    if given == wanted:
        return CURRENT
    return OLDER if given.items() <= wanted.items() else OTHER


def server_entry(machine: Machine, client: str) -> Record:
    """Codex gives a server no environment of its own; what is set for the hooks has to stand here. It also asks the
    person before a tool that may change something, unless the server's entry approves its tools."""
    env = {
        name: value
        for name, value in sorted(machine.env.items())
        if name.startswith("RCS_") and name not in NOT_FOR_THE_SERVER and value.strip()
    }
    approval = {merge.APPROVAL: merge.APPROVED} if client == CODEX else {}
    return {"command": program("rcs"), "args": ["mcp"]} | ({"env": env} if env else {}) | approval


def status_line(machine: Machine) -> Record:
    """Claude Code runs it in the person's shell."""
    return {"type": "command", "command": f"{shlex.quote(program('rcs'))} {' '.join(merge.STATUS_LINE)}"}


def rules(machine: Machine, transport: str) -> list[str]:
    """By its path in any case; by its name too where that is this program now."""
    return rules_for(names(machine), server=transport == MCP)


def names(machine: Machine) -> list[str]:
    """How `rcs` is called: by its path, and as messages name it."""
    return list(dict.fromkeys((shlex.quote(program("rcs")), told(machine))))


def writable(machine: Machine) -> list[str]:
    """What an agent in Codex' sandbox has to write besides the folder it is started in: the run store, and the
    state where it was started further down."""
    return [os.path.join(machine.home, ".rcs"), os.path.join(machine.root, ".rcs")]


def told(machine: Machine) -> str:
    """How messages in Claude Code name `rcs`."""
    return rcs_command(machine.env.get("PATH", ""))


def agents_words(machine: Machine, client: str) -> str:
    """How the agent of a client is told to call `rcs`."""
    return rcs_in_a_login_shell() if client == CODEX else told(machine)


def rcs_in_a_login_shell() -> str:
    """How messages in Codex name `rcs`."""
    return rcs_command(SYSTEM_PATH)
