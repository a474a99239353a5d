"""Checks that a write is about a session and a run that are there; a refusal names what runs, and what to type."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

from rcs_hooks.errors import Refused
from rcs_hooks.state.mode_names import check_name, how_to_type, starts_by_command
from rcs_hooks.state.session_listing import known_sessions
from rcs_hooks.state.validation import check_fields
from rcs_hooks.text import word
from rcs_hooks.workflow.lifecycle import OUTCOME_FIELDS, is_active, outcome_of
from rcs_hooks.workflow.mode_record import ModeRecord

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rcs_hooks.state.scopes import Scope
    from rcs_hooks.state.session import Session

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
    first = f"{mode} would be the workspace's and hold the Stop of every session; add --session ID, or --root-scope:"
    raise Refused(f"{first}\n{command_to_start(scope, mode)}")


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
            f"to run it again: {command_to_start(scope, mode)}"
        )


def _ended(record: ModeRecord) -> str:
    outcome = outcome_of(record).public
    return f"has ended ({outcome})" if outcome else "is switched off"


def _refuse_unknown(scope: Scope, view: Session, mode: str, wanted: Mapping[str, object]) -> NoReturn:
    lines = [f"{mode} does not run in {_place(scope)} of {scope.root}, so nothing was written"]
    lines += _running(scope, view, wanted, "there")
    starts = starts_by_command(scope, view, mode)
    lines.append(f"to start {mode}: {command_to_start(scope, mode)}" if starts else how_to_type(mode))
    raise Refused("\n".join(lines))


def command_to_start(scope: Scope, mode: str) -> str:
    """Return the command that starts a mode where the call is about: in its session, or in the workspace."""
    return (scope if scope.session else _of_workspace(scope)).commands.write(mode, "--active")


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
