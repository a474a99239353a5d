"""Builds `skill-active-state.json`, the inventory of the active modes of a scope.

It is always built from the records of the modes and never read to decide what is active: other tools may have written a
record without it. Its legacy top-level fields are written for old readers only.
"""

from __future__ import annotations

from rcs_hooks.catalog import MODES, is_own_name
from rcs_hooks.state.session import NATIVE_HOOK, entries_of
from rcs_hooks.tuples import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rcs_hooks.jsontext import JsonObject
    from rcs_hooks.state.session import ActiveMode


DEFERRED_OWN = "deferred_own"
"""The field that lists those of the deferred skills that are own modes."""
MOST_OWN = 16


class PromptAudit(NamedTuple):
    """What a prompt adds to the inventory besides the active modes."""

    keyword: str | None = None
    requested: tuple[str, ...] = ()
    messages: tuple[str, ...] = ()
    initialized: str | None = None
    initialized_path: str | None = None


PROMPT_FIELDS = (
    "keyword",
    "requested_skills",
    "transition_message",
    "transition_messages",
    "initialized_mode",
    "initialized_state_path",
)


def build_inventory(
    old: Mapping[str, object],
    members: Sequence[ActiveMode],
    *,
    session: str | None,
    turn: str | None,
    now: str,
    audit: PromptAudit | None = None,
) -> JsonObject:
    """Return the inventory that lists the active modes `members`.

    Unknown fields stay, and so does what `old` says of each mode. `audit`: what a prompt adds; None if something other
    than a prompt has changed the modes: then the fields of the last prompt stay too.
    """
    before = {entry["skill"]: entry for entry in entries_of(old)}
    entries = [_entry(before.get(member.mode, {}), member, session=session, turn=turn, now=now) for member in members]
    first = entries[0] if entries else {}
    record = dict(old) | {
        "version": 1,
        "active": bool(entries),
        "skill": first.get("skill", old.get("skill")),
        "phase": first.get("phase", old.get("phase")),
        "activated_at": first.get("activated_at", old.get("activated_at")),
        "updated_at": now,
        "active_skills": entries,
    }
    if session:
        record["session_id"] = session
    if turn:
        record["turn_id"] = turn
    if audit is not None:
        record = {key: value for key, value in record.items() if key not in PROMPT_FIELDS} | _audit_fields(audit)
        record["source"] = NATIVE_HOOK
    return record


def _entry(
    old: Mapping[str, object], member: ActiveMode, *, session: str | None, turn: str | None, now: str
) -> JsonObject:
    entry = dict(old) | {
        "skill": member.mode,
        "phase": member.record.get("current_phase"),
        "active": True,
        "activated_at": member.record.get("started_at", now),
        "updated_at": member.record.get("updated_at", now),
    }
    if session:
        entry["session_id"] = session
    if turn:
        entry.setdefault("turn_id", turn)
    return entry


def _audit_fields(audit: PromptAudit) -> JsonObject:
    fields: JsonObject = {}
    if audit.keyword:
        fields["keyword"] = audit.keyword
    if audit.requested:
        fields["requested_skills"] = list(audit.requested)
    if audit.messages:
        fields |= {"transition_message": audit.messages[-1], "transition_messages": list(audit.messages)}
    if audit.initialized:
        fields |= {"initialized_mode": audit.initialized, "initialized_state_path": audit.initialized_path}
    return fields


def deferred_skills_in(inventory: Mapping[str, object]) -> tuple[str, ...]:
    """Return the modes that an inventory lists as waiting for the end of planning."""
    deferred = inventory.get("deferred_skills")
    names = deferred if isinstance(deferred, list) else []
    own = inventory.get(DEFERRED_OWN)
    known = {*MODES, *(name for name in (own if isinstance(own, list) else [])[:MOST_OWN] if _is_own(name))}
    return tuple(dict.fromkeys(name for name in names if isinstance(name, str) and name in known))


def _is_own(name: object) -> bool:
    return isinstance(name, str) and is_own_name(name)
