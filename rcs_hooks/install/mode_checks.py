"""Checks the declarations of modes: own modes that cannot be read, and copies of our skills that differ from ours."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from rcs_hooks.clients.check import OK, WARN, Check
from rcs_hooks.install.check import at_most
from rcs_hooks.install.skills import is_untouched
from rcs_hooks.mode_def import HOME
from rcs_hooks.modes import lint, lookup
from rcs_hooks.modes.listing import listing
from rcs_hooks.text import clean, quoted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rcs_hooks.clients.installer import Host

TITLE = "modes"
MOST = 4
"""The most faults, and the most copies, that are shown."""
LONGEST = 400


def checks(host: Host) -> Iterator[Check]:
    """Yield checks of the own modes of the person and the project, and of copies of ours; none if all is as usual."""
    found = listing(host.env, host.root)
    faults = [
        Check(TITLE, WARN, clean(fault.sentence, LONGEST), f"rcs machine check {quoted(fault.file)}")
        for fault in found.faults
    ]
    yield from at_most(MOST, faults)
    own = [each.mode for each in found.modes if each.mode.is_own]
    if own:
        named = (f"{mode.name} ({'yours' if mode.source == HOME else 'of this project'})" for mode in own)
        yield Check(TITLE, OK, clean(f"declared besides ours: {', '.join(named)}", LONGEST))
    yield from at_most(MOST, list(_copies(host)))


def _copies(host: Host) -> Iterator[Check]:
    for source, folder in lookup.folders(host.env, host.root):
        for name in lint.SHIPPED:
            path = os.path.join(folder, name, lookup.FILE)
            data = lookup.read(path, source, host.root)
            text = data.decode(errors="replace") if isinstance(data, bytes) else ""
            if not text or is_untouched(text):
                continue
            report = lint.check(text, path)
            if report.faults or report.warnings:
                said = f"{path} declares {name} otherwise than rcs, which goes by its own file"
                yield Check(
                    TITLE, WARN, clean(said, LONGEST), f"take metadata and ## MODE from {lookup.shipped_file(name)}"
                )
