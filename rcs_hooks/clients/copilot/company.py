"""Whether another tool's hook runs after ours: Copilot CLI gives the model the context of the last one alone."""

from __future__ import annotations

import glob
import os
from typing import TYPE_CHECKING

from rcs_hooks.clients import entries
from rcs_hooks.clients.check import NOTE, Check
from rcs_hooks.clients.reading import value_at
from rcs_hooks.errors import Refused
from rcs_hooks.text import clean

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rcs_hooks.clients.entries import Record
    from rcs_hooks.clients.installer import Host

PROMPT_EVENTS = ("UserPromptSubmit", "userPromptSubmitted")
"""The names of the one event, by which Copilot CLI sends it in the one form or the other."""
MOST = 4
"""The most hooks that are named."""


def checks(host: Host, home: str) -> Iterator[Check]:
    """Yield a check for each hook that may take the place of our context. `home`: the person's folder of Copilot CLI.

    The hooks of one place run one after the other. Those of two files in one folder count as being in either order.
    Where ours are in several places, the first one speaks, and the others find that the prompt is answered.
    """
    after: list[tuple[str, Record]] = []
    is_after = False
    for paths, boundary in _places(host, home):
        found = [(path, hook) for path in paths for hook in _prompt_hooks(path, boundary)]
        first = next((index for index, (_, hook) in enumerate(found) if entries.is_ours(hook)), None)
        if is_after:
            after += found
        elif first is not None:
            after = [each for each in found[:first] if each[0] != found[first][0]] + found[first + 1 :]
            is_after = True
    after = [each for each in after if not entries.is_ours(each[1])]
    for path, hook in after[:MOST]:
        line = clean(" ".join(entries.words_of(hook)), 200)
        found_there = f"{path} runs {line} on each prompt, after ours: what it tells the model takes the place of ours"
        yield Check("Copilot CLI context", NOTE, found_there, "look whether it answers with additionalContext")


def _places(host: Host, home: str) -> Sequence[tuple[list[str], str | None]]:
    """List the files of each place, and the folder that they lie in if a repository may have brought them.

    The places are in the order in which Copilot CLI calls their hooks.
    """
    github, claude = (os.path.join(host.root, name) for name in (".github", ".claude"))
    names = ("settings.json", "settings.local.json")
    own = [*_files(os.path.join(home, "hooks")), os.path.join(home, "settings.json")]
    of_repository = [*_files(os.path.join(github, "hooks")), *(os.path.join(github, "copilot", each) for each in names)]
    return (own, None), (of_repository, host.root), ([os.path.join(claude, each) for each in names], host.root)


def _files(folder: str) -> list[str]:
    return sorted(glob.glob(os.path.join(glob.escape(folder), "*.json")))


def _prompt_hooks(path: str, boundary: str | None) -> list[Record]:
    """List the hooks for a prompt in a file; none if it cannot be read. `boundary`: no link may lead out of it."""
    try:
        value = value_at(path, boundary) or {}
        found = list(entries.handlers(value))
    except Refused:
        return []
    if value.get("disableAllHooks") is True:
        return []
    return [hook for (event, *_), hook in found if event in PROMPT_EVENTS and isinstance(hook, dict)]
