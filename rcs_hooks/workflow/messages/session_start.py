"""Tells the agent what runs in a session that starts or is resumed."""

from __future__ import annotations

from rcs_hooks.text import word
from rcs_hooks.tuples import NamedTuple
from rcs_hooks.workflow.messages.shared import fit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from rcs_hooks.workflow.commands import Commands

START_LENGTH = 700


class StartedMode(NamedTuple):
    """An active mode at the start of a session."""

    mode: str
    phase: str
    waits: bool
    belongs_to_workspace: bool
    """Whether its record names no session."""


def session_start(active: Sequence[StartedMode], commands: Commands) -> str:
    """Return the text that tells the agent what runs in a session that starts or is resumed.

    `active`: at least one mode.
    """
    own = [each.mode for each in active if not each.belongs_to_workspace]
    unowned = [each.mode for each in active if each.belongs_to_workspace]
    shown = " + ".join(_shown(each, names_owner=bool(own)) for each in active)
    first = f"[rcs] active in this {'session' if own else 'workspace, in no session'}: {shown}."
    ends = [_how_to_end(own, commands)] if own else []
    ends += [_how_to_end(unowned, commands.of_workspace())] if unowned else []
    return fit([first, f"To record the outcome{f'; of {unowned[0]}'.join(ends) if unowned else ends[0]}"], START_LENGTH)


def _shown(active: StartedMode, *, names_owner: bool) -> str:
    owner = ", of the workspace" if active.belongs_to_workspace and names_owner else ""
    return f"{active.mode} (phase {word(active.phase)}{owner}{', waiting for the user' if active.waits else ''})"


def _how_to_end(modes: Sequence[str], commands: Commands) -> str:
    first, *others = modes
    same = f" (the same for {', '.join(others)})" if others else ""
    return f"{same}: {commands.write(first, '--outcome', 'finished')}"
