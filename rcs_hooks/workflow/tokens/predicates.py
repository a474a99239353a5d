"""Tells whether the words right after a block of `$tokens` say what it is or did: `$forge failed`, `$forge rocks`.

These functions read English, and in other languages the verbs that `lexicon.py` lists. `reports.py` reads the verbs of
other languages by their endings.
"""

from __future__ import annotations

from itertools import takewhile

from rcs_hooks.workflow.tokens import lexicon
from rcs_hooks.workflow.tokens.clause import first_items, is_mark, match_phrase


def complains(after: list[str]) -> bool:
    """Tell whether the words after a block that begins its clause judge the block, or report what it did."""
    first, second, third = first_items(after, 3)
    if first in lexicon.JUDGED:
        return is_small(second)
    if first in lexicon.COMPLAINTS:
        return not second or is_mark(second) or second in lexicon.REPORTS
    if (second, third) == ("not", "found") or (first == "no" and second in lexicon.PREDICATES):
        return True
    if first == "se" or (first == "no" and second in lexicon.REFLEXIVES):
        return True
    if first.endswith(lexicon.VERB_ENDINGS) or (is_past(first) and second.isdigit()):
        return True
    clause = list(takewhile(lambda word: not is_mark(word), after))
    if first in lexicon.CLAIMED or (is_past(first) and (lexicon.UNDOES & set(after) or _is_regretted(after, clause))):
        return True
    if is_past(first) and not first.startswith("un") and len(clause) == 2 and not _is_plural(second):
        return True  # `reported success` tells; a plural is what to work on: `nested routes`
    return first.endswith("t") and clause[-1] in lexicon.SEPARABLE


def _is_regretted(after: list[str], clause: list[str]) -> bool:
    """Tell whether what the block did was a mistake: `merged branches too early`, `committed secrets, help`.

    `after`: all words after the block. `clause`: those of its own clause.
    """
    cry, then = first_items(after[len(clause) + 1 :], 2)
    is_cry = cry in lexicon.CRIES and (not then or is_mark(then) or then in lexicon.TAIL)
    return is_cry or bool(match_phrase(clause[1:], lexicon.REGRETS, at_end=True))


def is_predicate(first: str, second: str, *, asks: bool = False) -> bool:
    if first in lexicon.UNSURE:
        return (
            second in lexicon.UNSURE[first]
            or (first == "это" and second.isalpha())
            or (first == "a" and second.endswith("é"))
        )
    if asks and first in lexicon.DOES:
        return second not in lexicon.DETERMINERS and second not in lexicon.SUBJECTS
    if first in lexicon.FINITE_PAST or (first[-1:] == "s" and first[:-1] in lexicon.BECOMES):
        return True
    is_verb = first.endswith("s") and len(first) > 3 and first[-2] not in "s'" and first not in lexicon.NOUNS
    if is_verb and (second in lexicon.OBJECTS - lexicon.FRENCH_OBJECTS or second in lexicon.AFTER_A_VERB):
        return True
    return first in lexicon.PREDICATES or (is_past(first) and (is_small(second) or second in lexicon.QUANTITIES))


def is_past(word: str) -> bool:
    """Tell whether a word is a past tense or participle, by its English ending or by `lexicon.PAST`."""
    word = word.removeprefix("over").removeprefix("re")
    return word in lexicon.PAST or (len(word) > 4 and word.endswith("ed") and not word.endswith("eed"))


def _is_plural(word: str) -> bool:
    return word.endswith("s") and not word.endswith("ss")


def is_small(word: str) -> bool:
    return (
        not word
        or is_mark(word)
        or word in lexicon.SMALL
        or word in lexicon.PREPOSITIONS
        or word in lexicon.PARTICLES
        or word in lexicon.PAST_TIME | lexicon.TAIL
    )
