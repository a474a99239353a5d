"""Moments as state files hold them: ISO 8601, UTC, milliseconds."""

from __future__ import annotations

import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def iso(now: float) -> str:
    millis = int(now * 1000)
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(millis // 1000)) + f".{millis % 1000:03d}Z"


def seconds(value: Any) -> float | None:
    """The moment that a text names; None if it names none."""
    from datetime import UTC, datetime  # 1 ms, and seldom asked

    if not isinstance(value, str):
        return None
    try:
        moment = datetime.fromisoformat(value.strip())
    except ValueError:
        return None
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
