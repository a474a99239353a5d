"""Our entries in a client's settings: put in, found again, taken out. PURE.

Rules of this file:
- An entry is ours by the program it calls (`rcs-hook`, or its module) or the server it asks (`rcs_state`), whatever
  else it says.
- Ours is replaced where it stands, so that nobody else's place changes: Codex trusts a hook by its place.
- Of an entry that is there, only what cannot run anything is kept, a time-out say: it may have come with a repository.
- A container that is empty once ours is out goes with it.
"""

from __future__ import annotations

import re
import shlex
from typing import TYPE_CHECKING, Any

from rcs_hooks.errors import Refused
from rcs_hooks.install import jsonedit

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

Record = dict[str, Any]
Place = tuple[str, int, int]
"""Event, group, handler."""

PROGRAM = "rcs-hook"
SERVER = "rcs_state"
ALLOWED_COMMANDS = ("state", "question", "emit", "task")
"""What an agent is told to run."""
PERSONAL_FIELDS = frozenset({"timeout", "statusMessage", "additionalContextLimit"})
"""What a person may have set in a hook of ours. Any other field could name a program: some clients run `bash`."""
OUR_SERVER_FIELDS = frozenset({"command", "args", "env"})
APPROVAL, APPROVED = "default_tools_approval_mode", "approve"
"""Codex: in the server's entry, what Claude Code has in a rule."""
PERSONAL_SERVER_FIELDS = frozenset({"timeout", "startup_timeout_sec", "tool_timeout_sec", "omit_tools_from", APPROVAL})
STATUS_LINE = ("hud", "--statusline")
HOOK_CODE = "from rcs_hooks.hook.entry import main; main()"
HOOK_OPTIONS = ("-EP", "-c", HOOK_CODE)
"""Nothing is imported from the folder of the call, nor from where a variable says."""
GUARD = ("||", "exit", "0")
"""A client takes exit status 2 as a block, and that is Python's when it cannot start."""
WRAPPERS = frozenset({"command", "env", "exec", "nohup", "time"})
OUR_VARIABLES = "RCS_"
GROUP = 4
"""Length of the path to the handlers of a group: a group without any, whatever else it says, is nothing."""


def is_ours(handler: object) -> bool:
    if not isinstance(handler, dict):
        return False
    if handler.get("type") == "mcp_tool":
        return handler.get("server") == SERVER
    line = handler.get("command")
    by_shell = _split(line) if isinstance(line, str) else []  # as a client takes it that does not know `args`
    return any(_calls_us(command) for words in (words_of(handler), by_shell) for command in _commands_of(words))


def hook_command(interpreter: str) -> str:
    """The line for a client's shell: exits with 0, whatever becomes of the program."""
    return f"{shlex.join((interpreter, *HOOK_OPTIONS))} {' '.join(GUARD)}"


def interpreter_of(words: Sequence[str]) -> str | None:
    """The Python of a `hook_command`; None for other words."""
    return words[0] if tuple(words[1:]) == (*HOOK_OPTIONS, *GUARD) else None


def _commands_of(words: Sequence[str]) -> Iterator[list[str]]:
    """The single commands of a line, without variables and wrappers before them."""
    command: list[str] = []
    for word in (*words, ";"):
        if word.strip(";&|()<>"):
            if command or not (_is_assignment(word) or word in WRAPPERS):
                command.append(word)
        else:
            yield command
            command = []


def _is_assignment(word: str) -> bool:
    return re.match(r"\w+=", word) is not None


def _name(words: Sequence[str]) -> str:
    return words[0].rpartition("/")[2] if words else ""


def _calls_us(command: Sequence[str]) -> bool:
    if _name(command) == PROGRAM or any(word.endswith(f"/{PROGRAM}") for word in command[1:2]):
        return True
    return _name(command).startswith("python") and any("rcs_hooks.hook" in word for word in command[1:])


def words_of(handler: Mapping[str, Any]) -> list[str]:
    """The program that a handler runs and its arguments; a command without `args` is a line for the shell."""
    command, args = handler.get("command"), handler.get("args")
    if not isinstance(command, str):
        return []
    if isinstance(args, list):
        return [command, *(arg for arg in args if isinstance(arg, str))]
    return _split(command)


def _split(line: str) -> list[str]:
    lexer = shlex.shlex(line, posix=True, punctuation_chars=True)
    lexer.whitespace_split, lexer.commenters = True, ""
    try:
        return list(lexer)
    except ValueError:
        return [line]


def handlers(settings: object) -> Iterator[tuple[Place, Any]]:
    """Every handler with its place. Raises Refused where the hooks have a shape that no client reads."""
    hooks = _part(settings, "hooks", dict)
    for event, groups in hooks.items():
        if not isinstance(groups, list):
            raise Refused(f"hooks.{event} is no list")
        for number, group in enumerate(groups):
            for place, handler in enumerate(_part(group, "hooks", list, f"hooks.{event}.{number}")):
                yield (event, number, place), handler


def _part(value: object, key: str, kind: type, of: str = "") -> Any:
    if not isinstance(value, dict):
        raise Refused(f"{of or 'the whole of it'} is no object")
    part = value.get(key, kind())
    if not isinstance(part, kind):
        raise Refused(f"{of}{'.' if of else ''}{key} is no {'object' if kind is dict else 'list'}")
    return part


def ours(settings: object) -> list[tuple[Place, Record]]:
    return [(place, handler) for place, handler in handlers(settings) if is_ours(handler)]


def with_handlers(text: str, wanted: Mapping[str, Record]) -> str:
    """The text with one handler of ours for each event, and none besides."""
    text = text if text.strip() else "{}\n"
    found = ours(jsonedit.parse(text).value)
    kept: dict[str, Place] = {}
    for place, _ in found:
        if place[0] in wanted:
            kept.setdefault(place[0], place)
    text = _without(text, [place for place, _ in found if place not in kept.values()])
    for event, handler in wanted.items():
        settings = jsonedit.parse(text).value
        there = next(((place, found) for place, found in ours(settings) if place[0] == event), None)
        if there is None:
            groups = settings.get("hooks", {}).get(event, [])
            text = jsonedit.put(text, ("hooks", event, len(groups)), {"hooks": [handler]})
        else:
            (_, group, number), found_there = there
            if not _says(found_there, handler):
                own = {key: value for key, value in found_there.items() if key in PERSONAL_FIELDS}
                text = jsonedit.put(text, ("hooks", event, group, "hooks", number), handler | own)
    return text


def _says(there: Mapping[str, Any], wanted: Mapping[str, Any]) -> bool:
    """Whether an entry does what is wanted, and nothing besides."""
    return without_personal(there) == without_personal(wanted)


def without_personal(handler: Mapping[str, Any]) -> Record:
    return {key: value for key, value in handler.items() if key not in PERSONAL_FIELDS}


def without_handlers(text: str) -> str:
    settings = jsonedit.parse(text).value
    return _without(text, [place for place, _ in ours(settings)])


def _without(text: str, places: Iterable[Place]) -> str:
    """The last first, so that the numbers of the others stay true."""
    for event, group, handler in sorted(places, reverse=True):
        text = take_whole(text, ("hooks", event, group, "hooks", handler))
    return text


def take_whole(text: str, path: jsonedit.Path) -> str:
    """Takes out the value at this path, and with it each container that holds nothing else."""
    settings = jsonedit.parse(text).value
    while len(path) > 1 and _is_alone(settings, path):
        path = path[:-1]
    return jsonedit.take(text, path)


def _is_alone(settings: Any, path: jsonedit.Path) -> bool:
    return (len(path) == GROUP and path[0] == "hooks") or len(_value_at(settings, path[:-1])) == 1


def _value_at(value: Any, path: jsonedit.Path) -> Any:
    for key in path:
        value = value[key]
    return value


# --- the rest of a settings file: rules that let the agent run what it is told to, and the server


def rules_for(programs: Iterable[str], *, server: bool) -> list[str]:
    """Claude Code asks the person before each command of the agent that no rule allows."""
    rules = [f"Bash({program} {command}:*)" for program in programs for command in ALLOWED_COMMANDS]
    return [*rules, f"mcp__{SERVER}"] if server else rules


def is_our_rule(rule: object) -> bool:
    if not isinstance(rule, str):
        return False
    if rule == f"mcp__{SERVER}":
        return True
    inner = rule.removeprefix("Bash(").removesuffix(":*)")
    try:
        words = shlex.split(inner)
    except ValueError:
        return False
    is_whole = rule == f"Bash({inner}:*)" and len(words) == 2
    return is_whole and words[0].rpartition("/")[2] == "rcs" and words[1] in ALLOWED_COMMANDS


def with_rules(text: str, wanted: Iterable[str]) -> str:
    """Those of ours that are not wanted any more go."""
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
    while number := next((n + 1 for n, rule in enumerate(_rules(text)) if is_our_rule(rule)), 0):
        text = take_whole(text, ("permissions", "allow", number - 1))
    return text


def _rules(text: str) -> list[Any]:
    permissions = _part(jsonedit.parse(text).value, "permissions", dict)
    rules: list[Any] = _part(permissions, "allow", list, "permissions")
    return rules


class TakenByPerson(Refused):
    """Raised where the person has put something of their own where ours would stand."""


def is_our_status_line(value: object) -> bool:
    words = words_of(value) if isinstance(value, dict) else []
    return _name(words) == "rcs" and tuple(words[1:]) == STATUS_LINE


def with_status_line(text: str, wanted: Record, *, add: bool) -> str:
    """Put our status line in the place of one of ours, or where there is none if `add`. Raises TakenByPerson."""
    there = jsonedit.parse(text).value.get("statusLine")
    if is_our_status_line(there):
        return text if there.items() >= wanted.items() else jsonedit.put(text, ("statusLine",), wanted)
    if not add:
        return text
    if there is not None:
        raise TakenByPerson(
            f"it has a statusLine of your own, which stays: let that run `{wanted['command']}` too,"
            " or take it out and run the same again"
        )
    return jsonedit.put(text, ("statusLine",), wanted)


def without_status_line(text: str) -> str:
    settings = jsonedit.parse(text).value
    is_ours_there = isinstance(settings, dict) and is_our_status_line(settings.get("statusLine"))
    return jsonedit.take(text, ("statusLine",)) if is_ours_there else text


def with_server(text: str, entry: Record, *, is_shared: bool = True, path: jsonedit.Path = ()) -> str:
    """`mcpServers` of Claude Code, below these keys."""
    text = text if text.strip() else "{}\n"
    there = _servers_below(text, path).get(SERVER)
    wanted = server_beside(there, entry, is_shared=is_shared)
    return text if there == wanted else jsonedit.put(text, (*path, "mcpServers", SERVER), wanted)


def _servers_below(text: str, path: jsonedit.Path) -> Record:
    value = jsonedit.parse(text).value
    for key in path:
        value = _part(value, str(key), dict)
    servers: Record = _part(value, "mcpServers", dict)
    return servers


def server_beside(there: object, entry: Record, *, is_shared: bool = True) -> Record:
    """Our entry with what a person has added to the one that stands there: a time-out, and in a file that is theirs
    alone a variable too. A file that is shared may have come with a repository, and a variable may run a program."""
    if not isinstance(there, dict):
        return entry
    if is_shared:
        return entry | {key: value for key, value in there.items() if key in PERSONAL_SERVER_FIELDS}
    env = there.get("env")
    own_env = {k: v for k, v in env.items() if not k.startswith(OUR_VARIABLES)} if isinstance(env, dict) else {}
    own = {key: value for key, value in there.items() if key not in OUR_SERVER_FIELDS}
    both = own_env | entry.get("env", {})
    return entry | ({"env": both} if both else {}) | own


def without_server(text: str, path: jsonedit.Path = ()) -> str:
    return take_whole(text, (*path, "mcpServers", SERVER)) if SERVER in _servers_below(text, path) else text


ENABLED = "enabledMcpjsonServers"


def with_enabled_server(text: str) -> str:
    """A server of `.mcp.json` is asked about before it is started."""
    enabled = _part(jsonedit.parse(text).value, ENABLED, list)
    return text if SERVER in enabled else jsonedit.put(text, (ENABLED, len(enabled)), SERVER)


def without_enabled_server(text: str) -> str:
    enabled = _part(jsonedit.parse(text).value, ENABLED, list)
    return take_whole(text, (ENABLED, enabled.index(SERVER))) if SERVER in enabled else text
