"""Optional follow-ups that leave the outcome of a run in the dark: "If you want, I can ...".

They decide nothing; a Stop that blocks anyway names the one it found.
"""

from __future__ import annotations

import re

from rcs_hooks.workflow.prose import blanked, foreign

SOFTENER = re.compile(
    r"""\b(?:
        if\ you(?:['’]d\ like|\ (?:want|wish|like|prefer|would\ like))(?:\ me\ to)?,?\ (?:then\ )?
            i(?:\ (?:can|could|will|would)|['’](?:ll|d))
      | if\ you(?:['’]d\ like|\ (?:want|wish|like|would\ like))\ me\ to
      | (?:would|do)\ you\ (?:like|want)\ me\ to
      | (?:should|shall)\ i\ (?:continue|proceed|go\ (?:on|ahead)|keep\ going|start|move\ on)
      | let\ me\ know\ if\ you(?:['’]d\ like|\ (?:want|would\ like|need))
      | i\ can\ also\b[^.!?\n]{0,80}\bif\ you\ (?:want|like|wish)
      | (?:i['’]m\ |i\ am\ )?happy\ to\b[^.!?\n]{0,80}\bif\ you
      | want\ me\ to\ (?:continue|proceed|go\ (?:on|ahead)|keep\ going)
    )""",
    re.VERBOSE | re.IGNORECASE,
)
LONGEST = 1_000_000
TAIL = 20_000
"""A handoff stands at the end of a message; no more than this is searched."""


def softener_in(message: str) -> str | None:
    """The softener in a message, outside quotes and code; None if there is none."""
    if not _found(message[-TAIL:]):
        return None
    text = message[-LONGEST:]
    return _found(blanked(text, foreign(text))[-TAIL:])


def _found(text: str) -> str | None:
    found = SOFTENER.search(" ".join(text.split()))
    return found[0] if found else None
