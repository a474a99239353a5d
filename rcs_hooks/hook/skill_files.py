"""Finds the file of a skill that an agent is to read: in the plugin, then in the person's home, then in the project."""

from __future__ import annotations

import os

from rcs_hooks.clients import plugins
from rcs_hooks.files.workspaces import home_of
from rcs_hooks.modes.lookup import FILE, folders
from rcs_hooks.text import clean
from rcs_hooks.workflow.messages.shared import SkillFile

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from rcs_hooks.catalog import ModeDef
    from rcs_hooks.clients.client import Client
    from rcs_hooks.environment import Environment

LONGEST_PATH = 200


def skills_of(
    modes: Iterable[ModeDef], root: str, environment: Environment, client: Client | None = None
) -> tuple[SkillFile, ...]:
    """Return the skills of these modes that are installed, for a message that names them.

    `client`: whose agent is to read them. What lies in its own folders comes first: setup writes there how that agent
    calls `rcs`.
    """
    found = ((mode, _shown_path(mode, root, environment, client)) for mode in modes)
    return tuple(SkillFile(mode.skill, path, mode.is_of_project) for mode, path in found if path)


def _shown_path(mode: ModeDef, root: str, environment: Environment, client: Client | None) -> str:
    """Return the path of a mode's SKILL.md as a message shows it; empty if no skill of that name is installed."""
    home = home_of(environment.env) or ""
    if mode.file:
        return _shown(mode.file, root, home)
    of_plugin = [f"{plugin}/rcs_hooks/skills" for plugin in plugins(environment.env)]
    places = [path for _, path in folders(environment.env, root)]
    if client:
        places.sort(key=lambda path: not _is_searched_by(client, path, environment))
    for folder in (*of_plugin, *places):
        path = f"{folder}/{mode.skill}/{FILE}"
        if os.path.isfile(path):
            return _shown(path, root, home)
    return ""


def _is_searched_by(client: Client, folder: str, environment: Environment) -> bool:
    """Tell whether a client looks for skills in a folder; for an unknown client no folder is known."""
    base = os.path.dirname(folder)
    return any(
        os.path.basename(base) == name or (variable and base == environment.env.get(variable, "").strip())
        for name, variable in client.skill_folders
    )


def _shown(path: str, root: str, home: str) -> str:
    """Return a path as short as it can be in the workspace or in the home; empty if it cannot be shown."""
    for folder, instead in ((root, ""), (home, "~/")):
        above = folder.rstrip("/") + "/"
        if folder and path.startswith(above):
            path = instead + path[len(above) :]
            break
    return path if path == clean(path, LONGEST_PATH) else ""
