"""Which projects' settings the person has trusted: `~/.rcs/trusted.json`, by path and content of the table.

A table that has changed in any value is not the one that was trusted; comments and blanks may change.
"""

from __future__ import annotations

import hashlib
import json
import os

from rcs_hooks import jsontext
from rcs_hooks.config.values import ConfigFault
from rcs_hooks.errors import reason_of
from rcs_hooks.files.bounded import read_bytes
from rcs_hooks.files.paths import HOME

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

FILE = "trusted.json"
TRUSTED = "trusted"
SHA256 = "sha256"
LARGEST = 4 * 1024 * 1024

TRUST, CHANGED, UNKNOWN = "trusted", "changed", "unknown"


def path_in(home: str) -> str:
    """Return the path of the file that says what is trusted."""
    return os.path.join(home, HOME, FILE)


def digest_of(table: object) -> str:
    """Return the SHA-256 of a table's values, whatever their order."""
    text = json.dumps(table, sort_keys=True, default=repr)
    return hashlib.sha256(text.encode()).hexdigest()


def entries_in(home: str) -> tuple[Mapping[str, str], ConfigFault | None]:
    """Return the digest of each trusted file by its real path; nothing, and a fault, if that cannot be read."""
    path = path_in(home)
    try:
        data = read_bytes(path, LARGEST + 1, through_links=True)
    except (FileNotFoundError, NotADirectoryError):
        return {}, None
    except (OSError, ValueError) as error:
        why = reason_of(error) if isinstance(error, OSError) else str(error)
        return {}, ConfigFault(path, 0, f"{why}, so no project is trusted")
    try:
        if data is None or len(data) > LARGEST:
            raise ValueError
        found = jsontext.loads(data.decode())
        trusted = found[TRUSTED]
        return {str(key): str(each[SHA256]) for key, each in trusted.items()}, None
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return {}, ConfigFault(path, 0, "it cannot be understood, so no project is trusted; move it away")


def status_of(entries: Mapping[str, str], file: str, table: object) -> str:
    """Tell whether the table of a file is trusted, was trusted with other values, or never was."""
    known = entries.get(os.path.realpath(file))
    if known is None:
        return UNKNOWN
    return TRUST if table is not None and known == digest_of(table) else CHANGED
