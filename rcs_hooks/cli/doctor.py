"""`rcs doctor`: would it work here, and what to do."""

from __future__ import annotations

import os
import sys
import time
from typing import TYPE_CHECKING

from rcs_hooks import __version__
from rcs_hooks.cli import options, output
from rcs_hooks.cli.setup import machine_of
from rcs_hooks.install import clients, doctor, health
from rcs_hooks.install.doctor import BROKEN, NOTE, OK, WARN, Check

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Sequence

    from rcs_hooks.install.clients import Machine

COLOURS = {OK: "32", NOTE: "36", WARN: "33", BROKEN: "31"}


def build() -> argparse.ArgumentParser:
    parser = options.parser(
        "doctor",
        "Looks whether the clients would run the hooks here, whether the hooks answer, and whether the state is sound."
        " Changes nothing. Exit status 1 when something is broken.",
        "rcs doctor",
        "rcs doctor --json",
    )
    parser.add_argument("--root", metavar="FOLDER", help="the project; else the nearest with .rcs/state or .git")
    options.add_json(parser)
    return parser


def run(argv: Sequence[str]) -> int:
    args = build().parse_args(argv)
    machine = machine_of(args)
    found = []
    for check in _checks(machine):
        found.append(check)
        if not args.json:
            output.text(_line(check))
    broken = sum(check.status == BROKEN for check in found)
    if args.json:
        output.result({"ok": not broken, "root": machine.root, "checks": [check._asdict() for check in found]})
    else:
        output.text(f"\n{broken} broken." if broken else "\nNothing is broken.")
    return output.REFUSED if broken else output.OK


def _checks(machine: Machine) -> Iterator[Check]:
    yield Check("rcs-hooks", OK, f"{__version__}, Python {sys.version.split()[0]}, {os.path.dirname(sys.executable)}")
    yield Check("workspace", OK, machine.root)
    yield from doctor.checks(machine)
    yield from health.checks(options.scope(machine.env, os.getcwd(), machine.root, None, time.time()))
    yield Check(
        "rcs",
        OK,
        f"Claude Code's agent is told to run `{clients.told(machine)}`, Codex' agent"
        f" `{clients.rcs_in_a_login_shell()}`",
    )


def _line(check: Check) -> str:
    status = check.status.ljust(6)
    if output.is_coloured():
        status = f"\x1b[{COLOURS[check.status]}m{status}\x1b[0m"
    todo = f"\n       -> {output.plain(check.todo)}" if check.todo else ""
    return f"{status} {output.plain(check.what)}: {output.plain(check.found)}{todo}"
