"""The parameters behind the question mark of an address; each function raises InvalidParameter, in one sentence."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rcs_hooks.errors import Refused
from rcs_hooks.files.clock import seconds
from rcs_hooks.runs import queries
from rcs_hooks.runs.queries import RUN_STATUSES
from rcs_hooks.runs.records import RunFilter
from rcs_hooks.text import clean

if TYPE_CHECKING:
    from collections.abc import Sequence

    from starlette.datastructures import QueryParams

LONGEST = 4096


class InvalidParameter(Refused):
    """Raised when a parameter is not known, or its value cannot be used."""

    code = "bad_request"


def only(query: QueryParams, *names: str) -> None:
    """Raise InvalidParameter for any parameter other than `names`: a misspelled filter must not return everything."""
    for name in query:
        if name not in names:
            known = f"it takes {', '.join(names)}" if names else "it takes nothing"
            raise InvalidParameter(f"{clean(name)!r} is not a parameter of this address; {known}")


def filters(query: QueryParams, now_ms: int) -> RunFilter:
    """Return the filters of a list of runs."""
    names = ("project", "workflow", "status", "feature", "session")
    project, workflow, status, feature, session = (text(query, name) for name in names)
    if status not in (None, *RUN_STATUSES):
        raise InvalidParameter(f"status {clean(status)!r} is not known; it is one of {', '.join(RUN_STATUSES)}")
    since_ms, until_ms = (time_ms(query, name, now_ms) for name in ("since", "until"))
    return RunFilter(project, workflow, status, feature, since_ms, until_ms, session)


def text(query: QueryParams, name: str) -> str | None:
    """Return a parameter; None where it is missing or empty."""
    value = query.get(name) or None
    if value is not None and len(value) > LONGEST:
        raise InvalidParameter(f"{name}: {len(value)} characters found, {LONGEST} at most")
    return value


def number(query: QueryParams, name: str, default: int | None = None, *, least: int = 0, most: int = 2**62) -> Any:
    """Return a parameter as a number from `least` to `most`; `default` if it is missing or empty."""
    value = query.get(name)
    if not value:
        return default
    if not (value.isascii() and value.isdigit() and len(value) < 20 and least <= int(value) <= most):
        raise InvalidParameter(f"{name}={clean(value)}: a number from {least} to {most} is needed")
    return int(value)


def one_of(query: QueryParams, name: str, known: Sequence[str]) -> str | None:
    """Return a parameter that is one of some words; None if it is missing or empty."""
    value = query.get(name) or None
    if value not in (None, *known):
        raise InvalidParameter(f"{name} {clean(value)!r} is not known; it is one of {', '.join(known)}")
    return value


def time_ms(query: QueryParams, name: str, now_ms: int) -> int | None:
    """Return a moment, or a length of time before now, in milliseconds since 1970; None if it is missing."""
    value = query.get(name)
    if not value:
        return None
    if (at := seconds(value)) is not None:
        return round(at * 1000)
    try:
        return now_ms - queries.milliseconds(value)
    except Refused:
        raise InvalidParameter(
            f"{name}={clean(value)}: write 45m, 12h, 30d, 2w or a moment like 2026-01-31T09:30Z"
        ) from None


def flag(query: QueryParams, name: str) -> bool:
    """Return whether a parameter is `true`; False if it is missing."""
    value = query.get(name) or "false"
    if value not in ("true", "false"):
        raise InvalidParameter(f"{name}={clean(value)}: true or false is needed")
    return value == "true"
