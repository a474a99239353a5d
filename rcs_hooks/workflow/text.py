"""Text of unknown origin: bounded, on one line, and without anything that a terminal or a model could stumble over."""

from __future__ import annotations

WORD_LENGTH = 40
MOST_WORDS = 3


def cut(text: str, limit: int) -> str:
    """The first `limit` characters, or a few fewer: what a person sees as one letter is not cut in two."""
    if len(text) <= limit or text[: limit + 1].isascii():
        return text[:limit]
    import regex  # 11 ms, for the rare text that is both long and not ASCII

    end = 0
    for letter in regex.finditer(r"\X", text[: limit + 1]):
        if letter.end() > limit:
            break
        end = letter.end()
    return text[: end or limit]


def clean(value: object, limit: int = WORD_LENGTH) -> str:
    """On one line, without control and format characters, bounded."""
    text = value if isinstance(value, str) else ""
    shown = " ".join("".join(_shown(char) for char in text[: limit * 4]).split())
    return shown if len(shown) <= limit else cut(shown, limit - 1).rstrip() + "…"


def _shown(char: str) -> str:
    """A quotation mark is softened, so that a quotation cannot be left; what has no picture of its own is left out."""
    if char == '"':
        return "'"
    if "\ufe00" <= char <= "\ufe0f" or "\U000e0100" <= char <= "\U000e01ef":
        return ""
    return char if char.isprintable() else " "


def word(value: object) -> str:
    """A phase or the like, held to what such a word is made of: a cloned repository can bring its own."""
    kept = "".join(char for char in clean(value) if char.isalnum() or char in " _-./:…").split()
    more = "…" if len(kept) > MOST_WORDS else ""
    return "-".join(kept[:MOST_WORDS]) + more if kept else "unknown"
