"""Words why there is no run that a proof can be for: with the runs that are meant perhaps, or how one starts."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from rcs_hooks.errors import Refused
from rcs_hooks.state.mode_names import how_to_type, starts_by_command
from rcs_hooks.state.scopes import MOST_NAMED
from rcs_hooks.state.write_checks import command_to_start
from rcs_hooks.workflow.commands import COMMAND
from rcs_hooks.workflow.lifecycle import is_active, outcome_of
from rcs_hooks.workflow.proof import is_judged

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from rcs_hooks.state.scopes import Scope
    from rcs_hooks.state.session import Session

MOST_FINISHED = 3
"""How many runs that have finished are named, the latest."""
NOT_RUN = "the command was not run"
HOW_TO_START = "a run starts with a prompt that begins with its skill, such as: $forge fix the failing test"


class Typed(NamedTuple):
    """What `rcs prove` was called with, for the command that a refusal offers."""

    command: str = COMMAND
    """The words that follow `--`; empty if there were none."""
    finish: bool = False

    def again(self, scope: Scope, modes: Sequence[str], *, runs: bool = True) -> str:
        """Return the same command for these modes. `runs`: whether they run, so that `--finish` is of use."""
        return scope.commands.prove(",".join(modes), self.command, finish=self.finish and runs)


def idle(scope: Scope, typed: Typed) -> Refused:
    """Return the refusal where nothing runs: with the runs that finished there, or how one starts."""
    lines = [f"nothing runs in {_place(scope)}, so nothing can be proven; {NOT_RUN}"]
    lines += list(_finished(scope, None, typed)) or [HOW_TO_START]
    return Refused("\n".join(lines))


def several(scope: Scope, busy: Mapping[str, Sequence[str]], typed: Typed) -> Refused:
    """Return the refusal where several sessions have something active; it offers each."""
    each = [typed.again(scope.of(session), modes) for session, modes in list(busy.items())[:MOST_NAMED]]
    return Refused("\n".join([f"{len(busy)} sessions have something active; say which one is meant:", *each]))


def only_plans(modes: Sequence[str]) -> Refused:
    """Return the refusal for modes that only plan."""
    verb = "plans and changes" if len(modes) == 1 else "plan and change"
    said = f"{' and '.join(modes)} {verb} no code, so there is nothing to prove; run the command without rcs prove"
    return Refused(said)


def refuse_unprovable(scope: Scope, view: Session, mode: str, typed: Typed) -> None:
    """Raise Refused unless a run of the mode is there that a proof can be for."""
    record = view.record_of(mode)
    if mode in view.modes and view.modes[mode].is_planning:
        raise only_plans([mode])
    if record is None or record.is_tombstone:
        raise _absent(scope, view, mode, typed)
    if is_active(record) or _has_finished(view, mode):
        return
    outcome = outcome_of(record).public
    how = f"has ended ({outcome})" if outcome else "is switched off"
    to_run = f"to take it up: {scope.commands.write(mode, '--active')}"
    raise Refused(f"{mode} {how} in {_place(scope)}, so it cannot be proven; {NOT_RUN}\n{to_run}")


def _absent(scope: Scope, view: Session, mode: str, typed: Typed) -> Refused:
    lines = [f"{mode} does not run in {_place(scope)}, so it cannot be proven; {NOT_RUN}"]
    running = [member.mode for member in view.active_modes() if not view.modes[member.mode].is_planning]
    lines += [f"{each} runs there: {typed.again(scope, [each])}" for each in running]
    found = list(_finished(scope, mode, typed))
    if not (running or found) and starts_by_command(scope, view, mode):
        found = [f"to start {mode}: {command_to_start(scope, mode)}"]
    elif not (running or found):
        found = [how_to_type(mode)]
    return Refused("\n".join([*lines, *found]))


def _has_finished(view: Session, mode: str) -> bool:
    record = view.record_of(mode)
    return record is not None and not (record.is_tombstone or is_active(record)) and is_judged(view.modes[mode], record)


def _finished(scope: Scope, mode: str | None, typed: Typed) -> Iterator[str]:
    """Yield a line for each run that finished last in the session, or in the workspace's own records.

    `mode`: look for this one alone.
    """
    view = scope.view()
    records = view.own if scope.session else view.root
    names = [name for name in records if name in view.modes and mode in (None, name) and _has_finished(view, name)]
    where = f"session {scope.session}" if scope.session else "the workspace"
    for name in sorted(names, key=lambda name: records[name].completed_at, reverse=True)[:MOST_FINISHED]:
        again = typed.again(scope, [name], runs=False)
        yield f"{name} finished in {where}; if that run is meant: {again}"


def _place(scope: Scope) -> str:
    return f"session {scope.session}" if scope.session else f"the workspace {scope.root}"
