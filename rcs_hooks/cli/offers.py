"""What a shell offers for the word that is typed: commands, actions, options, and the values that they take.

All three shells ask this at every Tab, so that they offer the same. Only the module of the command is loaded.
"""

from __future__ import annotations

import argparse
import os
from typing import TYPE_CHECKING, NamedTuple

from rcs_hooks.cli import nouns
from rcs_hooks.errors import RcsError
from rcs_hooks.files.workspaces import find_root, working_folder
from rcs_hooks.interface import OPERATIONS
from rcs_hooks.text import clean

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rcs_hooks.cli.options import Parser

FILES, FOLDERS = ":files", ":folders"
PLAIN = frozenset("@%+=:,./-_#")
LONGEST_HELP = 60
KNOWN_VALUES = {
    each.option: each.values for operation in OPERATIONS for each in operation.arguments if each.option and each.values
}
"""The known values of options that also take other values, so that argparse has no `choices` for them."""
OF_OPTION = {
    "--mode": nouns.modes,
    "--task": nouns.tasks,
    "--workflow": nouns.workflows,
}
OF_WORD = {"rcs machine show name": nouns.workflows}
TASK, NEW_TASK = "rcs task ", "rcs task new"
PATHS = {
    "--root": FOLDERS,
    "--project": FOLDERS,
    "--file": FILES,
    "--plan": FILES,
    "--brief": FILES,
    "rcs machine check files": FILES,
    "rcs overlay apply file": FILES,
    "rcs share add folder": FOLDERS,
    "rcs share remove folder": FOLDERS,
    "rcs overlay strip file": FILES,
}


class Choice(NamedTuple):
    """What may be typed next."""

    words: Sequence[tuple[str, str]] = ()
    """Each with a few words about it."""
    kind: str = ""
    """`FILES` or `FOLDERS` where a path may be typed."""


def lines(words: Sequence[str]) -> list[str]:
    """Return what is offered for the last of these words, as lines for a shell: the word, a tab, what it is."""
    typed = _joined(words)
    try:
        offer = _offer(typed)
    except (RcsError, OSError, SystemExit):  # a Tab has no place for an error
        return []
    start = typed[-1] if typed else ""
    option, equals, value = start.partition("=") if start.startswith("--") else ("", "", start)
    before = f"{option}=" if equals else ""
    start = value if equals else start
    found = {
        before + word: clean(said, LONGEST_HELP)
        for word, said in reversed(offer.words)  # the first of two says more
        if word.startswith(start) and all(char.isalnum() or char in PLAIN for char in word)
    }
    return [f"{word}\t{said}" for word, said in reversed(found.items())] + ([offer.kind] if offer.kind else [])


def _joined(words: Sequence[str]) -> list[str]:
    """Return the words without the `=` that bash makes a word of its own, as in `--mode = forge`."""
    typed = list(words)
    for at in range(len(typed) - 1, 0, -1):
        if typed[at] == "=" and typed[at - 1].startswith("--"):
            typed[at : at + 1] = [] if at + 1 < len(typed) else [""]
    return typed


def _offer(typed: Sequence[str]) -> Choice:
    from rcs_hooks.cli.main import COMMANDS, MODULES, functions_of

    if len(typed) < 2:
        options = [("--help", "show all commands"), ("--version", "show the version")]
        is_option = bool(typed) and typed[0].startswith("-")
        return Choice(options if is_option else [(name, purpose) for name, _, purpose, _ in COMMANDS])
    command, *rest = typed
    if command == "help":
        return Choice(_of_help(rest))
    if command not in MODULES:
        return Choice()
    if "--" in rest[:-1]:
        return Choice(kind=FILES)
    build, _ = functions_of(command)
    return _TypedLine(build()).offer(rest)


def _of_help(typed: Sequence[str]) -> list[tuple[str, str]]:
    from rcs_hooks.cli import pages
    from rcs_hooks.cli.main import COMMANDS, MODULES, functions_of

    if len(typed) > 1:
        found = functions_of(typed[0])[0]() if typed[0] in MODULES else None
        return [(name, "") for name in _actions(found)] if found else []
    return [(name, purpose) for name, _, purpose, _ in COMMANDS] + [
        (name, pages.purpose(name)) for name in pages.topics()
    ]


def _actions(parser: argparse.ArgumentParser) -> dict[str, Parser]:
    from rcs_hooks.cli.options import Parser

    return parser.actions() if isinstance(parser, Parser) else {}


class _TypedLine:
    """A command line that is being typed, read as far as it goes."""

    def __init__(self, parser: argparse.ArgumentParser) -> None:
        self._parser = parser
        self._given: dict[str, str] = {}
        self._words = 0
        """How many words were typed that are no options, since the last action."""

    def offer(self, typed: Sequence[str]) -> Choice:
        """Return what may be typed as the last of these words."""
        waiting = ""
        for word in typed[:-1]:
            waiting = self._take(word, waiting)
            if waiting and self._takes_the_rest(waiting):
                return Choice(kind=FILES)
        last = typed[-1]
        if waiting:
            return self._values(self._option(waiting), waiting)
        option, equals, _ = last.partition("=")
        if equals and option.startswith("--"):
            return self._values(self._option(option), option)
        if last.startswith("-"):
            return Choice(self._options())
        return self._next_word()

    def _take(self, word: str, waiting: str) -> str:
        """Take in a word, and return the option that waits for its value; empty if none does."""
        if waiting:
            self._given[waiting] = word
        elif word.startswith("-") and len(word) > 1:
            name, equals, value = word.partition("=")
            self._given[name] = value
            found = self._option(name)
            return name if found and not equals and found.nargs != 0 else ""
        elif word in _actions(self._parser):
            self._parser, self._words = _actions(self._parser)[word], 0
        else:
            self._words += 1
        return ""

    def _option(self, name: str) -> argparse.Action | None:
        return next((each for each in self._parser._actions if name in each.option_strings), None)

    def _takes_the_rest(self, name: str) -> bool:
        """Tell whether all that follows an option is for another program."""
        found = self._option(name)
        return found is not None and found.nargs == argparse.REMAINDER

    def _options(self) -> list[tuple[str, str]]:
        """Return the options that were not typed yet, or may be typed again."""
        return [
            (each.option_strings[-1], each.help or "")
            for each in self._parser._actions
            if each.option_strings
            and each.help != argparse.SUPPRESS
            and (isinstance(each, argparse._AppendAction) or not self._given.keys() & set(each.option_strings))
        ]

    def _next_word(self) -> Choice:
        """Return the actions and the values of the next argument that is no option."""
        actions = [(name, _purpose(each)) for name, each in _actions(self._parser).items()]
        if actions and not self._words:
            return Choice(actions)
        wanted = [
            each
            for each in self._parser._actions
            if not (each.option_strings or isinstance(each, argparse._SubParsersAction))
        ]
        if wanted and (self._words < len(wanted) or wanted[-1].nargs in ("*", "+")):
            each = wanted[min(self._words, len(wanted) - 1)]
            return self._values(each, f"{self._parser.prog} {each.dest}")
        return Choice(self._options())

    def _values(self, argument: argparse.Action | None, name: str) -> Choice:
        """Return the values of an option or of another argument. `name`: the option; or its command and its name."""
        if argument is not None and argument.choices:
            return Choice([(str(choice), "") for choice in argument.choices])
        if name in PATHS:
            return Choice(kind=PATHS[name])
        of_task = nouns.tasks if name.startswith(TASK) and name.endswith(" id") and NEW_TASK not in name else None
        if noun := OF_OPTION.get(name) or OF_WORD.get(name) or of_task:
            return Choice(list(noun(self._workspace())))
        known = nouns.event_kinds if name == "--on" else KNOWN_VALUES.get(name)
        return Choice([(value, "") for value in known()] if known else [])

    def _workspace(self) -> str:
        root = self._given.get("--root")
        return os.path.abspath(root) if root else find_root(os.environ, working_folder())


def _purpose(parser: argparse.ArgumentParser) -> str:
    return (parser.description or "").replace("\n", " ").partition(". ")[0].removesuffix(".")
