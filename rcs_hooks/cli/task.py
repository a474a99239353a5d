"""`rcs task new | status | next | plan | review | codegen | test | accept | revert | redo | list | schema | repl`."""

from __future__ import annotations

import argparse
import os
import time
from typing import TYPE_CHECKING, Any, NamedTuple

from rcs_hooks.cli import options
from rcs_hooks.cli import task_shown as shown
from rcs_hooks.errors import RcsError, Refused
from rcs_hooks.runs.around import Around
from rcs_hooks.state.paths import find_root
from rcs_hooks.tasks import messages, orders, phases
from rcs_hooks.tasks.flow import ENTER, NEXT, REDO, Request
from rcs_hooks.tasks.store import Store, names

if TYPE_CHECKING:
    from collections.abc import Sequence

ENTERED = {
    "plan": (phases.PLANNING, "go to planning"),
    "codegen": (phases.CODEGEN, "go to codegen"),
    "test": (phases.TEST, "go to test"),
    "accept": (phases.ACCEPT, "go to accept; with a decision: record it, and go where it leads"),
    "revert": (phases.REVERT, "go to revert; with a reason: record it first"),
}
REVIEWED = {"plan": (phases.PLAN_REVIEW, "go to plan_review"), "code": (phases.REVIEW, "go to review")}


class Desk(NamedTuple):
    """What a command finds around it."""

    root: str | None = None
    task: str | None = None
    """The one that is meant where none is named."""


def build() -> argparse.ArgumentParser:
    parser = options.parser(
        "task",
        "Leads a task through planning, plan_review, codegen, review, test, accept, revert and done. The files of the "
        "task, in .rcs/tasks/ID, open the way; a refusal says what is missing, and what to do about it.",
        "rcs task new login",
        "rcs task status login",
        "rcs task next login",
        'rcs task next login --override "I accept the risk of skipping review"',
        "rcs task schema plan-review",
    )
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    new = _add(actions, "new", "begin a task", named=False)
    new.add_argument("id", metavar="ID", help="its name: letters, digits, - and _")
    _add(actions, "status", "where a task is, and which ways are open")
    following = _add(actions, "next", "go the first way that is open")
    following.add_argument("--override", metavar="REASON", help="go although the way is closed; the reason is kept")
    following.add_argument("--to", choices=phases.PHASES, metavar="PHASE", help="which way is meant; else the way on")
    for name, (phase, purpose) in ENTERED.items():
        _add_entering(actions, name, phase, purpose)
    review = actions.add_parser("review", help="go to the review of the plan, or of the code", allow_abbrev=False)
    reviews = review.add_subparsers(dest="what", metavar="plan|code", required=True)
    for name, (phase, purpose) in REVIEWED.items():
        _add(reviews, name, purpose).set_defaults(phase=phase)
    redo = _add(actions, "redo", "do a phase again; open a done task again")
    redo.add_argument("--phase", choices=tuple(phases.OUTPUTS), metavar="PHASE", help="else this one, or planning")
    _add(actions, "list", "the tasks of this workspace", named=False)
    schema = actions.add_parser("schema", help="the JSON Schema of an artifact", allow_abbrev=False)
    schema.add_argument("name", type=_schema_name, choices=tuple(phases.SCHEMAS), help="the artifact, as its file")
    schema.add_argument("--json", action="store_true", help="on one line")
    _add(actions, "repl", "the same commands with a slash, line after line")
    return parser


def _add(to: Any, name: str, purpose: str, *, named: bool = True) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = to.add_parser(name, help=purpose, description=purpose, allow_abbrev=False)
    if named:
        parser.add_argument("id", nargs="?", metavar="ID", help="the task; else the only one that is not done")
        parser.add_argument("--task", metavar="ID", help="the same as ID")
    parser.add_argument(
        "--root", metavar="FOLDER", help="the workspace; else RCS_ROOT, else the nearest with .rcs/state or .git"
    )
    options.add_json(parser)
    return parser


def _add_entering(actions: Any, name: str, phase: str, purpose: str) -> None:
    parser = _add(actions, name, purpose)
    parser.set_defaults(phase=phase)
    if phase == phases.ACCEPT:
        parser.add_argument("--decision", choices=tuple(orders.DECISIONS), help="what was decided")
        parser.add_argument("--reason", action="append", default=[], metavar="WHY", help="why; may be said again")
    if phase == phases.REVERT:
        parser.add_argument("--reason", metavar="WHY", help="why the work is taken back")


def _schema_name(given: str) -> str:
    """`plan-review`, as well as its file or its whole path."""
    return given.rpartition("/")[2].removesuffix(".json")


def run(argv: Sequence[str]) -> int:
    return answer(build().parse_args(argv), Desk())


def answer(args: argparse.Namespace, desk: Desk) -> int:
    """Raises RcsError and OSError."""
    if args.action == "schema":
        return shown.schema(args.name, as_json=args.json)
    root = _root(args, desk)
    if args.action == "list":
        return shown.tasks(root, as_json=args.json)
    if args.action == "repl":
        from rcs_hooks.cli import task_repl

        return task_repl.run(root, _named(args, desk, root))
    store = Store(root, str(args.id) if args.action == "new" else _named(args, desk, root), time.time())
    if args.action == "status":
        return shown.status(orders.status(store), as_json=args.json)
    return shown.outcome(_ordered(args, store), as_json=args.json)


def _root(args: argparse.Namespace, desk: Desk) -> str:
    if args.root:
        return os.path.abspath(str(args.root))
    return desk.root or find_root(os.environ, os.getcwd())


def _named(args: argparse.Namespace, desk: Desk, root: str) -> str:
    """The task that is meant. Raises Refused."""
    if args.id is not None and args.task is not None and args.id != args.task:
        raise Refused(f"task: {args.id!r} and --task {args.task!r}; name one")
    given = args.id if args.id is not None else args.task
    if given is not None:
        return str(given)
    known = [desk.task] if desk.task else names(root)
    going_on = known if len(known) == 1 or args.action == REDO else [name for name in known if not _is_done(root, name)]
    if len(going_on) == 1:
        return going_on[0]
    raise Refused(messages.which_task(known) if known else messages.no_task_at_all())


def _is_done(root: str, name: str) -> bool:
    """One that cannot be read may well be the one that is meant."""
    try:
        return bool(Store(root, name, 0).state()["phase"] == phases.DONE)
    except RcsError:
        return False


def _ordered(args: argparse.Namespace, store: Store) -> orders.Outcome:
    around = Around(os.environ, os.environ.get("HOME") or None, os.getcwd(), time.time())
    by = os.environ.get("USER") or os.environ.get("LOGNAME") or "unknown"
    if args.action == "new":
        return orders.new(store, around)
    if args.action == "next":
        return orders.ask(store, Request(NEXT, args.to, args.override), around)
    if args.action == "redo":
        return orders.ask(store, Request(REDO, args.phase), around)
    if args.action == "accept" and args.decision:
        return orders.accept(store, args.decision, args.reason, by, around)
    if args.action == "accept" and args.reason:
        raise Refused(messages.REASON_ALONE)
    if args.action == "revert" and args.reason is not None:
        return orders.revert(store, args.reason, by, around)
    return orders.ask(store, Request(ENTER, args.phase), around)
