"""The last lines of `rcs setup`: what to type next, how to check it, and how to undo it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from rcs_hooks.cli import output
from rcs_hooks.clients.client import rcs_command
from rcs_hooks.clients.installer import LOCAL, PROJECT, USER, InstallTarget
from rcs_hooks.errors import Refused
from rcs_hooks.install import skills
from rcs_hooks.terminal import prose
from rcs_hooks.terminal.width import cells
from rcs_hooks.text import quoted

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

FIRST = "$forge fix the failing login test"
"""A prompt that starts a mode, as README has it."""
LABEL = len("Skills: ")
COMMENT = "   # "


def lines(targets: Sequence[InstallTarget], args: argparse.Namespace) -> list[str]:
    """Return the lines that end a setup which has been carried out. `args`: the arguments of `rcs setup`."""
    rcs = rcs_command(os.environ.get("PATH", os.defpath))
    programs = " or ".join(f"`{target.client}`" for target in targets)
    place = "any project" if args.scope == USER else output.plain(targets[0].host.root)
    same = f" --client {args.client}" if args.client else ""
    scope = "" if args.scope == PROJECT else f" --scope {args.scope}"
    root = f" --root {quoted(args.root)}" if args.root else ""
    said = ["", f"Next:   start {programs} in {place}, and type a prompt such as: {FIRST}"]
    if not any(_has_skills(target) for target in targets):
        skills_scope = f" --scope {USER}" if args.scope == LOCAL else scope
        command = f"{rcs} setup{same}{skills_scope}{root} --skills"
        said.append(f"Skills: {command}{COMMENT}the instructions that the agent reads for each of these words")
    said.append(f"Check:  {rcs} doctor{root}{COMMENT}would it work now, and what is left to do")
    said.append(f"Undo:   {rcs} uninstall{same}{scope}{root}")
    return said


def fitted(line: str, columns: int | None) -> list[str]:
    """Return one of these lines in lines that fit a terminal: behind its label, and a comment below its command."""
    if columns is None or cells(line) <= columns:
        return [line]
    command, _, comment = line[LABEL:].partition(COMMENT)
    parts = [command, *([f"{COMMENT.strip()} {comment}"] if comment else [])]
    found = [each for part in parts for each in prose.lines(part, max(1, columns - LABEL))]
    return [line[:LABEL] + found[0], *(" " * LABEL + each for each in found[1:])]


def _has_skills(target: InstallTarget) -> bool:
    """Tell whether a client finds skills that setup has written, in the project or in the home."""
    places = [target._replace(scope=scope) for scope in (PROJECT, USER)]
    try:
        return any(any(skills.installed(place, skills.words(place))) or skills.are_elsewhere(place) for place in places)
    except Refused:  # setup itself has said why, where it matters
        return False
