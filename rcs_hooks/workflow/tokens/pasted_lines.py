"""Tells which lines a person pasted: code, a log, a table, a chat, and a text that is worked on.

The patterns are in `code_lines.py` and `log_lines.py`, which only a line that may match loads.
"""

from __future__ import annotations

from rcs_hooks.workflow.tokens import lexicon
from rcs_hooks.workflow.tokens.patterns import pattern

CODE_SIGNS = frozenset("{};=@(+")
MAYBE_CODE_SIGNS = frozenset(":-")
MAYBE_CODE = (" -", ": $", "SELECT", "INSERT", "UPDATE", "DELETE")
"""A line without any of the signs is not code; one with only the latter has to have one of these too."""
TEXT_WORDS = (
    "proofread", "translat", "rephras", "reword", "paraphras", "spell",
    "bersetz", "traduis", "relis", "traduce", "перевед", "readme", "doc", "changelog", "wiki", ".md", ".txt", ".rst",
)  # fmt: skip
"""A line without any of these announces no text."""
LEAD = 400
"""How far into its line the announcement of a text may reach: a bound on the work."""
SEPARATORS = (" -> ", " → ", " => ", " | ", "\t")
"""What may stand between the columns of a table."""
SAYS = pattern(r"[ \t]*[\w.-]{1,20}:[ ]+(?P<answer>(?:no|nope|yes|yeah|ok|okay|sure|thanks|lol|hm+|why),[ ])?")


def part_of(lines: list[str], at: int) -> str:
    """Return what `lines[at]` and a line next to it are parts of, `a table` or `a transcript`; empty if of neither."""
    line, neighbours = lines[at], [*lines[max(0, at - 1) : at], *lines[at + 1 : at + 2]]
    for mark in SEPARATORS:
        if mark in line and mark in line.strip() and any(mark in other.strip() for other in neighbours):
            return "a table"
    said = SAYS.match(line) if line.lstrip(" \t").partition(" ")[0].endswith(":") else None
    others = [other for other in map(SAYS.match, neighbours) if other] if said else []
    return "a transcript" if said and others and any(each["answer"] for each in (said, *others)) else ""


def text_start(line: str) -> int:
    """Return where in the line a text begins that the line announces: `proofread this: ...`; 0 if it announces none."""
    lowered = line.lower()
    if not any(word in lowered for word in TEXT_WORDS):
        return 0
    from rcs_hooks.workflow.tokens import log_lines  # slow to compile

    match = log_lines.TEXT.search(line, 0, LEAD)
    return match.end() if match else 0


def log_end(line: str) -> int:
    """Return where the clause ends that a program wrote at the start of the line; 0 if a person wrote it."""
    first, _, rest = line.strip().partition(" ")
    plain = first.replace("'", "").rstrip(",.!")
    is_word = plain.isalpha() and not (len(plain) > 1 and plain.isupper()) and not rest[:1].isdigit()
    if first[0] == "$" or (is_word and first not in ("npm", "error", "fatal", "at")) or _is_bullet(first):
        return 0
    from rcs_hooks.workflow.tokens import log_lines  # slow to compile

    match = log_lines.LOGGED.match(line)
    word = (*match["clause"].lower().split(maxsplit=1), "")[0] if match else ""
    is_sentence = word in lexicon.SUBJECTS or word in lexicon.DETERMINERS
    return match.end() if match and word and not is_sentence else 0


def _is_bullet(word: str) -> bool:
    return word in ("-", "*", "+") or word.rstrip(".)").isdigit()


def is_code(line: str) -> bool:
    """Tell whether a line with a `$` is code, or a line of a shell or of a compiler."""
    if CODE_SIGNS.isdisjoint(line) and (
        MAYBE_CODE_SIGNS.isdisjoint(line) or not any(part in line for part in MAYBE_CODE)
    ):
        return False
    from rcs_hooks.workflow.tokens import code_lines  # slow to compile

    return code_lines.CODE.match(line) is not None
