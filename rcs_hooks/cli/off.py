"""`rcs off`: the hooks answer nothing, in this workspace or everywhere."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from rcs_hooks.cli import options, output
from rcs_hooks.errors import Refused
from rcs_hooks.state import files
from rcs_hooks.state.paths import HOME, OFF, find_root, off_by, state_folder
from rcs_hooks.state.tracked import TO_DO, is_tracked

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

FLAGS = os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK


def build() -> argparse.ArgumentParser:
    parser = options.parser(
        "off",
        "Switches the hooks off: they answer nothing and change nothing, until `rcs on`. RCS_DISABLE=1 in the client's"
        " environment does the same for one run of it.",
        "rcs off",
        "rcs off --everywhere",
    )
    add_where(parser)
    return parser


def add_where(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--everywhere", action="store_true", help="in every workspace, by a file in the home folder")
    parser.add_argument("--root", metavar="FOLDER", help="the workspace; else the nearest with .rcs/state or .git")


def run(argv: Sequence[str]) -> int:
    args = build().parse_args(argv)
    path = switch_of(args)
    if not args.everywhere and is_tracked(root_of(args), os.path.join(HOME, OFF)):
        raise Refused(f"git tracks {path}, so it switches nothing off; {TO_DO}")
    if args.everywhere:
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
    else:
        files.prepare(root_of(args))
    os.close(os.open(path, FLAGS, 0o600))
    where = "everywhere" if args.everywhere else f"in {root_of(args)}"
    output.text(output.plain(f"the hooks are off {where}; `{on_command(path, root_of(args))}` switches them on"))
    return output.OK


def root_of(args: argparse.Namespace) -> str:
    cwd = os.getcwd()
    return os.path.abspath(os.path.join(cwd, args.root)) if args.root else find_root(os.environ, cwd)


def switch_of(args: argparse.Namespace) -> str:
    """Name the file that switches the hooks off. Raises Refused, UnsafePath."""
    if not args.everywhere:
        return f"{os.path.dirname(state_folder(root_of(args)))}/{OFF}"
    home = os.environ.get("HOME", "")
    if not os.path.isabs(home):
        raise Refused("HOME is not set, so there is no home folder to switch the hooks off in; use RCS_DISABLE=1")
    return os.path.join(home, HOME, OFF)


def on_command(off: str, root: str) -> str:
    """Say what to type against a file that switches the hooks off."""
    return "rcs on" if off == os.path.join(root, HOME, OFF) else "rcs on --everywhere"


def still_off(args: argparse.Namespace) -> str:
    """Say what else keeps the hooks off, and what to do about it; empty where they are on."""
    off = off_by(os.environ, root_of(args))
    if off == "RCS_DISABLE":
        return "RCS_DISABLE is set, so they stay off: unset it"
    return f"{off} is there, so they stay off: {on_command(off, root_of(args))}" if off else ""
