"""Writes `rcs_hooks/client_names.py`, what rooms below the clients know of them: `python -m tests.make_clients`."""

from __future__ import annotations

import pprint
from pathlib import Path

from rcs_hooks.clients import CLIENTS, session_variables, skill_folders

MODULE = Path(__file__).parent.parent / "rcs_hooks" / "client_names.py"
OF_NOBODY = ("AI_AGENT", "RCS_SESSION_ID")
"""Set in the shell of an agent by some clients that have no definition here, and by a person for an agent."""
HEAD = '''"""Names that the clients use, for code that cannot wait for all of their definitions.

Made from `rcs_hooks/clients` by `python -m tests.make_clients`; do not edit. No `__future__`, no `typing`.
"""
'''


def constants() -> dict[str, tuple[object, str]]:
    """Return the value of each constant, and what it is."""
    clients = CLIENTS.values()
    events = {name: event for client in clients for event, name in client.event_names.items()}
    agents = {name for client in clients for name in client.agent_variables}
    loaders = tuple(name for each in clients for name in each.agent_variables if each.loads_env_files)
    return {
        "TITLES": ({client.name: client.title for client in clients}, "What people call each client."),
        "RESUMES": (
            {client.name: client.resume_command for client in clients},
            "The command that resumes a session of each client, with `{}` for its id.",
        ),
        "EVENT_NAMES": (events, "Our name of each event that a client names otherwise."),
        "AGENT_VARIABLES": (
            tuple(sorted(agents.union(OF_NOBODY))),
            "The variables that are set in the shell of an agent, and by no person for other ends, as CODEX_HOME is.",
        ),
        "SESSION_VARIABLES": (
            session_variables(),
            "The client of each variable that tells its agent's shell the id of the session.",
        ),
        "SKILL_FOLDERS": (
            tuple(skill_folders()),
            "The folders that have a folder `skills`, each with the variable that moves the one in the home.",
        ),
        "ENV_LOADERS": (
            loaders,
            "The variables that only clients set which take others from files of the workspace.",
        ),
    }


def module() -> str:
    """Return the text of the module."""
    lines = [HEAD]
    for name, (value, meaning) in constants().items():
        shown = pprint.pformat(value, width=110, sort_dicts=False)
        lines.append(f'{name} = {shown}\n"""{meaning}"""')
    return _formatted("\n".join(lines))


def _formatted(text: str) -> str:
    import subprocess
    import sys

    command = [sys.executable, "-m", "ruff", "format", "-", "--stdin-filename", str(MODULE)]
    return subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout


if __name__ == "__main__":
    MODULE.write_text(module())
