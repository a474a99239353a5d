"""Reads the front matter of a SKILL.md: the name of the skill, and what its metadata says to rcs.

The metadata is read by a small subset of YAML, so that no two readers can differ:
- One level: `metadata:` alone on its line, and each key below it on a line of its own, all with the same indentation.
- A value is a plain scalar, or one in quotation marks, on the line of its key.
- A list is one scalar; its words are separated by blanks or commas.

Only keys that begin with `rcs-` are held to it. Everything else in the front matter is for others, and passed over.
"""

from __future__ import annotations

from rcs_hooks.fault import Fault
from rcs_hooks.machine.source import lines_of
from rcs_hooks.tuples import NamedTuple

PREFIX = "rcs-"
FENCE = "---"
METADATA = "metadata"
MOST_LINES = 500
OTHER_YAML = ("[", "{", "|", ">", "-", "&", "*", "!", "%", "@", "`")
"""What begins a value that is more than one line of text; `-1` is one."""
UNREAD = f"this line is not read; write `rcs-KEY: VALUE`, on one line and indented, below `{METADATA}:`"


class Value(NamedTuple):
    """The text of a key, and the number of its line."""

    text: str
    line: int


class FrontMatter(NamedTuple):
    """What was read: the skill's name, the `rcs-` keys of its metadata, and the lines that could not be read."""

    name: Value | None
    metadata: dict[str, Value]
    faults: tuple[Fault, ...]


def read(text: str, file: str) -> FrontMatter:
    """Read the front matter of a text; an empty one if there is none."""
    lines = lines_of(text)
    if lines[0].rstrip() != FENCE:
        return FrontMatter(None, {}, ())
    reader = _FrontMatterReader(file)
    for number, line in enumerate(lines[1:MOST_LINES], 2):
        if line.rstrip() == FENCE:
            return reader.result()
        reader.take(number, line)
    if reader.metadata or reader.faults:
        reader.fault(1, f"the front matter that begins here is never closed by a line `{FENCE}`")
    return reader.result()


class _FrontMatterReader:
    """Takes the lines of a front matter one by one."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.name: Value | None = None
        self.metadata: dict[str, Value] = {}
        self.faults: list[Fault] = []
        self._is_in_metadata = False
        self._seen_metadata = 0
        self._indent = 0
        self._key = ""
        """The key of the metadata that was read last."""

    def result(self) -> FrontMatter:
        return FrontMatter(self.name, self.metadata, tuple(self.faults))

    def fault(self, line: int, problem: str = UNREAD) -> None:
        self.faults.append(Fault(self.file, line, problem))

    def take(self, number: int, line: str) -> None:
        content = line.strip()
        if not content or content.startswith("#"):
            return
        if line[0] not in " \t":
            self._top(number, content)
        elif self._is_in_metadata:
            self._below(number, line, content)

    def _top(self, number: int, content: str) -> None:
        key, colon, value = content.partition(":")
        if self._is_in_metadata and content.startswith("- ") and self._key.startswith(PREFIX):
            self.fault(number)
            return
        self._is_in_metadata = False
        key = _unquoted(key)
        if key.startswith(PREFIX) and colon:
            self.fault(number)
        elif key == METADATA:
            self._begin(number, value)
        elif key == "name" and self.name is None and (text := _scalar(value)):
            self.name = Value(text, number)

    def _begin(self, number: int, value: str) -> None:
        if _without_comment(value):
            if PREFIX in value:
                self.fault(number)
            return
        if self._seen_metadata:
            self.fault(number, f"`{METADATA}:` was there before, in line {self._seen_metadata}; write one")
        self._is_in_metadata, self._seen_metadata, self._indent, self._key = True, number, 0, ""

    def _below(self, number: int, line: str, content: str) -> None:
        indent = len(line) - len(line.lstrip(" "))
        is_ours = content.lstrip("\"'").startswith(PREFIX)
        if line[indent] == "\t":
            if is_ours:
                self.fault(number)
            return
        self._indent = self._indent or indent
        is_item = content.startswith("- ")
        if indent != self._indent or is_item:
            goes_on = self._key.startswith(PREFIX) and (is_item or indent > self._indent)
            if is_ours or goes_on:
                self.fault(number)
            return
        key, _, value = content.partition(":")
        self._key = key = _unquoted(key)
        if key.startswith(PREFIX):
            self._value(number, key, value)

    def _value(self, number: int, key: str, value: str) -> None:
        text = _scalar(value) if value[:1] in (" ", "\t") else ""
        if not text:
            self.fault(number)
        elif key in self.metadata:
            self.fault(number, f"`{key}` was there before, in line {self.metadata[key].line}; write it once")
        else:
            self.metadata[key] = Value(text, number)


def _unquoted(key: str) -> str:
    key = key.strip()
    return key[1:-1] if len(key) > 1 and key[0] == key[-1] and key[0] in "\"'" else key


def _without_comment(value: str) -> str:
    value = value.strip()
    return "" if value.startswith("#") else value.partition(" #")[0].rstrip()


def _scalar(value: str) -> str:
    """Return the text of a value on one line; empty if it has none, or none that is read here."""
    value = value.strip()
    if value.startswith(("'", '"')):
        return _quoted(value)
    if value.startswith(OTHER_YAML) and not (value[0] == "-" and value[1:2].isalnum()):
        return ""
    text = _without_comment(value)
    return "" if ": " in text or text.endswith(":") else text


def _quoted(value: str) -> str:
    """Read a value in quotation marks: `''` is one mark in single ones; `\\"` and `\\\\` are read in double ones."""
    mark, text, at = value[0], "", 1
    while at < len(value):
        char, pair = value[at], value[at : at + 2]
        if mark == '"' and char == "\\":
            if pair not in ('\\"', "\\\\"):
                return ""
            text, at = text + pair[1], at + 2
        elif mark == "'" and pair == "''":
            text, at = text + "'", at + 2
        elif char == mark:
            return text if text.strip() and not _without_comment(value[at + 1 :]) else ""
        else:
            text, at = text + char, at + 1
    return ""
