"""One line of `rcs doctor`."""

from __future__ import annotations

from typing import NamedTuple

OK, NOTE, WARN, BROKEN = "ok", "note", "warn", "broken"


class Check(NamedTuple):
    """One finding of `rcs doctor`: what was checked, its status, what was found, and what to do (empty for nothing)."""

    what: str
    status: str
    found: str
    todo: str = ""
