"""What a prompt says to the questions that a run waits on."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

BESIDE = " \t\r\n.,;:!()[]#'\"`*"
"""What people type around a short reply: `2.`, `(b)`, "yes!"."""

EARLY, ONLY_NAMES = "early", "only names"
"""Why a prompt is no answer: typed before the question could be seen; it names skills and says nothing else."""


class Reply(NamedTuple):
    """A question that a prompt has answered. Without its text, only the wait is known."""

    modes: tuple[str, ...]
    question: str = ""
    options: tuple[str, ...] = ()
    chosen: str = ""
    """The option that was meant; empty for an answer in other words."""


class StillOpen(NamedTuple):
    """A question that a prompt could not answer."""

    modes: tuple[str, ...]
    question: str
    why: str


def option_meant(options: Sequence[str], words: str) -> str | None:
    """The option that a reply names: in full, by its number, or by first letters that no other option has."""
    wanted = _folded(words)
    if not wanted:
        return None
    whole = [option for option in options if _folded(option) == wanted]
    if whole:
        return whole[0]
    meant = [option for option in options if _folded(option).startswith(wanted)]
    if wanted.isascii() and wanted.isdigit() and len(wanted) <= 2 and 1 <= int(wanted) <= len(options):
        meant.append(options[int(wanted) - 1])
    return meant[0] if len(set(meant)) == 1 else None


def _folded(text: str) -> str:
    return " ".join(text.strip(BESIDE).casefold().split())
