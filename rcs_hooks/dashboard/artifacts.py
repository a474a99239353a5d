"""The text of an artifact. Only from inside its project, by no link that leads out of it, and never too much."""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from typing import Any

from rcs_hooks.dashboard import picture
from rcs_hooks.errors import Refused
from rcs_hooks.state.clock import iso
from rcs_hooks.state.paths import inside

Record = dict[str, Any]

LARGEST = 1024 * 1024
KINDS = {
    ".md": "markdown", ".markdown": "markdown", ".diff": "diff", ".patch": "diff", ".json": "json", ".jsonl": "json",
}  # fmt: skip
FLAGS = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOFOLLOW


def text_of(project: str, run_id: str, artifact: Record) -> Record:
    """Raises Refused."""
    path = artifact["path"]
    fd = _opened(project, path)
    try:
        status = os.fstat(fd)
        if not stat.S_ISREG(status.st_mode):
            raise Refused(f"{path!r} is no file")
        data = _read(fd)
    finally:
        os.close(fd)
    if b"\0" in data:
        raise Refused(f"{path!r} is no text")
    text = data[:LARGEST].decode("utf-8", "replace")
    return {
        "run_id": run_id,
        "path": path,
        "kind": KINDS.get(os.path.splitext(path)[1].lower(), "text"),
        "text": text,
        "bytes": status.st_size,
        "truncated": len(data) > LARGEST,
        "modified_at": iso(status.st_mtime),
        "diagram": picture.diagram_in(text, os.path.basename(path)) if artifact["subflow"] else None,
    }


def _opened(project: str, path: str) -> int:
    """Link by link: what is checked and what is opened are the same file, whatever is put in its place meanwhile."""
    root = os.path.realpath(project)
    real = os.path.realpath(os.path.join(root, path))
    if real == root or not inside(real, root):
        raise Refused(f"{path!r} leads out of the project, so it is not shown")
    *folders, name = os.path.relpath(real, root).split(os.sep)
    at = -1
    try:
        at = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        for folder in folders:
            at, before = os.open(folder, os.O_DIRECTORY | FLAGS, dir_fd=at), at
            os.close(before)
        return os.open(name, FLAGS, dir_fd=at)
    except FileNotFoundError:
        raise Refused(f"{path!r} is not there any more") from None
    except OSError as error:
        raise Refused(f"{path!r} cannot be read: {(error.strerror or str(error)).lower()}") from None
    finally:
        with suppress(OSError):
            os.close(at)


def _read(fd: int) -> bytes:
    parts, left = [], LARGEST + 1
    while left > 0 and (part := os.read(fd, left)):
        parts.append(part)
        left -= len(part)
    return b"".join(parts)
