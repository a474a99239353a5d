"""What stands behind the question mark of an address. Raises Unfit, in one sentence."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rcs_hooks.errors import Refused
from rcs_hooks.runs import reading
from rcs_hooks.runs.progress import RUN_STATUSES
from rcs_hooks.state.clock import seconds
from rcs_hooks.workflow.text import clean

if TYPE_CHECKING:
    from starlette.datastructures import QueryParams

    Record = dict[str, Any]

LONGEST = 4096


class Unfit(Refused):
    """Raised when an address asks for what there is not."""


def only(query: QueryParams, *names: str) -> None:
    """A filter that is misspelled must not answer with everything."""
    for name in query:
        if name not in names:
            known = f"it takes {', '.join(names)}" if names else "it takes nothing"
            raise Unfit(f"{clean(name)!r} cannot be asked for here; {known}")


def filters(query: QueryParams, now_ms: int) -> Record:
    found = {name: text(query, name) for name in ("project", "workflow", "status", "feature")}
    if found["status"] not in (None, *RUN_STATUSES):
        raise Unfit(f"status {clean(found['status'])!r} is not known; it is one of {', '.join(RUN_STATUSES)}")
    times = {f"{name}_ms": moment(query, name, now_ms) for name in ("since", "until")}
    return {name: value for name, value in (found | times).items() if value is not None}


def text(query: QueryParams, name: str) -> str | None:
    """Empty is not given."""
    value = query.get(name) or None
    if value is not None and len(value) > LONGEST:
        raise Unfit(f"{name}: {len(value)} characters found, {LONGEST} at most")
    return value


def number(query: QueryParams, name: str, default: int | None = None, *, least: int = 0, most: int = 2**62) -> Any:
    value = query.get(name)
    if not value:
        return default
    if not (value.isascii() and value.isdigit() and len(value) < 20 and least <= int(value) <= most):
        raise Unfit(f"{name}={clean(value)}: a number from {least} to {most} is needed")
    return int(value)


def moment(query: QueryParams, name: str, now_ms: int) -> int | None:
    """Of a length of time before now, or of a moment."""
    value = query.get(name)
    if not value:
        return None
    if (at := seconds(value)) is not None:
        return round(at * 1000)
    try:
        return now_ms - reading.milliseconds(value)
    except Refused:
        raise Unfit(f"{name}={clean(value)}: write 45m, 12h, 30d, 2w or a moment like 2026-01-31T09:30Z") from None


def yes(query: QueryParams, name: str) -> bool:
    value = query.get(name) or "false"
    if value not in ("true", "false"):
        raise Unfit(f"{name}={clean(value)}: true or false is needed")
    return value == "true"
