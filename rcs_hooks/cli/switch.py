"""`rcs off` and `rcs on`: switch the hooks off and on again, in this workspace or everywhere."""

from __future__ import annotations

import os
import shlex
from typing import TYPE_CHECKING

from rcs_hooks.cli import options, output
from rcs_hooks.errors import Refused
from rcs_hooks.files import preparation
from rcs_hooks.files.paths import HOME, OFF
from rcs_hooks.files.tracked import TO_DO, is_off_tracked
from rcs_hooks.files.workspaces import find_root, off_by, state_folder
from rcs_hooks.interface import ROOT

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

FLAGS = os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK


def build_off() -> argparse.ArgumentParser:
    parser = options.parser(
        "off",
        "Switch the hooks off: until `rcs on` they answer nothing and change nothing. RCS_DISABLE=1 in the environment"
        " of a client switches them off for that one client.",
        "rcs off",
        "rcs off --everywhere",
    )
    _add_where(parser)
    return parser


def build_on() -> argparse.ArgumentParser:
    parser = options.parser("on", "Switch the hooks on again after `rcs off`.", "rcs on", "rcs on --everywhere")
    _add_where(parser)
    return parser


def _add_where(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--everywhere", action="store_true", help="in every workspace, by a file in the home folder")
    options.add(parser, ROOT)


def run_off(argv: Sequence[str]) -> int:
    args = build_off().parse_args(argv)
    path = _switch_of(args)
    if _is_tracked(args):
        raise Refused(f"git tracks {path}, so it switches nothing off; {TO_DO}")
    if os.path.isdir(path):
        raise Refused(f"{path} is a folder, so it switches nothing off; to make room for the switch: {_removal(path)}")
    if args.everywhere:
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
    else:
        preparation.prepare(_root_of(args))
    os.close(os.open(path, FLAGS, 0o600))
    where = "everywhere" if args.everywhere else f"in {_root_of(args)}"
    output.text(output.plain(f"the hooks are off {where}; `{on_command(path, _root_of(args))}` switches them on"))
    return output.OK


def run_on(argv: Sequence[str]) -> int:
    args = build_on().parse_args(argv)
    path = _switch_of(args)
    output.text(output.plain(f"{_removed(args, path)}; {_still_off(args) or 'the hooks are on'}"))
    return output.OK


def on_command(off: str, root: str) -> str:
    """Return the command that removes `off`, the path of a file that switches the hooks off."""
    return "rcs on" if off == os.path.join(root, HOME, OFF) else "rcs on --everywhere"


def what_switches_on(off: str, root: str) -> str:
    """Return what to type to switch the hooks on again.

    `off`: the path of the file that keeps them off, or `RCS_DISABLE`.
    """
    return "unset RCS_DISABLE" if off == "RCS_DISABLE" else on_command(off, root)


def _root_of(args: argparse.Namespace) -> str:
    cwd = os.getcwd()
    return os.path.abspath(os.path.join(cwd, args.root)) if args.root else find_root(os.environ, cwd)


def _switch_of(args: argparse.Namespace) -> str:
    """Return the path of the file that switches the hooks off. Raises Refused, UnsafePath."""
    if not args.everywhere:
        return f"{os.path.dirname(state_folder(_root_of(args)))}/{OFF}"
    home = os.environ.get("HOME", "")
    if not os.path.isabs(home):
        raise Refused("HOME is not set, so there is no home folder to switch the hooks off in; use RCS_DISABLE=1")
    return os.path.join(home, HOME, OFF)


def _is_tracked(args: argparse.Namespace) -> bool:
    """Tell whether git tracks the file that switches the workspace's hooks off, so that it came with the repository."""
    return not args.everywhere and is_off_tracked(_root_of(args))


def _removal(path: str) -> str:
    """Return the shell command that removes a folder, or a link to a folder but not the folder."""
    return f"rm {shlex.quote(path)}" if os.path.islink(path) else f"rm -r {shlex.quote(path)}"


def _removed(args: argparse.Namespace, path: str) -> str:
    """Remove the file that switches the hooks off, and say in words what was done."""
    if _is_tracked(args):
        return f"git tracks {path}, which switches nothing off"
    if os.path.isdir(path):
        return f"{path} is a folder, which switches nothing off"
    try:
        os.unlink(path)
    except FileNotFoundError:
        return f"{path} does not exist"
    return f"removed {path}"


def _still_off(args: argparse.Namespace) -> str:
    """Return what else keeps the hooks off, and what to do about it; empty if they are on."""
    off = off_by(os.environ, _root_of(args))
    if off == "RCS_DISABLE":
        return "RCS_DISABLE still keeps the hooks off; unset it"
    return f"{off} still keeps the hooks off; run `{on_command(off, _root_of(args))}`" if off else ""
