"""Reads a SKILL.md for the tests: its front matter, its sections, and every command in them."""

from __future__ import annotations

import json
import re
import shlex
from importlib.resources import files
from typing import Any, NamedTuple

SKILLS = files("rcs_hooks") / "skills"
NAMES = ("brief", "blueprint", "forge", "crew", "autoforge", "cancel")

FENCE = re.compile(r"^```sh\n(.*?)^```$", re.MULTILINE | re.DOTALL)
INLINE = re.compile(r"`([^`\n]+)`")
TOOL = re.compile(r"rcs_state\.(\w+)\((\{.*\})\)")
FRONT = re.compile(r"\A---\n(.*?)^---\n", re.MULTILINE | re.DOTALL)
PLAIN = re.compile(r"""(?![-?:,\[\]{}#&*!|>'"%@`\s])(?:(?!:\s|\s\#).)*\S""")
"""A plain scalar on one line, which every YAML reader reads as the same text."""


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
    def calls(self) -> list[tuple[str, dict[str, Any]]]:
        """Return the calls of MCP tools, each with its name and arguments."""
        return [(match[1], _arguments(match[2])) for match in TOOL.finditer(self.text)]


def _arguments(text: str) -> dict[str, Any]:
    """Read arguments with bare keys, as people write such calls."""
    arguments: dict[str, Any] = json.loads(re.sub(r"([{,]\s*)(\w+):", r'\1"\2":', text))
    return arguments


def text_of(name: str) -> str:
    return (SKILLS / name / "SKILL.md").read_text(encoding="utf-8")


def front_of(name: str) -> dict[str, str]:
    """Read keys and plain text. Other YAML fails, so that no two readers can differ; `metadata` is left out."""
    match = FRONT.match(text_of(name))
    assert match, "no front matter"
    front = {}
    for line in match[1].partition("metadata:\n")[0].splitlines():
        key, colon, value = line.partition(": ")
        assert colon, line
        assert PLAIN.fullmatch(value), value
        front[key] = value
    return front


def body_of(name: str) -> str:
    return FRONT.sub("", text_of(name), count=1)


def sections_of(name: str) -> list[Section]:
    first, *rest = body_of(name).split("\n## ")
    titled = (part.split("\n", 1) for part in rest)
    return [Section("", first), *(Section(title, text) for title, text in titled)]


def option(command: str, name: str) -> str | None:
    words = shlex.split(command)
    return words[words.index(name) + 1] if name in words else None
