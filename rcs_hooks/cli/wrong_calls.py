"""Words for a wrong command line, on one line: what is wrong, and what was probably meant or what to type instead."""

from __future__ import annotations

import argparse
import re
from typing import TYPE_CHECKING

from rcs_hooks.terminal.near import nearest
from rcs_hooks.text import clean, quoted

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

LONGEST = 80
STRAY = {
    "rcs try": "put the prompt in single quotes: rcs try {all}",
    "rcs status": "for one session: rcs status --session {word}",
    "rcs log": "for one session: rcs log --session {word}",
    "rcs hud": "for one session: rcs hud --session {word}",
    "rcs watch": "to call a program: rcs watch --exec {word}",
    "rcs setup": "for one client: rcs setup --client {word}",
    "rcs uninstall": "for one client: rcs uninstall --client {word}",
    "rcs modes": "to write a new mode: rcs modes new {word}",
}
"""What was probably meant by a word that a command does not take."""


# --- commands


def unknown_command(typed: str, commands: Iterable[str], *, asked_for_help: bool = False) -> str:
    """Return the words for a command that does not exist. `asked_for_help`: it was typed behind `rcs help`."""
    known = [*commands, "--help", "--version"]
    meant = nearest(typed, known) or nearest(typed.lstrip("-"), known)
    what = "command or topic" if asked_for_help else "option" if typed.startswith("-") else "command"
    start = "rcs help" if asked_for_help else "rcs"
    hint = f"did you mean `{start} {meant}`?" if meant else "`rcs help` lists them"
    return f"there is no {what} {_shown(typed)}; {hint}"


# --- actions and values


def wrong_choice(parser: argparse.ArgumentParser, argument: argparse.Action, typed: object) -> str:
    """Return the words for a value that is none of the choices of an argument."""
    word, choices = str(typed), [str(choice) for choice in argument.choices or ()]
    if argument.option_strings:
        near = nearest(word, choices)
        meant = f"; did you mean {near}?" if near else ""
        return f"{_name(argument)} {_shown(word)}: it is one of {', '.join(choices)}{meant}"
    near = nearest(word, choices)
    hint = f"there is {_listed(choices, 'and')}"
    if near:
        hint = f"did you mean `{parser.prog} {near}`?"
    elif parser.prog in STRAY:
        hint += f"; {STRAY[parser.prog].format(word=_quoted(word))}"
    what = "action" if _is_action(argument) else argument.dest
    return f"{_words(parser)} has no {what} {_shown(word)}; {hint}"


# --- what argparse says


def reworded(message: str, parser: argparse.ArgumentParser, typed: Sequence[str]) -> str:
    """Return in our words what argparse says of a wrong command line; what it takes from us it says as it is.

    `parser`: that of the command or action. `typed`: the words of the command line.
    """
    for pattern, words in MESSAGES:
        if found := re.fullmatch(pattern, message, re.DOTALL):
            return words.format(*(_metavar(parser, name) for name in found.groups()))
    if found := re.fullmatch(r"the following arguments are required: (.*)", message):
        return _missing(parser, found[1].split(", "))
    if found := re.fullmatch(r"unrecognized arguments: (.*)", message, re.DOTALL):
        return _unexpected(parser, found[1], typed)
    return message.removeprefix("argument ")


MESSAGES = (
    (r"argument (.*): expected (?:one|at least one) argument", "{0} needs a value"),
    (r"argument (.*): invalid int value: (.*)", "{0} {1}: a whole number is needed"),
    (r"argument (.*): not allowed with argument (.*)", "{1} and {0} cannot go together"),
    (r"argument (.*): ignored explicit argument .*", "{0} takes no value"),
)


def _missing(parser: argparse.ArgumentParser, names: list[str]) -> str:
    for group in parser._actions:  # argparse has no public way to ask
        if group.choices and not group.option_strings and _label(group) in names:
            what = "an action" if _is_action(group) else f"a {_label(group)}"
            return f"{_words(parser)} needs {what}: {_listed([str(each) for each in group.choices], 'or')}"
    needed = _listed([_metavar(parser, name) for name in names], "and")
    return f"{_words(parser)} needs {needed}; see: {parser.prog} --help"


def _unexpected(parser: argparse.ArgumentParser, rest: str, typed: Sequence[str]) -> str:
    word = next((each for each in typed if each and rest.startswith(each)), rest.split(" ", maxsplit=1)[0])
    if word.startswith("-") and len(word) > 1:
        option = word.partition("=")[0]
        known = [name for each in parser._actions for name in each.option_strings]
        if option in known:
            return f"{option} belongs after `{parser.prog}`"
        near = nearest(option, known)
        hint = f"did you mean {near}?" if near else f"see: {parser.prog} --help"
        return f"{_words(parser)} has no option {_shown(option)}; {hint}"
    if any(f"--{word.lower()}" in each.option_strings for each in parser._actions):
        return f"{_words(parser)} takes no {_shown(word)}; did you mean --{word.lower()}?"
    words = " ".join(each for each in typed if not each.startswith("-"))
    hint = STRAY.get(parser.prog, "see: {prog} --help")
    hint = hint.format(word=_quoted(word), all=_quoted(words), prog=parser.prog)
    return f"{_words(parser)} takes no {_shown(word)}; {hint}"


def _is_action(argument: argparse.Action) -> bool:
    return argument.dest in ("action", "what")


def _name(argument: argparse.Action) -> str:
    return argument.option_strings[-1] if argument.option_strings else _label(argument)


def _label(argument: argparse.Action) -> str:
    return argument.metavar if isinstance(argument.metavar, str) else argument.dest


def _metavar(parser: argparse.ArgumentParser, name: str) -> str:
    """Return how an argument is written: an option as it is typed, the long one of two; another word in capitals."""
    if name.startswith("-"):
        return name.rsplit("/", maxsplit=1)[-1]
    is_known = any(_label(each) == name for each in parser._actions)
    return name.upper() if is_known and name.isidentifier() else clean(name, LONGEST)


def _listed(words: Sequence[str], last: str) -> str:
    return f" {last} ".join((", ".join(words[:-1]), words[-1])) if len(words) > 1 else "".join(words)


def _words(parser: argparse.ArgumentParser) -> str:
    """Return the words of a command as the subject of a sentence: without `rcs`, which the message begins with."""
    return parser.prog.removeprefix("rcs ")


def _quoted(words: str) -> str:
    """Return words as one word for a shell, bounded."""
    return quoted(clean(words, LONGEST))


def _shown(word: str) -> str:
    """Return a word that was typed, between quotation marks and bounded."""
    return f"'{clean(word, LONGEST)}'"
