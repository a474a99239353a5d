"""`skill-active-state.json`: the inventory of a session's active set, always rewritten from the mode files.

Its legacy top-level fields are written for old readers and never believed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from rcs_hooks.catalog import MODES
from rcs_hooks.state.session import entries_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rcs_hooks.state.session import Member

Record = dict[str, Any]


SOURCE = "native-hook"
"""Who wrote an inventory, where a prompt did."""


class Told(NamedTuple):
    """What a prompt adds to the inventory beside the set itself; all empty where no prompt was concerned."""

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


def written(
    old: Mapping[str, Any],
    members: Sequence[Member],
    *,
    session: str | None,
    turn: str | None,
    now: str,
    told: Told | None = None,
) -> Record:
    """The inventory of `members`. `told` None: the set changed by another way than a prompt."""
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
    if told is not None:
        record = {key: value for key, value in record.items() if key not in PROMPT_FIELDS} | _told(told)
        record["source"] = SOURCE
    return record


def _entry(old: Mapping[str, Any], member: Member, *, session: str | None, turn: str | None, now: str) -> Record:
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


def _told(told: Told) -> Record:
    fields: Record = {}
    if told.keyword:
        fields["keyword"] = told.keyword
    if told.requested:
        fields["requested_skills"] = list(told.requested)
    if told.messages:
        fields |= {"transition_message": told.messages[-1], "transition_messages": list(told.messages)}
    if told.initialized:
        fields |= {"initialized_mode": told.initialized, "initialized_state_path": told.initialized_path}
    return fields


def deferred_in(inventory: Mapping[str, Any]) -> tuple[str, ...]:
    deferred = inventory.get("deferred_skills")
    names = deferred if isinstance(deferred, list) else []
    return tuple(dict.fromkeys(name for name in names if isinstance(name, str) and name in MODES))
