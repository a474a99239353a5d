"""Whether Copilot CLI would run our hooks: a switch in the file itself, and its trust in the folder."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from rcs_hooks.clients import status_line
from rcs_hooks.clients.check import BROKEN, OK, TODO, Check
from rcs_hooks.clients.copilot import COPILOT
from rcs_hooks.clients.installer import USER
from rcs_hooks.files.paths import inside

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rcs_hooks.clients.entries import Record
    from rcs_hooks.clients.installer import Host
    from rcs_hooks.clients.reading import Settings


def checks(host: Host, settings: Sequence[Settings], own: Record, names: Sequence[str]) -> Iterator[Check]:
    """Yield checks of what would keep Copilot CLI from running our hooks.

    `own`: the person's `config.json`. `names`: the words by which it may call `rcs`.
    """
    with_ours = [each for each in settings if each.ours]
    for each in with_ours:
        if each.value.get("disableAllHooks") is True:
            found = f"{each.path} has disableAllHooks, so none of this file runs"
            yield Check("Copilot CLI hooks", BROKEN, found, "remove disableAllHooks")
    for each in settings:
        if each.target.client == COPILOT.name:
            yield from status_line.checks(COPILOT, each, names)
    if any(each.target.scope != USER for each in with_ours):
        yield _folder_trusted(host, own)


def _folder_trusted(host: Host, own: Record) -> Check:
    """Check whether the project's folder is trusted: in one that is not, only the person's own hooks run."""
    folders = own.get("trusted_folders")
    trusted = [each for each in folders if isinstance(each, str)] if isinstance(folders, list) else []
    root = os.path.realpath(host.root)
    everywhere = host.env.get("COPILOT_ALLOW_ALL", "").strip().lower() == "true"
    if everywhere or any(inside(root, os.path.realpath(each)) for each in trusted if each and "\0" not in each):
        return Check("Copilot CLI project", OK, f"{host.root} is trusted")
    found = f"{host.root} is not trusted yet, so its hooks do not run"
    todo = "start `copilot` in this folder once, and say that you trust it; with -p, add --trust-folder"
    return Check("Copilot CLI project", TODO, found, todo)
