"""Keeps the end of the output of each command that `rcs prove` ran: a file in `proofs/`, beside the records.

A record names its file. The file is written before the record is, so a kill in between leaves one that nobody names;
it goes as the old ones do, of which only the newest few are left.
"""

from __future__ import annotations

import os
import secrets

from rcs_hooks.errors import suppress
from rcs_hooks.files import paths
from rcs_hooks.files.bounded import read_bytes
from rcs_hooks.files.clock import iso
from rcs_hooks.files.folders import make_folders
from rcs_hooks.files.paths import link_in
from rcs_hooks.files.reading import root_of
from rcs_hooks.files.tracked import may_be_brought
from rcs_hooks.workflow.proof import OUTPUT_SUFFIX, output_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

LONGEST = 4_096
MOST = 20
"""So many outputs of a session, the newest, are left."""
FLAGS = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW


def write(folder: str, session: str | None, tail: bytes, now: float) -> str:
    """Write the end of an output, for the owner alone; return the name of the file, or an empty one without any output.

    The caller holds the lock. Raises OSError and UnsafePath.
    """
    if not tail:
        return ""
    place = paths.proofs_folder(session)
    moment = "".join(char for char in iso(now) if char.isdigit())
    name = f"{moment[:8]}-{moment[8:]}-{secrets.token_hex(4)}{OUTPUT_SUFFIX}"
    make_folders(folder, place)
    path = f"{folder}/{place}/{name}"
    file = os.open(path, FLAGS, 0o600)
    try:
        with open(file, "wb") as opened:
            opened.write(tail[-LONGEST:])
    except OSError:
        with suppress(OSError):
            os.unlink(path)
        raise
    return name


def read(folder: str, session: str | None, name: str) -> bytes | None:
    """Return the end of an output, at most `LONGEST` bytes as the command wrote them; None if it is not there.

    `name`: as the record has it. Never waits, follows no link, and reads nothing that git tracks.
    """
    if not output_name(name):
        return None
    path = f"{paths.proofs_folder(session)}/{name}"
    with suppress(OSError):
        is_linked = any(os.path.islink(f"{folder}/{part}") for part in _folders_above(path))
        return None if is_linked or may_be_brought(root_of(folder), path) else read_bytes(f"{folder}/{path}", LONGEST)
    return None


def remove_old(folder: str, session: str | None) -> None:
    """Remove the outputs of a session but for the newest few. The caller holds the lock."""
    remove(folder, session, names_in(folder, session)[:-MOST])


def names_in(folder: str, session: str | None) -> list[str]:
    """List the files of outputs that a session has, the oldest first; none where a link is in the way."""
    place = paths.proofs_folder(session)
    try:
        is_linked = any(os.path.islink(f"{folder}/{part}") for part in _folders_above(f"{place}/x"))
        return [] if is_linked else sorted(name for name in os.listdir(f"{folder}/{place}") if output_name(name))
    except OSError:
        return []


def remove(folder: str, session: str | None, names: Iterable[str]) -> int:
    """Remove these outputs of a session, but for such as git tracks; return how many. The caller holds the lock."""
    done = 0
    place = paths.proofs_folder(session)
    for name in () if link_in(folder, place) else names:
        if not may_be_brought(root_of(folder), f"{place}/{name}"):
            with suppress(OSError):
                os.unlink(f"{folder}/{place}/{name}")
                done += 1
    return done


def _folders_above(path: str) -> list[str]:
    parts = path.split("/")[:-1]
    return ["/".join(parts[:end]) for end in range(1, len(parts) + 1)]
