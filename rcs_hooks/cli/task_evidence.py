"""Carries out `rcs task test ID -- COMMAND` and `rcs task collect`: artifacts that a program writes, not an agent."""

from __future__ import annotations

import argparse
import os
import time
from typing import TYPE_CHECKING

from rcs_hooks import config
from rcs_hooks.cli import output, task_output
from rcs_hooks.environment import Environment
from rcs_hooks.errors import RcsError, SystemFailure, UsageError
from rcs_hooks.proof.exit_status import NOTHING_RAN, of_error
from rcs_hooks.proof.signals import end_as_interrupted
from rcs_hooks.tasks import collecting, eval_report, judging, messages, operations
from rcs_hooks.tasks.failures import path_of, run_tests
from rcs_hooks.tasks.flow import MoveRefusal
from rcs_hooks.tasks.phases import REPORT
from rcs_hooks.text import quoted
from rcs_hooks.workflow.proof import words_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rcs_hooks.config import ProofSettings
    from rcs_hooks.jsontext import JsonObject
    from rcs_hooks.tasks.store import TaskStore
    from rcs_hooks.tasks.testing import Tested

END_OF_OPTIONS = "--"


# --- the command line


def add_command(parser: argparse.ArgumentParser) -> None:
    """Add what `rcs task test` takes besides a task."""
    parser.usage = "rcs task test [ID] [OPTION]... [-- COMMAND...]"
    parser.description = (
        f"Go to test. With a COMMAND: run it, write {REPORT} from what\n"
        f"came of it, and exit as it does, or with {NOTHING_RAN} if nothing was run or recorded."
    )
    parser.add_argument("--kind", choices=eval_report.KINDS, help="what COMMAND is; default: test")
    parser.add_argument("--timeout", type=_seconds, metavar="TIME", help="how long it may run, as 90s or 30m")
    parser.add_argument("--fresh", action="store_true", help="begin the report again, without the commands before")


def split(argv: Sequence[str]) -> tuple[Sequence[str], list[str] | None]:
    """Return the words of `rcs task test`, and the command that follows `--`; None without one, and elsewhere."""
    if argv[:1] != ["test"] or END_OF_OPTIONS not in argv:
        return argv, None
    at = argv.index(END_OF_OPTIONS)
    return argv[:at], list(argv[at + 1 :])


def _seconds(text: str) -> float:
    seconds = config.seconds_of(text)
    if seconds is None:
        raise argparse.ArgumentTypeError(f"{text!r} is not a time from 1 s to a day, such as 90s, 30m or 2h")
    return seconds


def check_command(action: str, task: str | None, others: Sequence[str]) -> None:
    """Raise UsageError for words that are a command without its `--`. `task`: the word before them, if there is one."""
    if action == "test" and not others[0].startswith("-"):
        command = " ".join(quoted(each) for each in others)
        raise UsageError(f"write `--` before the command: rcs task test {quoted(task or 'ID')} -- {command}")


def check_options(args: argparse.Namespace) -> None:
    """Raise UsageError for options that need a command, and for a command without words."""
    if args.command == []:
        raise UsageError("there is no command after --; write: rcs task test ID -- COMMAND")
    if args.command is None and (args.kind or args.timeout or args.fresh):
        raise UsageError("--kind, --timeout and --fresh are about a command; write: rcs task test ID -- COMMAND")


# --- rcs task test ID -- COMMAND


def test(args: argparse.Namespace, store: TaskStore) -> int:
    """Run a command for a task, and return its exit status; 125, 126 or 127 where it did not run."""
    try:
        return _test(args, store)
    except RcsError as error:
        return not_run(error, as_json=args.json)
    except OSError as error:
        return not_run(SystemFailure(error), as_json=args.json)


def not_run(error: RcsError, *, as_json: bool) -> int:
    """Print why a command was not run, and return the exit status that says so."""
    output.error(error, as_json=as_json)
    return of_error(error)


def _test(args: argparse.Namespace, store: TaskStore) -> int:
    from rcs_hooks.tasks import testing

    environment = Environment(os.environ, os.getcwd(), time.time())
    settings = config.load(os.environ, store.root).proof
    place = testing.begin(store, environment)
    if isinstance(place.answer, MoveRefusal):
        task_output.result(place, as_json=args.json)
        return NOTHING_RAN
    command = testing.Command(
        args.command, args.kind or eval_report.KINDS[0], os.getcwd(), dict(os.environ),
        args.timeout or settings.seconds, args.json, time.time, is_fresh=args.fresh,
    )  # fmt: skip
    tested = testing.run(store, place, command, environment)
    named = _why_no_proof(settings, args.command, tested, store)
    if args.json:
        output.last_result(_as_json(tested, named))
    else:
        output.aside("\n".join(_words(store, tested, named)))
    end_as_interrupted(tested.proof.exit)
    return tested.proof.exit or (NOTHING_RAN if tested.why_unrecorded else output.OK)


def _why_no_proof(settings: ProofSettings, argv: Sequence[str], tested: Tested, store: TaskStore) -> str:
    """Return why a command proves nothing, and what to run; empty if it may prove something."""
    why = config.why_no_proof(settings, argv, tested.proof.folder, store.root)
    if not why or settings.in_doubt:
        return f"not a proof: {why}" if why else ""
    return f"not a proof: {why}; run: {run_tests(store.task, judging.to_run(settings))}"


def _as_json(tested: Tested, named: str) -> JsonObject:
    proof = tested.proof.to_json()
    fields = {key: proof[key] for key in ("command", "exit", "seconds", "tree", "at", "changed", "timed_out")}
    return {
        "ok": tested.proof.passed and not tested.why_unrecorded,
        "task": tested.place.task,
        "phase": tested.place.phase,
        **fields,
        "recorded": None if tested.why_unrecorded else REPORT,
        "why": tested.why_unrecorded or None,
        "proof": tested.verdict.to_json() if tested.verdict else None,
        "note": named or None,
    }


def _words(store: TaskStore, tested: Tested, named: str) -> list[str]:
    task, proof = store.task, tested.proof
    where = "" if tested.why_unrecorded else f"; recorded in {path_of(task, REPORT)}"
    lines = [f"task {task}: {messages.came_of(proof)} in {proof.seconds:.1f} s{where}"]
    if tested.why_unrecorded:
        lines.append(f"  not recorded: {tested.why_unrecorded}")
    if tested.output_lost:
        lines.append(f"  not all of the output could be passed on: {tested.output_lost}")
    if proof.changed:
        lines.append(f"  it proves nothing, as it has changed {messages.first_of(proof.changed)}; run it again")
    if named:
        lines.append(f"  {named}")
    if tested.verdict:
        lines.append(f"  proof: {words_of(tested.verdict)}")
    if not tested.why_unrecorded:
        lines += [f"  next: rcs task status {task}"] if tested.verdict else _next(store)
    return lines


def _next(store: TaskStore) -> list[str]:
    """Return the next command; where it sends the task back, with the reasons, and with what to do instead."""
    move = operations.next_move(store)
    if move is None or not move.why:
        return [f"  next: rcs task next {store.task}"]
    other = messages.instead(store.task, move.source)
    again = f"  next: {messages.to_next(store.task, move.target, move.why)}"
    return [again, f"  {other}"] if other else [again]


# --- rcs task collect


def collect(args: argparse.Namespace, store: TaskStore) -> int:
    """Take the diff of a task and its files from git, and return the exit status."""
    collected = collecting.collect(store, args.base, Environment(os.environ, os.getcwd(), time.time()))
    if args.json:
        archived = collected.archived
        fields = collected._asdict() | {"archived": archived.folder or None, "moved": list(archived.moved)}
        output.result({"ok": True} | fields | {"next": f"rcs task next {store.task}"})
        return output.OK
    base = f"commit {collected.base[:12]}" if collected.base else "an empty repository"
    output.text(f"task {store.task}: the diff and its files are collected from git, against {base}")
    for what, paths in (
        ("changed", collected.files),
        ("removed", collected.removed),
        ("links, in the diff only", collected.links),
        ("outside this workspace, left out", collected.outside),
    ):
        if paths:
            output.text(f"  {what}: {messages.first_of(paths)}")
    if collected.archived.folder:
        output.text(f"  moved to {collected.archived.folder}: {', '.join(collected.archived.moved)}")
    output.text("\n".join(_next(store)))
    return output.OK
