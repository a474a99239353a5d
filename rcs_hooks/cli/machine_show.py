"""`rcs machine show`: prints one machine, as a list, JSON or SVG, with the path of a run."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from rcs_hooks.cli import output, whole_ids
from rcs_hooks.environment import real_environment
from rcs_hooks.errors import Refused
from rcs_hooks.files.workspaces import home_of, state_folder
from rcs_hooks.runs import workflow_files

if TYPE_CHECKING:
    import argparse

    from rcs_hooks.machine.graph import Machine
    from rcs_hooks.runs.path import Edges
    from rcs_hooks.runs.workflow_files import WorkflowFile

MOST_READ = 6_000
"""How many events of a mode are read."""


def show(args: argparse.Namespace, root: str) -> int:
    """Print one machine of a workspace, with the path of the run that is asked for. Raises Refused and MachineError."""
    machine, mode = find(args.name, root, of_mode=args.mode)
    path, current = list[tuple[str, str]](), None
    if args.run:
        path, current = _path_of_mode(root, args.run, mode) if mode else _path_of(root, args.run, machine)
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


def find(name: str, root: str, *, of_mode: bool) -> tuple[Machine, str]:
    """Return the machine of a skill or agent, and if it is that of a mode (`of_mode`, or no other), the mode's name.

    The name may be that of the skill or agent, that of a mode, or a path, which has a separator or ends in `.md`;
    `task` is also that of the lifecycle of tasks. Raises Refused and MachineError.
    """
    from rcs_hooks.catalog import MODES, SKILLS
    from rcs_hooks.machine.markdown import MODE_HEADING, machine_in

    is_path = os.sep in name or name.endswith(workflow_files.AGENT_SUFFIX)
    shipped = None if is_path else MODES.get(SKILLS.get(name.lower(), ""))
    found = workflow_files.find(
        workflow_files.name_of(name) if is_path else shipped.skill if shipped else name,
        project=root,
        home=home_of(os.environ),
        file=name if is_path else None,
    )
    if found is None:
        raise Refused(f"no skill or agent is called {name!r}; {hint_for(name, root, 'show')}")
    machine = None if of_mode else workflow_files.machine_of(found) or (None if is_path else _of_tasks(found))
    if machine is not None:
        return machine, ""
    # A mode that ships goes by the file of this package, whatever a copy of the skill says.
    file = os.path.join(workflow_files.SHIPPED, shipped.skill, workflow_files.SKILL_FILE) if shipped else found.path
    machine = machine_in(workflow_files.read(file), name=found.name, file=file, heading=MODE_HEADING)
    if machine is not None:
        return machine, shipped.name if shipped else found.name.lower()
    if of_mode:
        raise Refused(f"{found.path} has no ## MODE section, so it declares no mode")
    raise Refused(f"{found.path} has no ## STATE-MACHINE section, so there is nothing to show")


def _of_tasks(found: WorkflowFile) -> Machine | None:
    """Return the machine that tasks go through, whose name is that of the skill for them, which declares none."""
    from rcs_hooks.tasks.phases import WORKFLOW

    if (found.name, found.kind) != (WORKFLOW, workflow_files.SKILL):
        return None
    from rcs_hooks.tasks import diagram

    return diagram.machine()


def hint_for(name: str, root: str, action: str) -> str:
    """Return what was probably meant by a mistyped name of a skill, agent or mode, or what lists them."""
    from rcs_hooks.catalog import SKILLS
    from rcs_hooks.terminal.near import nearest

    known = [each.name for each in workflow_files.find_all(project=root, home=home_of(os.environ))]
    meant = nearest(name, [*known, *SKILLS])
    return f"did you mean `rcs machine {action} {meant}`?" if meant else "`rcs machine list` shows those that are"


def _path_of(root: str, run_id: str, machine: Machine) -> tuple[Edges, str | None]:
    """Return the edges of a machine that a run has taken, and its current step; None if it has none."""
    from rcs_hooks.runs import queries
    from rcs_hooks.runs.path import RunPath
    from rcs_hooks.runs.records import COMPLETED
    from rcs_hooks.runs.sqlite_store import open_readonly
    from rcs_hooks.runs.store import location_of

    here = real_environment()
    store = open_readonly(location_of(here))
    path = RunPath(machine)
    try:
        run_id = whole_ids.run(store, run_id, here.now, root)
        run = queries.find_run(store, run_id)
        path.add(store.events(run.id) if store else ())
    finally:
        if store:
            store.close()
    if run.workflow != machine.name:
        raise Refused(f"{run_id} is a run of {run.workflow!r}; `rcs machine show {run.workflow} --run {run_id}`")
    return path.edges(is_completed=run.status == COMPLETED), run.current


def _path_of_mode(root: str, session: str, mode: str) -> tuple[Edges, str | None]:
    """Return the edges that the last run of a mode in a session took, and its phase. Raises Refused."""
    from rcs_hooks.dashboard.mode_path import ModePath, runs_in
    from rcs_hooks.files.tracked import has_tracked_session
    from rcs_hooks.state import history
    from rcs_hooks.state.session_listing import whole_id
    from rcs_hooks.state.validation import check_session_id

    folder = state_folder(root)
    session = whole_id(folder, check_session_id(session) or "")
    if has_tracked_session(root, session):
        raise Refused(f"session {session} came with the repository, so it counts for nothing")
    runs = runs_in(event for event in history.read(folder, session, MOST_READ, mode=mode))
    if not runs:
        raise Refused(f"session {session} has had no run of {mode}; `rcs log --mode {mode}` shows those that there are")
    path = ModePath(runs[-1])
    return path.edges, path.current
