"""Checks the hooks that a client runs from another client's file: whether they are all there, and not twice."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rcs_hooks.clients import CLIENTS
from rcs_hooks.clients.check import BROKEN, OK, WARN, Check
from rcs_hooks.clients.formats import EVENTS
from rcs_hooks.clients.installer import PROJECT, USER, setup_command

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rcs_hooks.clients.reading import Settings


def checks(client: str, others: Sequence[Settings], with_ours: Sequence[Settings]) -> Iterator[Check]:
    """Yield checks of the hooks that a client runs from the files of other clients (`others`).

    `with_ours`: the client's own files with hooks of ours.
    """
    title = f"{CLIENTS[client].title} hooks"
    own = {event: each for each in with_ours for event in each.command_events}
    for other in others:
        of = CLIENTS[other.target.client].title
        if twice := [event for event in other.command_events if event in own]:
            each = own[twice[0]]
            todo = f"rcs uninstall --client {client} --scope {each.target.scope}"
            found = f"{', '.join(twice)}: in {each.path}, and {other.path} of {of} runs here too"
            if each.target.scope == USER:  # needed in all other projects
                yield Check(title, OK, f"{found}; each event counts once")
            else:
                yield Check(title, WARN, found, todo)
        elif named := ", ".join(other.command_events):
            yield Check(title, OK, f"{named} in {other.path}, which is {of}'s and runs here too")
    served = {event for other in others for event in other.command_events}
    if served and not with_ours and (missing := [event for event in EVENTS if event not in served]):
        found = f"the hooks of {CLIENTS[others[0].target.client].title} that run here lack {', '.join(missing)}"
        yield Check(title, BROKEN, found, setup_command(client, PROJECT))
