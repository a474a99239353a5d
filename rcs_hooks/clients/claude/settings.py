"""Our entries in Claude Code's JSON files, besides the hooks: permission rules, status line and MCP server. PURE."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Any

from rcs_hooks.clients.entries import SERVER, Record, SetupBlocked, merged_server, part, take_whole, words_of
from rcs_hooks.editing import jsonedit

if TYPE_CHECKING:
    from collections.abc import Iterable

TASK_ACTIONS = ("new", "list", "status", "schema", "next", "plan", "codegen", "review", "collect", "redo")
"""What an agent may do with a task unasked: it runs no command and undoes no work. No rule can tell `next --override`
from `next`: an override into done, which would accept the work, is refused in an agent's shell, and any other is shown
as an agent's."""
ALLOWED_COMMANDS = ("state", "question", "emit", *(f"task {action}" for action in TASK_ACTIONS))
"""The commands of `rcs` that an agent is told to run, without those that carry another command."""
OLDER_COMMANDS = ("task",)
"""What the rules of older versions allowed."""
CARRIERS = (("prove",), ("task", "test"), ("task", "repl"), ("watch",))
"""The commands of `rcs` that run the command that they are given."""
STATUS_LINE = ("hud", "--statusline")
ENABLED = "enabledMcpjsonServers"


def rules_for(programs: Iterable[str], *, server: bool) -> list[str]:
    """Return the permission rules that let the agent run `rcs` unasked.

    `programs`: the words for `rcs`. `server`: whether to allow the tools of our MCP server too.
    """
    rules = [f"Bash({program} {command}:*)" for program in programs for command in ALLOWED_COMMANDS]
    return [*rules, f"mcp__{SERVER}"] if server else rules


def is_our_rule(rule: object) -> bool:
    """Tell whether setup may have written this permission rule."""
    if not isinstance(rule, str):
        return False
    if rule == f"mcp__{SERVER}":
        return True
    inner = rule.removeprefix("Bash(").removesuffix(":*)")
    try:
        words = shlex.split(inner)
    except ValueError:
        return False
    is_whole = rule == f"Bash({inner}:*)" and words[:1] != [] and words[0].rpartition("/")[2] == "rcs"
    return is_whole and " ".join(words[1:]) in (*ALLOWED_COMMANDS, *OLDER_COMMANDS)


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


def with_rules(text: str, wanted: Iterable[str]) -> str:
    """Return the settings with these permission rules and no other rules of ours; unchanged if none is wanted."""
    wanted = list(wanted)
    path = ("permissions", "allow")
    stale = [rule for rule in _rules(text) if is_our_rule(rule) and rule not in wanted]
    for rule in stale if wanted else ():
        text = jsonedit.take(text, (*path, _rules(text).index(rule)))
    for rule in wanted:
        if rule not in _rules(text):
            text = jsonedit.put(text, (*path, len(_rules(text))), rule)
    return text


def without_rules(text: str) -> str:
    """Return the settings without our permission rules."""
    while number := next((n + 1 for n, rule in enumerate(_rules(text)) if is_our_rule(rule)), 0):
        text = take_whole(text, ("permissions", "allow", number - 1))
    return text


def _rules(text: str) -> list[Any]:
    permissions = part(jsonedit.parse(text).value, "permissions", dict)
    rules: list[Any] = part(permissions, "allow", list, "permissions")
    return rules


def is_our_status_line(value: object) -> bool:
    """Tell whether a status line runs `rcs hud --statusline`."""
    words = words_of(value) if isinstance(value, dict) else []
    return words[:1] != [] and words[0].rpartition("/")[2] == "rcs" and tuple(words[1:]) == STATUS_LINE


def with_status_line(text: str, wanted: Record, *, add: bool) -> str:
    """Return the settings with our status line brought up to date; if `add`, also add it where there is none.

    Raises SetupBlocked if it is to be added, and the person has a status line of their own.
    """
    old = jsonedit.parse(text).value.get("statusLine")
    if is_our_status_line(old):
        return text if old.items() >= wanted.items() else jsonedit.put(text, ("statusLine",), wanted)
    if not add:
        return text
    if old is not None:
        raise SetupBlocked(
            f"it has a statusLine of your own, which stays: let that run `{wanted['command']}` too,"
            " or remove it and run this command again"
        )
    return jsonedit.put(text, ("statusLine",), wanted)


def without_status_line(text: str) -> str:
    """Return the settings without a status line that is ours."""
    settings = jsonedit.parse(text).value
    is_ours = isinstance(settings, dict) and is_our_status_line(settings.get("statusLine"))
    return jsonedit.take(text, ("statusLine",)) if is_ours else text


def without_settings(text: str) -> str:
    """Return the settings without our permission rules, our server's approval and our status line."""
    return without_status_line(without_enabled_server(without_rules(text)))


def with_settings_of(other: str, text: str) -> str:
    """Return the settings `text` with what `without_settings` would remove from the settings `other`."""
    settings = jsonedit.parse(other).value
    text = with_rules(text, [rule for rule in _rules(other) if is_our_rule(rule)])
    text = with_enabled_server(text) if SERVER in settings.get(ENABLED, []) else text
    line = settings.get("statusLine")
    return with_status_line(text, line, add=True) if is_our_status_line(line) else text


def with_server(text: str, entry: Record, *, is_shared: bool = True, path: jsonedit.Path = ()) -> str:
    """Return the text of a file of servers with our server's entry. Raises Refused if the file has another shape.

    `path`: the keys that lead to `mcpServers`. `is_shared`: whether the file may have come with a repository.
    """
    text = text if text.strip() else "{}\n"
    old = _servers_below(text, path).get(SERVER)
    wanted = merged_server(old, entry, is_shared=is_shared)
    return text if old == wanted else jsonedit.put(text, (*path, "mcpServers", SERVER), wanted)


def _servers_below(text: str, path: jsonedit.Path) -> Record:
    value = jsonedit.parse(text).value
    for key in path:
        value = part(value, str(key), dict)
    servers: Record = part(value, "mcpServers", dict)
    return servers


def servers(text: str) -> list[tuple[jsonedit.Path, Record]]:
    """List our server's entries in a file of servers, each after the keys that lead to its `mcpServers`.

    The person's own file may have one for all projects, and one for each project.
    """
    whole = jsonedit.parse(text).value
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
    enabled = part(jsonedit.parse(text).value, ENABLED, list)
    return text if SERVER in enabled else jsonedit.put(text, (ENABLED, len(enabled)), SERVER)


def without_enabled_server(text: str) -> str:
    """Return the settings without the approval of our server."""
    enabled = part(jsonedit.parse(text).value, ENABLED, list)
    return take_whole(text, (ENABLED, enabled.index(SERVER))) if SERVER in enabled else text
