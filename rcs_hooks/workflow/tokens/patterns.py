"""Regular expressions that are compiled when they are first used.

A prompt in plain words needs none of them, and to load `re` and compile them takes as long as the rest of a hook. So
whoever has a pattern first looks for a character without which it matches nothing. Flags are in the pattern: `(?x)`.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re

METHODS = ("finditer", "fullmatch", "match", "search", "split")


class LazyPattern:
    """A pattern that is compiled at its first use; from then on, its methods are those of the compiled pattern."""

    __slots__ = ("_source", *METHODS)

    def __init__(self, source: str) -> None:
        self._source = source

    def __getattr__(self, name: str) -> object:
        """Compile the pattern, and return the attribute of the compiled one; called for a slot without a value."""
        import re

        compiled = re.compile(self._source)
        for method in METHODS:
            setattr(self, method, getattr(compiled, method))
        return getattr(compiled, name)


def pattern(source: str) -> re.Pattern[str]:
    """Return a pattern as `re.compile` does, but one that is compiled at its first use."""
    return LazyPattern(source)  # type: ignore[return-value]  # it has all that is used of one
