"""Writes fields into the record of a mode, for every surface: the command line, MCP and whoever calls them.

A write returns a JSON object, and raises Refused with the words for the person.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rcs_hooks.errors import Refused
from rcs_hooks.files import paths, preparation, transaction
from rcs_hooks.files.clock import iso
from rcs_hooks.files.lock import Lock
from rcs_hooks.files.paths import INVENTORY
from rcs_hooks.state import mode_changes, questions, validation, write_checks
from rcs_hooks.state import session as sessions
from rcs_hooks.state.draft import ACTIVATES, COMPLETES, Draft
from rcs_hooks.state.mode_names import with_definition
from rcs_hooks.state.operations import refuse_unreadable
from rcs_hooks.state.reconcile import apply_step, review_open
from rcs_hooks.state.scopes import Scope, with_session
from rcs_hooks.workflow import transitions
from rcs_hooks.workflow.lifecycle import is_active, outcome_of
from rcs_hooks.workflow.messages.prompt_context import PromptSummary, denial
from rcs_hooks.workflow.mode_record import ModeRecord

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rcs_hooks.jsontext import JsonObject
    from rcs_hooks.state.results import WriteResult


def write(scope: Scope, mode: str, fields: Mapping[str, object], *, root_scope: bool = False) -> WriteResult:
    """Merge fields into the record of a mode. If they would activate the mode, the transition policy is asked first.

    `root_scope`: write the record of the root scope, even if a session has the mode active. Raises Refused.
    """
    wanted = validation.check_fields(fields)
    write_checks.refuse_both_scopes(scope, root_scope=root_scope)
    write_checks.refuse_other_spelling(scope, mode, wanted)
    scope = scope._replace(commands=scope.commands.of_workspace()) if root_scope else with_session(scope, mode)
    _drafted(scope, mode, wanted)  # a refused write must not even create the state folder
    if wanted.get("active") and not (scope.session or root_scope):
        write_checks.refuse_without_owner(scope, mode)
    folder = preparation.prepare(scope.root)
    with Lock(folder):
        transaction.recover(folder)
        draft, message = _drafted(scope, mode, wanted)
        transaction.commit(folder, draft.writes())
    path = f"{paths.STATE}/{paths.mode_file(mode, scope.session)}"
    result: WriteResult = {"success": True, "mode": mode, "path": path}
    if message:
        result["transition"] = message
    return result


def _drafted(scope: Scope, mode: str, wanted: JsonObject) -> tuple[Draft, str | None]:
    view = with_definition(scope, scope.view(), mode, starts=bool(wanted.get("active")))
    refuse_unreadable(scope, view, () if wanted.get("active") else (mode, INVENTORY))
    write_checks.refuse_not_running(scope, view, mode, wanted)
    draft = Draft(view, turn=None, now=iso(scope.now))
    message = _draft_write(scope, draft, mode, wanted)
    draft.sync_inventories()
    return draft, message


def _draft_write(scope: Scope, draft: Draft, mode: str, wanted: JsonObject) -> str | None:
    view = draft.view
    before = old = view.record_of(mode) or ModeRecord({})
    message = None
    if wanted.get("active"):
        stated = outcome_of(ModeRecord(wanted))
        if stated.ends:
            raise Refused(f"active: true and the outcome {stated.public} are both given; give one of them")
        if is_active(old):
            draft.stage_mode(ACTIVATES, mode, mode_changes.answered(draft.modes[mode], old, now=draft.now))
        else:
            message = _activate(scope, draft, mode)
        old = draft.own.get(mode) or draft.root.get(mode) or ModeRecord({})
    record = mode_changes.merged(mode, old, wanted, session=view.session, now=draft.now)
    if not wanted.get("active"):
        record = mode_changes.keeping_outcome(record, old)
    draft.stage_mode(ACTIVATES if is_active(record) else COMPLETES, mode, record)
    if not is_active(record) or mode not in view.own:
        draft.end_survivor(mode)
    if not (outcome_of(record).waits and is_active(record)):
        draft.abandon(questions.load_for(view), mode, before)
    return message


def _activate(scope: Scope, draft: Draft, mode: str) -> str | None:
    """Ask the policy and draft the transition; return its message. Raises Refused with the denial."""
    running = [member.mode for member in draft.active_modes()]
    plan = transitions.plan(running, (mode,), review_open=review_open(draft), modes=draft.modes)
    if plan.denied:
        unowned = frozenset(member.mode for member in draft.active_modes() if sessions.belongs_to_workspace(member))
        summary = PromptSummary((), plan, of_workspace=unowned)
        raise Refused("\n".join(denial(summary, plan.denied, scope.commands)))
    messages = [text for step in plan.steps for text in apply_step(draft, step)[0]]
    return messages[0] if messages else None
