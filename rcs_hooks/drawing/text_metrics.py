"""The width of text in a picture, and its line breaks. Estimated without a font: rather too wide than too narrow."""

from __future__ import annotations

import unicodedata

NARROW, BROAD = frozenset("fijlrtI.,:;'|!()[]{}/` "), frozenset("mwMW@%—…")
BREAKS = ("<br/>", "<br />", "<br>", "\\n")
ELLIPSIS = "…"


def width(text: str, size: float) -> float:
    """Estimate the width of a text in letters of the given size."""
    return sum(map(_width, text)) * size


def _width(char: str) -> float:
    if char in NARROW:
        return 0.36
    if char in BROAD:
        return 0.95
    if char.isascii():
        return 0.72 if char.isupper() else 0.6
    if unicodedata.combining(char):
        return 0.0
    return 1.1 if unicodedata.east_asian_width(char) in "WFA" else 0.72


def lines(text: str, size: float, widest: float, most: int) -> tuple[str, ...]:
    """Break a text into at most `most` lines, each at most `widest` wide; an ellipsis replaces the rest."""
    for mark in BREAKS:
        text = text.replace(mark, "\n")
    done: list[str] = []
    for part in text.split("\n"):
        done += _wrapped(part, size, widest, most + 1 - len(done))
        if len(done) > most:
            return (*done[: most - 1], shortened(done[most - 1] + ELLIPSIS, size, widest))
    return tuple(done)


def _wrapped(text: str, size: float, widest: float, most: int) -> list[str]:
    """Break a text into lines at blanks; a word wider than a line is divided. Text after `most` lines may be cut."""
    done: list[str] = []
    line = ""
    for word in text.split():
        if line and width(f"{line} {word}", size) > widest:
            done.append(line)
            line = ""
        while width(word, size) > widest and len(done) < most:
            fits = _fits(word, size, widest)
            done.append(word[:fits])
            word = word[fits:]  # noqa: PLW2901 - the rest of the word goes on the next line
        if len(done) >= most:
            return done
        line = f"{line} {word}" if line else word
    return [*done, line] if line else done


def _fits(word: str, size: float, widest: float) -> int:
    """Return how many letters of a too wide word go on a line: up to a `_`, `-` or `.` in its second half, if any."""
    room, count = widest / size, 0
    for char in word:
        room -= _width(char)
        if room < 0:
            break
        count += 1
    count = max(1, count)
    joint = max(word.rfind(char, count // 2, count) for char in "_-.")
    return joint + 1 if joint > 0 else count


def shortened(text: str, size: float, widest: float) -> str:
    """Return a text cut to the width of one line; an ellipsis replaces the rest."""
    if width(text, size) <= widest:
        return text
    room, letters = widest / size - _width(ELLIPSIS), []
    for char in text:
        room -= _width(char)
        if room < 0:
            break
        letters.append(char)
    return "".join(letters).rstrip(ELLIPSIS) + ELLIPSIS
