"""Defines `Fault`: one thing in a file of the person's that is not understood, and where it is."""

from rcs_hooks.tuples import NamedTuple


class Fault(NamedTuple):
    """What is wrong in a file, in one sentence. No text of it is cleaned."""

    file: str
    """The path of the file, or the name of a variable."""
    line: int
    """0 if it is not about one line."""
    problem: str

    @property
    def sentence(self) -> str:
        """Return the fault with its place, as `FILE:LINE: what is wrong`."""
        return f"{self.file}:{self.line}: {self.problem}" if self.line else f"{self.file}: {self.problem}"
