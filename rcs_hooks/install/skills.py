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
from rcs_hooks.clients import installers
from rcs_hooks.clients.installer import LOCAL, PROJECT, USER
from rcs_hooks.clients.reading import Settings, serving, settings_of
from rcs_hooks.editing import files as editing
from rcs_hooks.editing.files import Change

if TYPE_CHECKING:
    from collections.abc import Collection

    from rcs_hooks.clients.installer import Installer, InstallTarget

FILE = "SKILL.md"
RCS = "rcs"
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


def sharers(target: InstallTarget) -> list[Installer]:
    """List the installers of all clients that look for skills in the same folder as this one, itself included."""
    folder = target.installer.skills_folder(target)
    return [each for each in installers().values() if each.skills_folder(target) == folder]


def words(target: InstallTarget) -> str:
    """Return the words that run this program in each client that shares the folder: `rcs` if that does in all."""
    return next((own for each in sharers(target) if (own := each.rcs_command(target.host)) != RCS), RCS)


def _elsewhere(target: InstallTarget, name: str, planned: Collection[str]) -> str:
    """Return why a skill is not copied: a client would see two of one name. Empty if it may be copied.

    `planned`: the paths that are about to be written.
    """
    other = path_of(target._replace(scope=USER if target.scope == PROJECT else PROJECT), name)
    picky = next((each for each in sharers(target) if each.refuses_twin_skills), None)
    if picky and os.path.lexists(other) and other != path_of(target, name):
        return f"{picky.client.title} ignores both of two with one name, and {other} exists"
    for folder in target.installer.other_skills_folders(target):
        path = os.path.join(folder, name, FILE)
        if path in planned or MARK in (editing.read(path, target.boundary) or ""):
            return f"{target.installer.client.title} looks in {folder} too, and it is there"
    return ""


def are_elsewhere(target: InstallTarget) -> bool:
    """Tell whether setup has copied a skill to another folder of this scope in which the client looks."""
    return any(
        MARK in (editing.read(os.path.join(folder, name, FILE), target.boundary) or "")
        for folder in target.installer.other_skills_folders(target)
        for name in SKILL_FILES
    )


def setup(target: InstallTarget, planned: Collection[str] = ()) -> tuple[list[Change], list[str]]:
    """Return the changes that copy our skills, and the paths that are left as they are, each with the reason.

    `planned`: the paths that are about to be written, for other clients.
    """
    changes: list[Change] = []
    others: list[str] = []
    own_words = words(target)
    for name in SKILL_FILES:
        path, new = path_of(target, name), shipped(name, own_words)
        if path in planned:
            continue
        old = editing.read(path, target.boundary)
        why = _elsewhere(target, name, planned) if old is None else ""
        if why:
            others.append(f"{path} (not written: {why})")
        elif old is not None and not is_untouched(old):
            others.append(f"{path} (it is not as setup wrote it)")
        elif old != new:
            editing.refuse_unwritable(path)
            changes.append(Change(path, old, new))
    return changes, others


def users(target: InstallTarget, leaving: Collection[str]) -> list[str]:
    """List the titles of the clients that go on using the folder of skills: they have hooks of ours in this scope.

    `leaving`: the names of the clients whose hooks are about to be removed.
    """
    found = []
    for each in sharers(target) if target.scope != LOCAL else ():
        if each.client.name in leaving:
            continue
        read = settings_of(target.host, each.client.name)
        own = [one for one in read if isinstance(one, Settings) and one.ours and one.target.scope == target.scope]
        others = serving(target.host, each.client.name) if target.scope == PROJECT else ()
        if own or any(one.target.client not in leaving for one in others):
            found.append(each.client.title)
    return found


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
