"""Our status line in a client's JSON settings, and how it is known from one of the person's own. PURE."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Any

from rcs_hooks.clients.check import OK, WARN, Check
from rcs_hooks.clients.entries import Record, SetupBlocked, take_whole, words_of
from rcs_hooks.clients.installer import USER, setup_command
from rcs_hooks.editing import jsonedit, jsontree
from rcs_hooks.text import clean

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rcs_hooks.clients.client import Client
    from rcs_hooks.clients.reading import Settings

WORDS = ("hud", "--statusline")
SHOWN = 200
TOP: jsonedit.Path = ("statusLine",)
"""Where most clients look for it."""


def entry(program: str) -> Record:
    """Return the status line that setup writes. `program`: the path of `rcs`."""
    return {"type": "command", "command": f"{shlex.quote(program)} {' '.join(WORDS)}"}


def is_ours(value: object) -> bool:
    """Tell whether a status line runs `rcs hud --statusline`."""
    words = words_of(value) if isinstance(value, dict) else []
    return words[:1] != [] and words[0].rpartition("/")[2] == "rcs" and tuple(words[1:]) == WORDS


def value_in(settings: Any, path: jsonedit.Path = TOP) -> Any:
    """Return the status line of parsed settings; None if there is none."""
    for key in path:
        settings = settings.get(key) if isinstance(settings, dict) else None
    return settings


def put(text: str, wanted: Record, *, add: bool, path: jsonedit.Path = TOP) -> str:
    """Return the settings with our status line brought up to date; if `add`, also add it where there is none.

    Raises SetupBlocked if it is to be added, and the person has a status line of their own.
    """
    old = value_in(jsontree.parse(text).value, path)
    if is_ours(old):
        return text if old.items() >= wanted.items() else jsonedit.put(text, path, wanted)
    if not add:
        return text
    if old is not None:
        raise SetupBlocked(
            f"it has a {'.'.join(map(str, path))} of your own, which stays: let that run `{wanted['command']}` too,"
            " or remove it and run this command again"
        )
    return jsonedit.put(text, path, wanted)


def take(text: str, path: jsonedit.Path = TOP) -> str:
    """Return the settings without a status line that is ours."""
    return take_whole(text, path) if is_ours(value_in(jsontree.parse(text).value, path)) else text


def copy(other: str, text: str, path: jsonedit.Path = TOP) -> str:
    """Return the settings `text` with our status line of the settings `other`, if that has one."""
    line = value_in(jsontree.parse(other).value, path)
    return put(text, line, add=True, path=path) if is_ours(line) else text


def checks(client: Client, settings: Settings, names: Sequence[str], path: jsonedit.Path = TOP) -> Iterator[Check]:
    """Yield a check of a file's status line: whether it is ours, or another program with our name.

    `names`: the words by which the client may call `rcs`.
    """
    name = ".".join(map(str, path))
    title, line = f"{client.title} {name}", value_in(settings.value, path)
    words = words_of(line) if isinstance(line, dict) else []
    if words in [[*shlex.split(each), *WORDS] for each in names]:
        yield Check(title, OK, f"{settings.path} has it show what runs")
    elif settings.is_mine and is_ours(line):
        todo = f"{setup_command(client.name, USER)} --statusline"
        yield Check(title, WARN, f"{settings.path} calls {clean(words[0], SHOWN)}, which is not this program", todo)
    elif not settings.is_mine and any(word.rpartition("/")[2] == "rcs" or "rcs_hooks" in word for word in words):
        found = f"{name} of {settings.path} does more than `rcs hud --statusline`: {clean(' '.join(words), SHOWN)}"
        yield Check(title, WARN, found, "look at it before you trust this project, or remove it")
