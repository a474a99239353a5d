"""The words for what has had no activity for long, the same for the runs of `rcs emit` and those of modes. Pure.

Rules of this file:
- What runs is stalled after an hour without an event, and inactive after a day.
- What waits, or was begun and does nothing, is inactive after a day. A mode that waits for the person is not asked
  here: a question stays a question.
- What has ended keeps the word for its end.
"""

RUNNING, STALLED, INACTIVE = "running", "stalled", "inactive"
STALLED_AFTER_MS = 60 * 60 * 1000
INACTIVE_AFTER_MS = 24 * 60 * 60 * 1000
GOES_QUIET = (RUNNING, "waiting", "idle")
"""The statuses that become inactive without events."""
QUIET = (STALLED, INACTIVE)
"""The words for what has not ended, and needs a look."""


def shown_status(status: str, last_ms: int, now_ms: int) -> str:
    """Return the status that people see: the stored one, or what the time without an event has made of it.

    `last_ms`: when the last event was, in milliseconds since 1970.
    """
    silent_ms = now_ms - last_ms
    if status in GOES_QUIET and silent_ms >= INACTIVE_AFTER_MS:
        return INACTIVE
    return STALLED if status == RUNNING and silent_ms >= STALLED_AFTER_MS else status
