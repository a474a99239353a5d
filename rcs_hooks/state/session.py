"""Reads everything that one session can see of a workspace's state, once.

Rules of this file:
- A mode's own record in the session counts. Where the session has none, the root record counts, unless it names another
  session or nothing has touched it for a day: old tools wrote every run into root, and a run that nobody ended would
  hold the Stop of every session for ever.
- A file that cannot be read is listed in `unreadable`, and whether its mode is active is unknown. So a root record
  never counts in its place: the session's own record may say something else.
- Of the modes that ship, those files are read that a list of the folder has, in the session and in root, in whatever
  case: a file system may ignore it. What a commit under way puts there is in its journal.
- Own modes are in sessions only, and are known by what their records keep (`own_records.py`).
- Which modes are active is decided in `active_modes_of` and nowhere else.
"""

from __future__ import annotations

import os

from rcs_hooks.catalog import MODES
from rcs_hooks.files import paths
from rcs_hooks.files.clock import iso, seconds
from rcs_hooks.files.folders import refuse_link
from rcs_hooks.files.reading import Reader, Unreadable
from rcs_hooks.state import own_records
from rcs_hooks.tuples import NamedTuple
from rcs_hooks.workflow.lifecycle import is_active
from rcs_hooks.workflow.mode_record import ModeRecord

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container, Mapping, Sequence

    from rcs_hooks.catalog import ModeDef
    from rcs_hooks.jsontext import JsonObject

    Records = dict[str, ModeRecord]

STALE_SECONDS = 24 * 3600.0
FILES = {mode: paths.mode_file(mode, None) for mode in MODES}
"""The name of the file of each mode that ships, in whatever scope."""
NATIVE_HOOK = "native-hook"
"""The `source` of an inventory that a prompt has written."""


class ActiveMode(NamedTuple):
    """An active mode: its record, and the scope whose file holds it."""

    mode: str
    record: ModeRecord
    session: str | None
    """None: a root record."""

    @property
    def path(self) -> str:
        return paths.mode_file(self.mode, self.session)


class Session(NamedTuple):
    """What was read of one session's state; with `session` None, of the root scope by itself."""

    folder: str
    session: str | None
    own: Records
    root: Records
    inventory: JsonObject
    root_inventory: JsonObject
    unreadable: tuple[Unreadable, ...]
    now: float
    modes: Mapping[str, ModeDef] = MODES
    """The definition of every mode that this session knows, by name: those that ship, and those of one's own."""

    def active_modes(self) -> tuple[ActiveMode, ...]:
        """Return the active modes: in the order of the inventory, then those that it leaves out, by their start."""
        return active_modes_of(self, self.own, self.root)

    def with_modes(self, found: Mapping[str, ModeDef]) -> Session:
        """Return this session with further definitions of own modes; a run goes on by what its record keeps."""
        new = {name: mode for name, mode in found.items() if not (name in self.own and is_active(self.own[name]))}
        return self._replace(modes={**self.modes, **new}) if new else self

    def record_of(self, mode: str) -> ModeRecord | None:
        """Return the record that counts for a mode: the session's own, else the root record if it counts, else None."""
        return self.own[mode] if mode in self.own else self.visible_root(mode)

    def visible_root(self, mode: str, root: Mapping[str, ModeRecord] | None = None) -> ModeRecord | None:
        """Return the root record of a mode if it counts for this session, else None.

        `root`: the root records as drafted; None: as read.
        """
        record = (self.root if root is None else root).get(mode)
        if record is None or not (self.session is None or belongs(record, self.session)):
            return None
        if any(paths.mode_file(mode, self.session) == broken.path for broken in self.unreadable):
            return None
        return None if is_stale(self.folder, mode, record, self.now) else record


def load(folder: str, session: str | None, now: float, reader: Reader | None = None) -> Session:
    """Return all that a session can see of the state; creates nothing. Raises UnsafePath and Unavailable.

    `session`: None for the root scope. `reader`: reads the folder, where the caller reads more of it.
    """
    place = paths.session_folder(session).rstrip("/")
    refuse_link(folder, place)
    unreadable: list[Unreadable] = []
    reader = reader or Reader(folder)

    def read(path: str) -> JsonObject | None:
        found = reader.read(path)
        if isinstance(found, Unreadable):
            unreadable.append(found)
            return None
        return found

    def records_of(scope: str | None, there: Container[str]) -> Records:
        found = {mode: read(paths.mode_file(mode, scope)) for mode, file in FILES.items() if file in there}
        return {mode: ModeRecord.from_json(record) for mode, record in found.items() if record is not None}

    in_root = _names_in_root(reader)
    own = records_of(session, frozenset(map(str.lower, reader.names_in(place)))) if session else {}
    hidden = set(own) | {
        mode for mode in MODES for broken in unreadable if broken.path == paths.mode_file(mode, session)
    }
    root = records_of(None, in_root)
    inventory = read(paths.inventory_file(session)) or {} if session else {}
    root_inventory = (read(paths.inventory_file(None)) or {}) if paths.inventory_file(None) in in_root else {}
    modes = MODES
    if session:
        listed = {str(entry["skill"]) for entry in entries_of(inventory)}
        for name in own_records.names_in(reader, session, listed):
            found = reader.read(paths.mode_file(name, session))
            if isinstance(found, Unreadable):
                unreadable += [found] if name in listed else []  # else another tool's
            elif found is not None and (mode := own_records.definition_in(name, found)):
                modes = {**modes, name: mode}
                own[name] = ModeRecord.from_json(found)
    # A root file that cannot be read does not matter to a session with a record of its own.
    others = {paths.mode_file(mode, None) for mode in hidden} if session else set()
    mine = [broken for broken in unreadable if broken.path not in others]
    return Session(folder, session, own, root, inventory, root_inventory, tuple(mine), now, modes)


class _Anything:
    """The names in a folder of which nobody can tell what is in it: each may be there."""

    def __contains__(self, _: object) -> bool:
        return True


def _names_in_root(reader: Reader) -> Container[str]:
    try:
        return frozenset(map(str.lower, reader.names_in("")))
    except OSError:  # its files can be opened all the same
        return _Anything()


def belongs(record: ModeRecord, session: str | None) -> bool:
    """Tell whether a root record names no session, or this one."""
    return record.session_id in (None, session)


def belongs_to_workspace(member: ActiveMode) -> bool:
    """Tell whether an active mode belongs to the workspace: its record is in root and names no session."""
    return member.session is None and member.record.session_id is None


def is_stale(folder: str, mode: str, record: ModeRecord, now: float) -> bool:
    """Tell whether nothing has touched a root record for a day: by its `updated_at`, else by the time of its file."""
    touched = _touched(folder, paths.mode_file(mode, None), record, now)
    return touched is None or now - touched >= STALE_SECONDS


def _touched(folder: str, path: str, record: ModeRecord, now: float) -> float | None:
    """Return when a record was last touched: by its `updated_at`, else by its file; None if neither tells.

    A time in the far future says nothing, so the time of the file counts.
    """
    touched = seconds(record.updated_at)
    if touched is None or touched > now + STALE_SECONDS:
        try:
            touched = os.stat(f"{folder}/{path}").st_mtime
        except OSError:
            return None
    return touched


def is_old(view: Session, member: ActiveMode, reminded_at: str | None, moment: str | None) -> bool:
    """Tell whether, by `moment`, nothing had touched a run for a day, and nobody had been reminded of it for a day.

    False if `moment` is None or says nothing.

    `reminded_at`: when the person was last reminded of an old run; None: never.
    """
    updated = member.record.updated_at
    if moment is None or (_is_ours(updated) and updated >= iso(view.now - STALE_SECONDS)):
        return False  # compared as text: parsing a date costs a millisecond
    touched = _touched(view.folder, member.path, member.record, view.now)
    moments = [each for each in (touched, seconds(reminded_at)) if each is not None]
    at = seconds(moment)
    return bool(moments) and at is not None and at - max(moments) >= STALE_SECONDS


def _is_ours(moment: str) -> bool:
    """Tell whether a moment is written as `clock.iso` writes it, so that texts compare as the times do."""
    return len(moment) == len(iso(0)) and moment[10] == "T" and moment.endswith("Z")


def active_modes_of(
    view: Session, own: Mapping[str, ModeRecord], root: Mapping[str, ModeRecord], started: Sequence[str] = ()
) -> tuple[ActiveMode, ...]:
    """Return the modes that are active by the records `own` and `root`, those in `started` last.

    The one place that decides which modes are active: every surface, and every draft of a change, asks it.
    """
    found: dict[str, ActiveMode] = {}
    for mode in view.modes:
        if mode in own:
            if is_active(own[mode]):
                found[mode] = ActiveMode(mode, own[mode], view.session)
        elif mode in root and is_active(root[mode]) and view.visible_root(mode, root):
            found[mode] = ActiveMode(mode, root[mode], None)
    if len(found) < 2:
        return tuple(found.values())
    listed = [entry["skill"] for entry in entries_of(view.inventory if view.session else view.root_inventory)]
    order = dict.fromkeys([*listed, *sorted(found, key=lambda mode: found[mode].record.started_at)])
    latest = [mode for mode in dict.fromkeys(started) if mode in found]
    return tuple(found[mode] for mode in (*(mode for mode in order if mode in found and mode not in latest), *latest))


def entries_of(inventory: Mapping[str, object]) -> list[JsonObject]:
    """Return the entries of an inventory that name a skill; of several for one skill, the last."""
    entries = inventory.get("active_skills")
    named = {
        entry["skill"]: entry
        for entry in (entries if isinstance(entries, list) else [])
        if isinstance(entry, dict) and isinstance(entry.get("skill"), str)
    }
    return list(named.values())
