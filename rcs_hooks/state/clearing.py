"""Clears the record of a mode, or the inventory, in one scope or in all of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rcs_hooks.errors import Refused
from rcs_hooks.files import paths, preparation, reading, transaction, workspaces
from rcs_hooks.files.clock import iso
from rcs_hooks.files.lock import Lock
from rcs_hooks.files.paths import INVENTORY
from rcs_hooks.files.reading import Unreadable
from rcs_hooks.state import mode_changes, questions, write_checks
from rcs_hooks.state.draft import COMPLETES, Draft
from rcs_hooks.state.scopes import Scope, each_scope, with_session
from rcs_hooks.state.session import belongs
from rcs_hooks.workflow.lifecycle import is_active
from rcs_hooks.workflow.mode_record import ModeRecord

if TYPE_CHECKING:
    from rcs_hooks.state.results import ClearResult


def clear(scope: Scope, mode: str, *, all_sessions: bool = False, root_scope: bool = False) -> ClearResult:
    """Remove the record of a mode, or the inventory.

    `root_scope`: remove that of the root scope, even if a session has the mode active. A root record that would then
    count for the session is ended; a file that cannot be read is moved aside.
    """
    write_checks.refuse_both_scopes(scope, root_scope=root_scope)
    if all_sessions and root_scope:
        raise Refused("root_scope and all_sessions are both given; give one of them")
    if all_sessions:
        return _clear_everywhere(scope, mode)
    if mode != INVENTORY and not root_scope:
        scope = with_session(scope, mode, "clear")
    path = f"{paths.STATE}/{_path(mode, scope.session)}"
    return {"cleared": bool(_clear_in(scope, mode)), "mode": mode, "path": path}


def _path(mode: str, session: str | None) -> str:
    return paths.inventory_file(session) if mode == INVENTORY else paths.mode_file(mode, session)


def _clear_everywhere(scope: Scope, mode: str) -> ClearResult:
    """Clear a mode in every scope: in root first, so that its record counts for no session meanwhile."""
    removed = [
        f"{paths.STATE}/{_path(mode, each.session)}"
        for each in each_scope(scope)
        if reading.Reader(scope.folder).read(_path(mode, each.session)) is not None and _clear_in(each, mode)
    ]
    return {"cleared": bool(removed), "mode": mode, "all_sessions": True, "removed": len(removed), "paths": removed}


def _clear_in(scope: Scope, mode: str) -> bool:
    """Clear one scope; tell whether there was something to clear. Creates no state where there is none."""
    if not workspaces.may_have_state(scope.root, scope.session or ""):
        return False
    if not _is_clearable(scope, mode):
        return False
    folder = preparation.prepare(scope.root)
    with Lock(folder):
        transaction.recover(folder)
        _set_aside_unreadable(folder, _path(mode, scope.session))
        if mode == INVENTORY or reading.read_untracked(folder, _path(mode, scope.session)) is None:
            _set_aside_unreadable(folder, _path(mode, None))  # it counted for the session
        view = scope.view()
        draft = Draft(view, turn=None, now=iso(scope.now))
        if mode != INVENTORY:
            _draft_clear(draft, mode)
        draft.sync_inventories(rebuild=mode == INVENTORY)
        transaction.commit(folder, draft.writes())
    return True


def _is_clearable(scope: Scope, mode: str) -> bool:
    reader = reading.Reader(scope.folder)
    own = reader.read(_path(mode, scope.session))
    if own is not None:
        return isinstance(own, Unreadable) or not ModeRecord.from_json(own).is_tombstone
    if not scope.session:
        return False
    if isinstance(reader.read(_path(mode, None)), Unreadable):
        return True
    root = scope.view().visible_root(mode)
    return root is not None and is_active(root)


def _set_aside_unreadable(folder: str, path: str) -> None:
    """Move a file aside if it cannot be read. Raises Unavailable if the next try may well read it.

    A file without read permission is moved too: the person has asked for that.
    """
    found = reading.read_untracked(folder, path)
    if isinstance(found, Unreadable):
        reading.check_available_unless_denied(found)
        transaction.move_aside(folder, path)


def _draft_clear(draft: Draft, mode: str) -> None:
    view = draft.view
    survivor = view.root.get(mode)
    record = view.record_of(mode) or ModeRecord({})
    draft.abandon(questions.load_for(view), mode, record)
    if view.session and survivor and is_active(survivor) and belongs(survivor, view.session):
        draft.stage_mode(COMPLETES, mode, mode_changes.tombstone(mode, session=view.session, now=draft.now))
        draft.end_survivor(mode)
    else:
        draft.stage_removal(mode)
