"""Our entries in Codex' `config.toml`: the MCP server, and folders that the sandbox may write.

Comments and order are kept. A table of ours is changed line by line; where that does not give what is wanted, because
the person has laid the table out in another way, tomlkit changes it (extra `server`).
"""

from __future__ import annotations

import json
import tomllib
from typing import TYPE_CHECKING, Any

from rcs_hooks.clients.entries import SERVER, Record, SetupBlocked, merged_server
from rcs_hooks.errors import Refused, needs_extra

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

SERVERS = "mcp_servers"
TABLE = f"{SERVERS}.{SERVER}"
SANDBOX, ROOTS = "sandbox_workspace_write", "writable_roots"
APPROVAL, APPROVED = "default_tools_approval_mode", "approve"
"""The field and value in the server's entry that let the agent call its tools without asking the person."""
MOST_DOTS = 2_000
"""The most dots in one line: a key of a hundred thousand parts would make the parser use all memory."""


def parse(text: str) -> Record:
    """Parse a TOML text. Raises ValueError."""
    if any(line.count(".") > MOST_DOTS for line in text.splitlines()):
        raise ValueError("a line of it has too many parts")
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise ValueError("it is nested too deep") from None


# --- the server


def with_server(text: str, entry: Record, *, is_shared: bool = True) -> str:
    """Return the config with our server's entry, and with what the person has added to it. Raises Refused, ValueError.

    `is_shared`: whether the file may have come with a repository, so that no variable is taken over from it.
    """
    config = parse(text)
    servers = _table(config, SERVERS)
    entry = merged_server(servers.get(SERVER), entry, is_shared=is_shared)
    if servers.get(SERVER) == entry:
        return text
    wanted = config | {SERVERS: servers | {SERVER: entry}}
    if SERVER not in servers:
        return _changed(text, SERVERS, wanted, _with_table(text, _lines(TABLE, entry)))

    def replace(document: Any) -> None:
        document[SERVERS][SERVER] = _tomlkit_table(entry)

    return _changed(text, SERVERS, wanted, _with_lines(text, TABLE, _lines(TABLE, entry)), replace)


def without_server(text: str) -> str:
    """Return the config without our server's entry. Raises Refused, ValueError."""
    config = parse(text)
    servers = _table(config, SERVERS)
    if SERVER not in servers:
        return text
    wanted = config | {SERVERS: {name: entry for name, entry in servers.items() if name != SERVER}}

    def remove(document: Any) -> None:
        del document[SERVERS][SERVER]
        if not document[SERVERS]:
            del document[SERVERS]

    return _changed(text, SERVERS, wanted, _with_lines(text, TABLE, []), remove)


# --- the folders that the sandbox may write


def with_roots(text: str, wanted: Iterable[str]) -> str:
    """Return the config with these folders among those that the sandbox lets an agent write.

    Raises Refused, ValueError.
    """
    config = parse(text)
    roots = writable_roots(config)
    missing = [root for root in wanted if root not in roots]
    if not missing:
        return text
    table = _table(config, SANDBOX)
    table = table | {ROOTS: [*table.get(ROOTS, []), *missing]}
    if SANDBOX not in config:
        return _changed(text, SANDBOX, config | {SANDBOX: table}, _with_table(text, _lines(SANDBOX, table)))

    def add(document: Any) -> None:
        document[SANDBOX].setdefault(ROOTS, [])
        for root in missing:
            document[SANDBOX][ROOTS].append(root)

    return _changed(text, SANDBOX, config | {SANDBOX: table}, None, add)


def without_roots(text: str, ours: Iterable[str]) -> str:
    """Return the config without these folders among those that the sandbox lets an agent write."""
    config = parse(text)
    present = [root for root in ours if root in writable_roots(config)]
    if not present:
        return text
    table = config[SANDBOX] | {ROOTS: [root for root in config[SANDBOX][ROOTS] if root not in present]}
    by_lines = _with_lines(text, SANDBOX, []) if table == {ROOTS: []} else None

    def remove(document: Any) -> None:
        for root in present:
            document[SANDBOX][ROOTS].remove(root)
        if not document[SANDBOX][ROOTS]:
            del document[SANDBOX][ROOTS]
        if not document[SANDBOX]:
            del document[SANDBOX]

    return _changed(text, SANDBOX, config | {SANDBOX: table}, by_lines, remove)


def writable_roots(config: Mapping[str, Any]) -> list[str]:
    """List the folders that a config lets an agent write; empty if it names none.

    Raises Refused if that is not a list.
    """
    roots = _table(config, SANDBOX).get(ROOTS, [])
    if not isinstance(roots, list):
        raise Refused(f"{SANDBOX}.{ROOTS} is not a list")
    return [root for root in roots if isinstance(root, str)]


def _table(config: Mapping[str, Any], name: str) -> Record:
    table = config.get(name, {})
    if not isinstance(table, dict):
        raise Refused(f"{name} is not a table")
    return table


# --- changing the text


def _changed(
    text: str, name: str, wanted: Record, by_lines: str | None, by_tomlkit: Callable[[Any], None] | None = None
) -> str:
    """Return a changed text that parses as `wanted`. Raises Refused if neither way of changing it gives that.

    `name`: the changed table. `by_lines`: the text changed by whole lines, which is tried first. `by_tomlkit`: changes
    a document of tomlkit.
    """
    if by_lines is not None and _says(by_lines, wanted, name):
        return by_lines
    if by_tomlkit is not None:
        document = _document(text, name)
        by_tomlkit(document)
        new = str(document.as_string())
        if _says(new, wanted, name):
            return new
    raise Refused(f"{name} is laid out in a way that cannot be changed here; make it a table [{name}] of its own")


def _says(text: str, wanted: Record, name: str) -> bool:
    try:
        return _without_empty(parse(text), name) == _without_empty(wanted, name)
    except ValueError:
        return False


def _without_empty(config: Record, name: str) -> Record:
    table = {key: value for key, value in config.get(name, {}).items() if value != []}
    return {key: value for key, value in config.items() if key != name} | ({name: table} if table else {})


def _with_table(text: str, new: list[str]) -> str:
    """Return the text with these lines of a table at its end, where no comment on another table can be above them."""
    newline = _newline(text)
    gap = "" if not text else newline if text.endswith("\n") else newline * 2
    return f"{text}{gap}{newline.join(new)}{newline}"


def _with_lines(text: str, table: str, new: list[str]) -> str:
    """Return the text with the lines of one of our tables replaced, except for its comments.

    Comments right before the next table belong to the next one. The caller has to check the result: a line that looks
    like the head of a table may be part of a string.
    """
    lines = text.splitlines(keepends=True)
    heads = [line.lstrip() for line in lines]
    ours = (f"[{table}]", f"[{table}.")
    start = next((n for n, head in enumerate(heads) if head.startswith(ours[0])), len(lines))
    end = next(
        (n for n, head in enumerate(heads) if n > start and head.startswith("[") and not head.startswith(ours)),
        len(lines),
    )
    while end > start and (not heads[end - 1] or heads[end - 1].startswith("#")):
        end -= 1
    comments = [line for line, head in zip(lines[start:end], heads[start:end], strict=True) if head.startswith("#")]
    if not new and start and not heads[start - 1]:
        start -= 1
    newline = _newline(text)
    return "".join([*lines[:start], *(line + newline for line in new), *comments, *lines[end:]])


def _newline(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _document(text: str, name: str) -> Any:
    try:
        import tomlkit
    except ImportError:
        raise SetupBlocked(needs_extra("tomlkit", f"a change of its {name}")) from None
    return tomlkit.parse(text)


def _tomlkit_table(entry: Record) -> Any:
    import tomlkit

    table = tomlkit.table()
    for key, value in entry.items():
        table.add(key, value)
    return table


def _lines(table: str, entry: Record) -> list[str]:
    return [f"[{table}]", *(f"{key} = {_toml(value)}" for key, value in entry.items())]


def _toml(value: object) -> str:
    """Return a value as TOML, which reads strings and lists of strings as JSON writes them."""
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{json.dumps(key)} = {_toml(inner)}" for key, inner in value.items()) + " }"
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
