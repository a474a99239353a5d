"""`rcs machine check FILE… | list | show NAME|FILE`."""

from __future__ import annotations

import os
from itertools import pairwise
from typing import TYPE_CHECKING

from rcs_hooks.cli import options, output
from rcs_hooks.errors import MachineError, Refused
from rcs_hooks.runs import places
from rcs_hooks.state.paths import find_root

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from rcs_hooks.machine.graph import Machine
    from rcs_hooks.runs.places import Found


def build() -> argparse.ArgumentParser:
    parser = options.parser(
        "machine",
        "The state machines that skills and agents declare in a `## STATE-MACHINE` section.",
        "rcs machine check .claude/skills/*/SKILL.md",
        "rcs machine list",
        "rcs machine show build",
        "rcs machine show build --svg > build.svg",
    )
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    check = actions.add_parser("check", help="say what is wrong in files; for a pre-commit hook", allow_abbrev=False)
    check.add_argument("files", nargs="+", metavar="FILE")
    check.add_argument("--quiet", action="store_true", help="only errors: no warnings, and no word where all is well")
    listing = actions.add_parser("list", help="what is found where, and what it hides", allow_abbrev=False)
    options.add_json(listing)
    show = actions.add_parser("show", help="one machine: as text, as JSON, as a picture", allow_abbrev=False)
    show.add_argument("name", metavar="NAME|FILE", help="a skill or an agent, or the path of a file")
    form = show.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="print one line of JSON")
    form.add_argument("--svg", action="store_true", help="print a picture")
    show.add_argument("--run", metavar="ID", help="mark the way of a run, and where it is")
    for action in (listing, show):
        action.add_argument("--root", metavar="FOLDER", help="the workspace; else the one of this folder")
    return parser


def run(argv: Sequence[str]) -> int:
    args = build().parse_args(argv)
    return ACTIONS[args.action](args)


# --- check


def _check(args: argparse.Namespace) -> int:
    """One file's error does not hide another's."""
    status = output.OK
    for path in dict.fromkeys(args.files):
        try:
            _check_one(path, quiet=args.quiet)
        except MachineError as error:
            status = output.refused(str(error))
        except OSError as error:
            status = output.refused(f"{path}: {(error.strerror or str(error)).lower()}")
    return status


def _check_one(path: str, *, quiet: bool) -> None:
    from rcs_hooks.machine.advice import remarks
    from rcs_hooks.machine.read import machine_in

    text = places.read(path)
    machine = machine_in(text, name=places.name_of(path), file=path)
    if quiet:
        return
    for line, said in remarks(text, machine, path):
        output.text(f"{path}:{line}: warning: {said}" if line else f"{path}: warning: {said}")
    output.text(f"{path}: {_summary(machine)}")


def _summary(machine: Machine | None) -> str:
    if machine is None:
        return "no ## STATE-MACHINE section"
    return f"{_count(len(machine.states), 'state')}, {_count(len(machine.transitions), 'transition')}"


def _count(number: int, what: str) -> str:
    return f"{number} {what}" + ("" if number == 1 else "s")


# --- list


def _list(args: argparse.Namespace) -> int:
    root, home = _root(args), os.environ.get("HOME") or None
    found = [(each, *_looked_into(each)) for each in places.everything(project=root, home=home)]
    if args.json:
        output.result(
            [
                {"name": each.name, "kind": each.kind, "file": each.path, "hides": list(each.hides)}
                | {"machine": machine is not None, "error": error or None}
                for each, machine, error in found
            ]
        )
        return output.OK
    width = max((len(each.name) for each, _, _ in found), default=0)
    for each, machine, error in found:
        said = "cannot be read" if error else _summary(machine)
        output.text(f"{each.kind:<6} {each.name:<{width}}  {_shown_path(each.path, root, home)}  ({said})")
        if error:
            output.text(_indented(error, "    "))
        for hidden in each.hides:
            output.text(f"{'':<6} {'':<{width}}  hides {_shown_path(hidden, root, home)}")
    return output.OK


def _looked_into(found: Found) -> tuple[Machine | None, str]:
    try:
        return places.machine_of(found), ""
    except MachineError as error:
        return None, str(error)
    except OSError as error:
        return None, f"{found.path}: {(error.strerror or str(error)).lower()}"


def _shown_path(path: str, root: str, home: str | None) -> str:
    for folder, name in ((root, ""), (home, "~/"), (places.SHIPPED, "shipped: ")):
        if folder and path.startswith(folder.rstrip(os.sep) + os.sep):
            return name + os.path.relpath(path, folder)
    return path


def _indented(text: str, by: str) -> str:
    return "\n".join(by + line for line in text.splitlines())


# --- show


def _show(args: argparse.Namespace) -> int:
    machine = _named(args.name, _root(args))
    path, current = _way_of(args.run, machine) if args.run else ((), None)
    if args.json:
        output.result(machine.as_json())
    elif args.svg:
        from rcs_hooks.machine.drawing import svg, too_large

        if problem := too_large(machine):
            raise Refused(f"{machine.name}: {problem}; `rcs machine show {args.name}` lists its steps")
        output.text(svg(machine, path=path, current=current).rstrip("\n"))
    else:
        from rcs_hooks.machine.listing import as_text

        output.text(as_text(machine, path=path, current=current))
    return output.OK


def _named(name: str, root: str) -> Machine:
    """A path has a separator or an ending, or is a file here."""
    is_path = os.sep in name or name.endswith(places.AGENT_SUFFIX)
    home = os.environ.get("HOME") or None
    found = places.find(
        places.name_of(name) if is_path else name, project=root, home=home, file=name if is_path else None
    )
    if found is None:
        raise Refused(f"no skill or agent is called {name!r}; `rcs machine list` shows those that are")
    machine = places.machine_of(found)
    if machine is None:
        raise Refused(f"{found.path} has no ## STATE-MACHINE section, so there is nothing to show")
    return machine


def _way_of(run_id: str, machine: Machine) -> tuple[tuple[tuple[str, str], ...], str | None]:
    """The steps that a run has entered, as pairs, and the last of them."""
    from rcs_hooks.runs import faults, reading, store

    kept = store.opened(faults.path_of(os.environ, os.environ.get("HOME") or None, os.getcwd()))
    try:
        run = reading.one(kept, run_id)
        events = list(kept.events(run["id"])) if kept else []
    finally:
        if kept:
            kept.close()
    if run["workflow"] != machine.name:
        raise Refused(f"{run_id} is a run of {run['workflow']!r}; `rcs machine show {run['workflow']} --run {run_id}`")
    entered = ["[*]"]
    for event in events:
        is_step = event["type"] == "status_change" and not event["unit"] and not event["automatic"]
        if is_step and event["step"] in machine.states and event["step"] != entered[-1]:
            entered.append(event["step"])
    return tuple(pairwise(entered)), entered[-1] if len(entered) > 1 else None


def _root(args: argparse.Namespace) -> str:
    here = os.getcwd()
    return os.path.abspath(args.root) if args.root else find_root(os.environ, here)


ACTIONS = {"check": _check, "list": _list, "show": _show}
