"""The file of a workflow: in which folders it is searched for, and the machine that it declares.

Rules of this file:
- The folders of the project come first, then those of the home, then those of this package; in each, skills come first.
- The first file wins, whether it has a `## STATE-MACHINE` section or not: so a project can switch a machine off.
- At most LARGEST bytes of a file are read, and a read never waits: a cloned repository can bring anything.
"""

import os

from rcs_hooks.errors import MachineError
from rcs_hooks.files.bounded import read_bytes
from rcs_hooks.machine.markdown import machine_in
from rcs_hooks.tuples import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from rcs_hooks.machine.graph import Machine

SKILL, AGENT = "skill", "agent"
SKILL_FILE, AGENT_SUFFIX = "SKILL.md", ".md"
FOLDERS = (
    (SKILL, (".claude", "skills")),
    (SKILL, (".codex", "skills")),
    (SKILL, (".agents", "skills")),
    (AGENT, ("agents",)),
    (AGENT, (".claude", "agents")),
)
SHIPPED = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "skills")
SHIPPED_FOLDERS = ((SKILL, SHIPPED), (AGENT, os.path.join(SHIPPED, "agents")))
LARGEST = 1024 * 1024
"""How many bytes a file may have."""


class WorkflowFile(NamedTuple):
    """The file of one skill or agent."""

    name: str
    kind: str
    path: str


def find(
    name: str, *, project: str, home: str | None, file: str | None = None, kind: str | None = None
) -> WorkflowFile | None:
    """Return the file of the skill or agent `name`; None if there is none.

    `kind` limits the search to skills or to agents; `file` is a path that is used instead of a search.
    """
    if file is not None:
        return WorkflowFile(name, AGENT if _is_agent(file) else SKILL, file)
    if not _is_name(name):
        return None
    candidates = ((each, _path(each, folder, name)) for each, folder in _folders(project, home, kind))
    return next((WorkflowFile(name, each, path) for each, path in candidates if os.path.isfile(path)), None)


def find_all(*, project: str, home: str | None, kind: str | None = None) -> list[WorkflowFile]:
    """Return all skills and agents, ordered by kind and name. A skill does not hide an agent of the same name."""
    found: dict[tuple[str, str], str] = {}
    for each, folder in _folders(project, home, kind):
        for name in _names(each, folder):
            found.setdefault((each, name), _path(each, folder, name))
    known = sorted(found.items(), key=lambda item: (item[0][0] != SKILL, item[0][1]))
    return [WorkflowFile(name, each, path) for (each, name), path in known]


def agents(*, project: str, home: str | None) -> list[WorkflowFile]:
    return find_all(project=project, home=home, kind=AGENT)


def machine_of(found: WorkflowFile) -> "Machine | None":
    """Read the machine that a file declares; None if it has no `## STATE-MACHINE`. Raises MachineError and OSError."""
    return machine_in(read(found.path), name=found.name, file=found.path)


def read(path: str) -> str:
    """Return the text of a file. Raises OSError, and MachineError for a file that is too large or not text."""
    data = read_bytes(path, LARGEST + 1, through_links=True)
    if data is None or len(data) > LARGEST:
        raise MachineError(f"{path}: it is not a file of at most {LARGEST} bytes", file=path)
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise MachineError(f"{path}:{line}: it is not UTF-8; save it as UTF-8", file=path, line=line) from None


def name_of(path: str) -> str:
    """Return the name of the workflow in a file: that of the folder for a SKILL.md, otherwise that of the file."""
    head, tail = os.path.split(os.path.abspath(path))
    return os.path.basename(head) if tail == SKILL_FILE else tail.removesuffix(AGENT_SUFFIX)


def _is_agent(path: str) -> bool:
    return os.path.basename(path) != SKILL_FILE


def _is_name(name: str) -> bool:
    """Tell whether a name is safe as one part of a path: not hidden, and without a separator."""
    return bool(name) and name[0] != "." and "/" not in name and os.sep not in name and name.isprintable()


def _folders(project: str, home: str | None, kind: str | None) -> "Iterator[tuple[str, str]]":
    own = [(each, os.path.join(root, *parts)) for root in (project, home) if root for each, parts in FOLDERS]
    for each, folder in dict.fromkeys((*own, *SHIPPED_FOLDERS)):
        if kind in (None, each):
            yield each, folder


def _path(kind: str, folder: str, name: str) -> str:
    return os.path.join(folder, name, SKILL_FILE) if kind == SKILL else os.path.join(folder, name + AGENT_SUFFIX)


def _names(kind: str, folder: str) -> list[str]:
    """Return the names of the skills or agents in a folder; none if the folder cannot be listed."""
    try:
        entries = sorted(os.listdir(folder))
    except OSError:
        return []
    names = [
        entry if kind == SKILL else entry.removesuffix(AGENT_SUFFIX)
        for entry in entries
        if kind == SKILL or entry.endswith(AGENT_SUFFIX)
    ]
    return [name for name in names if _is_name(name) and os.path.isfile(_path(kind, folder, name))]
