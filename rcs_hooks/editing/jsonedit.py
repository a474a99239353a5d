"""Changes a value in a JSON text and keeps the rest to the byte: indentation, order, comments. PURE.

A file that is parsed and printed again would show a change in every line. Comments (`//` and `/* */`) are read as
blanks; `parse_strict` is for a file of a client that reads none. A comma behind the last member is an error.
"""

from __future__ import annotations

import json
import re
from functools import cached_property, lru_cache
from json.decoder import scanstring  # type: ignore[attr-defined]  # typeshed leaves it out
from typing import TYPE_CHECKING, Any, NamedTuple

from rcs_hooks.errors import Refused

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

Path = tuple["str | int", ...]
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
    return _parse(_blanked(text))


@lru_cache(maxsize=8)
def parse_strict(text: str) -> JsonNode:
    """Parse a JSON text without comments, as `parse` does. Raises ValueError for a comment too."""
    return _parse(text)


def without_comments(text: str) -> str:
    """Return the text with blanks in place of its comments, so that a parser that knows no comments can read it."""
    return _blanked(text)


@lru_cache(maxsize=8)
def _blanked(text: str) -> str:
    """Return the text with a space for each character of its comments: every other character keeps its place."""

    def blank(match: re.Match[str]) -> str:
        return match[0] if match[0].startswith('"') else NOT_A_NEWLINE.sub(" ", match[0])

    return COMMENT_OR_STRING.sub(blank, text) if "//" in text or "/*" in text else text


def _comments(text: str, start: int, end: int) -> list[tuple[int, int]]:
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
    if isinstance(key, int):
        return node.members[key] if 0 <= key < len(node.members) else None
    return next((member for member in node.members if member.key == key), None)


def _insert(text: str, node: JsonNode, key: str | int, value: object) -> str:
    """Return the text with a new last member in a container, laid out like the members that are there."""
    named = f"{json.dumps(key, ensure_ascii=False)}: " if isinstance(key, str) else ""
    outer = _indent_at(text, node.start)
    newline = _newline(text)
    if not node.members:
        inner = outer + _unit(text)
        shown = f"{newline}{inner}{named}{_shown(text, value, inner, inline=False)}"
        if comments := _comments(text, node.start + 1, node.end - 1):
            (_, end) = comments[-1]
            return f"{text[:end]}{shown}{text[end:]}"
        return f"{text[: node.start + 1]}{shown}{newline}{outer}{text[node.end - 1 :]}"
    last = node.members[-1]
    before = len(_blanked(text)[: last.start].rstrip(BLANK))
    gap = text[before : last.start]
    inline = "\n" not in gap
    if _comments(text, before, last.start):
        gap = " " if inline else newline + _indent_at(text, last.start)
    shown = named + _shown(text, value, gap.rpartition("\n")[2], inline=inline)
    gap = gap if not inline or len(node.members) > 1 else " "
    end = last.node.end if inline else _end_of_remark(text, last.node.end, node.end - 1)
    gap = gap if end == last.node.end else newline + gap.rpartition("\n")[2]  # a blank would become part of the remark
    return f"{text[: last.node.end]},{text[last.node.end : end]}{gap}{shown}{text[end:]}"


def _end_of_remark(text: str, start: int, stop: int) -> int:
    """Return where the comments end that follow a value on its own line; `start` if none does.

    `stop`: the end of the value's container.
    """
    line = text.find("\n", start, stop)
    comments = _comments(text, start, stop)
    ends = [end for first, end in comments if (line < 0 or first < line) and "\n" not in text[first:end]]
    return ends[-1] if ends else start


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
    for line in _blanked(text).split("\n"):
        indent = line[: len(line) - len(line.lstrip(" \t"))]
        if indent and line.strip():
            return indent
    return "  "


def take(text: str, path: Path) -> str:
    """Return the text without the value at this path. Raises KeyError if there is no such value."""
    return take_members(text, path[:-1], path[-1:])


def take_members(text: str, path: Path, keys: Iterable[str | int]) -> str:
    """Return the text without these members of the container at this path. Raises KeyError if there is no such value.

    The text is parsed once, however many members there are.
    """
    node = parse(text)
    for key in path:
        node = _existing_member(node, key).node
    members = node.members
    gone, after = len(members), node.end - 1
    is_last = True  # so far, nothing behind the members that are gone is left
    # The last one first, so that the offsets of the others stay right.
    for place in sorted((members.index(_existing_member(node, key)) for key in keys), reverse=True):
        if place + 1 < gone:
            after, is_last = members[place + 1].start, False
        before = members[place - 1].node.end if place else node.start + 1
        rest = _without_member(text, before, members[place], after, is_first=not place, is_last=is_last)
        after += len(rest) - len(text)
        text, gone = rest, place
    return text


def _without_member(text: str, before: int, member: JsonMember, after: int, *, is_first: bool, is_last: bool) -> str:
    """Return the text without a member. `before`, `after`: the end of the one before it, the start of the next one.

    Where there is no such member, they are the inside of the container.
    """
    comments = _comments(text, before, member.start)
    if is_first and is_last:
        if not comments and not _comments(text, member.node.end, after):
            return text[:before] + text[after:]
        return _joined(text, before, comments, member.node.end)
    if not is_first and (not comments or is_last):
        # As it was added: what a person has written after it stays as it is.
        return _joined(text, before, comments, member.node.end)
    comments = _comments(text, member.node.end, after)
    kept = _without_comma(text, comments[0][0], after) if comments else ""
    return text[: member.start] + kept + text[after:]


def _joined(text: str, start: int, comments: list[tuple[int, int]], resume: int) -> str:
    """Return the text up to `start`, with the comments that follow but without the comma, and from `resume` on."""
    first, end = comments[-1] if comments else (start, start)
    is_open = text.startswith("//", first) and text[resume : _end_of_line(text, resume)].strip(BLANK)
    return text[:start] + _without_comma(text, start, end) + (_newline(text) if is_open else "") + text[resume:]


def _end_of_line(text: str, start: int) -> int:
    end = text.find("\n", start)
    return len(text) if end < 0 else end


def _without_comma(text: str, start: int, stop: int) -> str:
    between = text[start:stop]
    comma = _blanked(between).find(",")
    return between if comma < 0 else between[:comma] + between[comma + 1 :]


def _existing_member(node: JsonNode, key: str | int) -> JsonMember:
    member = _member(node, key)
    if member is None:
        raise KeyError(key)
    return member
