"""Reads a SKILL.md for the tests: its front matter, its sections, and every command in them."""

from __future__ import annotations

import re
import shlex
from importlib.resources import files
from typing import NamedTuple

from tests import contract

SKILLS = files("rcs_hooks") / "skills"
MODE = {said.public: mode for mode, said in contract.MODES.items()}
"""Each skill of a mode, and the runtime name of that mode."""
NAMES = (*MODE, "cancel")

FENCE = re.compile(r"^```sh\n(.*?)^```$", re.MULTILINE | re.DOTALL)
DIAGRAM = re.compile(r"^```mermaid\n.*?^```$", re.MULTILINE | re.DOTALL)
INLINE = re.compile(r"`([^`\n]+)`")
FRONT = re.compile(r"\A---\n(.*?)^---\n", re.MULTILINE | re.DOTALL)
PLAIN = re.compile(r"""(?![-?:,\[\]{}#&*!|>'"%@`\s])(?:(?!:\s|\s\#).)*\S|"[^"\\]*\"""")
"""A plain scalar on one line, or one in quotation marks, which every YAML reader reads as the same text."""


class Section(NamedTuple):
    title: str
    text: str

    @property
    def commands(self) -> list[str]:
        """Return the commands in order: each line of a fence, and inline code that begins with `rcs `."""
        found = [(match.start(1), line) for match in FENCE.finditer(self.text) for line in match[1].splitlines()]
        prose = FENCE.sub(lambda match: " " * len(match[0]), self.text)
        found += [(match.start(), match[1]) for match in INLINE.finditer(prose) if match[1].startswith("rcs ")]
        return [command for _, command in sorted(found, key=lambda each: each[0])]

    @property
    def phases(self) -> list[str]:
        """Return the phases that have a part of this section: each stands alone on its line."""
        return re.findall(r"^`([a-z-]+)`$", self.text, re.MULTILINE)


def text_of(name: str) -> str:
    return (SKILLS / name / "SKILL.md").read_text(encoding="utf-8")


def front_of(name: str) -> dict[str, str]:
    """Read keys and values, those of `metadata` too. Other YAML fails, so that no two readers can differ."""
    match = FRONT.match(text_of(name))
    assert match, "no front matter"
    front = {}
    for line in match[1].splitlines():
        if line == "metadata:":
            continue
        key, colon, value = line.partition(": ")
        assert colon, line
        assert PLAIN.fullmatch(value), value
        assert line.startswith("  rcs-") is ("description" in front), line
        front[key.strip()] = value
    return front


def body_of(name: str) -> str:
    return FRONT.sub("", text_of(name), count=1)


def sections_of(name: str) -> list[Section]:
    first, *rest = body_of(name).split("\n## ")
    return [Section("", first), *(Section(*part.split("\n", 1)) for part in rest)]


def section(name: str, title: str) -> Section:
    return next(each for each in sections_of(name) if each.title.startswith(title))


def commands_of(name: str) -> list[str]:
    return [command for each in sections_of(name) for command in each.commands]


def option(command: str, name: str) -> str | None:
    words = shlex.split(command)
    return words[words.index(name) + 1] if name in words else None
