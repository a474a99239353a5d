"""`rcs completion bash|zsh|fish`: made from the commands' own parsers, so that it cannot lag behind."""

from __future__ import annotations

import argparse
import importlib
from typing import TYPE_CHECKING

from rcs_hooks.catalog import MODES
from rcs_hooks.cli import options, output
from rcs_hooks.tasks.orders import DECISIONS
from rcs_hooks.tasks.phases import PHASES
from rcs_hooks.workflow.lifecycle import PUBLIC

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

SHELLS = ("bash", "zsh", "fish")

VALUES = {"--mode": tuple(MODES), "--outcome": PUBLIC, "--to": PHASES, "--decision": tuple(DECISIONS)}

BASH = """\
_rcs() {{
    local words="" cur=${{COMP_WORDS[COMP_CWORD]}} prev=${{COMP_WORDS[COMP_CWORD-1]}} IFS=$' \\t\\n'
    case "$prev" in
{values}
    esac
    if [ "$COMP_CWORD" -eq 1 ]; then
        words="{commands}"
    elif [ "$COMP_CWORD" -eq 2 ] || [ "${{cur:0:1}}" = - ]; then
        case "${{COMP_WORDS[1]}}" in
{options}
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


def build() -> argparse.ArgumentParser:
    parser = options.parser(
        "completion",
        "Prints a completion script.",
        'eval "$(rcs completion bash)"      in ~/.bashrc',
        'eval "$(rcs completion zsh)"       in ~/.zshrc, after compinit',
        "rcs completion fish > ~/.config/fish/completions/rcs.fish",
    )
    parser.add_argument("shell", choices=SHELLS)
    return parser


def run(argv: Sequence[str]) -> int:
    shell = build().parse_args(argv).shell
    words = dict(_words())
    output.text((_fish(words) if shell == "fish" else _bash(ZSH if shell == "zsh" else BASH, words)).rstrip("\n"))
    return output.OK


def _words() -> Iterator[tuple[str, list[str]]]:
    """What may follow each command: its options, its actions, and their options."""
    from rcs_hooks.cli.main import MODULES

    for name, module in MODULES.items():
        parser: argparse.ArgumentParser = importlib.import_module(f"rcs_hooks.cli.{module}").build()
        yield name, list(dict.fromkeys(_of(parser)))


def _of(parser: argparse.ArgumentParser) -> Iterator[str]:
    for action in parser._actions:  # argparse has no public way to ask
        if isinstance(action, argparse._SubParsersAction):
            for name, sub in action.choices.items():
                yield name
                yield from _of(sub)
        elif action.option_strings:
            yield action.option_strings[-1]
        elif action.choices:
            yield from (str(choice) for choice in action.choices)


def _bash(template: str, words: dict[str, list[str]]) -> str:
    values = "\n".join(
        f'        {option}) COMPREPLY=($(compgen -W "{" ".join(known)}" -- "$cur")); return;;'
        for option, known in VALUES.items()
    )
    cases = "\n".join(f'        {name}) words="{" ".join(known)}";;' for name, known in words.items())
    return template.format(values=values, commands=" ".join(words), options=cases)


def _fish(words: dict[str, list[str]]) -> str:
    lines = [f"complete -c rcs -f -n __fish_use_subcommand -a {name}" for name in words]
    for name, known in words.items():
        seen = f"-n '__fish_seen_subcommand_from {name}'"
        for each in known:
            if not each.startswith("-"):
                lines.append(f"complete -c rcs {seen} -a {each}")
            else:
                values = f" -x -a '{' '.join(VALUES[each])}'" if each in VALUES else ""
                lines.append(
                    f"complete -c rcs {seen} {f'-l {each[2:]}' if each.startswith('--') else f'-s {each[1:]}'}{values}"
                )
    return "\n".join(lines)
