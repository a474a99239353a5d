"""Tells whether the words around a block of `$tokens` make it a quotation, a variable, a subject or a definition.

Rules of this file:
- Reported speech is a quotation: the block follows `says:`, `e.g.` or `the message should be:`, or others are told to
  use it.
- Next to another variable, after `as` or `instead of`, or in a state (`with $team null`), the block is a variable.
- The words right after it can make it a subject (`$forge is`, `$forge failed`), a definition (`$forge: the ...`) or an
  attribute (`the $team variable`).
- Whether the clause asks for work is decided in `directed.py`.
"""

from __future__ import annotations

from itertools import dropwhile, pairwise, takewhile

from rcs_hooks.catalog import NAMESPACE, skill_named
from rcs_hooks.workflow.tokens import lexicon
from rcs_hooks.workflow.tokens.clause import Clause, first_items, is_end, is_mark, match_phrase
from rcs_hooks.workflow.tokens.phrasing import strip_request
from rcs_hooks.workflow.tokens.predicates import complains, is_predicate, is_small

NEGATED = "negated in its clause"
ASKED_ABOUT = "its sentence asks about it"
PAST = "its sentence tells of the past"
DEFINED = "defined there"
AS_THING = "named as a thing"
AS_VARIABLE = "named as a variable"
NO_REQUEST = "nothing there asks for it"
QUOTED = "quoted or given as an example"
LEADS_IN = (":", "-", "\x1e")
"""Marks after which a token is explained begin with one of these: `$forge: a loop`, `$forge - a loop`."""
MENTIONS = frozenset({NEGATED, ASKED_ABOUT, PAST, DEFINED, AS_THING, AS_VARIABLE, NO_REQUEST, QUOTED})


def is_quoted(clause: Clause, leads: list[str]) -> bool:
    """Tell whether the block is in somebody else's words, is what others are told to use, or is an example.

    `leads`: the words that lead in the block, as before a colon.
    """
    words = clause.words
    if leads and len(words) <= 3 and _cites(leads):
        return True
    if lexicon.ACCORDING & set(words[:1]):
        return True
    if match_phrase(strip_request(words)[0], lexicon.EXAMPLES) or match_phrase(
        clause.prior, lexicon.EXAMPLES, at_end=True
    ):
        return True
    if words and words[-1] in lexicon.DIRECTIVES:
        said = list(dropwhile(lambda word: word in lexicon.DIRECTIVES | lexicon.TOLD_TO, reversed(words)))
        is_said = bool(lexicon.SAYING & set(said[:1])) and not words[-1].endswith("ing")
        if is_said and not (clause.is_last and _is_own(said[::-1])):
            return True
        verbs = strip_request(words)[0]
        return bool(lexicon.TELLING & set(verbs[:1])) and "to" in verbs and not lexicon.JOINS & set(verbs)
    return False


def _is_own(words: list[str]) -> bool:
    """Tell whether the words end with a phrase by which a person corrects what was understood, such as `I said`."""
    return bool(match_phrase(words, lexicon.SAID, at_end=True))


def _cites(leads: list[str]) -> bool:
    """Tell whether the words of a lead-in with a colon announce somebody's words."""
    if match_phrase(leads, lexicon.SAID) or _is_own(leads) or lexicon.ASIDES.issuperset(strip_request(leads)[0]):
        return False
    verb = leads[-2:-1] if leads[-1] in lexicon.SUBJECTS else leads[-1:]
    if lexicon.SAYING & set(verb) or match_phrase(leads, lexicon.EXAMPLES, at_end=True):
        return True
    if not lexicon.TEXTS & set(leads):
        return False
    is_text = leads[-1] in lexicon.TEXTS or leads[-1] in lexicon.COPULAS
    return is_text or bool((lexicon.TEXTS | lexicon.PUTS) & set(strip_request(leads)[0][:1]))


def is_title(line: str, clause: Clause) -> bool:
    """Tell whether a capitalized verb of use before the block makes it a title: `a section Using $forge`.

    `line`: the line before the block, as typed.
    """
    last = line.split()[-1:]
    if not last or not last[0][:1].isupper() or last[0].lower() not in lexicon.DIRECTIVES:
        return False
    return not (lexicon.TEXTS | lexicon.NAMES | lexicon.NAMED).isdisjoint(clause.words[:-1])


def is_code(clause: Clause) -> bool:
    """Tell whether the clause speaks of a variable: `$team and $user`, `use $team as the key`, `$team in the loop`."""
    after = clause.after
    if after[:2] == ["instead", "of"] and after[2:3] and after[2].startswith("$"):
        after = after[3:]
    last, (first, second) = "".join(clause.words[-1:]), first_items(after, 2)
    if first in lexicon.AS and last and second not in lexicon.AS_BEFORE and second not in lexicon.SUBJECTS:
        return True
    is_place_of = any(word == "of" and then in lexicon.DETERMINERS for word, then in pairwise(after))
    if first == "in" and last in lexicon.DIRECTIVES and "instead" in after and is_place_of:
        return True
    if (last == "let" and first in lexicon.BECOMES) or (
        last in lexicon.TAKES_FROM and first in lexicon.FROM and second != "here"
    ):
        return True
    if _is_in_a_command(clause.words):
        return True
    return _is_next_to_variable(clause) or ((last in lexicon.WITH or last == "using") and _is_in_a_state(clause, last))


def _is_in_a_command(words: list[str]) -> bool:
    """Tell whether a token after these words is an argument: `git push $forge`, not `git bisect with $forge`."""
    words = strip_request(words)[0]
    return len(words) > 1 and words[0] in lexicon.PROGRAMS and words[-1] not in lexicon.WITH | lexicon.JOINS | {"using"}


def _is_next_to_variable(clause: Clause) -> bool:
    """Tell whether the tokens stand next to a shell variable, so that they are variables too: `$team and $user`."""
    first, *last = clause.words[-2:] or [""]
    if last and last[0] in lexicon.JOINS and _is_variable(first, clause):
        return True
    if last and last[0] in lexicon.TURNS_INTO and _is_variable(first, clause) and not lexicon.GIVES & set(clause.words):
        return True
    pairs = list(pairwise(clause.after))
    is_object = bool(clause.words) and clause.words[-1] not in lexicon.WITH | lexicon.DIRECTIVES
    if is_object and clause.next in lexicon.TURNS_INTO and pairs and _is_variable(pairs[0][1], clause):
        return True
    joined = pairs[0][0] in lexicon.JOINS and _is_variable(pairs[0][1], clause) if pairs else False
    return joined or any(word in lexicon.IN_PLACE_OF and _is_variable(item, clause) for word, item in pairs)


def _is_in_a_state(clause: Clause, last: str) -> bool:
    """Tell whether the block after the word `last` has a value: `with $team set to 5`, `with $team we get it`.

    Not in `with $forge fix it`.
    """
    first, second = first_items(clause.after, 2)
    following = list(takewhile(lambda item: not is_mark(item), clause.after))
    is_state = first in ("not", *lexicon.STATES) or (first.endswith("ed") and first not in lexicon.AFTER_A_STATE)
    if (is_state and second not in lexicon.STARTED_WITH) or (first in lexicon.JOINS and second == "without"):
        return True
    if lexicon.NULLS & set(following[:3]) or (first in lexicon.SMALL_STATES and lexicon.STATES & set(following)):
        return True
    if clause.words[0] == "call":
        return True
    if strip_request(clause.words)[0] != [last] or last == "using" or match_phrase(following, lexicon.REQUESTS):
        return False
    return first in lexicon.SUBJECTS or (first in lexicon.DETERMINERS and bool(lexicon.FINITE & set(following)))


def _is_variable(item: str, clause: Clause) -> bool:
    return item.startswith("$") and not is_skill(item, clause)


def skill_of(typed: str, own: frozenset[str]) -> str | None:
    """Return the mode (or `cancel`) that a token without its `$` names; None if it names none.

    `own`: the names of own modes, in lower case. None of these is meant in capitals: `$PATH` is a variable of a shell.
    """
    found = skill_named(typed)
    if found is not None or not own:
        return found
    name = typed.lower().removeprefix(NAMESPACE)
    return name if name in own and not typed.isupper() else None


def is_skill(item: str, clause: Clause) -> bool:
    """Tell whether a word of a clause is the `$token` of a skill."""
    return item.startswith("$") and skill_of(item[1:].rstrip("-:"), clause.own) is not None


def why_a_subject(clause: Clause) -> str | None:  # noqa: PLR0911 - one answer for each kind of word
    """Return why the words after the block make it no request; None if they do not."""
    after = clause.after
    while len(after) > 1 and (after[0] in lexicon.JOINS or after[0] == ",") and after[1].startswith("$"):
        after = after[2:]
    first, second, third = first_items(after, 3)
    if not clause.words and _is_asked_about(after, asks=clause.asks):
        return ASKED_ABOUT
    if first in lexicon.THINGS or first in lexicon.NULLS:
        return AS_VARIABLE
    if clause.next in lexicon.VERSUS or (len(after) < len(clause.after) and clause.asks and not clause.words):
        return ASKED_ABOUT
    if first.startswith(LEADS_IN) and not clause.words:
        return _after_a_colon(after, clause)
    following = list(takewhile(lambda item: not is_mark(item) and item not in lexicon.JOINS, after))
    if _is_negated_after(following):
        return NEGATED
    if clause.words and clause.words[-1] in lexicon.DIRECTIVES and not clause.words[-1].endswith("ing"):
        return None
    if first == "not" and second not in lexicon.OBJECTS and not second.startswith("$"):
        return NEGATED
    if not strip_request(clause.words)[0] and _is_subject_with_place(following):
        return NO_REQUEST
    if _is_wanted(after) or _is_own_clause(after, asks=clause.asks):
        return None
    if (not clause.words and complains(after)) or _is_explained(after) or _reports_abroad(after, clause):
        return NO_REQUEST
    if is_predicate(first, second, asks=clause.asks) or (first in lexicon.ADVERBS and is_predicate(second, third)):
        return NO_REQUEST
    return NO_REQUEST if _is_thing_told_of(after) else None


def _is_thing_told_of(after: list[str]) -> bool:
    """Tell whether these words name a thing and tell of it: `$forge fix was merged yesterday`.

    Not in `$forge test is failing on CI, fix it`, where a later clause asks for work.
    """
    first, second = first_items(after, 2)
    is_told = first in lexicon.DEEDS and second in lexicon.AUXILIARY_PASTS
    if not is_told and not (first in lexicon.NOUNS and second in lexicon.PREDICATES):
        return False
    return not any(is_mark(mark) and word in lexicon.WORK for mark, word in pairwise(after))


def _is_explained(after: list[str]) -> bool:
    """Tell whether an apposition follows the block: `$team, the argument, is never checked`."""
    is_put_in = after[:1] == [","] and bool(lexicon.DETERMINERS & set(after[1:2]))
    return is_put_in and any(mark == "," and word in lexicon.PREDICATES for mark, word in pairwise(after))


def _is_negated_after(following: list[str]) -> bool:
    """Tell whether a negation follows the block: `start $forge not yet`, `starte $forge nicht`."""
    said = [word for word in following if word not in lexicon.TAIL]
    is_negation = len(said) == 1 and said[0] in lexicon.NEGATED_LAST
    return is_negation or any(match_phrase(following[at:], lexicon.NOT_YET) for at in range(len(following[:6])))


def _is_subject_with_place(following: list[str]) -> bool:
    """Tell whether the block is a subject with a place: `$team in the controller is null`.

    Not in `$forge on what is left`.
    """
    if (
        not following
        or following[0] == "to"
        or following[0] in lexicon.CONDITIONS
        or following[0] not in lexicon.PREPOSITIONS
    ):
        return False
    stops = lexicon.CONDITIONS | lexicon.EMBEDDED | {"that", "and"}
    return bool(lexicon.FINITE & set(takewhile(lambda word: word not in stops, following[1:])))


def _is_wanted(after: list[str]) -> bool:
    """Tell whether these words say that the block is wanted: `$forge is what I want here`, `$blueprint is needed`."""
    if after[:1] not in (["is"], ["are"]):
        return False
    return after[1:2] in (["needed"], ["wanted"]) or (
        after[1:2] == ["what"] and bool({"want", "need"} & set(after[3:4]))
    )


def _is_own_clause(after: list[str], *, asks: bool) -> bool:
    """Tell whether these words are a clause with a subject of its own, or one last `only`: `$forge can you fix it?`."""
    first, second, third = first_items(after, 3)
    if first == "only":
        return not second or is_end(second)
    if first not in lexicon.FINITE | lexicon.MODALS or not asks:
        return False
    is_judged = third in lexicon.JUDGED and second.isalpha() and second not in lexicon.PREDICATES | lexicon.ADVERBS
    return second in lexicon.SUBJECTS or (is_judged and not is_small(second))


def _is_asked_about(after: list[str], *, asks: bool) -> bool:
    """Tell whether these words ask about the block before them: `$forge, what is that?`."""
    is_question = asks and after[:1] == [","] and after[1] in lexicon.QUESTIONS
    is_own = match_phrase(after[1:], lexicon.REQUESTS) or match_phrase(after[1:], lexicon.SHARED)
    return is_question and not is_own and bool(lexicon.POINTS_BACK & set(after[2:5]))


def _after_a_colon(after: list[str], clause: Clause) -> str | None:
    """Return why the words after a colon make the block no request; None if they do not.

    `$forge: a loop` is a definition; `$forge: a bug in login` is a request.
    """
    first, second, third, fourth = first_items(after, 4)
    if second in lexicon.FORBIDDEN or second == "not" or (second, third) == ("never", "again"):
        return NEGATED
    if (third, fourth) == ("not", "found"):
        return NO_REQUEST
    if second in lexicon.QUESTIONS and lexicon.PUT_WITH & set(after):
        return ASKED_ABOUT
    if second not in (lexicon.ARTICLES if first == ":" else lexicon.ONE) or third in lexicon.COMPLAINTS:
        return None
    items = [item for item in after if item not in lexicon.FILLERS]
    is_told_to = any(mark in (",", "\x1e") and word in lexicon.WORK for mark, word in pairwise(items))
    return None if is_told_to else DEFINED


def _reports_abroad(after: list[str], clause: Clause) -> bool:
    """Tell whether the words after a block report what it did, in a language other than English."""
    first, second, third = first_items(after, 3)
    if not first or is_mark(first) or (clause.words and clause.words[-1] not in lexicon.THAT | {"que"}):
        return False
    may_report = first in lexicon.AUXILIARIES or first.endswith(lexicon.PAST_ENDINGS)
    if not may_report and f"{first}{second}{third}".isascii():
        return False
    from rcs_hooks.workflow.tokens import reports

    return reports.is_report(after, clause)
