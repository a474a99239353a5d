"""The command `rcs machine check NAME|FILE… | list | show NAME|FILE`, for the machines of runs and of modes."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from rcs_hooks.cli import options, output
from rcs_hooks.errors import MachineError, Refused, reason_of
from rcs_hooks.files.workspaces import find_root, home_of
from rcs_hooks.runs import workflow_files
from rcs_hooks.text import clean

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from rcs_hooks.catalog import ModeDef
    from rcs_hooks.machine.graph import Machine


def build() -> argparse.ArgumentParser:
    parser = options.parser(
        "machine",
        "Check, list and show the state machines that skills and agents declare: in a `## STATE-MACHINE` section for"
        " `rcs emit`, in `## MODE` the phases of a mode.",
        "rcs machine check .claude/skills/*/SKILL.md",
        "rcs machine list",
        "rcs machine show build",
        "rcs machine show blueprint --mode",
        "rcs machine show build --svg > build.svg",
        "rcs machine show forge --run SESSION",
    )
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    check = options.add_action(
        actions,
        "check",
        "check files; made for a pre-commit hook",
        "rcs machine check .claude/skills/*/SKILL.md",
        "rcs machine check release",
    )
    check.add_argument("files", nargs="+", metavar="FILE|NAME", help="a SKILL.md, the file of an agent, or their name")
    check.add_argument("--quiet", action="store_true", help="print errors only")
    listing = options.add_action(actions, "list", "list skills and agents, and what each declares", "rcs machine list")
    options.add_json(listing)
    show = options.add_action(
        actions,
        "show",
        "show one machine: its steps, and where each leads",
        "rcs machine show build",
        "rcs machine show blueprint --mode",
        "rcs machine show build --svg > build.svg",
    )
    show.add_argument("name", metavar="NAME|FILE", help="a skill or an agent, or the path of a file")
    show.add_argument("--mode", action="store_true", help="the phases of the mode, where the file has both machines")
    form = show.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="print one line of JSON")
    form.add_argument("--svg", action="store_true", help="print a picture as SVG")
    show.add_argument(
        "--run", metavar="ID", help="mark the path of a run, and where it is; of a mode: the id of its session"
    )
    for action in (listing, show):
        action.add_argument("--root", metavar="FOLDER", help="the workspace (default: that of this folder)")
    return parser


def run(argv: Sequence[str]) -> int:
    args = build().parse_args(argv)
    return ACTIONS[args.action](args)


# --- check


def _check(args: argparse.Namespace) -> int:
    """Check every file and print the findings; an error in one file does not hide those of another."""
    status = output.OK
    for path in dict.fromkeys(args.files):
        try:
            status = max(status, _check_one(_file_of(path), quiet=args.quiet))
        except (MachineError, Refused) as error:
            status = output.refused(str(error))
        except OSError as error:
            status = output.refused(f"{path}: {reason_of(error)}")
    return status


def _file_of(word: str) -> str:
    """Return the file that a word names: as a path, or where nothing is there, as a skill, an agent or a mode.

    Raises Refused if it names nothing.
    """
    if os.path.lexists(word) or os.sep in word or word.endswith(workflow_files.AGENT_SUFFIX):
        return word
    from rcs_hooks.catalog import MODES, SKILLS

    shipped = MODES.get(SKILLS.get(word.lower(), ""))
    name, root = shipped.skill if shipped else word, find_root(os.environ, os.getcwd())
    found = workflow_files.find(name, project=root, home=home_of(os.environ))
    if found is None:
        from rcs_hooks.cli import machine_show

        hint = machine_show.hint_for(word, root, "check")
        raise Refused(f"{clean(word)}: no file, skill or agent is called so; {hint}")
    return found.path


def _check_one(path: str, *, quiet: bool) -> int:
    """Check the machine of one file, and the mode that it declares. Raises MachineError and OSError."""
    from rcs_hooks.machine.lint import lint_warnings
    from rcs_hooks.machine.markdown import machine_in
    from rcs_hooks.modes import lint

    text = workflow_files.read(path)
    report = lint.check(text, path)
    status = output.OK
    for fault in report.faults:
        status = output.refused(fault.sentence)
    machine = machine_in(text, name=workflow_files.name_of(path), file=path)
    if quiet or status != output.OK:
        return status
    warnings = [*lint_warnings(text, machine, path), *report.warnings]
    if report.mode:
        root = find_root(os.environ, os.path.dirname(os.path.abspath(path)))
        warnings += lint.unknown_modes(report.mode, os.environ, root)
    for line, said in warnings:
        output.text(f"{path}:{line}: warning: {said}" if line else f"{path}: warning: {said}")
    output.text(f"{path}: {_summary(machine, report.mode)}")
    return status


def _summary(machine: Machine | None, mode: ModeDef | None = None) -> str:
    parts = []
    if machine:
        parts.append(f"{count(len(machine.states), 'state')}, {count(len(machine.transitions), 'transition')}")
    if mode:
        kind = "planning" if mode.is_planning else "execution"
        parts.append(f"mode {mode.name} ({kind}), {count(len(mode.states), 'phase')}")
    return "; ".join(parts) or "no ## STATE-MACHINE section"


def count(number: int, what: str) -> str:
    """Return how many there are of something, as `1 state` or `2 states`."""
    return f"{number} {what}" + ("" if number == 1 else "s")


def _root(args: argparse.Namespace) -> str:
    here = os.getcwd()
    return os.path.abspath(args.root) if args.root else find_root(os.environ, here)


def _list(args: argparse.Namespace) -> int:
    from rcs_hooks.cli import machine_list

    return machine_list.show(_root(args), as_json=args.json)


def _show(args: argparse.Namespace) -> int:
    from rcs_hooks.cli import machine_show

    return machine_show.show(args, _root(args))


ACTIONS = {"check": _check, "list": _list, "show": _show}
