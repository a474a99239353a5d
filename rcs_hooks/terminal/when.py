"""Moments as people read them: an age while it is short, then the local time. `now` comes from the caller."""

from __future__ import annotations

import time

MINUTE, HOUR, DAY = 60, 3_600, 86_400
EARLIEST, LATEST = 0.0, 10.0**11
"""Moments outside of these are no dates that a terminal could show."""
MONTHS = ("", "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


def ago(moment: float | None, now: float) -> str:
    """Return when something was: `5 min ago`, `3 h ago`, `yesterday 14:02`, `3 Nov 14:02`, `2025-11-03`.

    Empty for a moment that is not known.
    """
    if moment is None or not EARLIEST <= moment <= LATEST:
        return ""
    passed = int(now - moment)
    if -MINUTE < passed < 1:
        return "just now"  # the clocks of two computers may differ
    if 0 < passed < HOUR or (passed >= HOUR and _days(moment, now) == 0):
        return f"{age(moment, now)} ago"
    return day(moment, now)


def age(moment: float | None, now: float) -> str:
    """Return how long something has gone on, in one unit: `5 min`. Empty for a moment that is not known."""
    if moment is None or not EARLIEST <= moment <= LATEST:
        return ""
    passed = max(0, int(now - moment))
    for unit, length in (("d", DAY), ("h", HOUR), ("min", MINUTE)):
        if passed >= length:
            return f"{passed // length} {unit}"
    return f"{passed} s"


def lasting(moment: float | None, now: float) -> str:
    """Return for how long something has been so: `for 5 min`, `just now`. Empty for a moment that is not known."""
    passed = age(moment, now)
    return "just now" if passed == "0 s" else f"for {passed}" if passed else ""


def day(moment: float, now: float, *, seconds: bool = False) -> str:
    """Return the local time of a moment, with as much of its date as is needed to know it."""
    at = time.localtime(moment)
    clock = time.strftime("%H:%M:%S" if seconds else "%H:%M", at)
    days = _days(moment, now)
    if days in (0, 1):
        return f"yesterday {clock}" if days else clock
    if at.tm_year == time.localtime(now).tm_year and days > 1:
        return f"{at.tm_mday} {MONTHS[at.tm_mon]} {clock}"
    return time.strftime("%Y-%m-%d", at)


def clock(moment: float | None, now: float) -> str:
    """Return the time of day of a moment, or its date if that is a day ago or more; empty for one that is not known.

    It stays right where a line stays as it is for a while, in which an age would become wrong.
    """
    if moment is None or not EARLIEST <= moment <= LATEST:
        return ""
    return time.strftime("%H:%M" if now - moment < DAY else "%Y-%m-%d", time.localtime(moment))


def full(moment: float | None) -> str:
    """Return a moment in local time with its date, for output that nobody reads right now; empty if not known."""
    if moment is None or not EARLIEST <= moment <= LATEST:
        return ""
    return time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(moment))


def _days(moment: float, now: float) -> int:
    """Return how many local midnights lie between two moments."""
    from datetime import date

    first, last = time.localtime(moment), time.localtime(now)
    return date(*last[:3]).toordinal() - date(*first[:3]).toordinal()
