"""Defines `Fault`: one thing that is wrong with the declaration of a mode."""

from rcs_hooks.tuples import NamedTuple


class Fault(NamedTuple):
    """What is wrong with a declaration, in one sentence, and the line; 0 for the whole file."""

    file: str
    line: int
    problem: str

    @property
    def sentence(self) -> str:
        """Return the fault with its place, as `FILE:LINE: what is wrong`."""
        return f"{self.file}:{self.line}: {self.problem}" if self.line else f"{self.file}: {self.problem}"
