"""`rcs completion bash|zsh|fish`: prints a completion script, derived from the parsers of all commands.

The scripts ask `rcs completion modes` for the own modes of the folder that the shell is in.
"""

from __future__ import annotations

import argparse
import os
from typing import TYPE_CHECKING, NamedTuple

from rcs_hooks.cli import options, output
from rcs_hooks.interface import OPERATIONS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

SHELLS = ("bash", "zsh", "fish")
OWN_MODES = "modes"
ASK_FOR_MODES = f"rcs completion {OWN_MODES} 2>/dev/null"
MODE_OPTION = "--mode"

BASH = """\
_rcs() {{
    local words="" cur=${{COMP_WORDS[COMP_CWORD]}} prev=${{COMP_WORDS[COMP_CWORD-1]}} IFS=$' \\t\\n'
    case "${{COMP_WORDS[1]}} $prev" in
{values}
    esac
    if [ "$COMP_CWORD" -eq 1 ]; then
        words="{commands}"
    elif [ "$COMP_CWORD" -eq 2 ] || [ "${{cur:0:1}}" = - ]; then
        case "${{COMP_WORDS[1]}}" in
{words}
        esac
    fi
    COMPREPLY=($(compgen -W "$words" -- "$cur"))
    if [ ${{#COMPREPLY[@]}} -eq 0 ]; then
        IFS=$'\\n' COMPREPLY=($(compgen -f -- "$cur"))
        compopt -o filenames 2>/dev/null
    fi
}}
complete -F _rcs rcs
"""
ZSH = "autoload -U +X bashcompinit && bashcompinit\n" + BASH
KNOWN_VALUES = {
    each.option: each.values for operation in OPERATIONS for each in operation.arguments if each.option and each.values
}
"""The known values of options that also take other values, so that argparse has no `choices` for them."""


class Offers(NamedTuple):
    """The completions that a shell offers after a command."""

    words: list[str]
    """The options and actions of the command, and the options of its actions."""
    values: dict[str, list[str]]
    """The known values of options, by option."""


def build() -> argparse.ArgumentParser:
    parser = options.parser(
        "completion",
        "Print the completion script of a shell.",
        'eval "$(rcs completion bash)"      in ~/.bashrc',
        'eval "$(rcs completion zsh)"       in ~/.zshrc, after compinit',
        "rcs completion fish > ~/.config/fish/completions/rcs.fish",
    )
    parser.add_argument("shell", choices=(*SHELLS, OWN_MODES), help=f"the shell; {OWN_MODES}: the own modes here")
    return parser


def run(argv: Sequence[str]) -> int:
    shell = build().parse_args(argv).shell
    if shell == OWN_MODES:
        for name in _own_modes():
            output.text(name)
        return output.OK
    offers = _offers()
    output.text((_fish(offers) if shell == "fish" else _bash(ZSH if shell == "zsh" else BASH, offers)).rstrip("\n"))
    return output.OK


def _own_modes() -> list[str]:
    from rcs_hooks.files.workspaces import find_root, working_folder
    from rcs_hooks.modes.listing import listing

    found = listing(os.environ, find_root(os.environ, working_folder()))
    return [each.mode.name for each in found.modes if each.mode.is_own]


def _offers() -> dict[str, Offers]:
    from rcs_hooks.cli.main import MODULES, functions_of

    offers = {}
    for name in MODULES:
        build, _ = functions_of(name)
        offers[name] = offer = Offers([], {})
        for word, values in _of(build()):
            if word not in offer.words:
                offer.words.append(word)
            if values:
                known = offer.values.setdefault(word, [])
                known += [value for value in values if value not in known]
    return offers


def _of(parser: argparse.ArgumentParser) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield each word that a parser takes, with the values that may follow it."""
    for action in parser._actions:  # argparse has no public way to ask
        if isinstance(action, argparse._SubParsersAction):
            for name, sub in action.choices.items():
                yield name, ()
                yield from _of(sub)
        elif action.option_strings:
            option = action.option_strings[-1]
            known = KNOWN_VALUES.get(option)
            yield option, tuple(map(str, action.choices or (known() if known else ())))
        elif action.choices:
            yield from ((str(choice), ()) for choice in action.choices)


def _bash(template: str, offers: dict[str, Offers]) -> str:
    values = "\n".join(
        f'        "{name} {option}") COMPREPLY=($(compgen -W "{_words(option, known)}" -- "$cur")); return;;'
        for name, offer in offers.items()
        for option, known in offer.values.items()
    )
    words = "\n".join(f'        {name}) words="{" ".join(offer.words)}";;' for name, offer in offers.items())
    return template.format(values=values, commands=" ".join(offers), words=words)


def _words(option: str, known: Sequence[str]) -> str:
    return " ".join((*known, f"$({ASK_FOR_MODES})")) if option == MODE_OPTION else " ".join(known)


def _fish(offers: dict[str, Offers]) -> str:
    lines = [f"complete -c rcs -f -n __fish_use_subcommand -a {name}" for name in offers]
    for name, offer in offers.items():
        seen = f"-n '__fish_seen_subcommand_from {name}'"
        for word in offer.words:
            if not word.startswith("-"):
                lines.append(f"complete -c rcs {seen} -a {word}")
                continue
            known = offer.values.get(word, []) + ([f"({ASK_FOR_MODES})"] if word == MODE_OPTION else [])
            values = f" -x -a '{' '.join(known)}'" if known else ""
            flag = f"-l {word[2:]}" if word.startswith("--") else f"-s {word[1:]}"
            lines.append(f"complete -c rcs {seen} {flag}{values}")
    return "\n".join(lines)
