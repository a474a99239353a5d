"""Copies the skills that ship to where each client looks for them.

A copy ends with a hash of its text: one that a person has changed is recognized by it, and left alone.
"""

from __future__ import annotations

import hashlib
import os
import re
from importlib.resources import files
from typing import TYPE_CHECKING, NamedTuple

from rcs_hooks.catalog import SKILL_FILES
from rcs_hooks.clients.installer import LOCAL, PROJECT, USER
from rcs_hooks.editing import files as editing
from rcs_hooks.editing.files import Change

if TYPE_CHECKING:
    from rcs_hooks.clients.installer import InstallTarget

FILE = "SKILL.md"
COMMAND = re.compile(r"(^|`)rcs (?=[a-z])", re.MULTILINE)
"""The places where a skill names a command of `rcs`: at the start of a line, or of a piece of code."""
MARK = "<!-- rcs-hooks "


def shipped(name: str, words: str) -> str:
    """Return the text of a skill as setup writes it. `words`: what runs this program, in place of `rcs`."""
    text = (files("rcs_hooks") / "skills" / name / FILE).read_text(encoding="utf-8")
    text = COMMAND.sub(lambda match: f"{match[1]}{words} ", text)
    return f"{text.rstrip()}\n\n{MARK}{_hash(text)} -->\n"


def _hash(text: str) -> str:
    return hashlib.sha256(text.rstrip().encode()).hexdigest()[:16]


def is_untouched(text: str) -> bool:
    """Tell whether the text of a skill is as setup wrote it, in this version or another."""
    body, mark, rest = text.rpartition(MARK)
    return bool(mark) and rest == f"{_hash(body)} -->\n"


def is_copy(name: str, text: str) -> bool:
    """Tell whether a text is our skill of this name in this version, whatever words run this program in it."""
    if name not in SKILL_FILES:
        return False
    raw = (files("rcs_hooks") / "skills" / name / FILE).read_text(encoding="utf-8")
    if text == raw:
        return True
    place = COMMAND.search(raw)
    if place is None:
        return text == shipped(name, "")
    start, behind = place.end(1), raw[place.end() :].partition("\n")[0].partition("`")[0]
    end = text.find(f" {behind}", start)
    return end > 0 and text == shipped(name, text[start:end])


def path_of(target: InstallTarget, name: str) -> str:
    """Return the path at which a client looks for the skill of this name."""
    return os.path.join(target.installer.skills_folder(target), name, FILE)


class Installed(NamedTuple):
    """The names of our skills in one folder, sorted by whether they are up to date."""

    current: list[str]
    older: list[str]
    """Unchanged, but not as setup writes them now: from another version, or with the path of another `rcs`."""
    astray: list[str]
    """Changed by the person, and without the words that run this program."""


def installed(target: InstallTarget, words: str) -> Installed:
    """Return the skills that setup has written for a target. `words`: what runs this program. Raises Refused."""
    found = Installed([], [], [])
    for name in SKILL_FILES:
        text = editing.read(path_of(target, name), target.boundary)
        if text is None or MARK not in text:
            continue
        if is_untouched(text):
            (found.current if text == shipped(name, words) else found.older).append(name)
        else:
            (found.current if f"{words} " in text else found.astray).append(name)
    return found


def _twin(target: InstallTarget, name: str) -> str | None:
    """Return the path of the same skill in the other scope; None if there is none or the client accepts both."""
    if not target.installer.refuses_twin_skills:
        return None
    other = path_of(target._replace(scope=USER if target.scope == PROJECT else PROJECT), name)
    return other if os.path.lexists(other) and other != path_of(target, name) else None


def setup(target: InstallTarget) -> tuple[list[Change], list[str]]:
    """Return the changes that copy our skills, and the paths that are left as they are, each with the reason."""
    changes: list[Change] = []
    others: list[str] = []
    title = target.installer.client.title
    words = target.installer.rcs_command(target.host)
    for name in SKILL_FILES:
        path, new = path_of(target, name), shipped(name, words)
        old = editing.read(path, target.boundary)
        twin = _twin(target, name)
        if old is None and twin:
            others.append(f"{path} (not written: {title} ignores both of two with one name, and {twin} exists)")
        elif old is not None and not is_untouched(old):
            others.append(f"{path} (it is not as setup wrote it)")
        elif old != new:
            editing.refuse_unwritable(path)
            changes.append(Change(path, old, new))
    return changes, others


def uninstall(target: InstallTarget) -> tuple[list[Change], list[str]]:
    """Return the changes that remove our skills, and the paths of skills that the person has changed, which stay."""
    changes, others = [], []
    for name in SKILL_FILES if target.scope != LOCAL else ():
        path = path_of(target, name)
        old = editing.read(path, target.boundary)
        if old is not None and is_untouched(old):
            editing.refuse_unwritable(path)
            changes.append(Change(path, old, None))
        elif old is not None and MARK in old:
            others.append(path)
    return changes, others
