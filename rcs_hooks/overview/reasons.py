"""Find why a run that `rcs emit` reports waits or has failed: the message of the event that said so."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rcs_hooks import jsontext
from rcs_hooks.runs.records import FAILED, WAITING
from rcs_hooks.text import clean

if TYPE_CHECKING:
    from rcs_hooks.runs.records import RunRecord
    from rcs_hooks.runs.store import RunStore

NAMES = ("message", "question", "reason", "error", "why")
"""The data of an event that say why, the first that is there."""
MOST_EVENTS = 40
"""How many of the last events of a run are looked through."""
LONGEST = 500


def reason_of(store: RunStore, run: RunRecord, limit: int = LONGEST) -> str:
    """Return why a run waits or has failed, in at most `limit` characters; empty if it does neither, or did not say."""
    if run.status not in (WAITING, FAILED):
        return ""
    last = store.events(run.id, after=max(0, run.events - MOST_EVENTS), limit=MOST_EVENTS)
    told = [message_in(event.data, limit) for event in last if event.status == run.status]
    return next((text for text in reversed(told) if text), "")


def message_in(data: str, limit: int = LONGEST) -> str:
    """Return the message in the data of an event; empty if there is none."""
    try:
        found = jsontext.loads(data)
    except ValueError:
        return ""
    if not isinstance(found, dict):
        return ""
    return next((text for name in NAMES if (text := clean(found.get(name), limit))), "")
