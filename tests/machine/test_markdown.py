"""Where the diagram of a Markdown file is, and what is said where it should be and is not."""

from __future__ import annotations

import pytest

from rcs_hooks.errors import MachineError
from rcs_hooks.machine.markdown import HEADING, machine_in, section
from tests.table import each_row

BODY = "stateDiagram-v2\n    [*] --> a"
FENCED = f"```mermaid\n{BODY}\n```\n"


def found(text: str) -> tuple[str, int] | None:
    return section(text, "SKILL.md")


def refusal(text: str) -> str:
    with pytest.raises(MachineError) as caught:
        found(text)
    return str(caught.value)


FOUND = [
    ("right below the heading", f"{HEADING}\n{FENCED}", 3),
    ("after text", f"# Skill\n\ntext\n\n{HEADING}\n\ntext\n\n{FENCED}", 10),
    ("front matter before", f"---\nname: x\n---\n{HEADING}\n{FENCED}", 6),
    ("CRLF", f"{HEADING}\n{FENCED}".replace("\n", "\r\n"), 3),
    ("a byte order mark", f"\ufeff{HEADING}\n{FENCED}", 3),
    ("an indented fence", f"{HEADING}\n- list\n\n    ```mermaid\n{BODY}\n    ```\n", 5),
    ("a fence closed further left", f"{HEADING}\n    ```mermaid\n{BODY}\n```\n", 3),
    ("tildes", f"{HEADING}\n~~~mermaid\n{BODY}\n~~~\n", 3),
    ("the first of two fences", f"{HEADING}\n{FENCED}\n```mermaid\nstateDiagram-v2\n[*] --> b\n```\n", 3),
    ("the first of two sections", f"{HEADING}\n{FENCED}{HEADING}\n```mermaid\nstateDiagram-v2\n[*] --> b\n```\n", 3),
    ("another diagram before it", f"{HEADING}\n```mermaid\ngraph TD\n  x --> y\n```\n{FENCED}", 7),
    ("a broken diagram of another kind before it", f"{HEADING}\n```mermaid\n%%{{\n```\n{FENCED}", 6),
    ("a heading in a fence ends nothing", f"{HEADING}\n```sh\n## Next\n```\n{FENCED}", 6),
    ("an indented heading ends nothing", f"{HEADING}\n  ## Next\n{FENCED}", 4),
    ("fewer backticks do not close", f"{HEADING}\n````md\n```\n## Next\n````\n{FENCED}", 7),
    ("a word behind does not close", f"{HEADING}\n```md\n```mermaid\n## Next\n```\n{FENCED}", 7),
    ("code in a line opens nothing", f"{HEADING}\n```x``` is code\n{FENCED}", 4),
    ("an example in a fence before the section", f"````md\n{HEADING}\n{FENCED}````\n{HEADING}\n{FENCED}", 10),
]  # fmt: skip


@each_row(("text", "first_line"), [row[1:] for row in FOUND])
def test_found(text: str, first_line: int) -> None:
    assert found(text) == (BODY, first_line)


NOTHING = [
    ("an empty file", ""),
    ("no heading", f"# Skill\n{FENCED}"),
    ("a lower heading", f"### STATE-MACHINE\n{FENCED}"),
    ("other letters", f"## State-Machine\n{FENCED}"),
    ("more words", f"## STATE-MACHINE of mine\n{FENCED}"),
    ("the words in a line", f"see ## STATE-MACHINE\n{FENCED}"),
    ("only in a closed fence", f"````md\n{HEADING}\n{FENCED}````\n"),
]


@each_row("text", [pytest.param(text, id=name) for name, text in NOTHING])
def test_no_section_is_no_machine_and_no_error(text: str) -> None:
    assert found(text) is None
    assert machine_in(text, name="x", file="SKILL.md") is None


UNCLOSED = "this fence is never closed, so the ## STATE-MACHINE section has no diagram"
SWALLOWS = "this fence is never closed, so it swallows the ## STATE-MACHINE section in line"
NO_DIAGRAM = "this section has no ```mermaid fence with a stateDiagram-v2 diagram; write one, or take the section out"
NO_LANGUAGE = "this fence holds the diagram but is not marked as one; write ```mermaid"
OLD = "the header `stateDiagram` is not supported; write `stateDiagram-v2`"
NOTHING_THERE = f"SKILL.md:1: {NO_DIAGRAM}\n    {HEADING}\n    {'^' * 16}"

PROMISED = [
    ("nothing follows", f"{HEADING}\n", NOTHING_THERE),
    ("the next section has it", f"{HEADING}\n\n## Diagram\n{FENCED}", NOTHING_THERE),
    ("another diagram", f"{HEADING}\n```mermaid\ngraph TD\n```\n", NOTHING_THERE),
    ("a second section has it", f"{HEADING}\n{HEADING}\n{FENCED}", NOTHING_THERE),
    ("a fence that is not closed", f"# x\n{HEADING}\n```mermaid\n{BODY}\n",
        f"SKILL.md:3: {UNCLOSED}\n    ```mermaid\n    ^^^^^^^^^^"),
    ("a shell fence that is not closed", f"{HEADING}\n  ```sh\n\n{HEADING}\n",
        f"SKILL.md:2: {UNCLOSED}\n      ```sh\n      ^^^^^"),
    ("a fence before it that is not closed", f"```sh\nls\n{HEADING}\n{FENCED.replace('`', '~')}",
        f"SKILL.md:1: {SWALLOWS} 3\n    ```sh\n    ^^^^^"),
    ("no language", f"{HEADING}\n```\n{BODY}\n```\n", f"SKILL.md:2: {NO_LANGUAGE}\n    ```\n    ^^^"),
    ("the old header", f"{HEADING}\n```mermaid\n%% c\nstateDiagram\n[*] --> a\n```\n",
        f"SKILL.md:4: {OLD}\n    stateDiagram\n    {'^' * 12}"),
]  # fmt: skip


@each_row(("text", "message"), [pytest.param(*row[1:], id=row[0]) for row in PROMISED])
def test_a_section_that_does_not_deliver_is_an_error(text: str, message: str) -> None:
    assert refusal(text) == message


def test_an_error_in_the_diagram_names_its_line_in_the_file() -> None:
    text = f"# Skill\r\n\r\n{HEADING}\r\n\r\n```mermaid\r\nstateDiagram-v2\r\n  [*] --> a\r\n  a -> b\r\n```\r\n"
    with pytest.raises(MachineError) as caught:
        machine_in(text, name="x", file="SKILL.md")
    assert str(caught.value) == "SKILL.md:8: a transition is written with the arrow `-->`\n      a -> b\n        ^^"


def test_text_around_the_section_is_never_read() -> None:
    text = f"## Before\n```mermaid\nstateDiagram-v2\nbroken -> x\n```\n{HEADING}\n{FENCED}\n## After\n```mermaid\n"
    machine = machine_in(text, name="x", file="SKILL.md")
    assert machine is not None
    assert machine.states == ("a",)
