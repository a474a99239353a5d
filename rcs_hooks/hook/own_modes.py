"""Finds the own modes that a prompt may name: modes that the person or the project declares, and that do not ship.

Rules of this file:
- Nothing is scanned: for each name after a `$` that none of ours has, a few paths are tried, first in the home's skill
  folders, then in the project's. The first file decides, so a clone never shadows the person's own.
- A run of this session goes on by what its record keeps, whatever has become of its file.
- A declaration with a fault starts nothing, nor does the rest of its prompt; the person is told the file and the line.
"""

from __future__ import annotations

from rcs_hooks.files import paths, workspaces
from rcs_hooks.mode_def import ModeDef
from rcs_hooks.modes import lookup
from rcs_hooks.tuples import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from rcs_hooks.state.reconcile import Reconciled
    from rcs_hooks.workflow.tokens.scan import Token

PATH_LENGTH = 200
FAULT_LENGTH = 400


class OwnMode(NamedTuple):
    """What is known of an own mode that a prompt may name."""

    definition: ModeDef | None
    """None if it cannot be started."""
    fault: str = ""
    """Why it cannot be started, in words for the person; empty if it can."""


def find_all(names: Iterable[str], root: str, session: str, env: Mapping[str, str]) -> dict[str, OwnMode]:
    """Return those of these names, as typed, that are own modes, by the name in lower case; startable or not."""
    return {name.lower(): mode for name in names if (mode := find(name, root, session, env)) is not None}


def find(name: str, root: str, session: str, env: Mapping[str, str]) -> OwnMode | None:
    """Return what is known of the own mode of this name; None if neither a file nor a run of the session has it."""
    declared = lookup.find(name, env, root)
    name = name.lower()
    if isinstance(declared, ModeDef):
        return OwnMode(declared)
    kept = _kept(name, root, session)
    if kept is not None and kept[1]:
        return OwnMode(kept[0])
    if declared is not None:
        return OwnMode(None, _shown(declared.sentence, root, FAULT_LENGTH))
    return OwnMode(None, f"its file {_shown(kept[0].file, root)} is gone") if kept is not None else None


def _kept(name: str, root: str, session: str) -> tuple[ModeDef, bool] | None:
    """Return the definition that the record of an own mode keeps, and whether its run is active; None without one."""
    if not paths.is_name(session) or not workspaces.may_have_state(root, session):
        return None
    from rcs_hooks.files.reading import Reader
    from rcs_hooks.state.own_records import definition_in
    from rcs_hooks.workflow.lifecycle import is_active
    from rcs_hooks.workflow.mode_record import ModeRecord

    record = Reader(workspaces.state_folder(root)).read(paths.mode_file(name, session))
    mode = definition_in(name, record) if isinstance(record, dict) else None
    return (mode, is_active(ModeRecord.from_json(record))) if mode is not None and isinstance(record, dict) else None


def why_none(asked: Iterable[Token], own: Mapping[str, OwnMode]) -> str:
    """Return the line for the person why a prompt starts nothing: it asks for an own mode that cannot be started.

    Empty if every own mode that it asks for can be.
    """
    for token in asked:
        mode = own.get(token.skill or "")
        if mode is not None and mode.definition is None:
            return f"rcs: `{token.typed}` started nothing: {mode.fault}"
    return ""


def definitions(own: Mapping[str, OwnMode]) -> dict[str, ModeDef]:
    """Return the definitions of those own modes that can be started."""
    return {name: mode.definition for name, mode in own.items() if mode.definition is not None}


def lines_for_person(result: Reconciled, own: Mapping[str, ModeDef], root: str) -> list[str]:
    """Return what the person is told: that a mode which starts is the project's, and which deferred modes are gone."""
    started = result.started if result.is_allowed else ()
    brought = [own[mode] for mode in started if mode in own and own[mode].is_of_project]
    lines = [f"rcs: {mode.name} is this project's mode, from {_shown(mode.file, root)}" for mode in brought]
    return lines + [
        f"rcs: {mode} was deferred, but its file is gone or declares no mode, so it cannot be started"
        for mode in result.gone
    ]


def _shown(text: str, root: str, length: int = PATH_LENGTH) -> str:
    """Return a path, or a sentence that begins with one, for a message: relative to the workspace if it lies in it."""
    from rcs_hooks.text import clean

    return clean(text.removeprefix(f"{root}/"), length)
