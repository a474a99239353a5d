"""Changes a value in a JSON text and keeps the rest to the byte: indentation, order, comments. Pure.

A file that is parsed and printed again would show a change in every line.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from rcs_hooks.editing.jsontree import BLANK, JsonMember, JsonNode, comments_between, parse, without_comments
from rcs_hooks.errors import Refused

if TYPE_CHECKING:
    from collections.abc import Iterable

Path = tuple["str | int", ...]


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
        if comments := comments_between(text, node.start + 1, node.end - 1):
            (_, end) = comments[-1]
            return f"{text[:end]}{shown}{text[end:]}"
        return f"{text[: node.start + 1]}{shown}{newline}{outer}{text[node.end - 1 :]}"
    last = node.members[-1]
    before = len(without_comments(text)[: last.start].rstrip(BLANK))
    gap = text[before : last.start]
    inline = "\n" not in gap
    if comments_between(text, before, last.start):
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
    comments = comments_between(text, start, stop)
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
    for line in without_comments(text).split("\n"):
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
    comments = comments_between(text, before, member.start)
    if is_first and is_last:
        if not comments and not comments_between(text, member.node.end, after):
            return text[:before] + text[after:]
        return _joined(text, before, comments, member.node.end)
    if not is_first and (not comments or is_last):
        # As it was added: what a person has written after it stays as it is.
        return _joined(text, before, comments, member.node.end)
    comments = comments_between(text, member.node.end, after)
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
    comma = without_comments(between).find(",")
    return between if comma < 0 else between[:comma] + between[comma + 1 :]


def _existing_member(node: JsonNode, key: str | int) -> JsonMember:
    member = _member(node, key)
    if member is None:
        raise KeyError(key)
    return member
