"""`rcs help [COMMAND [ACTION] | TOPIC]`: the help of a command, or a page of the package's own documentation."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from rcs_hooks.cli import options, output, pages, wrong_calls
from rcs_hooks.errors import UsageError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence


def build() -> argparse.ArgumentParser:
    parser = options.parser(
        "help",
        "Show the help of a command or of one of its actions, or a page about a topic. Without a word: list both."
        " A page is Markdown, shown through `$PAGER`; piped, it is printed as it is.",
        "rcs help",
        "rcs help state write",
        f"rcs help {next(iter(pages.topics()), 'TOPIC')}",
    )
    parser.add_argument("words", nargs="*", metavar="COMMAND|TOPIC", help="a command, and its action; or a topic")
    return parser


def run(argv: Sequence[str]) -> int:
    from rcs_hooks.cli import main

    words = list(build().parse_args(argv).words)
    if not words:
        output.text(main.usage())
        return output.OK
    first, *rest = words
    if first in main.MODULES:
        # Only plain words: behind an option or `--` could be a program, which would be run.
        actions = itertools.takewhile(lambda word: not word.startswith("-"), rest)
        return main.functions_of(first)[1]([*actions, "--help"])
    name = pages.topic_called(first)
    if name is None:
        known = {*main.MODULES, *pages.topics()}
        raise UsageError(wrong_calls.unknown_command(first, known, asked_for_help=True))
    pages.show(name)
    return output.OK
