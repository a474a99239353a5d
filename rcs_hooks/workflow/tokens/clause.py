"""Parses what is around a block of `$tokens`: its line, its clause, the words that lead it in and that follow it.

Rules of this file:
- The clause before a block reaches back to the last punctuation mark or conjunction. A line that cannot end a sentence
  is joined with the next one.
- Words are in lower case. A mark is an item of its own, and so is a stretch of somebody else's words.
- These functions only describe; `directed.py` decides.
"""

from __future__ import annotations

from itertools import pairwise

from rcs_hooks.tuples import NamedTuple
from rcs_hooks.workflow.tokens import lexicon
from rcs_hooks.workflow.tokens.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re

REACH = 300
"""How many characters on either side of a block are read: a bound on the work."""
FOREIGN = "\ufffc"
"""The character that replaces each character of somebody else's words."""
# Both patterns match PLAIN text: one with letters beyond Latin-1 in its classes takes a millisecond to compile.
ITEMS = pattern(
    r"""(?x)(\$[\w:-]+ | \x1a+ | @[\w-]*[./][\w./-]+ | [^\W_]\w*(?:['./-]+\w+)*)
      | ([.!?;]+ (?=[\s)\]*"']|\Z))
      | ([,()\[\]\x1e\n] | :(?=\s|\Z) | (?<=\s)-+>?(?=\s))"""
)
IN_WORDS = str.maketrans("", "", "_'./-")
IN_NAMES = str.maketrans("", "", "_-")
MARKER_SIGNS = frozenset("-*+\x95")
MARKER = pattern(r"[ \t]*(?:(?:[-*+\x95]|\d{1,3}[.)])[ \t]+)+(?:\[[ xX]\][ \t]+)?")
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
CLOSERS = (",", ":", "(", ")", "-", "\x1e")
"""Marks after which another clause begins begin with one of these."""


class Clause(NamedTuple):
    """What is around a block in its sentence."""

    words: list[str]
    """The words before the block in its own clause."""
    prior: list[str]
    """The words before that clause in the sentence."""
    after: list[str]
    """The words after the block in the sentence, marks included."""
    asks: bool
    """Whether the sentence ends in a question mark."""
    follows: bool
    """Whether an earlier block of the sentence was only mentioned."""
    is_last: bool
    """Whether only marks and small words follow until the end of the prompt."""
    own: frozenset[str] = frozenset()
    """The names of the person's or project's own modes that the prompt may name."""

    @property
    def next(self) -> str:
        """Return the first item after the block; empty if none follows."""
        return self.after[0] if self.after else ""

    @property
    def has_object(self) -> bool:
        """Tell whether an object or work to do follows the block: `$forge it`, `$forge fix the login`."""
        return self.next in lexicon.OBJECTS or self.next in lexicon.WORK

    @property
    def closes(self) -> bool:
        """Tell whether the block ends its clause: only small words follow until a mark or the end."""
        rest = [word for word in self.after if word not in lexicon.TAIL]
        return not rest or rest[0].startswith(CLOSERS) or is_end(rest[0])


def line_before(text: str, start: int) -> tuple[str, str]:
    """Return the line before the block at `start`, with wrapped lines joined, and the line above if that leads it in.

    The line above leads in with a colon, or with a question mark before a list; else the second is empty.
    """
    *earlier, line = text[max(0, start - REACH) : start].translate(PLAIN).split("\n")
    marker = _marker(line)
    if marker:
        line = line[marker.end() :]
        while earlier and (not earlier[-1].strip() or _marker(earlier[-1])):
            earlier.pop()
    else:
        while earlier and _goes_on(earlier[-1]):
            line = f"{earlier.pop()} {line}"
        line = line[inner.end() :] if (inner := _marker(line)) else line
    lead = earlier[-1].rstrip() if earlier else ""
    return line, lead if lead.endswith((":", "：")) or (marker and lead.endswith("?")) else ""


def _marker(line: str) -> re.Match[str] | None:
    first = line.lstrip(" \t")[:1]
    return MARKER.match(line) if first in MARKER_SIGNS or first.isdecimal() else None


def _goes_on(line: str) -> bool:
    """Tell whether the sentence of this line continues in the next line."""
    items = split_items(line)
    if not items:
        return False
    if line.rstrip().endswith(UNFINISHED) or match_phrase(items[-3:], lexicon.NEGATIVE_PHRASES, at_end=True):
        return True
    return items[-1] in lexicon.DANGLING and not (lexicon.FACTS & set(items) and items[-1] not in lexicon.DETERMINERS)


def split_items(text: str) -> list[str]:
    """Split a text into items: words in lower case, and marks. A file (`@src/app.py`) becomes `THING_WORD`."""
    plain = _plain_items(text)
    if plain is not None:
        return plain
    return [THING_WORD if match[0][0] == "@" else match[0].lower() for match in ITEMS.finditer(text)]


def _plain_items(text: str) -> list[str] | None:
    """Return what `ITEMS` finds in a text of nothing but words, variables and marks behind them; None for another."""
    if "\x1e" in text:  # a mark, and white space to Python
        return None
    items: list[str] = []
    for number, line in enumerate(text.split("\n")):
        if number:
            items.append("\n")
        for piece in line.split():
            word = piece[:-1] if piece[-1] in ",:" else piece.rstrip(".!?;")
            if word and not _is_plain(word, piece):
                return None
            items += [word.lower()] if word else []
            if word != piece:
                items.append(piece[len(word) :])
    return items


def _is_plain(word: str, piece: str) -> bool:
    """Tell whether a word, or a variable, is one item: `piece` without the marks behind it."""
    if word[0] == "$":
        return piece[-1] != ":" and word[-1].isalnum() and word[1:].translate(IN_NAMES).isalnum()
    return word[0].isalnum() and word[-1].isalnum() and word.translate(IN_WORDS).isalnum()


def is_cjk(char: str) -> bool:
    """Tell whether a character is a letter of Chinese, Japanese or Korean."""
    return "ぁ" <= char < "\u3100" or "㐀" <= char < "ꀀ" or "가" <= char < "\ud7b0"


def is_end(item: str) -> bool:
    """Tell whether an item of `split_items` ends a sentence."""
    return item[-1] in ENDS


def first_items(items: list[str], count: int) -> list[str]:
    """Return the first items, with an empty one for each that is missing."""
    return [*items[:count], *[""] * (count - len(items))]


def is_token(item: str) -> bool:
    """Tell whether an item of `split_items` is a `$token`, ours or not."""
    return item.startswith("$")


def is_mark(item: str) -> bool:
    """Tell whether an item of `split_items` is a punctuation mark or a line end, and no word."""
    return not (item[0].isalnum() or item[0] in "$\x1a")


def parse_clause(
    line: str, lead: str, following: str, *, follows: bool = False, own: frozenset[str] = frozenset()
) -> tuple[Clause, list[str]]:
    """Parse the text around a block; return its clause, and the words that lead it in, as before a colon.

    `line` and `lead` are what `line_before` returns, and `following` is the PLAIN text after the block. `follows`: an
    earlier block of the sentence was only mentioned. `own`: the names of own modes.
    """
    clauses, leads = _clauses_before(line, split_items(lead.rstrip(":：")))
    words = clauses.pop()
    prior = [word for clause in clauses for word in clause]
    cut = _conjunction(words)
    after = _rest_of_sentence(following)
    asks = bool(after) and after[-1].startswith("?")
    is_last = all(is_mark(item) or item in lexicon.TAIL for item in split_items(following))
    return Clause(words[cut:], prior + words[:cut], after, asks, follows, is_last, own), leads


def clause_after(text: str, end: int) -> Clause:
    """Parse the text after a block that ends at `end`, as if nothing stood before the block."""
    return parse_clause("", "", text[end : end + REACH].translate(PLAIN))[0]


def _clauses_before(line: str, leads: list[str]) -> tuple[list[list[str]], list[str]]:
    """Split the last sentence of a line into clauses; return also the lead-in of the last clause.

    A lead-in is the words before a colon: `Do not use: $forge`. `leads`: the lead-in before the line, if any.
    """
    clauses: list[list[str]] = [[]]
    is_apart = False
    for item, then in pairwise([*split_items(line), ""]):
        if item == "," and then in lexicon.THAT:
            continue
        if not is_mark(item):
            clauses[-1].append(item)
        elif item == "." and lexicon.ABBREVIATIONS & set(clauses[-1][-1:]):
            leads = clauses[-1]
            clauses.append([])
        elif is_end(item):
            clauses, leads = [[]], []
        elif item == "," and clauses[-1] and (is_apart or _is_set_apart(clauses[-1])):
            is_apart = True
        else:
            leads = _leads(clauses) if item == ":" else leads if not clauses[-1] else []
            clauses.append([])
    return clauses, leads


def _leads(clauses: list[list[str]]) -> list[str]:
    """Return the words that lead in what follows a colon, with those before a comma: `Do not use, ever: $forge`.

    Only a verb of use is carried on so: `It does not work, now: $forge fix it` asks for it.
    """
    before, last = clauses[-2:] if len(clauses) > 1 else ([], clauses[-1])
    is_carried_on = bool(last) and lexicon.INSERTED.issuperset(last) and bool(lexicon.USES & set(before))
    return [*before, *last] if is_carried_on else last


def _rest_of_sentence(following: str) -> list[str]:
    items: list[str] = []
    for item in split_items(following.partition("\n")[0]):
        items.append(item)
        if is_end(item):
            break
    return items


def _is_set_apart(words: list[str]) -> bool:
    """Tell whether a comma after these words ends no clause: `do not, under any circumstances, use $team`."""
    if words[-1] in lexicon.NEGATED_LAST and len(words) > 2:
        return False
    return words[-1] in lexicon.PROHIBITIONS or bool(lexicon.INSISTS & {words[-1]})


def _conjunction(words: list[str]) -> int:
    """Return the index at which the last clause of these words begins."""
    for at in range(len(words) - 1, -1, -1):
        word, before, rest = words[at], words[:at], words[at + 1 :]
        if word in lexicon.CONJUNCTIONS and not lexicon.BUT_FOR & set(before[-1:]):
            return at + 1
        if word in ("i", "we") and rest[:1] in (["want"], ["need"]) and before and before[-1] not in lexicon.SAYS_MORE:
            return at if words[0] not in lexicon.ASKS_BEFORE_SUBJECT | lexicon.QUESTIONS | lexicon.CONDITIONS else 0
        if word == "instead" and rest[:1] != ["of"]:
            return at + 1
        if word in lexicon.AND and before and lexicon.IMPERATIVES & set(rest[:1]):
            return at + 1
    return 0


def match_phrase(words: list[str], phrases: tuple[str, ...], *, at_end: bool = False) -> int:
    """Return how many words the longest phrase has with which these words begin; 0 if they begin with none.

    `at_end`: the phrase with which these words end.
    """
    text = " ".join(words[-4:] if at_end else words[:8]) + " "
    for phrase in phrases:
        if f" {text}".endswith(f" {phrase}") if at_end else text.startswith(phrase):
            return phrase.count(" ")
    return 0
