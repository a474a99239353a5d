"""Checks that a write is about a session and a run that are there; a refusal names what runs, and what to type."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, NoReturn

from rcs_hooks.errors import Refused
from rcs_hooks.state import session_notes
from rcs_hooks.state.mode_names import check_name, how_to_type, starts_by_command
from rcs_hooks.state.session_listing import ended_last, known_sessions, latest_sessions, sessions_with
from rcs_hooks.state.validation import check_fields
from rcs_hooks.text import word
from rcs_hooks.workflow.lifecycle import OUTCOME_FIELDS, is_active, outcome_of
from rcs_hooks.workflow.mode_record import ModeRecord

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rcs_hooks.state.scopes import Scope
    from rcs_hooks.state.session import Session

MOST_SHOWN = 8
MOST_STARTS = 3
"""In how many sessions, the latest that are open, a refusal offers to start a mode."""
OPTIONS = {
    "current_phase": "--phase",
    "lifecycle_outcome": "--outcome",
    "iteration": "--iteration",
    **{name: f"--{name}" for name in ("reason", "evidence", "verdict", "plan", "brief")},
}
"""The options that take a value, by the field that they write."""


def refuse_both_scopes(scope: Scope, *, root_scope: bool) -> None:
    """Raise Refused if a call names a session and asks for the root scope."""
    if root_scope and scope.session:
        raise Refused(f"root_scope and the session {scope.session} are both named; name one of them")


def refuse_without_owner(scope: Scope, mode: str) -> None:
    """Raise Refused if a run would start that belongs to no session: it would hold the Stop of every session."""
    if any(member.mode == mode for member in scope.view().active_modes()):
        return
    first = (
        f"{mode} would be the workspace's and hold the Stop of every session; name the session, or add --root-scope:"
    )
    raise Refused("\n".join([first, *commands_to_start(scope, mode)]))


def refuse_other_spelling(scope: Scope, mode: str, wanted: Mapping[str, object]) -> None:
    """Raise Refused if the session is known only with other capitals: the write would create a second one."""
    known = known_sessions(scope.folder) if scope.session else []
    if scope.session is None or scope.session in known:
        return
    for name in known:
        if name.lower() == scope.session.lower():
            command = _command(scope.of(name), mode, wanted)
            raise Refused(f"session {scope.session} is not known in {scope.root}; it is written {name}: {command}")


def modes_to_write(scope: Scope, value: object, fields: Mapping[str, object]) -> tuple[str, ...]:
    """Return the modes that a write names by `value`, as `forge,team` does. Raises Refused, with what runs, if none."""
    try:
        names = [each.strip() for each in value.split(",") if each.strip()] if isinstance(value, str) else []
        return tuple(dict.fromkeys(check_name(scope, name) for name in names)) or (check_name(scope, value),)
    except Refused as error:
        runs = _running(scope, scope.view(), check_fields(fields), f"in {_place(scope)}")
        raise Refused("\n".join([str(error), *runs])) from None


def refuse_not_running(scope: Scope, view: Session, mode: str, wanted: Mapping[str, object]) -> None:
    """Raise Refused for what only a running mode can have: a phase, or an outcome that does not end the run.

    The outcome of a run that has ended may be corrected, and its other fields may be written.
    """
    record = view.record_of(mode)
    if wanted.get("active") or (record is not None and is_active(record)):
        return
    if record is None or record.is_tombstone:
        _refuse_unknown(scope, view, mode, wanted)
    outcome = {name: wanted[name] for name in OUTCOME_FIELDS if name in wanted}
    if "current_phase" in wanted or (outcome and not outcome_of(ModeRecord(outcome)).ends):
        what = "no phase" if "current_phase" in wanted else "no such outcome"
        raise Refused(
            f"{mode} {_ended(record)} in {_place(scope)}, so {what} can be written; "
            f"to run it again: {(scope if scope.session else _of_workspace(scope)).commands.write(mode, '--active')}"
        )


def _ended(record: ModeRecord) -> str:
    outcome = outcome_of(record).public
    return f"has ended ({outcome})" if outcome else "is switched off"


def _refuse_unknown(scope: Scope, view: Session, mode: str, wanted: Mapping[str, object]) -> NoReturn:
    lines = [f"{mode} does not run in {_place(scope)} of {scope.root}, so nothing was written"]
    lines += _running(scope, view, wanted, "there")
    lines += [
        f"{mode} runs in session {session}: {_command(scope.of(session), mode, wanted)}"
        for session in sessions_with(scope.folder, mode)[:MOST_SHOWN]
    ]
    lines += _correction(scope, mode, wanted)
    if starts_by_command(scope, view, mode):
        lines += [f"to start {mode}: {command}" for command in commands_to_start(scope, mode)]
    else:
        lines.append(how_to_type(mode))
    raise Refused("\n".join(lines))


def _correction(scope: Scope, mode: str, wanted: Mapping[str, object]) -> list[str]:
    """Return a line for the run that ended last, if a call without a session may be meant to correct its record."""
    outcome = {name: wanted[name] for name in OUTCOME_FIELDS if name in wanted}
    may_be_meant = "current_phase" not in wanted and (not outcome or outcome_of(ModeRecord(outcome)).ends)
    if scope.session or scope.commands.root_scope or not may_be_meant:
        return []
    found = ended_last(scope.folder, mode)
    if found is None:
        return []
    session, record = found
    what = f"{mode} ended last in session {session} ({outcome_of(record).public})"
    return [f"{what}; if that run is meant: {_command(scope.of(session), mode, wanted)}"]


def commands_to_start(scope: Scope, mode: str) -> list[str]:
    """Return the commands that start a mode: one or, without a session, one for each of the latest open sessions."""
    if scope.session or scope.commands.root_scope:
        return [scope.commands.write(mode, "--active")]
    are_open = (name for name in latest_sessions(scope.folder) if not _is_closed(scope, name))
    scopes = [scope.of(name) for name in itertools.islice(are_open, MOST_STARTS)] or [_of_workspace(scope)]
    return [each.commands.write(mode, "--active") for each in scopes]


def _is_closed(scope: Scope, session: str) -> bool:
    return session_notes.is_closed(session_notes.load(scope.folder, session))


def _of_workspace(scope: Scope) -> Scope:
    return scope._replace(commands=scope.commands.of_workspace())


def _running(scope: Scope, view: Session, wanted: Mapping[str, object], where: str) -> list[str]:
    """Return a line for each mode that runs, with a command for the same write to that mode."""
    return [
        f"{member.mode} runs {where} (phase {word(member.record.phase)}): {_command(scope, member.mode, wanted)}"
        for member in view.active_modes()
    ]


def _place(scope: Scope) -> str:
    return f"session {scope.session}" if scope.session else "the root scope"


def _command(scope: Scope, mode: str, wanted: Mapping[str, object]) -> str:
    """Return the command for the same write, with the fields that have an option of their own."""
    options = [text for name, option in OPTIONS.items() if name in wanted for text in (option, str(wanted[name]))]
    return scope.commands.write(mode, *options)
