"""Tells how a clause is phrased: as a question, a negation, a statement, a correction, a plan for later.

These functions only describe; `directed.py` decides. In the examples the `$token` is the block that is looked at.
"""

from __future__ import annotations

from itertools import pairwise

from rcs_hooks.workflow.tokens import lexicon
from rcs_hooks.workflow.tokens.clause import ENDS, Clause, is_mark, match_phrase
from rcs_hooks.workflow.tokens.predicates import is_past

INVERTED = ("-je", "-il", "-elle", "t-on", "-ils", "-elles")
"""Endings of a French verb with its subject behind it, which asks."""


def strip_request(words: list[str]) -> tuple[list[str], bool]:
    """Strip fillers and requests (`please can you`) from the beginning; return also whether there was a request."""
    is_request = False
    while words:
        if phrase := match_phrase(words, lexicon.REQUESTS):
            words, is_request = words[phrase:], True
        elif (
            words[0] == "i"
            and words[1:2] in (["think"], ["guess"], ["believe"])
            and match_phrase(words[2:], lexicon.REQUESTS)
        ):
            words = words[2:]
        elif phrase := match_phrase(words, lexicon.INTROS):
            words = words[phrase:]
        elif words[0] in lexicon.FILLERS or (is_request and words[0] == "to"):
            words = words[1:]
        else:
            break
    return words, is_request


def has_subject(words: list[str]) -> bool:
    """Tell whether a clause of at least one word begins with a subject, so that it is no imperative."""
    if words[0] in lexicon.SUBJECTS or words[0] in lexicon.DETERMINERS or words[0] in lexicon.DEMONSTRATIVES:
        return True
    return words[0] not in lexicon.WORK and bool(lexicon.FINITE & set(words[1:4]))


def is_question(words: list[str], clause: Clause) -> bool:
    """Tell whether words of the clause ask something: `what does $forge do`, `check whether $forge`."""
    first, second = (*words, "")[:2]
    if first.endswith(INVERTED) or "ли" in words:
        return True
    if first in lexicon.ASKS_BEFORE_SUBJECT:
        return (second in lexicon.SUBJECTS and second not in ("it", "that")) or second in lexicon.QUESTIONS
    if first in lexicon.QUESTIONS or lexicon.EMBEDDED & set(words[-2:]):
        return True
    knows = first in lexicon.TALKS or first in ("check", "figure", "ask", "look", "wonder")
    return bool(knows and lexicon.EMBEDDED & set(words[1:])) or (
        clause.asks
        and clause.words is not words
        and bool(words)
        and words is not clause.prior
        and not clause.has_object
    )


def is_negated(words: list[str], clause: Clause) -> bool:
    """Tell whether a negation reaches the block after `words`: `do not use $team`; not `do not stop, $forge it`."""
    if phrase := _near_phrase(words):
        return not lexicon.PROHIBITIONS & set(words[: len(words) - phrase])
    at, is_use = len(words) - 1, False
    while at >= 0 and (words[at] in lexicon.SMALL or words[at] in lexicon.DIRECTIVES or words[at].startswith("$")):
        is_use = is_use or words[at] in lexicon.DIRECTIVES
        if words[at] == "and" and at and words[at - 1][0] != "$" and words[at - 1] not in lexicon.DIRECTIVES:
            return False  # here `and` joins another clause, not another token: `stop that and $forge it`
        at -= 1
    earlier = words[: max(0, at)]
    if at >= 0 and words[at] in lexicon.NEGATIONS:
        return not (words[at] in lexicon.OWN and lexicon.PROHIBITIONS & set(earlier))
    if not lexicon.PROHIBITIONS & set(words):
        return False
    if lexicon.OWN & set(words):
        return False
    is_imperative = words[0] in lexicon.PROHIBITIONS or words[:2] == ["do", "not"] or words[0] in lexicon.NEGATED_FIRST
    if clause.has_object and not is_use:
        return False
    return is_imperative or is_use


def _near_phrase(words: list[str]) -> int:
    """Count the words from a negating phrase to the end, if only small words follow the phrase; 0 if there is none."""
    words = [word for word in words if word not in lexicon.POLITE]
    end = len(words)
    while end:
        if count := match_phrase(words[:end], lexicon.NEGATIVE_PHRASES, at_end=True):
            return len(words) - end + count
        if (
            words[end - 1] not in lexicon.SMALL
            and words[end - 1] not in lexicon.DIRECTIVES
            and words[end - 1][0] != "$"
        ):
            return 0
        end -= 1
    return 0


def bare_imperative(words: list[str]) -> int:
    """Return the index of a verb of use that begins a clause without a mark: `if it fails use $team`; 0 if none."""
    for at in range(len(words) - 1, 0, -1):
        before = words[at - 1]
        if words[at] not in lexicon.IMPERATIVES or before in lexicon.SUBJECT_VERBS or before in lexicon.NEGATIONS:
            continue
        earlier = set(words[:at])
        is_prohibition = (
            words[0] in ("do", "don't", "dont", "never", "not", "no", "under", "you", "we")
            and lexicon.NEGATIONS & earlier
        )
        if before in lexicon.DETERMINERS or before in lexicon.FINITE or is_prohibition or words[0] in lexicon.TALKS:
            return 0
        if (
            before.endswith("'t")
            or match_phrase(words[:at], lexicon.NEGATIVE_PHRASES, at_end=True)
            or words[0] in lexicon.QUESTIONS
        ):
            return 0
        return at if (lexicon.CONDITIONS | lexicon.FINITE | lexicon.NEGATIONS | lexicon.PAST) & earlier else 0
    return 0


def is_statement(words: list[str]) -> bool:
    """Tell whether the verb of use before the block has a subject: `next week we'll run $forge`."""
    at = len(words) - 1
    while at > 0 and (words[at] in lexicon.DETERMINERS or words[at] in lexicon.KINDS):
        at -= 1
    if at < 1 or words[at] not in lexicon.DIRECTIVES:
        return False
    is_conditional = at > 1 and words[at - 1] in lexicon.SUBJECTS and words[at - 2] in lexicon.CONDITIONS
    return is_conditional or words[at - 1] in lexicon.STATING


def is_subjunctive(words: list[str]) -> bool:
    """Tell whether the words are one verb of use, perhaps in the subjunctive: `que tu utilises`, `que uses`."""
    return len(words) == 1 and words[0].removesuffix("s") in lexicon.DIRECTIVES


def tells_of_the_past(words: list[str], clause: Clause, *, is_request: bool) -> bool:
    """Tell whether the tokens were used, or should have been: `used $forge yesterday`, `you should have used $forge`.

    `words`: those before the tokens, in lower case. `is_request`: the clause begins as a request does, so that a verb
    that looks like a past, such as `put`, is none.
    """
    if words[-2:-1] == ["have"] and is_past(words[-1]):
        return True
    is_told = bool(lexicon.PAST_TIME & set(words)) or (is_past(words[0]) and not is_request)
    return is_told and (not clause.has_object or words[-1] in lexicon.TALKS | lexicon.DIRECTIVES)


def is_for_later(clause: Clause) -> bool:
    """Tell whether the clause is about later: `tomorrow we run $forge`, `use $forge only when I say so`."""
    if clause.next == "only" and lexicon.CONDITIONS & set(clause.after[1:2]):
        return True
    at = [at for at in range(len(clause.words)) if match_phrase(clause.words[at:], lexicon.LATER)]
    is_said_before = any(not at or clause.words[at - 1] not in lexicon.PREPOSITIONS for at in at)
    return is_said_before or bool(match_phrase(clause.after, lexicon.LATER))


def is_unsure(clause: Clause) -> bool:
    """Tell whether a statement is put as a question: `we should use $forge?`, `you can use $forge, right?`."""
    if clause.words[:3] == ["would", "you", "use"]:
        return True
    if "ли" in clause.words and not lexicon.RUSSIAN_YOU & set(clause.words):
        return True
    first = next((word for word in clause.words if word not in lexicon.FILLERS), "")
    is_polite = lexicon.POLITE & {*clause.words, *clause.after} or {"ok", "okay", "alright"} & set(clause.after[-2:])
    return first in lexicon.SUBJECTS and not is_polite


def is_hearsay(after: list[str]) -> bool:
    """Tell whether the words after a block cite somebody else: `..., the docs say`, `..., says the README`."""
    said = {"say", "says", "said"}
    return bool(said & set(after[-2:])) or any(is_mark(mark) and word in said for mark, word in pairwise(after))


def is_correction(clause: Clause) -> bool:
    """Tell whether the clause corrects an earlier one: `no, I meant $forge`, and nothing else follows."""
    is_repeated = clause.words[-2:] == ["i", "said"] and clause.next[:1] == "!"
    if clause.words[-2:] not in (["i", "meant"], ["i", "mean"]) and not is_repeated:
        return False
    earlier = [word for word in (*clause.prior, *clause.words[:-2]) if word[0] != "$"]
    rest = [word for word in clause.after if word not in lexicon.TAIL]
    ends = not rest or rest[0][0] in ENDS or "not" in rest[:2] or rest[0] in lexicon.WORK
    return ends and not clause.asks and set(earlier) <= lexicon.CORRECTIONS


def is_order(clause: Clause) -> bool:
    """Tell whether the block names what follows as its task: `my $forge request: fix the login`."""
    return clause.next in lexicon.ORDERS and clause.after[1:2] == [":"] and len(clause.words) < 2


def points_at_work(words: list[str], clause: Clause) -> bool:
    """Tell whether the clause points at work that is at hand: `can we do this with $forge?`."""
    is_here = clause.next in lexicon.DEICTIC or (
        clause.next in lexicon.ON_OR_FOR and bool(lexicon.DEICTIC & set(clause.after[1:2]))
    )
    return is_here or bool(lexicon.DEICTIC & set(words) or lexicon.POLITE & {*clause.words, *clause.after})


def wants_one(words: list[str], clause: Clause, *, is_request: bool) -> bool:
    """Tell whether the clause asks for one of the kind: `draft a $blueprint`; not `write a $blueprint page`."""
    if words[-1:] == [] or words[-1] not in lexicon.ONE:
        return False
    if clause.next in lexicon.NOUNS and not (is_request and clause.next in lexicon.RUNS):
        return False
    if clause.next in lexicon.MAKING_LAST and (is_request or lexicon.POLITE & set(clause.words)):
        is_end = all(is_mark(item) or item in lexicon.TAIL for item in clause.after[1:])
        return is_end and not lexicon.PROHIBITIONS & set(words)
    if len(words) == 1:
        return is_request or clause.closes
    if len(words) == 2 and words[0] in lexicon.ONLY:
        return clause.closes
    if words[0] in ("can", "could", "may") and words[1] == "i" and set(words[2:-1]) <= {"get", "have", "ask", "for"}:
        return True
    return words[0] in lexicon.MAKING and set(words[1:-1]) <= lexicon.TO_WHOM


def contrasts(prior: list[str]) -> bool:
    """Tell whether the words before the clause rule something out, as before the comma in `not $team, $forge`."""
    return not lexicon.CONTRASTS.isdisjoint(prior)


def closes_a_report(clause: Clause) -> bool:
    """Tell whether the block follows a report by the person: `I've read the plan, $forge`."""
    prior = strip_request(clause.prior)[0]
    if not prior or any(word[0] == "$" for word in prior) or names_a_thing(prior):
        return False
    return prior[0] in lexicon.FIRST_PERSON and not lexicon.PROHIBITIONS & set(prior[-2:])


def names_a_thing(words: list[str]) -> bool:
    """Tell whether the words name the thing that the block repeats: `I found a new skill, $forge`."""
    return words[-1] in lexicon.OURS or words[-1] in lexicon.SAYING
