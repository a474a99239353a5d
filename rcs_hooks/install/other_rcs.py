"""Finds another program called `rcs`, such as that of GNU RCS, which a shell would run in place of this one."""

from __future__ import annotations

import os
import shutil
import sys
from typing import TYPE_CHECKING, NamedTuple

from rcs_hooks.clients.client import rcs_command
from rcs_hooks.text import quoted

if TYPE_CHECKING:
    from collections.abc import Mapping


class OtherProgram(NamedTuple):
    """A program of the same name that comes first on PATH."""

    path: str
    ours: str
    """The words that run this program in any folder."""

    @property
    def says(self) -> str:
        """What a person who types `rcs` would meet."""
        return f"`rcs` runs {self.path} in your shell, which is another program (GNU RCS has one of that name)"

    @property
    def todo(self) -> str:
        """What to type to have this program instead."""
        typed = f"for this one type {self.ours}"
        if self.ours.startswith("PYTHONPATH="):  # no script is installed, so there is no folder to put first
            return typed
        return f"{typed}, or put its folder first: export PATH={quoted(os.path.dirname(sys.executable))}:$PATH"


def other_rcs(env: Mapping[str, str]) -> OtherProgram | None:
    """Return the other program that a shell with this environment runs as `rcs`; None if it runs this one, or none."""
    path = env.get("PATH", os.defpath)
    words = rcs_command(path)
    found = None if words == "rcs" else shutil.which("rcs", path=path)
    return OtherProgram(found, words) if found else None
