"""Fits the lines of a message into its limit, by shortening first what matters least.

A command is either shown whole or not at all: a part of one cannot be pasted.
"""

from __future__ import annotations

from rcs_hooks.tuples import NamedTuple
from rcs_hooks.workflow.messages.shared import fit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

KEEP, LAST, LATE, LATER, SOONER, FIRST = range(6)
"""When a line is shortened: never, or after, or before, the others."""


class Line(NamedTuple):
    """A line, or a few that belong together, in one form or several: the longest first, and empty to leave it out."""

    forms: tuple[str, ...]
    when: int = KEEP
    last_step: int = KEEP
    """When the step to the shortest form is taken; `KEEP`: when the others are."""

    @classmethod
    def of(cls, *forms: str, when: int = KEEP, last_step: int = KEEP) -> Line:
        return cls(forms, when, last_step)

    def when_after(self, taken: int) -> int:
        """Return when the line is shortened next, `taken` steps having been taken; `KEEP` if it has no shorter form."""
        if taken + 1 >= len(self.forms):
            return KEEP
        return self.last_step if self.last_step and taken + 2 == len(self.forms) else self.when


def fit_lines(lines: Iterable[Line], limit: int) -> str:
    """Join the lines, shortened one after another until they fit in `limit` characters; of equals, the last first."""
    shown = [line for line in lines if any(line.forms)]
    taken = [0] * len(shown)
    while len(text := _joined(shown, taken)) > limit:
        when, at = max((line.when_after(taken[at]), at) for at, line in enumerate(shown))
        if when == KEEP:
            return fit(text.splitlines(), limit)
        taken[at] += 1
    return text


def _joined(lines: list[Line], taken: list[int]) -> str:
    return "\n".join(form for line, at in zip(lines, taken, strict=True) if (form := line.forms[at]))
