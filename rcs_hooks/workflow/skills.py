"""`$skill` tokens: which ones a prompt holds, and which of them it asks for.

Rules of this file:
- `$`, a letter, then letters, digits, hyphens and `:segment`s; in any case; `rcs:` is the only namespace.
- A token counts where a person types it as a word and directs it: not in foreign text (`prose.py`), not glued
  to code, not only mentioned (`directed.py`).
- A block is tokens that only white space or a comma separates. The first block with a known token is the
  request; all that follows is prose.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import NamedTuple

from rcs_hooks.catalog import meant_by, skill_named
from rcs_hooks.workflow.directed import (
    FOREIGN,
    MENTIONS,
    REACH,
    THING,
    TOLD,
    VARIABLE,
    is_cjk,
    is_opening,
    is_stop,
    why_not,
)
from rcs_hooks.workflow.prose import Stretch, blanked, foreign, lined

TOKEN = re.compile(r"\$([A-Za-z][A-Za-z0-9-]*(?::[A-Za-z0-9-]+)*)")
BETWEEN = re.compile(r"[\s,，،、*]*")
SENTENCE_END = re.compile(r"[.!?;](?=\s)|\n|。|！|？")

MOST_MENTIONED = 500
"""Mentions before the request; nobody writes so many, and each costs a look."""

QUOTES = "\"'`“”„«»‹›‘’‚「」｢｣〝〞〟『』《》〈〉＂＇"
# What may stand right before a token: nothing, a blank, an opening mark of prose, a letterless sign.
BEFORE = re.compile(rf"(?:\A|[\s,;{QUOTES}]|(?<![\w)\]])\*{{1,3}}|(?<![\w$])\(|[^\x00-\x7f\w])\Z")
AFTER = re.compile(rf"\Z|[\s,;){QUOTES}]|\*+(?:\W|\Z)|[.:!?…]+(?:\Z|[\s)*,{QUOTES}])|(?![…])[^\x00-\x7f\w]")
ASSIGNED = re.compile(r".[ \t]*(?:[-+.*/|&?]|[|&?]{2})?=(?!>)", re.DOTALL)
COMBINING = (
    ("\u0300", "\u036f"),
    ("\u0483", "\u0489"),
    ("\u0591", "\u05c7"),
    ("\u064b", "\u065f"),
    ("\u1ab0", "\u1aff"),
    ("\u1dc0", "\u1dff"),
    ("\u20d0", "\u20ff"),
    ("\ufe00", "\ufe2f"),
    ("\u3099", "\u309a"),
)
APOSTROPHES = "'’‘ʼ＇′"


SHELL_BEFORE = re.compile(r"(?:&&|\|)[ \t]*\Z")
SHELL_AFTER = re.compile(r"[ \t]*(?:&&|\|{1,2}(?:[ \t]|\Z))")


HIDDEN = "glued to a character that cannot be seen"
UNKNOWN = "no skill of that name"
TOLD_OF = MENTIONS - {VARIABLE} | {HIDDEN, "inside a heading"}
"""Why a token starts nothing, where the person may have meant it to."""


class Token(NamedTuple):
    """One `$token` as typed, where it stands, and what became of it."""

    start: int
    end: int
    typed: str
    skill: str | None
    """The mode, or `cancel`; None if it is no skill of ours."""
    passed_over: str | None
    """Why it does not count; None if the prompt asks for it."""
    meant: str | None = None
    """The token that this one misspells, where a skill would have started."""

    @property
    def reading(self) -> str:
        """The token and why it starts nothing: what a person is told of once a session."""
        return f"{self.typed} {self.passed_over}"

    @property
    def is_told_each_time(self) -> bool:
        """Whether silence might hide a request: an end that was missed, or words that nothing else explains."""
        return self.skill == "cancel" or self.meant == "$cancel" or self.passed_over == TOLD


def requested(prompt: str) -> tuple[Token, ...]:
    """What the prompt asks for, in order, each skill once."""
    return tuple(token for token in scan(prompt) if token.passed_over is None)


def noteworthy(prompt: str) -> tuple[Token, ...]:
    """What the prompt asks for; where it asks for nothing, the tokens of which the person is told why."""
    tokens = scan(prompt)
    asked = tuple(token for token in tokens if token.passed_over is None)
    return asked or tuple(token for token in tokens if token.meant or (token.skill and token.passed_over in TOLD_OF))


def scan(prompt: str) -> tuple[Token, ...]:
    """Every `$token` of the prompt, with the reason why it counts or not."""
    text = lined(prompt)
    return tuple(_judged(text, list(TOKEN.finditer(text))))


def _judged(text: str, matches: list[re.Match[str]]) -> list[Token]:
    names = {match[1] for match in matches}
    stretches = foreign(text) if any(skill_named(name) or meant_by(name) for name in names) else []
    tokens = _tokens(text, matches, stretches)
    shown = blanked(text, stretches, FOREIGN)
    done: list[Token] = []
    asked: set[str] = set()
    looks, mentioned_until = 0, -1
    for block in _blocks(text, tokens):
        if asked:
            done += (_pass(token, "another block came first") for token in block)
        elif not any(token.skill and token.passed_over is None for token in block):
            done += block
        elif looks >= MOST_MENTIONED:
            done += (_pass(token, "too many mentions before it") for token in block)
        else:
            looks += 1
            judged = _block_judged(shown, block, follows=_is_same_sentence(shown, mentioned_until, block[0].start))
            asked = {token.skill for token in judged if token.skill and token.passed_over is None}
            mentioned_until = block[-1].end
            done += judged
    return done if asked else [_guessed(shown, token) for token in done]


def _guessed(text: str, token: Token) -> Token:
    """A token that would start something, were it spelled right, with what it was meant to be."""
    meant = meant_by(token.typed[1:]) if token.passed_over == UNKNOWN else None
    if (
        meant is None
        or text[token.start - 1 : token.start] == "("
        or why_not(text, token.start, token.end, follows=False)
    ):
        return token
    return token._replace(passed_over=f"{UNKNOWN}; did you mean ${meant}?", meant=f"${meant}")


def _is_same_sentence(text: str, start: int, end: int) -> bool:
    return start >= 0 and end - start < REACH and not SENTENCE_END.search(text, start, end)


def _block_judged(text: str, block: list[Token], *, follows: bool) -> list[Token]:
    """With the reason of a mention; what stands behind the last comma or line end may be directed all the same."""
    end = max(token.end for token in block if token.skill)
    why = why_not(text, block[0].start, end, follows=follows)
    cut = 0
    if why and {token.skill for token in block} == {"cancel"} and is_stop(text, block[0].start, end):
        why = None
    if why:
        gaps = [text[before.end : after.start] for before, after in pairwise(block)]
        cut = next((at for at in range(len(gaps), 0, -1) if "," in gaps[at - 1] or "\n" in gaps[at - 1]), len(block))
        if cut < len(block) and not is_opening(text, block[cut].start, block[-1].end):
            cut = len(block)
    named: set[str] = set()
    judged = []
    for token in block[:cut]:
        judged.append(_pass(token, why or ""))
    for token in block[cut:]:
        judged.append(_pass(token, "named before") if token.skill in named else token)
        named.add(token.skill or "")
    return judged


def _pass(token: Token, why: str) -> Token:
    return token if token.passed_over else token._replace(passed_over=why)


def _tokens(text: str, matches: list[re.Match[str]], stretches: list[Stretch]) -> list[Token]:
    rest = iter(stretches)
    stretch: Stretch | None = next(rest, None)
    tokens = []
    for match in matches:
        while stretch and stretch.end <= match.start():
            stretch = next(rest, None)
        inside = stretch.what if stretch and stretch.start <= match.start() else None
        skill = skill_named(match[1])
        tokens.append(Token(match.start(), match.end(), match[0], skill, _why_not(text, match, inside, skill)))
    return tokens


def _why_not(prompt: str, match: re.Match[str], inside: str | None, skill: str | None) -> str | None:
    if inside:
        return f"inside {inside}"
    if SHELL_AFTER.match(prompt, match.end()) or SHELL_BEFORE.search(prompt[max(0, match.start() - 9) : match.start()]):
        return "beside a shell operator"
    before, after = prompt[max(0, match.start() - 5) : match.start()], prompt[match.end() : match.end() + 2]
    if after[:1] > "\x7f" and _is_hidden(after[0]):
        return HIDDEN
    if after[:1] and after[0] in APOSTROPHES and after[1:].isalpha():
        return THING
    is_word_behind = AFTER.match(prompt, match.end()) or is_cjk(after[0])
    if not ((BEFORE.search(before) or is_cjk(before[-1])) and is_word_behind) or ASSIGNED.match(
        prompt, match.end() - 1
    ):
        return "glued to other characters"
    if skill is None:
        return UNKNOWN
    if skill == "cancel" and before.endswith("("):
        return VARIABLE  # a start in the wrong place costs a run, and nobody ends one in brackets
    return None


def _is_hidden(char: str) -> bool:
    """Whether nothing, or only an accent, is seen of it."""
    return not (char.isprintable() or char.isspace()) or any(first <= char <= last for first, last in COMBINING)


def _blocks(prompt: str, tokens: list[Token]) -> list[list[Token]]:
    """The tokens in runs that only white space or a comma separates; quoted and glued ones stand alone."""
    blocks: list[list[Token]] = []
    joined = -1
    for token in tokens:
        is_word = token.passed_over in (None, UNKNOWN)
        if is_word and token.start == joined:
            blocks[-1].append(token)
        else:
            blocks.append([token])
        between = BETWEEN.match(prompt, token.end) if is_word else None
        joined = between.end() if between else -1
    return blocks
