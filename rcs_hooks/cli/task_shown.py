"""What `rcs task` shows: words for a person, one line of JSON for a program."""

from __future__ import annotations

from typing import Any

from rcs_hooks import jsontext
from rcs_hooks.cli import output
from rcs_hooks.errors import RcsError
from rcs_hooks.tasks import fixes, flow, messages, orders, phases
from rcs_hooks.tasks.flow import Move, Refusal, Stay
from rcs_hooks.tasks.state import rounds
from rcs_hooks.tasks.store import Store, names
from rcs_hooks.workflow.text import clean

Record = dict[str, Any]


def outcome(found: orders.Outcome, *, as_json: bool) -> int:
    if isinstance(found.decision, Refusal):
        return _refused(found.task, found.decision, as_json=as_json)
    if as_json:
        output.result(_as_json(found))
    else:
        output.text("\n".join(_words(found)))
    return output.OK


def _refused(task: str, refusal: Refusal, *, as_json: bool) -> int:
    if as_json:
        return output.refused(jsontext.dumps_line(_refusal_json(task, refusal)))
    if refusal.error == flow.REFUSED:
        return output.refused(refusal.text)
    return output.error(refusal.text)


def _refusal_json(task: str, refusal: Refusal) -> Record:
    return {
        "ok": False,
        "error": refusal.error,
        "task": task,
        "from": refusal.source,
        "to": refusal.target,
        "failed": [failure.as_json for failure in refusal.failed],
        "allowed": [_way_json(way) for way in refusal.allowed],
        "message": refusal.text,
    }


def _way_json(way: flow.Way) -> Record:
    failed = [failure.as_json for failure in way.failed]
    return {"to": way.to, "label": way.label, "open": not way.failed, "failed": failed}


def _as_json(outcome: orders.Outcome) -> Record:
    decision = outcome.decision
    move = decision if isinstance(decision, Move) else None
    return {
        "ok": True,
        "task": outcome.task,
        "from": move.source if move else outcome.phase,
        "to": outcome.phase,
        "moved": move is not None,
        "kind": move.kind if move else None,
        "label": move.label if move else None,
        "why": list(move.why) if move else [],
        "round": outcome.round,
        "recorded": outcome.recorded,
        "history": outcome.aside.folder or None,
        "put_aside": {"moved": list(outcome.aside.moved), "copied": list(outcome.aside.copied)},
        "warning": move.warning if move else None,
        "note": outcome.note,
    }


def _words(outcome: orders.Outcome) -> list[str]:
    task, decision, aside = outcome.task, outcome.decision, outcome.aside
    lines = (
        [messages.recorded(task, "the decision" if outcome.phase != phases.REVERT else "it", outcome.recorded)]
        if outcome.recorded
        else []
    )
    if isinstance(decision, Stay):
        return lines or [messages.already(task, decision.phase)]
    lines.append(_moved_words(outcome))
    for what, paths in (("moved", aside.moved), ("copied", aside.copied)):
        if paths:
            lines.append(f"  {what} to {aside.folder}: {', '.join(paths)}")
    if isinstance(decision, Move):
        lines += [f"  why: {each}" for each in decision.why]
    if isinstance(decision, Move) and decision.warning:
        lines.append(f"  warning: {decision.warning}")
    if outcome.note:
        lines.append(f"  {messages.no_run(outcome.note)}")
    hint = fixes.hint(task, outcome.phase)
    return [*lines, f"  to do: {hint}"] if hint else lines


def _moved_words(outcome: orders.Outcome) -> str:
    move = outcome.decision
    if not isinstance(move, Move) or move.source == phases.START:
        return messages.begun(outcome.task)
    why = (
        f"override: {move.reason}"
        if move.kind == flow.OVERRIDE
        else move.label or ("re-opened" if move.source == phases.DONE else None)
    )
    return messages.moved(outcome.task, move.source, move.target, outcome.round, why)


def status(found: orders.Status, *, as_json: bool) -> int:
    state = found.state
    if as_json:
        shown = {name: state.get(name) for name in ("phase", "actors", "created_at", "updated_at")}
        ways = [_way_json(way) for way in found.ways]
        output.result({"ok": True, "task": found.task, "round": found.round} | shown | {"edges": ways})
        return output.OK
    output.text(f"task {found.task}: {state['phase']}, round {found.round}")
    for way in found.ways:
        label = f" ({way.label})" if way.label else ""
        shown_as = f"closed{label}: {way.failed[0].words}" if way.failed else f"open{label}"
        output.text(f"  {way.to:<12}{shown_as}")
    hint = fixes.hint(found.task, state["phase"])
    if hint:
        output.text(f"  to do: {hint}")
    return output.OK


def tasks(root: str, *, as_json: bool) -> int:
    found = [_listed(root, name) for name in names(root)]
    if as_json:
        output.result({"tasks": found})
        return output.OK
    if not found:
        output.text("no tasks")
        return output.OK
    width = max(4, *(len(each["task"]) for each in found)) + 2
    output.text(f"{'TASK':<{width}}{'PHASE':<13}{'ROUND':<7}UPDATED")
    for each in found:
        told = each["error"] or f"{each['phase']:<13}{each['round']:<7}{each['updated_at'] or '-'}"
        output.text(f"{each['task']:<{width}}{told}")
    return output.OK


def _listed(root: str, name: str) -> Record:
    """A task that cannot be read hides no other."""
    nothing: Record = {"task": name, "phase": None, "round": None, "updated_at": None, "error": None}
    try:
        state = Store(root, name, 0).state()
    except RcsError as error:
        return nothing | {"error": str(error)}
    phase = state["phase"]
    updated = clean(state.get("updated_at")) or None
    return nothing | {"phase": phase, "round": rounds(state).get(phase, 0), "updated_at": updated}


def schema(name: str, *, as_json: bool) -> int:
    from rcs_hooks.tasks import artifacts

    found = artifacts.schema(phases.SCHEMAS[name])
    output.text(jsontext.dumps_line(found) if as_json else jsontext.dumps_shown(found))
    return output.OK
