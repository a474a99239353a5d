"""Make the end of a proof's output text that a page can show, whatever the command has printed.

No escape sequence is interpreted, and none is left: colours, titles and links of a terminal are dropped. Of a line that
a progress bar has written over and over, the last version is shown.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from rcs_hooks.state import proof_output

ESCAPE = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]"  # colours, moves of the cursor
    r"|(?:\x1b[\]PX^_]|[\x9d\x90])[^\x07\x1b\n]*(?:\x07|\x1b\\)?"  # titles, links: up to a bell, or to their own end
    r"|\x1b[ -/]*[0-~]"
)
GONE = f"it is gone, or cannot be read; the output of the last {proof_output.MOST} proofs of a session is stored"


class ProofText(NamedTuple):
    """The end of what a command has printed, as text; empty if it printed nothing."""

    text: str = ""
    is_cut: bool = False
    """Whether there was more before it."""
    problem: str = ""
    """Why the text is not known; empty if it is."""


def read(folder: str, session: str | None, name: str) -> ProofText:
    """Return the output that a proof names. `folder`: the state folder. `session`: None for the workspace's own.

    `name`: the name of the file as the record has it; empty for a command that printed nothing.
    """
    if not name:
        return ProofText()
    data = proof_output.read(folder, session, name)
    if data is None:
        return ProofText(problem=GONE)
    return ProofText(text_of(data), len(data) >= proof_output.LONGEST)


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
