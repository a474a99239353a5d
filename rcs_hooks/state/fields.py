"""What a surface may write into a mode file: each field checked before anything is touched."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rcs_hooks.catalog import MODES, skill_named
from rcs_hooks.errors import Refused
from rcs_hooks.jsontext import dumps_file
from rcs_hooks.state.clock import seconds
from rcs_hooks.state.files import is_deep
from rcs_hooks.state.paths import is_name
from rcs_hooks.workflow.lifecycle import BLOCKED_ON_USER, CANCELLED, GOES_ON, INTERLUDE, PUBLIC, spelled

if TYPE_CHECKING:
    from collections.abc import Mapping

LONGEST_TEXT = 2_000
TIMES = ("started_at", "updated_at", "completed_at")
OWNERS = ("session_id", "thread_id", "turn_id")


def checked_mode(value: object) -> str:
    """The runtime name of a mode, from any name that a person may use for it. Raises Refused."""
    name = skill_named(value.strip().removeprefix("$")) if isinstance(value, str) else None
    if name in MODES:
        return str(name)
    raise Refused(
        f"mode: {value!r} is no workflow mode; one of {', '.join(MODES)}" if value else "mode: missing; name one"
    )


def checked_session(value: object) -> str | None:
    """Raises Refused for an id that could not be the name of a folder."""
    if value is None or value == "":
        return None
    if not is_name(value):
        raise Refused(f"session_id: {value!r} is no session id: letters, digits, - and _, 128 at most")
    return str(value)


def checked(fields: Mapping[str, Any]) -> dict[str, Any]:
    """The fields as they will be written. Raises Refused with the name of the first that cannot be."""
    wanted = {name: _checked(name, value) for name, value in fields.items()}
    for name, value in wanted.items():
        if not _can_be_read_again(value):
            raise Refused(
                f"{name}: it cannot be kept as JSON, or not be read again: not a number, or nested too deeply"
            )
    return wanted


def _can_be_read_again(value: Any) -> bool:
    try:
        dumps_file(value)
    except (ValueError, TypeError, RecursionError):
        return False
    return not is_deep({"value": value})


def _checked(name: str, value: Any) -> Any:
    if name == "mode":
        raise Refused(f"mode: {value!r} found among the fields; it is named once, and not changed")
    if name == "active":
        return _expect(name, value, isinstance(value, bool), "true or false")
    if name == "current_phase":
        return _expect(name, value, _is_text(value) and bool(value.strip()), "a word")
    if name in ("iteration", "max_iterations"):
        least = 1 if name == "max_iterations" else 0
        is_count = isinstance(value, int) and not isinstance(value, bool) and least <= value < 10**9
        return _expect(name, value, is_count, f"a whole number, {least} or more")
    if name in ("lifecycle_outcome", "terminal_outcome"):
        return _canonical(name, value)
    if name == "run_outcome":
        return _expect(name, value, spelled(value) is not None, "an outcome, like finish, failed or continue")
    if name == "question_enforcement":
        return _expect(name, value, value is None or isinstance(value, dict), "an object")
    if name == "state":
        return _expect(name, value, isinstance(value, dict), "an object")
    if name in TIMES:
        return _expect(name, value, value is None or seconds(value) is not None, "a time like 2026-01-31T09:30:00Z")
    if name in OWNERS or name == "error":
        return _expect(name, value, value is None or _is_text(value), "text")
    return value


def _canonical(name: str, value: Any) -> str:
    word = spelled(value)
    _expect(name, value, word is not None and word != GOES_ON, f"one of {', '.join(PUBLIC)}")
    # Compatibility words are read everywhere, but the canonical field only ever holds a public one.
    return INTERLUDE if word in (CANCELLED, BLOCKED_ON_USER) else str(word)


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and len(value) <= LONGEST_TEXT


def _expect(name: str, value: Any, is_good: bool, wanted: str) -> Any:
    if not is_good:
        shown = repr(value)
        raise Refused(
            f"{name}: {shown[:60]}{'…' if len(shown) > 60 else ''} found, {wanted} needed; nothing was written"
        )
    return value
