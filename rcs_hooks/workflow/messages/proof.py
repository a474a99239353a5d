"""Words about the proof of a run for whoever writes into its record: what came of it, and why `finished` is refused."""

from __future__ import annotations

from rcs_hooks.text import clean
from rcs_hooks.workflow.commands import BY_NAME, COMMAND, Proving, proving
from rcs_hooks.workflow.lifecycle import FAILED, FINISHED
from rcs_hooks.workflow.proof import PROVEN, UNPROVEN, is_judged, status_of, words_for, words_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from rcs_hooks.catalog import ModeDef
    from rcs_hooks.workflow.commands import Commands
    from rcs_hooks.workflow.mode_record import ModeRecord

SOURCE_LENGTH = 60
WHY = "WHY"


def refused_unproven(
    mode: str,
    modes: Sequence[str],
    verdict: str,
    *,
    required_by: str,
    command: str,
    commands: Commands,
) -> str:
    """Return the refusal of `finished` for want of a proof, with the command that gives one.

    `modes`: all that the write finishes. `verdict`: what came of the newest proof, in words; empty if there is none.
    `command`: the one command that counts; empty if any does.
    """
    names = ",".join(modes)
    first = f"{mode}: finished is refused, for {clean(required_by, SOURCE_LENGTH)} requires a proof"
    lines = [f"{first}: {commands.prove(names, '' if command else COMMAND)}"]
    if verdict:
        lines.append(f"the newest proof: {verdict}")
    return "\n".join([*lines, f"to give up: {commands.write(names, '--outcome', FAILED, '--reason', WHY)}"])


def came_of(mode: ModeDef, record: ModeRecord) -> str:
    """Return the line about a proof that was just recorded, of a run that goes on."""
    status = status_of(record)
    if status.state == UNPROVEN:
        return f"{mode.name}: {words_of(status)}."
    return f"{mode.name}: {status.ran} passed; it proves the run as long as no file changes."


def to_finish(modes: Sequence[str], commands: Commands) -> str:
    """Return the line that ends these runs, which have a proof; empty if there is none."""
    return f"To finish: {commands.write(','.join(modes), '--outcome', FINISHED)}" if modes else ""


def finished(mode: ModeDef, record: ModeRecord, early: str = "") -> str:
    """Return how a run has finished, with the verdict on it if one is due: `finished, proven by …`.

    `early`: why it counts as early; empty if it does not.
    """
    verdict = words_for(mode, record)
    said = f"finished, {verdict}" if verdict else "finished"
    return f"{said}{';' if verdict else ','} early: {early}" if early else said


def to_prove(runs: Sequence[tuple[ModeDef, ModeRecord]], commands: Commands) -> str:
    """Return the line that proves those of these finished runs that are not proven; empty if there is none.

    It has the command that the settings name, or else that of the last proof, where the runs have that in common.
    """
    open_runs = [each for each in runs if is_judged(*each) and status_of(each[1]).state != PROVEN]
    if not open_runs:
        return ""
    found = {proving(record) for _, record in open_runs}
    proof = BY_NAME if BY_NAME in found else found.pop() if len(found) == 1 else Proving()
    names = ",".join(mode.name for mode, _ in open_runs)
    return f"To prove it{proof.where}: {commands.prove(names, proof.command, finish=False)}"
