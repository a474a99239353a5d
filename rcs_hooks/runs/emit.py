"""One emit: what was asked is checked, the machine found, the run judged, and all of it written, or nothing.

The machine is read before the database is locked. A first report that is refused does not even make the database.
"""

import os

from rcs_hooks.errors import MachineError, Rejected
from rcs_hooks.runs import faults, judge, messages, places, store
from rcs_hooks.runs.around import Around
from rcs_hooks.runs.asked import ARTIFACT, Asked
from rcs_hooks.runs.ledger import Ledger
from rcs_hooks.state.paths import find_root, inside

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from rcs_hooks.machine.graph import Machine

    Record = dict[str, Any]


class Receipt:
    """What an emit has done."""

    __slots__ = ("as_json", "note")

    def __init__(self, as_json: "Record", note: str | None) -> None:
        self.as_json = as_json
        self.note = note
        """Said beside it, where nothing could be checked."""


def emit(given: "Mapping[str, Any]", around: Around) -> Receipt:
    """Raises RcsError; then nothing was written."""
    asked = Asked(given)
    project = project_of(given.get("project"), around)
    if asked.path:
        _check_inside(asked.path, project)
    found = places.find(asked.workflow, project=project, home=around.home, file=_file(given.get("file"), around))
    machine = places.machine_of(found) if found else None
    agents = Agents(asked, machine, project, around.home)
    path = faults.path_of(around.env, around.home, around.cwd)
    if not os.path.exists(path):
        _judged(Ledger(None, asked, machine, project, around.now), agents)
    kept = store.made(path)
    try:
        with kept:
            ledger = Ledger(kept, asked, machine, project, around.now)
            _judged(ledger, agents)
            written = ledger.write(found.path if found and machine else None)
    finally:
        kept.close()
    return Receipt(written, None if found else messages.not_checked(asked.workflow))


def project_of(given: object, around: Around) -> str:
    """The folder that was named, else the workspace of the current one. Raises Rejected."""
    if given is None or given == "":
        return os.path.realpath(find_root(around.env, around.cwd))
    if not isinstance(given, str) or "\0" in given or not os.path.isdir(os.path.join(around.cwd, given)):
        raise Rejected(messages.no_project(str(given)))
    return os.path.realpath(os.path.join(around.cwd, given))


def _file(given: object, around: Around) -> str | None:
    if given is None or given == "":
        return None
    if not isinstance(given, str) or "\0" in given:
        raise Rejected(messages.no_file(str(given)))
    path = os.path.join(around.cwd, given)
    if not os.path.isfile(path):
        raise Rejected(messages.no_file(given))
    return path


def _check_inside(path: str, project: str) -> None:
    if not inside(os.path.realpath(os.path.join(project, path)), project):
        raise Rejected(messages.leads_out(path, project))


class Agents:
    """The machines of agents that the step of an emit needs; they too are read before the database is locked."""

    __slots__ = ("having", "own")

    def __init__(self, asked: Asked, machine: "Machine | None", project: str, home: str | None) -> None:
        """Raises MachineError for the diagram of the one agent that was named."""
        self.own: Machine | None = None
        """Of the agent that was named."""
        self.having: tuple[str, ...] = ()
        """Those that know a unit's step, which the workflow does not."""
        if asked.step is None:
            return
        if asked.agent:
            found = places.find(asked.agent, project=project, home=home, kind=places.AGENT)
            self.own = places.machine_of(found) if found else None
        elif asked.unit and machine and asked.step not in machine.states:
            all_agents = places.agents(project=project, home=home)
            self.having = tuple(found.name for found in all_agents if _knows(found, asked.step))


def _knows(found: places.Found, step: str) -> bool:
    """The broken file of one agent is no reason to refuse a step of another."""
    try:
        machine = places.machine_of(found)
    except (MachineError, OSError):
        return False
    return machine is not None and step in machine.states


def _judged(ledger: Ledger, agents: Agents) -> None:
    """Raises Rejected."""
    asked, machine = ledger.asked, ledger.machine
    if ledger.run and ledger.run["workflow"] != asked.workflow:
        raise Rejected(messages.other_workflow(asked.run_id, ledger.run["workflow"], asked.workflow))
    if asked.step is None:
        return
    if asked.agent:
        if agents.own:
            judge.check_known(agents.own, asked.step, ledger.position_of(asked.agent))
    elif machine is None:
        return
    elif asked.unit is None and asked.type != ARTIFACT:
        judge.check_step(machine, asked.step, ledger.position)
    elif asked.step not in machine.states:
        if not agents.having:
            judge.check_known(machine, asked.step, ledger.position)
        before = ledger.agent_of_unit()
        asked.agent = before if before in agents.having else agents.having[0]
