"""Writes fields into the records of modes, for every surface: the command line, MCP and whoever calls them.

A write names one mode or several. It is drafted as a whole and committed as a whole; if one of the modes refuses it,
nothing is written. It returns a JSON object, and raises Refused with the words for the person.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rcs_hooks.errors import PhaseRefused, Refused
from rcs_hooks.files import first_write, preparation, transaction
from rcs_hooks.files.clock import iso
from rcs_hooks.files.lock import Lock
from rcs_hooks.files.paths import INVENTORY
from rcs_hooks.state import judging, mode_changes, mode_replies, questions, run_details, validation, write_checks
from rcs_hooks.state import session as sessions
from rcs_hooks.state.deferral import waiting_after
from rcs_hooks.state.draft import ACTIVATES, COMPLETES, Draft
from rcs_hooks.state.mode_names import with_definition
from rcs_hooks.state.mode_replies import WrittenMode
from rcs_hooks.state.operations import refuse_unreadable
from rcs_hooks.state.reconcile import apply_step, review_open
from rcs_hooks.state.scopes import Scope, with_session
from rcs_hooks.workflow import phases, transitions
from rcs_hooks.workflow.lifecycle import FINISHED, is_active, outcome_of, review_is_open
from rcs_hooks.workflow.messages.denial import denial
from rcs_hooks.workflow.messages.prompt_context import PromptSummary
from rcs_hooks.workflow.messages.steps import refused_finish, refused_phase
from rcs_hooks.workflow.mode_record import ModeRecord
from rcs_hooks.workflow.next_step import can_finish

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rcs_hooks.catalog import ModeDef
    from rcs_hooks.jsontext import JsonObject
    from rcs_hooks.state.judging import Judge
    from rcs_hooks.state.results import WriteResult


def write(
    scope: Scope,
    modes: str | Sequence[str],
    fields: Mapping[str, object],
    *,
    root_scope: bool = False,
    for_person: bool = False,
) -> WriteResult:
    """Merge fields into the records of modes. If they would activate a mode, the transition policy is asked first.

    A run that the write finishes is judged by its proof. `root_scope`: write the records of the root scope, even if a
    session has the mode active. `for_person`: whether a person reads the answer, not an agent. Raises Refused.
    """
    names = (modes,) if isinstance(modes, str) else tuple(dict.fromkeys(modes))
    wanted = validation.check_fields(fields)
    if wanted.get("fresh"):
        if wanted.get("active") is False:
            raise Refused("fresh, and active: false, are both given; give one of them")
        wanted["active"] = True
    write_checks.refuse_both_scopes(scope, root_scope=root_scope)
    write_checks.refuse_other_spelling(scope, names[0], wanted)
    scope = scope._replace(commands=scope.commands.of_workspace()) if root_scope else scope_of(scope, names)
    wanted, warnings = run_details.with_stored_paths(scope, wanted)
    planned = dict.fromkeys(names, wanted)
    _, written = drafted(scope, planned)  # a refused write must not even create the state folder
    if wanted.get("active") and not (scope.session or root_scope):
        for mode in names:
            write_checks.refuse_without_owner(scope, mode)
    first = first_write.line(scope.root, scope.env)
    draft, written, judge = _committed(scope, planned, written)
    warnings += [first] if first else []
    warnings += judge.warnings if judge else []
    return mode_replies.reply(scope, written, warnings, waiting_after(draft), for_person=for_person)


def _committed(
    scope: Scope, planned: Mapping[str, JsonObject], written: Sequence[WrittenMode]
) -> tuple[Draft, list[WrittenMode], Judge | None]:
    """Commit a write; return what was written, and what has judged the runs that it finished or that may end.

    `written`: what would be written, looked at without the lock. Where another process changes that meanwhile so that
    the settings or the work tree have to be read after all, they are read before another try.
    """
    while True:
        judge = _judge(scope, written)
        folder = preparation.prepare(scope.root)
        with Lock(folder):
            transaction.recover(folder)
            draft, done = drafted(scope, planned, judge)
            ended = [each.after for each in done if each.finishes]
            if not _needs_settings(done) or (judge and judge.covers(ended)):
                transaction.commit(folder, draft.writes())
                return draft, done, judge
        written = done


def _judge(scope: Scope, written: Sequence[WrittenMode]) -> Judge | None:
    if not _needs_settings(written):
        return None
    ended = [each for each in written if each.finishes]
    return judging.judge_for(scope, [each.mode.name for each in ended], [each.after for each in ended])


def _needs_settings(written: Sequence[WrittenMode]) -> bool:
    return any(judging.needs_settings(each.mode, each.after) for each in written)


def scope_of(scope: Scope, modes: Sequence[str]) -> Scope:
    """Return the scope in which all of the modes are meant: where some of them run, it is theirs.

    Raises Refused if they run in different ones.
    """
    meant = {mode: with_session(scope, mode) for mode in modes}
    if scope.session or len(modes) == 1:
        return meant[modes[0]]
    in_root = {member.mode for member in scope.view().active_modes()}
    running = {mode: each for mode, each in meant.items() if each.session or mode in in_root}
    if len({each.session for each in running.values()}) > 1:
        places = ", ".join(f"{mode} in {each.session or 'root'}" for mode, each in running.items())
        raise Refused(f"{places}: these modes do not run in the same session, so nothing was written; write each alone")
    return next(iter(running.values()), scope)


def drafted(
    scope: Scope, planned: Mapping[str, JsonObject], judge: Judge | None = None
) -> tuple[Draft, list[WrittenMode]]:
    """Draft a write of checked fields into the records of modes; nothing is committed. Raises Refused.

    `planned`: for each mode its fields. `judge`: what judges the runs that it finishes; None to leave them as they are.
    """
    modes, starts = tuple(planned), any(wanted.get("active") for wanted in planned.values())
    view = scope.view()
    for mode in modes:
        view = with_definition(scope, view, mode, starts=starts)
    refuse_unreadable(scope, view, () if starts else (*modes, INVENTORY))
    draft = Draft(view, turn=None, now=iso(scope.now))
    try:
        for mode, wanted in planned.items():
            write_checks.refuse_not_running(scope, view, mode, wanted)
        written = [_draft_write(scope, draft, mode, wanted, judge) for mode, wanted in planned.items()]
    except Refused as error:
        if len(modes) > 1:
            error.add(f"A write to {' and '.join(modes)} is for {'both' if len(modes) == 2 else 'all'} or none.")
        raise
    draft.sync_inventories()
    return draft, written


def _draft_write(scope: Scope, draft: Draft, mode: str, wanted: JsonObject, judge: Judge | None) -> WrittenMode:
    view, definition = draft.view, draft.modes[mode]
    before = old = view.record_of(mode) or ModeRecord({})
    message = None
    if wanted.get("active"):
        stated = outcome_of(ModeRecord(wanted))
        if stated.ends:
            raise Refused(f"active: true and the outcome {stated.public} are both given; give one of them")
        is_anew = bool(wanted.get("fresh"))
        if not is_active(old):
            message = _activate(scope, draft, mode, is_anew=is_anew)
        elif is_anew:
            draft.begin_anew(mode)
        else:
            draft.stage_mode(ACTIVATES, mode, mode_changes.answered(definition, old, now=draft.now))
        old = draft.own.get(mode) or draft.root.get(mode) or ModeRecord({})
    fields = _stepped(scope, definition, old, run_details.fields_of(definition, old, wanted))
    record = mode_changes.merged(mode, old, fields, session=view.session, now=draft.now)
    record = run_details.with_review(definition, old, record, fields)
    if not wanted.get("active"):
        record = mode_changes.keeping_outcome(record, old)
    record = _with_early(scope, definition, old, record)
    is_end = judging.finishes(definition, old, record, wanted)
    if judge and is_end:
        record = judge.with_verdict(definition, record, at=draft.now)
    record = judging.with_named(judge, definition, record)
    draft.stage_mode(ACTIVATES if is_active(record) else COMPLETES, mode, record)
    if not is_active(record) or mode not in view.own:
        draft.end_survivor(mode)
    if not (outcome_of(record).waits and is_active(record)):
        draft.abandon(questions.load_for(view), mode, before)
    return WrittenMode(definition, before, record, message, finishes=is_end)


def _activate(scope: Scope, draft: Draft, mode: str, *, is_anew: bool) -> str | None:
    """Ask the policy and draft the transition; return its message. Raises Refused with the denial."""
    running = [member.mode for member in draft.active_modes()]
    plan = transitions.plan(running, (mode,), review_open=review_open(draft), modes=draft.modes)
    if plan.denied:
        unowned = frozenset(member.mode for member in draft.active_modes() if sessions.belongs_to_workspace(member))
        summary = PromptSummary((), plan, of_workspace=unowned)
        raise Refused("\n".join(denial(summary, plan.denied, scope.commands)))
    messages = [text for step in plan.steps for text in apply_step(draft, step, is_anew=is_anew)[0]]
    return messages[0] if messages else None


def _stepped(scope: Scope, mode: ModeDef, old: ModeRecord, fields: JsonObject) -> JsonObject:
    """Return the fields with the phase and the round as the mode's machine has them.

    Raises Refused for a step that the machine does not allow. A write that ends the run may name the end as its phase,
    as other tools do.
    """
    phase, iteration = fields.get("current_phase"), fields.get("iteration")
    record = old.with_fields({name: fields[name] for name in ("max_iterations",) if name in fields})
    number = iteration if isinstance(iteration, int) else None
    if isinstance(phase, str) and not (phases.outcome_meant(phase) and _ends(fields)):
        step = phases.step(mode, record, phase, iteration=number)
    elif number is not None:
        step = phases.in_round(mode, record, number)
    else:
        return fields
    if isinstance(step, phases.Refusal):
        raise PhaseRefused(
            refused_phase(mode, old, step, scope.commands),
            valid_states=tuple(mode.states),
            current=step.current,
            valid_next=step.legal,
        )
    fields = dict(fields)
    if isinstance(phase, str):
        fields["current_phase"] = step.phase
    if step.iteration is not None:
        fields["iteration"] = step.iteration
    if step.visited:
        fields["visited"] = list(step.visited)
    return fields


def _ends(fields: JsonObject) -> bool:
    stated = {name: value for name, value in fields.items() if name != "current_phase"}
    return fields.get("active") is False or outcome_of(ModeRecord(stated)).ends


def _with_early(scope: Scope, mode: ModeDef, old: ModeRecord, record: ModeRecord) -> ModeRecord:
    """Return a record that has finished marked `early`, if `finished` is not offered in its phase.

    Raises Refused if the run finishes while its review is not clean.
    """
    has_finished = not is_active(record) and outcome_of(record).word == FINISHED
    if not has_finished:
        return record.without(("early",))
    if mode.returns_to and review_is_open(record) and outcome_of(old).word != FINISHED:
        raise Refused(refused_finish(mode, record, scope.commands))
    phase = old.phase if phases.outcome_meant(record.phase) else record.phase
    if can_finish(mode, record.with_fields({"current_phase": phase})):
        return record.without(("early",))
    return record.with_fields({"early": True})
