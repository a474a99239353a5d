"""The commands that messages tell an agent or a person to type."""

from __future__ import annotations

import os

from rcs_hooks.clients.client import rcs_command
from rcs_hooks.files import paths, workspaces
from rcs_hooks.workflow.commands import Commands
from rcs_hooks.workflow.messages.shared import BrokenFile

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rcs_hooks.clients.client import Client
    from rcs_hooks.environment import Environment
    from rcs_hooks.files.reading import Unreadable


def commands(root: str, cwd: str, session: str, environment: Environment, client: Client | None = None) -> Commands:
    """Return the commands to type, with `--root` where the shell of the client's agent would find another workspace.

    That shell has none of a hook's own variables: it finds the workspace by the folder that it is in, and it may change
    to a folder below. `client`: None for the shell that called this program.
    """
    real_root = os.path.realpath(root)
    here = real_root if cwd == root else os.path.realpath(cwd)
    home = environment.env.get("HOME")
    shell_finds_it = (
        os.path.isdir(here)
        and workspaces.nearest_workspace(here, home, session) == real_root  # resolved, as each folder above `here` is
        and workspaces.is_found_from_below(real_root, home)
    )
    named = None if shell_finds_it else os.path.abspath(root)
    return Commands(rcs_words(environment, client), session, named, mcp=environment.mcp)


def broken(unreadable: Unreadable) -> BrokenFile:
    """Describe an unreadable file for a message, with its name for `rcs state clear`."""
    return BrokenFile(f"{paths.STATE}/{unreadable.path}", unreadable.why, paths.clear_name(unreadable.path))


def rcs_words(environment: Environment, client: Client | None = None) -> str:
    """Return how the shell of a client's agent calls this program; without a client, the shell that called it."""
    if environment.rcs:
        return environment.rcs
    return rcs_command(client.shell_path(environment.env) if client else environment.env.get("PATH", ""))
