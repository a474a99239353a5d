"""Append to transcript.jsonl: one line for each move and each refusal, on the disk before state.json changes."""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING

from rcs_hooks import jsontext
from rcs_hooks.errors import Refused, reason_of
from rcs_hooks.tasks import messages, phases

if TYPE_CHECKING:
    from rcs_hooks.jsontext import JsonObject

FLAGS = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK


def append(folder: str, line: JsonObject) -> None:
    """Append a whole line and flush it to the disk. The caller holds the lock.

    A last line that a kill has cut short is ended first, so that the new line stays readable.
    """
    try:
        fd = os.open(f"{folder}/{phases.TRANSCRIPT}", FLAGS, 0o600)
    except OSError as error:
        raise Refused(messages.broken_file(phases.TRANSCRIPT, reason_of(error))) from None
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
