"""The command `rcs machine check FILE… | list | show NAME|FILE`, for the machines of runs and of modes."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from rcs_hooks.cli import options, output
from rcs_hooks.environment import real_environment
from rcs_hooks.errors import MachineError, Refused, reason_of
from rcs_hooks.files.workspaces import find_root, home_of
from rcs_hooks.runs import workflow_files

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from rcs_hooks.catalog import ModeDef
    from rcs_hooks.machine.graph import Machine
    from rcs_hooks.runs.path import Edges
    from rcs_hooks.runs.workflow_files import WorkflowFile


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
    )
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    check = actions.add_parser("check", help="check files; made for a pre-commit hook", allow_abbrev=False)
    check.add_argument("files", nargs="+", metavar="FILE")
    check.add_argument("--quiet", action="store_true", help="print errors only")
    listing = actions.add_parser("list", help="list skills and agents, and which files they hide", allow_abbrev=False)
    options.add_json(listing)
    show = actions.add_parser("show", help="show one machine as text, as JSON or as a picture", allow_abbrev=False)
    show.add_argument("name", metavar="NAME|FILE", help="a skill or an agent, or the path of a file")
    show.add_argument("--mode", action="store_true", help="the phases of the mode, where the file has both machines")
    form = show.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="print one line of JSON")
    form.add_argument("--svg", action="store_true", help="print a picture")
    show.add_argument("--run", metavar="ID", help="mark the path of a run that was reported, and where it is")
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
            status = max(status, _check_one(path, quiet=args.quiet))
        except MachineError as error:
            status = output.refused(str(error))
        except OSError as error:
            status = output.refused(f"{path}: {reason_of(error)}")
    return status


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
        parts.append(f"{_count(len(machine.states), 'state')}, {_count(len(machine.transitions), 'transition')}")
    if mode:
        kind = "planning" if mode.is_planning else "execution"
        parts.append(f"mode {mode.name} ({kind}), {_count(len(mode.states), 'phase')}")
    return "; ".join(parts) or "no ## STATE-MACHINE section"


def _count(number: int, what: str) -> str:
    return f"{number} {what}" + ("" if number == 1 else "s")


# --- list


def _list(args: argparse.Namespace) -> int:
    root, home = _root(args), home_of(os.environ)
    found = [(each, *_read_machine(each)) for each in workflow_files.find_all(project=root, home=home)]
    if args.json:
        output.result(
            [
                {"name": each.name, "kind": each.kind, "file": each.path, "hides": list(each.hides)}
                | {"machine": machine is not None, "mode": _has_phases(each), "error": error or None}
                for each, machine, error in found
            ]
        )
        return output.OK
    width = max((len(each.name) for each, _, _ in found), default=0)
    for each, machine, error in found:
        said = "cannot be read" if error else _summary(machine) if machine or not _has_phases(each) else "a mode"
        output.text(f"{each.kind:<6} {each.name:<{width}}  {_shown_path(each.path, root, home)}  ({said})")
        if error:
            output.text(_indented(error, "    "))
        same = _same_skill(each)
        if same:
            shown = ", ".join(_shown_path(path, root, home) for path in same)
            output.text(f"{'':<6} {'':<{width}}  also in {shown}")
        for hidden in (path for path in each.hides if path not in same):
            output.text(f"{'':<6} {'':<{width}}  hides {_shown_path(hidden, root, home)}")
    return output.OK


def _same_skill(found: WorkflowFile) -> list[str]:
    """List the hidden files that are the same skill as the one that counts: the same text, or copies of one of ours."""
    from rcs_hooks.install.skills import is_copy

    first = _text_of(found.path) if found.hides else None
    if first is None:
        return []
    is_ours = found.kind == workflow_files.SKILL and is_copy(found.name, first)
    texts = [(path, _text_of(path)) for path in found.hides]
    return [path for path, text in texts if text == first or (text and is_ours and is_copy(found.name, text))]


def _text_of(path: str) -> str | None:
    try:
        return workflow_files.read(path)
    except (MachineError, OSError):
        return None


def _has_phases(found: WorkflowFile) -> bool:
    """Tell whether a file has the machine of a mode, whether the mode can be started or not."""
    from rcs_hooks.machine.markdown import MODE_HEADING, section

    try:
        return section(workflow_files.read(found.path), found.path, MODE_HEADING) is not None
    except (MachineError, OSError):
        return False


def _read_machine(found: WorkflowFile) -> tuple[Machine | None, str]:
    try:
        return workflow_files.machine_of(found), ""
    except MachineError as error:
        return None, str(error)
    except OSError as error:
        return None, f"{found.path}: {reason_of(error)}"


def _shown_path(path: str, root: str, home: str | None) -> str:
    for folder, name in ((root, ""), (home, "~/"), (workflow_files.SHIPPED, "shipped: ")):
        if folder and path.startswith(folder.rstrip(os.sep) + os.sep):
            return name + os.path.relpath(path, folder)
    return path


def _indented(text: str, by: str) -> str:
    return "\n".join(by + line for line in text.splitlines())


# --- show


def _show(args: argparse.Namespace) -> int:
    machine = _find(args)
    path, current = _path_of(args.run, machine) if args.run else ([], None)
    if args.json:
        output.result(machine.as_json())
    elif args.svg:
        from rcs_hooks.drawing.svg import svg, too_large

        if problem := too_large(machine):
            raise Refused(f"{machine.name}: {problem}; `rcs machine show {args.name}` lists its steps")
        output.text(svg(machine, path=path, current=current).rstrip("\n"))
    else:
        from rcs_hooks.drawing.listing import as_text

        output.text(as_text(machine, path=path, current=current))
    return output.OK


def _find(args: argparse.Namespace) -> Machine:
    """Return the machine of a skill or agent: with `--mode`, or if it has no other, that of the mode that it declares.

    The name may be that of the skill or agent, that of a mode, or a path, which has a separator or ends in `.md`.
    """
    from rcs_hooks.catalog import MODES, SKILLS
    from rcs_hooks.machine.markdown import MODE_HEADING, machine_in

    name: str = args.name
    is_path = os.sep in name or name.endswith(workflow_files.AGENT_SUFFIX)
    shipped = None if is_path else MODES.get(SKILLS.get(name.lower(), ""))
    found = workflow_files.find(
        workflow_files.name_of(name) if is_path else shipped.skill if shipped else name,
        project=_root(args),
        home=home_of(os.environ),
        file=name if is_path else None,
    )
    if found is None:
        raise Refused(f"no skill or agent is called {name!r}; `rcs machine list` shows those that are")
    machine = None if args.mode else workflow_files.machine_of(found)
    if machine is None and not args.run:
        # A mode that ships goes by the file of this package, whatever a copy of the skill says.
        file = os.path.join(workflow_files.SHIPPED, shipped.skill, workflow_files.SKILL_FILE) if shipped else found.path
        machine = machine_in(workflow_files.read(file), name=found.name, file=file, heading=MODE_HEADING)
    if machine is None and args.mode:
        raise Refused(f"{found.path} has no ## MODE section, so it declares no mode")
    if machine is None:
        raise Refused(f"{found.path} has no ## STATE-MACHINE section, so there is nothing to show")
    return machine


def _path_of(run_id: str, machine: Machine) -> tuple[Edges, str | None]:
    """Return the edges of a machine that a run has taken, and its current step; None if it has none."""
    from rcs_hooks.runs import queries
    from rcs_hooks.runs.path import RunPath
    from rcs_hooks.runs.records import COMPLETED
    from rcs_hooks.runs.store import location_of, open_readonly

    store = open_readonly(location_of(real_environment()))
    path = RunPath(machine)
    try:
        run = queries.find_run(store, run_id)
        path.add(store.events(run.id) if store else ())
    finally:
        if store:
            store.close()
    if run.workflow != machine.name:
        raise Refused(f"{run_id} is a run of {run.workflow!r}; `rcs machine show {run.workflow} --run {run_id}`")
    return path.edges(is_completed=run.status == COMPLETED), run.current


def _root(args: argparse.Namespace) -> str:
    here = os.getcwd()
    return os.path.abspath(args.root) if args.root else find_root(os.environ, here)


ACTIONS = {"check": _check, "list": _list, "show": _show}
