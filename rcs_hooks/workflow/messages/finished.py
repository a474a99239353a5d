"""Tells the person that runs have finished, whether they are proven, and what to type where they are not."""

from __future__ import annotations

from rcs_hooks.workflow.messages.proof import to_prove
from rcs_hooks.workflow.messages.shared import SYSTEM_LENGTH
from rcs_hooks.workflow.proof import words_for

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from rcs_hooks.catalog import ModeDef
    from rcs_hooks.workflow.commands import Commands
    from rcs_hooks.workflow.mode_record import ModeRecord


def runs_finished(runs: Sequence[tuple[ModeDef, ModeRecord]], commands: Commands) -> str:
    """Return a line about runs that have finished: `rcs: forge finished, unproven`, and how to prove them.

    `runs`: the mode and the record of each.
    """
    modes: dict[str, list[str]] = {}
    for mode, record in runs:
        how = f"finished{' early' if record.is_early else ''}, {words_for(mode, record)}"
        modes.setdefault(how, []).append(mode.name)
    line = "rcs: " + "; ".join(f"{' + '.join(names)} {how}" for how, names in modes.items())
    full = " ".join(filter(None, (f"{line}.", to_prove(runs, commands))))
    return full if len(full) <= SYSTEM_LENGTH else f"{line}."
