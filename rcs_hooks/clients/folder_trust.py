"""Which folders a person trusts, as Gemini CLI and Qwen Code keep it in `trustedFolders.json`. PURE but for links."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from rcs_hooks.files.paths import inside

if TYPE_CHECKING:
    from collections.abc import Mapping

FILE = "trustedFolders.json"
LEVELS = {"TRUST_FOLDER": True, "TRUST_PARENT": True, "DO_NOT_TRUST": False}


def is_trusted(folders: Mapping[str, Any], root: str) -> bool:
    """Tell whether the deepest folder of the file `folders` that holds `root` is a trusted one."""
    root = os.path.realpath(root)
    found = []
    for folder, level in folders.items():
        if not isinstance(level, str) or level not in LEVELS or "\0" in folder:
            continue
        path = os.path.realpath(os.path.dirname(folder) if level == "TRUST_PARENT" else folder)
        if inside(root, path):
            found.append((len(path), not LEVELS[level]))
    return bool(found) and not max(found)[1]


def switch(value: Mapping[str, Any]) -> bool | None:
    """Return what settings say of `security.folderTrust.enabled`; None if they say nothing."""
    for key in ("security", "folderTrust"):
        inner = value.get(key)
        value = inner if isinstance(inner, dict) else {}
    enabled = value.get("enabled")
    return enabled if isinstance(enabled, bool) else None
