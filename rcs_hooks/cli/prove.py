"""`rcs prove`: runs a command, and records what came of it as the proof of the modes that run.

Exit status: the command's own, and 128 + N if signal N ended it. 124: it ran out of time. 125: nothing ran, or nothing
could be recorded although it passed. 126, 127: it cannot be run, there is none. 1: it passed, `--finish` was refused.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from typing import TYPE_CHECKING, NamedTuple

from rcs_hooks import config
from rcs_hooks.cli import options, output
from rcs_hooks.errors import RcsError, Refused, SystemFailure, UsageError, suppress
from rcs_hooks.files.clock import iso
from rcs_hooks.interface import Argument
from rcs_hooks.proof import command as commands
from rcs_hooks.proof import tree
from rcs_hooks.proof.signals import end_as_interrupted
from rcs_hooks.state import proving
from rcs_hooks.text import clean, quoted
from rcs_hooks.workflow.proof import UNPROVEN, Proof

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from rcs_hooks.config import ProofSettings
    from rcs_hooks.jsontext import JsonObject
    from rcs_hooks.proof.command import Ran
    from rcs_hooks.proof.tree import Tree
    from rcs_hooks.state.proving import Chosen

NOT_FINISHED, TROUBLE = 1, 125
SHOWN = 200
MODES = Argument("mode", "what it proves, such as forge or forge,team (default: all that run)", "--mode")


def build() -> argparse.ArgumentParser:
    parser = options.parser(
        "prove",
        "Run a command, and record what came of it as the proof of the modes that run in the session: its exit status,"
        " the end of its output, and the fingerprint of the work tree. A run that finishes while the tree is still the"
        " same is proven. Its output, exit status, terminal and Ctrl-C are the command's own; `rcs prove` adds 124 (out"
        " of time), 125 (not run, or not recorded), 126 (cannot be run), 127 (not found) and, with --finish, 1 (passed,"
        " but not finished).",
        "rcs prove -- pytest -q",
        "rcs prove --finish --mode forge -- make check",
        "rcs prove --timeout 5m -- sh -c 'ruff check . && pytest -q'",
        "rcs prove                  the command that rcs.toml or ~/.rcs/config.toml names",
    )
    parser.usage = "rcs prove [OPTION]... [-- COMMAND...]"
    options.add(parser, MODES)
    options.add_scope(parser)
    parser.add_argument("--finish", action="store_true", help="also end the run as finished, if the command passes")
    parser.add_argument("--evidence", metavar="TEXT", default="", help="with --finish: what the record says of it")
    parser.add_argument(
        "--timeout", metavar="TIME", help="end the command after this time, such as 90s, 30m (the default) or 2h"
    )
    parser.add_argument(
        "--json", action="store_true", help="print one line of JSON at the end, and all output of the command on stderr"
    )
    return parser


def run(argv: Sequence[str]) -> int:
    own, typed = _split(argv)
    try:
        return _prove(_parsed(own), typed)
    except RcsError as error:
        return _refuse(error, as_json="--json" in own)
    except OSError as error:
        return _refuse(SystemFailure(error), as_json="--json" in own)


def _parsed(own: list[str]) -> argparse.Namespace:
    parser = build()
    args, others = parser.parse_known_args(own)
    if others and not others[0].startswith("-"):
        command = " ".join(quoted(each) for each in others)
        raise UsageError(f"write `--` before the command: rcs prove -- {command}")
    if others:
        parser.error(f"unrecognized arguments: {' '.join(others)}")
    return args


def _split(argv: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return our own words of a command line, and the command after `--`."""
    words = list(argv)
    at = words.index("--") if "--" in words else len(words)
    return words[:at], words[at + 1 :]


def _refuse(error: RcsError, *, as_json: bool) -> int:
    try:
        output.error(error, as_json=as_json)
    except OSError:
        output.abandoned(2)
    if isinstance(error, commands.CommandNotFound):
        return commands.NOT_FOUND
    return commands.NOT_RUNNABLE if isinstance(error, commands.NotRunnable) else TROUBLE


class _Wanted(NamedTuple):
    """What is to be run, and whether it counts."""

    argv: list[str]
    cwd: str
    text: str
    """The command as a person reads it."""
    why_not: str
    """Why it is no proof, whatever comes of it; empty if it is one."""


def _prove(args: argparse.Namespace, typed: list[str]) -> int:
    scope = options.scope_of(args)
    settings = config.load(os.environ, scope.root).proof
    wanted = _wanted(settings, typed, scope.root, scope.cwd)
    seconds = _seconds(args.timeout, settings)
    chosen = proving.choose(scope, args.mode.split(",") if args.mode else None)
    before = None if wanted.why_not else tree.fingerprint(scope.root, os.environ)
    ran = commands.run(wanted.argv, cwd=wanted.cwd, env=os.environ, seconds=seconds, to_stderr=args.json)
    report = _Report(wanted.text, ran)
    if ran.is_interrupted:
        report.says.append(f"interrupted by {signal.Signals(ran.signal).name}, so nothing was recorded")
    elif before is None:
        again = chosen.scope.commands.prove(",".join(chosen.modes), "", finish=args.finish)
        report.says.append(f"{wanted.why_not}; run: {again}")
    else:
        report.record(chosen, before, settings, finish=args.finish, evidence=args.evidence)
    status = report.status(finish=args.finish)
    report.show(status, as_json=args.json)
    end_as_interrupted(ran.exit)
    return status


def _wanted(settings: ProofSettings, typed: list[str], root: str, cwd: str) -> _Wanted:
    """Return what is to be run: what was typed, or else the command of the settings, in the workspace's root."""
    if not typed:
        if settings.command is None:
            raise Refused(
                "there is no command to run; name one: rcs prove -- COMMAND, for example: rcs prove -- make test"
            )
        return _Wanted(["/bin/sh", "-c", settings.command], root, settings.command, "")
    text = " ".join(quoted(each) for each in typed)
    if settings.command is None:
        return _Wanted(typed, cwd, text, "")
    is_it = config.proves(settings, typed) and os.path.realpath(cwd) == os.path.realpath(root)
    where = "" if config.proves(settings, typed) is is_it else f" in {root}"
    named = f"{settings.source} names `{clean(settings.command, SHOWN)}`{where}"
    return _Wanted(typed, cwd, text, "" if is_it else f"not a proof: {named}")


def _seconds(typed: str | None, settings: ProofSettings) -> float:
    if typed is None:
        return settings.seconds
    seconds = config.seconds_of(typed)
    if seconds is None:
        raise UsageError(f"--timeout {typed!r}: expected a time from 1s to 24h, such as 90s, 30m or 2h")
    return seconds


class _Report:
    """What came of a command, and what was recorded of it."""

    def __init__(self, command: str, ran: Ran) -> None:
        self.says: list[str] = []
        """What to tell, a line each."""
        self._ran = ran
        self._proof = Proof(command, ran.exit, ran.seconds, iso(time.time()), "", (), "", ran.timed_out)
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
            result = proving.keep(
                *(scope, chosen, self._proof, self._ran.tail), finish=finish, settings=settings, evidence=evidence
            )
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
        if finish and self._proof.passed:
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
        return TROUBLE if self._has_failed else 0

    def show(self, status: int, *, as_json: bool) -> None:
        """Tell what was recorded: in words on stderr, and as one line of JSON on stdout."""
        tail = self._ran.tail
        is_amid_line = self._ran.is_interrupted or (tail and not tail.endswith(b"\n"))  # `^C` is there, too
        if is_amid_line and sys.stderr is not None and sys.stderr.isatty():
            _tell("")
        for line in "\n".join(self.says).splitlines():
            _tell(f"rcs: {line}")
        if as_json:
            _print(self._as_json(status))

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
            "changed": list(proof.changed),
            "modes": list(self._modes),
            "finished": self._is_finished,
            "message": "\n".join(self.says),
        }


def _tell(line: str) -> None:
    """Print a line to stderr; it is lost if nobody reads it any more."""
    try:
        output.refused(line)
    except OSError:
        output.abandoned(2)


def _print(value: JsonObject) -> None:
    """Print a line of JSON; it is lost if nobody reads it any more, and the exit status stays."""
    try:
        output.result(value)
        output.flush()
    except OSError:
        output.abandoned()
