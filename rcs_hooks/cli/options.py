"""What the commands share: a parser that shows examples, options, and the scope that they name."""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import textwrap
import time
from typing import TYPE_CHECKING, Any, NoReturn

from rcs_hooks.clients import session_variables
from rcs_hooks.environment import Environment
from rcs_hooks.errors import NO_WORKING_DIRECTORY, Refused, UsageError
from rcs_hooks.files.paths import inside
from rcs_hooks.files.workspaces import REMOVED, find_root, working_folder
from rcs_hooks.hook.cli_command import commands
from rcs_hooks.interface import COUNT, LIST, SCOPE, SWITCH, Argument
from rcs_hooks.state.scopes import Scope
from rcs_hooks.state.validation import check_session_id

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


class Parser(argparse.ArgumentParser):
    """An ArgumentParser that raises UsageError for a wrong command line, so that `--json` gets JSON."""

    def error(self, message: str) -> NoReturn:
        if message.endswith(" required: ACTION"):
            message = f"{message} ({', '.join(self._actions_to_name())})"
        raise UsageError(message, command=self.prog, usage=self.format_usage().rstrip())

    def _actions_to_name(self) -> list[str]:
        """List the words that may stand where the usage says ACTION."""
        groups = [
            each for each in self._actions if isinstance(each, argparse._SubParsersAction)
        ]  # no public way to ask
        return [name for group in groups for name in group.choices]


def parser(command: str, purpose: str, *examples: str) -> Parser:
    """Return the parser of a command, with examples below its options."""
    shown = "\n".join(f"  {example}" for example in examples)
    return Parser(
        prog=f"rcs {command}",
        description=textwrap.fill(purpose, shutil.get_terminal_size().columns - 2),
        epilog=f"examples:\n{shown}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )


def add(
    to: argparse.ArgumentParser, *arguments: Argument, required: Sequence[str] = (), of: Mapping[str, str] | None = None
) -> None:
    """Add the options of these arguments to a parser; an argument without an option is left out.

    `required`: the names of arguments that must be given. `of`: what an argument's help begins with, by its name.
    """
    kinds: dict[str, dict[str, Any]] = {COUNT: {"type": int}, LIST: {"action": "append", "default": []}}
    for each in arguments:
        prefix = (of or {}).get(each.name, "")
        if each.option and each.type == SWITCH:
            _add_switch(to, each, prefix)
        elif each.option:
            action = to.add_argument(each.option, dest=each.name, metavar=each.metavar, **kinds.get(each.type, {}))
            action.help = prefix + each.description
            action.required = each.name in required


def _add_switch(to: argparse.ArgumentParser, switch: Argument, prefix: str) -> None:
    """Add an option without a value; its result is None if the command line does not have it."""
    group = to.add_mutually_exclusive_group() if switch.negative else to
    group.add_argument(
        switch.option, dest=switch.name, action="store_true", default=None, help=prefix + switch.description
    )
    if switch.negative:
        option, purpose = switch.negative
        group.add_argument(option, dest=switch.name, action="store_false", default=None, help=prefix + purpose)


def add_scope(to: argparse.ArgumentParser) -> None:
    """Add `--session` and `--root`."""
    add(to, *SCOPE)


def add_json(to: argparse.ArgumentParser) -> None:
    """Add `--json`."""
    to.add_argument("--json", action="store_true", help="print one line of JSON")


def stdin() -> bytes:
    """Read stdin to its end; return nothing if the caller has closed it."""
    return sys.stdin.buffer.read() if sys.stdin else b""


def scope_of(args: argparse.Namespace, session: object = None) -> Scope:
    """Return the scope of a command; its session is that of `--session`, or else `session`, or else the environment's.

    `--session` takes the first letters of an id, as lists show them. Raises Refused.
    """
    variables = ("RCS_SESSION_ID", *session_variables())
    named = next(
        (value for value in (args.session, session, *map(os.environ.get, variables)) if value),
        None,
    )
    found = scope(os.environ, working_folder(), args.root, check_session_id(named), time.time())
    if not args.session:
        return found
    from rcs_hooks.state.session_listing import whole_id

    return found.of(whole_id(found.folder, args.session))


def scope(env: Mapping[str, str], cwd: str, root: str | None, session: str | None, now: float) -> Scope:
    """Return the scope of a call. Raises Refused if the workspace would be a working directory that was removed.

    `root`: the workspace; None to find it from `env` and `cwd`. `session`: None for no session.
    """
    place = os.path.normpath(os.path.join(cwd, root)) if root else find_root(env, cwd, session)
    if inside(place, REMOVED):
        raise Refused(NO_WORKING_DIRECTORY)
    return Scope(place, session, now, commands(place, cwd, session or "", Environment(env, cwd, now)), env, cwd)
