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
OTHER_YAML = {
    "[": "a list is written without brackets, its words separated by blanks or commas",
    "{": "a value is one line of text, without braces",
    "|": "a value is written on the line of its key",
    ">": "a value is written on the line of its key",
    "-": "a list is written on the line of its key, its words separated by blanks or commas",
    "&": "an anchor is not read; write the value itself",
    "*": "an alias is not read; write the value itself",
    "!": "a tag is not read; write the value alone",
    "%": "a value that begins with `%` needs quotation marks",
    "@": "a value that begins with `@` needs quotation marks",
    "`": "a value does not begin with a backtick",
}
"""What is wrong with a value, by its first character."""


class Value(NamedTuple):
    """The text of a key, and the number of its line."""

    text: str
    line: int


class FrontMatter(NamedTuple):
    """What was read: the skill's name, the `rcs-` keys of its metadata, and the lines that could not be read."""

    name: Value | None
    metadata: dict[str, Value]
    faults: tuple[Fault, ...]


class _Unreadable(Exception):
    """Why a value is outside the subset."""


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

    def fault(self, line: int, problem: str) -> None:
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
            self.fault(number, f"`{self._key}`: {OTHER_YAML['-']}")
            return
        self._is_in_metadata = False
        key = _unquoted(key)
        if key.startswith(PREFIX) and colon:
            self.fault(number, f"`{key}` belongs below `{METADATA}:`, indented")
        elif key == METADATA:
            self._begin(number, value)
        elif key == "name" and self.name is None:
            try:
                self.name = Value(_scalar(value), number)
            except _Unreadable:
                self.name = None

    def _begin(self, number: int, value: str) -> None:
        if _without_comment(value):
            if PREFIX in value:
                self.fault(
                    number, f"`{METADATA}:` stands alone on its line; write each key on a line below it, indented"
                )
            return
        if self._seen_metadata:
            self.fault(number, f"`{METADATA}:` was there before, in line {self._seen_metadata}; write one")
        self._is_in_metadata, self._seen_metadata, self._indent, self._key = True, number, 0, ""

    def _below(self, number: int, line: str, content: str) -> None:
        indent = len(line) - len(line.lstrip(" "))
        is_ours = content.lstrip("\"'").startswith(PREFIX)
        if line[indent] == "\t":
            if is_ours:
                self.fault(number, "a tab indents this line; YAML wants blanks")
            return
        self._indent = self._indent or indent
        if indent != self._indent or content.startswith("- "):
            self._misplaced(number, indent, content, is_ours=is_ours)
            return
        key, colon, value = content.partition(":")
        self._key = key = _unquoted(key)
        if not key.startswith(PREFIX):
            return
        if not colon or (value and value[0] not in " \t"):
            self.fault(number, f"`{key}` needs a colon and a blank before its value")
        elif key in self.metadata:
            self.fault(number, f"`{key}` was there before, in line {self.metadata[key].line}; write it once")
        else:
            self._value(number, key, value)

    def _misplaced(self, number: int, indent: int, content: str, *, is_ours: bool) -> None:
        """Report a line that is not indented as the first key is, unless it belongs to somebody else's key."""
        if content.startswith("- ") and self._key.startswith(PREFIX):
            self.fault(number, f"`{self._key}`: {OTHER_YAML['-']}")
        elif indent > self._indent and self._key.startswith(PREFIX):
            self.fault(number, f"`{self._key}`: a value is written on the line of its key")
        elif is_ours:
            self.fault(
                number, f"this line is indented by {indent}, the first key below `{METADATA}:` by {self._indent}"
            )

    def _value(self, number: int, key: str, value: str) -> None:
        try:
            text = _scalar(value)
        except _Unreadable as error:
            self.fault(number, f"`{key}`: {error}")
            return
        self.metadata[key] = Value(text, number)


def _unquoted(key: str) -> str:
    key = key.strip()
    return key[1:-1] if len(key) > 1 and key[0] == key[-1] and key[0] in "\"'" else key


def _without_comment(value: str) -> str:
    value = value.strip()
    return "" if value.startswith("#") else value.partition(" #")[0].rstrip()


def _scalar(value: str) -> str:
    """Return the text of a value on one line. Raises _Unreadable."""
    value = value.strip()
    if value[:1] in ("'", '"'):
        return _quoted(value)
    if value[:1] in OTHER_YAML and not (value[0] == "-" and value[1:2].isalnum()):
        raise _Unreadable(OTHER_YAML[value[0]])
    text = _without_comment(value)
    if not text:
        raise _Unreadable("it has no value")
    if ": " in text or text.endswith(":"):
        raise _Unreadable("a value with a colon needs quotation marks")
    return text


def _quoted(value: str) -> str:
    """Read a value in quotation marks: `''` is one mark in single ones; `\\"` and `\\\\` are read in double ones."""
    mark, text, at = value[0], "", 1
    while at < len(value):
        char, pair = value[at], value[at : at + 2]
        if mark == '"' and char == "\\":
            if pair not in ('\\"', "\\\\"):
                raise _Unreadable(f'`{pair}` is not read; only `\\"` and `\\\\` are')
            text, at = text + pair[1], at + 2
        elif mark == "'" and pair == "''":
            text, at = text + "'", at + 2
        elif char == mark:
            if _without_comment(value[at + 1 :]):
                raise _Unreadable("something follows the closing quotation mark")
            if not text.strip():
                raise _Unreadable("it has no value")
            return text
        else:
            text, at = text + char, at + 1
    raise _Unreadable("its quotation mark is never closed")
