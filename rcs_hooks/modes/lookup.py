"""Finds the own mode that a name means: its SKILL.md in the skill folders of the person's home, then of the project.

Rules of this file:
- No folder is listed: each skill folder costs one attempt to open a file, however many skills it has.
- The home comes first, and a skill of that name there ends the search, even one that is no mode: so a clone never
  takes the name of what the person has.
- A link may lead anywhere from the home's folders, but from the project's only to another place in the project.
- At most LARGEST bytes are read, and a read never waits: a clone can bring anything.

A prompt with any `$name` loads this module, so it imports little: the rest where there is a file.
"""

import os

from rcs_hooks.catalog import is_own_name
from rcs_hooks.client_names import SKILL_FOLDERS
from rcs_hooks.files.paths import inside
from rcs_hooks.files.workspaces import home_of
from rcs_hooks.mode_def import HOME, PROJECT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from rcs_hooks.catalog import ModeDef
    from rcs_hooks.fault import Fault

FILE = "SKILL.md"
LARGEST = 256 * 1024
SIGNS = (b"rcs-", b"## MODE")
"""What is in the file of every mode, and in hardly any other."""


def shipped_file(skill: str) -> str:
    """Return the path of the SKILL.md of a mode that ships, in this package."""
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    return os.path.join(package, "skills", skill, FILE)


def folders(env: "Mapping[str, str]", root: str) -> "Iterator[tuple[str, str]]":
    """Yield the owner of each skill folder, `HOME` or `PROJECT`, and its path, in the order in which they are searched.

    Folders that do not exist are included.
    """
    home = home_of(env)
    seen: dict[str, None] = {}
    for name, variable in SKILL_FOLDERS:
        moved = env.get(variable, "").strip() if variable else ""
        base = moved if os.path.isabs(moved) else os.path.join(home, name) if home else ""
        if base and not _is_of_project(base, home, root):
            seen[os.path.join(base, "skills")] = None
    yield from ((HOME, path) for path in seen)
    for name, _ in SKILL_FOLDERS:
        path = os.path.join(root, name, "skills")
        if path not in seen:
            yield PROJECT, path


def _is_of_project(folder: str, home: str | None, root: str) -> bool:
    """Tell whether a folder that is said to be the home's lies in the project, which can set the variable for it."""
    is_inside = inside(os.path.normpath(folder), root) or inside(os.path.realpath(folder), os.path.realpath(root))
    return is_inside and not (home and inside(home, root))


def names_there(names: "Iterable[str]", env: "Mapping[str, str]", root: str) -> tuple[str, ...]:
    """Return those of these names, as typed, for which a skill folder may have a SKILL.md; opens no file."""
    places = [path for _, path in folders(env, root)]
    return tuple(name for name in names if any(_is_there(path, name) for path in places))


def _is_there(folder: str, name: str) -> bool:
    for spelling in _spellings(name):
        try:
            os.lstat(os.path.join(folder, spelling, FILE))
        except (FileNotFoundError, NotADirectoryError):
            continue
        except OSError:
            return True  # whoever reads it says why it cannot be read
        return True
    return False


def _spellings(name: str) -> "Iterable[str]":
    return dict.fromkeys((name.lower(), name))


def find(name: str, env: "Mapping[str, str]", root: str) -> "ModeDef | Fault | None":
    """Return the own mode of a name, typed without its `$`; None if no skill of that name declares one.

    Return the first fault of a declaration that is broken. `root`: the workspace.
    """
    if not is_own_name(name.lower()):
        return None
    there = ""
    for source, folder in folders(env, root):
        if there and source != there:
            return None
        for spelling in _spellings(name):
            path = os.path.join(folder, spelling, FILE)
            data = read(path, source, root)
            if data is None:
                continue
            there = source
            if not isinstance(data, bytes):
                return data
            found = declared(data, spelling, path, source)
            if found is not None:
                return found
    return None


def read(path: str, source: str, root: str) -> "bytes | Fault | None":
    """Read the file of a skill; None if there is none, and the fault if it must not or cannot be read."""
    from rcs_hooks.fault import Fault
    from rcs_hooks.files.bounded import read_bytes

    if source == PROJECT and os.path.lexists(path) and not inside(os.path.realpath(path), os.path.realpath(root)):
        return Fault(path, 0, "a link leads out of the project here, so it is not read")
    try:
        data = read_bytes(path, LARGEST + 1, through_links=True)
    except (FileNotFoundError, NotADirectoryError):
        is_kept = source == HOME and (os.path.islink(path) or os.path.islink(os.path.dirname(path)))
        return Fault(path, 0, "a link leads nowhere here, so nothing can be read") if is_kept else None
    except OSError as error:
        from rcs_hooks.errors import reason_of

        return Fault(path, 0, f"it cannot be read ({reason_of(error)})")
    if data is None:
        return Fault(path, 0, "it is not a regular file, so it is not read")
    return data if len(data) <= LARGEST else Fault(path, 0, f"it has more than {LARGEST // 1024} kB, so it is not read")


def declared(data: bytes, name: str, path: str, source: str) -> "ModeDef | Fault | None":
    """Return the mode that the bytes of a SKILL.md declare, or the first fault; None if they declare none."""
    if not any(sign in data for sign in SIGNS):
        return None
    from rcs_hooks.fault import Fault
    from rcs_hooks.modes.declaration import read as read_declaration

    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        return Fault(path, data.count(b"\n", 0, error.start) + 1, "it is not UTF-8; save it as UTF-8")
    found = read_declaration(text, name=name, file=path, source=source)
    return found.mode or (found.faults[0] if found.faults else None)
