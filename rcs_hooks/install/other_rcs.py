"""Names another program called `rcs`, such as that of GNU RCS, which a shell would run in place of this one."""

from __future__ import annotations

import os
import shutil
import sys
from typing import TYPE_CHECKING

from rcs_hooks.clients.client import rcs_command
from rcs_hooks.text import quoted

if TYPE_CHECKING:
    from collections.abc import Mapping


def other_rcs(env: Mapping[str, str]) -> tuple[str, str] | None:
    """Return what a person who types `rcs` meets, and what to type to have this program; None if they meet no other."""
    path = env.get("PATH", os.defpath)
    ours = rcs_command(path)
    other = None if ours == "rcs" else shutil.which("rcs", path=path)
    if other is None:
        return None
    says = f"`rcs` runs {other} in your shell, which is another program (GNU RCS has one of that name)"
    todo = f"for this one type {ours}"
    if not ours.startswith("PYTHONPATH="):  # else no script is installed, so there is no folder to put first
        todo = f"{todo}, or put its folder first: export PATH={quoted(os.path.dirname(sys.executable))}:$PATH"
    return says, todo
