"""Changes `config.toml` of Codex and keeps its comments and order, with tomlkit (extra `server`).

Without tomlkit nothing is changed; the lines to paste are shown instead.
"""

from __future__ import annotations

import json
import tomllib
from typing import TYPE_CHECKING, Any

from rcs_hooks.errors import Refused
from rcs_hooks.install.merge import SERVER, server_beside

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

Record = dict[str, Any]
SANDBOX, ROOTS = "sandbox_workspace_write", "writable_roots"
MOST_DOTS = 2_000
"""In one line of TOML: a key of a hundred thousand parts would cost the parser all the memory there is."""


class NoTomlkit(Exception):
    """Raised where the file would have to be changed and tomlkit is not installed; holds the lines to paste."""


def parse(text: str) -> Record:
    """Raises ValueError."""
    if any(line.count(".") > MOST_DOTS for line in text.splitlines()):
        raise ValueError("a line of it has too many parts")
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise ValueError("it is nested too deep") from None


def with_server(text: str, entry: Record, *, is_shared: bool = True) -> str:
    servers = _table(parse(text), "mcp_servers")
    wanted = server_beside(servers.get(SERVER), entry, is_shared=is_shared)
    if servers.get(SERVER) == wanted:
        return text
    lines = _lines((f"mcp_servers.{SERVER}",), wanted)
    document = _document(
        text, [f"# in place of the [mcp_servers.{SERVER}] that is there", *lines] if SERVER in servers else lines
    )
    config = parse(text) | {"mcp_servers": servers | {SERVER: wanted}}
    if SERVER in servers:
        new = _with_lines(text, lines)
        if _says(new, config, "mcp_servers"):
            return new
        document["mcp_servers"][SERVER] = _filled(wanted)
        new = str(document.as_string())
    else:  # at the end, where no comment on another table can end up above ours
        newline = "\r\n" if "\r\n" in text else "\n"
        gap = "" if not text else newline if text.endswith("\n") else newline * 2
        new = f"{text}{gap}{newline.join(lines)}{newline}"
    return _sound(new, config, "mcp_servers")


def without_server(text: str) -> str:
    if SERVER not in _table(parse(text), "mcp_servers"):
        return text
    document = _document(text, [f"(take out [mcp_servers.{SERVER}])"])
    rest = {name: entry for name, entry in parse(text)["mcp_servers"].items() if name != SERVER}
    config = parse(text) | {"mcp_servers": rest}
    new = _with_lines(text, [])
    if _says(new, config, "mcp_servers"):
        return new
    del document["mcp_servers"][SERVER]
    if not document["mcp_servers"]:
        del document["mcp_servers"]
    return _sound(str(document.as_string()), config, "mcp_servers")


def _with_lines(text: str, new: list[str]) -> str:
    """With these lines in place of our table, which ends before the comment on the next: tomlkit would take that
    along. To be checked: a line that looks like the head of a table may stand in a text."""
    lines = text.splitlines(keepends=True)
    heads = [line.lstrip() for line in lines]
    start = next((n for n, head in enumerate(heads) if head.startswith(f"[mcp_servers.{SERVER}]")), len(lines))
    end = next(
        (n for n, head in enumerate(heads) if n > start and head.startswith("[") and SERVER not in head), len(lines)
    )
    while end > start and (not heads[end - 1] or heads[end - 1].startswith("#")):
        end -= 1
    if not new and start and not heads[start - 1]:
        start -= 1
    newline = "\r\n" if "\r\n" in text else "\n"
    return "".join([*lines[:start], *(line + newline for line in new), *lines[end:]])


def with_roots(text: str, wanted: Iterable[str]) -> str:
    """Folders that the sandbox lets an agent write besides its own."""
    roots = writable_roots(parse(text))
    missing = [root for root in wanted if root not in roots]
    if not missing:
        return text
    lines = _lines((SANDBOX,), {ROOTS: [*roots, *missing]})
    if SANDBOX in parse(text):
        lines[0] = f"# in the [{SANDBOX}] that is there, in place of its {ROOTS}"
    document = _document(text, lines)
    table = document.setdefault(SANDBOX, _table_kit())
    table.setdefault(ROOTS, [])
    for root in missing:
        table[ROOTS].append(root)
    config = parse(text)
    wanted_table = _table(config, SANDBOX) | {ROOTS: [*_table(config, SANDBOX).get(ROOTS, []), *missing]}
    return _sound(str(document.as_string()), config | {SANDBOX: wanted_table}, SANDBOX)


def without_roots(text: str, ours: Iterable[str]) -> str:
    present = [root for root in ours if root in writable_roots(parse(text))]
    if not present:
        return text
    document = _document(text, [f"(take {', '.join(present)} out of {SANDBOX}.{ROOTS})"])
    table = document[SANDBOX]
    for root in present:
        table[ROOTS].remove(root)
    if not table[ROOTS]:
        del table[ROOTS]
    if not table:
        del document[SANDBOX]
    config = parse(text)
    rest = config[SANDBOX] | {ROOTS: [root for root in config[SANDBOX][ROOTS] if root not in present]}
    return _sound(str(document.as_string()), config | {SANDBOX: rest}, SANDBOX)


def _sound(new: str, wanted: Record, name: str) -> str:
    """The new text, if it says what is wanted: not every way to lay a table out survives a change."""
    if not _says(new, wanted, name):
        raise Refused(f"{name} is laid out in a way that cannot be changed here; make it a table [{name}] of its own")
    return new


def _says(text: str, wanted: Record, name: str) -> bool:
    try:
        return _without_empty(parse(text), name) == _without_empty(wanted, name)
    except ValueError:
        return False


def _without_empty(config: Record, name: str) -> Record:
    table = {key: value for key, value in config.get(name, {}).items() if value != []}
    return {key: value for key, value in config.items() if key != name} | ({name: table} if table else {})


def writable_roots(config: Mapping[str, Any]) -> list[str]:
    roots = _table(config, SANDBOX).get(ROOTS, [])
    if not isinstance(roots, list):
        raise Refused(f"{SANDBOX}.{ROOTS} is no list")
    return [root for root in roots if isinstance(root, str)]


def _table(config: Mapping[str, Any], name: str) -> Record:
    table = config.get(name, {})
    if not isinstance(table, dict):
        raise Refused(f"{name} is no table")
    return table


def _document(text: str, lines: Iterable[str]) -> Any:
    try:
        import tomlkit
    except ImportError:
        raise NoTomlkit("\n".join(lines)) from None
    return tomlkit.parse(text)


def _table_kit() -> Any:
    import tomlkit

    return tomlkit.table()


def _filled(entry: Record) -> Any:
    table = _table_kit()
    for key, value in entry.items():
        table.add(key, value)
    return table


def _lines(path: tuple[str, ...], entry: Record) -> list[str]:
    """As TOML; JSON writes strings and lists of them in a way that TOML reads."""
    return [f"[{'.'.join(path)}]", *(f"{key} = {_toml(value)}" for key, value in entry.items())]


def _toml(value: object) -> str:
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{json.dumps(key)} = {_toml(inner)}" for key, inner in value.items()) + " }"
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
