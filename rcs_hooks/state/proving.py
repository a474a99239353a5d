"""Keeps what `rcs prove` has found in the records of the runs that it is for.

`choose` is called before the command runs, and `keep` after it: in between, the state is not locked. A run that has
ended or begun anew meanwhile is left alone, and that is said.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from rcs_hooks.errors import RcsError, Refused, reason_of
from rcs_hooks.files import preparation, transaction
from rcs_hooks.files.lock import Lock
from rcs_hooks.state import mode_replies, proof_output, unprovable, writing
from rcs_hooks.state.deferral import waiting_after
from rcs_hooks.state.judging import Judge
from rcs_hooks.state.mode_names import check_name
from rcs_hooks.state.operations import refuse_unreadable
from rcs_hooks.state.scopes import resolve_among_sessions
from rcs_hooks.state.session import belongs_to_workspace
from rcs_hooks.state.unprovable import Typed
from rcs_hooks.text import clean
from rcs_hooks.workflow import proof as proofs
from rcs_hooks.workflow.lifecycle import FINISHED, is_active, outcome_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rcs_hooks.config import ProofSettings
    from rcs_hooks.jsontext import JsonObject
    from rcs_hooks.state.results import WriteResult
    from rcs_hooks.state.scopes import Scope
    from rcs_hooks.state.session import Session
    from rcs_hooks.workflow.mode_record import ModeRecord
    from rcs_hooks.workflow.proof import Proof

WHY_LENGTH = 300
PLACEHOLDER = Typed()


class ChosenRun(NamedTuple):
    """A run that a proof is for, as it was before the command ran."""

    mode: str
    started_at: str
    is_active: bool
    completed_at: str


class Chosen(NamedTuple):
    """The runs that a proof is for, and the scope in which their records are."""

    scope: Scope
    runs: tuple[ChosenRun, ...]

    @property
    def modes(self) -> tuple[str, ...]:
        """Return the names of their modes."""
        return tuple(run.mode for run in self.runs)


# --- before the command


def choose(scope: Scope, modes: Sequence[str] | None = None, typed: Typed = PLACEHOLDER) -> Chosen:
    """Return the runs that a proof is for: of the named modes, also such as have finished, or else all that run.

    Names are taken as a person types them. Raises Refused, with what to type, if there is none. `typed`: what the call
    was, for the command that is offered then.
    """
    if modes:
        names = tuple(dict.fromkeys(check_name(scope, name) for name in modes))
        scope = writing.scope_of(scope, names)
        view = scope.view()
        refuse_unreadable(scope, view, names)
        for name in names:
            unprovable.refuse_unprovable(scope, view, name, typed)
    else:
        scope, view, names = _all_that_run(scope, typed)
    of_workspace = {member.mode for member in view.active_modes() if belongs_to_workspace(member)}
    if scope.session and of_workspace.issuperset(names):
        scope = scope.of(None)
        scope = scope._replace(commands=scope.commands.of_workspace())
    records = {name: record for name in names if (record := view.record_of(name))}
    return Chosen(scope, tuple(_as_it_is(name, record) for name, record in records.items()))


def _as_it_is(name: str, record: ModeRecord) -> ChosenRun:
    runs = is_active(record)
    return ChosenRun(name, record.started_at, runs, "" if runs else record.completed_at)


def _all_that_run(scope: Scope, typed: Typed) -> tuple[Scope, Session, tuple[str, ...]]:
    """Return all modes that run and are more than a plan, and where. Raises Refused if there is none."""
    meant, busy = resolve_among_sessions(scope)
    view = meant.view()
    refuse_unreadable(meant, view)
    running = [member.mode for member in view.active_modes()]
    names = tuple(mode for mode in running if not view.modes[mode].is_planning)
    if names:
        return meant, view, names
    if running:
        raise unprovable.only_plans(running)
    others = {session: each for session, each in busy.items() if each}
    if len(others) > 1:
        raise unprovable.several(meant, others, typed)
    raise unprovable.idle(meant, typed)


# --- after the command


def keep(
    scope: Scope,
    chosen: Chosen,
    proof: Proof,
    tail: bytes,
    *,
    finish: bool,
    settings: ProofSettings,
    evidence: str = "",
) -> WriteResult:
    """Write a proof into the records of the chosen runs in one commit, and the end of its output beside them.

    `scope`: that of the call, for the time; the records are those of `chosen`. `proof`: without `output`, which is
    named here. `tail`: the last bytes of the output. `finish`: also end each run as finished if the proof has passed;
    `evidence`: what the record then says, if it says nothing yet.

    Raises Refused if no run is left, or if `finish` is refused although the proof has passed: then the proof alone is
    written. The answer names each run that was left alone.
    """
    meant = chosen.scope._replace(now=scope.now)
    judge = Judge(settings, chosen.modes, meant.commands, tree=proof.tree)
    folder = preparation.prepare(meant.root)
    refused: Refused | None = None
    with Lock(folder):
        transaction.recover(folder)
        records, warnings = _still_there(meant, chosen)
        proof, more = _with_output(folder, meant, proof, tail)
        field = judge.field_of(proof, at=proof.at)
        planned: dict[str, JsonObject] = {mode: {proofs.FIELD: field} for mode, _ in records}
        ends = {mode: planned[mode] | _end(record, proof, evidence) for mode, record in records}
        try:
            draft, written = writing.drafted(meant, ends if finish and proof.passed else planned, judge)
        except Refused as error:
            if not (finish and proof.passed):
                raise
            refused = error
            draft, written = writing.drafted(meant, planned, judge)
        transaction.commit(folder, draft.writes())
        proof_output.remove_old(folder, meant.session)
    if refused:
        refused.add("The proof itself is recorded.")
        raise refused
    return mode_replies.reply(meant, written, [*warnings, *more], waiting_after(draft))


def _still_there(scope: Scope, chosen: Chosen) -> tuple[list[tuple[str, ModeRecord]], list[str]]:
    """Return the chosen runs that are as they were, each with its record, and a warning for each other one.

    Raises Refused if none is left.
    """
    view = scope.view()
    refuse_unreadable(scope, view, chosen.modes)
    found: list[tuple[str, ModeRecord]] = []
    warnings = []
    for run in chosen.runs:
        record = view.record_of(run.mode)
        if record is not None and _as_it_is(run.mode, record) == run:
            found.append((run.mode, record))
        else:
            warnings.append(f"{run.mode}: {_what_happened(run, record)}, so the proof was not recorded for it")
    if not found:
        raise Refused("\n".join([f"{line}; nothing was written" for line in warnings]))
    return found, warnings


def _what_happened(run: ChosenRun, record: ModeRecord | None) -> str:
    if record is None or record.is_tombstone:
        return "its record was removed while the command ran"
    if record.started_at != run.started_at or not run.is_active:
        return "another run of it began while the command ran"
    return f"it ended ({outcome_of(record).public or 'switched off'}) while the command ran"


def _with_output(folder: str, scope: Scope, proof: Proof, tail: bytes) -> tuple[Proof, list[str]]:
    """Return the proof with the name of the file of its output, and a warning if that cannot be written."""
    try:
        return proof._replace(output=proof_output.write(folder, scope.session, tail, scope.now)), []
    except (OSError, RcsError) as error:
        why = reason_of(error) if isinstance(error, OSError) else str(error)
        return proof, [f"the end of the output could not be written: {clean(why, WHY_LENGTH)}"]


def _end(record: ModeRecord, proof: Proof, evidence: str) -> JsonObject:
    """Return the fields that end a run as finished."""
    shown = evidence or record.evidence or f"{clean(proof.command, WHY_LENGTH)}: exit {proof.exit}"
    return {"lifecycle_outcome": FINISHED, "evidence": shown}
