"""Wraps sentences in which there is something to type: a command, a prompt, and what is in backticks stay whole."""

from __future__ import annotations

import re

from rcs_hooks.terminal.width import cells, wrapped

HELD = "\ue000"
"""Stands for a blank where no line may end."""
COMMAND = re.compile(r"`[^`]+`|(?:^|(?<=(?::|>) ))(?:(?:\S*/)?rcs|\$[a-z]+)(?: [^\s,;]+)+")

CODE = re.compile(r"(?:[^\s`]*`[^`]+`)+[^\s`]*")


def lines(text: str, width: int | None) -> list[str]:
    """Return a text in lines of so many cells, with its commands whole; None: in one line."""
    if width is None:
        return [text]
    held = COMMAND.sub(lambda found: found[0].replace(" ", HELD), text)
    return [line.replace(HELD, " ") for line in wrapped(held, width)]


def wrapped_around_code(text: str, width: int) -> list[str]:
    """Return a text in lines of so many cells; what is in backticks stays whole where a line has room for it."""
    if "`" not in text:
        return wrapped(text, width)
    return [line.replace(HELD, " ") for line in wrapped(CODE.sub(lambda found: _held(found[0], width), text), width)]


def _held(code: str, width: int) -> str:
    return code.replace(" ", HELD) if cells(code) <= width else code
