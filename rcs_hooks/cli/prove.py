"""`rcs prove`: runs a command, and records what came of it as the proof of the modes that run.

Exit status: the command's own, and 128 + N if signal N ended it. 124: it ran out of time. 125: nothing ran, or nothing
could be recorded although it passed. 126, 127: it cannot be run, there is none. 1: it passed, `--finish` was refused.
"""

from __future__ import annotations

import os
import signal
from typing import TYPE_CHECKING, NamedTuple

from rcs_hooks import config
from rcs_hooks.cli import options, output
from rcs_hooks.cli.prove_report import ProofReport
from rcs_hooks.errors import LockTimeout, RcsError, Refused, SystemFailure, UsageError, reason_of
from rcs_hooks.files import preparation
from rcs_hooks.files.lock import Lock
from rcs_hooks.files.paths import folder_from
from rcs_hooks.interface import Argument
from rcs_hooks.proof import command as commands
from rcs_hooks.proof import exit_status, tree
from rcs_hooks.proof.signals import end_as_interrupted
from rcs_hooks.state import proving
from rcs_hooks.state.unprovable import Typed
from rcs_hooks.text import clean, quoted
from rcs_hooks.workflow.commands import pasteable

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from rcs_hooks.config import Config, ProofSettings
    from rcs_hooks.state.proving import Chosen

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
        "rcs prove     the command that rcs.toml or ~/.rcs/config.toml names",
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
        at = own.index(others[0])
        words = " ".join(quoted(each) for each in ("rcs", "prove", *own[:at], "--", *own[at:]))
        raise UsageError(f"write `--` before the command: {words}")
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
    return exit_status.of_error(error)


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
    configured = config.load(os.environ, scope.root)
    settings = configured.proof
    wanted = _wanted(configured, typed, scope.root, scope.cwd)
    seconds = _seconds(args.timeout, settings)
    again = Typed(pasteable(wanted.text) if typed else "", args.finish)
    chosen = proving.choose(scope, args.mode.split(",") if args.mode else None, again)
    if not wanted.why_not:
        _check_recordable(chosen)
    before = None if wanted.why_not else tree.fingerprint(scope.root, os.environ)
    ran = commands.run(wanted.argv, cwd=wanted.cwd, env=os.environ, seconds=seconds, to_stderr=args.json)
    report = ProofReport(wanted.text, ran, folder_from(scope.root, wanted.cwd))
    if ran.is_interrupted:
        report.says.append(f"interrupted by {signal.Signals(ran.signal).name}, so nothing was recorded")
    elif before is None:
        named = chosen.scope.commands.prove(",".join(chosen.modes), "", finish=args.finish)
        report.says.append(wanted.why_not if settings.in_doubt else f"{wanted.why_not}; run: {named}")
    else:
        report.record(chosen, before, settings, finish=args.finish, evidence=args.evidence)
    status = report.status(finish=args.finish)
    report.show(status, as_json=args.json)
    end_as_interrupted(ran.exit)
    return status


def _nothing_to_run(untrusted: ProofSettings | None) -> str:
    said = "there is no command to run; name one: rcs prove -- COMMAND, for example: rcs prove -- make test"
    if untrusted is None or untrusted.command is None:
        return said
    named = f"{untrusted.source} names `{clean(untrusted.command, SHOWN)}`, which is not trusted"
    return f"{said}\n{named}; {config.TO_TRUST}"


def _wanted(configured: Config, typed: list[str], root: str, cwd: str) -> _Wanted:
    """Return what is to be run: what was typed, or else the command of the settings, in the workspace's root."""
    settings = configured.proof
    if not typed:
        if settings.in_doubt:
            raise Refused(f"{settings.in_doubt}, so nothing would prove anything; {config.TO_TRUST}")
        if settings.command is None:
            raise Refused(_nothing_to_run(configured.untrusted))
        return _Wanted(["/bin/sh", "-c", settings.command], root, settings.command, "")
    text = " ".join(quoted(each) for each in typed)
    why = config.why_no_proof(settings, typed, folder_from(root, cwd), root)
    return _Wanted(typed, cwd, text, f"not a proof: {why}" if why else "")


def _check_recordable(chosen: Chosen) -> None:
    """Raise Refused if the state cannot be written, as in a sandbox: a long run of tests would be for nothing."""
    try:
        with Lock(preparation.prepare(chosen.scope.root)):
            pass
    except LockTimeout:  # there is time until the command has ended
        pass
    except OSError as error:
        raise Refused(f"nothing can be recorded here ({reason_of(error)}), so the command was not run") from None


def _seconds(typed: str | None, settings: ProofSettings) -> float:
    if typed is None:
        return settings.seconds
    seconds = config.seconds_of(typed)
    if seconds is None:
        raise UsageError(f"--timeout {typed!r}: expected a time from 1s to 24h, such as 90s, 30m or 2h")
    return seconds
