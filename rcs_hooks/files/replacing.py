"""Replaces a small file of the person's own, such as those in `~/.rcs`: whole or not at all, and for them alone.

What lies in a workspace is written by `transaction`.
"""

from __future__ import annotations

import os

from rcs_hooks.errors import suppress
from rcs_hooks.files.paths import STAGED


def replace(path: str, text: str) -> None:
    """Write a file whole or not at all. The caller has a lock, so the name of the staged file is nobody else's."""
    staged = f"{path}{STAGED}"
    with suppress(FileNotFoundError):
        os.unlink(staged)
    fd = os.open(staged, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    with open(fd, "wb") as to:
        to.write(text.encode())
        to.flush()
        os.fsync(to.fileno())
    os.replace(staged, path)
