"""`rcs completion bash|zsh|fish`: prints a completion script, which asks `rcs completion offers` at every Tab."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from rcs_hooks.cli import offers, options, output
from rcs_hooks.clients.client import rcs_command

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

OFFERS = "offers"
"""The word by which the scripts ask; it is for nobody to type."""

BASH = """\
_rcs() {
    local IFS=$'\\n' line kind cur=${COMP_WORDS[COMP_CWORD]}
    COMPREPLY=()
    while read -r line; do
        case $line in
            :files|:folders)
                compopt -o filenames 2>/dev/null
                [[ $line = :files ]] && kind=-f || kind=-d
                while read -r line; do COMPREPLY+=("$line"); done < <(compgen "$kind" -- "$cur");;
            *) COMPREPLY+=("${line%%$'\\t'*}");;
        esac
    done < <(@RCS@ completion offers -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -F _rcs rcs
"""
ZSH = """\
(( $+functions[compdef] )) || { autoload -Uz compinit && compinit }
_rcs() {
    local line kind
    local -a found
    while IFS= read -r line; do
        case $line in
            (:files|:folders) kind=$line ;;
            (*) found+=("${${line%%$'\\t'*}//:/\\\\:}:${line#*$'\\t'}") ;;
        esac
    done < <(@RCS@ completion offers -- "${(@Q)words[2,CURRENT]}" 2>/dev/null)
    (( $#found )) && _describe -V rcs found
    [[ $kind = :files ]] && _files
    [[ $kind = :folders ]] && _files -/
    return 0
}
compdef _rcs rcs
"""
FISH = """\
function __rcs_offers
    set -l before (commandline -opc)
    set -l current (commandline -ct)
    for line in (@RCS@ completion offers -- $before[2..-1] "$current" 2>/dev/null)
        switch $line
            case ':files'
                __fish_complete_path "$current"
            case ':folders'
                __fish_complete_directories "$current" ''
            case '*'
                echo -- $line
        end
    end
end
complete -c rcs -e
complete -c rcs -f -k -a '(__rcs_offers)'
"""
SCRIPTS = {"bash": BASH, "zsh": ZSH, "fish": FISH}


def build() -> argparse.ArgumentParser:
    parser = options.parser(
        "completion",
        "Print the completion script of a shell. It completes commands, actions, options and their values, and the"
        " modes, tasks and workflows that there are.",
        'eval "$(rcs completion bash)"      in ~/.bashrc',
        'eval "$(rcs completion zsh)"       in ~/.zshrc, after compinit',
        "rcs completion fish > ~/.config/fish/completions/rcs.fish",
    )
    parser.add_argument("shell", choices=tuple(SCRIPTS), help="the shell")
    return parser


def run(argv: Sequence[str]) -> int:
    if list(argv[:2]) == [OFFERS, "--"]:
        for line in offers.lines(argv[2:]):
            output.text(line)
        return output.OK
    shell = build().parse_args(argv).shell
    words = rcs_command(os.environ.get("PATH", ""))
    output.text(SCRIPTS[shell].replace("@RCS@", words).rstrip("\n"))
    return output.OK
