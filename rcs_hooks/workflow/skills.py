"""`$skill` tokens: which ones a prompt holds, and which of them it asks for.

Rules of this file:
- `$`, a letter, then letters, digits, hyphens and `:segment`s; in any case; `rcs:` is the only namespace.
- A token counts where a person would type it as a word: not in foreign text (`prose.py`), not glued
  to code, not negated in its own clause (`negation.py`).
- A block is tokens that only white space or a comma separates. The first block with a known token is the
  request; all that follows is prose.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from rcs_hooks.catalog import skill_named
from rcs_hooks.workflow.negation import negated_until
from rcs_hooks.workflow.prose import Stretch, foreign

TOKEN = re.compile(r"\$([A-Za-z][A-Za-z0-9-]*+(?::[A-Za-z0-9-]++)*+)")
BETWEEN = re.compile(r"[\s,，、*]*+")

MOST_NEGATED = 500
"""Negated blocks before the request; nobody writes so many, and each costs a look."""

QUOTES = "\"'`“”„«»‹›‘’‚「」｢｣〝〞〟『』《》〈〉＂"
# What may stand right before a token: nothing, a blank, an opening mark of prose, a letterless sign.
BEFORE = re.compile(rf"(?:\A|[\s,;{QUOTES}]|(?<![\w)\]])\*{{1,3}}|(?<![\w$])\(|[^\x00-\x7f\w])\Z")
AFTER = re.compile(
    rf"(?:\Z|[\s,;){QUOTES}]|\*+(?:\W|\Z)|[.:!?…]+(?:\Z|[\s)*,{QUOTES}])|(?![…])[^\x00-\x7f\w])"
    r"(?![ \t]*(?:[-+.*/|&?]|[|&?]{2})?=(?!>))"
)


SHELL_BEFORE = re.compile(r"(?:&&|\|)[ \t]*\Z")
SHELL_AFTER = re.compile(r"[ \t]*(?:&&|\|{1,2}(?:[ \t]|\Z))")


class Token(NamedTuple):
    """One `$token` as typed, where it stands, and what became of it."""

    start: int
    end: int
    typed: str
    skill: str | None
    """The mode, or `cancel`; None if it is no skill of ours."""
    passed_over: str | None
    """Why it does not count; None if the prompt asks for it."""


def requested(prompt: str) -> tuple[Token, ...]:
    """What the prompt asks for, in order, each skill once."""
    return tuple(token for token in scan(prompt) if token.passed_over is None)


def scan(prompt: str) -> tuple[Token, ...]:
    """Every `$token` of the prompt, with the reason why it counts or not."""
    done: list[Token] = []
    asked: set[str] = set()
    judged_blocks = 0
    for block in _blocks(prompt, _tokens(prompt)):
        if asked:
            done += (_pass(token, "another block came first") for token in block)
        elif any(token.passed_over is None for token in block):
            judged_blocks += 1
            if judged_blocks > MOST_NEGATED:
                done += (_pass(token, "too many negations before it") for token in block)
                continue
            negated = negated_until(prompt, block[0].start, block[-1].end)
            for token in block:
                judged = _judge(token, asked, is_negated=token.start < negated)
                if judged.passed_over is None and judged.skill:
                    asked.add(judged.skill)
                done.append(judged)
        else:
            done += block
    return tuple(done)


def _pass(token: Token, why: str) -> Token:
    return token if token.passed_over else token._replace(passed_over=why)


def _judge(token: Token, asked: set[str], *, is_negated: bool) -> Token:
    if is_negated:
        return _pass(token, "negated in its clause")
    return _pass(token, "named before") if token.skill in asked else token


def _tokens(prompt: str) -> list[Token]:
    matches = list(TOKEN.finditer(prompt))
    stretches = iter(foreign(prompt)) if any(skill_named(m[1]) for m in matches) else iter(())
    stretch: Stretch | None = next(stretches, None)
    tokens = []
    for match in matches:
        while stretch and stretch.end <= match.start():
            stretch = next(stretches, None)
        inside = stretch.what if stretch and stretch.start <= match.start() else None
        skill = skill_named(match[1])
        tokens.append(Token(match.start(), match.end(), match[0], skill, _why_not(prompt, match, inside, skill)))
    return tokens


def _why_not(prompt: str, match: re.Match[str], inside: str | None, skill: str | None) -> str | None:
    if inside:
        return f"inside {inside}"
    if SHELL_AFTER.match(prompt, match.end()) or SHELL_BEFORE.search(prompt[max(0, match.start() - 9) : match.start()]):
        return "beside a shell operator"
    if not (BEFORE.search(prompt[max(0, match.start() - 5) : match.start()]) and AFTER.match(prompt, match.end())):
        return "glued to other characters"
    if skill is None:
        return "no skill of that name"
    return None


def _blocks(prompt: str, tokens: list[Token]) -> list[list[Token]]:
    """The tokens in runs that only white space or a comma separates; quoted and glued ones stand alone."""
    blocks: list[list[Token]] = []
    joined = -1
    for token in tokens:
        is_word = token.passed_over in (None, "no skill of that name")
        if is_word and token.start == joined:
            blocks[-1].append(token)
        else:
            blocks.append([token])
        between = BETWEEN.match(prompt, token.end) if is_word else None
        joined = between.end() if between else -1
    return blocks
