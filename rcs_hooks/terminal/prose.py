"""Wraps sentences in which there is something to type: a command, a prompt, and what is in backticks stay whole."""

from __future__ import annotations

import re

from rcs_hooks.terminal.width import wrapped

HELD = "\ue000"
"""Stands for a blank where no line may end."""
COMMAND = re.compile(r"`[^`]+`|(?:^|(?<=(?::|>) ))(?:(?:\S*/)?rcs|\$[a-z]+)(?: [^\s,;]+)+")


def lines(text: str, width: int | None) -> list[str]:
    """Return a text in lines of so many cells, with its commands whole; None: in one line."""
    if width is None:
        return [text]
    held = COMMAND.sub(lambda found: found[0].replace(" ", HELD), text)
    return [line.replace(HELD, " ") for line in wrapped(held, width)]
