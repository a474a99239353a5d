"""`rcs machine list`: a table of the skills and agents, what each declares, and its file.

A file that ships is not named: nobody looks for it.
"""

from __future__ import annotations

import os
from typing import NamedTuple

from rcs_hooks.cli import output
from rcs_hooks.cli.shown_paths import is_shipped, near, place
from rcs_hooks.errors import MachineError, reason_of
from rcs_hooks.files.workspaces import home_of
from rcs_hooks.install.skills import is_copy
from rcs_hooks.machine.graph import Machine
from rcs_hooks.machine.markdown import MODE_HEADING, section
from rcs_hooks.runs import workflow_files
from rcs_hooks.runs.workflow_files import WorkflowFile
from rcs_hooks.tasks.phases import WORKFLOW
from rcs_hooks.terminal.style import BAD, QUIET, STRONG
from rcs_hooks.terminal.table import Cell, Column, Row
from rcs_hooks.text import quoted

COLUMNS = (Column("NAME"), Column("TYPE"), Column("DECLARES", is_flexible=True, least=12))


class _Declared(NamedTuple):
    """What the file of a skill or agent declares."""

    file: WorkflowFile
    machine: Machine | None
    is_mode: bool
    """Whether it has the machine of a mode, whether the mode can be started or not."""
    is_for_tasks: bool
    """Whether it is our skill for tasks, or a copy of it: their machine is not in it."""
    error: MachineError | OSError | None


def show(root: str, *, as_json: bool) -> int:
    """Print the skills and agents of a workspace, and return the exit status."""
    found = [_declared(each) for each in workflow_files.find_all(project=root, home=home_of(os.environ))]
    if as_json:
        output.result([_as_json(each) for each in found])
    else:
        inside = f"{root.rstrip(os.sep)}{os.sep}"
        output.table([_row(each, is_of_project=each.file.path.startswith(inside)) for each in found], COLUMNS)
    return output.OK


def _declared(file: WorkflowFile) -> _Declared:
    try:
        machine, error = workflow_files.machine_of(file), None
    except (MachineError, OSError) as why:
        machine, error = None, why
    try:
        text = workflow_files.read(file.path)
        is_mode = section(text, file.path, MODE_HEADING) is not None
    except (MachineError, OSError):
        text, is_mode = "", False
    is_for_tasks = (file.name, file.kind) == (WORKFLOW, workflow_files.SKILL) and is_copy(WORKFLOW, text)
    return _Declared(file, machine, is_mode, is_for_tasks, error)


def _as_json(declared: _Declared) -> dict[str, object]:
    file, error = declared.file, declared.error
    return {
        "name": file.name,
        "kind": file.kind,
        "file": file.path,
        "machine": declared.machine is not None,
        "mode": declared.is_mode,
        "error": f"{file.path}: {reason_of(error)}" if isinstance(error, OSError) else str(error) if error else None,
    }


def _row(declared: _Declared, *, is_of_project: bool) -> Row:
    """Return the row of a file; below it what is wrong with it, and where it is."""
    file, error = declared.file, declared.error
    lines: list[tuple[str, Cell | str]]
    lines = [] if is_shipped(file.path) else [("the project's" if is_of_project else "yours", _path(file.path))]
    below = []
    if isinstance(error, MachineError):
        below = [f"line {error.line}: {error.problem}" if error.line else error.problem]
        lines.append(("To see where", f"rcs machine check {quoted(near(file.path))}"))
    elif error:
        below = [reason_of(error)]
    return Row((Cell(file.name, STRONG), file.kind, _declares(declared)), below, lines)


def _declares(declared: _Declared) -> Cell:
    if declared.error:
        return Cell("cannot be read", BAD)
    parts = ["a mode"] if declared.is_mode else []
    if declared.machine:
        number = len(declared.machine.states)
        parts.append(f"{number} step{'' if number == 1 else 's'}")
    elif declared.is_for_tasks:
        parts.append("task phases")
    return Cell(", ".join(parts)) if parts else Cell("no machine", QUIET)


def _path(path: str) -> Cell:
    return Cell(place(path), full=path)
