"""Tells which mode a name means that a surface is given: one that ships, or an own mode of this session or project.

A name of an own mode counts if a session has its record, or its file is found; no folder is scanned for it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rcs_hooks.catalog import MODES, NAMESPACE, is_own_name
from rcs_hooks.errors import Refused
from rcs_hooks.fault import Fault
from rcs_hooks.files import paths
from rcs_hooks.modes import lookup
from rcs_hooks.state.session_listing import sessions_with
from rcs_hooks.state.validation import check_mode
from rcs_hooks.workflow.lifecycle import is_active

if TYPE_CHECKING:
    from rcs_hooks.catalog import ModeDef
    from rcs_hooks.state.scopes import Scope
    from rcs_hooks.state.session import Session


def check_name(scope: Scope, value: object) -> str:
    """Return the runtime name of a mode, given any name that a person may use for it in this scope.

    Raises Refused for anything else, and for an own mode that only a faulty file declares.
    """
    name = value.strip().removeprefix("$").lower().removeprefix(NAMESPACE) if isinstance(value, str) else ""
    if not is_own_name(name):
        return check_mode(value)
    view = scope.view()
    if name in view.modes or _is_unreadable(view, name) or (not scope.session and sessions_with(scope.folder, name)):
        return name
    return name if _declared(scope, name) else check_mode(value)


def with_definition(scope: Scope, view: Session, mode: str, *, starts: bool) -> Session:
    """Return the state of a session with the definition of the mode that a write is about.

    `starts`: the write would start the mode, so its file has to be there. Raises Refused if it is not, or if it has a
    fault, if no session would own the run, or if the mode is the project's and no prompt has started it here.
    """
    if mode in MODES or not starts or (mode in view.own and is_active(view.own[mode])):
        return view
    if view.session is None:
        raise Refused(f"{mode} does not ship with rcs, so it runs only in a session; add --session")
    declared = _declared(scope, mode)
    if declared is None:
        file = view.modes[mode].file if mode in view.modes else ""
        raise Refused(f"{mode}: its file {file + ' ' if file else ''}is gone, so it cannot be started")
    if mode not in view.own and declared.is_of_project:
        raise Refused(f"{mode} is this project's mode, so no command starts it; {how_to_type(mode)}")
    return view.with_modes({mode: declared})


def starts_by_command(scope: Scope, view: Session, mode: str) -> bool:
    """Tell whether a command may start a mode: not one of the project that no prompt of this session has started.

    A repository's text may ask an agent for that command, but cannot type a prompt.
    """
    if mode in MODES or mode in view.own:
        return True
    declared = _declared(scope, mode)
    return declared is not None and not declared.is_of_project


def how_to_type(mode: str) -> str:
    """Return words for the person who is to start a mode by its name."""
    return f"type `${mode}` in a prompt to start it"


def _declared(scope: Scope, name: str) -> ModeDef | None:
    found = lookup.find(name, scope.env, scope.root)
    if isinstance(found, Fault):
        raise Refused(found.sentence)
    return found


def _is_unreadable(view: Session, name: str) -> bool:
    return any(broken.path == paths.mode_file(name, view.session) for broken in view.unreadable)
