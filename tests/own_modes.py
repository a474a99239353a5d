"""A mode of one's own for the tests: its SKILL.md, and a person's home beside the workspace."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.support import Workspace

if TYPE_CHECKING:
    from pathlib import Path

DIAGRAM = """\
stateDiagram-v2
    [*] --> starting
    starting --> verifying : list_written
    verifying --> fixing : check_fails
    fixing --> verifying : cause_mended
    verifying --> [*] : all_pass
    starting : Write the list of checks, a command for each line
    verifying : Run every line of the list
    fixing : Name the cause and correct it
"""
RELEASE = """\
---
name: {name}
description: Publishes a version.
metadata:
  rcs-kind: {kind}
  rcs-after: {after}
  rcs-max-iterations: 4
---
# {name}

## MODE

```mermaid
{diagram}```
"""


def declared(name: str = "release", kind: str = "execution", after: str = "blueprint", **metadata: str) -> str:
    """The text of a SKILL.md that declares a mode; `metadata`: further keys, such as `beside`."""
    text = RELEASE.format(diagram=DIAGRAM, name=name, kind=kind, after=after).replace("  rcs-after: \n", "")
    more = "".join(f"  rcs-{key}: {value}\n" for key, value in metadata.items())
    return text.replace("  rcs-max", f"{more}  rcs-max")


def put(folder: Path, name: str = "release", text: str | None = None, client: str = ".claude") -> Path:
    """Write a SKILL.md into the skills of a home or a project; return its path."""
    file = folder / client / "skills" / name / "SKILL.md"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(declared(name) if text is None else text)
    return file


class Desk(Workspace):
    """A workspace of a person who has a home, with own modes in either."""

    def __init__(self, folder: Path) -> None:
        self.home = folder / "home"
        root = folder / "project"
        self.home.mkdir()
        root.mkdir()
        super().__init__(root, env={"HOME": str(self.home)})
