"""One emit, from the options of its caller to what is stored: everything, or nothing.

The machine is read before the store is locked. A first report that is refused does not even make the store.
"""

import os

from rcs_hooks.environment import Environment, session_of
from rcs_hooks.errors import MachineError, RcsError, Rejected, error_json
from rcs_hooks.files.paths import inside, is_name
from rcs_hooks.files.workspaces import find_root, is_repository
from rcs_hooks.runs import messages, rules, workflow_files
from rcs_hooks.runs.records import SessionRef
from rcs_hooks.runs.request import ARTIFACT, EmitRequest, parse_request
from rcs_hooks.runs.sqlite_store import open_readwrite
from rcs_hooks.runs.store import location_of
from rcs_hooks.runs.update import RunUpdate
from rcs_hooks.tuples import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from rcs_hooks.jsontext import JsonObject
    from rcs_hooks.machine.graph import Machine
    from rcs_hooks.runs.sqlite_store import SqliteStore


NO_REASON = Rejected("")
"""Supplies the keys of a broken rule, all empty, for an error that is not a Rejected."""


class Receipt(NamedTuple):
    """What an emit has stored, as JSON for the caller."""

    as_json: "JsonObject"
    note: str | None
    """Sentences for the caller if nothing could be checked, or a folder has become a workspace; otherwise None."""


def emit(options: "Mapping[str, object]", environment: Environment) -> Receipt:
    """Check the report that the options of a caller make up, and store it.

    Raises RcsError if it is refused or cannot be stored; nothing is stored then.
    """
    request = parse_request(options)
    project = project_of(options.get("project"), environment)
    if request.path:
        _check_inside(request.path, project)
    found = workflow_files.find(
        request.workflow, project=project, home=environment.home, file=_file(options.get("file"), environment)
    )
    machine = workflow_files.machine_of(found) if found else None
    agents = AgentMachines(request, machine, project, environment.home)
    reporter = session_ref(environment)
    location = location_of(environment)
    if not os.path.exists(location):
        _checked(request, RunUpdate(None, request, machine, project, environment.now), agents)
    store = open_readwrite(location)
    first = ""
    try:
        with store.write_transaction():
            update = RunUpdate(store, request, machine, project, environment.now)
            if update.run is None and not options.get("project"):
                first = _first_write(store, project, environment)
            accepted = _checked(request, update, agents)
            stored = update.write(accepted, found.path if found and machine else None, reporter)
    finally:
        store.close()
    notes = [note for note in ("" if found else messages.not_checked(request.workflow), first) if note]
    return Receipt(stored, "; ".join(notes) or None)


def _first_write(store: "SqliteStore", project: str, environment: Environment) -> str:
    """Return the sentence that a folder has become a workspace, for its first run; empty where that is no news."""
    if is_repository(project):
        return ""
    from rcs_hooks.files import first_write
    from rcs_hooks.runs.records import RunFilter

    line = first_write.line_of_run(project, environment.env)
    return "" if line and store.runs(round(environment.now * 1000), RunFilter(project=project), limit=1) else line


def session_ref(environment: Environment) -> SessionRef | None:
    """Return the session in whose shell a report is made; None where no variable names one.

    An id that no session can have is no reason to refuse a report. A server of MCP may outlive the session that its
    variables name.
    """
    session, client = ("", "") if environment.mcp else session_of(environment.env)
    if not is_name(session):
        return None
    return SessionRef(session, client, os.path.realpath(find_root(environment.env, environment.cwd, session)))


def project_of(named: object, environment: Environment) -> str:
    """Return the real path of the folder that a caller names, or of the current workspace for None or "".

    Raises Rejected for a folder that does not exist.
    """
    if named is None or named == "":
        return os.path.realpath(find_root(environment.env, environment.cwd))
    if not isinstance(named, str) or "\0" in named or not os.path.isdir(os.path.join(environment.cwd, named)):
        raise Rejected(messages.no_project(str(named)))
    return os.path.realpath(os.path.join(environment.cwd, named))


def _file(named: object, environment: Environment) -> str | None:
    if named is None or named == "":
        return None
    if not isinstance(named, str) or "\0" in named:
        raise Rejected(messages.no_file(str(named)))
    path = os.path.join(environment.cwd, named)
    if not os.path.isfile(path):
        raise Rejected(messages.no_file(named))
    return path


def _check_inside(path: str, project: str) -> None:
    if not inside(os.path.realpath(os.path.join(project, path)), project):
        raise Rejected(messages.leads_out(path, project))


class AgentMachines:
    """The machines of the agents that a request concerns, read before the store is locked."""

    __slots__ = ("having", "own")

    def __init__(self, request: EmitRequest, machine: "Machine | None", project: str, home: str | None) -> None:
        """Read the machines. Raises MachineError if the agent that the request names has a faulty diagram."""
        self.own: Machine | None = None
        """The machine of the agent that the request names; None if it names none, or the agent has no machine."""
        self.having: tuple[str, ...] = ()
        """The agents whose machine has the step, if the report is about a unit and the workflow lacks the step."""
        if request.step is None:
            return
        if request.agent:
            found = workflow_files.find(request.agent, project=project, home=home, kind=workflow_files.AGENT)
            self.own = workflow_files.machine_of(found) if found else None
        elif request.unit and machine and request.step not in machine.states:
            all_agents = workflow_files.agents(project=project, home=home)
            self.having = tuple(found.name for found in all_agents if _knows(found, request.step))


def _knows(agent: workflow_files.WorkflowFile, step: str) -> bool:
    """Tell whether the machine of an agent has a step; an agent whose file cannot be read counts as one without it."""
    try:
        machine = workflow_files.machine_of(agent)
    except (MachineError, OSError):
        return False
    return machine is not None and step in machine.states


def _checked(request: EmitRequest, update: RunUpdate, agents: AgentMachines) -> EmitRequest:
    """Check a request by the rules, and return it with the agent that its step belongs to. Raises Rejected."""
    machine, step = update.machine, request.step
    if update.run and update.run.workflow != request.workflow:
        raise Rejected(messages.other_workflow(request.run_id, update.run.workflow, request.workflow))
    if step is None:
        return request
    if request.agent:
        if agents.own:
            rules.check_known(agents.own, step, update.position_of_agent(request.agent))
    elif machine is None:
        return request
    elif request.unit is None and request.type != ARTIFACT:
        rules.check_step(machine, step, update.position)
    elif step not in machine.states:
        if not agents.having:
            rules.check_known(machine, step, update.position)
        before = update.last_agent_of_unit()
        return request._replace(agent=before if before in agents.having else agents.having[0])
    return request


def error_as_json(error: RcsError, options: "Mapping[str, object]") -> "JsonObject":
    """Return a refused emit as JSON, with the same keys on every surface."""
    reason = (error if isinstance(error, Rejected) else NO_REASON).details
    named = {name: options.get(name) or None for name in ("step", "workflow")}
    return error_json(error.code, f"Error: {error}", error.details) | named | reason
