"""Tells whether the characters next to a `$token` make it none: it is glued to code, tagged, or assigned to.

Loaded only for a token that has more than a blank, a comma or a mark of prose next to it.
"""

from __future__ import annotations

from rcs_hooks.workflow.tokens import lexicon
from rcs_hooks.workflow.tokens.clause import REACH, is_cjk, split_items
from rcs_hooks.workflow.tokens.mentions import AS_THING, AS_VARIABLE
from rcs_hooks.workflow.tokens.patterns import pattern
from rcs_hooks.workflow.tokens.scan import AFTER_MOST, CLAUSE_ENDS, HIDDEN, UNKNOWN

QUOTES = "\"'`“”„«»‹›‘’‚「」｢｣〝〞〟『』《》〈〉＂＇"
# What may come right before and after a token: nothing, a blank, a mark of prose, a sign that is no letter.
BEFORE = pattern(rf"(?:\A|[\s,;{QUOTES}]|(?<![\w)\]])\*{{1,3}}|(?<![\w$])\(|[^\x00-\x7f\w])\Z")
AFTER = pattern(rf"\Z|[\s,;){QUOTES}]|\*+(?:\W|\Z)|[.:!?…]+(?:\Z|[\s)*,{QUOTES}])|(?![…])[^\x00-\x7f\w]")
ASSIGNED = pattern(r"(?s).[ \t]*(?:[-+.*/|&?]|[|&?]{2})?=(?!>)")
COMBINING = pattern(
    "[\u0300-\u036f\u0483-\u0489\u0591-\u05c7\u064b-\u065f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\u3099\u309a\ufe00-\ufe2f]"
)
"""An accent, or another sign that is a part of the letter before it."""
APOSTROPHES = "'’‘ʼ＇′"
SHELL_BEFORE = pattern(r"(?:&&|\|)[ \t]*\Z")
SHELL_AFTER = pattern(r"[ \t]*(?:&&|\|{1,2}(?:[ \t]|\Z))|[ \t]+\?\?[ \t]")


def why_not_a_token(
    text: str, start: int, end: int, skill: str | None, *, has_operator: bool, has_equals: bool
) -> str | None:
    """Return why the characters next to the token at `start:end` make it none; None if they do not.

    `has_operator`, `has_equals`: whether the text has any shell operator, any equals sign; few have, which saves time.
    """
    if has_operator and (SHELL_AFTER.match(text, end) or SHELL_BEFORE.search(text[max(0, start - 9) : start])):
        return "next to a shell operator"
    after = text[end : end + 1]
    if after > "\x7f" and _is_hidden(after):
        return HIDDEN
    if after and after in APOSTROPHES and text[end + 1 : end + 2].isalpha():
        return AS_THING
    before = text[start - 1 : start]
    is_free = _is_free_before(text, start) or (before in CLAUSE_ENDS and _is_after_a_mark(text, start, end))
    is_word = is_free and _is_free_after(text, end)
    if not (is_word or (after == "]" and _is_tag(text, start, end))):
        return "glued to other characters"
    if has_equals and ASSIGNED.match(text, end - 1):
        return "glued to other characters"
    if skill is None:
        return UNKNOWN
    if skill == "cancel" and before in ("(", "["):
        return AS_VARIABLE  # nobody cancels in brackets, and to cancel by mistake costs a run
    return None


def _is_after_a_mark(text: str, start: int, end: int) -> bool:
    """Tell whether a mark without a blank ends the clause before the token, and the token is a verb: `ok!$forge it`."""
    earlier = text[start - 2 : start - 1]
    if not (earlier.isalpha() or earlier == "."):
        return False
    following = split_items(text[end : end + 20])[:1] if text[end : end + 1] == " " else []
    return not (lexicon.OBJECTS.isdisjoint(following) and lexicon.WORK.isdisjoint(following))


def _is_tag(text: str, start: int, end: int) -> bool:
    """Tell whether the token is in brackets at the end of a line that says what to do: `fix login [$forge]`."""
    if text[start - 2 : start] != " [" or text[end + 1 : end + REACH].partition("\n")[0].strip():
        return False
    line = text[max(0, start - REACH) : start - 1].rpartition("\n")[2]
    first = next((word for word in line.lower().split() if word not in lexicon.FILLERS), "")
    return first in lexicon.WORK


def _is_free_before(text: str, start: int) -> bool:
    """Tell whether the token at `start` is not glued to the text before it."""
    char = text[start - 1] if start else " "
    if char == " " or (char.isascii() and char.isalnum()):
        return char == " "
    return bool(BEFORE.search(text[max(0, start - 5) : start])) or is_cjk(char)


def _is_free_after(text: str, end: int) -> bool:
    after, then = text[end : end + 1], text[end + 1 : end + 2]
    if after in AFTER_MOST or (after in CLAUSE_ENDS and then in AFTER_MOST):
        return True
    return AFTER.match(text, end) is not None or is_cjk(after)


def _is_hidden(char: str) -> bool:
    """Tell whether a character cannot be seen, or is only an accent."""
    return not (char.isprintable() or char.isspace()) or COMBINING.match(char) is not None
