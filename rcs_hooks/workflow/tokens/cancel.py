"""Decides whether `$cancel` is an order. To end a run by mistake costs more than to let one go on.

Rules of this file:
- It is an order when it is used like one: alone, or with the thing that it ends.
- A person who gives up says why first. So it is an order at the very end of the prompt, after a whole sentence.
"""

from __future__ import annotations

from itertools import takewhile

from rcs_hooks.workflow.tokens import lexicon
from rcs_hooks.workflow.tokens.clause import (
    PLAIN,
    REACH,
    Clause,
    clause_after,
    first_items,
    is_cjk,
    is_end,
    is_mark,
    is_token,
    line_before,
    match_phrase,
    parse_clause,
    split_items,
)
from rcs_hooks.workflow.tokens.mentions import AS_THING, NEGATED, NO_REQUEST, PAST, is_skill, skill_of
from rcs_hooks.workflow.tokens.phrasing import has_subject, names_a_thing, strip_request


def why_not_an_order(text: str, start: int, end: int, why: str | None, own: frozenset[str]) -> str | None:
    """Return why a block at `start:end` of `$cancel` alone ends nothing; None if it is an order.

    `why`: what `directed.why_not` says of the block. `own`: the names of own modes.
    """
    line, lead = line_before(text, start)
    following = text[end : end + REACH].translate(PLAIN)
    if any(is_cjk(char) for char in following.split("\n", 1)[0]):
        from rcs_hooks.workflow.tokens import cjk

        return why if why or cjk.ENDS_IT.match(following) else AS_THING
    clause, _ = parse_clause(line, lead, following, own=own)
    if why in (None, NO_REQUEST) and _opens_an_order(clause):
        return None
    if why is None:
        return None if _ends_something(clause) else AS_THING
    if why in (NO_REQUEST, PAST, NEGATED) and (_is_stop(text, start, end) or _gives_up(clause)):
        return None
    return why


def _opens_an_order(clause: Clause) -> bool:
    """Tell whether `$cancel` opens its prompt, and what follows only says what ends, why, or what to do next.

    `$cancel current run`, `$cancel wrong repo`, `$cancel now and tell me why`; not `$cancel button is grey`.
    """
    words = list(takewhile(lambda word: not is_mark(word), clause.after))
    if (
        strip_request(clause.words)[0]
        or set(clause.prior) - lexicon.FILLERS - lexicon.STOPS
        or clause.asks
        or not words
    ):
        return False
    if len(words) <= 2 and words[0] in lexicon.GIVES_UP:
        return True
    at = next((at for at, word in enumerate(words) if not _is_what_ends(word, clause.own)), len(words))
    first, second = first_items(words[at:], 2)
    if _is_wrong(words):
        return True
    if first in ("and", "then"):
        return at > 0 and _is_verb(second)
    if first in ("what", "before"):
        return second in lexicon.SUBJECTS
    return not first or (len(words) == 1 and (first == "already" or first.isdigit()))


def _is_verb(word: str) -> bool:
    return word in lexicon.WORK or word in lexicon.DIRECTIVES or word in lexicon.TALKS or word in lexicon.STOPS


def _is_what_ends(word: str, own: frozenset[str]) -> bool:
    """Tell whether a word names what can end, or when."""
    is_kind = word.removesuffix("s") in lexicon.ENDED - {"and", "of"} or skill_of(word.lstrip("$"), own) is not None
    return is_kind or word in lexicon.OBJECTS | lexicon.DETERMINERS | lexicon.TAIL


def _ends_something(clause: Clause) -> bool:
    """Tell whether `$cancel` is followed by nothing, by the thing that it ends, or by another clause."""
    after = list(clause.after)
    while (
        after
        and after[0] not in lexicon.CONJUNCTIONS
        and (after[0] in lexicon.TAIL or after[0] in lexicon.OBJECTS or after[0] in lexicon.DETERMINERS)
    ):
        after.pop(0)
    is_of = len(after) < len(clause.after)
    while (
        is_of
        and after
        and (after[0] in lexicon.ENDED or after[0] in lexicon.OBJECTS or skill_of(after[0].lstrip("$"), clause.own))
    ):
        after.pop(0)
    first, second = first_items(after, 2)
    if not first or is_end(first):
        return True
    if is_mark(first) or first in lexicon.JOINS:
        is_subject = bool(lexicon.FINITE & set(after)) and second not in lexicon.SUBJECTS and not _is_verb(second)
        is_order = second not in lexicon.DETERMINERS if first == "," else not (clause.asks or is_subject)
        return first != ":" and is_order and (not second.startswith("$") or is_skill(second, clause))
    is_told = "'" in first and second in lexicon.ARTICLES | {"too"}
    return first in lexicon.AFTER_CANCEL and (not is_told or _is_wrong(after))


def _is_wrong(words: list[str]) -> bool:
    """Tell whether these words say that the work is a mistake: `it's the wrong folder`, `this is the wrong repo`."""
    is_whole = words[1:2] == ["is"] and words[0] in lexicon.OBJECTS
    rest = words[2:] if is_whole else words[1:] if words[0] in ("it's", "that's") else []
    return rest[:1] == ["wrong"] or (rest[:1] in (["a"], ["the"]) and rest[1:2] in (["wrong"], ["mistake"]))


def _gives_up(clause: Clause) -> bool:
    """Tell whether `$cancel` ends the prompt after a statement: `I found it, $cancel`, `it takes too long $cancel`."""
    sentence = [*clause.prior, *clause.words]
    if not clause.is_last or clause.asks or not sentence or any(map(is_token, sentence)):
        return False
    earlier, words = strip_request(clause.prior)[0], strip_request(clause.words)[0]
    if not words:
        return (
            bool(earlier) and (has_subject(earlier) or earlier[0] in lexicon.NEGATIONS) and not names_a_thing(earlier)
        )
    if _is_naming(words[-2:-1]):
        return False
    is_whole = words[-1] in lexicon.FULL or ("what" in words[1:] and words[-1] not in lexicon.SUBJECTS)
    return is_whole and len(words) > 1 and (has_subject(words) or words[0] in ("not", "no", "too", *lexicon.STOPS))


def _is_naming(words: list[str]) -> bool:
    """Tell whether one of these words is a verb of naming: `call it $cancel`, `we named it $cancel`."""
    return any({word, word.removesuffix("d"), word.removesuffix("ed")} & lexicon.NAMES for word in words)


def _is_stop(text: str, start: int, end: int) -> bool:
    """Tell whether the block at `start:end` ends a clause that only says to stop: `no wait $cancel`."""
    before = text[max(0, start - REACH) : start].translate(PLAIN).rsplit("\n", 1)[-1]
    words: list[str] = []
    for item in split_items(before):
        words = [] if is_end(item) else words if is_mark(item) else [*words, item]
    stops = False
    while words:
        if said := match_phrase(words, lexicon.SAID):
            words = words[said:]
            continue
        count = 1 if words[0] in lexicon.STOPS else match_phrase(words, lexicon.STOP_PHRASES)
        if not count and not (words[0] in lexicon.FILLERS or (stops and words[0] in lexicon.OBJECTS)):
            return False
        words, stops = words[max(1, count) :], stops or bool(count)
    return stops and clause_after(text, end).closes
