"""Reads the table `[share]` of the person's own file: where to share, as whom, and which folders."""

from __future__ import annotations

import os

from rcs_hooks.config import database_url
from rcs_hooks.fault import Fault
from rcs_hooks.tuples import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from rcs_hooks.config.database_url import DatabaseAddress
    from rcs_hooks.config.reading import TomlFile

TABLE = "share"
URL, PERSON, MACHINE, PROJECTS = "url", "person", "machine", "projects"
KEYS = (URL, PERSON, MACHINE, PROJECTS)
PATH, NAME, TEXTS = "path", "name", "texts"
PROJECT_KEYS = (PATH, NAME, TEXTS)
LONGEST_NAME = 60
LONGEST_PATH = 2000
NOT_IN_NAMES = frozenset('/@\\"')
"""What tells the parts of `//MACHINE/NAME` and `RUN@MACHINE` apart, or ends a quotation."""
SHOWN = 40


class SharedProject(NamedTuple):
    """One folder that may leave the machine."""

    path: str
    """Its real path."""
    name: str
    """What it is called in the shared database."""
    texts: bool = False
    """Whether titles, reasons, messages, commands, paths and the data of `rcs emit` leave too."""


class Sharing(NamedTuple):
    """What a file says of sharing."""

    address: DatabaseAddress | None = None
    person: str = ""
    machine: str = ""
    projects: tuple[SharedProject, ...] = ()


def is_shown_name(text: str) -> bool:
    """Tell whether a text may be the name of a machine, a person or a project that others are shown."""
    return (
        0 < len(text) <= LONGEST_NAME
        and text.isprintable()
        and text == " ".join(text.split())
        and not NOT_IN_NAMES & set(text)
        and text not in (".", "..")
    )


NAME_RULE = f"a text of at most {LONGEST_NAME} printable characters, without / @ \\ and double quotes"


def in_file(source: TomlFile) -> tuple[Sharing, list[Fault]]:
    """Return what a file says, and its faults. What has a fault counts for nothing."""
    table = source.tables.get(TABLE)
    if table is None:
        return Sharing(), []
    if not isinstance(table, dict):
        return Sharing(), [Fault(source.path, source.line(TABLE), "share must be a table: [share]")]
    return _ShareTable(source, table).read()


class _ShareTable:
    """The table as it is read, with the faults that are found."""

    def __init__(self, source: TomlFile, table: Mapping[str, object]) -> None:
        self._source = source
        self._table = table
        self._faults: list[Fault] = []

    def read(self) -> tuple[Sharing, list[Fault]]:
        for key in self._table:
            if key not in KEYS:
                self._add(key, f"[share] has no key {key[:SHOWN]!r}; it has {', '.join(KEYS)}")
        found = Sharing(self._address(), self._name(PERSON), self._name(MACHINE), self._projects())
        return found, self._faults

    def _add(self, key: str, problem: str) -> None:
        self._faults.append(Fault(self._source.path, self._source.line(TABLE, key), problem))

    def _address(self) -> DatabaseAddress | None:
        value = self._table.get(URL)
        if value is None:
            return None
        try:
            return database_url.parse(value if isinstance(value, str) else "")
        except ValueError as error:
            self._add(URL, f"url counts for nothing: {error}")
            return None

    def _name(self, key: str) -> str:
        value = self._table.get(key)
        if value is None:
            return ""
        if isinstance(value, str) and is_shown_name(value):
            return value
        self._add(key, f"{key} must be {NAME_RULE}")
        return ""

    def _projects(self) -> tuple[SharedProject, ...]:
        value = self._table.get(PROJECTS, [])
        if not isinstance(value, list) or not all(isinstance(each, dict) for each in value):
            self._add(PROJECTS, "projects must be tables: [[share.projects]]")
            return ()
        found: dict[str, SharedProject] = {}
        for number, each in enumerate(value, 1):
            project = self._project(each, number)
            if project is None:
                continue
            if project.path in found or any(project.name == other.name for other in found.values()):
                why = "has the path or the name of one before it; so it is not shared"
                self._add(PROJECTS, f"[[share.projects]] number {number} {why}")
            else:
                found[project.path] = project
        return tuple(found.values())

    def _project(self, table: Mapping[str, object], number: int) -> SharedProject | None:
        """Return one project; None where anything of it is wrong: then nothing of it may leave."""
        path, texts = table.get(PATH), table.get(TEXTS, False)
        default = os.path.basename(path) if isinstance(path, str) else ""
        name = table.get(NAME, default)
        problem = ""
        if unknown := next((key for key in table if key not in PROJECT_KEYS), None):
            problem = f"has no key {unknown[:SHOWN]!r}; it has {', '.join(PROJECT_KEYS)}"
        elif not (isinstance(path, str) and os.path.isabs(path) and len(path) <= LONGEST_PATH and "\0" not in path):
            problem = "needs a path: the whole path of a folder"
        elif not isinstance(name, str) or not is_shown_name(name):
            problem = f"needs a name: {NAME_RULE}"
        elif not isinstance(texts, bool):
            problem = "has texts, which must be true or false"
        if problem:
            self._add(PROJECTS, f"[[share.projects]] number {number} {problem}; so it is not shared")
            return None
        return SharedProject(os.path.normpath(str(path)), str(name), texts is True)
