"""The one error of sharing. It needs no driver, so that everybody may catch it."""

from __future__ import annotations

from rcs_hooks.errors import Refused

UNREACHABLE, DENIED, MISSING, BUSY, READ_ONLY, FULL, SILENT, LOST, OLDER, NEWER, DATA, OTHER = (
    "unreachable",
    "denied",
    "missing",
    "busy",
    "read_only",
    "full",
    "silent",
    "lost",
    "schema_older",
    "program_older",
    "data",
    "other",
)


class ShareError(Refused):
    """Raised when the shared database cannot be used; one sentence without a secret, and what to do."""

    code = "share"

    def __init__(self, message: str, kind: str = OTHER) -> None:
        super().__init__(message)
        self.kind = kind

    @property
    def details(self) -> dict[str, object]:
        return {"kind": self.kind}


class AtWork(Refused):
    """Raised where another process shares from this home."""
