"""The skills that ship, where each client looks for them.

A copy carries a line with the hash of the rest, so that one which a person has changed is known, and left alone.
"""

from __future__ import annotations

import hashlib
import os
import re
from importlib.resources import files
from typing import TYPE_CHECKING, NamedTuple

from rcs_hooks.install import clients, edit
from rcs_hooks.install.clients import CODEX, LOCAL, PROJECT, USER
from rcs_hooks.install.edit import Change

if TYPE_CHECKING:
    from rcs_hooks.install.clients import Place

NAMES = ("brief", "blueprint", "forge", "crew", "autoforge", "cancel", "task")
FILE = "SKILL.md"
COMMAND = re.compile(r"(^|`)rcs (?=[a-z])", re.MULTILINE)
"""Where a line or a piece of code begins; nowhere else does a skill name a command."""
MARK = "<!-- rcs-hooks "


def shipped(name: str, words: str) -> str:
    """The text of a skill, with the words that run this program in place of `rcs`."""
    text = (files("rcs_hooks") / "skills" / name / FILE).read_text(encoding="utf-8")
    text = COMMAND.sub(lambda match: f"{match[1]}{words} ", text)
    return f"{text.rstrip()}\n\n{MARK}{_hash(text)} -->\n"


def _hash(text: str) -> str:
    return hashlib.sha256(text.rstrip().encode()).hexdigest()[:16]


def is_untouched(text: str) -> bool:
    """Whether a file is one that we wrote, this version or another, as we wrote it."""
    body, mark, rest = text.rpartition(MARK)
    return bool(mark) and rest == f"{_hash(body)} -->\n"


def path_of(place: Place, name: str) -> str:
    return os.path.join(place.skills_folder, name, FILE)


class Installed(NamedTuple):
    """What lies in one skills folder."""

    current: list[str]
    older: list[str]
    """Untouched, and not as it is written now: of another version, or with the command of another place."""
    astray: list[str]
    """Changed by the person, and without the command that runs this program."""


def installed(place: Place, words: str) -> Installed:
    """Sort the skills that setup has written there. Raises Refused."""
    found = Installed([], [], [])
    for name in NAMES:
        text = edit.read(path_of(place, name), place.within)
        if text is None or MARK not in text:
            continue
        if is_untouched(text):
            (found.current if text == shipped(name, words) else found.older).append(name)
        else:
            (found.current if f"{words} " in text else found.astray).append(name)
    return found


def _twin(place: Place, name: str) -> str | None:
    """The same skill in the other scope: Codex, which finds two of a name, gives the model none."""
    if place.client != CODEX:
        return None
    other = path_of(place._replace(scope=USER if place.scope == PROJECT else PROJECT), name)
    return other if os.path.lexists(other) and other != path_of(place, name) else None


def setup(place: Place) -> tuple[list[Change], list[str]]:
    """The changes, and what is left as it is, with the reason."""
    changes: list[Change] = []
    others: list[str] = []
    words = clients.agents_words(place.machine, place.client)
    for name in NAMES:
        path, new = path_of(place, name), shipped(name, words)
        old = edit.read(path, place.within)
        twin = _twin(place, name)
        if old is None and twin:
            others.append(f"{path} (not written: Codex takes neither of two, and {twin} is there)")
        elif old is not None and not is_untouched(old):
            others.append(f"{path} (it is not as we wrote it)")
        elif old != new:
            edit.refuse_unwritable(path)
            changes.append(Change(path, old, new))
    return changes, others


def uninstall(place: Place) -> tuple[list[Change], list[str]]:
    """The same; a skill that a person has changed is theirs now."""
    changes, others = [], []
    for name in NAMES if place.scope != LOCAL else ():
        path = path_of(place, name)
        old = edit.read(path, place.within)
        if old is not None and is_untouched(old):
            edit.refuse_unwritable(path)
            changes.append(Change(path, old, None))
        elif old is not None and MARK in old:
            others.append(path)
    return changes, others
