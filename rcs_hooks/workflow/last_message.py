"""Reads the agent's last message: whether it asks the person something, and whether it ends in an optional offer.

A softener ("If you want, I can ...") leaves the outcome of a run open. It decides nothing: the reason of a Stop that is
blocked anyway names it.
"""

from __future__ import annotations

from itertools import takewhile

QUESTION_MARKS = ("?", "？", "؟")
CLOSING = "!?\"'*_`)”»…"
QUESTION_TAIL = 2_000
ANSWERS = ("yes", "no", "because", "ja", "nein", "oui", "non", "sí", "да", "нет")
OR = ("or", "oder", "ou", "o", "или")
DECIDED = ("take", "took", "use", "used", "choose", "chose", "picked")
"""Verbs that, after `I`, answer the question that was just asked."""

SOFTENER = r"""(?ix)\b(?:
        if\ you(?:['’]d\ like|\ (?:want|wish|like|prefer|would\ like))(?:\ me\ to)?,?\ (?:then\ )?
            i(?:\ (?:can|could|will|would)|['’](?:ll|d))
      | if\ you(?:['’]d\ like|\ (?:want|wish|like|would\ like))\ me\ to
      | (?:would|do)\ you\ (?:like|want)\ me\ to
      | (?:should|shall)\ i\ (?:continue|proceed|go\ (?:on|ahead)|keep\ going|start|move\ on)
      | let\ me\ know\ if\ you(?:['’]d\ like|\ (?:want|would\ like|need))
      | i\ can\ also\b[^.!?\n]{0,80}\bif\ you\ (?:want|like|wish)
      | (?:i['’]m\ |i\ am\ )?happy\ to\b[^.!?\n]{0,80}\bif\ you
      | want\ me\ to\ (?:continue|proceed|go\ (?:on|ahead)|keep\ going)
    )"""
HINTS = ("if you", "me to", "should i ", "shall i ")
"""Every softener contains one of these. A message with none saves 8 ms for the pattern and `re`."""
LONGEST = 1_000_000
SOFTENER_TAIL = 20_000
"""Only the end of a message is searched: a handoff comes last."""


def asks_question(message: str) -> bool:
    """Tell whether a line of the message's last paragraph, or of a list of options after it, asks something."""
    lines = [line.strip() for line in message[-QUESTION_TAIL:].strip().splitlines()]
    options: list[str] = []
    while lines and (not lines[-1] or _is_option(lines[-1])):
        options.append(lines.pop())
    paragraph = takewhile(bool, reversed(lines))
    return any(map(_line_asks, (*paragraph, *options)))


def _line_asks(line: str) -> bool:
    return any(mark in QUESTION_MARKS and _ends_a_question(mark, line[at + 1 :]) for at, mark in enumerate(line))


def _ends_a_question(mark: str, rest: str) -> bool:
    """Tell whether a question ends with `mark`, and `rest`, the text after the mark, does not answer the question."""
    if not any(map(str.isalnum, rest)):
        return True
    rest = rest.lstrip(CLOSING)
    if mark == "?" and not rest[0].isspace():
        return False
    rest = rest.lstrip()
    first, second, *_ = *(word.strip(",.!:") for word in rest.lower().split()), "", ""
    is_answered = (first in ANSWERS and second not in OR) or (first == "i" and second in DECIDED)
    return not (rest[0].islower() or is_answered)


def _is_option(line: str) -> bool:
    head, _, rest = line.partition(" ")
    return bool(rest) and (head in ("-", "*", "•") or (head[-1] in ".)" and len(head.strip("().")) <= len("10")))


def find_softener(message: str) -> str | None:
    """Return the optional offer at the end of a message, outside quotes and code; None if there is none."""
    tail = " ".join(message[-SOFTENER_TAIL:].split()).lower()
    if not any(hint in tail for hint in HINTS) or not _search(message[-SOFTENER_TAIL:]):
        return None
    from rcs_hooks.workflow.tokens.quoted_spans import blanked, quoted_spans

    text = message[-LONGEST:]
    return _search(blanked(text, quoted_spans(text))[-SOFTENER_TAIL:])


def _search(text: str) -> str | None:
    import re

    match = re.search(SOFTENER, " ".join(text.split()))
    return match[0] if match else None
