"""Show what `rcs task` did: words for a person, one line of JSON for a program."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rcs_hooks import jsontext
from rcs_hooks.cli import output
from rcs_hooks.errors import RcsError, error_json
from rcs_hooks.files.clock import seconds
from rcs_hooks.tasks import flow, messages, phases
from rcs_hooks.tasks.author import signature
from rcs_hooks.tasks.failures import run_tests
from rcs_hooks.tasks.flow import AlreadyThere, GateStatus, Move, MoveRefusal
from rcs_hooks.tasks.store import TaskStore, names
from rcs_hooks.terminal import when
from rcs_hooks.terminal.style import BAD, GOES_ON, GOOD, QUIET, STRONG, WAITS, kind_of
from rcs_hooks.terminal.table import Cell, Column, Row
from rcs_hooks.text import clean
from rcs_hooks.workflow.commands import pasteable
from rcs_hooks.workflow.proof import PROVEN, words_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rcs_hooks.jsontext import JsonObject
    from rcs_hooks.tasks.forms import DecisionForm
    from rcs_hooks.tasks.operations import TaskResult, TaskStatus
    from rcs_hooks.tasks.state import TaskState
    from rcs_hooks.workflow.proof import ProofStatus

COLUMNS = (
    Column("TASK"),
    Column("PHASE"),
    Column("ROUND", is_number=True, label="round {}"),
    Column("PROOF"),
    Column("UPDATED"),
)
KINDS = {phases.ACCEPT: WAITS, phases.REVERT: BAD, phases.DONE: GOOD}
"""In which colours phases are shown that no agent works in; the others go on."""


def result(result: TaskResult, *, as_json: bool) -> int:
    """Print the result of a request, or its refusal, and return the exit code."""
    if isinstance(result.answer, MoveRefusal):
        return _refused(result, result.answer, as_json=as_json)
    if as_json:
        output.result(_as_json(result))
    else:
        output.text("\n".join(_words(result)))
    return output.OK


def _refused(result: TaskResult, refusal: MoveRefusal, *, as_json: bool) -> int:
    if as_json:
        said = _refusal_json(result.task, refusal)
        return output.refused(jsontext.dumps_line(said | ({"recorded": result.recorded} if result.recorded else {})))
    text = refusal.text if refusal.error == flow.REFUSED else f"rcs: {refusal.text}"
    return output.refused("\n".join([*_recorded(result), text]))


def _refusal_json(task: str, refusal: MoveRefusal) -> JsonObject:
    details: JsonObject = {
        "task": task,
        "from": refusal.source,
        "to": refusal.target,
        "failed": [failure.as_json for failure in refusal.failed],
        "allowed": [_gate_json(gate) for gate in refusal.allowed],
    }
    return error_json(refusal.error, refusal.text, details, error=refusal.error) | details


def _gate_json(gate: GateStatus) -> JsonObject:
    failed = [failure.as_json for failure in gate.failed]
    return {"to": gate.to, "label": gate.label, "open": not gate.failed, "failed": failed}


def _as_json(result: TaskResult) -> JsonObject:
    move = result.answer if isinstance(result.answer, Move) else None
    return {
        "ok": True,
        "task": result.task,
        "from": move.source if move else result.phase,
        "to": result.phase,
        "moved": move is not None,
        "kind": move.kind if move else None,
        "label": move.label if move else None,
        "why": list(result.why),
        "to_do": _to_do(result.task, result.phase, result.why, result.ready)[0],
        "round": result.round,
        "recorded": result.recorded,
        "history": result.archived.folder or None,
        "put_aside": {"moved": list(result.archived.moved), "copied": list(result.archived.copied)},
        "warning": move.warning if move else None,
        "proof": result.proof.to_json() if result.proof else None,
        **({"workspace": result.first_write} if result.first_write else {}),
    }


def _words(result: TaskResult) -> list[str]:
    lines = _recorded(result)
    if isinstance(result.answer, AlreadyThere):
        return lines or [messages.already(result.task, result.answer.phase), f"  next: rcs task status {result.task}"]
    archived = result.archived
    lines.append(_moved(result))
    for what, paths in (("moved", archived.moved), ("copied", archived.copied)):
        if paths:
            lines.append(f"  {what} to {archived.folder}: {', '.join(paths)}")
    if isinstance(result.answer, Move) and result.answer.warning:
        lines.append(f"  warning: {result.answer.warning}")
    lines += _proof(result.task, result.phase, result.proof)
    if result.first_write:
        lines.append(f"  {result.first_write}")
    return [*lines, *_to_do_lines(result.task, result.phase, result.why, result.ready)]


def _proof(task: str, phase: str, proof: ProofStatus | None) -> list[str]:
    """Return the verdict on the tests of a task that is to be accepted or was, and how to get a better one."""
    if proof is None:
        return []
    again = f"; to run it again: {run_tests(task, pasteable(proof.line))}"
    return [f"  proof: {words_of(proof)}{again if phase == phases.ACCEPT and proof.state != PROVEN else ''}"]


def _recorded(result: TaskResult) -> list[str]:
    """Return the line about the artifact that was written, also where the move after it was refused; none without."""
    if not result.recorded:
        return []
    what = {phases.DECISION: "the decision", phases.REVERT_RECORD: "the request"}.get(result.recorded, "the verdict")
    return [messages.recorded(result.task, what, result.recorded)]


def _to_do_lines(task: str, phase: str, why: Sequence[str], ready: str | None) -> list[str]:
    to_do, *reasons = _to_do(task, phase, why, ready)
    if not to_do:
        return [f"  why: {each}" for each in reasons]
    return [f"  to do: {to_do}", *(f"    - {each}" for each in reasons)]


def _to_do(task: str, phase: str, why: Sequence[str], ready: str | None) -> tuple[str, ...]:
    """Return what to do in a phase, and then what sent the task back to it, if anything did."""
    if ready and not why:
        return (messages.to_next(task, ready),)
    return phases.to_do(task, phase, is_back=bool(why)), *why


def _moved(result: TaskResult) -> str:
    move = result.answer
    if not isinstance(move, Move) or move.source == phases.START:
        return messages.begun(result.task)
    if move.kind == flow.OVERRIDE:
        why: str | None = f"override: {move.reason}"
    else:
        why = move.label or ("re-opened" if move.source == phases.DONE else None)
    return messages.moved(result.task, move.source, move.target, result.round, why)


def status(status: TaskStatus, *, as_json: bool) -> int:
    """Print the phase of a task, which phases it can go to, and what to do; return the exit code."""
    state = status.state
    to_do = _to_do(status.task, state.phase, state.why, status.ready)
    if as_json:
        fields = {name: state.record.get(name) for name in ("phase", "actors", "created_at", "updated_at")}
        edges = [_gate_json(gate) for gate in status.gates]
        why: JsonObject = {"why": list(state.why), "to_do": to_do[0], "decision": _decision_json(status.decision)}
        why["proof"] = state.proof.to_json() if state.proof else None
        output.result({"ok": True, "task": status.task, "round": state.round} | fields | {"edges": edges} | why)
        return output.OK
    output.text(f"task {status.task}: {state.phase}, round {state.round}")
    for gate in status.gates:
        label = f" ({gate.label})" if gate.label else ""
        words = f"closed{label}: {gate.failed[0].words}" if gate.failed else f"open{label}"
        output.text(f"  {gate.to:<12}{words}")
    for line in _proof(status.task, state.phase, state.proof):
        output.text(line)
    if status.decision is not None:
        decided = status.decision
        by = signature(decided.decided_by, state.finished_by)
        words = messages.decided(decided.decision, by, decided.decided_at, decided.reasons)
        output.text(f"  decision: {words}")
    for line in _to_do_lines(status.task, state.phase, state.why, status.ready):
        output.text(line)
    return output.OK


def _decision_json(decision: DecisionForm | None) -> JsonObject | None:
    if decision is None:
        return None
    by, at = clean(decision.decided_by) or None, clean(decision.decided_at) or None
    return {"decision": decision.decision, "reasons": decision.reasons, "decided_by": by, "decided_at": at}


def tasks(root: str, now: float, *, as_json: bool) -> int:
    """Print the tasks of a workspace, and return the exit code."""
    found = [(name, *_read(root, name)) for name in names(root)]
    if as_json:
        output.result({"tasks": [_task_json(*each) for each in found]})
    elif found:
        output.table([_row(*each, now) for each in found], COLUMNS)
    else:
        output.text("no tasks")
    return output.OK


def _read(root: str, name: str) -> tuple[TaskState | None, str]:
    """Return the state of a task; None if it cannot be read, and why."""
    try:
        return TaskStore(root, name, 0).state(), ""
    except RcsError as error:
        return None, str(error)


def _task_json(name: str, state: TaskState | None, error: str) -> JsonObject:
    empty: JsonObject = {"task": name, "phase": None, "round": None, "updated_at": None, "error": error or None}
    if state is None:
        return empty
    updated = clean(state.record.get("updated_at")) or None
    return empty | {"phase": state.phase, "round": state.round, "updated_at": updated}


def _row(name: str, state: TaskState | None, error: str, now: float) -> Row:
    """Return the row of a task in the list; if it cannot be read, a row that says why."""
    if state is None:
        return Row((Cell(name, STRONG), Cell("unreadable", BAD), "", "", ""), tuple(error.splitlines()))
    verdict, at = state.proof.state if state.proof else "", seconds(state.record.get("updated_at"))
    cells = (
        Cell(name, STRONG),
        Cell(state.phase, KINDS.get(state.phase, GOES_ON)),
        Cell(str(state.round)),
        Cell(verdict, kind_of(verdict)),
        Cell(when.ago(at, now), QUIET, when.full(at)),
    )
    return Row(cells)


def schema(name: str, *, as_example: bool, as_json: bool) -> int:
    """Print the JSON Schema of an artifact, such as `plan-review`, or an example of it; return the exit code."""
    from rcs_hooks.tasks import examples, forms

    shown = examples.EXAMPLES[phases.SCHEMAS[name]] if as_example else forms.schema(phases.SCHEMAS[name])
    output.text(jsontext.dumps_line(shown) if as_json else jsontext.dumps_shown(shown))
    return output.OK
