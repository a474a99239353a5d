"""Makes text of unknown origin safe to show: bounded, on one line, without control characters or quotation marks."""

from __future__ import annotations

WORD_LENGTH = 40
MOST_WORDS = 3
LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
UNQUOTED = frozenset(f"{LETTERS}@%+=:,./-_")
IN_WORDS = frozenset(f"{LETTERS} _-./:…")
LOST = "\ufffd"
"""The replacement character: it is stored in place of what cannot be printed, and people are shown a blank."""

JOINER = "\u200d"
"""The zero width joiner, of which a family or a profession in one emoji is made."""
SELECTOR = "\ufe0f"
ARROW = "\u2194"
"""The one sign that is no symbol by its category and may follow a joiner."""


def is_printable(text: str) -> bool:
    """Tell whether a text is printable, as `str.isprintable` does, but with joiners within emoji."""
    return text.isprintable() or (
        JOINER in text and all(char.isprintable() or joins(text, at) for at, char in enumerate(text))
    )


def printable(text: str, instead: str) -> str:
    """Return a text with something in place of each character that is not printable; joiners within emoji stay."""
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() or joins(text, at) else instead for at, char in enumerate(text))


def joins(text: str, at: int) -> bool:
    """Tell whether the character at this offset joins two emoji into one."""
    if text[at] != JOINER:
        return False
    before, after = text[:at].removesuffix(SELECTOR)[-1:], text[at + 1 : at + 2]
    return (is_symbol(before) or is_skin_tone(before)) and (is_symbol(after) or after == ARROW)


def is_symbol(char: str) -> bool:
    """Tell whether a character may be an emoji, by its category; false for an empty text."""
    import unicodedata

    return char != "" and unicodedata.category(char) == "So"


def is_skin_tone(char: str) -> bool:
    """Tell whether a character gives the emoji before it a colour of skin."""
    return "\U0001f3fb" <= char <= "\U0001f3ff"


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
