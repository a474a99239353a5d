"""How much room words take in a picture, and how they break into lines; without a font, so wide rather than narrow."""

from __future__ import annotations

import unicodedata

NARROW, BROAD = frozenset("fijlrtI.,:;'|!()[]{}/` "), frozenset("mwMW@%—…")
BREAKS = ("<br/>", "<br />", "<br>", "\\n")
ELLIPSIS = "…"


def width(text: str, size: float) -> float:
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
    """At most so many lines, each at most so wide; what is left out is shown by an ellipsis."""
    for mark in BREAKS:
        text = text.replace(mark, "\n")
    done: list[str] = []
    for part in text.split("\n"):
        done += _wrapped(part, size, widest, most + 1 - len(done))
        if len(done) > most:
            return (*done[: most - 1], shortened(done[most - 1] + ELLIPSIS, size, widest))
    return tuple(done)


def _wrapped(text: str, size: float, widest: float, most: int) -> list[str]:
    """Each line takes the words that fit; of a word that fits nowhere as many letters as do."""
    done: list[str] = []
    line = ""
    for word in text.split():
        if line and width(f"{line} {word}", size) > widest:
            done.append(line)
            line = ""
        while width(word, size) > widest and len(done) < most:
            fits = _fits(word, size, widest)
            done.append(word[:fits])
            word = word[fits:]  # noqa: PLW2901
        if len(done) >= most:
            return done
        line = f"{line} {word}" if line else word
    return [*done, line] if line else done


def _fits(word: str, size: float, widest: float) -> int:
    """How many letters of a word that is too wide: up to a joint in its second half, if there is one."""
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
    """One line; its end is left out where it does not fit."""
    if width(text, size) <= widest:
        return text
    room, kept = widest / size - _width(ELLIPSIS), []
    for char in text:
        room -= _width(char)
        if room < 0:
            break
        kept.append(char)
    return "".join(kept).rstrip(ELLIPSIS) + ELLIPSIS
