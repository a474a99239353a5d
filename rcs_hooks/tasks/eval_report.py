"""Write what came of a command into the report of a task, and read a proof out of the report. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from rcs_hooks.config.commands import proves_text
from rcs_hooks.text import clean
from rcs_hooks.workflow.proof import UNPROVEN, Proof, judged, verdict

if TYPE_CHECKING:
    from rcs_hooks.config.values import ProofSettings
    from rcs_hooks.jsontext import JsonObject

KINDS = ("test", "lint", "static", "custom")
COMPLETED, FAILED = "completed", "failed"
MOST_SUITES = 50
ID_LENGTH = 120
TAIL_LENGTH = 4096


class SuiteRun(NamedTuple):
    """A command that was run for a task."""

    kind: str
    proof: Proof
    tail: str
    """The end of its output."""
    tree_before: str
    """The fingerprint of the work tree before it."""
    broke: bool = False
    """Whether the run did not come to its end: it was out of time, or a signal ended it."""

    @property
    def id(self) -> str:
        """Return the name of its suite: the command itself, so that the same command has the same suite."""
        where = f" in {self.proof.folder}" if self.proof.folder else ""
        return clean(f"{self.proof.command}{where}", ID_LENGTH)


def with_run(before: JsonObject, run: SuiteRun, *, is_fresh: bool = False) -> JsonObject:
    """Return the fields of the report after a run.

    Suites of earlier runs stay where they ran on the same work tree; the same command is there once. `is_fresh`: none
    stay, as after a command that was mistyped.
    """
    proof = run.proof.to_json()
    of_run = {key: proof[key] for key in ("command", "exit", "seconds", "at", "changed", "timed_out")}
    suite: JsonObject = {"id": run.id, "kind": run.kind, "overall_pass": run.proof.passed, **of_run}
    if run.proof.folder:
        suite["folder"] = proof["folder"]
    suite["output"] = run.tail[-TAIL_LENGTH:]
    others = [] if is_fresh else _others(before, run.tree_before)
    suites = [*(each for each in others if each.get("id") != run.id), suite]
    return {
        "status": FAILED if run.broke else COMPLETED,
        "overall_pass": all(each.get("overall_pass") is True for each in suites),
        "suites": suites[-MOST_SUITES:],
        **of_run,
        "tree": proof["tree"],
    }


def _others(before: JsonObject, tree: str) -> list[JsonObject]:
    """Return the suites in a report that ran on this work tree; none if the report does not say where they ran."""
    suites = before.get("suites")
    if not tree or before.get("tree") != tree or not isinstance(suites, list):
        return []
    return [each for each in suites if isinstance(each, dict) and isinstance(each.get("command"), str)]


# --- the proof of a task


class TaskProof(NamedTuple):
    """What a report proves: the run that decides, and why it counts for nothing, or an empty text if it may count."""

    proof: Proof | None = None
    why: str = ""

    @property
    def may_hold(self) -> bool:
        """Tell whether the work tree has to be looked at, to see whether the proof holds."""
        return self.proof is not None and self.proof.passed and bool(self.proof.tree) and not self.why

    def judged(self, tree: str | None, at: str, why: str = "") -> JsonObject:
        """Return the field `proof` of state.json for the work tree `tree`. `why`: why that is not known."""
        state = UNPROVEN if self.why else verdict(self.proof, tree)
        return judged(self.proof, state, at=at, why=self.why or why)


def proof_in(report: JsonObject, settings: ProofSettings) -> TaskProof:
    """Return what a report proves: what failed decides, else the trusted command, else the last one that ran."""
    suites = report.get("suites")
    suites = [each for each in suites if isinstance(each, dict)] if isinstance(suites, list) else []
    runs = [(each, Proof.from_json({**each, "tree": report.get("tree")})) for each in suites[-MOST_SUITES:]]
    failing = [proof for suite, proof in runs if suite.get("overall_pass") is not True]
    if failing or report.get("overall_pass") is not True or report.get("status") != COMPLETED:
        return TaskProof(_failed(failing))
    proofs = [proof for _, proof in runs if proof is not None]
    named = [proof for proof in proofs if proves_text(settings, proof.command, proof.folder)]
    if proofs and not named:
        why = f"is not the command that {settings.source} names"
        return TaskProof(proofs[-1], f"passed, but {settings.in_doubt}" if settings.in_doubt else why)
    return TaskProof(named[-1] if named else None)


def _failed(proofs: list[Proof | None]) -> Proof | None:
    return next((proof for proof in reversed(proofs) if proof is not None and not proof.passed), None)
