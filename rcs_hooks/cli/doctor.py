"""`rcs doctor`: would it work here, and what to do."""

from __future__ import annotations

import os
import shutil
import sys
import time
from typing import TYPE_CHECKING

from rcs_hooks import __version__
from rcs_hooks.cli import options, output
from rcs_hooks.cli.off import on_command
from rcs_hooks.cli.setup import machine_of
from rcs_hooks.errors import Refused
from rcs_hooks.hook.place import SYSTEM_PATH
from rcs_hooks.install import clients, doctor, health
from rcs_hooks.install.check import BROKEN, NOTE, OK, WARN, Check, guarded
from rcs_hooks.state import paths

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Sequence

    from rcs_hooks.install.clients import Machine

LONGEST = 2000
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
    for check in map(_bounded, _checks(machine)):
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
    yield _program()
    yield _workspace(machine.root)
    yield from _switch(machine)
    yield from doctor.checks(machine)
    scope = options.scope(machine.env, os.getcwd(), machine.root, None, time.time())
    yield from guarded("state", health.checks(scope))
    yield _for_the_agent("Claude Code", clients.told(machine), machine.env.get("PATH", ""))
    yield _for_the_agent("Codex", clients.rcs_in_a_login_shell(), SYSTEM_PATH)


def _program() -> Check:
    found = f"{__version__}, Python {sys.version.split()[0]}, {os.path.dirname(sys.executable)}"
    try:
        clients.program()
        clients.program("rcs")
    except Refused as error:
        return Check("rcs-hooks", BROKEN, f"{found}: {error}")
    return Check("rcs-hooks", OK, found)


def _workspace(root: str) -> Check:
    if any(os.path.lexists(os.path.join(root, name)) for name in (".git", paths.STATE)):
        return Check("workspace", OK, root)
    return Check("workspace", NOTE, f"{root}, which is no repository", "--root names another")


def _switch(machine: Machine) -> Iterator[Check]:
    if off := paths.off_by(machine.env, machine.root):
        todo = "unset RCS_DISABLE" if off == "RCS_DISABLE" else on_command(off, machine.root)
        yield Check("switch", WARN, f"the hooks are off: {off} is set", todo)


def _for_the_agent(title: str, told: str, path: str) -> Check:
    """There is a GNU program of the same name."""
    if told == "rcs":
        return Check("rcs", OK, f"{title}'s agent is told to run `rcs`, which is this one")
    other = shutil.which("rcs", path=path)
    why = f"the `rcs` on its PATH is {other}, another program" if other else "no `rcs` is on its PATH"
    return Check("rcs", OK, f"{title}'s agent is told to run `{told}`: {why}")


def _bounded(check: Check) -> Check:
    """What a repository brings may be of any length."""
    cut = check.found if len(check.found) <= LONGEST else check.found[: LONGEST - 1] + "…"
    return check._replace(found=cut)


def _line(check: Check) -> str:
    status = check.status.ljust(6)
    if output.is_coloured():
        status = f"\x1b[{COLOURS[check.status]}m{status}\x1b[0m"
    todo = f"\n       -> {output.plain(check.todo)}" if check.todo else ""
    return f"{status} {output.plain(check.what)}: {output.plain(check.found)}{todo}"
