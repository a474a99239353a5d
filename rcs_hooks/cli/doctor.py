"""`rcs doctor`: tells whether the hooks would work here, and what to do if not."""

from __future__ import annotations

import os
import shutil
import sys
import time
from typing import TYPE_CHECKING

from rcs_hooks import __version__
from rcs_hooks.cli import options, output
from rcs_hooks.cli.setup import host_of
from rcs_hooks.cli.switch import what_switches_on
from rcs_hooks.clients import CLIENTS, handlers, installers
from rcs_hooks.clients.check import BROKEN, NOTE, OK, TODO, UNSET, WARN, Check
from rcs_hooks.errors import Refused
from rcs_hooks.files import paths, workspaces
from rcs_hooks.install import doctor, health, verdict
from rcs_hooks.install.check import guarded
from rcs_hooks.install.other_rcs import other_rcs
from rcs_hooks.terminal import prose, style, width
from rcs_hooks.terminal.style import BAD, GOES_ON, GOOD, WAITS

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Sequence

    from rcs_hooks.clients.client import Client
    from rcs_hooks.clients.installer import Host

LONGEST = 2000
INDENT = " " * 7
"""What is before the lines of a check but for its first, which begins with its status."""
KINDS = {OK: GOOD, NOTE: GOES_ON, UNSET: WAITS, TODO: WAITS, WARN: WAITS, BROKEN: BAD}


def build() -> argparse.ArgumentParser:
    parser = options.parser(
        "doctor",
        "Check that the clients would run the hooks here, that the hooks answer, and that the state is sound."
        " The last line says whether it would work now. Changes nothing. Exit status 1 when it would not work now.",
        "rcs doctor",
        "rcs doctor --json",
    )
    parser.add_argument("--root", metavar="FOLDER", help="the project; else the nearest with .rcs/state or .git")
    options.add_json(parser)
    return parser


def run(argv: Sequence[str]) -> int:
    args = build().parse_args(argv)
    host = host_of(args)
    found = []
    for check in map(_bounded, _checks(host)):
        found.append(check)
        if not args.json:
            output.text(_shown(check))
    off = workspaces.off_by(host.env, host.root)
    path = host.env.get("PATH", os.defpath)
    ends = verdict.verdict(
        found,
        switch_on=what_switches_on(off, host.root) if off else "",
        absent=[client for client in installers() if shutil.which(client, path=path) is None],
    )
    if args.json:
        checks = [check._asdict() for check in found]
        output.result({"ok": ends.works, "root": host.root, "checks": checks, "says": ends.says})
    else:
        says = prose.lines(output.plain(ends.says), width.of(sys.stdout, os.environ))
        output.text("\n" + "\n".join(_painted(line, ends.status) for line in says))
    return output.OK if ends.works else output.REFUSED


def _checks(host: Host) -> Iterator[Check]:
    yield _program()
    if other := other_rcs(host.env):
        yield Check("rcs on PATH", NOTE, *other)
    yield _workspace(host.root)
    yield from _switch(host)
    yield from doctor.checks(host)
    scope = options.scope(host.env, os.getcwd(), host.root, None, time.time())
    yield from guarded("state", health.checks(scope))
    yield from guarded("sharing", _sharing(host))
    for client in doctor.used(host):
        yield _rcs_for_agent(CLIENTS[client], host)


def _sharing(host: Host) -> Iterator[Check]:
    from rcs_hooks.cli import share_status

    yield from share_status.checks(host)


def _program() -> Check:
    found = f"{__version__}, Python {sys.version.split()[0]}, {os.path.dirname(sys.executable)}"
    try:
        handlers.program()
        handlers.program("rcs")
    except Refused as error:
        return Check("rcs-hooks", BROKEN, f"{found}: {error}")
    return Check("rcs-hooks", OK, found)


def _workspace(root: str) -> Check:
    if any(os.path.lexists(os.path.join(root, name)) for name in (".git", paths.STATE)):
        return Check("workspace", OK, root)
    return Check("workspace", NOTE, f"{root}, which is not a repository", "--root names another")


def _switch(host: Host) -> Iterator[Check]:
    if off := workspaces.off_by(host.env, host.root):
        yield Check("switch", WARN, f"the hooks are off: {off} is set", what_switches_on(off, host.root))


def _rcs_for_agent(client: Client, host: Host) -> Check:
    """Return a check that shows what an agent is told to type for `rcs`, and why: a GNU program has the same name."""
    command = client.rcs_command(host.env)
    if command == "rcs":
        return Check("rcs", OK, f"{client.title}'s agent calls `rcs`, which is this one")
    other = shutil.which("rcs", path=client.shell_path(host.env))
    why = f"the `rcs` on its PATH is {other}, another program" if other else "no `rcs` is on its PATH"
    return Check("rcs", OK, f"{client.title}'s agent calls `{command}`, which works although {why}")


def _bounded(check: Check) -> Check:
    """Return a check with its texts cut to `LONGEST`: what a repository brings may be of any length."""
    cut = check.found if len(check.found) <= LONGEST else check.found[: LONGEST - 1] + "…"
    return check._replace(found=cut)


def _shown(check: Check) -> str:
    """Return a check as people read it: its status, and behind it what was found and what to do, in lines that fit."""
    columns = width.of(sys.stdout, os.environ)
    room = None if columns is None else max(1, columns - len(INDENT))
    found = prose.lines(f"{output.plain(check.what)}: {output.plain(check.found)}", room)
    todo = prose.lines(f"-> {output.plain(check.todo)}", room) if check.todo else []
    status = _painted(check.status.ljust(len(INDENT) - 1), check.status)
    return f"{status} " + f"\n{INDENT}".join((*found, *todo))


def _painted(text: str, status: str) -> str:
    return style.of(sys.stdout, os.environ).paint(text, KINDS[status])
