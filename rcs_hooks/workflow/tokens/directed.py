"""Decides whether a block of `$tokens` is directed or only mentioned: `fix it with $forge` or `what does $forge do?`.

The rules, in the order in which they are checked:
- A block that `mentions.py` calls foreign, a subject or a definition is only mentioned.
- The clause before the block reaches back to the last punctuation mark or conjunction. A line that leads in with a
  colon (`Do not use:`) counts too.
- A clause that negates, asks or tells of the past only mentions it.
- Any other clause begins with a request (`can you`, `I want to`), or is an imperative unless it has a subject.
- In an imperative the word before the block decides. It is directed after a directive (`use`, `with`, `now`), after
  nothing, or after an object when the block ends the sentence. After a verb it is the verb's object (`rename $team`),
  after a preposition or a determiner it is a thing (`about $forge`, `my $forge`).
- After a comma or a conjunction, in a sentence that asks nobody to work, a block needs an object or a verb of its own.

Every `_judge_` function returns why the block is only mentioned, or None when it is directed. The words are in
`lexicon.py`; `cjk.py` reads Chinese, Japanese and Korean.
"""

from __future__ import annotations

from itertools import pairwise

from rcs_hooks.workflow.tokens import lexicon
from rcs_hooks.workflow.tokens.clause import (
    PLAIN,
    REACH,
    THING_WORD,
    Clause,
    is_cjk,
    is_mark,
    is_token,
    line_before,
    match_phrase,
    parse_clause,
    split_items,
)
from rcs_hooks.workflow.tokens.mentions import (
    AS_THING,
    AS_VARIABLE,
    ASKED_ABOUT,
    NEGATED,
    NO_REQUEST,
    PAST,
    QUOTED,
    is_code,
    is_quoted,
    is_title,
    why_a_subject,
)
from rcs_hooks.workflow.tokens.patterns import pattern
from rcs_hooks.workflow.tokens.phrasing import (
    bare_imperative,
    closes_a_report,
    contrasts,
    has_subject,
    is_correction,
    is_for_later,
    is_hearsay,
    is_negated,
    is_order,
    is_question,
    is_statement,
    is_subjunctive,
    is_unsure,
    points_at_work,
    strip_request,
    tells_of_the_past,
    wants_one,
)
from rcs_hooks.workflow.tokens.predicates import is_past

LABEL = pattern(r"[ \t]*[a-z][a-z_-]*:[ \t]*\Z")
"""A key of a settings file before its value: `color: $team`."""


def why_not(text: str, start: int, end: int, *, follows: bool, own: frozenset[str] = frozenset()) -> str | None:
    """Return why the block at `start:end` is only mentioned; None if it is directed.

    `text` has `FOREIGN` in place of somebody else's words. `follows`: an earlier block of the sentence was a mention.
    `own`: the names of own modes.
    """
    line, lead = line_before(text, start)
    following = text[end : end + REACH].translate(PLAIN)
    rest = following.partition("\n")[0]
    here = line + rest
    if not here.isascii() and any(is_cjk(char) for char in here):
        from rcs_hooks.workflow.tokens import cjk

        return cjk.why_not(line, following)
    if (
        _may_be_label(line)
        and LABEL.match(line)
        and not rest.strip(" \t;")
        and split_items(line)[0] not in lexicon.LEADS
    ):
        return NO_REQUEST
    clause, leads = parse_clause(line, lead, following, follows=follows, own=own)
    if is_quoted(clause, leads) or is_title(line, clause):
        return QUOTED
    if is_code(clause):
        return AS_VARIABLE
    why = why_a_subject(clause)
    return (
        (_judge_clause(clause) or why)
        if why == NO_REQUEST
        else why or _judge_lead(leads, clause) or _judge_clause(clause)
    )


def _may_be_label(line: str) -> bool:
    return ":" in line and " " not in line.strip(" \t")


def _judge_lead(lead: list[str], clause: Clause) -> str | None:
    """Judge a block by the words `lead` of a line or clause with a colon that leads it in."""
    if len(strip_request(clause.words)[0]) > 1 or match_phrase([*lead, "to"], lexicon.REQUESTS) > len(lead):
        return None  # it says something of its own, or is what a lead like `Remember:` asks for
    words = strip_request(lead)[0]
    if is_negated([*lead, "use"], clause) or lexicon.FORBIDDEN & set(lead):
        return NEGATED
    is_wish = words[-1:] in (["want"], ["need"])
    if not is_wish and (lexicon.QUESTIONS & set(words[:1]) or lead[-1:] == ["?"]):
        return ASKED_ABOUT
    if any(map(is_token, words)) and clause.next in lexicon.WORK:
        return None  # it talks about something already: `let me see what $forge can do: $forge fix the login`
    is_list = lexicon.INVENTORY & set(words) and not lexicon.USES & set(words)
    return NO_REQUEST if is_list or lexicon.TALKS & set(words[:1]) else None


def _judge_clause(clause: Clause) -> str | None:  # noqa: PLR0911 - one answer for each kind of word
    words, is_request = strip_request(clause.words)
    if shared := match_phrase(words, lexicon.SHARED):
        is_request = is_request or points_at_work(words[shared:], clause)
        words = [word for word in words[shared:] if word not in lexicon.POLITE] if is_request else words
    if is_correction(clause) or is_order(clause):
        return None
    if wants_one(words, clause, is_request=is_request):
        return None
    if why := _judge_intent(words, clause, is_request=is_request, is_shared=bool(shared)):
        return why
    is_verb = is_subjunctive(words) if is_request else shared == len(words) and clause.has_object
    if not words or is_verb:
        return _judge_opening(clause, is_request=is_request)
    directive = bare_imperative(words)
    if directive:
        return _judge_word_before(words[directive:], clause)
    if not is_request and is_question(words, clause):
        return ASKED_ABOUT
    if is_negated(words, clause):
        return NEGATED
    if lexicon.PROHIBITIONS & set(words) and lexicon.OWN & set(words[1:]):
        return None
    if tells_of_the_past(words, clause, is_request=is_request):
        return PAST
    if words[0] in lexicon.CONDITIONS and words[1:2] and words[1] in lexicon.SUBJECTS and not clause.has_object:
        return NO_REQUEST
    is_polite = lexicon.POLITE & {*clause.words, *(clause.after[-2:] if words[-1] in lexicon.WITH else [])}
    if not (is_request or is_polite) and has_subject(words):
        return _judge_statement(words, clause)
    return _judge_word_before(words, clause)


def _judge_intent(words: list[str], clause: Clause, *, is_request: bool, is_shared: bool) -> str | None:
    """Reject what only sounds like a request: it is for later, somebody else's, or put up for discussion.

    `is_shared`: the clause asks what the person and the agent do together, as in `can we`.
    """
    if is_request and clause.asks and not is_shared and is_unsure(clause):
        return ASKED_ABOUT
    if is_for_later(clause) or (is_request and is_hearsay(clause.after)):
        return NO_REQUEST
    if not is_request and is_statement(words):
        return ASKED_ABOUT if clause.asks else NO_REQUEST
    is_how_to = any(word in lexicon.EMBEDDED | lexicon.CONDITIONS and then == "to" for word, then in pairwise(words))
    return ASKED_ABOUT if is_how_to else None


def _judge_opening(clause: Clause, *, is_request: bool) -> str | None:
    """Judge a block that begins its clause."""
    if is_request or clause.has_object:
        return None
    if (
        clause.asks
        and all(item in lexicon.TAIL or is_mark(item) for item in clause.after)
        and not lexicon.POLITE & set(clause.words)
    ):
        return ASKED_ABOUT
    if lexicon.POLITE & set(clause.after[:3]):
        return None
    if not clause.prior and clause.words and lexicon.THANKS.issuperset(clause.words) and clause.closes:
        return NO_REQUEST
    if clause.is_last and not clause.asks and closes_a_report(clause):
        return None
    prior, was_request = strip_request(clause.prior)
    if not prior or was_request:
        return NO_REQUEST if clause.follows and not was_request and not contrasts(clause.prior) else None
    if clause.follows and not contrasts(clause.prior):
        return NO_REQUEST
    if is_question(prior, clause):
        return ASKED_ABOUT
    is_told = clause.next in lexicon.JOINS and (prior[0] in lexicon.TALKS or has_subject(prior))
    is_story = prior[0] in lexicon.FIRST_PERSON or (bool(clause.words) and is_past(prior[0]))
    is_story = is_story and any(is_past(word) or word in lexicon.TALKS for word in prior[:6])
    return NO_REQUEST if is_told or is_story else None


def _judge_statement(words: list[str], clause: Clause) -> str | None:
    """Judge a clause with a subject: it only tells, unless the block begins another clause or closes the prompt."""
    last = words[-1]
    if clause.next == "time" and last in lexicon.IT_IS:
        return None
    if lexicon.PAST_TIME & set(clause.after):
        return PAST
    if len(words) == 2 and words[0] in lexicon.SUBJECTS and clause.next not in lexicon.WORK:
        return NO_REQUEST
    if clause.next in lexicon.WORK and last in lexicon.PARTICLES:
        return None
    if (last.endswith("s") and last[:-1] in lexicon.DIRECTIVES) or lexicon.MODALS & set(words[-2:-1]):
        return NO_REQUEST
    binds = last in lexicon.TALKS or last in lexicon.PREPOSITIONS or last in lexicon.WITH or last in lexicon.DETERMINERS
    if binds or last in lexicon.DIRECTIVES or last in lexicon.FINITE or last in lexicon.SUBJECTS:
        return NO_REQUEST
    if clause.has_object:
        return None
    tells = words[0] in lexicon.FIRST_PERSON or not lexicon.FINITE & set(words)
    return NO_REQUEST if tells or not clause.closes or clause.asks else None


def _judge_word_before(words: list[str], clause: Clause) -> str | None:  # noqa: PLR0911 - one answer for each kind of word
    """Judge an imperative by the word before the block."""
    at = len(words) - 1
    while at >= 0 and (words[at] in lexicon.DETERMINERS or words[at] in lexicon.KINDS):
        at -= 1
    is_thing = at < len(words) - 1
    if at < 0:
        return AS_THING if lexicon.DETERMINERS & set(words) or not points_at_work(words, clause) else None
    word, before = words[at], words[at - 1] if at else ""
    if word.endswith("ing") and (words[0] in lexicon.CONDITIONS | lexicon.PREPOSITIONS or before in ("about", "on")):
        return NO_REQUEST
    if word in lexicon.DIRECTIVES or _is_phrasal(word, before, clause):
        return None
    if word in lexicon.WITH:
        return NO_REQUEST if _is_no_instrument(words, at, clause) else None
    if word in lexicon.NOW and not is_thing:
        is_talk = words[0] in lexicon.TALKS and all(item in lexicon.NOW | lexicon.TO_WHOM for item in words[1:])
        return NO_REQUEST if is_talk else None
    if word == "to":
        return None if clause.has_object or before in lexicon.TAKES_TO or words[0] in lexicon.TAKES_TO else NO_REQUEST
    if word == "for" and before in lexicon.TAKES_FOR:
        return None
    if word in lexicon.INTO and (
        clause.next in lexicon.MODES or lexicon.MODES & set(words[at:]) or before in lexicon.GOES_INTO
    ):
        return None
    if is_thing and words[0] in lexicon.DIRECTIVES and word not in lexicon.PREPOSITIONS:
        return None
    if is_thing or word in lexicon.PREPOSITIONS or word in lexicon.EMBEDDED:
        return AS_THING if is_thing else NO_REQUEST
    if word in lexicon.TALKS:
        return NO_REQUEST
    return _judge_after_object(words, at, clause)


def _is_phrasal(word: str, before: str, clause: Clause) -> bool:
    """Tell whether a verb with a particle puts the block to work: `kick off $forge`, `assign $team to issue 12`."""
    if word == "assign":
        return clause.next == "to" and bool((lexicon.TICKETS | lexicon.DEICTIC) & set(clause.after[1:3]))
    return (word in lexicon.STARTED_WITH and before in lexicon.STARTS) or (
        word in lexicon.PUTS_ON and clause.next == "on"
    )


def _is_no_instrument(words: list[str], at: int, clause: Clause) -> bool:
    """Tell whether the `with` or `by` at `words[at]` makes the block a thing: `issues with $forge`, `sort by $team`."""
    word, before = words[at], words[at - 1] if at else ""
    if word == "by" and lexicon.ARRANGES & {*clause.prior, *words}:
        return True
    if word == "per" and words[0] not in lexicon.WORK | lexicon.DIRECTIVES:
        return True
    is_mended = words[0] in lexicon.WORK and not lexicon.EMBEDDED & set(words[1:])
    if (before in lexicon.TAKES_WITH and not is_mended) or before in lexicon.LIKENS:
        return True
    is_through = word == "through" and before in lexicon.GOES_THROUGH
    return bool(lexicon.PUT_WITH & set(words)) or is_through or (word == "by" and is_past(before))


def _judge_after_object(words: list[str], at: int, clause: Clause) -> str | None:
    """Judge a block that follows the object of a verb: `fix the login $forge`."""
    if clause.follows and not clause.has_object:
        return NO_REQUEST
    if at == 0 and words[0][0] != THING_WORD:
        return None if clause.has_object and words[0] not in lexicon.WORK else NO_REQUEST
    if clause.has_object:
        return None
    is_about = words[0] in lexicon.NAMES or words[0] in lexicon.TALKS or {"between", "about"} & set(words)
    return None if clause.closes and not is_about and not (clause.asks and words == clause.words) else NO_REQUEST
