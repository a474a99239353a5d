"""What the person is told once in a session."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rcs_hooks.errors import LockTimeout
from rcs_hooks.state import files, ledger
from rcs_hooks.state.files import Unreadable
from rcs_hooks.state.lock import Lock

if TYPE_CHECKING:
    from collections.abc import Sequence


def untold(folder: str, session: str, names: Sequence[str]) -> tuple[str, ...]:
    """List those of which the person was not told in this session, noted as told."""
    kept = ledger.load(folder, session)
    found = tuple(name for name in names if not ledger.has_told(kept, name))
    if found and not isinstance(kept, Unreadable):
        try:
            with Lock(folder, 0):
                files.recover(folder)
                kept = ledger.load(folder, session)
                if not isinstance(kept, Unreadable):
                    files.commit(folder, [ledger.told(kept, session, found)])
        except (LockTimeout, OSError):
            pass  # the person is told once more, then
    return found
