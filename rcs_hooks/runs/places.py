"""Where a workflow's file is looked for, and its machine read out of it.

Rules of this file:
- The project's own come first, then the person's, then those that ship with this package; in each, skills come first.
- The first file decides, whether it has a `## STATE-MACHINE` section or not: a project can switch a machine off so.
- A file is read bounded and without waiting: a cloned repository can bring pipes, links and gigabytes.
On the path of every emit: no `re`, no typing, no pathlib.
"""

import os

from rcs_hooks.errors import MachineError
from rcs_hooks.machine.read import machine_in

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
"""Of a file that is read."""


class Found:
    """The file that decides for a name, and the files of that name that it hides."""

    __slots__ = ("hides", "kind", "name", "path")

    def __init__(self, name: str, kind: str, path: str, hides: tuple[str, ...] = ()) -> None:
        self.name = name
        self.kind = kind
        self.path = path
        self.hides = hides

    def __repr__(self) -> str:
        return f"Found({self.name!r}, {self.kind!r}, {self.path!r}, {self.hides!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Found) and repr(self) == repr(other)

    __hash__ = None  # type: ignore[assignment]


def find(
    name: str, *, project: str, home: str | None, file: str | None = None, kind: str | None = None
) -> Found | None:
    """The skill or agent of that name, or of one kind alone; `file` names its file and ends the search."""
    if file is not None:
        return Found(name, AGENT if _is_agent(file) else SKILL, file)
    if not _is_name(name):
        return None
    candidates = ((each, _path(each, folder, name)) for each, folder in _folders(project, home, kind))
    there = [(each, path) for each, path in candidates if os.path.isfile(path)]
    return Found(name, *there[0], tuple(path for _, path in there[1:])) if there else None


def everything(*, project: str, home: str | None, kind: str | None = None) -> list[Found]:
    """All skills and agents, by kind and name. A skill and an agent of one name hide nothing of each other."""
    paths: dict[tuple[str, str], list[str]] = {}
    for each, folder in _folders(project, home, kind):
        for name in _names(each, folder):
            paths.setdefault((each, name), []).append(_path(each, folder, name))
    known = sorted(paths.items(), key=lambda item: (item[0][0] != SKILL, item[0][1]))
    return [Found(name, each, first, tuple(hidden)) for (each, name), (first, *hidden) in known]


def agents(*, project: str, home: str | None) -> list[Found]:
    return everything(project=project, home=home, kind=AGENT)


def machine_of(found: Found) -> "Machine | None":
    """None where the file has no section. Raises MachineError, and OSError where it cannot be opened."""
    return machine_in(read(found.path), name=found.name, file=found.path)


def read(path: str) -> str:
    """Raises MachineError where it is no file to be read, and OSError where it cannot be opened."""
    fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        status = os.fstat(fd)
        is_file = status.st_mode & 0o170000 == 0o100000
        data = b"" if not is_file else _bytes(fd)
    finally:
        os.close(fd)
    if not is_file or len(data) > LARGEST:
        raise MachineError(f"{path}: it is no file of at most {LARGEST} bytes", file=path)
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise MachineError(f"{path}:{line}: it is not UTF-8; save it as UTF-8", file=path, line=line) from None


def name_of(path: str) -> str:
    """What a file is called: the folder of a SKILL.md, or the file itself."""
    head, tail = os.path.split(os.path.abspath(path))
    return os.path.basename(head) if tail == SKILL_FILE else tail.removesuffix(AGENT_SUFFIX)


def _bytes(fd: int) -> bytes:
    parts, left = [], LARGEST + 1
    while left > 0 and (part := os.read(fd, left)):
        parts.append(part)
        left -= len(part)
    return b"".join(parts)


def _is_agent(path: str) -> bool:
    return os.path.basename(path) != SKILL_FILE


def _is_name(name: str) -> bool:
    """Whether it may become a part of a path."""
    return bool(name) and name[0] != "." and "/" not in name and os.sep not in name and name.isprintable()


def _folders(project: str, home: str | None, kind: str | None) -> "Iterator[tuple[str, str]]":
    own = [(each, os.path.join(root, *parts)) for root in (project, home) if root for each, parts in FOLDERS]
    for each, folder in dict.fromkeys((*own, *SHIPPED_FOLDERS)):
        if kind in (None, each):
            yield each, folder


def _path(kind: str, folder: str, name: str) -> str:
    return os.path.join(folder, name, SKILL_FILE) if kind == SKILL else os.path.join(folder, name + AGENT_SUFFIX)


def _names(kind: str, folder: str) -> list[str]:
    """A folder that cannot be listed has none."""
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
