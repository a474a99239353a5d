"""What the commands share: a parser that shows examples, options, and the scope that they name."""

from __future__ import annotations

import argparse
import os
import sys
import textwrap
import time
from typing import TYPE_CHECKING, Any, NoReturn

from rcs_hooks.cli import wrong_calls
from rcs_hooks.environment import Environment, session_of
from rcs_hooks.errors import NO_WORKING_DIRECTORY, Refused, UsageError
from rcs_hooks.files.paths import inside
from rcs_hooks.files.workspaces import REMOVED, find_root, working_folder
from rcs_hooks.hook.cli_command import commands
from rcs_hooks.interface import COUNT, LIST, SCOPE, SWITCH, Argument
from rcs_hooks.state.scopes import Scope
from rcs_hooks.state.validation import check_session_id
from rcs_hooks.terminal import width

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


class Parser(argparse.ArgumentParser):
    """An ArgumentParser that raises UsageError for a wrong command line, so that `--json` gets JSON."""

    def __init__(self, *args: Any, **named: Any) -> None:
        super().__init__(*args, **named)
        self._typed: list[str] = []

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:  # what argparse calls for an action too
        self._typed = list(args or ())
        return super().parse_known_args(args, namespace)

    def actions(self) -> dict[str, Parser]:
        """Return the parsers of the actions that the command or action has; empty if it has none."""
        groups = [each.choices for each in self._actions if isinstance(each, argparse._SubParsersAction)]
        return {name: each for group in groups for name, each in group.items()}

    def error(self, message: str) -> NoReturn:
        meant = self._meant()
        said = wrong_calls.reworded(message, meant, self._typed)
        raise UsageError(said, usage=meant.format_usage().rstrip())

    def _meant(self) -> Parser:
        """Return the parser of the action that was typed, or this one."""
        found = self
        for word in self._typed:
            found = found.actions().get(word, found)
        return found

    def _check_value(self, action: argparse.Action, value: object) -> None:
        """Raise UsageError for a value that is none of the choices. argparse words it differently in each version."""
        if action.choices is not None and value not in action.choices:
            raise UsageError(wrong_calls.wrong_choice(self, action, value), usage=self.format_usage().rstrip())


def parser(command: str, purpose: str, *examples: str) -> Parser:
    """Return the parser of a command, with examples below its options."""
    shown = "\n".join(f"  {example}" for example in examples)
    return Parser(
        prog=f"rcs {command}",
        description=textwrap.fill(purpose, width.of_help() - 2),
        epilog=f"examples:\n{shown}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )


def add_action(to: Any, name: str, purpose: str, *examples: str) -> Parser:
    """Add an action to the subparsers of a command, with a help of its own, and return its parser."""
    added: Parser = to.add_parser(name, help=purpose, allow_abbrev=False, **_own_help(purpose, examples))
    return added


def listed(purposes: Mapping[str, str], *, least: int = 0) -> str:
    """Return lines that say what each action is for, as the help of a command lists its actions.

    `least`: how many columns the names have at least.
    """
    indent = " " * (max(least, *(len(name) + 2 for name in purposes)) + 2)
    room = width.of_help()
    return "\n".join(
        textwrap.fill(purpose or " ", room, initial_indent=f"  {name}".ljust(len(indent)), subsequent_indent=indent)
        for name, purpose in purposes.items()
    )


def _own_help(purpose: str, examples: Sequence[str]) -> dict[str, Any]:
    shown = "\n".join(f"  {example}" for example in examples)
    return {
        "description": textwrap.fill(
            f"{purpose[0].upper()}{purpose[1:]}{'' if purpose.endswith('.') else '.'}",
            width.of_help() - 2,
        ),
        "epilog": f"example{'s' if len(examples) > 1 else ''}:\n{shown}" if examples else None,
        "formatter_class": argparse.RawDescriptionHelpFormatter,
    }


def add(to: argparse.ArgumentParser, *arguments: Argument, required: Sequence[str] = ()) -> None:
    """Add the options of these arguments to a parser; an argument without an option is left out.

    `required`: the names of arguments that must be given.
    """
    kinds: dict[str, dict[str, Any]] = {COUNT: {"type": int}, LIST: {"action": "append", "default": []}}
    for each in arguments:
        if each.option and each.type == SWITCH:
            _add_switch(to, each)
        elif each.option:
            action = to.add_argument(each.option, dest=each.name, metavar=each.metavar, **kinds.get(each.type, {}))
            action.help = each.description
            action.required = each.name in required


def _add_switch(to: argparse.ArgumentParser, switch: Argument) -> None:
    """Add an option without a value; its result is None if the command line does not have it."""
    group = to.add_mutually_exclusive_group() if switch.negative else to
    group.add_argument(switch.option, dest=switch.name, action="store_true", default=None, help=switch.description)
    if switch.negative:
        option, purpose = switch.negative
        group.add_argument(option, dest=switch.name, action="store_false", default=None, help=purpose)


def add_scope(to: argparse.ArgumentParser) -> None:
    """Add `--session` and `--root`."""
    add(to, *SCOPE)


def add_json(to: argparse.ArgumentParser) -> None:
    """Add `--json`."""
    to.add_argument("--json", action="store_true", help="print one line of JSON")


def is_terminal() -> bool:
    """Tell whether stdin is a terminal."""
    return sys.stdin is not None and sys.stdin.isatty()


def stdin() -> bytes:
    """Read stdin to its end; return nothing if the caller has closed it."""
    return sys.stdin.buffer.read() if sys.stdin else b""


def scope_of(args: argparse.Namespace, session: object = None) -> Scope:
    """Return the scope of a command; its session is that of `--session`, or else `session`, or else the environment's.

    `--session` takes the first letters of an id, as lists show them. Raises Refused.
    """
    named = args.session or session or session_of(os.environ)[0] or None
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


def duration(text: str) -> str:
    """Return a text that is a length of time. argparse makes a wrong command line of the error."""
    from rcs_hooks.runs import queries

    try:
        queries.milliseconds(text)
    except Refused as error:
        raise argparse.ArgumentTypeError(str(error)) from None
    return text
