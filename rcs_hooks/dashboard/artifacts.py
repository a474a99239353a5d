"""The text of an artifact: only from inside its project, never through a link that leads out, and never too much."""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from rcs_hooks.dashboard import graphs
from rcs_hooks.errors import Refused, reason_of
from rcs_hooks.files.bounded import READ_FLAGS, read_open
from rcs_hooks.files.clock import iso
from rcs_hooks.files.paths import inside

if TYPE_CHECKING:
    from rcs_hooks.runs.records import ArtifactRecord

Record = dict[str, Any]

LARGEST = 1024 * 1024
KINDS = {
    ".md": "markdown", ".markdown": "markdown", ".diff": "diff", ".patch": "diff", ".json": "json", ".jsonl": "json",
}  # fmt: skip


def text_of(project: str, run_id: str, artifact: ArtifactRecord) -> Record:
    """Return the text of an artifact as JSON. Raises Refused."""
    path = artifact.path
    fd = _open(project, path)
    try:
        status = os.fstat(fd)
        if not stat.S_ISREG(status.st_mode):
            raise Refused(f"{path!r} is not a file")
        data = read_open(fd, LARGEST + 1)
    finally:
        os.close(fd)
    if b"\0" in data:
        raise Refused(f"{path!r} is not text")
    text = data[:LARGEST].decode("utf-8", "replace")
    return {
        "run_id": run_id,
        "path": path,
        "kind": KINDS.get(os.path.splitext(path)[1].lower(), "text"),
        "text": text,
        "bytes": status.st_size,
        "truncated": len(data) > LARGEST,
        "modified_at": iso(status.st_mtime),
        "diagram": graphs.diagram_in(text, os.path.basename(path)) if artifact.subflow else None,
    }


def _open(project: str, path: str) -> int:
    """Open a file folder by folder and follow no link, so that the file that is checked is the one that is opened."""
    root = os.path.realpath(project)
    real = os.path.realpath(os.path.join(root, path))
    if real == root or not inside(real, root):
        raise Refused(f"{path!r} leads out of the project, so it is not shown")
    *folders, name = os.path.relpath(real, root).split(os.sep)
    at = -1
    try:
        at = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        for folder in folders:
            at, before = os.open(folder, os.O_DIRECTORY | READ_FLAGS, dir_fd=at), at
            os.close(before)
        return os.open(name, READ_FLAGS, dir_fd=at)
    except FileNotFoundError:
        raise Refused(f"{path!r} is gone") from None
    except OSError as error:
        raise Refused(f"{path!r} cannot be read: {reason_of(error)}") from None
    finally:
        with suppress(OSError):
            os.close(at)
