"""One line for the person, once a session, where git tracks the workspace's state, so that it counts for nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rcs_hooks.hook.call import SESSION_START
from rcs_hooks.hook.noticed import untold
from rcs_hooks.state import paths, tracked

if TYPE_CHECKING:
    from rcs_hooks.hook.call import Payload

KEY = "tracked"


def told(output: dict[str, Any], payload: Payload, root: str) -> dict[str, Any]:
    """Add the line to an answer, where it was not told before.

    Where the session's own notes are the repository's nothing can be noted: there it is told at the start alone.
    """
    if not paths.is_name(payload.session):
        return output
    if tracked.has_tracked_session(root, payload.session):
        is_new = payload.event == SESSION_START
    else:
        is_new = bool(untold(paths.state_folder(root), payload.session, [KEY]))
    if not is_new:
        return output
    line = f"rcs: {tracked.words(root)}; {tracked.TO_DO}"
    return output | {"systemMessage": "\n".join(filter(None, (output.get("systemMessage"), line)))}
