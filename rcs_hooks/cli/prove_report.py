"""What `rcs prove` records of a command that it has run, and how it tells of it: words, JSON and exit status."""

from __future__ import annotations

import os
import sys
import time
from functools import partial
from typing import TYPE_CHECKING

from rcs_hooks.cli import output
from rcs_hooks.errors import LockTimeout, RcsError, Refused, SystemFailure, suppress
from rcs_hooks.files.clock import iso
from rcs_hooks.proof import tree
from rcs_hooks.proof.exit_status import NOTHING_RAN
from rcs_hooks.state import proving
from rcs_hooks.workflow.proof import UNPROVEN, Proof

if TYPE_CHECKING:
    from collections.abc import Callable

    from rcs_hooks.config import ProofSettings
    from rcs_hooks.jsontext import JsonObject
    from rcs_hooks.proof.command import Ran
    from rcs_hooks.proof.tree import Tree
    from rcs_hooks.state.proving import Chosen
    from rcs_hooks.state.results import WriteResult

NOT_FINISHED = 1
MOST_TRIES = 5


class ProofReport:
    """What came of a command, and what was recorded of it."""

    def __init__(self, command: str, ran: Ran, folder: str = "") -> None:
        self.says: list[str] = []
        """What to tell, a line each."""
        self._ran = ran
        self._proof = Proof(command, ran.exit, ran.seconds, iso(time.time()), "", (), "", ran.timed_out, folder)
        self._modes: tuple[str, ...] = ()
        """The modes whose records hold the proof."""
        self._verdict = UNPROVEN
        self._is_finished = self._has_failed = False
        """Whether the run was finished; whether something was to be recorded and was not."""
        if ran.output_lost:
            self.says.append(f"not all of the output could be passed on: {ran.output_lost}")

    def record(self, chosen: Chosen, before: Tree, settings: ProofSettings, *, finish: bool, evidence: str) -> None:
        """Take the fingerprint after the command, and record the proof; if that cannot be, tell why."""
        try:
            self._add_tree(before, chosen.scope.root)
            scope = chosen.scope._replace(now=time.time())
            keep = partial(proving.keep, scope, chosen, self._proof, self._ran.tail)
            result = _patiently(partial(keep, finish=finish, settings=settings, evidence=evidence))
        except RcsError as error:
            self._fail(error, finish=finish)
        except OSError as error:
            self._fail(SystemFailure(error), finish=finish)
        else:
            self._is_finished = finish and self._proof.passed
            self.says.append(result["says"])
        self._read_back(chosen)

    def _add_tree(self, before: Tree, root: str) -> None:
        try:
            after = tree.fingerprint(root, os.environ)
        except RcsError:
            if not self._ran.exit:  # a failure is a failure on any tree
                raise
        else:
            self._proof = self._proof._replace(tree=after.digest, changed=tree.changed_tracked(before, after))

    def _fail(self, error: RcsError, *, finish: bool) -> None:
        self._has_failed = True
        has_answer = isinstance(error, Refused) and not isinstance(error, tree.TreeFailure)
        if finish and self._proof.passed and has_answer:
            self.says.append(str(error))
        else:
            self.says.append(f"the command ended with exit status {self._ran.exit}, but was not recorded: {error}")

    def _read_back(self, chosen: Chosen) -> None:
        """Find the records that hold this proof, and their verdict on it."""
        with suppress(RcsError, OSError):
            view = chosen.scope.view()
            for mode in chosen.modes:
                record = view.record_of(mode)
                if record is not None and record.proof and record.proof.at == self._proof.at:
                    self._modes = (*self._modes, mode)
                    self._verdict = record.proof_status.state

    def status(self, *, finish: bool) -> int:
        """Return our exit status: the command's own, if it did not pass."""
        if self._ran.exit:
            return self._ran.exit
        if finish and not self._is_finished:
            return NOT_FINISHED
        return NOTHING_RAN if self._has_failed else 0

    def show(self, status: int, *, as_json: bool) -> None:
        """Tell what was recorded: in words on stderr, and as one line of JSON on stdout."""
        tail = self._ran.tail
        is_amid_line = self._ran.is_interrupted or (tail and not tail.endswith(b"\n"))  # `^C` is there, too
        if is_amid_line and sys.stderr is not None and sys.stderr.isatty():
            output.aside("")
        for line in "\n".join(self.says).splitlines():
            output.aside(f"rcs: {line}")
        if as_json:
            output.last_result(self._as_json(status))

    def _as_json(self, status: int) -> JsonObject:
        proof = self._proof
        return {
            "ok": status == 0 and proof.passed and bool(self._modes),
            "command": proof.command,
            "exit": proof.exit,
            "seconds": round(proof.seconds, 3),
            "tree": proof.tree or None,
            "at": proof.at,
            "proof": self._verdict,
            "timed_out": proof.timed_out,
            "changed": proof.to_json()["changed"],
            "modes": list(self._modes),
            "finished": self._is_finished,
            "message": "\n".join(self.says),
        }


def _patiently(keep: Callable[[], WriteResult]) -> WriteResult:
    """Record a proof; try again if the lock does not come: the command may have taken long."""
    for _ in range(MOST_TRIES - 1):
        with suppress(LockTimeout):
            return keep()
    return keep()
