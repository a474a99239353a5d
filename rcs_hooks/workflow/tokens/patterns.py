"""Regular expressions that are compiled when they are first used.

A prompt needs some of them, and to compile them all takes longer than the rest of a hook.
"""

from __future__ import annotations

import re

METHODS = ("finditer", "fullmatch", "match", "search", "split")


class LazyPattern:
    """A pattern that is compiled at its first use; from then on, its methods are those of the compiled pattern."""

    __slots__ = ("_flags", "_source", *METHODS)

    def __init__(self, source: str, flags: int) -> None:
        self._source = source
        self._flags = flags

    def __getattr__(self, name: str) -> object:
        """Compile the pattern, and return the attribute of the compiled one; called for a slot without a value."""
        compiled = re.compile(self._source, self._flags)
        for method in METHODS:
            setattr(self, method, getattr(compiled, method))
        return getattr(compiled, name)


def pattern(source: str, flags: int = 0) -> re.Pattern[str]:
    """Return a pattern as `re.compile` does, but one that is compiled at its first use."""
    return LazyPattern(source, flags)  # type: ignore[return-value]  # it has all that is used of one
