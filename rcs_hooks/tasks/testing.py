"""Run a command for a task, and write the report of it. Nothing else of tasks runs a command."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from rcs_hooks.errors import RcsError, Refused, SystemFailure
from rcs_hooks.files.clock import iso
from rcs_hooks.files.paths import folder_from
from rcs_hooks.tasks import eval_report, judging, messages
from rcs_hooks.tasks.flow import ENTER, AlreadyThere, Request
from rcs_hooks.tasks.operations import TaskResult, request_locked
from rcs_hooks.tasks.phases import ACCEPT, REPORT, REVIEW, TEST
from rcs_hooks.text import quoted
from rcs_hooks.workflow.proof import Proof

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from rcs_hooks.environment import Environment
    from rcs_hooks.proof.command import Ran
    from rcs_hooks.tasks.store import TaskStore
    from rcs_hooks.workflow.proof import ProofStatus

TESTED_IN = (TEST, ACCEPT)
"""The phases in which a command is run. In accept it is run again, on the work tree that is to be accepted."""


class Command(NamedTuple):
    """A command that is to be run for a task."""

    argv: Sequence[str]
    kind: str
    cwd: str
    env: Mapping[str, str]
    seconds: float
    to_stderr: bool
    clock: Callable[[], float]
    is_fresh: bool = False
    """Whether the report begins again, without the commands that ran before."""

    @property
    def text(self) -> str:
        return " ".join(quoted(each) for each in self.argv)


class Tested(NamedTuple):
    """What came of a command, and whether it is in the report."""

    place: TaskResult
    proof: Proof
    output_lost: str = ""
    """Why not all of its output could be passed on; empty if it was."""
    why_unrecorded: str = ""
    """Why the report was not written; empty if it was."""
    verdict: ProofStatus | None = None
    """The new verdict on a task that is in accept; None elsewhere."""


def begin(store: TaskStore, environment: Environment) -> TaskResult:
    """Enter test if the task is in review, and check that a report can be written; the answer may be a refusal.

    Raises Refused in other phases.
    """
    store.check_exists()
    with store.lock():
        state = store.state()
        if state.phase not in (REVIEW, *TESTED_IN):
            raise Refused(messages.no_testing_now(store.task, state.phase))
        store.check_recordable(REPORT)
        if state.phase in TESTED_IN:
            return TaskResult(store.task, AlreadyThere(state.phase), state.phase, state.round)
        return request_locked(store, Request(ENTER, TEST))


def run(store: TaskStore, place: TaskResult, command: Command, environment: Environment) -> Tested:
    """Run a command, and write its report. `place`: where the task was found by `begin`.

    Raises CommandNotFound, NotRunnable and TreeFailure; then nothing is written.
    """
    from rcs_hooks.proof import command as program
    from rcs_hooks.proof.tree import changed_tracked, fingerprint

    before = fingerprint(store.root, command.env)
    ran = program.run(
        command.argv, cwd=command.cwd, env=command.env, seconds=command.seconds, to_stderr=command.to_stderr
    )
    try:
        after = fingerprint(store.root, command.env)
        digest, changed = after.digest, changed_tracked(before, after)
    except RcsError:  # then it is recorded, and proves nothing
        digest, changed = "", ()
    at, folder = iso(command.clock()), folder_from(store.root, command.cwd)
    proof = Proof(command.text, ran.exit, ran.seconds, at, digest, changed, timed_out=ran.timed_out, folder=folder)
    if ran.is_interrupted:
        return Tested(place, proof, ran.output_lost, messages.INTERRUPTED)
    tail = ran.tail.decode(errors="replace")
    suite = eval_report.SuiteRun(command.kind, proof, tail, before.digest, broke=_broke(ran))
    try:
        verdict = _record(store, place, suite, environment, is_fresh=command.is_fresh)
    except RcsError as error:
        return Tested(place, proof, ran.output_lost, str(error))
    except OSError as error:
        return Tested(place, proof, ran.output_lost, str(SystemFailure(error)))
    return Tested(place, proof, ran.output_lost, verdict=verdict)


def _broke(ran: Ran) -> bool:
    return ran.timed_out or ran.signal > 0


def _record(
    store: TaskStore, place: TaskResult, suite: eval_report.SuiteRun, environment: Environment, *, is_fresh: bool
) -> ProofStatus | None:
    with store.lock():
        state = store.state()
        if (state.phase, state.round) != (place.phase, place.round):
            raise Refused(messages.gone_on(store.task, state.phase))
        report = eval_report.with_run(store.check_recordable(REPORT), suite, is_fresh=is_fresh)
        verdict = None
        if state.phase == ACCEPT:
            verdict = judging.verdict_on(report, store, environment, suite.proof.tree)
        store.record_report(state, report, messages.tested(suite.proof), verdict)
    return state.judged(verdict).proof if verdict is not None else None
