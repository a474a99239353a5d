"""Moments as state files hold them: ISO 8601, UTC, with milliseconds."""

from __future__ import annotations

import time


def iso(now: float) -> str:
    """Return a moment as text: ISO 8601 in UTC, with milliseconds. `now`: seconds since 1970."""
    millis = int(now * 1000)
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(millis // 1000)) + f".{millis % 1000:03d}Z"


def seconds(value: object) -> float | None:
    """Return the moment that a text in ISO 8601 states, in seconds since 1970; None if it states none."""
    from datetime import UTC, datetime  # takes 1 ms to import, and few calls need it

    if not isinstance(value, str):
        return None
    try:
        moment = datetime.fromisoformat(value.strip())
    except ValueError:
        return None
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
