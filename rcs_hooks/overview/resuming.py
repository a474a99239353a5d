"""The commands that resume a session, in the client that the hooks' notes name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rcs_hooks.client_names import RESUMES, TITLES
from rcs_hooks.state.session_notes import CLIENT
from rcs_hooks.text import quoted

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rcs_hooks.jsontext import JsonObject

LIKELY = tuple(RESUMES)[:2]
"""The clients whose commands are offered for a session of which nobody knows the client: those that there were before
the notes named one."""

Commands = tuple[tuple[str, str], ...]


def commands(root: str, session: str | None, notes: object) -> Commands:
    """Return the commands that resume a session, each behind the title of its client.

    There are none for the records of a workspace, and for a session of a client that is not known here.
    """
    if not session:
        return ()
    client = notes.get(CLIENT) if isinstance(notes, dict) else None
    names = (client,) if isinstance(client, str) and client else LIKELY
    return tuple(
        (TITLES[name], f"cd {quoted(root)} && {RESUMES[name].format(quoted(session))}")
        for name in names
        if RESUMES.get(name)
    )


def as_json(found: Iterable[tuple[str, str]]) -> list[JsonObject]:
    """Return commands as JSON."""
    return [{"client": client, "command": command} for client, command in found]
