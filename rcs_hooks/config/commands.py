"""Tells whether a command that was run is the one that the settings name."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from rcs_hooks.text import clean

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rcs_hooks.config.values import ProofSettings

SHELLS = ("sh", "/bin/sh")
SHOWN = 200
TO_TRUST = "a person who has looked at it types: rcs config trust"
SPECIAL = frozenset("|&;<>()$`\\*?[]#~%!{}\n\r")
"""What a shell may read as more than a letter, outside single quotes."""


def proves(settings: ProofSettings, argv: Sequence[str]) -> bool:
    """Tell whether a command with these words is the one that the settings name; any is, if they name none.

    It may be run by `sh -c` as it is written; or word by word, if a shell would do nothing but run those words. While
    the settings are in doubt, no command is the one.
    """
    if settings.command is None or settings.in_doubt:
        return not settings.in_doubt
    if len(argv) == 3 and argv[0] in SHELLS and argv[1] == "-c":
        return argv[2] == settings.command
    words = _plain_words(settings.command)
    return words is not None and list(argv) == words


def why_no_proof(settings: ProofSettings, argv: Sequence[str], folder: str, root: str) -> str:
    """Return why a command proves nothing, whatever comes of it: `rcs.toml names …`; empty if it may prove something.

    `folder`: where it runs, relative to the workspace `root`; empty if there.
    """
    if settings.in_doubt:
        return f"{settings.in_doubt}; {TO_TRUST}"
    is_it = proves(settings, argv)
    if settings.command is None or (is_it and not folder):
        return ""
    where = f" in {clean(root, SHOWN)}" if is_it else ""
    return f"{settings.source} names `{clean(settings.command, SHOWN)}`{where}"


def proves_text(settings: ProofSettings, command: str, folder: str = "") -> bool:
    """Tell the same of a command as it is kept with a proof: as one text, in which a shell finds its words.

    `folder`: where it ran, relative to the workspace; that of the settings runs in the workspace itself.
    """
    if settings.command is None or settings.in_doubt:
        return not settings.in_doubt
    if folder or command == settings.command:
        return not folder
    try:
        return proves(settings, shlex.split(command))
    except ValueError:
        return False


def _plain_words(command: str) -> list[str] | None:
    """Return the words of a command; None if a shell would do more with it than to run them."""
    unquoted = "".join(command.split("'")[::2])  # an apostrophe in double quotes is taken for a quote: then None
    if command.count("'") % 2 or SPECIAL & set(unquoted):
        return None
    try:
        words = shlex.split(command)
    except ValueError:
        return None
    return words if words and "=" not in words[0] else None
