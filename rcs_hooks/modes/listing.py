"""Lists what may be typed in a workspace: the modes that ship, and the own modes of the person and the project."""

from __future__ import annotations

import os

from rcs_hooks.catalog import MODES, is_own_name
from rcs_hooks.fault import Fault
from rcs_hooks.mode_def import HOME
from rcs_hooks.modes import lookup
from rcs_hooks.tuples import NamedTuple
from rcs_hooks.workflow.transitions import OVERLAP, cell

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from rcs_hooks.catalog import ModeDef
    from rcs_hooks.jsontext import JsonObject

MOST_FOLDERS = 5_000
"""How many entries of a skill folder are looked at."""


class Listed(NamedTuple):
    """One mode of the list, its file, and the modes that may run at the same time."""

    mode: ModeDef
    file: str
    beside: tuple[str, ...]

    def as_json(self) -> JsonObject:
        """Return the mode as `rcs modes --json` prints it."""
        mode = self.mode
        return {
            "name": mode.name,
            "kind": "planning" if mode.is_planning else "execution",
            "tokens": list(mode.tokens),
            "file": self.file,
            "after": list(mode.after),
            "beside": list(self.beside),
            "states": dict(mode.states),
            "first": mode.first_phase,
            "ships": not mode.is_own,
            "source": mode.source or "ships",
            "max_iterations": mode.max_iterations,
        }


class Listing(NamedTuple):
    """All modes, those that ship first, and the declarations that are broken."""

    modes: tuple[Listed, ...]
    faults: tuple[Fault, ...]


def listing(env: Mapping[str, str], root: str) -> Listing:
    """List the modes that may be typed in a workspace. Lists folders, so no hook calls this."""
    modes: dict[str, ModeDef] = dict(MODES)
    faults = []
    for name in _names(env, root):
        found = lookup.find(name, env, root)
        if isinstance(found, Fault):
            faults.append(found)
        elif found:
            modes[found.name] = found
            faults += _hidden(found)
    known = modes.values()
    listed = (Listed(mode, _file_of(mode), _beside(mode, tuple(known))) for mode in known)
    return Listing(tuple(listed), tuple(dict.fromkeys(faults)))


def _hidden(mode: ModeDef) -> list[Fault]:
    """Return that a mode is not found by its name, because its folder has capitals and the file system tells them."""
    folder = os.path.basename(os.path.dirname(mode.file))
    if folder == mode.name:
        return []
    return [Fault(mode.file, 0, f"`${mode.name}` does not find it, for its folder has capitals; call it `{mode.name}`")]


def _names(env: Mapping[str, str], root: str) -> list[str]:
    """Return the names of all skills that may be own modes, those of the home first."""
    names: dict[tuple[bool, str], None] = {}
    for source, folder in lookup.folders(env, root):
        try:
            entries = sorted(os.listdir(folder)[:MOST_FOLDERS])
        except OSError:
            continue
        names |= {(source != HOME, entry): None for entry in entries if is_own_name(entry.lower())}
    return list(dict.fromkeys(name for _, name in sorted(names)))


def _file_of(mode: ModeDef) -> str:
    return mode.file or lookup.shipped_file(mode.skill)


def _beside(mode: ModeDef, others: tuple[ModeDef, ...]) -> tuple[str, ...]:
    return tuple(other.name for other in others if cell(mode, other) == OVERLAP)
