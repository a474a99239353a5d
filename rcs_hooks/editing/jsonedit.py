"""Changes a value in a JSON text and keeps the rest to the byte: indentation, order, lists on one line. PURE.

A file that is parsed and printed again would show a change in every line.
"""

from __future__ import annotations

import json
from functools import lru_cache
from json.decoder import scanstring  # type: ignore[attr-defined]  # typeshed leaves it out
from typing import Any, NamedTuple

from rcs_hooks.errors import Refused

Path = tuple["str | int", ...]
BLANK = " \t\r\n"
BOM = "\ufeff"
DEEPEST = 100


def _no_number(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


_scalar = json.JSONDecoder(parse_constant=_no_number).raw_decode


class JsonNode(NamedTuple):
    """A JSON value, its start and end in the text, and its members if it is an object or an array."""

    start: int
    end: int
    value: Any
    members: tuple[JsonMember, ...] = ()


class JsonMember(NamedTuple):
    """A member of an object or an array; `start` is where its key begins, or its value in an array."""

    key: str | int
    start: int
    node: JsonNode


@lru_cache(maxsize=8)  # each step asks for the same text again, and `.claude.json` may have megabytes
def parse(text: str) -> JsonNode:
    """Parse a JSON text. Raises ValueError with what is wrong and where.

    A duplicate key in an object is an error, as one of the two would be lost. The result is cached: do not change it.
    """
    try:
        node = _value(text, _skip(text, len(BOM) if text.startswith(BOM) else 0), 0)
    except IndexError:
        raise ValueError(_at(text, len(text), "it ends too early")) from None
    rest = _skip(text, node.end)
    if rest != len(text):
        raise ValueError(_at(text, rest, "there is more after its end"))
    return node


def _at(text: str, place: int, what: str) -> str:
    line = text.count("\n", 0, place) + 1
    return f"{what} (line {line} column {place - text.rfind(chr(10), 0, place)})"


def _skip(text: str, place: int) -> int:
    while place < len(text) and text[place] in BLANK:
        place += 1
    return place


def _value(text: str, start: int, depth: int) -> JsonNode:
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
    return JsonNode(start, end, value)


def _container(text: str, start: int, depth: int) -> JsonNode:
    is_object = text[start] == "{"
    close = "}" if is_object else "]"
    members: list[JsonMember] = []
    keys: set[str | int] = set()
    place = _skip(text, start + 1)
    while text[place] != close:
        if members:
            if text[place] != ",":
                raise ValueError(_at(text, place, f"expected , or {close}"))
            place = _skip(text, place + 1)
        member = _keyed(text, place, depth) if is_object else _numbered(text, place, len(members), depth)
        if member.key in keys:
            raise ValueError(_at(text, place, f"the key {member.key!r} is there twice"))
        keys.add(member.key)
        members.append(member)
        place = _skip(text, member.node.end)
    value: Any = {m.key: m.node.value for m in members} if is_object else [m.node.value for m in members]
    return JsonNode(start, place + 1, value, tuple(members))


def _keyed(text: str, start: int, depth: int) -> JsonMember:
    if text[start] != '"':
        raise ValueError(_at(text, start, "expected a key in double quotes"))
    try:
        key, end = scanstring(text, start + 1)
    except json.JSONDecodeError as error:
        raise ValueError(_at(text, error.pos, error.msg.lower())) from None
    colon = _skip(text, end)
    if text[colon] != ":":
        raise ValueError(_at(text, colon, "expected :"))
    return JsonMember(key, start, _value(text, _skip(text, colon + 1), depth + 1))


def _numbered(text: str, start: int, number: int, depth: int) -> JsonMember:
    return JsonMember(number, start, _value(text, start, depth + 1))


# --- changing


def put(text: str, path: Path, value: object) -> str:
    """Return the text with this value at this path: replaced, or added as the last member of its container.

    Missing containers on the path are created; an index one beyond the end of an array appends to it. Raises Refused if
    something on the path is not a container.
    """
    node = parse(text)
    for depth, key in enumerate(path):
        if not isinstance(node.value, dict if isinstance(key, str) else list):
            raise Refused(f"{_dotted(path[:depth])} is not {'an object' if isinstance(key, str) else 'a list'}")
        member = _member(node, key)
        if member is None:
            for missing in reversed(path[depth + 1 :]):
                value = {missing: value} if isinstance(missing, str) else [value]
            return _insert(text, node, key, value)
        node = member.node
    return text[: node.start] + _shown(text, value, _indent_at(text, node.start), inline=False) + text[node.end :]


def _dotted(path: Path) -> str:
    return ".".join(map(str, path)) or "the file"


def _member(node: JsonNode, key: str | int) -> JsonMember | None:
    return next((member for member in node.members if member.key == key), None)


def _insert(text: str, node: JsonNode, key: str | int, value: object) -> str:
    """Return the text with a new last member in a container, laid out like the members that are there."""
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
    """Return the indentation of the line that holds this offset in the text."""
    line = text[text.rfind("\n", 0, place) + 1 : place]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _unit(text: str) -> str:
    """Return the indentation of one level: that of the first indented line, or two spaces if there is none."""
    for line in text.split("\n"):
        indent = line[: len(line) - len(line.lstrip(" \t"))]
        if indent and line.strip():
            return indent
    return "  "


def take(text: str, path: Path) -> str:
    """Return the text without the value at this path. Raises KeyError if there is no such value."""
    node = parse(text)
    for key in path[:-1]:
        node = _existing_member(node, key).node
    member = _existing_member(node, path[-1])
    place = node.members.index(member)
    if len(node.members) == 1:
        return text[: node.start + 1] + text[node.end - 1 :]
    if place:  # as it was added: what a person has written after it stays as it is
        return text[: node.members[place - 1].node.end] + text[member.node.end :]
    return text[: member.start] + text[node.members[place + 1].start :]


def _existing_member(node: JsonNode, key: str | int) -> JsonMember:
    member = _member(node, key)
    if member is None:
        raise KeyError(key)
    return member
