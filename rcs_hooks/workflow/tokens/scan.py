"""Finds the `$skill` tokens of a prompt, and decides which of them it asks for.

Rules of this file:
- A token is `$`, a letter, then letters, digits, hyphens and `:segment`s, in any case. `rcs:` is the only namespace.
- A token counts if a person types it as a word and directs it: it is not in quoted text (`quoted_spans.py`), not glued
  to code (`neighbours.py`), not only mentioned (`directed.py`).
- A block is a run of tokens that only white space or commas separate. The first block with a token that counts is the
  request. Later blocks start nothing.
"""

from __future__ import annotations

from rcs_hooks.catalog import meant_by
from rcs_hooks.tuples import NamedTuple
from rcs_hooks.workflow.tokens import lexicon
from rcs_hooks.workflow.tokens.clause import FOREIGN, REACH
from rcs_hooks.workflow.tokens.directed import why_not
from rcs_hooks.workflow.tokens.mentions import AS_VARIABLE, DEFINED, MENTIONS, NEGATED, NO_REQUEST, skill_of
from rcs_hooks.workflow.tokens.patterns import pattern
from rcs_hooks.workflow.tokens.quoted_spans import Span, blanked, quoted_spans, with_line_feeds

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
IN_TOKENS = f"{LETTERS}0123456789-:"
BETWEEN = pattern(r"[\s,，،、*]*")
SENTENCE_END = pattern(r"[.!?;](?=\s)|\n|。|！|？")

MOST_AT_AN_END = 20_000
"""How many `$` are looked at from either end of a prompt. Nobody writes so many, and each costs time."""
MOST_MENTIONED = 500
"""How many mentions before the request are judged. Nobody writes so many, and each costs time."""

BEFORE_MOST = ("", " ", "\n")
AFTER_MOST = ("", " ", "\n", ",")
"""What stands before and after a token in most prompts; the latter also behind a mark that ends a clause."""

NONE: frozenset[str] = frozenset()
LATER = "another block came first"
JOINED = lexicon.AND | lexicon.SIGNS_OF_JOINING | {"and then"}
LEFT_OUT = "asked for, but another block came first"
MOST_LEFT_OUT = 3
"""How many later blocks are judged, to tell the person which tokens were asked for too late."""
CLAUSE_ENDS = frozenset(".!:?")
HIDDEN = "glued to a character that cannot be seen"
UNKNOWN = "no skill of that name"
IN_A_HEADING = "inside a heading"
LOOKS_LIKE = {
    HIDDEN: "is followed by an invisible character",
    IN_A_HEADING: "is in a heading, where nothing is a request",
}
REPORTED = MENTIONS - {AS_VARIABLE} | LOOKS_LIKE.keys()
"""The reasons that the person is told of, because the token may have been meant as a request."""


class Token(NamedTuple):
    """One `$token` as typed, its place in the prompt, and whether the prompt asks for it."""

    start: int
    end: int
    typed: str
    skill: str | None
    """The mode, or `cancel`; None if no mode has this name."""
    passed_over: str | None
    """Why the token does not count; None if the prompt asks for it."""
    meant: str | None = None
    """The token that this one misspells, if it is the first of the prompt, which asks for it."""

    @property
    def report_key(self) -> str:
        """Return a key for the token and its reason; the person is told of each key once a session."""
        return f"{self.typed} {self.passed_over}"

    @property
    def looks_like(self) -> str | None:
        """Return what the token was taken for, in words for the person; None for a mention."""
        return LOOKS_LIKE.get(self.passed_over or "")

    @property
    def is_ruled_out(self) -> bool:
        """Tell whether the prompt negates the token: `do not use $forge`."""
        return self.passed_over == NEGATED

    @property
    def is_always_reported(self) -> bool:
        """Tell whether the person is told each time: the token may be a `$cancel` or a request."""
        return self.skill == "cancel" or self.meant == "$cancel" or self.passed_over == NO_REQUEST


def noteworthy(prompt: str, own: frozenset[str] = NONE) -> tuple[Token, ...]:
    """Return the tokens that the prompt asks for, and those it asks for too late.

    If it asks for none, return those that the person is told of. `own`: the names of own modes.
    """
    tokens = scan(prompt, own)
    asked = tuple(token for token in tokens if token.passed_over is None)
    if asked:
        return (*asked, *(token for token in tokens if token.passed_over == LEFT_OUT))
    return tuple(token for token in tokens if token.meant or (token.skill and token.passed_over in REPORTED))


def scan(prompt: str, own: frozenset[str] = NONE) -> tuple[Token, ...]:
    """Return every `$token` of the prompt, each with the reason why it does not count, if it does not.

    `own`: the names, in lower case, of the modes of one's own that the prompt may name.
    """
    text = with_line_feeds(prompt)
    return tuple(_judge(text, list(_places(text)), own))


def _places(text: str) -> Iterator[tuple[int, int]]:
    """Yield where each token starts and ends; where there are very many, only those near either end of the text."""
    if text.count("$") <= 2 * MOST_AT_AN_END:
        yield from _places_from(text.find("$"), text.split("$")[1:])
        return
    first = text.split("$", MOST_AT_AN_END + 1)[1:-1]
    yield from _places_from(text.find("$"), first)
    last = text.rsplit("$", MOST_AT_AN_END)[1:]
    yield from _places_from(len(text) - sum(map(len, last)) - len(last), last)


def _places_from(at: int, pieces: list[str]) -> Iterator[tuple[int, int]]:
    """Yield where the token at the start of each piece of a text starts and ends. `at`: where the first `$` is."""
    for piece in pieces:
        if piece[:1] and piece[0] in LETTERS:
            name = piece[: len(piece) - len(piece.lstrip(IN_TOKENS))].partition("::")[0].rstrip(":")
            yield at, at + 1 + len(name)
        at += 1 + len(piece)


def _judge(text: str, places: list[tuple[int, int]], own: frozenset[str]) -> list[Token]:
    """Decide for every token whether it counts, block by block; stop asking after the request."""
    names = [text[start + 1 : end] for start, end in places]
    meant = meant_by(names[0]) if names else None
    spans = quoted_spans(text) if meant or any(skill_of(name, own) for name in set(names)) else []
    tokens = _tokens(text, places, spans, own)
    shown = blanked(text, spans, FOREIGN)
    done: list[Token] = []
    asked: set[str] = set()
    looks, later, mentioned_until = 0, 0, -1
    for block in _blocks(text, tokens):
        if asked:
            done += _judge_later_block(shown, block, asked, done[-1].end, own, is_looked_at=later < MOST_LEFT_OUT)
            later += 1
        elif not any(token.skill and token.passed_over is None for token in block):
            done += block
        elif done and _is_next_definition(shown, done[-1], block[0]):
            done += (_reject(token, DEFINED) for token in block)
        elif looks >= MOST_MENTIONED:
            done += (_reject(token, "too many mentions before it") for token in block)
        else:
            looks += 1
            follows = _is_same_sentence(shown, mentioned_until, block[0].start)
            judged = _judge_block(shown, block, own, follows=follows)
            asked = {token.skill for token in judged if token.skill and token.passed_over is None}
            mentioned_until = block[-1].end
            done += judged
    if meant and not asked and done[0].passed_over == UNKNOWN:
        done[0] = _with_suggestion(shown, done[0], meant)
    return done


def _with_suggestion(text: str, token: Token, skill: str) -> Token:
    """Return a misspelled token with the right spelling, if the prompt asks for it."""
    if text[token.start - 1 : token.start] == "(" or why_not(text, token.start, token.end, follows=False):
        return token
    return token._replace(passed_over=f"{UNKNOWN}; did you mean ${skill}?", meant=f"${skill}")


def _is_next_definition(text: str, before: Token, token: Token) -> bool:
    """Tell whether `before` is defined on the line above, as `token` seems to be: `$id: number`, `$team: players`."""
    if before.passed_over not in (DEFINED, UNKNOWN) or text[token.end : token.end + 1] != ":":
        return False
    line = text[before.end : token.start]
    return line[:1] == ":" and line.count("\n") == 1 and not line.rpartition("\n")[2].strip(" \t-*")


def _is_same_sentence(text: str, start: int, end: int) -> bool:
    """Tell whether two places are near each other, and no sentence ends between them; False if `start` is below 0."""
    return start >= 0 and end - start < REACH and not SENTENCE_END.search(text, start, end)


def _judge_block(text: str, block: list[Token], own: frozenset[str], *, follows: bool = False) -> list[Token]:
    """Return the tokens of a block, each with the reason if it is only mentioned, or was named before.

    The part after the last comma or line end of a mentioned block may be directed all the same. `follows`: an earlier
    block of the sentence was only mentioned.
    """
    end = max(token.end for token in block if token.skill)
    why = why_not(text, block[0].start, end, follows=follows, own=own)
    if {token.skill for token in block if token.skill} == {"cancel"}:
        from rcs_hooks.workflow.tokens.cancel import why_not_an_order

        why = why_not_an_order(text, block[0].start, end, why, own)
    cut = len(block) if why else 0
    if why and cut > 1:
        from rcs_hooks.workflow.tokens.parts import directed_from

        cut = directed_from(text, block)
    named: set[str | None] = set()
    judged = []
    for token in block[:cut]:
        judged.append(_reject(token, why or ""))
    for token in block[cut:]:
        judged.append(_reject(token, "named before") if token.skill in named else token)
        named.add(token.skill)
    return judged


def _judge_later_block(
    text: str, block: list[Token], asked: set[str], since: int, own: frozenset[str], *, is_looked_at: bool
) -> list[Token]:
    """Reject the tokens of a block after the request; those that are asked for are marked as left out.

    `asked`: the skills of the request. `since`: where the block before ends. `is_looked_at`: False for one too many.
    """
    named = {token.skill for token in block if token.skill} - asked
    is_joined = text[since : block[0].start].strip(" ,").lower() in JOINED
    is_asked = is_looked_at and bool(named) and (is_joined or not any(map(_reason, _judge_block(text, block, own))))
    return [_reject(token, LEFT_OUT if is_asked and token.skill in named else LATER) for token in block]


def _reason(token: Token) -> str | None:
    return token.passed_over


def _reject(token: Token, why: str) -> Token:
    """Return the token with this reason, unless it has one already."""
    return token if token.passed_over else token._replace(passed_over=why)


def _tokens(text: str, places: list[tuple[int, int]], spans: list[Span], own: frozenset[str]) -> list[Token]:
    rest = iter(spans)
    span: Span | None = next(rest, None)
    tokens = []
    has_operator = "|" in text or "&&" in text or "??" in text
    has_equals = "=" in text
    is_plain = not (has_operator or has_equals)
    for start, end in places:
        while span and span.end <= start:
            span = next(rest, None)
        typed = text[start:end]
        skill = skill_of(typed[1:], own)
        if span and span.start <= start:
            why: str | None = f"inside {span.what}"
        elif is_plain and _stands_free(text, start, end):
            why = None if skill else UNKNOWN
        else:
            from rcs_hooks.workflow.tokens import neighbours

            why = neighbours.why_not_a_token(text, start, end, skill, has_operator=has_operator, has_equals=has_equals)
        tokens.append(Token(start, end, typed, skill, why))
    return tokens


def _stands_free(text: str, start: int, end: int) -> bool:
    """Tell whether a token has only blanks, a comma or the end of a clause next to it: then it is no part of code."""
    after, then = text[end : end + 1], text[end + 1 : end + 2]
    is_free_after = after in AFTER_MOST or (after in CLAUSE_ENDS and then in AFTER_MOST)
    return is_free_after and text[max(0, start - 1) : start] in BEFORE_MOST


def _blocks(prompt: str, tokens: list[Token]) -> list[list[Token]]:
    """Group the tokens into blocks; a token that is quoted or glued is a block of its own."""
    blocks: list[list[Token]] = []
    joined = -1
    for token in tokens:
        is_word = token.passed_over in (None, UNKNOWN)
        if is_word and token.start == joined:
            blocks[-1].append(token)
        else:
            blocks.append([token])
        between = BETWEEN.match(prompt, token.end) if is_word and token is not tokens[-1] else None
        joined = between.end() if between else -1
    return blocks
