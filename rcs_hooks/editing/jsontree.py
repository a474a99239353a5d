"""Reads a JSON text as values that know their place in it. Pure.

Comments (`//` and `/* */`) are read as blanks; `parse_strict` is for a file of a client that reads none. A comma behind
the last member is an error.
"""

from __future__ import annotations

import json
import re
from functools import cached_property, lru_cache
from json.decoder import scanstring  # type: ignore[attr-defined]  # typeshed leaves it out
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

BLANK = " \t\r\n"
BOM = "\ufeff"
DEEPEST = 100
COMMENT_OR_STRING = re.compile(r'"(?:[^"\\]|\\.)*+"|//[^\n]*|/\*.*?\*/', re.DOTALL)
NOT_A_NEWLINE = re.compile(r"[^\r\n]")


def _no_number(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        raise ValueError("a key is there twice")
    return value


_decode = json.JSONDecoder(parse_constant=_no_number, object_pairs_hook=_once).raw_decode


class JsonNode:
    """A JSON value, its start and end in the text, and its members if it is an object or an array.

    The members are located when they are first asked for, because a change asks only for those on its path.
    """

    def __init__(self, text: str, start: int, end: int, value: Any) -> None:
        self._text, self.start, self.end, self.value = text, start, end, value

    @cached_property
    def members(self) -> tuple[JsonMember, ...]:
        return tuple(_members(self._text, self.start, _node)[0]) if isinstance(self.value, dict | list) else ()


class JsonMember(NamedTuple):
    """A member of an object or an array; `start` is where its key begins, or its value in an array."""

    key: str | int
    start: int
    node: JsonNode


@lru_cache(maxsize=8)  # each step asks for the same text again, and a settings file may have megabytes
def parse(text: str) -> JsonNode:
    """Parse a JSON text with or without comments. Raises ValueError with what is wrong and where.

    A duplicate key in an object is an error, as one of the two would be lost. The result is cached: do not change it.
    """
    return _parse(without_comments(text))


@lru_cache(maxsize=8)
def parse_strict(text: str) -> JsonNode:
    """Parse a JSON text without comments, as `parse` does. Raises ValueError for a comment too."""
    return _parse(text)


@lru_cache(maxsize=8)
def without_comments(text: str) -> str:
    """Return the text with a blank for each character of its comments: every other character keeps its place."""

    def blank(match: re.Match[str]) -> str:
        return match[0] if match[0].startswith('"') else NOT_A_NEWLINE.sub(" ", match[0])

    return COMMENT_OR_STRING.sub(blank, text) if "//" in text or "/*" in text else text


def comments_between(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """List where the comments between two offsets begin and end; neither offset is within a string or a comment.

    The `\\r` of a line's end is no part of a comment.
    """
    found = (match.span() for match in COMMENT_OR_STRING.finditer(text, start, end))
    return [(first, last - text.endswith("\r", first, last)) for first, last in found]


def _parse(text: str) -> JsonNode:
    start = _skip(text, len(BOM) if text.startswith(BOM) else 0)
    try:
        node = _node(text, start)
        is_sound = not _is_too_deep(node.value)
    except (ValueError, RecursionError):
        is_sound = False
    try:
        if not is_sound:
            node = _checked(text, start, 0)
    except IndexError:
        raise ValueError(_at(text, len(text), "it ends too early")) from None
    rest = _skip(text, node.end)
    if rest != len(text):
        raise ValueError(_at(text, rest, "there is more after its end"))
    return node


def _node(text: str, start: int) -> JsonNode:
    """Parse the value at an offset by the decoder of the standard library, which is written in C."""
    value, end = _decode(text, start)
    return JsonNode(text, start, end, value)


def _is_too_deep(value: Any) -> bool:
    level = [value]
    for _ in range(DEEPEST + 1):
        containers = [
            each.values() if isinstance(each, dict) else each for each in level if isinstance(each, dict | list)
        ]
        level = [member for each in containers for member in each]
        if not level:
            return False
    return True


def _at(text: str, place: int, what: str) -> str:
    line = text.count("\n", 0, place) + 1
    return f"{what} (line {line} column {place - text.rfind(chr(10), 0, place)})"


def _skip(text: str, place: int) -> int:
    while place < len(text) and text[place] in BLANK:
        place += 1
    return place


def _checked(text: str, start: int, depth: int) -> JsonNode:
    """Parse the value at an offset member by member: slow, but an error says what is wrong, and where."""
    if depth > DEEPEST:
        raise ValueError(_at(text, start, "it is nested too deep"))
    if text[start] in "{[":
        members, end = _members(text, start, lambda text, place: _checked(text, place, depth + 1))
        pairs = [(member.key, member.node.value) for member in members]
        return JsonNode(text, start, end, dict(pairs) if text[start] == "{" else [value for _, value in pairs])
    try:
        return _node(text, start)
    except json.JSONDecodeError as error:
        raise ValueError(_at(text, error.pos, error.msg.lower())) from None
    except ValueError as error:  # NaN, or a number of thousands of digits
        raise ValueError(_at(text, start, str(error).partition(";")[0])) from None


def _members(text: str, start: int, parsed: Callable[[str, int], JsonNode]) -> tuple[list[JsonMember], int]:
    """Return the members of the container at an offset, and its end. `parsed`: parses the value at an offset."""
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
        key, value = _key(text, place) if is_object else (len(members), place)
        member = JsonMember(key, place, parsed(text, value))
        if key in keys:
            raise ValueError(_at(text, place, f"the key {key!r} is there twice"))
        keys.add(key)
        members.append(member)
        place = _skip(text, member.node.end)
    return members, place + 1


def _key(text: str, start: int) -> tuple[str, int]:
    """Return the key at an offset, and where its value begins."""
    if text[start] != '"':
        raise ValueError(_at(text, start, "expected a key in double quotes"))
    try:
        key, end = scanstring(text, start + 1)
    except json.JSONDecodeError as error:
        raise ValueError(_at(text, error.pos, error.msg.lower())) from None
    colon = _skip(text, end)
    if text[colon] != ":":
        raise ValueError(_at(text, colon, "expected :"))
    return key, _skip(text, colon + 1)


# --- changing
