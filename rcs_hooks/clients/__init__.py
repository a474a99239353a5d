"""The clients that call our hooks: one definition each, and one table of them.

To add a client: write `NAME.py` (or a package `NAME/`) with a subclass of `Client`, add one row here, and run `python
-m tests.make_clients`. A client whose files `rcs setup` changes also has an installer, see
`rcs_hooks/clients/installer.py`.

The definitions are on the hot path of a call that has work to do, so a module imported here stays small: no
`typing`, no `json`, no `re`. What only setup and doctor need is imported on demand.
"""

from __future__ import annotations

from rcs_hooks.clients.claude import CLAUDE
from rcs_hooks.clients.client import Client
from rcs_hooks.clients.codex import CODEX
from rcs_hooks.clients.copilot import COPILOT
from rcs_hooks.clients.gemini import GEMINI
from rcs_hooks.clients.qwen import QWEN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from rcs_hooks.clients.installer import Installer

CLIENTS: dict[str, Client] = {client.name: client for client in (CODEX, CLAUDE, COPILOT, QWEN, GEMINI)}
"""Every known client, by its name on the command line. A call comes from the last client that recognizes it: those
further down know their calls by what they alone send, and speak the dialect of one above."""

UNKNOWN = Client()
"""The client of a call that no client in `CLIENTS` recognizes: only the fields common to all clients are read."""


def client_of(fields: Mapping[str, Any], env: Mapping[str, str]) -> Client:
    """Return the client that sent a call with these fields in this environment; `UNKNOWN` if none recognizes it."""
    return next((client for client in reversed(CLIENTS.values()) if client.recognizes(fields, env)), UNKNOWN)


def session_variables() -> dict[str, str]:
    """Return the client of each environment variable that tells its agent's shell the id of the session.

    They are sorted by name: where one client runs in the shell of another, nothing says which is the inner one.
    """
    return dict(
        sorted((client.session_variable, client.name) for client in CLIENTS.values() if client.session_variable)
    )


def skill_folders() -> list[tuple[str, str]]:
    """List the folders that clients look for `skills` in, each with the variable that moves the one in the home.

    They are in the order of the clients' names: where two have a skill of one name, the first one counts for all.
    """
    return list(dict.fromkeys(folder for name in sorted(CLIENTS) for folder in CLIENTS[name].skill_folders))


def plugins(env: Mapping[str, str]) -> list[str]:
    """List the folders of the plugins that an environment names; a client names the one that it runs a hook of."""
    named = (env.get(client.plugin_variable, "").strip() for client in CLIENTS.values() if client.plugin_variable)
    return [folder for folder in named if folder]


def call_variables() -> list[str]:
    """List the environment variables that change how a hook answers; a recorded call keeps their values."""
    return sorted({name for client in CLIENTS.values() for name in client.call_variables})


def installers() -> dict[str, Installer]:
    """Return the installers of all clients whose files `rcs setup` changes, by the client's name."""
    return {name: client.installer for name, client in CLIENTS.items() if client.installer}
