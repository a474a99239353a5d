"""`rcs share add | remove`: which folders may leave this machine."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from rcs_hooks.cli import options, output
from rcs_hooks.config.share_table import NAME_RULE, SharedProject, is_shown_name
from rcs_hooks.environment import AGENT, typed_by
from rcs_hooks.errors import Refused
from rcs_hooks.files.workspaces import find_root, nearest_workspace, working_folder
from rcs_hooks.share import own_file, settings
from rcs_hooks.text import clean

if TYPE_CHECKING:
    import argparse

LONGEST = 400
LEAVES = "modes, phases, outcomes, the kinds and times of events, and questions"
STAYS = "What was sent stays in the shared database until it is pruned there."


def add(args: argparse.Namespace) -> int:
    refuse_agent("what leaves the machine", "rcs share add .")
    found = settings.load(os.environ)
    path = _workspace(args.folder, found.home)
    if not os.path.isdir(path):
        raise Refused(f"there is no folder {clean(path, LONGEST)}")
    if path in (os.path.realpath(found.home), os.path.sep):
        raise Refused(f"{path} is not one project; name the folder of one: rcs share add FOLDER")
    known = settings.project_of(found.projects, path)
    name = args.name or (known.name if known else settings.plain_name(os.path.basename(path)))
    if not is_shown_name(name):
        raise Refused(f"the name must be {NAME_RULE}; to choose one: rcs share add --name NAME")
    other = next((each for each in found.projects if each.name == name and each.path != path), None)
    if other:
        raise Refused(f"{clean(other.path, LONGEST)} is shared as {name} already; choose another name: --name NAME")
    project = SharedProject(path, name, args.texts)
    was_changed = own_file.add_project(found.home, project)
    if args.json:
        output.result({"ok": True, **project._asdict(), "was_changed": was_changed})
        return output.OK
    _say_added(project, known, was_changed=was_changed)
    if found.address is None:
        output.text(f"No shared database is named yet; to name one: {settings.INIT}")
    return output.OK


def _say_added(project: SharedProject, known: SharedProject | None, *, was_changed: bool) -> None:
    already = "" if was_changed or known is None else " already"
    output.text(output.plain(f"{clean(project.path, LONGEST)} is shared{already}, as {project.name}"))
    also = ", with titles, reasons, messages, commands, paths and the data of `rcs emit`" if project.texts else ""
    output.prose(f"What leaves: {LEAVES}{also}. Never prompts, outputs and answers.")
    if known is not None and known.texts and not project.texts:
        output.prose(f"Titles and other texts no longer leave. {STAYS}")


def remove(args: argparse.Namespace) -> int:
    found = settings.load(os.environ)
    path = _workspace(args.folder, found.home)
    was_changed = own_file.remove_project(found.home, path)
    if args.json:
        output.result({"ok": True, "path": path, "was_changed": was_changed})
    elif was_changed:
        output.text(output.plain(f"{clean(path, LONGEST)} is no longer shared"))
        output.prose(STAYS)
    else:
        output.text(output.plain(f"{clean(path, LONGEST)} was not shared"))
    return output.OK


def _workspace(folder: str | None, home: str) -> str:
    """Return the workspace of a folder that was typed, or of this one, with links resolved."""
    here = working_folder()
    if folder is None:
        return os.path.realpath(find_root(os.environ, here))
    path = os.path.realpath(os.path.join(here, folder))
    return os.path.realpath(nearest_workspace(path, home)) if os.path.isdir(path) else path


def refuse_agent(what: str, command: str) -> None:
    """Raise Refused in an agent's shell: what leaves the machine, and for where, is for a person to say."""
    if typed_by(os.environ, is_terminal=options.is_terminal()) == AGENT:
        raise Refused(f"this is an agent's shell, and {what} is for a person to say: type it in a terminal: {command}")
