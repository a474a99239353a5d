"""Everything that one session can see of a workspace's state, read once.

A mode that has no file in the session is read from root, unless the root record names another session or
nothing has touched it for a day. A file that cannot be read stands in `unreadable`, and its mode is unknown.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, NamedTuple

from rcs_hooks.catalog import MODES
from rcs_hooks.state import paths
from rcs_hooks.state.clock import iso, seconds
from rcs_hooks.state.files import Reader, Unreadable, check_inside
from rcs_hooks.workflow.lifecycle import is_active

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import TypeGuard

Record = dict[str, Any]
Records = dict[str, Record]

STALE_SECONDS = 24 * 3600.0


class Member(NamedTuple):
    """An active mode: what its file says, and which scope that file is in."""

    mode: str
    record: Record
    session: str | None
    """None: a root record."""

    @property
    def path(self) -> str:
        return paths.mode_file(self.mode, self.session)


class Session(NamedTuple):
    """One reading. `session` None is the root scope by itself."""

    folder: str
    session: str | None
    own: Records
    root: Records
    inventory: Record
    root_inventory: Record
    unreadable: tuple[Unreadable, ...]
    now: float

    def members(self) -> tuple[Member, ...]:
        """The active set of this session, in the order of the inventory; the rest by their start."""
        return active_members(self, self.own, self.root)

    def record_of(self, mode: str) -> Record | None:
        """The record that counts for this session: its own, else the root record that stands in."""
        return self.own[mode] if mode in self.own else self.visible_root(mode)

    def visible_root(self, mode: str, root: Mapping[str, Record] | None = None) -> Record | None:
        """The root record that stands in for this mode, if one may."""
        record = (self.root if root is None else root).get(mode)
        if record is None or not (self.session is None or belongs(record, self.session)):
            return None
        if any(paths.mode_file(mode, self.session) == broken.path for broken in self.unreadable):
            return None
        return None if is_stale(self.folder, mode, record, self.now) else record


def load(folder: str, session: str | None, now: float) -> Session:
    """Reads all that a session's state consists of; creates nothing. Raises UnsafePath."""
    check_inside(folder, paths.session_folder(session).rstrip("/"))
    unreadable: list[Unreadable] = []
    reader = Reader(folder)

    def record_of(path: str) -> Record | None:
        found = reader.read(path)
        if isinstance(found, Unreadable):
            unreadable.append(found)
            return None
        return found

    def records_of(scope: str | None) -> Records:
        found = {mode: record_of(paths.mode_file(mode, scope)) for mode in MODES}
        return {mode: record for mode, record in found.items() if record is not None}

    own = records_of(session) if session else {}
    hidden = set(own) | {
        mode for mode in MODES for broken in unreadable if broken.path == paths.mode_file(mode, session)
    }
    root = records_of(None)
    inventory = record_of(paths.inventory_file(session)) or {} if session else {}
    root_inventory = record_of(paths.inventory_file(None)) or {}
    # A broken root file is no concern of a session that has its own record of that mode.
    others = {paths.mode_file(mode, None) for mode in hidden} if session else set()
    mine = [broken for broken in unreadable if broken.path not in others]
    return Session(folder, session, own, root, inventory, root_inventory, tuple(mine), now)


def belongs(record: Mapping[str, Any], session: str | None) -> bool:
    """Whether a root record names no session, or this one."""
    return names_nobody(record) or record.get("session_id") == session


def names_nobody(record: Mapping[str, Any]) -> bool:
    """Tell whether a record names no session."""
    named = record.get("session_id")
    return not (isinstance(named, str) and named.strip())


def is_workspaces(member: Member) -> bool:
    """Tell whether an active mode is the workspace's: a root record, and nobody knows whose it is."""
    return member.session is None and names_nobody(member.record)


def is_stale(folder: str, mode: str, record: Mapping[str, Any], now: float) -> bool:
    """Whether nothing has touched a root record for a day: by its own word, else by its file's."""
    touched = _touched(folder, paths.mode_file(mode, None), record, now)
    return touched is None or now - touched >= STALE_SECONDS


def _touched(folder: str, path: str, record: Mapping[str, Any], now: float) -> float | None:
    touched = seconds(record.get("updated_at"))
    if touched is None or touched > now + STALE_SECONDS:
        try:
            touched = os.stat(f"{folder}/{path}").st_mtime
        except OSError:
            return None
    return touched


def is_old(view: Session, member: Member, reminded_at: str | None, prompt_at: str | None) -> bool:
    """Tell whether the last prompt found a session's own run untouched for a day, of which nobody was reminded.

    A turn that lasts longer than a day is none of that: its prompt came when the run had just been touched.
    """
    updated = member.record.get("updated_at")
    if _is_ours(updated) and updated >= iso(view.now - STALE_SECONDS):
        return False  # as text: to read a date costs a millisecond
    touched = _touched(view.folder, member.path, member.record, view.now)
    moments = [moment for moment in (touched, seconds(reminded_at)) if moment is not None]
    asked = seconds(prompt_at)
    return bool(moments) and (view.now if asked is None else asked) - max(moments) >= STALE_SECONDS


def _is_ours(moment: object) -> TypeGuard[str]:
    """Whether a moment is written as `clock.iso` writes it, so that the order of texts is the order of times."""
    return isinstance(moment, str) and len(moment) == len(iso(0)) and moment[10] == "T" and moment.endswith("Z")


def active_members(
    view: Session, own: Mapping[str, Record], root: Mapping[str, Record], started: Sequence[str] = ()
) -> tuple[Member, ...]:
    """The active set for these records, those `started` just now last; the one place that derives it."""
    found: dict[str, Member] = {}
    broken = {unreadable.path for unreadable in view.unreadable}
    for mode in MODES:
        if mode in own:
            if is_active(own[mode]):
                found[mode] = Member(mode, own[mode], view.session)
        elif view.session is None or paths.mode_file(mode, view.session) not in broken:
            record = root.get(mode)
            if record and is_active(record) and view.visible_root(mode, root):
                found[mode] = Member(mode, record, None)
    listed = [entry["skill"] for entry in entries_of(view.inventory if view.session else view.root_inventory)]
    order = dict.fromkeys([*listed, *sorted(found, key=lambda mode: str(found[mode].record.get("started_at") or ""))])
    latest = [mode for mode in dict.fromkeys(started) if mode in found]
    return tuple(found[mode] for mode in (*(mode for mode in order if mode in found and mode not in latest), *latest))


def entries_of(inventory: Mapping[str, Any]) -> list[Record]:
    """The entries of an inventory file that name a skill, the last one for each."""
    entries = inventory.get("active_skills")
    named = {
        entry["skill"]: entry
        for entry in (entries if isinstance(entries, list) else [])
        if isinstance(entry, dict) and isinstance(entry.get("skill"), str)
    }
    return list(named.values())
