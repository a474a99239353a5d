"""Finds the word that was probably meant by a mistyped one, and never offers one that does the opposite."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

OPPOSITES = (
    ("setup", "uninstall"),
    ("on", "off"),
    ("accept", "revert"),
    ("apply", "strip"),
    ("--active", "--inactive"),
)
NEGATING = ("un", "in", "de", "dis", "no")
NEAR_ENOUGH, SHORT_ENOUGH = 0.7, 0.6
SAME = 0.8
AS_BEGUN, IN_PART = 0.9, 0.95
MARGIN, SHORT_MARGIN = 0.1, 0.25
SHORT, LONGEST = 3, 100


def nearest(typed: str, known: Iterable[str]) -> str | None:
    """Return what was probably meant by a word: one of `known`; None if nothing is near, or its opposite is as near."""
    word = typed.strip().lower()
    if len(word) > LONGEST:
        return None
    scores: dict[str, float] = {}
    barred = 0.0
    for name in known:
        if _is_negated(word, name) or _is_negated(name, word):
            barred = max(barred, _likeness(word, name))
        else:
            scores[name] = _score(word, name)
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
