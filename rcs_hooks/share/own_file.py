"""Edits `[share]` of the person's own `~/.rcs/config.toml`; comments and order stay."""

from __future__ import annotations

import os
import tomllib
from contextlib import suppress
from typing import TYPE_CHECKING

from rcs_hooks.config import reading
from rcs_hooks.config.loading import HOME_SHOWN
from rcs_hooks.config.share_table import NAME, PATH, PROJECTS, TABLE, TEXTS, URL
from rcs_hooks.errors import Refused, needs_extra
from rcs_hooks.files.lock import Lock
from rcs_hooks.files.replacing import replace
from rcs_hooks.share.settings import config_path

if TYPE_CHECKING:
    from collections.abc import Callable

    from rcs_hooks.config.share_table import SharedProject

Tables = dict[str, object]


def set_url(home: str, url: str) -> bool:
    """Write the address of the shared database; tell whether that changed anything. Raises Refused."""

    def change(share: Tables) -> None:
        share[URL] = url

    return _edit(home, change)


def add_project(home: str, project: SharedProject) -> bool:
    """Write a folder among those that may leave the machine, or change what it says; tell whether that changed it."""

    def change(share: Tables) -> None:
        for each in _projects(share):
            if _is_at(each, project.path):
                each[NAME] = project.name
                each[TEXTS] = project.texts
                return
        new: Tables = {PATH: project.path, NAME: project.name, TEXTS: project.texts}
        if PROJECTS in share:
            _projects(share).append(new)
        else:
            share[PROJECTS] = [new]

    return _edit(home, change)


def remove_project(home: str, path: str) -> bool:
    """Take a folder from those that may leave the machine; tell whether it was one of them. Raises Refused."""

    def change(share: Tables) -> None:
        projects = _projects(share)
        for number in reversed(range(len(projects))):
            if _is_at(projects[number], path):
                del projects[number]
        if not projects:
            share.pop(PROJECTS, None)

    return _edit(home, change)


def _projects(share: Tables) -> list[Tables]:
    found = share.get(PROJECTS, [])
    if not isinstance(found, list) or not all(isinstance(each, dict) for each in found):
        raise Refused(f"projects of [share] in {HOME_SHOWN} must be tables [[share.projects]]; correct that first")
    return found


def _is_at(project: Tables, path: str) -> bool:
    there = project.get(PATH)
    return isinstance(there, str) and os.path.normpath(there) == path


def _edit(home: str, change: Callable[[Tables], None]) -> bool:
    """Change the table in the person's file; tell whether the file says something else then. Raises Refused."""
    path = config_path(home)
    folder = os.path.dirname(path)
    os.makedirs(folder, mode=0o700, exist_ok=True)
    with Lock(folder):
        source = reading.read(path, through_links=True)
        if source is not None and source.fault:
            raise Refused(f"{source.fault.sentence}; correct that first")
        real = os.path.realpath(path)
        text = ""
        with suppress(FileNotFoundError), open(real, encoding="utf-8-sig", newline="") as file:
            text = file.read()
        wanted = tomllib.loads(text)
        change(_share_of(wanted))
        if _said(wanted) == _said(tomllib.loads(text)):
            return False
        new = _changed(text, change)
        if _said(tomllib.loads(new)) != _said(wanted):
            raise Refused(f"[share] in {HOME_SHOWN} is laid out in a way that cannot be changed here; change it there")
        if len(new.encode()) > reading.LARGEST:
            raise Refused(f"{HOME_SHOWN} would become larger than {reading.LARGEST:,} bytes, which nothing reads")
        replace(real, new)
    return True


def _said(tables: Tables) -> Tables:
    """Return what a file says: an empty table is none, because the header of the last project goes with it."""
    return {name: value for name, value in tables.items() if name != TABLE or value}


def _share_of(tables: Tables) -> Tables:
    share = tables.setdefault(TABLE, {})
    if not isinstance(share, dict):
        raise Refused(f"share in {HOME_SHOWN} must be a table [share]; correct that first")
    return share


def _changed(text: str, change: Callable[[Tables], None]) -> str:
    try:
        import tomlkit
    except ImportError as error:
        raise Refused(needs_extra(error.name, f"a change of {HOME_SHOWN}", "share")) from None
    document = tomlkit.parse(text)
    if TABLE not in document:
        document[TABLE] = tomlkit.table()
    change(document[TABLE])
    return tomlkit.dumps(document)
