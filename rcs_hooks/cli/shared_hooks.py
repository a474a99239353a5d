"""What setup and uninstall say where a client runs the hooks of another client's file too."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rcs_hooks.clients import CLIENTS, installers
from rcs_hooks.clients.installer import PROJECT, USER
from rcs_hooks.clients.reading import Settings, serving, settings_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from rcs_hooks.clients.installer import InstallTarget
    from rcs_hooks.editing.files import Change


def of_setup(
    target: InstallTarget, served: Mapping[str, str], changes: Sequence[Change], targets: Sequence[InstallTarget]
) -> Iterator[str]:
    """Yield what to say of the setup of a target, beside its changes.

    `served`: the events for which it runs hooks of another client's file, each with its path. `targets`: all targets.
    """
    if served:
        paths = " and ".join(dict.fromkeys(served.values()))
        yield f"it runs the hooks in {paths} too, so none of its own is written for {', '.join(served)}"
    for reader, own in _readers(target, targets) if changes else ():
        if own:
            todo = f"rcs uninstall --client {reader} --scope {own.target.scope}"
            yield f"{CLIENTS[reader].title} runs these hooks too, and has its own in {own.path}: {todo}"


def of_uninstall(target: InstallTarget, changes: Sequence[Change], targets: Sequence[InstallTarget]) -> Iterator[str]:
    """Yield what to say of the uninstall of a target. `targets`: all targets of the same command."""
    for reader, own in _readers(target, targets) if changes else ():
        if own is None:
            title = CLIENTS[reader].title
            yield f"{title} has run these hooks too; to keep them there: rcs setup --client {reader}"
    if target.scope == PROJECT:
        named = {each.client for each in targets}
        for each in serving(target.host, target.client):
            if each.target.client not in named:
                todo = f"rcs uninstall --client {each.target.client} --scope {each.target.scope}"
                yield f"it still runs the hooks in {each.path}; to remove those: {todo}"


def _readers(target: InstallTarget, targets: Sequence[InstallTarget]) -> Iterator[tuple[str, Settings | None]]:
    """Yield the clients, but for those of `targets`, that run the hooks of a target too: each with its own hooks."""
    named = {each.client for each in targets}
    for name, installer in installers().items():
        if target.client in installer.reads_hooks_of and target.scope != USER and name not in named:
            read = [each for each in settings_of(target.host, name) if isinstance(each, Settings) and each.ours]
            yield name, next(iter(read), None)
