"""Judges from the checks of doctor whether the hooks would work now, in the one sentence that a person reads. PURE."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from rcs_hooks.clients import CLIENTS
from rcs_hooks.clients.check import BROKEN, OK, TODO, UNSET

if TYPE_CHECKING:
    from collections.abc import Container, Sequence

    from rcs_hooks.clients.check import Check


class Verdict(NamedTuple):
    """Whether the hooks would work now, and the last line of `rcs doctor`.

    `status`: the one of a check that stands for it: OK, TODO, UNSET or BROKEN.
    """

    status: str
    says: str

    @property
    def works(self) -> bool:
        return self.status == OK


def verdict(checks: Sequence[Check], *, switch_on: str = "", absent: Container[str] = ()) -> Verdict:
    """Return whether the hooks would work now in any client that is set up, and what to do if not.

    `switch_on`: what switches them on again; empty if they are on. `absent`: the clients that are not on PATH.
    """
    if broken := sum(check.status == BROKEN for check in checks):
        things = "1 thing above is" if broken == 1 else f"{broken} things above are"
        return Verdict(BROKEN, f"It would not work now as it should: {things} broken.")
    if switch_on:
        return Verdict(TODO, f"It would do nothing now, for it is switched off. To switch it on: {switch_on}")
    found = {check.client: set[str]() for check in checks if check.client}
    for check in checks:
        if check.client:
            found[check.client].add(check.status)
    waiting = [client for client, statuses in found.items() if TODO in statuses]
    ready = [client for client, statuses in found.items() if not statuses & {TODO, UNSET}]
    if ready:
        also = f" Not yet in {_todo(checks, waiting)}" if waiting else ""
        return Verdict(OK, f"It would work now in {_named(ready, absent)}.{also}")
    if waiting:
        return Verdict(TODO, f"It would not work yet. To do in {_todo(checks, waiting)}")
    unset = [check.todo for check in checks if check.status == UNSET]
    todo = "rcs setup --skills" if found else next(iter(unset), "rcs setup --skills")
    return Verdict(UNSET, f"Nothing is set up here yet. To do: {todo}")


def _todo(checks: Sequence[Check], clients: Sequence[str]) -> str:
    """Return what a person has to do in each of these clients."""
    parts = []
    for client in clients:
        todo = dict.fromkeys(each.todo for each in checks if each.client == client and each.status == TODO)
        parts.append(f"{CLIENTS[client].title}: {', then '.join(todo)}")
    return "; in ".join(parts)


def _named(clients: Sequence[str], absent: Container[str]) -> str:
    return " and ".join(
        f"{CLIENTS[client].title} (`{client}` is not on PATH here)" if client in absent else CLIENTS[client].title
        for client in clients
    )
