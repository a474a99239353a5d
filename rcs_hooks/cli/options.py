"""What several commands have in common: options, the scope they name, and a parser that shows an example."""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import textwrap
import time
from typing import TYPE_CHECKING

from rcs_hooks.errors import Refused
from rcs_hooks.hook.call import Surroundings
from rcs_hooks.hook.place import commands
from rcs_hooks.state.fields import checked_session
from rcs_hooks.state.paths import REMOVED, find_root, inside, working_folder
from rcs_hooks.state.surface import Scope

if TYPE_CHECKING:
    from collections.abc import Mapping

SESSION_VARIABLES = ("RCS_SESSION_ID", "CLAUDE_CODE_SESSION_ID", "CODEX_SESSION_ID")


def parser(command: str, purpose: str, *examples: str) -> argparse.ArgumentParser:
    shown = "\n".join(f"  {example}" for example in examples)
    return argparse.ArgumentParser(
        prog=f"rcs {command}",
        description=textwrap.fill(purpose, shutil.get_terminal_size().columns - 2),
        epilog=f"examples:\n{shown}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )


BY_VARIABLE = "the session; else RCS_SESSION_ID, else the one that the client names to its agent"


def add_scope(to: argparse.ArgumentParser, session: str = BY_VARIABLE) -> None:
    to.add_argument("--session", metavar="ID", help=session)
    to.add_argument(
        "--root", metavar="FOLDER", help="the workspace; else RCS_ROOT, else the nearest with .rcs/state or .git"
    )


def add_json(to: argparse.ArgumentParser) -> None:
    to.add_argument("--json", action="store_true", help="print one line of JSON")


def stdin() -> bytes:
    """All of it; nothing where the caller has closed it."""
    return sys.stdin.buffer.read() if sys.stdin else b""


def scope_of(args: argparse.Namespace, session: object = None) -> Scope:
    """The scope that the options, or else the environment, name. Raises Refused."""
    named = next(
        (value for value in (args.session, session, *(os.environ.get(name) for name in SESSION_VARIABLES)) if value),
        None,
    )
    return scope(os.environ, working_folder(), args.root, checked_session(named), time.time())


def scope(env: Mapping[str, str], cwd: str, root: str | None, session: str | None, now: float) -> Scope:
    """Raises Refused where the working directory is gone and nothing else names a workspace."""
    place = os.path.normpath(os.path.join(cwd, root)) if root else find_root(env, cwd, session)
    if inside(place, REMOVED):
        raise Refused("the working directory is not there any more; change to another folder and try again")
    return Scope(place, session, now, commands(place, cwd, session or "", Surroundings(env, cwd, now)))
