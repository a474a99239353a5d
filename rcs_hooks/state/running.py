"""What a write about a mode that does not run is refused with: what runs, where, and the command to type."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

from rcs_hooks.errors import Refused
from rcs_hooks.state import modes
from rcs_hooks.state.fields import checked, checked_mode
from rcs_hooks.state.known import known_sessions, sessions_with
from rcs_hooks.workflow.lifecycle import OUTCOME_FIELDS, is_active, outcome_of
from rcs_hooks.workflow.text import word

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rcs_hooks.state.session import Session
    from rcs_hooks.state.surface import Scope

Record = dict[str, Any]

MOST_SHOWN = 8
OPTIONS = {"current_phase": "--phase", "lifecycle_outcome": "--outcome", "iteration": "--iteration"}


def refuse_other_spelling(scope: Scope, mode: str, wanted: Mapping[str, Any]) -> None:
    """Raise Refused for a session that is known only with other capitals: it would be a session of its own."""
    known = known_sessions(scope.folder) if scope.session else []
    if scope.session is None or scope.session in known:
        return
    for name in known:
        if name.lower() == scope.session.lower():
            command = _command(scope.of(name), mode, wanted)
            raise Refused(f"session {scope.session} is not known in {scope.root}; it is written {name}: {command}")


def mode_to_write(scope: Scope, value: object, given: Mapping[str, Any]) -> str:
    """Return the mode that a write names. Raises Refused, with what runs where it names none."""
    try:
        return checked_mode(value)
    except Refused as error:
        runs = _running(scope, scope.view(), checked(given), f"in {_place(scope)}")
        raise Refused("\n".join([str(error), *runs])) from None


def refuse_not_running(scope: Scope, view: Session, mode: str, wanted: Mapping[str, Any]) -> None:
    """Raise Refused for what only a running mode has: a phase, or an outcome.

    The outcome of a run that has ended may be corrected, and its other fields written.
    """
    record = view.record_of(mode)
    if wanted.get("active") or (record is not None and is_active(record)):
        return
    if record is None or modes.is_tombstone(record):
        _refuse_unknown(scope, view, mode, wanted)
    given = {name: wanted[name] for name in OUTCOME_FIELDS if name in wanted}
    if "current_phase" in wanted or (given and not outcome_of(given).ends):
        what = "no phase" if "current_phase" in wanted else "no such outcome"
        raise Refused(
            f"{mode} {_ended(record)} in {_place(scope)}, so {what} can be written; "
            f"to run it again: {scope.commands.write(mode, '--active')}"
        )


def _ended(record: Record) -> str:
    outcome = outcome_of(record).public
    return f"has ended ({outcome})" if outcome else "is switched off"


def _refuse_unknown(scope: Scope, view: Session, mode: str, wanted: Mapping[str, Any]) -> NoReturn:
    lines = [f"{mode} does not run in {_place(scope)} of {scope.root}, so nothing was written"]
    lines += _running(scope, view, wanted, "there")
    lines += [
        f"{mode} runs in session {session}: {_command(scope.of(session), mode, wanted)}"
        for session in sessions_with(scope.folder, mode)[:MOST_SHOWN]
    ]
    lines.append(f"to start {mode}: {scope.commands.write(mode, '--active')}")
    raise Refused("\n".join(lines))


def _running(scope: Scope, view: Session, wanted: Mapping[str, Any], where: str) -> list[str]:
    """What runs, each with the same write about it."""
    return [
        f"{member.mode} runs {where} (phase {word(member.record.get('current_phase'))}): "
        f"{_command(scope, member.mode, wanted)}"
        for member in view.members()
    ]


def _place(scope: Scope) -> str:
    return f"session {scope.session}" if scope.session else "the root scope"


def _command(scope: Scope, mode: str, wanted: Mapping[str, Any]) -> str:
    """The same write, as far as it has options of its own."""
    options = [text for name, option in OPTIONS.items() if name in wanted for text in (option, str(wanted[name]))]
    return scope.commands.write(mode, *options)
