"""Our entries in Claude Code's JSON files, besides the hooks: permission rules, status line and MCP server. PURE."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rcs_hooks.clients import status_line
from rcs_hooks.clients.entries import SERVER, Record, merged_server, part, take_whole
from rcs_hooks.clients.rules import RuleForm
from rcs_hooks.editing import jsonedit, jsontree

if TYPE_CHECKING:
    from collections.abc import Iterable

CARRIERS = (("prove",), ("task", "test"), ("task", "repl"), ("watch",))
"""The commands of `rcs` that run the command that they are given."""
ENABLED = "enabledMcpjsonServers"
RULES = RuleForm("Bash(", ":*)", frozenset({f"mcp__{SERVER}"}))


def rules_for(programs: Iterable[str], *, server: bool) -> list[str]:
    """Return the permission rules that let the agent run `rcs` unasked.

    `programs`: the words for `rcs`. `server`: whether to allow the tools of our MCP server too.
    """
    rules = RULES.allows(programs)
    return [*rules, f"mcp__{SERVER}"] if server else rules


def is_too_wide(rule: str, rcs: str) -> bool:
    """Tell whether a rule lets the agent run any command by `rcs`, without a question.

    It has a `*` where a command would begin: `Bash(rcs task:*)`, `Bash(rcs prove --finish *)`. `rcs`: the words that
    run this program.
    """
    before, star, _ = rule.removeprefix("Bash(").partition("*")
    start = before.removesuffix(":")
    if not (rule.startswith("Bash(") and star and f"{start} ".startswith(f"{rcs} ")):
        return False
    words = start[len(rcs) :].split()
    given = tuple(word for word in words if not word.startswith("-"))
    is_named = bool({"--", "--exec"} & set(words[:-1]))
    begun = words[-1] if given and before.endswith(words[-1]) else ""  # as in `rcs wat*`
    return not is_named and any(_may_begin(given, each, begun) for each in CARRIERS)


def _may_begin(given: tuple[str, ...], carrier: tuple[str, ...], begun: str) -> bool:
    """Tell whether words begin a carrier, or it begins them. `begun`: the last of the words, if it may go on."""
    last = len(given) - 1
    if begun and begun == given[-1] and last < len(carrier) and carrier[last].startswith(begun):
        given = (*given[:-1], carrier[last])
    return given[: len(carrier)] == carrier[: len(given)]


def without_settings(text: str) -> str:
    """Return the settings without our permission rules, our server's approval and our status line."""
    return status_line.take(without_enabled_server(RULES.take(text)))


def with_settings_of(other: str, text: str) -> str:
    """Return the settings `text` with what `without_settings` would remove from the settings `other`."""
    text = RULES.copy(other, text)
    text = with_enabled_server(text) if SERVER in jsontree.parse(other).value.get(ENABLED, []) else text
    return status_line.copy(other, text)


def with_server(text: str, entry: Record, *, is_shared: bool = True, path: jsonedit.Path = ()) -> str:
    """Return the text of a file of servers with our server's entry. Raises Refused if the file has another shape.

    `path`: the keys that lead to `mcpServers`. `is_shared`: whether the file may have come with a repository.
    """
    text = text if text.strip() else "{}\n"
    old = _servers_below(text, path).get(SERVER)
    wanted = merged_server(old, entry, is_shared=is_shared)
    return text if old == wanted else jsonedit.put(text, (*path, "mcpServers", SERVER), wanted)


def _servers_below(text: str, path: jsonedit.Path) -> Record:
    value = jsontree.parse(text).value
    for key in path:
        value = part(value, str(key), dict)
    servers: Record = part(value, "mcpServers", dict)
    return servers


def servers(text: str) -> list[tuple[jsonedit.Path, Record]]:
    """List our server's entries in a file of servers, each after the keys that lead to its `mcpServers`.

    The person's own file may have one for all projects, and one for each project.
    """
    whole = jsontree.parse(text).value
    projects = whole.get("projects") if isinstance(whole, dict) else None
    below: list[tuple[jsonedit.Path, Any]] = [((), whole)]
    below += [(("projects", name), each) for name, each in projects.items()] if isinstance(projects, dict) else []
    maps = [(path, each.get("mcpServers")) for path, each in below if isinstance(each, dict)]
    return [(path, servers[SERVER]) for path, servers in maps if isinstance(servers, dict) and SERVER in servers]


def without_server(text: str, path: jsonedit.Path = ()) -> str:
    """Return the text of a file of servers without our server's entry. `path`: the keys that lead to `mcpServers`."""
    return take_whole(text, (*path, "mcpServers", SERVER)) if SERVER in _servers_below(text, path) else text


def with_enabled_server(text: str) -> str:
    """Return the settings with our server approved, so that Claude Code starts it from `.mcp.json` unasked."""
    enabled = part(jsontree.parse(text).value, ENABLED, list)
    return text if SERVER in enabled else jsonedit.put(text, (ENABLED, len(enabled)), SERVER)


def without_enabled_server(text: str) -> str:
    """Return the settings without the approval of our server."""
    enabled = part(jsontree.parse(text).value, ENABLED, list)
    return take_whole(text, (ENABLED, enabled.index(SERVER))) if SERVER in enabled else text
