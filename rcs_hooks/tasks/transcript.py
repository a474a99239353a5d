"""transcript.jsonl: what was done and what was refused, a line each, on the disk before the state says so."""

from __future__ import annotations

import os
import stat
from typing import Any

from rcs_hooks import jsontext
from rcs_hooks.errors import Refused
from rcs_hooks.tasks import messages, phases

FLAGS = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK


def append(folder: str, line: dict[str, Any]) -> None:
    """Whole and synced; one that a kill has cut short is closed first. The lock is held."""
    try:
        fd = os.open(f"{folder}/{phases.TRANSCRIPT}", FLAGS, 0o600)
    except OSError as error:
        raise Refused(messages.broken_file(phases.TRANSCRIPT, (error.strerror or str(error)).lower())) from None
    try:
        status = os.fstat(fd)
        if not stat.S_ISREG(status.st_mode):
            raise Refused(messages.broken_file(phases.TRANSCRIPT, "it is not a file"))
        cut = status.st_size and os.pread(fd, 1, status.st_size - 1) != b"\n"
        view = memoryview(f"{chr(10) if cut else ''}{jsontext.dumps_line(line)}\n".encode())
        while view:
            view = view[os.write(fd, view) :]
        os.fsync(fd)
    finally:
        os.close(fd)
