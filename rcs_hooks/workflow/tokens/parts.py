"""Tells which part of a block that is only mentioned is directed all the same: `not $team, $forge`.

Loaded only for a mentioned block of several tokens.
"""

from __future__ import annotations

from itertools import pairwise

from rcs_hooks.workflow.tokens import lexicon
from rcs_hooks.workflow.tokens.clause import PLAIN, REACH, clause_after, line_before, parse_clause
from rcs_hooks.workflow.tokens.mentions import why_a_subject

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from rcs_hooks.workflow.tokens.scan import Token


def directed_from(text: str, block: Sequence[Token]) -> int:
    """Return the index of the first token that is directed in a mentioned block; the length of the block if none is.

    That is what follows its last comma or line end, where an object or work to do follows in turn.
    """
    gaps = [text[before.end : after.start] for before, after in pairwise(block)]
    if ["," in gap for gap in gaps] == [True] and _rules_out_first(text, block[0].start, block[-1].end):
        return 1
    cut = next((at for at in range(len(gaps), 0, -1) if "," in gaps[at - 1] or "\n" in gaps[at - 1]), len(block))
    return cut if cut < len(block) and _is_opening(text, block[-1].end) else len(block)


def _rules_out_first(text: str, start: int, end: int) -> bool:
    """Tell whether the block of two tokens at `start:end` is `not $a, $b`, which asks for the second."""
    line, lead = line_before(text, start)
    clause, leads = parse_clause(line, lead, text[end : end + REACH].translate(PLAIN))
    words = [*leads, *clause.prior, *clause.words]
    return words[-1:] == ["not"] and lexicon.CORRECTIONS.issuperset(words[:-1]) and clause.closes and not clause.asks


def _is_opening(text: str, end: int) -> bool:
    """Tell whether the tokens that end at `end` would be directed if nothing stood before them: `$forge it`.

    What follows has to begin with an object or with work to do: `$forge fix the login`.
    """
    clause = clause_after(text, end)
    return clause.has_object and why_a_subject(clause) is None
