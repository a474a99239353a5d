"""Values of rows that other machines have written, made into what may be shown: bounded, cleaned, of the right type.

A row that is plain as a whole, which nearly all are, costs one look. Pure.
"""

from __future__ import annotations

from rcs_hooks.overview.records import moment
from rcs_hooks.state.history import text_of

LONGEST_WORD, LONGEST_TEXT = 400, 1_000
MOST_LINES = 50
SHAPE = "0000-00-00T00:00:00.000Z"
DIGITS = str.maketrans("123456789", "000000000")
NEVER = "1970-01-01T00:00:00.000Z"


def is_plain(*values: str | None) -> bool:
    """Tell whether texts together are short, and nothing in them has to be cleaned."""
    text = "".join(filter(None, values))
    return len(text) <= LONGEST_WORD and text.isascii() and text.isprintable() and '"' not in text


def word(value: object) -> str:
    """Return a name; empty if it is no text."""
    return text_of(value, LONGEST_WORD)


def text(value: object) -> str | None:
    """Return a text; None for none, and for one with nothing in it."""
    return text_of(value, LONGEST_TEXT) or None if value is not None else None


def lines(value: object) -> str | None:
    """Return a text of several lines with each of them cleaned; None for none."""
    return "\n".join(map(word, value.split("\n")[:MOST_LINES])) if isinstance(value, str) else None


def exact(value: object) -> str:
    """Return a moment as our clock writes it; the beginning of all time for anything else."""
    if isinstance(value, str) and len(value) == len(SHAPE) and value.translate(DIGITS) == SHAPE:
        return value
    return moment(value) or NEVER
