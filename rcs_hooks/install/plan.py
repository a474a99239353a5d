"""Which files `rcs setup` and `rcs uninstall` change, and how. Reads files; writes none."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from rcs_hooks.clients import entries
from rcs_hooks.clients.entries import SetupBlocked
from rcs_hooks.clients.handlers import COMMAND, MCP, TOOLS
from rcs_hooks.clients.reading import value_at
from rcs_hooks.editing import files
from rcs_hooks.editing.files import Change
from rcs_hooks.editing.jsontree import BOM
from rcs_hooks.errors import Refused
from rcs_hooks.install.original import before_setup, is_bare, without_copied, without_ours

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from rcs_hooks.clients.client_file import ClientFile
    from rcs_hooks.clients.entries import Spot
    from rcs_hooks.clients.installer import InstallTarget, SetupOptions


def setup(target: InstallTarget, options: SetupOptions) -> list[Change]:
    """Return the changes that setup makes for one target, the file with the hooks last.

    Raises Refused if a file has to be left alone.
    """
    changes: list[Change] = []
    # The file with the hooks comes last: the server that they ask must be there first.
    for file in reversed(target.files):
        _plan(changes, file, partial(file.with_ours, options=options))
    return _restored(target, changes)


def transport_of(target: InstallTarget) -> str:
    """Return the transport of our hooks in the file that setup writes; COMMAND if it has none or cannot be read."""
    file = target.hooks_file
    try:
        value = value_at(file.path, file.boundary, file.load, file.kind)
        ours = entries.ours(target.installer.hooks_in(value or {}))
    except Refused:
        return COMMAND  # the plan of the change says what is wrong with the file
    tools = [(event, handler.get("tool")) for (event, *_), handler in ours if handler.get("type") == entries.TOOL_TYPE]
    return MCP if any(TOOLS.get(event) == tool for event, tool in tools) else COMMAND


def served(target: InstallTarget, planned: Iterable[Change]) -> dict[str, str]:
    """Return the events for which a client runs our hook from another client's file, each with the path of that file.

    `planned`: the changes of other clients' files that are about to be made. Raises Refused if a file cannot be read.
    """
    texts = {change.path: change.new for change in planned}
    found: dict[str, str] = {}
    for file in target.installer.serving(target):
        text = texts[file.path] if file.path in texts else files.read(file.path, file.boundary)
        try:
            ours = entries.ours(file.load(file.filled(text).removeprefix(BOM)))
        except (ValueError, RecursionError, Refused):
            continue  # the client itself cannot read it, or will not take hooks of this shape
        for (event, *_), handler in ours:
            if handler.get("type") != entries.TOOL_TYPE:
                found.setdefault(event, file.path)
    return found


def uninstall(target: InstallTarget) -> list[Change]:
    """Return the changes that uninstall makes for one target. Raises Refused if a file has to be left alone."""
    changes: list[Change] = []
    for file in target.files:
        _plan(changes, file, file.without_target)
    return _restored(target, changes)


def _plan(changes: list[Change], file: ClientFile, change: Callable[[str], str]) -> None:
    """Add the change of one file to `changes`, if it changes.

    Raises Refused, with its path, if it must be left alone.
    """
    path = file.path
    old = files.read(path, file.boundary)
    text = file.filled(old)
    try:
        file.parse(text)
        new = change(text)
        new.encode()
        without_ours(file, new)  # raises now what it would raise when all but this file is written
    except SetupBlocked as error:
        raise Refused(f"{path}: {error}; nothing was changed") from None
    except Refused as error:
        raise Refused(f"{path}: {error}; fix it by hand; nothing was changed") from None
    except UnicodeEncodeError:
        raise Refused(f"{path}: a path or a variable that belongs there is not UTF-8; nothing was changed") from None
    except ValueError as error:
        raise Refused(f"{path} is not {file.kind}: {error}; fix it by hand; nothing was changed") from None
    if new != text:
        files.refuse_unwritable(path)
        files.read_backup(path, file.boundary)
        changes.append(Change(path, old, new, file.diff_context))


def _restored(target: InstallTarget, changes: list[Change]) -> list[Change]:
    """Return the changes; a file that they leave without our entries is restored as it was before setup."""
    return [as_it_was(file, change) if (file := target.file(change.path)) else change for change in changes]


def as_it_was(file: ClientFile, change: Change) -> Change:
    """Return the change; if it leaves none of our entries, one that restores the file as it was or removes it."""
    if not _is_free(file, change):
        return change
    backup = _backup(file)
    new = before_setup(file, change.old, backup)
    first = without_copied(file, backup)
    existed = backup is not None and (first == backup or not is_bare(file, first))  # ours alone is no sign of a file
    return change._replace(
        new=new if existed or not is_bare(file, new) else None, drops_backup=backup is not None and new == first
    )


def backup_for(file: ClientFile, change: Change) -> str | None:
    """Return the text that setup has to back up: the file without our entries; None if no backup is to be written."""
    if change.old is None or _is_free(file, change):
        return None
    backup = _backup(file)
    bare = without_ours(file, change.old)
    is_first = bare == file.filled(change.old)
    first = change.old if is_first else before_setup(file, change.old, backup)
    return None if first == backup or (backup is None and is_bare(file, first) and not is_first) else first


def _backup(file: ClientFile) -> str | None:
    return files.read_backup(file.path, file.boundary)


def _is_free(file: ClientFile, change: Change) -> bool:
    """Tell whether a change leaves none of our entries in its file."""
    return change.new is None or without_ours(file, change.new) == file.filled(change.new)


# --- what a change does to hooks that a client knows by their place


def renews_ours(target: InstallTarget, changes: Iterable[Change]) -> bool:
    """Tell whether the changes replace hooks of ours that were there, so that a client wants them approved again."""
    return any(_hooks_of(target, change, change.old, ours=True) for change in changes)


def moves_others(target: InstallTarget, changes: Iterable[Change]) -> bool:
    """Tell whether the changes move hooks of the person's own, which a client has approved at their old place."""
    if not target.installer.how_to_approve:
        return False
    kept = [change for change in changes if change.new is not None]
    return any(
        _hooks_of(target, each, each.old, ours=False) != _hooks_of(target, each, each.new, ours=False) for each in kept
    )


def _hooks_of(target: InstallTarget, change: Change, text: str | None, *, ours: bool) -> list[tuple[Spot, Any]]:
    file = target.hooks_file
    if change.path != file.path:
        return []
    value = file.parse(file.filled(text))
    return [(spot, handler) for spot, handler in entries.handlers(value) if entries.is_ours(handler) is ours]
