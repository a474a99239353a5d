"""Finds the word that was probably meant by a mistyped one, and never offers one that does the opposite."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

OPPOSITES = (
    ("setup", "uninstall"),
    ("on", "off"),
    ("accept", "revert"),
    ("apply", "strip"),
    ("--active", "--inactive"),
)
NEGATING = ("un", "in", "de", "dis", "no")
NEAR_ENOUGH, SHORT_ENOUGH = 0.7, 0.6
SAME = 0.9
AS_BEGUN, IN_PART = 0.9, 0.95
MARGIN, SHORT_MARGIN = 0.1, 0.25
SHORT, LONGEST = 3, 100


def nearest(typed: str, known: Iterable[str], other_names: Mapping[str, str] | None = None) -> str | None:
    """Return what was probably meant by a word: one of `known`; None if nothing is near, or its opposite is as near.

    `other_names`: words that people type for what has another name here; the meaning of one need not be in `known`.
    """
    word = typed.strip().lower()
    if len(word) > LONGEST:
        return None
    spelled = {name: name for name in known} | dict(other_names or {})
    if word in spelled:
        return spelled[word]
    scores: dict[str, float] = {}
    barred = 0.0
    for spelling, meant in spelled.items():
        if _is_negated(word, spelling) or _is_negated(spelling, word):
            barred = max(barred, _likeness(word, spelling))
        else:
            scores[meant] = max(scores.get(meant, 0.0), _score(word, spelling))
    best = max(scores, key=lambda name: scores[name], default="")
    enough, margin = (SHORT_ENOUGH, SHORT_MARGIN) if len(word) <= SHORT else (NEAR_ENOUGH, MARGIN)
    if not best or scores[best] < enough:
        return None
    others = [barred, *(scores.get(other, 0.0) for other in _opposites(best))]
    return None if max(others) > scores[best] - margin else best


def _opposites(name: str) -> list[str]:
    return [two if one == name else one for one, two in OPPOSITES if name in (one, two)]


def _score(word: str, name: str) -> float:
    """Return how near a word is to a name, from 0 to 1: to the whole of it, to its beginning, or to a part of it."""
    if len(word.lstrip("-")) > 1 and name.startswith(word):
        return AS_BEGUN + (1 - AS_BEGUN) * _likeness(word, name)
    parts = name.lstrip("-").split("-") if len(word) >= SHORT else []
    return max(_likeness(word, name), *(IN_PART * _likeness(word, part) for part in parts), 0.0)


def _is_negated(one: str, other: str) -> bool:
    """Tell whether one word is the other with a beginning that turns its meaning round, as in `uninstall`."""
    return any(
        one.startswith(start) and not other.startswith(start) and _likeness(one[len(start) :], other) >= SAME
        for start in NEGATING
    )


def _likeness(one: str, other: str) -> float:
    from difflib import SequenceMatcher

    return SequenceMatcher(None, one, other).ratio()
