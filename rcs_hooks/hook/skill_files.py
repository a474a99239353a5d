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
    from rcs_hooks.environment import Environment

LONGEST_PATH = 200


def skills_of(modes: Iterable[ModeDef], root: str, environment: Environment) -> tuple[SkillFile, ...]:
    """Return the skills of these modes that are installed, for a message that names them."""
    found = ((mode, _shown_path(mode, root, environment)) for mode in modes)
    return tuple(SkillFile(mode.skill, path, mode.is_of_project) for mode, path in found if path)


def _shown_path(mode: ModeDef, root: str, environment: Environment) -> str:
    """Return the path of a mode's SKILL.md as a message shows it; empty if no skill of that name is installed."""
    home = home_of(environment.env) or ""
    if mode.file:
        return _shown(mode.file, root, home)
    of_plugin = [f"{plugin}/rcs_hooks/skills" for plugin in plugins(environment.env)]
    for folder in (*of_plugin, *(path for _, path in folders(environment.env, root))):
        path = f"{folder}/{mode.skill}/{FILE}"
        if os.path.isfile(path):
            return _shown(path, root, home)
    return ""


def _shown(path: str, root: str, home: str) -> str:
    """Return a path as short as it can be in the workspace or in the home; empty if it cannot be shown."""
    for folder, instead in ((root, ""), (home, "~/")):
        above = folder.rstrip("/") + "/"
        if folder and path.startswith(above):
            path = instead + path[len(above) :]
            break
    return path if path == clean(path, LONGEST_PATH) else ""
