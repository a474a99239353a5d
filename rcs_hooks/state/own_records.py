"""Finds the records of own modes in a session: of modes that a person or a project declares, and that do not ship.

Rules of this file:
- Such a record is a file `NAME-state.json` of a session, never of root, and keeps the definition of its mode in the
  field `declared`. By that the run is judged, whatever has become of the mode's own file: nobody is locked into a run.
- Other tools may keep files of such names there. Without a valid `declared` of that very name, they are no records.
- At most `MOST` such files are read, those first that the inventory lists.
"""

from __future__ import annotations

from rcs_hooks.catalog import is_own_name
from rcs_hooks.files import paths
from rcs_hooks.files.reading import Unreadable
from rcs_hooks.mode_def import ModeDef

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from rcs_hooks.files.reading import Reader
    from rcs_hooks.jsontext import JsonObject

MOST = 16
DECLARED = "declared"


def names_among(files: Iterable[str], listed: Collection[str] = ()) -> list[str]:
    """Return the modes that may have a record among these names of files; of very many, those `listed` first."""
    ends = (name.removesuffix(paths.MODE_SUFFIX) for name in files if name.endswith(paths.MODE_SUFFIX))
    names = sorted({name for name in ends if is_own_name(name)})
    return sorted(sorted(names, key=lambda name: name not in listed)[:MOST]) if len(names) > MOST else names


def names_in(reader: Reader, session: str | None, listed: Collection[str] = ()) -> list[str]:
    """Return the modes that may have a record in a session, as `names_among` does; root, None, has none."""
    if session is None:
        return []
    return names_among(reader.names_in(paths.session_folder(session).rstrip("/")), listed)


def definition_in(name: str, record: Mapping[str, object]) -> ModeDef | None:
    """Return the definition that the record of an own mode keeps; None if it keeps no valid one of this name."""
    mode = ModeDef.from_json(record[DECLARED]) if DECLARED in record else None
    return mode if mode is not None and mode.name == name else None


def is_record(name: str, found: JsonObject | Unreadable | None) -> bool:
    """Tell whether what was read of a file is the record of an own mode, or may be one because it cannot be read."""
    if isinstance(found, Unreadable):
        return True
    return found is not None and definition_in(name, found) is not None
