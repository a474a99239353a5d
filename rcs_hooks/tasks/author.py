"""Say who typed a command: a decision of an agent must not look like one of a person. Pure."""

from __future__ import annotations

from typing import NamedTuple

from rcs_hooks.environment import AGENT, SCRIPT, TERMINAL
from rcs_hooks.text import clean

WORDS = {TERMINAL: "in a terminal", AGENT: "by an agent", SCRIPT: "by a script"}


class Author(NamedTuple):
    """From where a command was typed (a key of `WORDS`), and the user's name; both empty if nobody knows."""

    kind: str = ""
    user: str = ""


NOBODY = Author()


def words_of(kind: object) -> str:
    """Return how people read what an artifact says of its author; a file written by hand may say anything."""
    name = clean(kind)
    return WORDS.get(name) or (f"signed {name}" if name else "unsigned")


def signature(decided_by: object, finished_by: str) -> str:
    """Return who gave a decision, as words; and who took the task to done with it, where that is somebody else.

    A file may be written by hand and signed by anybody, but the move is noted by the program.
    """
    words = words_of(decided_by)
    if not finished_by or finished_by == clean(decided_by):
        return words
    return f"{words}; taken to done {words_of(finished_by)}"
