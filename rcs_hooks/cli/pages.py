"""Finds the pages about topics that come with the package, and shows one.

A page is Markdown: `docs/NAME.md`. Below its title, the third line says in a sentence which question it answers.
"""

from __future__ import annotations

import os
import subprocess
import sys

from rcs_hooks.cli import output

FOLDER = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "docs")
SUFFIX = ".md"
PAGER = "less -FRX"
NOT_STARTED = (126, 127)
"""The exit statuses of a shell that cannot start a program."""


def topics() -> list[str]:
    """List the topics that have a page, by name; empty if the package came without pages."""
    try:
        names = os.listdir(FOLDER)
    except OSError:
        return []
    return sorted(name.removesuffix(SUFFIX) for name in names if name.endswith(SUFFIX) and not name.startswith("."))


def topic_called(word: str) -> str | None:
    """Return the topic that a word names, in any case, also with `.md`; None for none."""
    wanted = word.lower().removesuffix(SUFFIX)
    return next((name for name in topics() if name.lower() == wanted), None)


def text_of(topic: str) -> str:
    """Return the text of a topic's page."""
    with open(os.path.join(FOLDER, topic + SUFFIX), encoding="utf-8") as file:
        return file.read()


def purpose(topic: str) -> str:
    """Return the sentence below the title of a topic's page, without its full stop."""
    return text_of(topic).splitlines()[2].rstrip(".")


def show(topic: str) -> None:
    """Print a page as it is; on a terminal through the person's pager."""
    text = text_of(topic)
    is_terminal = sys.stdout is not None and sys.stdout.isatty()
    if not (is_terminal and _is_paged(text)):
        output.text(text.rstrip("\n"))


def _is_paged(text: str) -> bool:
    """Pass a text to `$PAGER`, as git does, and tell whether that could be started."""
    command = os.environ.get("PAGER", PAGER).strip()
    if not command:
        return False
    with subprocess.Popen(command, shell=True, stdin=subprocess.PIPE) as pager:  # noqa: S602 - the person's own setting
        while True:
            try:
                pager.communicate(text.encode())
                break
            except KeyboardInterrupt:  # the pager decides what Ctrl-C means
                continue
    return pager.returncode not in NOT_STARTED
