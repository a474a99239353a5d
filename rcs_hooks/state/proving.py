"""Keeps what `rcs prove` has found in the records of the runs that it is for.

`choose` is called before the command runs, and `keep` after it: in between, the state is not locked. A run that has
ended or begun anew meanwhile is left alone, and that is said.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rcs_hooks.config import ProofSettings
    from rcs_hooks.state.results import WriteResult
    from rcs_hooks.state.scopes import Scope
    from rcs_hooks.workflow.proof import Proof


class ChosenRun(NamedTuple):
    """A run that a proof is for, as it was before the command ran."""

    mode: str
    started_at: str
    completed_at: str
    """When it ended; empty if it ran."""


class Chosen(NamedTuple):
    """The runs that a proof is for, and the scope in which their records are."""

    scope: Scope
    runs: tuple[ChosenRun, ...]

    @property
    def modes(self) -> tuple[str, ...]:
        """Return the names of their modes."""
        return tuple(run.mode for run in self.runs)


def choose(scope: Scope, modes: Sequence[str] | None = None) -> Chosen:
    """Return the runs that a proof is for: of the named modes, also such as have finished, or else all that run.

    Names are taken as a person types them. Raises Refused, with what to type, if there is none.
    """
    raise NotImplementedError


def keep(
    scope: Scope,
    chosen: Chosen,
    proof: Proof,
    tail: bytes,
    *,
    finish: bool,
    settings: ProofSettings,
    evidence: str = "",
) -> WriteResult:
    """Write a proof into the records of the chosen runs in one commit, and the end of its output beside them.

    `proof`: without `output`, which is named here. `tail`: the last bytes of the output. `finish`: also end each run
    as finished if the proof has passed; `evidence`: what the record then says, if it says nothing yet.
    Raises Refused if nothing is written, or `finish` is refused; the answer names a run that was left alone.
    """
    raise NotImplementedError
