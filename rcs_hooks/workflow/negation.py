"""Whether a token is negated in its own clause: `do not use $team`, `without $forge`.

A negation reaches the token directly, over small words and other tokens (`never the $team or $forge`), or
through a verb of use that stands right before it (`do not, ever, in this repository run $team`). It does not
reach it over another matter: in `the tests don't pass $forge fix them` nobody forbids the forge.
"""

from __future__ import annotations

import re

REACH = 200
"""How many characters of a clause are looked at on either side: a bound on the work."""

CLAUSE_END = re.compile(
    r"""[.;!?…—–](?=[\s"')\]]|$) | [\n，。；！？、：] | ,(?!\s*\$[A-Za-z]) | :(?=\s*\S)
      | \b(?:but|then|however|so|instead(?!\s+of)|and\s+(?:then|use|run|start|do)|sondern|aber|mais|pero)\b
      | \$[\w:-]+\s+(?:use|run|start|try)\b""",
    re.VERBOSE | re.IGNORECASE,
)

NO = r"""(?:
    \b(?:do|does|did|is|are|was|were|has|have|had|can|could|should|would|must|need|may|might|wo|ca|ai)
        (?:n['’]?t|\s+not)
  | \b(?:not|never|no|nor|neither|none|nobody|cannot|without|except|avoid(?:ing|s)?|refrain\s+from|skip(?:ping)?
      |stop|disable|ignore|exclude|instead\s+of|rather\s+than|other\s+than
      |nicht|kein\w{0,2}|ohne|niemals|sans|jamais|pas|sin|nunca|senza|sem|não|не|без)
)\b | (?:不要|别|別|勿|不用)"""
USE = r"""(?:us(?:e|es|ed|ing)|run(?:s|ning)?|start(?:s|ed|ing)?|invok(?:e|es|ed|ing)|activat(?:e|es|ed|ing)
  |call(?:s|ed|ing)?|launch(?:ing)?|trigger(?:ing)?|enabl(?:e|ing)|try(?:ing)?|want(?:s|ed)?|need(?:s|ed)?
  |think|believe|say|mention|choose|pick|apply|begin|go|switch|nutzen?|verwenden?|utilis(?:er|ez|e)|uses|usar|используй|使用|用)"""
SMALL = r"""(?:the|an?|any|my|your|our|this|that|these|it|its|to|for|of|in|on|with|by|either|both|or|and|nor
  |have|has|going|supposed|ever|yet|now|again
  |please|really|even|just|about|be|skills?|modes?|workflows?|tokens?|commands?|mit|den|die|das|le|la|el|il)"""
GAP = r"[\s,(*]"

NEGATED = re.compile(
    rf"(?:{NO})(?:.*?(?:\b|(?<=\s)){USE})?(?:{GAP}+(?:(?:{SMALL}|{USE})\b|\$[\w:-]+))*+{GAP}*\Z",
    re.VERBOSE | re.IGNORECASE | re.DOTALL,
)
AFFIRMED = re.compile(
    r"(?:n['’]?t|\bnot|\bnever)\s+(?:forget|hesitate|fail|neglect|only|just)\b|\bwhy\s+(?:not|don['’]?t)\b",
    re.IGNORECASE,
)
DENIED_AFTER = re.compile(
    r"""\s+(?:(?:is|are|was|were|does|did|has|had)(?:n['’]?t|\s+not|\s+never)
      | (?:should|must|can|could|may|will|would|shall|might)(?:n['’]?t|\s*not|\s+never)\s+be | never)\b""",
    re.VERBOSE | re.IGNORECASE,
)


LIST_GOES_ON = re.compile(r"\s*(?:,?\s*(?:or|nor|and)\s+\$|[.;!?]|\Z)")


def negated_until(text: str, start: int, end: int) -> int:
    """How far the block of tokens at `start:end` is negated: `start` if not at all, `end` if wholly.

    What stands before the block reaches its first tokens. A comma ends that clause (`not $team, $forge it`),
    unless the block is a list that goes on (`do not use $team, $forge or $blueprint`) or ends its sentence.
    """
    if DENIED_AFTER.match(text, end):
        return end
    before = text[max(0, start - REACH) : start]
    ends = [match.end() for match in CLAUSE_END.finditer(before.rstrip(" \t:"))]
    clause = before[ends[-1] :] if ends else before
    if not NEGATED.search(clause) or AFFIRMED.search(clause):
        return start
    cuts = (text.find(cut, start, end) for cut in ("\n" if LIST_GOES_ON.match(text, end) else "\n,"))
    return min((cut for cut in cuts if cut >= 0), default=end)
