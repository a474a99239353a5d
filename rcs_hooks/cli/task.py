"""Read the command line of `rcs task`, and carry the command out. Its verbs come from the phases' definitions."""

from __future__ import annotations

import argparse
import os
import sys
import time
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from rcs_hooks.cli import options, task_evidence, task_output, whole_ids
from rcs_hooks.environment import Environment, typed_by
from rcs_hooks.errors import RcsError, Refused
from rcs_hooks.files.workspaces import find_root
from rcs_hooks.interface import ROOT
from rcs_hooks.tasks import messages, operations, phases, verdicts
from rcs_hooks.tasks.author import Author
from rcs_hooks.tasks.flow import ENTER, NEXT, REDO, Request
from rcs_hooks.tasks.guards.acceptance import DECISIONS
from rcs_hooks.tasks.guards.findings import has_words
from rcs_hooks.tasks.store import TaskStore, names
from rcs_hooks.tasks.verdicts import ReviewVerdict
from rcs_hooks.terminal import width
from rcs_hooks.text import clean

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rcs_hooks.tasks.phases import PhaseDef


EXAMPLES = (
    "rcs task new login",
    "rcs task status login",
    "rcs task next login",
    'rcs task next login --override "I accept the risk of skipping review"',
    "rcs task schema planning.ai --example",
    'rcs task review plan login --verdict needs_changes --reason "no way back"',
    "rcs task collect login",
    "rcs task test login -- pytest -q",
)


class ReplDefaults(NamedTuple):
    """The workspace and the task of a repl, for lines that do not name them; None outside a repl."""

    root: str | None = None
    task: str | None = None


def build() -> argparse.ArgumentParser:
    return _built(width.of_help())


@cache
def _built(_width: int) -> argparse.ArgumentParser:
    """Return the parser for a terminal of this width. It has a hundred options, and a repl reads line after line."""
    *others, last = phases.PHASES
    parser = options.parser(
        "task",
        f"Lead a task through {', '.join(others)} and {last}. The files of the task, in .rcs/tasks/ID, open the way; "
        "a refusal says what is missing, and what to do about it.",
        *EXAMPLES,
    )
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    new = _add(actions, "new", "begin a task", is_named=False)
    new.add_argument("id", metavar="ID", help="its name: letters, digits, - and _")
    _add(actions, "status", "show where a task is, and which phases it can go to")
    following = _add(actions, "next", "go to the first phase that is open")
    following.add_argument("--override", metavar="REASON", help="go although the phase is closed; the reason is logged")
    following.add_argument(
        "--to", choices=phases.PHASES, metavar="PHASE", help="the phase; default: the one that follows"
    )
    _add_entering(actions)
    collect = _add(actions, "collect", "take the diff of the work and its files from git")
    collect.add_argument("--base", metavar="REF", help="the commit to compare with; default: where the task began")
    redo = _add(actions, "redo", "do a phase again; re-open a done task")
    redo.add_argument("--phase", choices=tuple(phases.OUTPUTS), metavar="PHASE", help="default: this one, or planning")
    _add(actions, "list", "list the tasks of this workspace", is_named=False)
    schema = options.add_action(actions, "schema", "show the JSON Schema of an artifact", *_examples("schema"))
    artifacts = f"the artifact, or its file: {', '.join(phases.SCHEMAS)}"
    schema.add_argument("name", type=_schema_name, choices=tuple(phases.SCHEMAS), metavar="NAME", help=artifacts)
    schema.add_argument("--example", action="store_true", help="show a small artifact that is filled in, instead")
    schema.add_argument("--json", action="store_true", help="print one line of JSON")
    _add(actions, "repl", "read the same commands with a slash, line after line")
    return parser


def _examples(words: str) -> list[str]:
    """Return the examples of an action, which may have two words."""
    return [each for each in EXAMPLES if each.startswith(f"rcs task {words} ")]


def _add(to: Any, words: str, purpose: str, *, is_named: bool = True) -> argparse.ArgumentParser:
    """Add an action, the last of these words, to the parser of the words before, and return its parser."""
    parser = options.add_action(to, words.rsplit(maxsplit=1)[-1], purpose, *_examples(words))
    if is_named:
        parser.add_argument("id", nargs="?", metavar="ID", help="the task; default: the only one that is not done")
        parser.add_argument("--task", metavar="ID", help="the same as ID")
    options.add(parser, ROOT)
    options.add_json(parser)
    return parser


def _add_entering(actions: Any) -> None:
    """Add the command that enters each phase; those of two words, as `review plan`, share a parser for the first."""
    groups: dict[str, Any] = {}
    for phase in phases.DEFINITIONS:
        group, _, name = phase.command.rpartition(" ")
        if group and group not in groups:
            groups[group] = _add_group(actions, group)
        if name:
            _add_phase(groups.get(group, actions), phase)


def _add_group(actions: Any, name: str) -> Any:
    words = [(each.command.split(), each.name) for each in phases.DEFINITIONS]
    entered = {parts[-1]: phase for parts, phase in words if parts[:-1] == [name]}
    purpose = f"go to {' or '.join(entered.values())}"
    parser = options.add_action(actions, name, purpose, *_examples(name))
    return parser.add_subparsers(dest="what", metavar="|".join(entered), required=True)


def _add_phase(to: Any, phase: PhaseDef) -> None:
    parser = _add(to, phase.command, f"go to {phase.name}; {phase.also}" if phase.also else f"go to {phase.name}")
    parser.set_defaults(phase=phase.name)
    if phase.name == phases.ACCEPT:
        words = ", ".join(DECISIONS)
        parser.add_argument("--decision", choices=tuple(DECISIONS), metavar="WORD", help=f"one of: {words}")
        parser.add_argument("--reason", action="append", default=[], metavar="WHY", help="why; may be repeated")
    if phase.name in verdicts.ARTIFACTS:
        parser.add_argument("--verdict", choices=verdicts.VERDICTS, help="what the review says")
        parser.add_argument("--reason", action="append", default=[], metavar="WHY", help="why; may be repeated")
    if phase.name == phases.REVIEW:
        parser.add_argument("--about", choices=verdicts.ISSUES_OF, help="what has to change; default: code")
    if phase.name == phases.TEST:
        task_evidence.add_command(parser)
    if phase.name == phases.REVERT:
        parser.add_argument("--reason", metavar="WHY", help="why the work is undone")


def _schema_name(name: str) -> str:
    """Return the name of a schema, such as `plan-review`, from its name, its file name or its whole path."""
    return name.rpartition("/")[2].removesuffix(".json")


def run(argv: Sequence[str]) -> int:
    return answer(parse(argv), ReplDefaults())


def parse(argv: Sequence[str]) -> argparse.Namespace:
    """Read a command line; what follows `--` of `rcs task test` is in `command`, or None. Raises UsageError."""
    words, command = task_evidence.split(argv)
    parser = build()
    args, others = parser.parse_known_args(words)
    if others:
        task_evidence.check_command(args.action, getattr(args, "id", None), others)
        parser.error(f"unrecognized arguments: {' '.join(others)}")
    args.command = command
    if args.action == "test":
        task_evidence.check_options(args)
    return args


def answer(args: argparse.Namespace, defaults: ReplDefaults) -> int:
    """Carry out a command of `rcs task`, and return its exit code. Raises RcsError and OSError."""
    if args.action == "schema":
        return task_output.schema(args.name, as_example=args.example, as_json=args.json)
    root = _root(args, defaults)
    if args.action == "list":
        return task_output.tasks(root, time.time(), as_json=args.json)
    if args.action == "repl":
        from rcs_hooks.cli import task_repl

        return task_repl.run(root, _task(args, defaults, root))
    name = str(args.id) if args.action == "new" else _task(args, defaults, root)
    store = TaskStore(root, name, time.time(), _author())
    if args.action == "status":
        return task_output.status(operations.status(store), as_json=args.json)
    if args.action == "collect":
        return task_evidence.collect(args, store)
    if args.action == "test" and args.command is not None:
        return task_evidence.test(args, store)
    return task_output.result(_carried_out(args, store), as_json=args.json)


def _root(args: argparse.Namespace, defaults: ReplDefaults) -> str:
    if args.root:
        return os.path.abspath(str(args.root))
    return defaults.root or find_root(os.environ, os.getcwd())


def _task(args: argparse.Namespace, defaults: ReplDefaults, root: str) -> str:
    """Return the name of the task that is meant: the one that is named, or the only one that is not done.

    Raises Refused.
    """
    if args.id is not None and args.task is not None and args.id != args.task:
        raise Refused(f"task: {args.id!r} and --task {args.task!r}; name one")
    name = args.id if args.id is not None else args.task
    if name is not None:
        return whole_ids.task(root, str(name))
    known = [defaults.task] if defaults.task else names(root)
    going_on = known if len(known) == 1 or args.action == REDO else [each for each in known if not _is_done(root, each)]
    if len(going_on) == 1:
        return going_on[0]
    raise Refused(messages.which_task(known) if known else messages.NO_TASK_AT_ALL)


def _is_done(root: str, name: str) -> bool:
    """Tell whether a task is done; False if it cannot be read, as it may be the one that is meant."""
    try:
        return TaskStore(root, name, 0).state().phase == phases.DONE
    except RcsError:
        return False


def _author() -> Author:
    is_terminal = sys.stdin is not None and sys.stdin.isatty()
    return Author(typed_by(os.environ, is_terminal), clean(_user()))


def _user() -> str:
    """Return the name of the person: that of the environment, or else the one that the system knows."""
    named = os.environ.get("USER") or os.environ.get("LOGNAME")
    if named:
        return named
    try:
        import pwd

        return pwd.getpwuid(os.getuid()).pw_name
    except (ImportError, KeyError):  # not on this system, or a user without an entry, as in some containers
        return "unknown"


def _carried_out(args: argparse.Namespace, store: TaskStore) -> operations.TaskResult:
    environment = Environment(os.environ, os.getcwd(), time.time())
    if args.action == "new":
        return operations.new(store, environment)
    if args.action == "next":
        return operations.request(store, Request(NEXT, args.to, args.override), environment)
    if args.action == "redo":
        return operations.request(store, Request(REDO, args.phase), environment)
    if args.action == "accept" and args.decision:
        return operations.accept(store, args.decision, args.reason, environment)
    if args.action == "accept" and args.reason:
        raise Refused(messages.REASON_ALONE)
    if args.action == "revert" and args.reason is not None:
        return operations.revert(store, args.reason)
    if args.action == "review" and (verdict := _verdict(args)):
        return operations.review(store, verdict)
    return operations.request(store, Request(ENTER, args.phase), environment)


def _verdict(args: argparse.Namespace) -> ReviewVerdict | None:
    """Return the verdict that `rcs task review` is given; None without one. Raises Refused for a missing reason."""
    about, reasons = getattr(args, "about", None), tuple(each.strip() for each in args.reason if has_words(each))
    if args.verdict is None:
        if args.reason or about:
            raise Refused(messages.VERDICT_ALONE)
        return None
    if args.verdict != verdicts.VERDICTS[0] and not reasons:
        raise Refused(messages.NO_REVIEW_REASON)
    return ReviewVerdict(args.phase, args.verdict, reasons, about or verdicts.CODE)
