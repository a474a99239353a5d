"""One emit: what was asked is checked, the machine found, the run judged, and all of it written, or nothing.

The machine is read before the database is locked. A first report that is refused does not even make the database.
"""

import os

from rcs_hooks.errors import MachineError, Rejected
from rcs_hooks.runs import faults, judge, messages, places, store
from rcs_hooks.runs.asked import ARTIFACT, Asked
from rcs_hooks.runs.ledger import Ledger
from rcs_hooks.state.paths import find_root, inside

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from rcs_hooks.machine.graph import Machine

    Record = dict[str, Any]


class Around:
    """What an emit takes from outside its arguments."""

    __slots__ = ("cwd", "env", "home", "now")

    def __init__(self, env: "Mapping[str, str]", home: str | None, cwd: str, now: float) -> None:
        self.env = env
        self.home = home
        self.cwd = cwd
        self.now = now


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
    agents = Agents(project, around.home)
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
    """The machines of agents, looked for only where a step asks for one."""

    def __init__(self, project: str, home: str | None) -> None:
        self._found: list[places.Found] | None = None
        self._project = project
        self._home = home

    def names(self) -> list[str]:
        if self._found is None:
            self._found = list(places.agents(project=self._project, home=self._home))
        return [found.name for found in self._found]

    def machine(self, name: str) -> "Machine | None":
        """Raises MachineError for the diagram of that one agent."""
        if name not in self.names():
            return None
        return next(places.machine_of(found) for found in self._found or () if found.name == name)

    def having(self, step: str, before: str | None) -> str | None:
        """An agent that knows the step; the one that the unit is with already, before any other."""
        names = self.names()
        for name in sorted(names, key=lambda name: name != before):
            machine = self.machine_unless_broken(name)
            if machine and step in machine.states:
                return name
        return None

    def machine_unless_broken(self, name: str) -> "Machine | None":
        """The broken file of one agent is no reason to refuse a step of another."""
        try:
            return self.machine(name)
        except (MachineError, OSError):
            return None


def _judged(ledger: Ledger, agents: Agents) -> None:
    """Raises Rejected."""
    asked, machine = ledger.asked, ledger.machine
    if ledger.run and ledger.run["workflow"] != asked.workflow:
        raise Rejected(messages.other_workflow(asked.run_id, ledger.run["workflow"], asked.workflow))
    if asked.step is None:
        return
    if asked.agent:
        own = agents.machine(asked.agent)
        if own:
            judge.check_known(own, asked.step, ledger.position_of(asked.agent))
    elif machine is None:
        return
    elif asked.unit is None and asked.type != ARTIFACT:
        judge.check_step(machine, asked.step, ledger.position)
    elif asked.step not in machine.states:
        name = agents.having(asked.step, ledger.agent_of_unit()) if asked.unit else None
        if name is None:
            judge.check_known(machine, asked.step, ledger.position)
        asked.agent = name
