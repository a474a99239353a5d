"""One line of `rcs doctor`."""

from __future__ import annotations

from typing import NamedTuple

OK, NOTE, UNSET, TODO, WARN, BROKEN = "ok", "note", "unset", "to do", "warn", "broken"
"""What a check says. UNSET: a client has no hooks of ours. TODO: a client only waits for the person's approval."""


class Check(NamedTuple):
    """One finding of `rcs doctor`: what was checked, its status, what was found, and what to do (empty for nothing).

    `client`: the name of the client that the check is about; empty if it is about all.
    """

    what: str
    status: str
    found: str
    todo: str = ""
    client: str = ""
