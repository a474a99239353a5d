"""Groups of checks: one that fails, or that goes on for ever, must not hide the others."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rcs_hooks.clients.check import BROKEN, NOTE, OK, TODO, UNSET, WARN, Check
from rcs_hooks.errors import RcsError
from rcs_hooks.hook.failures import words

if TYPE_CHECKING:
    from collections.abc import Iterator

WORST_FIRST = (BROKEN, TODO, UNSET, WARN, NOTE, OK)


def guarded(what: str, checks: Iterator[Check]) -> Iterator[Check]:
    """Yield the checks of one group; if it raises an error, yield the error as one more check.

    `what`: the group's name.
    """
    try:
        yield from checks
    except (OSError, RcsError) as error:
        yield Check(what, BROKEN, words(error), "fix that by hand")


def at_most(most: int, checks: list[Check]) -> Iterator[Check]:
    """Yield at most `most` checks, the worst first, and one more that counts the rest: there may be thousands."""
    checks = sorted(checks, key=lambda check: WORST_FIRST.index(check.status))
    yield from checks[:most]
    if rest := checks[most:]:
        yield Check(rest[0].what, rest[0].status, f"{len(rest)} more of this kind")
