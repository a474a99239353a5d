"""Judges the proof of a run where `finished` is written: proven, stale or unproven, and whether that is enough.

It also notes in the record whether the settings name the command of the proof, so that a hook need not read them.

The fingerprint of the work tree takes seconds where the tree is large, so it is taken before the lock, and only if a
run that finishes has a proof that passed. Nothing in here runs on a hook's path.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from rcs_hooks import config
from rcs_hooks.config import ProofSettings
from rcs_hooks.errors import Refused
from rcs_hooks.text import clean
from rcs_hooks.workflow import proof as proofs
from rcs_hooks.workflow.lifecycle import OUTCOME_FIELDS, is_active, outcome_of
from rcs_hooks.workflow.messages.proof import refused_unproven
from rcs_hooks.workflow.proof import UNPROVEN, Proof, judged, verdict

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rcs_hooks.catalog import ModeDef
    from rcs_hooks.jsontext import JsonObject
    from rcs_hooks.state.scopes import Scope
    from rcs_hooks.workflow.commands import Commands
    from rcs_hooks.workflow.mode_record import ModeRecord

WHY_LENGTH = 300
NAMED = "proof_named"


class Judge(NamedTuple):
    """What decides the verdict on the runs that one write finishes."""

    settings: ProofSettings
    modes: tuple[str, ...]
    """Every mode that the write finishes, for the command of a refusal."""
    commands: Commands
    tree: str | None = None
    """The fingerprint of the work tree; None if it was not taken."""
    fault: str = ""
    """Why it could not be taken; empty if it was, or if no run needs it."""

    def covers(self, records: Sequence[ModeRecord]) -> bool:
        """Tell whether the fingerprint was tried, or none of these records needs it."""
        return bool(self.tree or self.fault) or not any(map(_has_passed, records))

    def field_of(self, proof: Proof | None, *, at: str) -> JsonObject:
        """Return the field of a record for its newest proof, and the verdict on it; None: it has none."""
        state, why = verdict(proof, self.tree), ""
        if proof and proof.passed and not config.proves_text(self.settings, proof.command, proof.folder):
            why = f"is not the command that {self.settings.source} names"
            state, why = UNPROVEN, f"passed, but {self.settings.in_doubt}" if self.settings.in_doubt else why
        elif proof and proof.passed and self.fault:
            why = "passed, but the work tree cannot be read"
        return judged(proof, state, at=at, why=why)

    def with_verdict(self, mode: ModeDef, record: ModeRecord, *, at: str) -> ModeRecord:
        """Return the record of a run that finishes with the verdict on it.

        Raises Refused if a proof is required and the newest one does not hold. A record that `covers` does not hold for
        stays as it is: the caller takes the fingerprint first.
        """
        if not self.covers((record,)):
            return record
        proof = record.proof
        record = record.with_fields({proofs.FIELD: self.field_of(proof, at=at)})
        status = record.proof_status
        if self.settings.required and status.state != proofs.PROVEN:
            refused = Refused(
                refused_unproven(
                    mode.name,
                    self.modes,
                    proofs.words_of(status) if proof else "",
                    required_by=self.settings.required_by,
                    command=self.settings.command or "",
                    commands=self.commands,
                )
            )
            for line in self.warnings:
                refused.add(line)
            raise refused
        return record

    @property
    def warnings(self) -> list[str]:
        """Return what the answer to the write says besides: why the work tree could not be read."""
        return [f"the work tree could not be compared: {self.fault}"] if self.fault else []


def needs_settings(mode: ModeDef, record: ModeRecord) -> bool:
    """Tell whether a run may be proven where it is: its machine can end there, or it has finished."""
    return not mode.is_planning and (mode.can_finish(record.phase) or proofs.is_judged(mode, record))


def with_named(judge: Judge | None, mode: ModeDef, record: ModeRecord) -> ModeRecord:
    """Return the record with a note of whether the settings name the command that proves the run.

    It is there too while they are in doubt: `rcs prove` alone says so at once, and any command only after it has run.
    `judge`: has the settings; None if they are not known, so that the note stays as it is.
    """
    if not needs_settings(mode, record):
        return record.without((NAMED,))
    if judge is None:
        return record
    is_named = judge.settings.command is not None or bool(judge.settings.in_doubt)
    return record.with_fields({NAMED: True}) if is_named else record.without((NAMED,))


def finishes(mode: ModeDef, before: ModeRecord, after: ModeRecord, written: Mapping[str, object]) -> bool:
    """Tell whether a write finishes a run that has to be judged: it ends it, or says once more that it has finished.

    `written`: the fields that the write gives.
    """
    if is_active(after) or not proofs.is_judged(mode, after):
        return False
    is_new = is_active(before) or outcome_of(before).word != outcome_of(after).word
    return is_new or any(name in written for name in OUTCOME_FIELDS)


def judge_for(scope: Scope, modes: Sequence[str], records: Sequence[ModeRecord]) -> Judge:
    """Return what judges the runs of these modes, with these records: settings, and the tree if any run needs it."""
    judge = Judge(config.load(scope.env, scope.root).proof, tuple(modes), scope.commands)
    if not any(map(_has_passed, records)):
        return judge
    from rcs_hooks.proof import tree

    try:
        return judge._replace(tree=tree.fingerprint(scope.root, scope.env).digest)
    except tree.TreeFailure as error:
        return judge._replace(fault=clean(str(error), WHY_LENGTH))


def _has_passed(record: ModeRecord) -> bool:
    proof: Proof | None = record.proof
    return proof is not None and proof.passed
