"""Declarations of own modes, right and wrong, for the tests of the room."""

from __future__ import annotations

DIAGRAM = """stateDiagram-v2
    [*] --> starting
    starting --> checking : ready
    checking --> starting : failed_check
    checking --> [*] : all_pass
    starting : Do it
    checking : Check it
"""
MACHINE = f"## MODE\n\n```mermaid\n{DIAGRAM}```\n"


def skill(metadata: str = "rcs-kind: execution", *, name: str = "release", body: str = MACHINE) -> str:
    """Return the text of a SKILL.md; `metadata` has one key a line."""
    lines = "".join(f"  {line}\n" for line in metadata.splitlines())
    return f"---\nname: {name}\ndescription: Releases a version.\nmetadata:\n{lines}---\n\n# {name}\n\n{body}"


def drawn(*lines: str) -> str:
    """Return a `## MODE` section whose diagram has these lines."""
    inside = "".join(f"    {line}\n" for line in lines)
    return f"## MODE\n\n```mermaid\nstateDiagram-v2\n{inside}```\n"
