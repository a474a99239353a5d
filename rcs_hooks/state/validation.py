"""Checks the fields that a surface writes into the record of a mode, before anything is touched."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rcs_hooks.catalog import MODES, SKILLS, skill_named
from rcs_hooks.errors import Refused
from rcs_hooks.files.clock import seconds
from rcs_hooks.files.paths import is_name
from rcs_hooks.files.reading import is_deep
from rcs_hooks.jsontext import dumps_file
from rcs_hooks.workflow.lifecycle import CANONICAL_FIELDS, OUTCOMES, PUBLIC, spelled

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rcs_hooks.jsontext import JsonObject

LONGEST_TEXT = 2_000
TIMES = ("started_at", "updated_at", "completed_at")
OWNERS = ("session_id", "thread_id", "turn_id")
TEXTS = ("reason", "evidence", "verdict", "plan", "brief", "title")
OURS = (
    *("visited", "early", "finding", "reviewed", "proof", "proof_named", "declared"),
    *("transition_source", "transition_target_mode"),  # a run that has handed over needs no proof
)
"""Fields of a record that follow from what was written before, so that nobody writes them."""
CALLED = {"phase": ("current_phase", "--phase"), "outcome": ("lifecycle_outcome", "--outcome")}
"""What options and answers call two of the fields, what the fields are called, and the options."""
LONGEST_SHOWN = 60


def check_mode(value: object) -> str:
    """Return the runtime name of a mode, given any name that a person may use for it.

    Raises Refused for anything else.
    """
    name = skill_named(value.strip().removeprefix("$")) if isinstance(value, str) else None
    if name in MODES:
        return str(name)
    if not value:
        raise Refused("mode: missing; name one")
    near = nearest_mode(value)
    meant = skill_named(near) if near else None
    known = ", ".join(mode.tokens[0] for mode in MODES.values() if mode.name != meant)
    start = f"did you mean {near}? The others:" if near else "use one of"
    hint = f"{start} {known}, or one of your own (`rcs modes` lists them)"
    raise Refused(f"mode: {_shown(value)} is not a workflow mode; {hint}")


def nearest_mode(value: object) -> str | None:
    """Return the mode that was probably meant by a mistyped one, as people type it; None if none is near."""
    from rcs_hooks.terminal.near import nearest

    name = value.strip().removeprefix("$") if isinstance(value, str) else ""
    return nearest(name, [each for each in SKILLS if SKILLS[each] in MODES]) if len(name) <= LONGEST_SHOWN else None


def check_session_id(value: object) -> str | None:
    """Return `value` as a session id; None if it is empty. Raises Refused if it cannot be the name of a folder."""
    if value is None or value == "":
        return None
    if not is_name(value):
        raise Refused(f"session_id: {_shown(value)} is not a session id; use letters, digits, - and _, at most 128")
    return str(value)


def check_fields(fields: Mapping[str, object]) -> JsonObject:
    """Return the fields of a mode's record as they will be written. Raises Refused for the first that cannot be."""
    wanted = {name: _checked(name, value) for name, value in fields.items()}
    for name, value in wanted.items():
        if not _can_be_read_again(value):
            raise Refused(f"{name}: JSON cannot hold it (not a number), or it is nested too deeply")
    return wanted


def _can_be_read_again(value: object) -> bool:
    try:
        dumps_file(value)
    except (ValueError, TypeError, RecursionError):
        return False
    return not is_deep({"value": value})


def _checked(name: str, value: object) -> object:
    _refuse_name(name, value)
    if name in ("active", "fresh"):
        return _expect(name, value, isinstance(value, bool), "true or false")
    if name == "current_phase":
        return _expect(name, value, isinstance(value, str) and _is_text(value) and bool(value.strip()), "a word")
    if name in ("iteration", "max_iterations"):
        least = 1 if name == "max_iterations" else 0
        is_count = isinstance(value, int) and not isinstance(value, bool) and least <= value < 10**9
        return _expect(name, value, is_count, f"a whole number, {least} or more")
    if name in CANONICAL_FIELDS:
        return _canonical(name, value)
    if name == "run_outcome":
        return _expect(name, value, spelled(value) is not None, "an outcome, like finish, failed or continue")
    if name == "question_enforcement":
        return _expect(name, value, value is None or isinstance(value, dict), "an object")
    if name == "state":
        return _expect(name, value, isinstance(value, dict), "an object")
    if name in TIMES:
        return _expect(name, value, value is None or seconds(value) is not None, "a time like 2026-01-31T09:30:00Z")
    if name in (*OWNERS, *TEXTS, "error"):
        is_blank = name in TEXTS and isinstance(value, str) and not value.strip()
        return _expect(name, value, value is None or (_is_text(value) and not is_blank), "text")
    return value


def _refuse_name(name: str, value: object) -> None:
    """Raise Refused for a field that nobody writes, or that is called something else."""
    if name == "declared":
        raise Refused("declared: it is what the run of an own mode is judged by, so it cannot be written")
    if name == "mode":
        raise Refused(f"mode: {value!r} is among the fields; name the mode once, it cannot be changed")
    if name in CALLED:
        field, option = CALLED[name]
        raise Refused(f"{name}: the field is called {field} (option {option}); nothing was written")
    if name in OURS:
        raise Refused(f"{name}: rcs itself keeps this field; nothing was written")


def _canonical(name: str, value: object) -> str:
    # Compatibility words are read everywhere, but the canonical field only ever holds a public one.
    word = spelled(value)
    public = OUTCOMES[word].shown if word else None
    _expect(name, value, public is not None, f"one of {', '.join(PUBLIC)}")
    return str(public)


def _is_text(value: object) -> bool:
    return isinstance(value, str) and len(value) <= LONGEST_TEXT


def _expect(name: str, value: object, is_good: bool, wanted: str) -> object:
    if not is_good:
        raise Refused(f"{name}: expected {wanted}, got {_shown(value)}; nothing was written")
    return value


def _shown(value: object) -> str:
    """Return the beginning of a value that was given, as it is shown in a refusal."""
    shown = repr(value)
    return f"{shown[:LONGEST_SHOWN]}…" if len(shown) > LONGEST_SHOWN else shown
