"""How many cells of a terminal a text takes, how it is wrapped, and how many columns there are."""

from __future__ import annotations

import os

from rcs_hooks.text import JOINER, is_skin_tone, is_symbol, joins

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import TextIO

NARROWEST, WIDEST, USUAL = 20, 1_000, 80
WIDE = ("W", "F")
WITHOUT_CELL = ("Mn", "Me", "Cf")
ELLIPSIS = "…"


def of(stream: TextIO | None, env: Mapping[str, str]) -> int | None:
    """Return the columns of the terminal that a stream is; None if it is none, so that nothing bounds a line.

    COLUMNS goes before what the terminal says; where neither says anything, there are 80.
    """
    if stream is None or not stream.isatty():
        return None
    wanted = env.get("COLUMNS", "")
    found = int(wanted) if wanted.isascii() and wanted.isdigit() and len(wanted) < 5 else 0
    if not found:
        try:
            found = os.get_terminal_size(stream.fileno()).columns
        except (OSError, ValueError):
            found = 0
    return max(NARROWEST, min(found or USUAL, WIDEST))


def of_help() -> int:
    """Return the columns that a help or another text is wrapped to, also where stdout is no terminal."""
    import shutil

    return max(NARROWEST, min(shutil.get_terminal_size().columns, WIDEST))


def cells(text: str) -> int:
    """Return how many cells a text takes: two for a wide letter or an emoji, none for an accent that is added.

    Emoji that are joined are one, and a colour of skin is no emoji of its own, as terminals show them today.
    """
    return len(text) if text.isascii() else sum(_cells_of(text))


def _cells_of(text: str) -> list[int]:
    """Return how many cells each character of a text takes."""
    each = [_cells(char) for char in text]
    first = 0
    for at in range(1, len(text)):
        if joins(text, at - 1):
            each[at] = 2 - min(2, sum(each[first:at]))
        elif is_skin_tone(text[at]) and is_symbol(text[at - 1]):
            each[at] = 0
        elif each[at]:
            first = at
    return each


def _cells(char: str) -> int:
    import unicodedata

    if char.isascii():
        return 1
    if unicodedata.category(char) in WITHOUT_CELL:
        return 0
    return 2 if unicodedata.east_asian_width(char) in WIDE else 1


def cut(text: str, width: int) -> str:
    """Return a text of at most so many cells, for a line that must not be wrapped; an ellipsis says that it was cut."""
    if cells(text) <= width:
        return text
    room, end = width - 1, 0
    for each in _cells_of(text):
        room -= each
        if room < 0:
            break
        end += 1
    return (text[:end].rstrip().rstrip(JOINER) + ELLIPSIS) if width > 0 else ""


def wrapped(text: str, width: int) -> list[str]:
    """Break a text into lines at blanks. A word that is wider than a line stays whole, on a line of its own.

    Only scripts that are written without blanks are broken between two letters.
    """
    lines: list[str] = []
    line, used = "", 0
    for blank, word in _words(text, width):
        size = cells(word)
        if line and used + len(blank) + size > width:
            lines.append(line)
            line, used = word, size
        else:
            line, used = (line + blank + word, used + len(blank) + size) if line else (word, size)
    return [*lines, line] if line else lines


def _words(text: str, width: int) -> Iterator[tuple[str, str]]:
    """Yield the words of a text, each with what stands before it: a blank, or nothing between two wide letters."""
    for word in text.split():
        if word.isascii() or cells(word) <= width:
            yield " ", word
            continue
        before, piece = " ", ""
        for char in word:
            if piece and _cells(char) and 2 in (_cells(char), _cells(piece[-1])) and char.isalnum():
                yield before, piece
                before, piece = "", ""
            piece += char
        yield before, piece
