"""Changes a value in a JSON text and leaves the rest as it stands: its indentation, its order, its one-line lists.

PURE. A person's settings file is theirs; a file that is parsed and printed anew shows a change in every line.
"""

from __future__ import annotations

import json
from json.decoder import scanstring  # type: ignore[attr-defined]  # typeshed leaves it out
from typing import Any, NamedTuple

from rcs_hooks.errors import Refused

Path = tuple["str | int", ...]
BLANK = " \t\r\n"
BOM = "\ufeff"
DEEPEST = 100


def _no_number(name: str) -> None:
    raise ValueError(f"{name} is no JSON")


_scalar = json.JSONDecoder(parse_constant=_no_number).raw_decode


class Node(NamedTuple):
    """A value, and where it stands in the text."""

    start: int
    end: int
    value: Any
    members: tuple[Member, ...] = ()


class Member(NamedTuple):
    """One member of an object or an array; `start` is where its key stands, if it has one."""

    key: str | int
    start: int
    node: Node


def parse(text: str) -> Node:
    """Raises ValueError with what is wrong and where. A key that stands twice in one object is wrong: one of the two
    would be lost."""
    try:
        node = _value(text, _skip(text, len(BOM) if text.startswith(BOM) else 0), 0)
    except IndexError:
        raise ValueError(_at(text, len(text), "it ends too early")) from None
    rest = _skip(text, node.end)
    if rest != len(text):
        raise ValueError(_at(text, rest, "something stands after its end"))
    return node


def _at(text: str, place: int, what: str) -> str:
    line = text.count("\n", 0, place) + 1
    return f"{what} (line {line} column {place - text.rfind(chr(10), 0, place)})"


def _skip(text: str, place: int) -> int:
    while place < len(text) and text[place] in BLANK:
        place += 1
    return place


def _value(text: str, start: int, depth: int) -> Node:
    if depth > DEEPEST:
        raise ValueError(_at(text, start, "it is nested too deep"))
    if text[start] in "{[":
        return _container(text, start, depth)
    try:
        value, end = _scalar(text, start)
    except json.JSONDecodeError as error:
        raise ValueError(_at(text, error.pos, error.msg.lower())) from None
    except ValueError as error:  # NaN, or a number of thousands of digits
        raise ValueError(_at(text, start, str(error).partition(";")[0])) from None
    return Node(start, end, value)


def _container(text: str, start: int, depth: int) -> Node:
    is_object = text[start] == "{"
    close = "}" if is_object else "]"
    members: list[Member] = []
    keys: set[str | int] = set()
    place = _skip(text, start + 1)
    while text[place] != close:
        if members:
            if text[place] != ",":
                raise ValueError(_at(text, place, f"expected , or {close}"))
            place = _skip(text, place + 1)
        member = _keyed(text, place, depth) if is_object else _numbered(text, place, len(members), depth)
        if member.key in keys:
            raise ValueError(_at(text, place, f"the key {member.key!r} stands twice"))
        keys.add(member.key)
        members.append(member)
        place = _skip(text, member.node.end)
    value: Any = {m.key: m.node.value for m in members} if is_object else [m.node.value for m in members]
    return Node(start, place + 1, value, tuple(members))


def _keyed(text: str, start: int, depth: int) -> Member:
    if text[start] != '"':
        raise ValueError(_at(text, start, "expected a key in double quotes"))
    try:
        key, end = scanstring(text, start + 1)
    except json.JSONDecodeError as error:
        raise ValueError(_at(text, error.pos, error.msg.lower())) from None
    colon = _skip(text, end)
    if text[colon] != ":":
        raise ValueError(_at(text, colon, "expected :"))
    return Member(key, start, _value(text, _skip(text, colon + 1), depth + 1))


def _numbered(text: str, start: int, number: int, depth: int) -> Member:
    return Member(number, start, _value(text, start, depth + 1))


# --- changing


def put(text: str, path: Path, value: object) -> str:
    """The text with this value at this path: in place of what stands there, or as the last of its container. Missing
    objects on the way are made. A number one beyond the end of an array appends. Raises Refused where something that
    is no container stands in the way."""
    node = parse(text)
    for depth, key in enumerate(path):
        if not isinstance(node.value, dict if isinstance(key, str) else list):
            raise Refused(f"{_dotted(path[:depth])} is no {'object' if isinstance(key, str) else 'list'}")
        found = _member(node, key)
        if found is None:
            for missing in reversed(path[depth + 1 :]):
                value = {missing: value} if isinstance(missing, str) else [value]
            return _insert(text, node, key, value)
        node = found.node
    return text[: node.start] + _shown(text, value, _indent_at(text, node.start), inline=False) + text[node.end :]


def _dotted(path: Path) -> str:
    return ".".join(map(str, path)) or "the whole of it"


def _member(node: Node, key: str | int) -> Member | None:
    return next((member for member in node.members if member.key == key), None)


def _insert(text: str, node: Node, key: str | int, value: object) -> str:
    """Separated as the last member is from the one before."""
    named = f"{json.dumps(key, ensure_ascii=False)}: " if isinstance(key, str) else ""
    outer = _indent_at(text, node.start)
    if not node.members:
        inner = outer + _unit(text)
        shown = named + _shown(text, value, inner, inline=False)
        newline = _newline(text)
        return f"{text[: node.start + 1]}{newline}{inner}{shown}{newline}{outer}{text[node.end - 1 :]}"
    last = node.members[-1]
    before = len(text[: last.start].rstrip(BLANK))
    gap = text[before : last.start]
    inline = "\n" not in gap
    shown = named + _shown(text, value, gap.rpartition("\n")[2], inline=inline)
    gap = gap if not inline or len(node.members) > 1 else " "
    return f"{text[: last.node.end]},{gap}{shown}{text[last.node.end :]}"


def _shown(text: str, value: object, indent: str, *, inline: bool) -> str:
    if inline:
        return json.dumps(value, ensure_ascii=False)
    lines = json.dumps(value, ensure_ascii=False, indent=_unit(text)).split("\n")
    return f"{_newline(text)}{indent}".join(lines)


def _newline(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _indent_at(text: str, place: int) -> str:
    """The blanks that the line of this place starts with."""
    line = text[text.rfind("\n", 0, place) + 1 : place]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _unit(text: str) -> str:
    """What one level is indented by: as the first indented line, else two blanks."""
    for line in text.split("\n"):
        indent = line[: len(line) - len(line.lstrip(" \t"))]
        if indent and line.strip():
            return indent
    return "  "


def take(text: str, path: Path) -> str:
    """The text without the value at this path."""
    node = parse(text)
    for key in path[:-1]:
        node = _there(node, key).node
    member = _there(node, path[-1])
    place = node.members.index(member)
    if len(node.members) == 1:
        return text[: node.start + 1] + text[node.end - 1 :]
    if member is node.members[-1]:
        return text[: node.members[place - 1].node.end] + text[member.node.end :]
    return text[: member.start] + text[node.members[place + 1].start :]


def _there(node: Node, key: str | int) -> Member:
    member = _member(node, key)
    if member is None:
        raise KeyError(key)
    return member
