"""Tells which tokens of a prompt that asks for none may have been meant as a request: misspelled, or read as code."""

from __future__ import annotations

from itertools import islice

from rcs_hooks.catalog import meant_by
from rcs_hooks.workflow.tokens import lexicon
from rcs_hooks.workflow.tokens.clause import PLAIN, REACH, split_items
from rcs_hooks.workflow.tokens.directed import why_not
from rcs_hooks.workflow.tokens.patterns import pattern
from rcs_hooks.workflow.tokens.phrasing import strip_request
from rcs_hooks.workflow.tokens.scan import MOST_MENTIONED, UNKNOWN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rcs_hooks.workflow.tokens.quoted_spans import Span
    from rcs_hooks.workflow.tokens.scan import Token

LABEL = pattern(r"(?i)\b(?:error|warning|notice):[ ]\Z")


def is_request_read_as_code(text: str, token: Token, span: Span) -> bool:
    """Tell whether a request ends in what only looks like a compiler's error: `fix the login, error: $forge`."""
    is_last = span.what == "pasted code" and not text[token.end :].strip()
    label = LABEL.search(text[: token.start]) if is_last else None
    return label is not None and _asks_for_work(text[: label.start()])


def _asks_for_work(text: str) -> bool:
    """Tell whether a line of this text says what to do; False if the text is long or has a `$`."""
    if len(text) > REACH or "$" in text:
        return False
    lines = (strip_request(split_items(line))[0] for line in text.translate(PLAIN).split("\n"))
    return any(words[0] in lexicon.WORK | lexicon.STOPS for words in lines if words)


def with_suggestions(text: str, tokens: list[Token]) -> list[Token]:
    """Return the tokens, with the right spelling for each misspelled token that the prompt asks for."""
    names = {token.typed[1:] for token in tokens if token.passed_over == UNKNOWN}
    meant = {f"${name}": skill for name in names if (skill := meant_by(name))}
    misspelt = (at for at, token in enumerate(tokens) if token.passed_over == UNKNOWN and token.typed in meant)
    done = list(tokens)
    for at in islice(misspelt, MOST_MENTIONED):
        token, skill = tokens[at], meant[tokens[at].typed]
        if text[token.start - 1 : token.start] != "(" and not why_not(text, token.start, token.end, follows=False):
            done[at] = token._replace(passed_over=f"{UNKNOWN}; did you mean ${skill}?", meant=f"${skill}")
    return done
