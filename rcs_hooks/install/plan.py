"""Which files `rcs setup` and `rcs uninstall` change, and how. Reads; writes nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from rcs_hooks.errors import Refused
from rcs_hooks.install import clients, edit, jsonedit, merge, tomledit
from rcs_hooks.install.clients import CLAUDE, CODEX, MCP, PROJECT
from rcs_hooks.install.edit import Change
from rcs_hooks.install.settings import in_project

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from rcs_hooks.install.clients import Place


SHARED = ("hooks", "permissions", "mcpServers", "projects", merge.ENABLED, "mcp_servers", tomledit.SANDBOX)
"""Where ours stand among others."""


class Plan(NamedTuple):
    changes: list[Change]
    by_hand: list[tuple[str, str]]
    """A file that cannot be edited here, and the lines to paste into it."""


def setup(place: Place, transport: str, *, writable: bool = False, statusline: bool = False) -> Plan:
    plan = Plan([], [])
    handlers = clients.hook_handlers(place.client, transport)
    if place.client == CODEX:
        _edit(plan, place, place.hooks_file, lambda text: merge.with_handlers(text, handlers))
        _edit(plan, place, place.config_file, lambda text: _codex_config(place, text, transport, writable=writable))
        return _restored(plan, place)
    entry = clients.server_entry(place.machine, place.client)
    rules = clients.rules(place.machine, transport)
    line = clients.status_line(place.machine)

    def settings(text: str) -> str:
        text = _claude_settings(place, text, transport, handlers, rules)
        return merge.with_status_line(text, line, add=statusline)

    # The server first: its name is approved in the settings, and one of that name may have come with a repository.
    _edit(plan, place, place.servers_file, lambda text: _claude_servers(place, text, transport, entry))
    _edit(plan, place, place.hooks_file, settings)
    return _restored(plan, place)


def _claude_servers(place: Place, text: str, transport: str, entry: clients.Record) -> str:
    if transport != MCP:
        return merge.without_server(text, place.servers_path)
    is_shared = _is_shared(place, place.servers_file)
    return merge.with_server(text, entry, is_shared=is_shared, path=place.servers_path)


def _is_shared(place: Place, path: str) -> bool:
    """Whether a repository may have brought the file."""
    return place.scope == PROJECT or in_project(place.machine, path)


def _restored(plan: Plan, place: Place) -> Plan:
    """A file that has nothing of ours any more, as the server's after a change to commands, is what it was."""
    return plan._replace(changes=[as_it_was(place, c) if _is_free(place, c) else c for c in plan.changes])


def _is_free(place: Place, change: Change) -> bool:
    """Whether nothing of ours is left in it."""
    return change.new is None or _undone(place, change.path, change.new) == _given(change.path, change.new)


def _claude_settings(
    place: Place, text: str, transport: str, handlers: dict[str, clients.Record], rules: list[str]
) -> str:
    text = merge.with_rules(merge.with_handlers(text, handlers), rules)
    if transport == MCP and place.scope == PROJECT:
        return merge.with_enabled_server(text)
    return merge.without_enabled_server(text)


def _codex_config(place: Place, text: str, transport: str, *, writable: bool) -> str:
    entry = clients.server_entry(place.machine, place.client)
    is_shared = _is_shared(place, place.config_file)

    def serve(text: str) -> str:
        return (
            tomledit.with_server(text, entry, is_shared=is_shared)
            if transport == MCP
            else tomledit.without_server(text)
        )

    steps = [serve]
    if writable:
        steps.append(lambda text: tomledit.with_roots(text, _roots(place)))
    return _in_steps(text, steps)


def _in_steps(text: str, steps: Sequence[Callable[[str], str]]) -> str:
    """Where tomlkit is not there, the lines of all steps are to be pasted."""
    lines = []
    for step in steps:
        try:
            text = step(text)
        except tomledit.NoTomlkit as missing:
            lines.append(str(missing))
    if lines:
        raise tomledit.NoTomlkit("\n\n".join(lines))
    return text


def _roots(place: Place) -> list[str]:
    store, state = clients.writable(place.machine)
    return [store, state] if place.scope == PROJECT else [store]


def renews_ours(place: Place, changes: Iterable[Change]) -> bool:
    """Whether hooks of ours were there and are others now, so that Codex wants them approved again."""
    return any(_hooks_of(place, change, change.old, ours=True) for change in changes)


def moves_others(place: Place, changes: Iterable[Change]) -> bool:
    """Whether hooks of the person's own have another place now: Codex approves a hook at its place."""
    changes = [change for change in changes if place.client == CODEX and change.new is not None]
    return any(_hooks_of(place, c, c.old, ours=False) != _hooks_of(place, c, c.new, ours=False) for c in changes)


def _hooks_of(place: Place, change: Change, text: str | None, *, ours: bool) -> list[tuple[merge.Place, Any]]:
    if change.path != place.hooks_file:
        return []
    settings = jsonedit.parse(_given(change.path, text)).value
    return [(spot, handler) for spot, handler in merge.handlers(settings) if merge.is_ours(handler) is ours]


def uninstall(place: Place) -> Plan:
    plan = Plan([], [])
    if place.client == CODEX:
        _edit(plan, place, place.hooks_file, merge.without_handlers)
        _edit(plan, place, place.config_file, lambda text: _without_config(place, text))
        return plan
    _edit(plan, place, place.hooks_file, _without_settings)
    _edit(plan, place, place.servers_file, lambda text: merge.without_server(text, place.servers_path))
    return plan


def _without_settings(text: str) -> str:
    text = merge.without_rules(merge.without_handlers(text))
    return merge.without_status_line(merge.without_enabled_server(text))


def _without_config(place: Place, text: str) -> str:
    return _in_steps(text, [tomledit.without_server, lambda text: tomledit.without_roots(text, _roots(place))])


def _edit(plan: Plan, place: Place, path: str, change: Callable[[str], str]) -> None:
    """Notes what becomes of a file. Raises Refused, with the file's name, for one that is left alone."""
    old = edit.read(path, place.within_of(path))
    is_json = path.endswith(".json")
    given = _given(path, old)
    try:
        _parsed(path, given)
        new = change(given)
        new.encode()
    except merge.TakenByPerson as error:
        raise Refused(f"{path}: {error}; nothing was changed") from None
    except Refused as error:
        raise Refused(f"{path}: {error}; mend it by hand, nothing was changed") from None
    except tomledit.NoTomlkit as missing:
        plan.by_hand.append((path, str(missing)))
        return
    except UnicodeEncodeError:
        raise Refused(
            f"{path}: a path or a variable of yours that belongs there is not UTF-8, nothing was changed"
        ) from None
    except ValueError as error:
        kind = "JSON" if is_json else "TOML"
        raise Refused(f"{path} is not {kind}: {error}; mend it by hand, nothing was changed") from None
    if new != given:
        edit.refuse_unwritable(path)
        edit.read(edit.kept_path(path), place.within_of(path))
        context = 3 if place.client == CODEX and path == place.hooks_file else 0  # Claude Code's hold tokens in `env`
        plan.changes.append(Change(path, old, new, context))


def _given(path: str, text: str | None) -> str:
    """What stands for a file that is not there, or has nothing in it."""
    text = text or ""
    return text if text.strip() or not path.endswith(".json") else "{}\n"


def as_it_was(place: Place, change: Change) -> Change:
    """For uninstall: the old file to the byte, where what is left says the same; and no file where there was none."""
    kept = edit.read(edit.kept_path(change.path), place.within_of(change.path))
    if kept is None:
        return change._replace(new=None) if _is_bare(change.new) else change
    return (
        change._replace(new=kept)
        if _says_the_same(place, change.path, kept, _given(change.path, change.new))
        else change
    )


def to_keep(place: Place, change: Change) -> str | None:
    """For setup: what is kept beside, which is the file without ours; None where that is there already."""
    if _is_free(place, change):
        return None
    if change.old is None or (undone := _undone(place, change.path, change.old)) == _given(change.path, change.old):
        return change.old
    kept = edit.read(edit.kept_path(change.path), place.within_of(change.path))
    if kept is None:
        return None if _is_bare(undone) else undone
    return None if _says_the_same(place, change.path, kept, undone) else undone


def _is_bare(text: str | None) -> bool:
    return (text or "").strip() in ("{}", "")


def _says_the_same(place: Place, path: str, kept: str, text: str) -> bool:
    try:
        return bool(_bare(_parsed(path, _undone(place, path, kept))) == _bare(_parsed(path, text)))
    except (ValueError, Refused, tomledit.NoTomlkit):
        return False


def _bare(settings: Any) -> Any:
    """Without the empty containers where ours stand: those go with ours when they are taken out."""
    bare = {key: _without_empty(value) if key in SHARED else value for key, value in settings.items()}
    return {key: value for key, value in bare.items() if key not in SHARED or value not in ({}, [])}


def _without_empty(value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    inner = {key: _without_empty(part) for key, part in value.items()}
    return {key: part for key, part in inner.items() if part not in ({}, [])}


def _parsed(path: str, text: str) -> object:
    return jsonedit.parse(text).value if path.endswith(".json") else tomledit.parse(text)


def _undone(place: Place, path: str, text: str) -> str:
    return _undo(place, path)(_given(path, text))


def _undo(place: Place, path: str) -> Callable[[str], str]:
    if path == place.config_file:
        return lambda text: _without_config(place, text)
    if place.client == CLAUDE and path == place.servers_file:
        return lambda text: merge.without_server(text, place.servers_path)
    return _without_settings if place.client == CLAUDE else merge.without_handlers
