"""Says which folder has become a workspace, where no repository told the person that it would."""

from __future__ import annotations

import os

from rcs_hooks.files.paths import HOME, STATE
from rcs_hooks.files.workspaces import is_repository
from rcs_hooks.text import clean

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

LONGEST = 150


def line(root: str, env: Mapping[str, str]) -> str:
    """Return the sentence to say once state is written, if that makes a workspace of a folder outside git.

    It is empty where a workspace was to be expected. Asked before the write.
    """
    if has_workspace(root, env):
        return ""
    return f"{_said(root)} itself; its state is in {clean(os.path.join(root, HOME), LONGEST)}"


def line_of_run(root: str, env: Mapping[str, str]) -> str:
    """Return the sentence to say once the first run of a folder is stored, if that folder is outside git; else empty.

    The store of runs is in the home, so the folder itself stays as it is.
    """
    return "" if has_workspace(root, env) else f"{_said(root)} of this run"


def has_workspace(root: str, env: Mapping[str, str]) -> bool:
    """Tell whether a folder is a repository, is named by RCS_ROOT, or has state already."""
    return bool(env.get("RCS_ROOT", "").strip()) or os.path.lexists(os.path.join(root, STATE)) or is_repository(root)


def _said(root: str) -> str:
    return f"{clean(root, LONGEST)} is in no git repository, so it is the workspace"
