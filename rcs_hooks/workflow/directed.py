"""Whether a block of `$tokens` is directed, or only mentioned: `fix it with $forge` against `what does $forge do?`.

Rules of this file, in the order in which they are asked:
- What stands right behind the block can make it a subject (`$forge is`, `$forge failed`), a definition
  (`$forge: the ...`) or an attribute (`the $team variable`).
- The clause before it reaches back to the last mark or conjunction.
  A lead-in with a colon (`Do not use:`) is asked too.
- A clause that negates, asks or tells of the past directs nothing.
- What is left begins with a request (`can you`, `I want to`), or is an imperative unless it has a subject.
- In an imperative the word before the block decides: a directive (`use`, `with`, `now`), nothing at all, or an object
  behind which the block closes the sentence. A verb takes the token for its object (`rename $team`), a preposition
  or a determiner for a thing (`about $forge`, `my $forge`).
- Behind a comma or a conjunction, in a sentence that asks nobody to work, a block needs an object or a verb of its own.

The words are in `lexicon.py`; `cjk.py` reads Chinese, Japanese and Korean.
"""

from __future__ import annotations

import re
from itertools import pairwise, takewhile
from typing import NamedTuple

from rcs_hooks.workflow import lexicon

NEGATED = "negated in its clause"
ASKED = "its sentence asks about it"
PAST = "its sentence tells of the past"
DEFINED = "defined there"
THING = "named as a thing"
VARIABLE = "named as a variable"
TOLD = "nothing there asks for it"
MENTIONS = frozenset({NEGATED, ASKED, PAST, DEFINED, THING, VARIABLE, TOLD})

REACH = 300
"""How many characters on either side are looked at: a bound on the work."""
FOREIGN = "\ufffc"
"""Stands for each character of somebody else's words."""

# Both are matched on plain text: a pattern with letters beyond Latin-1 in its classes takes a millisecond to compile.
ITEMS = re.compile(
    r"""(\$[\w:-]+ | \x1a+ | [^\W_]\w*(?:['./-]+\w+)*)
      | ([.!?;]+ (?=[\s)\]*"']|\Z))
      | ([,()\[\]\x1e\n] | :(?=\s|\Z) | (?<=\s)-+>?(?=\s))""",
    re.VERBOSE,
)
MARKER = re.compile(r"[ \t]*(?:(?:[-*+\x95]|\d{1,3}[.)])[ \t]+)+(?:\[[ xX]\][ \t]+)?")
LABEL = re.compile(r"[ \t]*[a-z][a-z_-]*:[ \t]*\Z")
"""A key of a settings file, before its value: `color: $team`."""
THING_WORD = "\x1a"
PLAIN = str.maketrans(
    {
        **dict.fromkeys("’‘ʼ＇′", "'"),
        **dict.fromkeys("—–→⇒➜", "\x1e"),
        "…": ".",
        "؟": "?",
        "،": ",",
        "•": "\x95",
        "”": '"',
        "»": '"',
        FOREIGN: "\x1a",
    }
)
UNFINISHED = ("不要", "别", "別", "请", "請", "使用", "用", " not ever", " not yet")
ENDS = frozenset(".!?;")


class Clause(NamedTuple):
    """What stands around a block in its sentence."""

    words: list[str]
    """Before it in its own clause."""
    prior: list[str]
    """Before that in the sentence."""
    after: list[str]
    """Behind it in the sentence, with the marks."""
    asks: bool
    """Whether the sentence ends in a question mark."""
    follows: bool
    """Whether an earlier block of the sentence was only mentioned."""

    @property
    def next(self) -> str:
        return self.after[0] if self.after else ""

    @property
    def has_object(self) -> bool:
        return self.next in lexicon.OBJECTS or self.next in lexicon.WORK

    @property
    def closes(self) -> bool:
        rest = [word for word in self.after if word not in lexicon.TAIL]
        return not rest or rest[0] in ",\x1e()\n:" or rest[0][0] in ENDS or rest[0].startswith("-")


def why_not(text: str, start: int, end: int, *, follows: bool) -> str | None:
    """Why the block at `start:end` directs nothing; None where it does. Somebody else's words in `text` are FOREIGN."""
    line, lead = _line_before(text, start)
    behind = text[end : end + REACH].translate(PLAIN)
    here = line + behind.split("\n", 1)[0]
    if not here.isascii() and any(is_cjk(char) for char in here):
        from rcs_hooks.workflow import cjk

        return cjk.why_not(line, behind)
    if LABEL.match(line) and not behind.split("\n", 1)[0].strip(" \t;") and _items(line)[0] not in lexicon.LEADS:
        return TOLD
    clause, leads = _clause(line, lead, behind, follows=follows)
    why = _made_a_subject(clause)
    return (_judged(clause) or why) if why == TOLD else why or _led_in(leads, clause) or _judged(clause)


def is_stop(text: str, start: int, end: int) -> bool:
    """Whether the block closes a clause that only says to stop: `no wait $cancel`."""
    before = text[max(0, start - REACH) : start].translate(PLAIN).rsplit("\n", 1)[-1]
    words: list[str] = []
    for item in _items(before):
        words = [] if item[0] in ENDS else words if _is_mark(item) else [*words, item]
    stops = False
    while words:
        count = 1 if words[0] in lexicon.STOPS else _phrase(words, lexicon.STOP_PHRASES)
        if not count and not (words[0] in lexicon.FILLERS or (stops and words[0] in lexicon.OBJECTS)):
            return False
        words, stops = words[max(1, count) :], stops or bool(count)
    return stops and _clause("", "", text[end : end + REACH].translate(PLAIN), follows=False)[0].closes


def is_cjk(char: str) -> bool:
    """Whether it is a letter of Chinese, Japanese or Korean."""
    return "\u3040" <= char <= "\u30ff" or "\u3400" <= char <= "\u9fff" or "\uac00" <= char <= "\ud7af"


def is_opening(text: str, start: int, end: int) -> bool:
    """Whether a block would be directed if a clause began with it: `$forge it`."""
    clause, _ = _clause("", "", text[end : end + REACH].translate(PLAIN), follows=False)
    return clause.has_object and _made_a_subject(clause) is None


def _line_before(text: str, start: int) -> tuple[str, str]:
    """What stands before the block in its line, wrapped lines joined; and the line with a colon that leads it in."""
    *earlier, line = text[max(0, start - REACH) : start].translate(PLAIN).split("\n")
    marker = MARKER.match(line)
    if marker:
        line = line[marker.end() :]
        while earlier and (not earlier[-1].strip() or MARKER.match(earlier[-1])):
            earlier.pop()
    else:
        while earlier and _goes_on(earlier[-1]):
            line = f"{earlier.pop()} {line}"
        line = line[found.end() :] if (found := MARKER.match(line)) else line
    lead = earlier[-1].rstrip() if earlier and (marker or not line.strip()) else ""
    return line, lead if lead.endswith((":", "：")) or (marker and lead.endswith("?")) else ""


def _goes_on(line: str) -> bool:
    """Whether a sentence goes on behind the end of this line."""
    items = _items(line)
    if not items:
        return False
    if line.rstrip().endswith(UNFINISHED) or _phrase(items[-3:], lexicon.NEGATIVE_PHRASES, at_end=True):
        return True
    return items[-1] in lexicon.DANGLING and not (lexicon.FACTS & set(items) and items[-1] not in lexicon.DETERMINERS)


def _items(text: str) -> list[str]:
    """Words in lower case, and marks."""
    return [match[0].lower() for match in ITEMS.finditer(text)]


def _is_mark(item: str) -> bool:
    return not (item[0].isalnum() or item[0] in "$\x1a")


def _clause(line: str, lead: str, behind: str, *, follows: bool) -> tuple[Clause, list[str]]:
    clauses: list[list[str]] = [[]]
    leads, is_apart = _items(lead), False
    for item in _items(line):
        if not _is_mark(item):
            clauses[-1].append(item)
        elif item[0] in ENDS:
            clauses, leads = [[]], []
        elif item == "," and clauses[-1] and (is_apart or _is_set_apart(clauses[-1])):
            is_apart = True
        else:
            leads = clauses[-1] if item == ":" else leads if not clauses[-1] else []
            clauses.append([])
    words = clauses.pop()
    prior = [word for clause in clauses for word in clause]
    cut = _conjunction(words)
    after: list[str] = []
    for item in _items(behind):
        if item == "\n":
            break
        after.append(item)
        if item[0] in ENDS:
            break
    asks = bool(after) and after[-1][0] == "?"
    return Clause(words[cut:], prior + words[:cut], after, asks, follows), leads


def _is_set_apart(words: list[str]) -> bool:
    """`do not, under any circumstances, use $team`: the comma ends nothing."""
    return words[-1] in lexicon.PROHIBITIONS or "circumstances" in words or words[-1] in ("ever", "means")


def _conjunction(words: list[str]) -> int:
    """Where the last clause of these words begins."""
    for at in range(len(words) - 1, -1, -1):
        word, before, rest = words[at], words[:at], words[at + 1 :]
        if word in lexicon.CONJUNCTIONS and (
            not before or before[-1] not in ("anything", "everything", "nothing", "more")
        ):
            return at + 1
        if word in ("i", "we") and rest[:1] in (["want"], ["need"]) and before and before[-1] not in lexicon.SAYS_MORE:
            return at if words[0] not in lexicon.ASKS_BEFORE_SUBJECT | lexicon.QUESTIONS | lexicon.CONDITIONS else 0
        if word == "instead" and rest[:1] != ["of"]:
            return at + 1
        if word in ("and", "und", "et", "y", "и") and rest and rest[0] in lexicon.IMPERATIVES and before:
            return at + 1
    return 0


def _made_a_subject(clause: Clause) -> str | None:
    """By what stands behind the block."""
    after = clause.after
    while len(after) > 1 and (after[0] in lexicon.JOINS or after[0] == ",") and after[1].startswith("$"):
        after = after[2:]
    first, second, third = (*after, "", "", "")[:3]
    if first in lexicon.THINGS:
        return VARIABLE
    if clause.next in ("vs", "versus") or (len(after) < len(clause.after) and clause.asks and not clause.words):
        return ASKED
    if (first == ":" or (first[:1] in "-\x1e" and first)) and not clause.words:
        return _behind_a_colon(after, clause)
    if clause.words and clause.words[-1] in lexicon.DIRECTIVES and not clause.words[-1].endswith("ing"):
        return None
    if first == "not" and second not in lexicon.OBJECTS:
        return NEGATED
    if _is_wanted(after):
        return None
    if not clause.words and _complains(after):
        return TOLD
    if _is_predicate(first, second, asks=clause.asks) or (first in lexicon.ADVERBS and _is_predicate(second, third)):
        return TOLD
    return TOLD if first in lexicon.NOUNS and second in lexicon.PREDICATES else None


def _is_wanted(after: list[str]) -> bool:
    """`$forge is what I want here`, `$blueprint is needed`."""
    if after[:1] not in (["is"], ["are"]):
        return False
    return after[1:2] in (["needed"], ["wanted"]) or (
        after[1:2] == ["what"] and bool({"want", "need"} & set(after[3:4]))
    )


def _behind_a_colon(after: list[str], clause: Clause) -> str | None:
    """`$forge: a loop` defines it; `$forge: the login is broken, fix it` and `$forge: a bug in login` ask for it."""
    first, second, third = (*after, "", "", "")[:3]
    if second in lexicon.FORBIDDEN or second == "not" or (second, third) == ("never", "again"):
        return NEGATED
    if (third, *after[3:4]) == ("not", "found"):
        return TOLD
    if second in lexicon.QUESTIONS and lexicon.PUT_WITH & set(after):
        return ASKED
    if second not in (lexicon.ARTICLES if first == ":" else lexicon.ONE) or third in lexicon.COMPLAINTS:
        return None
    items = [item for item in after if item not in lexicon.FILLERS]
    is_told_to = any(mark in (",", "\x1e") and word in lexicon.WORK for mark, word in pairwise(items))
    return None if is_told_to else DEFINED


def _complains(after: list[str]) -> bool:
    """Whether what stands right behind a block that opens its clause judges it, or says what it did."""
    first, second, third = (*after, "", "", "")[:3]
    if first in lexicon.JUDGED:
        return _is_small(second)
    if first in lexicon.COMPLAINTS:
        return not second or _is_mark(second) or second in lexicon.REPORTS
    if (second, third) == ("not", "found") or (first == "no" and second in lexicon.PREDICATES):
        return True
    if first == "se" or (first == "no" and second in ("se", "me", "le")):
        return True
    if first.endswith(lexicon.VERB_ENDINGS) or (_is_past(first) and second.isdigit()):
        return True
    clause = list(takewhile(lambda word: not _is_mark(word), after))
    return first.endswith("t") and len(clause) > 1 and clause[-1] in lexicon.SEPARABLE


def _is_predicate(first: str, second: str, *, asks: bool = False) -> bool:
    if first in lexicon.UNSURE:
        return (
            second in lexicon.UNSURE[first]
            or (first == "это" and second[:1].isalpha())
            or (first == "a" and second.endswith("é"))
        )
    if asks and first in ("do", "does", "did"):
        return second not in lexicon.DETERMINERS and second not in lexicon.SUBJECTS
    is_verb = first.endswith("s") and len(first) > 3 and not first.endswith("ss") and first not in lexicon.NOUNS
    if is_verb and (second in lexicon.OBJECTS or second in lexicon.BEHIND_A_VERB):
        return True
    return first in lexicon.PREDICATES or (_is_past(first) and _is_small(second))


def _is_past(word: str) -> bool:
    return word in lexicon.PAST or (len(word) > 4 and word.endswith("ed") and not word.endswith("eed"))


def _is_small(word: str) -> bool:
    return (
        not word
        or _is_mark(word)
        or word in lexicon.SMALL
        or word in lexicon.PREPOSITIONS
        or word in lexicon.PAST_TIME | lexicon.TAIL
    )


def _led_in(lead: list[str], clause: Clause) -> str | None:
    if not lead or len(clause.words) > 1:
        return None
    words = _stripped(lead)[0]
    if _is_negated([*lead, "use"], clause) or lexicon.FORBIDDEN & set(lead):
        return NEGATED
    is_wish = words[-1:] in (["want"], ["need"])
    if words and not is_wish and (words[0] in lexicon.QUESTIONS or lead[-1] == "?"):
        return ASKED
    is_list = lexicon.INVENTORY & set(words) and not {"use", "using", "run"} & set(words)
    return TOLD if is_list or (words and words[0] in lexicon.TALKS) else None


def _judged(clause: Clause) -> str | None:  # noqa: PLR0911 - one answer for each kind of word
    words, is_request = _stripped(clause.words)
    if _wants_one(words, clause, is_request=is_request):
        return None
    if is_request and clause.asks and clause.words[:3] == ["would", "you", "use"]:
        return ASKED
    if is_request and _is_hearsay(clause.after):
        return TOLD
    if not words or (words in (["can", "we"], ["could", "we"]) and clause.has_object):
        return _opening(clause, is_request=is_request)
    directive = _bare_imperative(words)
    if directive:
        return _governed(words[directive:], clause)
    if not is_request and _asks(words, clause):
        return ASKED
    if _is_negated(words, clause):
        return NEGATED
    if lexicon.PROHIBITIONS & set(words) and lexicon.OWN & set(words[1:]):
        return None
    is_past = lexicon.PAST_TIME & set(words) or (_is_past(words[0]) and not is_request)
    if is_past and (not clause.has_object or words[-1] in lexicon.TALKS | lexicon.DIRECTIVES):
        return PAST
    if words[0] in lexicon.CONDITIONS and words[1:2] and words[1] in lexicon.SUBJECTS and not clause.has_object:
        return TOLD
    is_polite = lexicon.POLITE & set(clause.words)
    if not (is_request or is_polite) and _has_subject(words):
        return _in_a_statement(words, clause)
    return _governed(words, clause)


def _is_hearsay(after: list[str]) -> bool:
    """`..., the docs say` or `..., says the README`."""
    said = {"say", "says", "said"}
    return bool(said & set(after[-2:])) or any(_is_mark(mark) and word in said for mark, word in pairwise(after))


def _wants_one(words: list[str], clause: Clause, *, is_request: bool) -> bool:
    """`draft a $blueprint`, `I'd like a $blueprint`; not `write a $blueprint page`."""
    if words[-1:] == [] or words[-1] not in lexicon.ONE or clause.next in lexicon.NOUNS:
        return False
    if len(words) == 1:
        return is_request
    return words[0] in lexicon.MAKING and set(words[1:-1]) <= lexicon.TO_WHOM


def _stripped(words: list[str]) -> tuple[list[str], bool]:
    """Without fillers and requests at the beginning; and whether there was a request."""
    is_request = False
    while words:
        if phrase := _phrase(words, lexicon.REQUESTS):
            words, is_request = words[phrase:], True
        elif (
            words[0] == "i"
            and words[1:2] in (["think"], ["guess"], ["believe"])
            and _phrase(words[2:], lexicon.REQUESTS)
        ):
            words = words[2:]
        elif words[0] in lexicon.FILLERS or (is_request and words[0] == "to"):
            words = words[1:]
        else:
            break
    return words, is_request


def _phrase(words: list[str], phrases: tuple[str, ...], *, at_end: bool = False) -> int:
    """How many words the longest of the phrases has with which these begin, or end."""
    text = " ".join(words[-4:] if at_end else words[:8]) + " "
    for phrase in phrases:
        if f" {text}".endswith(f" {phrase}") if at_end else text.startswith(phrase):
            return phrase.count(" ")
    return 0


def _opening(clause: Clause, *, is_request: bool) -> str | None:
    """A block that opens its clause."""
    if is_request or clause.has_object:
        return None
    if (
        clause.asks
        and all(item in lexicon.TAIL or _is_mark(item) for item in clause.after)
        and not lexicon.POLITE & set(clause.words)
    ):
        return ASKED
    if lexicon.POLITE & set(clause.after[:3]):
        return None
    if not clause.prior and clause.words and set(clause.words) <= lexicon.THANKS and clause.closes:
        return TOLD
    prior, was_request = _stripped(clause.prior)
    if not prior or was_request:
        return TOLD if clause.follows and not was_request and not _contrasts(clause.prior) else None
    if clause.follows and not _contrasts(clause.prior):
        return TOLD
    if _asks(prior, clause):
        return ASKED
    is_told = clause.next in lexicon.JOINS and (prior[0] in lexicon.TALKS or _has_subject(prior))
    is_story = prior[0] in lexicon.FIRST_PERSON or (bool(clause.words) and _is_past(prior[0]))
    return (
        TOLD if is_told or (is_story and any(_is_past(word) or word in lexicon.TALKS for word in prior[:6])) else None
    )


def _contrasts(prior: list[str]) -> bool:
    return bool({"not", "instead", "without", "rather", "nicht", "pas", "no"} & set(prior))


def _bare_imperative(words: list[str]) -> int:
    """Where a verb of use begins a clause without a mark: `if it does not work use $team`; 0 if nowhere."""
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
            or _phrase(words[:at], lexicon.NEGATIVE_PHRASES, at_end=True)
            or words[0] in lexicon.QUESTIONS
        ):
            return 0
        return at if (lexicon.CONDITIONS | lexicon.FINITE | lexicon.NEGATIONS | lexicon.PAST) & earlier else 0
    return 0


def _is_negated(words: list[str], clause: Clause) -> bool:
    if phrase := _near_phrase(words):
        return not lexicon.PROHIBITIONS & set(words[: len(words) - phrase])
    at, is_use = len(words) - 1, False
    while at >= 0 and (words[at] in lexicon.SMALL or words[at] in lexicon.DIRECTIVES or words[at].startswith("$")):
        is_use = is_use or words[at] in lexicon.DIRECTIVES
        if words[at] == "and" and at and words[at - 1][0] != "$" and words[at - 1] not in lexicon.DIRECTIVES:
            return False  # it joins another clause, not another token: `stop that and $forge it`
        at -= 1
    earlier = words[: max(0, at)]
    if at >= 0 and words[at] in lexicon.NEGATIONS:
        return not (words[at] in lexicon.OWN and lexicon.PROHIBITIONS & set(earlier))
    if not lexicon.PROHIBITIONS & set(words):
        return False
    if lexicon.OWN & set(words):
        return False
    is_imperative = words[0] in lexicon.PROHIBITIONS or words[:2] == ["do", "not"] or words[0] in ("ne", "non")
    if clause.has_object and not is_use:
        return False
    return is_imperative or is_use


def _near_phrase(words: list[str]) -> int:
    """How many words there are from a phrase that negates to the end, if only small ones stand behind it."""
    end = len(words)
    while end:
        if count := _phrase(words[:end], lexicon.NEGATIVE_PHRASES, at_end=True):
            return len(words) - end + count
        if (
            words[end - 1] not in lexicon.SMALL
            and words[end - 1] not in lexicon.DIRECTIVES
            and words[end - 1][0] != "$"
        ):
            return 0
        end -= 1
    return 0


def _asks(words: list[str], clause: Clause) -> bool:
    first, second = (*words, "")[:2]
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


def _has_subject(words: list[str]) -> bool:
    if words[0] in lexicon.SUBJECTS or words[0] in lexicon.DETERMINERS or words[0] in lexicon.DEMONSTRATIVES:
        return True
    return words[0] not in lexicon.WORK and bool(lexicon.FINITE & set(words[1:4]))


def _in_a_statement(words: list[str], clause: Clause) -> str | None:
    """A clause with a subject tells something, unless the block begins a clause behind it, or closes the prompt."""
    last = words[-1]
    if clause.next == "time" and last in ("it's", "is", "its"):
        return None
    if lexicon.PAST_TIME & set(clause.after):
        return PAST
    if len(words) == 2 and words[0] in lexicon.SUBJECTS and clause.next not in lexicon.WORK:
        return TOLD
    if clause.next in lexicon.WORK and last in lexicon.PARTICLES:
        return None
    if last.endswith("s") and last[:-1] in lexicon.DIRECTIVES:
        return TOLD
    binds = last in lexicon.TALKS or last in lexicon.PREPOSITIONS or last in lexicon.WITH or last in lexicon.DETERMINERS
    if binds or last in lexicon.DIRECTIVES or last in lexicon.FINITE or last in lexicon.SUBJECTS:
        return TOLD
    if clause.has_object:
        return None
    tells = words[0] in lexicon.FIRST_PERSON or not lexicon.FINITE & set(words)
    return TOLD if tells or not clause.closes or clause.asks else None


def _governed(words: list[str], clause: Clause) -> str | None:  # noqa: PLR0911 - one answer for each kind of word
    """The word before the block in an imperative decides."""
    at = len(words) - 1
    while at >= 0 and (words[at] in lexicon.DETERMINERS or words[at] in lexicon.KINDS):
        at -= 1
    is_thing = at < len(words) - 1
    if at < 0:
        return THING
    word, before = words[at], words[at - 1] if at else ""
    if word.endswith("ing") and (words[0] in lexicon.CONDITIONS | lexicon.PREPOSITIONS or before in ("about", "on")):
        return TOLD
    is_phrasal = (word in ("off", "up") and before in ("kick", "start", "fire", "spin", "set")) or (
        word in ("put", "throw") and clause.next == "on"
    )
    if word in lexicon.DIRECTIVES or is_phrasal:
        return None
    if word in lexicon.WITH:
        is_thing_with = before in lexicon.TAKES_WITH and words[0] not in lexicon.WORK
        is_about = lexicon.PUT_WITH & set(words) or is_thing_with or before in ("than", "as", "like")
        return TOLD if is_about or (word in ("by", "par", "von") and _is_past(before)) else None
    if word in lexicon.NOW and not is_thing:
        return None
    if word == "to":
        return None if clause.has_object or before in lexicon.TAKES_TO or words[0] in lexicon.TAKES_TO else TOLD
    if word == "for" and before in lexicon.TAKES_FOR:
        return None
    if word in ("in", "as", "into", "under", "im", "en") and (
        clause.next in lexicon.MODES or lexicon.MODES & set(words[at:]) or before in ("go", "switch")
    ):
        return None
    if is_thing and words[0] in lexicon.DIRECTIVES and word not in lexicon.PREPOSITIONS:
        return None
    if is_thing or word in lexicon.PREPOSITIONS or word in lexicon.EMBEDDED:
        return THING if is_thing else TOLD
    if word in lexicon.TALKS:
        return TOLD
    return _behind_an_object(words, at, clause)


def _behind_an_object(words: list[str], at: int, clause: Clause) -> str | None:
    if clause.follows and not clause.has_object:
        return TOLD
    if at == 0 and words[0][0] != THING_WORD:
        return None if clause.has_object and words[0] not in lexicon.WORK else TOLD
    if clause.has_object:
        return None
    is_about = words[0] in lexicon.NAMES or words[0] in lexicon.TALKS or {"between", "about"} & set(words)
    return None if clause.closes and not is_about and not (clause.asks and words == clause.words) else TOLD
