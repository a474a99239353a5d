"""Our hooks in a client's JSON settings: recognizes, adds and removes them. PURE.

Rules of this file:
- An entry is ours if it calls our program (`rcs-hook`, or its module) or asks our server (`rcs_state`), whatever else
  it says.
- An entry of ours is replaced in its place, so that nobody else's place changes: Codex trusts a hook by its place.
- From an existing entry only what cannot run anything is taken over: the entry may have come with a repository. In a
  file that may have, that is a time-out alone, and a group that a matcher narrows is left.
- A container that is empty without our entry is removed with it.
"""

from __future__ import annotations

import functools
import re
import shlex
from typing import TYPE_CHECKING, Any

from rcs_hooks.clients.formats import COMMON
from rcs_hooks.editing import jsonedit, jsontree
from rcs_hooks.errors import Refused

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from rcs_hooks.clients.formats import HookFormat

Record = dict[str, Any]
Spot = tuple[str, int, int]
"""The place of a hook in its file: the event, the index of its group, and its index in the group or FLAT."""

PROGRAM = "rcs-hook"
SERVER = "rcs_state"
TOOL_TYPE = "mcp_tool"
"""The type of a hook that is a tool of an MCP server."""
PERSONAL_FIELDS = frozenset({"statusMessage", "additionalContextLimit"})
"""The fields of our hooks that a person may set, besides the time-out, which is all that setup keeps in a file that may
have come with a repository. Any other field could name a program: some clients run `bash`."""
MATCHES_ALL = (None, "", "*")
NOT_EVENTS = frozenset({"enabled", "disabled", "notifications"})
"""What older versions of some clients keep beside the events."""
FLAT = -1
"""In a place, the index of a hook that is in no group: it is itself the member of the event's list."""
OUR_SERVER_FIELDS = frozenset({"command", "args", "env"})
PERSONAL_SERVER_FIELDS = frozenset(
    {"timeout", "startup_timeout_sec", "tool_timeout_sec", "omit_tools_from", "default_tools_approval_mode"}
)
"""What a person may set in the entry of our server."""
WRAPPERS = frozenset({"command", "env", "exec", "nohup", "time"})
OUR_VARIABLES = "RCS_"
OUR_MODULE = "rcs_hooks.hook"
OUR_NAMES = (PROGRAM, OUR_MODULE)
"""What a line has that calls our program: the name of the script or that of the module."""
QUOTING = str.maketrans("", "", "\"'\\")
"""Drops the characters that a shell takes out of a word."""
GROUP = 4
"""The length of the path to the hooks of a group. A group without hooks does nothing, whatever else it holds."""


class SetupBlocked(Refused):
    """A refusal to change a file that is sound, until the person has done what the message says."""


def is_ours(handler: object) -> bool:
    """Tell whether a hook of a settings file calls our program or asks our MCP server."""
    if not isinstance(handler, dict):
        return False
    if handler.get("type") == TOOL_TYPE:
        return handler.get("server") == SERVER
    line = handler.get("command")
    if (
        isinstance(line, str)
        and not isinstance(handler.get("args"), list)
        and not any(may_name(each, line) for each in OUR_NAMES)
    ):
        return False
    by_shell = _split(line) if isinstance(line, str) else []  # as a client takes it that does not know `args`
    return any(_calls_us(command) for words in (words_of(handler), by_shell) for command in commands_of(words))


def may_name(name: str, line: str) -> bool:
    """Tell whether a word of a shell line can hold this name: a quick look, before the line is split into its words."""
    return name in line.translate(QUOTING)


def commands_of(words: Sequence[str]) -> Iterator[list[str]]:
    """Yield the words of each command in a shell line, without assignments and wrappers (such as `env`) before it."""
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


def name_of(words: Sequence[str]) -> str:
    """Return the name, without a folder, of the program that a command runs; empty for no words."""
    return words[0].rpartition("/")[2] if words else ""


def _calls_us(command: Sequence[str]) -> bool:
    if name_of(command) == PROGRAM or any(word.endswith(f"/{PROGRAM}") for word in command[1:2]):
        return True
    return name_of(command).startswith("python") and any(OUR_MODULE in word for word in command[1:])


def programs_of(handler: Mapping[str, Any]) -> list[str]:
    """List the programs that a hook runs under our name: the interpreter and the `rcs-hook` script."""
    calls = [command for command in commands_of(words_of(handler)) if _calls_us(command)]
    return [word for command in calls for word in command[:2] if word is command[0] or word.endswith(f"/{PROGRAM}")]


def words_of(handler: Mapping[str, Any]) -> list[str]:
    """Return the words that a hook runs, the program first; empty if it has no command.

    A command without `args` is a line for the shell, which is split into its words.
    """
    command, args = handler.get("command"), handler.get("args")
    if not isinstance(command, str):
        return []
    if isinstance(args, list):
        return [command, *(arg for arg in args if isinstance(arg, str))]
    return list(_split(command))


@functools.lru_cache
def _split(line: str) -> tuple[str, ...]:
    lexer = shlex.shlex(line, posix=True, punctuation_chars=True)
    lexer.whitespace_split, lexer.commenters = True, ""
    try:
        return tuple(lexer)
    except ValueError:
        return (line,)


def handlers(settings: object) -> Iterator[tuple[Spot, Any]]:
    """Yield the place and the value of every hook in a file.

    Raises Refused if the hooks have a shape that no client reads.
    """
    hooks = part(settings, "hooks", dict)
    for event, groups in hooks.items():
        if event in NOT_EVENTS:
            continue
        if not isinstance(groups, list):
            raise Refused(f"hooks.{event} is not a list")
        for number, group in enumerate(groups):
            if isinstance(group, dict) and "hooks" not in group and "type" in group:
                yield (event, number, FLAT), group
            for index, handler in enumerate(part(group, "hooks", list, f"hooks.{event}.{number}")):
                yield (event, number, index), handler


def part(value: object, key: str, kind: type, of: str = "") -> Any:
    """Return the member `key` of an object; an empty `kind` if it is missing. Raises Refused if a type is wrong.

    `of`: the object's name in the error's message; empty for the whole file.
    """
    if not isinstance(value, dict):
        raise Refused(f"{of or 'the file'} is not an object")
    member = value.get(key, kind())
    if not isinstance(member, kind):
        raise Refused(f"{of}{'.' if of else ''}{key} is not {'an object' if kind is dict else 'a list'}")
    return member


def ours(settings: object) -> list[tuple[Spot, Record]]:
    """List our hooks in a file, each after its place."""
    return [(place, handler) for place, handler in handlers(settings) if is_ours(handler)]


def with_handlers(
    text: str,
    wanted: Mapping[str, Record],
    format_: HookFormat = COMMON,
    *,
    is_shared: bool = False,
) -> str:
    """Return the text of a settings file with exactly these hooks of ours, given by their event.

    `is_shared`: whether the file may have come with a repository.
    """
    text = text if text.strip() else "{}\n"
    before = jsontree.parse(text).value
    present = [spot for spot, _ in ours(before)]
    first: dict[str, Spot] = {}
    for spot in present:
        is_read = format_.reads(is_flat=spot[2] == FLAT)
        if spot[0] in wanted and is_read and not (is_shared and is_narrowed(before, spot)):
            first.setdefault(spot[0], spot)
    text = _without(text, [spot for spot in present if spot not in first.values()])
    for event, handler in wanted.items():
        settings = jsontree.parse(text).value
        old = next(((spot, hook) for spot, hook in ours(settings) if spot[0] == event), None)
        if old is None:
            groups = settings.get("hooks", {}).get(event, [])
            group = handler if format_.is_flat else {"hooks": [handler]}
            text = jsonedit.put(text, ("hooks", event, len(groups)), group)
        else:
            spot, old_handler = old
            personal = _personal(old_handler, format_, is_shared=is_shared)
            if old_handler != without_personal(handler, format_) | personal:
                text = jsonedit.put(text, path_of(spot), handler | personal)
    return text


def path_of(spot: Spot) -> jsonedit.Path:
    """Return the path to the hook at a place."""
    event, group, number = spot
    return ("hooks", event, group) if number == FLAT else ("hooks", event, group, "hooks", number)


def is_narrowed(settings: Record, spot: Spot) -> bool:
    """Tell whether the group of a hook has a matcher, so that a client may skip the hook at some events."""
    event, group, _ = spot
    return settings["hooks"][event][group].get("matcher") not in MATCHES_ALL


def _personal(handler: Mapping[str, Any], format_: HookFormat, *, is_shared: bool) -> Record:
    """Return the fields of one of our present hooks that setup keeps: those that a person may set."""
    fields = _personal_fields(format_, is_shared=is_shared)
    found = {key: value for key, value in handler.items() if key in fields}
    return {key: value for key, value in found.items() if key != format_.timeout or format_.is_time_out(value)}


def _personal_fields(format_: HookFormat, *, is_shared: bool) -> frozenset[str]:
    return frozenset({format_.timeout}) if is_shared else PERSONAL_FIELDS | {format_.timeout}


def without_personal(handler: Mapping[str, Any], format_: HookFormat = COMMON, *, is_shared: bool = False) -> Record:
    """Return a hook without the fields that a person may set.

    `is_shared`: whether a repository may have brought its file.
    """
    fields = _personal_fields(format_, is_shared=is_shared)
    return {key: value for key, value in handler.items() if key not in fields}


def without_handlers(text: str) -> str:
    """Return the text of a settings file without our hooks."""
    return _without(text, [spot for spot, _ in ours(jsontree.parse(text).value)])


def _without(text: str, spots: Iterable[Spot]) -> str:
    # The last one first, so that the numbers of the others stay right.
    for spot in sorted(spots, reverse=True):
        text = take_whole(text, path_of(spot))
    return text


def take_whole(text: str, path: jsonedit.Path) -> str:
    """Return the text without the value at this path, and without each container that held nothing else."""
    settings = jsontree.parse(text).value
    while len(path) > 1 and _is_alone(settings, path):
        path = path[:-1]
    return jsonedit.take(text, path)


def _is_alone(settings: Any, path: jsonedit.Path) -> bool:
    return (len(path) == GROUP and path[0] == "hooks") or len(_value_at(settings, path[:-1])) == 1


def _value_at(value: Any, path: jsonedit.Path) -> Any:
    for key in path:
        value = value[key]
    return value


def merged_server(old: object, entry: Record, *, is_shared: bool) -> Record:
    """Return our server's entry, with what the person has added to `old`, the value that the file has in its place.

    If the file may have come with a repository (`is_shared`), only fields that cannot run a program are taken over;
    environment variables are not.
    """
    if not isinstance(old, dict):
        return entry
    if is_shared:
        return entry | {key: value for key, value in old.items() if key in PERSONAL_SERVER_FIELDS}
    env = old.get("env")
    own_env = {k: v for k, v in env.items() if not k.startswith(OUR_VARIABLES)} if isinstance(env, dict) else {}
    own = {key: value for key, value in old.items() if key not in OUR_SERVER_FIELDS}
    both = own_env | entry.get("env", {})
    return entry | ({"env": both} if both else {}) | own
