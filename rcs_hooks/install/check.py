"""One line of what `rcs doctor` says."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from rcs_hooks.errors import RcsError
from rcs_hooks.hook.failures import words

if TYPE_CHECKING:
    from collections.abc import Iterator

OK, NOTE, WARN, BROKEN = "ok", "note", "warn", "broken"
WORST_FIRST = (BROKEN, WARN, NOTE, OK)


class Check(NamedTuple):
    what: str
    status: str
    found: str
    todo: str = ""


def guarded(what: str, checks: Iterator[Check]) -> Iterator[Check]:
    """What one group cannot look at must not keep the others from being said."""
    try:
        yield from checks
    except (OSError, RcsError) as error:
        yield Check(what, BROKEN, words(error), "mend that by hand")


def at_most(most: int, checks: list[Check]) -> Iterator[Check]:
    """The worst first; a repository may hold thousands of the kind."""
    checks = sorted(checks, key=lambda check: WORST_FIRST.index(check.status))
    yield from checks[:most]
    if rest := checks[most:]:
        yield Check(rest[0].what, rest[0].status, f"{len(rest)} more of the kind")
