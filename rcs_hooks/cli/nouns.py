"""The names that a shell can complete: the modes, tasks and workflows that there are."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

Named = tuple[str, str]
"""A name, and a few words about what it names."""


def modes(root: str) -> Iterator[Named]:
    """Yield the modes that may be typed in a workspace."""
    from rcs_hooks.catalog import MODES
    from rcs_hooks.modes.listing import listing

    yield from ((name, f"${mode.tokens[0]}") for name, mode in MODES.items())
    found = listing(os.environ, root)
    yield from ((each.mode.name, "a mode of your own") for each in found.modes if each.mode.is_own)


def tasks(root: str) -> Iterator[Named]:
    """Yield the tasks of a workspace, each with the phase it is in."""
    from rcs_hooks.errors import RcsError
    from rcs_hooks.tasks.store import TaskStore, names

    for name in names(root):
        try:
            phase = TaskStore(root, name, 0).state().phase
        except RcsError:
            phase = ""
        yield name, phase


def workflows(root: str) -> Iterator[Named]:
    """Yield the skills and agents whose machine may be shown."""
    from rcs_hooks.files.workspaces import home_of
    from rcs_hooks.runs.workflow_files import find_all

    yield from ((each.name, each.kind) for each in find_all(project=root, home=home_of(os.environ)))


def event_kinds() -> tuple[str, ...]:
    """Return what `rcs watch` may wait for."""
    from rcs_hooks.overview.events import KINDS

    return KINDS
