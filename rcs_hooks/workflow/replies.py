"""What a prompt says to the questions that a run waits on."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

BESIDE = " \t\r\n.,;:!()[]#'\"`*"
"""What people type around a short reply: `2.`, `(b)`, "yes!"."""

YES_OR_NO = frozenset(
    {
        "y",
        "yes",
        "yeah",
        "yep",
        "n",
        "no",
        "nope",
        "nah",
        "ok",
        "okay",
        "sure",
        "si",
        "sí",
        "oui",
        "non",
        "ja",
        "nein",
        "nee",
        "jo",
        "sim",
        "não",
        "nao",
        "da",
        "net",
        "да",
        "нет",
        "tak",
        "nie",
        "evet",
        "hayır",
        "はい",
        "いいえ",
        "是",
        "不",
        "不是",
        "好",
        "对",
        "네",
        "아니요",
        "예",
    }
)
"""These say yes or no: an option is meant by them only where it begins with such a word itself."""
NUMBERED = frozenset(["option", "number", "choice", "nr", "opción", "opzione", "opção", "opcja", "nummer", "numéro"])
COURTESY = frozenset(["please", "pls", "thanks", "bitte", "danke", "merci", "gracias"])
"""What stands before and behind the number of an option: `option 2`, `2 please`."""

EARLY, ONLY_NAMES, COMMAND = "early", "only names", "command"
"""Why a prompt is no answer: typed before the question could be seen; it names skills and says nothing else; it is a
command of the client."""


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
    wanted = _number_in(wanted)
    meant = [option for option in options if _folded(option).startswith(wanted)]
    if wanted in YES_OR_NO:
        meant = [option for option in meant if _first_word(_folded(option)) in YES_OR_NO]
    if wanted.isascii() and wanted.isdigit() and len(wanted) <= 2 and 1 <= int(wanted) <= len(options):
        meant.append(options[int(wanted) - 1])
    return meant[0] if len(set(meant)) == 1 else None


def is_command(prompt: str) -> bool:
    """Tell whether a prompt is a command of the client, `/model opus`; `/etc/hosts is fine` is none."""
    first = prompt.split(maxsplit=1)[0] if prompt.startswith("/") else ""
    return len(first) > 1 and all(char.isalnum() or char in "-_:" for char in first[1:])


def _number_in(folded: str) -> str:
    """Take away what people put around a number; other replies stay as they are."""
    words = [word.strip(BESIDE) for word in folded.split()]
    rest = words[1:] if words[0] in NUMBERED else words
    rest = rest[:-1] if len(rest) > 1 and rest[-1] in COURTESY else rest
    return rest[0] if len(rest) == 1 and rest[0].isascii() and rest[0].isdigit() else folded


def _first_word(folded: str) -> str:
    return folded.split(maxsplit=1)[0].strip(BESIDE) if folded else ""


def _folded(text: str) -> str:
    return " ".join(text.strip(BESIDE).casefold().split())
