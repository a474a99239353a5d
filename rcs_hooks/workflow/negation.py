"""Whether a block of tokens is negated in its own clause: `do not use $team`, `without $forge`.

The clause is walked backwards from the block, word by word:
- Small words, verbs of use and other tokens are stepped over; a negation right before them reaches the block
  (`never the $team or $forge`).
- Once a verb of use was met, a prohibition reaches over other matter too (`do not in this repository run $team`),
  but not out of a condition or a clause with a subject of its own (`if it doesn't work use $team`, `do not
  commit before you use $team`). `the tests don't pass $forge fix them` forbids nothing.
- Two negations are none: `don't skip $team`.
"""

from __future__ import annotations

import re

REACH = 200
"""How many characters of a clause are looked at: a bound on the work."""

CLAUSE_END = re.compile(
    r"""[.;!?…—–](?=[\s"')\]]|\Z) | \n[ \t]*\n | \n[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t] | ^[ \t]*(?:>|`{3}|~{3}).*$
      | [，。；！？、：] | ,(?!\s*\$[A-Za-z]) | :(?=\s*\S) | \$[\w:-]+\s+(?:use|run|start|try)\b
      | \b(?:(?<!anything\ )but|then|however|so|instead(?!\s+of)|and\s+(?:then|use|run|start|do)
          |sondern|aber|mais|pero)\b""",
    re.VERBOSE | re.IGNORECASE | re.MULTILINE,
)
APART = re.compile(
    r"\b(don['’]?t|do\s+not|never|(?:must|should|may|can|could|shall)(?:n['’]t|\s+not))\s*,[^,.;!?\n]{1,60},",
    re.IGNORECASE,
)
"""`do not, under any circumstances, use $team`: what stands between the commas is set apart."""

WORD = re.compile(r"\$[\w:-]+|w/o\b|[^\W\d_][\w'’-]*")


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


USE = _words(
    "use uses used using run runs running start starts started starting invoke invokes invoking activate activates"
    " activating call calls calling launch launching trigger triggering enable enabling try trying want wants need"
    " needs needed think believe say mention choose pick apply begin go switch nutzen nutze verwende verwenden utiliser"
    " utilisez utilise usar uses используй"
)
SMALL = _words(
    "the a an any my your our this that these it its to for of in on with by either both or and nor have has having"
    " going supposed ever yet now again please really even just about be skill skills mode modes workflow workflows"
    " token tokens command commands like such as following mit den die das le la el il un una"
)
PROHIBITIONS = _words("don't dont never mustn't shouldn't not nobody")
NOT_AFTER = _words("do does did must should may can could shall would will need to or")
"""`not` forbids after one of these, or where a clause begins with it; in `it is not fixed` it tells a fact."""
NEGATIONS = PROHIBITIONS | _words(
    "doesn't didn't isn't aren't wasn't weren't hasn't haven't hadn't can't cannot couldn't wouldn't needn't mightn't"
    " won't ain't no neither none nobody without except avoid avoids avoiding refrain skip skipping stop stopping"
    " disable disabling ignore ignoring exclude excluding quit drop cancel abort kill pause w/o unlike"
    " nicht kein keine keinen ohne niemals sans jamais pas sin nunca senza sem não не без"
)
OF_ONES_OWN = _words(
    "skip skipping stop stopping avoid avoiding ignore ignoring exclude excluding without except disable drop"
)
"""A negation before one of these makes two: `don't skip $team`, `don't go on without $team`."""
PHRASES = re.compile(
    r"\b(?:instead\s+of|rather\s+than|other\s+than|forget\s+about|leave\s+out|anything\s+but|hold\s+off(?:\s+on)?|no\s+more"
    r"|under\s+no\s+circumstances?|by\s+no\s+means|on\s+no\s+account|turn\s+off|no\s+reason\s+to"
    r"|forb(?:id|ids|idden|ade)(?:\s+(?:you|us|me))?\s+to|refuses?\s+to)"
    r"(?:\s+(?:using|use|run|start|running|the|an?|any))*[\s(*]*\Z",
    re.IGNORECASE,
)
FORBIDS = re.compile(
    r"(?:\bnot\s+allowed\s+to|n['’]?t\s+you\s+dare)(?:\s+(?:to|using|use|run|start))*[\s(*]*\Z", re.IGNORECASE
)
CHINESE = re.compile(r"(?:不要|别|別|勿|不用|不必)再?(?:使用|用|启动|運行|运行)?[\s(*]*\Z")
WRAPPED_AFTER = (
    NEGATIONS
    | USE
    | _words(
        "the a an any with of to or and nor ever skill skills mode modes workflow workflows token tokens following"
    )
)
"""A line that ends so goes on in the next; after another, a token that opens its line begins a clause."""
FACTS = _words("doesn't didn't isn't aren't wasn't weren't are is was were does did")
"""`the app doesn't start`, `tests are never run`: a line that tells a fact ends with itself."""
CONDITIONS = _words("if when whenever while unless until because since before after whether where as although though")
SUBJECTS = _words("i we you he she they it there")
OPINIONS = _words("think believe say suggest mean want expect see like")
"""`I don't think we should use $team` is no clause with a matter of its own."""

AFFIRMED = re.compile(
    r"(?:n['’]?t|\bnot|\bnever)\s+(?:forget|hesitate|fail|neglect|only|just)\b|\bwait\s+to\b|\bwhy\s+(?:not|don['’]?t)\b",
    re.IGNORECASE,
)
DENIED_AFTER = re.compile(
    r"""\s+(?:(?:is|are|was|were|does|did|has|had)(?:n['’]?t|\s+not|\s+never)
      | (?:should|must|can|could|may|will|would|shall|might)(?:n['’]?t|\s*not|\s+never)\s+be | never
      | not\s+(?:needed|required|necessary|wanted))\b""",
    re.VERBOSE | re.IGNORECASE,
)
LIST_GOES_ON = re.compile(r"\s*+(?:(?:,\s*+)?(?:or|nor|and)\s++\$|[.;!?]|\Z)")
ITEM = re.compile(r"[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+")


def negated_until(text: str, start: int, end: int) -> int:
    """How far the block of tokens at `start:end` is negated: `start` if not at all, `end` if wholly.

    What stands before the block reaches its first tokens. A comma ends that clause (`not $team, $forge it`),
    unless the block is a list that goes on (`do not use $team, $forge or $blueprint`) or ends its sentence.
    """
    if DENIED_AFTER.match(text, end):
        return end
    if not _is_negated(_clause(text, start)):
        return start
    cuts = (text.find(cut, start, end) for cut in ("\n" if LIST_GOES_ON.match(text, end) else "\n,"))
    return min((cut for cut in cuts if cut >= 0), default=end)


def _clause(text: str, start: int) -> str:
    """What stands before `start` in its clause; for an item of a list, the line that leads the list in."""
    before = text[max(0, start - REACH) : start]
    *earlier, line = before.split("\n")
    if ITEM.fullmatch(line):
        while earlier and (not earlier[-1].strip() or ITEM.match(earlier[-1])):
            earlier.pop()
        before = earlier[-1] if earlier and earlier[-1].rstrip().endswith(":") else ""
    if not line.strip() and earlier and _ends_with_itself(earlier[-1]):
        return ""
    before = APART.sub(r"\1 ", before.rstrip(" \t:"))
    ends = [match.end() for match in CLAUSE_END.finditer(before)]
    return before[ends[-1] :] if ends else before


def _ends_with_itself(line: str) -> bool:
    """Whether a token that opens the next line begins a clause of its own."""
    words = [match[0].lower().replace("’", "'") for match in WORD.finditer(line)]
    if not words or CHINESE.search(line) or PHRASES.search(line):
        return False
    return words[-1] not in WRAPPED_AFTER or bool(FACTS & set(words))


def _is_negated(clause: str) -> bool:
    if CHINESE.search(clause) or FORBIDS.search(clause):
        return True
    if AFFIRMED.search(clause):
        return False
    words = [match[0].lower().replace("’", "'") for match in WORD.finditer(clause)]
    if PHRASES.search(clause):
        return not _has_prohibition(words)
    is_use, at = False, len(words) - 1
    while at >= 0 and (words[at] in SMALL or words[at] in USE or words[at].startswith("$")):
        if words[at] == "and" and at and not words[at - 1].startswith("$") and words[at - 1] not in USE:
            return False  # it joins another clause, not another token: `stop that and $forge it`
        is_use = is_use or words[at] in USE
        at -= 1
    if at >= 0 and words[at] in NEGATIONS:
        return not (words[at] in OF_ONES_OWN and _has_prohibition(words[:at]))
    return is_use and _is_forbidden_further_on(words[: at + 1])


def _has_prohibition(words: list[str]) -> bool:
    return any(word in PROHIBITIONS or word in ("can't", "cannot", "won't", "doesn't") for word in words)


def _is_forbidden_further_on(words: list[str]) -> bool:
    """Over other matter, back to a prohibition: not past a condition or a subject."""
    for at in range(len(words) - 1, -1, -1):
        word, before = words[at], words[:at]
        if word in CONDITIONS:
            return False
        if word in SUBJECTS and not (OPINIONS & set(before[-2:])):
            return False
        if word in PROHIBITIONS and (word != "not" or not before or before[-1] in NOT_AFTER):
            return not CONDITIONS & set(before)
    return False
