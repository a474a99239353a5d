"""Makes text of unknown origin safe to show: bounded, on one line, without control characters or quotation marks."""

from __future__ import annotations

WORD_LENGTH = 40
MOST_WORDS = 3
LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
UNQUOTED = frozenset(f"{LETTERS}@%+=:,./-_")
IN_WORDS = frozenset(f"{LETTERS} _-./:…")
LOST = "\ufffd"
"""The replacement character: it is stored in place of what cannot be printed, and people are shown a blank."""


def quoted(text: str) -> str:
    """Quote a text as one word for a shell, as `shlex.quote` does, but without loading `re`."""
    if text and UNQUOTED.issuperset(text):
        return text
    return "'" + text.replace("'", "'\"'\"'") + "'"


def cut(text: str, limit: int) -> str:
    """Return the first `limit` characters, or a few fewer, so that no emoji or letter with accents is cut in two."""
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
    """Return a text on one line, at most `limit` long, without control characters; empty if `value` is no text."""
    text = value if isinstance(value, str) else ""
    text = text[: limit * 4]
    if not (text.isascii() and text.isprintable()) or '"' in text:
        text = "".join(_shown(char) for char in text)
    shown = " ".join(text.split())
    return shown if len(shown) <= limit else cut(shown, limit - 1).rstrip() + "…"


def _shown(char: str) -> str:
    """Return what is shown for a character.

    A double quote, which could end a quotation, becomes a single one; a variation selector is dropped; an unprintable
    character, and what was stored in place of one, becomes a blank.
    """
    if char == '"':
        return "'"
    if "\ufe00" <= char <= "\ufe0f" or "\U000e0100" <= char <= "\U000e01ef":
        return ""
    return char if char.isprintable() and char != LOST else " "


def word(value: object) -> str:
    """Return a phase or the like as a few plain words with hyphens between them; `unknown` if none is left.

    A cloned repository can bring any text.
    """
    text = clean(value)
    if not IN_WORDS.issuperset(text):
        text = "".join(char for char in text if char.isalnum() or char in IN_WORDS)
    words = text.split()
    more = "…" if len(words) > MOST_WORDS else ""
    return "-".join(words[:MOST_WORDS]) + more if words else "unknown"
