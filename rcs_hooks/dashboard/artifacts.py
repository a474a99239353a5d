"""The text of an artifact: only from inside its project, never through a link that leads out, and never too much."""

from __future__ import annotations

import os
import stat
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from rcs_hooks.dashboard import diagrams, graphs
from rcs_hooks.errors import Refused, reason_of
from rcs_hooks.files.bounded import READ_FLAGS, read_open
from rcs_hooks.files.clock import iso
from rcs_hooks.files.paths import inside

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rcs_hooks.runs.records import ArtifactRecord

Record = dict[str, Any]

LARGEST = 1024 * 1024
LARGEST_FILE = 32 * 1024 * 1024
MARKDOWN, PICTURE, BINARY = "markdown", "picture", "binary"
UNKNOWN = "application/octet-stream"
PICTURES = (
    (b"\x89PNG\r\n\x1a\n", "image/png"), (b"\xff\xd8\xff", "image/jpeg"), (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
)  # fmt: skip
"""How the files of pictures begin. No SVG: it may hold a script, and is shown as text."""
KINDS = {
    ".md": MARKDOWN, ".markdown": MARKDOWN, ".diff": "diff", ".patch": "diff", ".json": "json", ".jsonl": "json",
}  # fmt: skip


def text_of(project: str, run_id: str, artifact: ArtifactRecord) -> Record:
    """Return the text of an artifact as JSON. Raises Refused."""
    path = artifact.path
    with _opened(project, path) as (fd, status):
        data = read_open(fd, LARGEST + 1)
    is_picture = picture_of(data) != UNKNOWN
    is_binary = is_picture or b"\0" in data
    text = "" if is_binary else data[:LARGEST].decode("utf-8", "replace")
    kind = KINDS.get(os.path.splitext(path)[1].lower(), "text")
    return {
        "run_id": run_id,
        "path": path,
        "kind": PICTURE if is_picture else BINARY if is_binary else kind,
        "text": text,
        "bytes": status.st_size,
        "truncated": len(data) > LARGEST and not is_binary,
        "modified_at": iso(status.st_mtime),
        "diagram": graphs.diagram_in(text, os.path.basename(path)) if artifact.subflow else None,
        "diagrams": diagrams.diagrams_in(text, os.path.basename(path)) if kind == MARKDOWN else [],
    }


def bytes_of(project: str, artifact: ArtifactRecord) -> tuple[bytes, str]:
    """Return an artifact as it is, and the type of its content, UNKNOWN for all but pictures. Raises Refused."""
    path = artifact.path
    with _opened(project, path) as (fd, status):
        if status.st_size > LARGEST_FILE:
            raise Refused(f"{path!r} has {status.st_size} bytes, and at most {LARGEST_FILE} are sent")
        data = read_open(fd, LARGEST_FILE)
    return data, picture_of(data)


def picture_of(data: bytes) -> str:
    """Return the type of a picture, by its first bytes; `application/octet-stream` for anything else."""
    if data[8:12] == b"WEBP" and data.startswith(b"RIFF"):
        return "image/webp"
    return next((kind for first, kind in PICTURES if data.startswith(first)), UNKNOWN)


@contextmanager
def _opened(project: str, path: str) -> Iterator[tuple[int, os.stat_result]]:
    """Open an artifact for as long as it is read, and yield it with its status. Raises Refused if it is not a file."""
    fd = _open(project, path)
    try:
        status = os.fstat(fd)
        if not stat.S_ISREG(status.st_mode):
            raise Refused(f"{path!r} is not a file")
        yield fd, status
    finally:
        os.close(fd)


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
