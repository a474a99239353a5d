"""Read the end of a proof's output, and make it text that a page can show, whatever the command has printed.

Rules of this file:
- The name of the file comes from a record, so it may be anything: it counts only if it is a plain name.
- No escape sequence is interpreted, and none is left: colours, titles and links of a terminal are dropped. Of a line
  that a progress bar has written over and over, the last version is shown.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from rcs_hooks.errors import UnsafePath, reason_of
from rcs_hooks.files import paths
from rcs_hooks.files.bounded import read_bytes
from rcs_hooks.files.reading import is_tracked

MOST = 4_096
"""How many bytes of the output are stored, the last ones."""
FOLDER = "proofs"
SUFFIX = ".txt"
LETTERS = paths.NAME_LETTERS | frozenset("-_.:+")
ESCAPE = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]"  # colours, moves of the cursor
    r"|(?:\x1b[\]PX^_]|[\x9d\x90])[^\x07\x1b\n]*(?:\x07|\x1b\\)?"  # titles, links: up to a bell, or to their own end
    r"|\x1b[ -/]*[0-~]"
)


class ProofOutput(NamedTuple):
    """The end of what a command has printed. `problem`: why there is none; both are empty if it printed nothing."""

    text: str = ""
    is_cut: bool = False
    """Whether there was more before it."""
    problem: str = ""


def read(folder: str, session: str | None, name: str) -> ProofOutput:
    """Return the output that a proof names. `folder`: the state folder. `session`: None for the workspace's own."""
    if not _is_plain(name):
        return ProofOutput(problem="its record names another file" if name else "its record names no file")
    path = f"{paths.session_folder(session)}{FOLDER}/{name}"
    try:
        if is_tracked(folder, path):
            return ProofOutput(problem="the file came with the repository, so it counts for nothing")
        data = _read(folder, path)
    except FileNotFoundError:
        return ProofOutput(problem="it is gone: the output of the last 20 proofs of a session is stored")
    except (OSError, UnsafePath) as error:
        return ProofOutput(problem=f"it cannot be read: {reason_of(error) if isinstance(error, OSError) else error}")
    if data is None:
        return ProofOutput(problem="it cannot be read: it is not a file")
    return ProofOutput(text_of(data[:MOST]), len(data) >= MOST)


def _is_plain(name: str) -> bool:
    """Tell whether a name is one that `rcs prove` can have given: letters and digits, and no folder."""
    return len(name) <= paths.NAME_LENGTH and name.endswith(SUFFIX) and name[0] != "." and LETTERS.issuperset(name)


def _read(folder: str, path: str) -> bytes | None:
    """Read a file of a session, also of one that was folded away; None if it is not a regular file. Raises OSError."""
    for each in (path, paths.folded(folder, path)):
        if each is None:
            break
        _refuse_links(folder, each)
        try:
            return read_bytes(f"{folder}/{each}", MOST + 1)
        except FileNotFoundError:
            continue
    raise FileNotFoundError(path)


def _refuse_links(folder: str, path: str) -> None:
    """Raise UnsafePath if a folder on the way is a link: it leads to what is no output."""
    if paths.resolved(folder, path.rpartition("/")[0]) != f"{folder}/{path.rpartition('/')[0]}":
        raise UnsafePath("a folder on its path is a symbolic link")


def text_of(data: bytes) -> str:
    """Return what a terminal would show of an output, as text without control characters but line breaks and tabs."""
    text = data.decode("utf-8", "replace").lstrip("\ufffd")
    text = ESCAPE.sub("", text).replace("\r\n", "\n")
    lines = (_last_version(line) for line in text.split("\n"))
    return "\n".join("".join(_shown(char) for char in line).rstrip() for line in lines).strip("\n")


def _last_version(line: str) -> str:
    """Return what is left on the screen of a line whose beginning was written over, as progress bars do."""
    return next((part for part in reversed(line.split("\r")) if part.strip()), "")


def _shown(char: str) -> str:
    return char if char.isprintable() or char == "\t" else ""
